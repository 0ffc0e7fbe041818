/* Goals: what is minimised and what is bounded, whatever the method. Adding one is a file that
 * defines a ney_goal and a row of NEY_GOALS: its option, when that is read, its refusals, tuning
 * and results follow from the two. */
#ifndef NEY_LEARN_GOAL_H
#define NEY_LEARN_GOAL_H

#include "learn/task.h"

/* Two thresholds and the costs that they follow from. */
typedef struct ney_band {
    double low, high;
    ney_costs costs;
} ney_band;

typedef struct ney_goal {
    const char *name;        /* as in results */
    const char *options;     /* that ask for it, separated by '|' */
    ney_criterion criterion; /* by which tuning chooses */
    ney_method usual; /* the method where none is named and the family is one that it trains */
    const struct ney_learner *learner; /* of the method auto; NULL: `usual` is another method */

    /* Whether the options ask for it; NULL: where its own option is set. */
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

/* GOAL(x) for ney_goal_x, and OPTION(x, name, low, high, arg, help) where a number is its own
 * option, without a default. The last goal that is asked for is taken, so goals that ask for more
 * come later; the first is always asked for. The order begins with that of ney_goal_kind; rows
 * after its last need no constant there. */
/* clang-format off */
#define NEY_GOALS(GOAL, OPTION)                                                                    \
    GOAL(cost)                                                                                     \
    GOAL(reject)                                                                                   \
    GOAL(rate)                                                                                     \
    GOAL(rates)                                                                                    \
    GOAL(fdr)
/* clang-format on */

#define NEY_GOAL_NOTHING(...)
#define NEY_GOAL_DECLARE(x) extern const ney_goal ney_goal_##x;
#define NEY_GOAL_INDEX(x) NEY_GOAL_AT_##x,

NEY_GOALS(NEY_GOAL_DECLARE, NEY_GOAL_NOTHING)
enum { NEY_GOALS(NEY_GOAL_INDEX, NEY_GOAL_NOTHING) NEY_N_GOALS };

/* The goal that the options ask for. */
ney_goal_kind ney_goal_of(const ney_train_opts *o);
const ney_goal *ney_goal_at(ney_goal_kind kind);

/* The value of a goal's own option; NAN: not set, or it has none. */
double ney_goal_value(const ney_train_opts *o, ney_goal_kind kind);

#endif
