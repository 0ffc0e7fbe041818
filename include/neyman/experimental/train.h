/* Training with a struct of options, and what a run found as a struct: the parts that ney_fit() is
 * made of. EXPERIMENTAL: anything here may change in any release (VERSIONING.md). Stable programs
 * use <neyman/fit.h>. */
#ifndef NEYMAN_EXPERIMENTAL_TRAIN_H
#define NEYMAN_EXPERIMENTAL_TRAIN_H

#include <neyman/experimental/data.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ney_stop {
    NEY_STOP_CONVERGED,
    NEY_STOP_ITERATIONS, /* max_iter reached */
    NEY_STOP_TIME,       /* max_time reached */
    NEY_STOP_CANCELLED,  /* poll asked for it */
    NEY_STOP_PRECISION,  /* the tolerance is beyond what the numbers can tell */
    NEY_STOP_EPOCHS,     /* the epochs asked for, or the most by default, are done */
    NEY_STOP_MULTIPLIER, /* online: the multiplier is at the end of its range, where the rate no
                            longer responds to it */
    NEY_STOP_CHECKS      /* online: checks no longer improve; nothing is said about the optimum */
} ney_stop;

/** "converged", "iterations", "time", "cancelled", "precision", "epochs", "multiplier" or
 * "checks". */
NEY_EXPERIMENTAL const char *ney_stop_text(ney_stop stop);

/** Whether a run that stopped so did all that it was to do: it converged, its epochs are done, or
 * checks no longer improve. The other reasons are limits and interruptions. */
NEY_EXPERIMENTAL bool ney_stop_is_complete(ney_stop stop);

typedef enum ney_method {
    NEY_METHOD_AUTO,       /* whatever suits the goal: annealed for a bounded rate */
    NEY_METHOD_ANNEALED,   /* clipped examples and the multiplier change after every convex step */
    NEY_METHOD_UZAWA,      /* a full nonconvex problem for every multiplier */
    NEY_METHOD_CONVEX,     /* an SVM at the costs given, its threshold moved to keep the rate */
    NEY_METHOD_GENERATIVE, /* classes known by mean and covariance, scores taken as normal */
    NEY_METHOD_CHEBYSHEV,  /* the same by Chebyshev's bound */
    NEY_METHOD_PERF,       /* precision at k by cutting planes; linear */
    NEY_METHOD_ACTIVESET, /* costs and rejection: exactly, by sets of rows that share a condition */
    NEY_METHOD_ONLINE     /* one row at a time, in time that grows with the rows alone */
} ney_method;

/* Which scores are rejected, given the costs. */
typedef enum ney_reject_rule {
    NEY_RULE_GRANDVALET,       /* log-odds at which rejecting begins and ends to pay */
    NEY_RULE_BARTLETT_WEGKAMP, /* a share delta0 of the margin; symmetric costs alone */
} ney_reject_rule;

typedef enum ney_loss {
    NEY_LOSS_RAMP,   /* min(1, max(0, (eta - z) / (2 eta))) */
    NEY_LOSS_SIGMOID /* 1 / (1 + exp(z / eta)) */
} ney_loss;

typedef struct ney_train_opts {
    double C, cost_fn, cost_fp; /* C_i = C * cost_fn for positives, C * cost_fp for negatives */
    double max_fpr, max_fnr;    /* NAN: not bounded; both: rows between are rejected */
    const char *max_fdr;        /* NULL: not bounded; else a share, or several: "0.01,0.05" */
    ney_qvalue_opts qvalue;     /* how false discoveries are estimated */
    bool conformal;             /* calibrate p-values on rows held out: see conformal_folds */
    bool resume;                /* go on from the checkpoint, if it is there */
    bool no_fingerprint;        /* keep nothing in the model that tells its training rows */
    const char *spectrum; /* columns whose rows stay together; NULL: file and scan, else the row */
    double confidence;    /* that a bounded rate holds on new data, 0.95 by default; NAN: the bound
                             holds on the training rows only, and nothing is held out for it */
    double holdout;       /* share of the bounded class that is held out; NAN: as needed */
    double reject_cost;   /* of rejecting a row; NAN: no row is rejected */
    double reject_cost_fn, reject_cost_fp; /* of a positive, of a negative; NAN: reject_cost */
    double delta0; /* of Bartlett and Wegkamp's rule, from r to 1 - r; NAN: 1/2 */
    ney_reject_rule rule;
    ney_loss loss;           /* of the online method */
    int64_t conformal_folds; /* all rows are held out, in so many turns; 0: a share of them once */
    double eta;              /* half the width of the ramp loss */
    ney_kernel_kind kernel;
    ney_method method;
    int64_t at_k;        /* k of the perf method; 0: as many as there are positives */
    double gamma;        /* 0: 1 / (columns * variance of all entries) */
    double coef0, cache; /* cache: megabytes for kernel rows, 0: a quarter of the memory */
    int64_t degree;
    double tol, max_time;
    int64_t max_iter, seed;
    int64_t start; /* bounded rate: 0, or the seed of examples clipped at random at the start */
    /* these of the online method alone */
    int64_t epochs;          /* passes over the data; 0: until checks no longer improve */
    int64_t network;         /* units of a hidden layer; 0: none */
    int64_t batch;           /* rows that a network takes at once; 0: 32 */
    int64_t features;        /* random features of the rbf kernel; 0: none */
    double validation;       /* share of rows kept out for checks; NAN: what suits their number */
    double memory;           /* megabytes that rows may take; 0: half of what the machine has */
    const char *checkpoint;  /* a file to go on from; NULL: none */
    double checkpoint_every; /* seconds between two of them */
} ney_train_opts;

NEY_EXPERIMENTAL const ney_param *ney_train_params(int64_t *n_params);

/* What is wanted; determined by the options that are set. */
typedef enum ney_goal_kind {
    NEY_GOAL_COST,   /* costs of the two errors */
    NEY_GOAL_RATE,   /* one bounded rate (Neyman-Pearson) */
    NEY_GOAL_RATES,  /* both rates bounded: rows between two thresholds are rejected */
    NEY_GOAL_FDR,    /* bounded false-discovery rate */
    NEY_GOAL_REJECT, /* costs of the two errors and of rejection */
    NEY_GOALS        /* their number */
} ney_goal_kind;

NEY_EXPERIMENTAL ney_goal_kind ney_train_goal(const ney_train_opts *opts);
/** Whether the options bound the rate of this error. */
NEY_EXPERIMENTAL bool ney_train_bounds(const ney_train_opts *opts, ney_error_kind kind);

typedef struct ney_method_info {
    const char *name; /* as --method takes it */
    const char *help;
    bool linear_only;
    bool is_baseline;            /* what methods for a bounded rate are compared with */
    bool serves[NEY_GOALS];      /* by ney_goal_kind */
    bool reads_costs[NEY_GOALS]; /* whether it reads cost-fn and cost-fp for that goal */
} ney_method_info;

/** Method `k` from 0, the value of ney_train_opts.method. @param size  sizeof(ney_method_info) of
 * the caller. False when there is no such method. */
NEY_EXPERIMENTAL bool ney_method_get(int64_t k, ney_method_info *info, size_t size);

/**
 * Whether ney_train() takes these options: an option that has a value other than its default and is
 * not read for the goal, method and family that the others ask for is refused, never ignored.
 *
 * @retval NEY_EINVAL  the message names the option and what it applies to.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_train_check(const ney_train_opts *opts,
                                                           ney_error *err);

/** What an option applies to, as a phrase; NULL where that is everything, or for an unknown name.
 */
NEY_EXPERIMENTAL const char *ney_train_where(const char *name);

/** Set every option that is not read for the goal, method and family at hand to its default: for
 * callers that try several methods with one set of options. */
NEY_EXPERIMENTAL void ney_train_trim(ney_train_opts *opts);

/* Status of the constraint at the end of the search for a multiplier. */
typedef enum ney_constraint_status {
    NEY_CONSTRAINT_NONE,          /* no multiplier was searched for, or the search was stopped */
    NEY_CONSTRAINT_ACTIVE,        /* the rate equals its bound */
    NEY_CONSTRAINT_SLACK,         /* the rate is below its bound at multiplier 0 */
    NEY_CONSTRAINT_DISCONTINUOUS, /* the rate as a function of the multiplier jumps across the
                                     bound; the side below the bound is taken */
    NEY_CONSTRAINT_UNATTAINABLE   /* bounded FDR: no solution is better than accepting no row */
} ney_constraint_status;

/** "none", "active", "slack", "discontinuous" or "unattainable". */
NEY_EXPERIMENTAL const char *ney_constraint_status_text(ney_constraint_status status);

/* How a training run ended. convex_objective - dual_objective = gap >= 0 bounds the distance from
 * the optimum of the last convex problem, which is the whole one for a cost goal. For a bounded
 * rate `objective` is the nonconvex Lagrangian at the score function returned (see doc/np.md). */
typedef struct ney_train_info {
    ney_stop stop;
    /* NAN, or -1 for a count: the method has no such figure. */
    int64_t iterations, support_vectors;
    double objective, convex_objective, dual_objective, gap;
    /* these of a bounded rate alone */
    ney_constraint_status constraint;
    int64_t steps;             /* convex problems solved */
    int64_t starts;            /* of the nonconvex search; the best solution of all is returned */
    double lambda;             /* the multiplier, in units of the other rate */
    double ramp_fpr, ramp_fnr; /* on the rows learned from */
    ney_counts counts;         /* of the rows learned from, at the model's threshold; with a bounded
                                  FDR, of the winners of a competition */
    int64_t held_out;          /* rows kept out of training */
    ney_counts held_counts;    /* of the rows that certify, at the model's thresholds */
    double held_mean;       /* mean score of the rows that certify (with both rates: positives), */
    double held_deviation;  /* and its standard deviation */
    int64_t detected;       /* one certified rate: learned rows of the other class that are
                               classified right, their scores moved by what the optimism of
                               training is seen to be for the bounded class (doc/claims.md): an
                               estimate; -1: none */
    int64_t discoveries[3]; /* of a bounded FDR: out-of-fold, by the best feature, the SVM and what
                               is learned online; -1: not tried */
    ney_competition competition; /* of a bounded FDR: of the scores that `counts` are of */
    int64_t folds;               /* of a bounded FDR: models that the final one is the mean of */
    int64_t n_pos, n_neg;        /* all rows, those held out included; of the online method alone */
    bool certified;
    ney_certificate certificate; /* where certified; with both rates bounded, of false positives */
    ney_certificate certificate_fnr; /* and of false negatives */
} ney_train_info;

/**
 * The rows that ney_train() will learn from, ascending: all but those that it holds out to certify
 * a bounded rate (by default, with a bounded rate) or to calibrate p-values. A guarantee needs a
 * score function that has not seen the rows held out: fit scaling (ney_data_prepare()) on these;
 * ney_train() and ney_tune() refuse (NEY_EINVAL) to hold out rows that it was fitted on.
 *
 * @param[out] rows    Room for as many as the data have.
 * @retval NEY_EGOAL   too few rows to certify the rate: the message says how many are needed.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_train_rows(const ney_data *data,
                                                          const ney_train_opts *opts, int64_t *rows,
                                                          int64_t *n_rows, ney_error *err);

/**
 * Train a support vector machine, linear or with a kernel, with an unregularised intercept. Without
 * a bounded rate, at asymmetric costs:
 *
 *     min  1/2 |w|^2 + sum_i C_i max(0, 1 - y_i (w'phi(x_i) + b))
 *
 * C_i as above, times the example's weight. With max_fpr = A (or max_fnr, the same with the classes
 * exchanged), Neyman-Pearson under the ramp loss r(z) = min(1, max(0, (eta - z) / (2 eta))):
 *
 *     min  1/2 |w|^2 + C sum_{y_i = 1} r(z_i)   s.t.  mean_{y_i = -1} r(z_i) <= A
 *
 * a local optimum of it, with a threshold that is certified on held-out rows of the bounded class:
 * the rate on new data is at most A with the confidence of the options. With confidence NAN the
 * threshold lets at most a share A of the training rows of that class be misclassified instead; the
 * rate on new data is then expected to exceed A.
 * With both rates bounded there are two thresholds, each certified on rows of its class; rows
 * between them are rejected.
 *
 * With costs of rejection the loss is the double hinge (doc/math/reject.md), and the model has two
 * thresholds; where rejecting never pays, that is told by the log and the costs alone are learned
 * from. The model's summary tells how it was made.
 *
 * @retval NEY_OK      *out is a model, converged or not: read info->stop.
 * @retval NEY_EGOAL   the rate cannot be certified: the message says what would be needed.
 * @retval NEY_EINVAL  an option is out of bounds, options contradict each other, or a class has no
 *                     row.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_train(ney_model **out, const ney_env *env,
                                                     const ney_data *data,
                                                     const ney_train_opts *opts,
                                                     ney_train_info *info, ney_error *err);

/** The confidence that an update keeps: that of the model's certificate, NAN where its bounded rate
 * was not certified, and the default where it bounds no rate. */
NEY_EXPERIMENTAL double ney_update_confidence(const ney_model *from);

/**
 * Learn on: the online method on new data, from a model's weights, multiplier and rate on. The
 * model is linear, a network or of random features, whichever method made it. What the options
 * leave open of the bounded rate, C, eta and the loss is the model's. The confidence is that of the
 * options; without options it is ney_update_confidence(from).
 *
 * @param data  Read with the model's preprocessing.
 * @retval NEY_EGOAL   the rate cannot be certified, because there are too few rows or because they
 *                     were used to train the model: see ney_model_find_reuse().
 * @retval NEY_EINVAL  a kernel model, or one without a bounded rate where the options have none.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_update(ney_model **out, const ney_env *env,
                                                      const ney_model *from, const ney_data *data,
                                                      const ney_train_opts *opts,
                                                      ney_train_info *info, ney_error *err);

/**
 * The online method on the rows of a cache, a part of them in memory at a time: what ney_train()
 * gives for the same rows, to the last bit. Which class is positive, and how many rows each has, is
 * told by env.log.
 *
 * @param path     A cache file.
 * @param read     Of these, positive and missing count. NULL for the defaults.
 * @param scaling  A ney_scaling, fitted on the rows that are learned from; -1: standard for what
 * was a table, none for what was not.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_train_cache(ney_model **out, const ney_env *env,
                                                           const char *path,
                                                           const ney_read_opts *read, int scaling,
                                                           const ney_train_opts *opts,
                                                           ney_train_info *info, ney_error *err);

#ifdef __cplusplus
}
#endif

#endif
