/* Training with a struct of options, and figures of a run as a struct: the parts of ney_fit().
 * EXPERIMENTAL: anything here may change in any release (VERSIONING.md). Stable programs use
 * <neyman/fit.h>. */
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
    NEY_STOP_PRECISION,  /* floating-point precision reached before the tolerance */
    NEY_STOP_EPOCHS,     /* the requested epochs, or by default the maximum, are done */
    NEY_STOP_MULTIPLIER, /* online: the multiplier is at the limit of its range, where the rate no
                            longer responds to it */
    NEY_STOP_CHECKS      /* online: validation no longer improves; no statement about the optimum */
} ney_stop;

/** "converged", "iterations", "time", "cancelled", "precision", "epochs", "multiplier" or
 * "checks". */
NEY_EXPERIMENTAL const char *ney_stop_text(ney_stop stop);

/** Whether the run is complete: it converged, its epochs are done, or validation no longer
 * improves. The other reasons are limits and interruptions. */
NEY_EXPERIMENTAL bool ney_stop_is_complete(ney_stop stop);

typedef enum ney_method {
    NEY_METHOD_AUTO,       /* by goal: annealed for a bounded rate */
    NEY_METHOD_ANNEALED,   /* clipped examples and the multiplier change after every convex step */
    NEY_METHOD_UZAWA,      /* a full nonconvex problem for every multiplier */
    NEY_METHOD_CONVEX,     /* an SVM with these costs, its threshold moved to meet the bound */
    NEY_METHOD_GENERATIVE, /* means and covariances of the classes, normal scores */
    NEY_METHOD_CHEBYSHEV,  /* the same by Chebyshev's bound */
    NEY_METHOD_PERF,       /* precision at k by cutting planes; linear */
    NEY_METHOD_ACTIVESET,  /* costs and rejection: exact, by an active-set method */
    NEY_METHOD_ONLINE      /* stochastic gradient steps, in time linear in the rows */
} ney_method;

/* Which scores are rejected, given the costs. */
typedef enum ney_reject_rule {
    NEY_RULE_GRANDVALET,       /* log-odds between which rejection has the lowest cost */
    NEY_RULE_BARTLETT_WEGKAMP, /* a share delta0 of the margin; symmetric costs only */
} ney_reject_rule;

typedef enum ney_loss {
    NEY_LOSS_RAMP,   /* min(1, max(0, (eta - z) / (2 eta))) */
    NEY_LOSS_SIGMOID /* 1 / (1 + exp(z / eta)) */
} ney_loss;

/* The goal; determined by the options that are set. Later goals have no constant. */
typedef enum ney_goal_kind {
    NEY_GOAL_COST,   /* costs of the two errors */
    NEY_GOAL_REJECT, /* costs of the two errors and of rejection */
    NEY_GOAL_RATE,   /* one bounded rate (Neyman-Pearson) */
    NEY_GOAL_RATES,  /* both rates bounded: rows between two thresholds are rejected */
    NEY_GOAL_FDR     /* bounded false-discovery rate */
} ney_goal_kind;

enum { NEY_MAX_GOALS = 16 }; /* length of arrays by ney_goal_kind */

/* Of options alone: linear or rbf, whichever has the smaller loss on rows held out. */
enum { NEY_KERNEL_AUTO = NEY_KERNEL_SIGMOID + 1 };

/* Hidden layers of a network, at most. */
enum { NEY_MOST_LAYERS = 2 };

/* What a unit makes of the sum of its inputs. */
typedef enum ney_activation { NEY_ACTIVATION_TANH, NEY_ACTIVATION_RELU } ney_activation;

typedef struct ney_train_opts {
    double C, cost_fn, cost_fp; /* C_i = C * cost_fn for positives, C * cost_fp for negatives */
    double max_fpr,
        max_fnr;         /* NAN: not bounded; with both, rows between the thresholds are rejected */
    const char *max_fdr; /* NULL: not bounded; else a share, or several: "0.01,0.05" */
    ney_qvalue_opts qvalue;   /* how false discoveries are estimated */
    bool conformal;           /* calibrate p-values on held-out rows: see conformal_folds */
    bool resume;              /* continue from the checkpoint, if it exists */
    bool no_fingerprint;      /* store no fingerprint of the training rows in the model */
    const char *spectrum;     /* columns of spectra, which folds keep together; NULL: file and scan,
                                 else the row */
    const char *peptide;      /* column of peptides, of which folds keep the spectra together; NULL:
                                 Peptide, where there is one */
    const char *init_weights; /* file of a linear model: where the search begins; NULL: a feature */
    int64_t training_rows;    /* under a bounded FDR: about as many rows are learned from; 0: all */
    double confidence;  /* that a bounded rate holds on new data, 0.95 by default; NAN: the bound
                           holds on the training rows only, and nothing is held out for it */
    double holdout;     /* share of the bounded class that is held out; NAN: chosen by the number of
                           rows */
    double reject_cost; /* cost of rejecting a row; NAN: no row is rejected */
    double reject_cost_fn, reject_cost_fp; /* for a positive, for a negative; NAN: reject_cost */
    double delta0; /* of Bartlett and Wegkamp's rule, from r to 1 - r; NAN: 1/2 */
    ney_reject_rule rule;
    ney_loss loss;           /* of the online method */
    int64_t conformal_folds; /* number of folds that are held out in turn; 0: a share of the rows
                                once */
    double calibrate;        /* share of all rows held out for probabilities; NAN: none */
    int64_t calibrate_folds; /* probabilities from out-of-fold scores; 0: none */
    double eta;              /* half the width of the ramp loss */
    ney_kernel_kind kernel;  /* or NEY_KERNEL_AUTO */
    ney_method method;
    int64_t at_k;        /* k of the perf method; 0: the number of positives */
    double gamma;        /* 0: 1 / (columns * variance of all entries) */
    double coef0, cache; /* cache: megabytes for kernel rows; 0: 25 % of RAM */
    int64_t degree;
    double tol, max_time;
    int64_t max_iter, seed;
    int64_t start; /* bounded rate: 0, or the seed of examples clipped at random at the start */
    /* of the online method only */
    int64_t epochs; /* passes over the data; 0: until validation no longer improves */
    int64_t network[NEY_MOST_LAYERS]; /* units of each hidden layer; 0: none */
    ney_activation activation;        /* of these units */
    int64_t batch;                    /* mini-batch size of a network; 0: 32 */
    int64_t features;                 /* random features of the rbf kernel; 0: none */
    double validation;       /* share of validation rows; NAN: chosen by the number of rows */
    double memory;           /* megabytes for rows; 0: 50 % of RAM */
    const char *checkpoint;  /* file of the state of the run; NULL: none */
    double checkpoint_every; /* wall-clock seconds between two checkpoints */
    /* of boosted trees only */
    int64_t trees; /* rounds of boosting; -1: chosen by the held-out loss; 0: no trees */
    int64_t depth; /* of a tree, in splits */
    double learning_rate, subsample, min_child;
    /* the options of goals that have no member above, by ney_goal_kind: set them by name */
    double goal_option[NEY_MAX_GOALS];
} ney_train_opts;

/** The table of ney_train_opts, static. @param[out] n_params  Its number of rows. */
NEY_EXPERIMENTAL const ney_param *ney_train_params(int64_t *n_params);

/** The goal of these options. */
NEY_EXPERIMENTAL ney_goal_kind ney_train_goal(const ney_train_opts *opts);
/** Whether the options bound the rate of this error. */
NEY_EXPERIMENTAL bool ney_train_bounds(const ney_train_opts *opts, ney_error_kind kind);

/* A method; static strings. */
typedef struct ney_method_info {
    const char *name; /* value of the option method */
    const char *help;
    bool linear_only;
    bool is_baseline;                /* a baseline in comparisons of methods for a bounded rate */
    bool serves[NEY_MAX_GOALS];      /* by ney_goal_kind */
    bool reads_costs[NEY_MAX_GOALS]; /* whether it reads cost-fn and cost-fp for that goal */
} ney_method_info;

/** Method `k`, a value of ney_train_opts.method. @param size  sizeof(ney_method_info) of
 * the caller. False when there is no such method. */
NEY_EXPERIMENTAL bool ney_method_get(int64_t k, ney_method_info *info, size_t size);

/**
 * Check options as ney_train() does. An option that is not at its default and has no effect with
 * the goal, method and family of the other options is refused.
 *
 * @retval NEY_EINVAL  the message names the option and what it applies to.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_train_check(const ney_train_opts *opts,
                                                           ney_error *err);

/**
 * Check whether the family that the options ask for can be trained on data whose missing cells are
 * treated in this way. Only NEY_MISSING_KEEP depends on the family.
 *
 * @retval NEY_EINVAL  the family needs a number in every cell.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_train_check_missing(const ney_train_opts *opts,
                                                                   ney_missing missing,
                                                                   ney_error *err);

/** What an option applies to, as a phrase; NULL for options that always apply and for unknown
 * names.
 */
NEY_EXPERIMENTAL const char *ney_train_where(const char *name);

/** Reset every option without effect to its default: for callers that try several methods with one
 * set of options. */
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

/* Figures of a training run. convex_objective - dual_objective = gap >= 0 bounds the distance from
 * the optimum of the last convex problem, which is the entire problem for a cost goal. For a
 * bounded rate `objective` is the nonconvex Lagrangian of the model (doc/concepts/np.md). Counts
 * without a value are -1, numbers NAN. */
typedef struct ney_train_info {
    ney_stop stop;
    int64_t iterations, support_vectors;
    double objective, convex_objective, dual_objective, gap;
    /* of a bounded rate only */
    ney_constraint_status constraint;
    int64_t steps;             /* convex problems solved */
    int64_t starts;            /* starts of the nonconvex search, whose best solution is returned */
    double lambda;             /* the multiplier, in units of the other rate */
    double ramp_fpr, ramp_fnr; /* on the training rows */
    ney_counts counts;         /* of the training rows at the threshold of the model; with a bounded
                                  FDR, of the winners of the competition */
    int64_t held_out;          /* number of held-out rows */
    ney_counts held_counts;    /* of the certifying rows at the thresholds of the model */
    double held_mean;      /* mean score of the certifying rows (with both rates: of positives) */
    double held_deviation; /* standard deviation of these scores */
    int64_t detected; /* one certified rate: estimate of the correctly classified training rows of
                         the other class, corrected for the optimism of training that is seen in the
                         bounded class (doc/claims.md); -1: none */
    int64_t discoveries[3]; /* bounded FDR: out-of-fold, by the best feature, the SVM and the online
                               method; -1: not tried */
    ney_competition competition; /* bounded FDR: of the scores behind `counts` */
    int64_t folds;               /* bounded FDR: number of models whose mean is returned */
    int64_t n_pos, n_neg;        /* all rows, held-out rows included; of the online method only */
    bool certified;
    ney_certificate certificate; /* where certified; with both rates bounded, of false positives */
    ney_certificate certificate_fnr; /* and of false negatives */
} ney_train_info;

/**
 * The rows that ney_train() will train on, ascending: all but those that it holds out to certify a
 * bounded rate or to calibrate p-values. A guarantee needs a score function that is independent of
 * the held-out rows: compute the statistics of ney_data_prepare() from these rows. ney_train() and
 * ney_tune() return NEY_EINVAL where a row to be held out was used for these statistics.
 *
 * @param[out] rows    Capacity: the number of rows of the data.
 * @retval NEY_EGOAL   too few rows to certify the rate: the message has the number needed.
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
 * of which a local optimum is found, with a threshold that is certified on held-out rows of the
 * bounded class: the rate on new data is at most A with the confidence of the options. With
 * confidence NAN the empirical rate on the training rows is at most A instead; the rate on new data
 * is expected to exceed A. With both rates bounded there are two thresholds, each certified on rows
 * of its class; rows between them are rejected.
 *
 * With costs of rejection the loss is the double hinge (doc/math/reject.md), and the model has two
 * thresholds; where rejection never pays, the log says so and the model is that of the costs of
 * errors. The summary of the model records the options.
 *
 * @retval NEY_OK      *out is a model, converged or not: read info->stop.
 * @retval NEY_EGOAL   the rate cannot be certified: the message says what would be needed.
 * @retval NEY_EINVAL  an option is out of bounds, options contradict each other, or a class has no
 * rows.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_train(ney_model **out, const ney_env *env,
                                                     const ney_data *data,
                                                     const ney_train_opts *opts,
                                                     ney_train_info *info, ney_error *err);

/** The confidence that an update keeps: that of the model's certificate, NAN where its bounded rate
 * was not certified, and the default where it bounds no rate. */
NEY_EXPERIMENTAL double ney_update_confidence(const ney_model *from);

/**
 * Continue the training of a model on new data by the online method, from its weights, multiplier
 * and learning rate. The model is linear, a network or of random features, made by any method.
 * Bounded rate, C, eta and loss that the options do not set are those of the model. The confidence
 * is that of the options; without options, ney_update_confidence(from).
 *
 * @param data  Read or made with the preprocessing of the model.
 * @retval NEY_EGOAL   the rate cannot be certified, because there are too few rows or because they
 *                     were used to train the model: see ney_model_find_reuse().
 * @retval NEY_EINVAL  a kernel model, or one without a bounded rate where the options have none.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_update(ney_model **out, const ney_env *env,
                                                      const ney_model *from, const ney_data *data,
                                                      const ney_train_opts *opts,
                                                      ney_train_info *info, ney_error *err);

/**
 * Train by the online method on the rows of a cache, of which a part is in memory at a time. The
 * model is that of ney_train() for the same rows, bit for bit. env.log reports the positive class
 * and the number of rows of each class.
 *
 * @param path     A cache file.
 * @param read     The options positive and missing are read. NULL: the defaults.
 * @param scaling  A ney_scaling, with statistics of the training rows; -1: standard for tables,
 * else none.
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
