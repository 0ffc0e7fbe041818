/* Methods. A method that serves several goals has a learner for each. Adding one is a file that
 * defines its learners and a row of NEY_METHODS: the choices, bounds and help of --method, what it
 * refuses and `compare` follow from the row. */
#ifndef NEY_LEARN_METHOD_H
#define NEY_LEARN_METHOD_H

#include "learn/partition.h"
#include "learn/task.h"

/* The score function sum_i v_i k(x_i, .) + intercept, with memory for v from ney_train(). */
typedef struct ney_answer {
    double *v; /* zeros at first */
    double
        *w; /* NULL at first; a learner may allocate it: the weights of a linear score function */
    double intercept;
    double *score; /* NULL at first; a learner may allocate it: scores of the rows, each within */
    double score_error; /* of what the model says */
} ney_answer;

/* Which figures of ney_train_info a learner finds; the others are NAN, or -1 for a count. */
enum {
    NEY_FINDS_MULTIPLIER = 1 << 0,
    NEY_FINDS_RAMP_RATES = 1 << 1,
    NEY_FINDS_GAP = 1 << 2,
    NEY_FINDS_ITERATIONS = 1 << 3,
    NEY_FINDS_EXPANSION = 1 << 4,       /* support vectors */
    NEY_FINDS_KERNEL_EXPANSION = 1 << 5 /* the same with a kernel only */
};

/* Options that all batch learners with kernels read. */
#define NEY_READS_KERNEL "kernel gamma degree coef0 conformal conformal-folds calibrate-folds "

typedef struct ney_learner {
    /* Options, separated by spaces, that some learners read and others do not. */
    const char *reads;
    unsigned finds; /* NEY_FINDS_ bits */
    bool shared;    /* of rows that are shared out among processes too */
    /* Whether training draws at random; NULL: it does not. */
    bool (*is_random)(const ney_request *r);
    /* Refuse what the learner cannot do, by NEY_EINVAL; NULL: nothing. */
    ney_status (*check)(const ney_request *r, ney_error *err);

    /* Fill the answer, and of *info all but support_vectors, counts and certificate. A stop is no
     * failure: the best answer so far is returned. */
    ney_status (*learn)(ney_task *t, ney_answer *a, ney_train_info *info, ney_error *err);
    /* Add lines of the method to the model's metadata; NULL: none. */
    ney_status (*describe)(const ney_task *t, const ney_train_info *info, ney_model *m,
                           ney_error *err);

    /* Set where the learner makes models of another family; learn and describe are then NULL.
     * `make` gives tuning a model; `train` is all of ney_train() after the partition is drawn. */
    ney_status (*make)(ney_model **out, ney_task *t, ney_train_info *info, ney_error *err);
    ney_status (*train)(ney_model **out, ney_partition *p, const ney_train_opts *o,
                        ney_train_info *info, ney_error *err);
} ney_learner;

extern const ney_learner ney_learner_cost, ney_learner_annealed, ney_learner_uzawa,
    ney_learner_convex, ney_learner_generative, ney_learner_chebyshev, ney_learner_perf,
    ney_learner_reject, ney_learner_online, ney_learner_online_costs, ney_learner_fdr,
    ney_learner_fdr_online, ney_learner_fdr_boosting, ney_learner_boosting, ney_learner_lagrangian,
    ney_learner_ramp;

typedef struct ney_method_row {
    const char *name, *help;
    unsigned traits;
    const ney_learner *of_goal[NEY_MAX_GOALS]; /* NULL: the method does not serve the goal */
} ney_method_row;

enum {
    NEY_METHOD_IS_EXACT = 1 << 0,    /* its quadratic programs are solved to the last digit */
    NEY_METHOD_IS_LINEAR = 1 << 1,   /* no kernel */
    NEY_METHOD_IS_BASELINE = 1 << 2, /* takes part in `compare` */
    NEY_METHOD_IS_COARSE =
        1 << 3 /* tuning takes wider steps: a fit takes long, or has an axis more */
};

/* X(name, help, traits, learners by goal). The order is that of ney_method; rows after its last
 * need no constant there. */
#define NEY_METHODS(X)                                                                             \
    X("auto",                                                                                      \
      "annealed for one bounded rate or FDR, online for --network and --features, boosting for "   \
      "--trees",                                                                                   \
      0, NULL /* the goals name their own */)                                                      \
    X("annealed", "ramp loss, descent on the nonconvex problem",                                   \
      0, [NEY_GOAL_RATE] = &ney_learner_annealed, [NEY_GOAL_FDR] = &ney_learner_fdr)               \
    X("uzawa", "ramp loss, a nonconvex problem per multiplier",                                    \
      0, [NEY_GOAL_RATE] = &ney_learner_uzawa)                                                     \
    X("convex", "SVM at the given costs with a shifted threshold",                                 \
      NEY_METHOD_IS_BASELINE | NEY_METHOD_IS_COARSE, [NEY_GOAL_RATE] = &ney_learner_convex)        \
    X("generative", "mean and covariance of each class, scores assumed normal",                    \
      NEY_METHOD_IS_BASELINE | NEY_METHOD_IS_COARSE, [NEY_GOAL_RATE] = &ney_learner_generative)    \
    X("chebyshev", "as generative, with Chebyshev's bound",                                        \
      NEY_METHOD_IS_BASELINE | NEY_METHOD_IS_COARSE, [NEY_GOAL_RATE] = &ney_learner_chebyshev)     \
    X("perf", "SVMperf, precision at k, linear only",                                              \
      NEY_METHOD_IS_BASELINE | NEY_METHOD_IS_LINEAR, [NEY_GOAL_RATE] = &ney_learner_perf)          \
    X("activeset", "exact active-set solver for costs and rejection",                              \
      NEY_METHOD_IS_EXACT, [NEY_GOAL_COST] = &ney_learner_cost,                                    \
      [NEY_GOAL_RATES] = &ney_learner_reject, [NEY_GOAL_REJECT] = &ney_learner_reject)             \
    X("online", "stochastic gradient, in constant memory",                                         \
      0, [NEY_GOAL_RATE] = &ney_learner_online, [NEY_GOAL_FDR] = &ney_learner_fdr_online,          \
      [NEY_GOAL_COST] = &ney_learner_online_costs, [NEY_GOAL_RATES] = &ney_learner_online_costs,   \
      [NEY_GOAL_REJECT] = &ney_learner_online_costs)                                               \
    X("boosting", "boosted trees under the logistic loss at the given costs, threshold shifted",   \
      0, [NEY_GOAL_COST] = &ney_learner_boosting, [NEY_GOAL_RATE] = &ney_learner_boosting,         \
      [NEY_GOAL_RATES] = &ney_learner_boosting, [NEY_GOAL_REJECT] = &ney_learner_boosting,         \
      [NEY_GOAL_FDR] = &ney_learner_fdr_boosting)                                                  \
    X("lagrangian", "boosted trees under the Lagrangian, its multiplier updated between rounds",   \
      0, [NEY_GOAL_RATE] = &ney_learner_lagrangian)                                                \
    X("ramp", "ramp loss at the given costs, a nonconvex problem",                                 \
      0, [NEY_GOAL_COST] = &ney_learner_ramp)

#define NEY_METHOD_WORD(name, ...) " " name
#define NEY_METHOD_HELP(name, help, ...) "; " name ": " help
#define NEY_METHOD_ONE(...) +1
enum { NEY_N_METHODS = 0 NEY_METHODS(NEY_METHOD_ONE) };

const ney_method_row *ney_method_at(int64_t k);

/* The method's learner for a goal, for auto that of the goal; NULL: it does not serve the goal. */
const ney_learner *ney_method_learner(const ney_method_row *method, ney_goal_kind goal);

#endif
