/* A goal turns a task into a score function. Goals know nothing of each other: adding one is a file
 * that defines a ney_goal and a row in goal.c. */
#ifndef NEY_LEARN_GOAL_H
#define NEY_LEARN_GOAL_H

#include "learn/task.h"

/* The score function sum_i v_i k(x_i, .) + intercept, with memory for v from ney_train(). */
typedef struct ney_answer {
    double *v; /* zeros at first */
    double
        *w; /* NULL at first; where a goal allocates it, the weights of a linear score function */
    double intercept;
} ney_answer;

/* Two thresholds and the costs that they answer to. */
typedef struct ney_band {
    double low, high;
    ney_costs costs;
} ney_band;

typedef struct ney_goal {
    const char *name;        /* as in summaries */
    ney_criterion criterion; /* by which tuning chooses */

    /* Whether the options ask for it. The first of the list that does is taken. */
    bool (*asked)(const ney_train_opts *o);

    /* Refuse options that contradict each other, by NEY_EINVAL. */
    ney_status (*check)(const ney_train_opts *o, ney_error *err);

    /* The columns, as for ney_data_keys(), that tell rows which belong together: wherever rows are
     * held out, all of a group are. NULL: each row stands for itself. */
    const char *(*groups)(const ney_train_opts *o);

    /* Fill the answer, and of *info all but support_vectors, counts and certificate. A stop is no
     * failure: the best answer so far is due. */
    ney_status (*learn)(ney_task *t, ney_answer *a, ney_train_info *info, ney_error *err);

    /* Where set, these take the place of all others here: a goal that deals with rows in its own
     * way. `make` gives tuning a model of whatever family; `train` is all of ney_train(). */
    ney_status (*make)(ney_model **out, ney_task *t, ney_train_info *info, ney_error *err);
    ney_status (*train)(ney_model **out, const ney_env *env, const ney_data *data,
                        const ney_train_opts *o, ney_train_info *info, ney_error *err);

    /* The thresholds of the model made from the answer; NULL: 0. */
    ney_status (*decide)(const ney_task *t, ney_model *m, ney_train_info *info, ney_error *err);

    /* What decisions cost, and thresholds that follow from the options alone: what tuning judges
     * by. NULL: the costs of the two errors, and 0. */
    ney_band (*band)(const ney_train_opts *o);

    /* The method as summaries call it, and the goal's own lines there. */
    const char *(*method)(const ney_train_opts *o);
    ney_status (*tell)(const ney_task *t, const ney_train_info *info, ney_model *m, ney_error *err);
} ney_goal;

extern const ney_goal ney_goal_fdr, ney_goal_online, ney_goal_online_reject, ney_goal_bounded,
    ney_goal_generative, ney_goal_perf, ney_goal_convex, ney_goal_np, ney_goal_reject,
    ney_goal_cost;

const ney_goal *ney_goal_of(const ney_train_opts *o);

#endif
