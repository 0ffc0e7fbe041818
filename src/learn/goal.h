/* Goals: what is minimised and what is bounded, whatever the method. Adding one is a file that
 * defines a ney_goal, a row in goal.c, and a learner in the rows of the methods that serve it. */
#ifndef NEY_LEARN_GOAL_H
#define NEY_LEARN_GOAL_H

#include "learn/task.h"

/* Two thresholds and the costs that they follow from. */
typedef struct ney_band {
    double low, high;
    ney_costs costs;
} ney_band;

typedef struct ney_goal {
    ney_goal_kind kind;
    const char *name;        /* as in results */
    const char *options;     /* that ask for it, separated by '|' */
    ney_criterion criterion; /* by which tuning chooses */
    ney_method usual; /* the method where none is named and the family is one that it trains */

    /* Whether the options ask for it. The first of the list is taken. */
    bool (*is_asked)(const ney_train_opts *o);

    /* Refuse options that contradict each other, by NEY_EINVAL; NULL: nothing to refuse. */
    ney_status (*check)(const ney_request *r, const ney_train_opts *o, ney_error *err);

    /* The columns, as for ney_data_keys(), whose rows belong together: wherever rows are held out,
     * all of a group are. NULL: each row is a unit. */
    const char *(*groups)(const ney_train_opts *o);

    /* The thresholds of the model made from the answer; NULL: 0. */
    ney_status (*decide)(const ney_task *t, ney_model *m, ney_train_info *info, ney_error *err);

    /* The costs of decisions, and thresholds that follow from the options alone: what tuning
     * minimises. NULL: the costs of the two errors, and 0. */
    ney_band (*band)(const ney_request *r, const ney_train_opts *o);

    /* Add lines of the goal to the model's metadata; NULL: none. */
    ney_status (*describe)(const ney_task *t, ney_model *m, ney_error *err);
} ney_goal;

extern const ney_goal ney_goal_cost, ney_goal_rate, ney_goal_rates, ney_goal_fdr, ney_goal_reject;

/* The goal that the options ask for. */
ney_goal_kind ney_goal_of(const ney_train_opts *o);
const ney_goal *ney_goal_at(ney_goal_kind kind);

#endif
