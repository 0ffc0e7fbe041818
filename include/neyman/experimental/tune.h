/* Choosing options on rows that were not trained on, with structs. EXPERIMENTAL: anything here may
 * change in any release (VERSIONING.md). Stable programs use ney_fit_tuned() of <neyman/fit.h>. */
#ifndef NEYMAN_EXPERIMENTAL_TUNE_H
#define NEYMAN_EXPERIMENTAL_TUNE_H

#include <neyman/experimental/train.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A criterion on rows that a model was not trained on; lower is better. */
typedef enum ney_criterion {
    NEY_CRITERION_AUTO,        /* by goal: expected where a rate is bounded, else cost */
    NEY_CRITERION_RATE,        /* minimum over thresholds of max(0, P - A) / A + Q, with the bounded
                                  rate P and the other rate Q */
    NEY_CRITERION_COST,        /* (cost_fn FN + cost_fp FP) / n at the threshold of the model */
    NEY_CRITERION_AUC,         /* 1 - area under the ROC curve */
    NEY_CRITERION_PAUC,        /* 1 - area up to a false-positive rate, divided by that rate */
    NEY_CRITERION_DISCOVERIES, /* share of positives with a q-value above a rate */
    NEY_CRITERION_REJECTS,     /* share of rows between the thresholds that meet both bounds */
    NEY_CRITERION_EXPECTED     /* mean of the rate that is not bounded, over thresholds set from as
                                  many new rows as certify, or as a fold holds out */
} ney_criterion;

/** "rate", "cost", "auc", "pauc", "discoveries", "rejects" or "expected". */
NEY_EXPERIMENTAL const char *ney_criterion_text(ney_criterion criterion);

typedef struct ney_tune_opts {
    const char *grid; /* "C=0.1:1000:9 gamma=0.01,0.1" (doc/guides/tune.md); NULL: the default */
    int64_t folds;    /* where there are no validation rows */
    ney_criterion criterion;
    double at;           /* the rate of pauc and discoveries; NAN: the goal's, or 0.1 and 0.01 */
    bool no_extend;      /* do not extend the grid where the best point is at its edge */
    int64_t refine;      /* rounds of half steps around the best point */
    int64_t average;     /* with a bounded rate: number of best points whose models are averaged */
    const char *table;   /* file that stores results and is read for them; NULL: none */
    bool fresh;          /* ignore results in the table */
    int64_t search_rows; /* of each class, that a fit of the search learns from at most; 0: as suits
                            the data, all with a kernel; 1: all */
} ney_tune_opts;

/** The table of ney_tune_opts, static. @param[out] n_params  Its number of rows. */
NEY_EXPERIMENTAL const ney_param *ney_tune_params(int64_t *n_params);
/** As ney_train_where(), for options of tuning. */
NEY_EXPERIMENTAL const char *ney_tune_where(const char *name);

typedef struct ney_tune_info {
    ney_stop stop;           /* of the search: CONVERGED, TIME or CANCELLED */
    ney_criterion criterion; /* never AUTO */
    ney_train_opts best;     /* the options with the values found */
    int64_t averaged;        /* how many points the model is the mean of, the best among them */
    double loss;             /* the criterion of these, mean over the folds */
    double error;            /* its standard error over the folds; NAN with one */
    int64_t points;          /* of the grid, extensions included */
    int64_t fits;            /* models fitted on the way */
    int64_t reused;          /* results taken from the table */
    int64_t extensions;      /* how often the grid grew */
    bool at_edge;            /* the best point is at the edge all the same */
    bool calibrated;         /* the threshold was set on rows that were not trained on */
    bool kernel_is_chosen;   /* kernel = auto: that of `best` is the one found */
    ney_counts held_out;     /* these rows at that threshold; where not calibrated, zeros */
    ney_train_info train;    /* of the last fit, on all rows */
} ney_tune_info;

/**
 * Check options and grid as ney_tune() does, for every method that it would try, without training.
 *
 * @retval NEY_EINVAL  the message names the option or the axis.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_tune_check(const ney_data *data, bool has_valid,
                                                          const ney_train_opts *opts,
                                                          const ney_tune_opts *tune,
                                                          ney_error *err);

/**
 * The scaling where C and other options are chosen and no scaling is stated: NEY_SCALING_AUTO for
 * one bounded rate, a linear score and dense rows of a file; else that of the file's format. So
 * ney_fit_tuned() scales, and ney_fit() with C = auto.
 */
NEY_EXPERIMENTAL ney_scaling ney_tune_scaling(const ney_data *data, const ney_train_opts *opts);

/**
 * Choose C, gamma and other options of the grid by cross-validation or on validation rows, then
 * train with the best values on all training rows; with a bounded rate, with several of the best
 * points of one kernel, whose score functions are averaged. With a bounded rate and NEY_METHOD_AUTO
 * the method is chosen too: annealed, or convex with the best costs. Points with the same kernel
 * share kernel rows; folds and kernels run in parallel.
 *
 * With a confidence, the certifying rows take no part in the choice. Without, the threshold of a
 * bounded rate is the one that meets the bound on the held-out folds or the validation rows: rates
 * on training rows are optimistic.
 *
 * Results are appended to the table one by one. A run that was cancelled or killed continues from
 * the table when it is called again with the same data and options; the grid may differ.
 *
 * @param valid  Validation rows with the features of `data`; NULL: cross-validation.
 * @retval NEY_ECANCELLED  poll asked for a stop before the choice was made. The table keeps the
 * results so far.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_tune(ney_model **out, const ney_env *env,
                                                    const ney_data *data, const ney_data *valid,
                                                    const ney_train_opts *opts,
                                                    const ney_tune_opts *tune, ney_tune_info *info,
                                                    ney_error *err);

#ifdef __cplusplus
}
#endif

#endif
