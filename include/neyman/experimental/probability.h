/* Calibrated probabilities from scores: isotonic regression, Platt's sigmoid, Venn-Abers.
 * EXPERIMENTAL: anything here may change in any release (VERSIONING.md). */
#ifndef NEYMAN_EXPERIMENTAL_PROBABILITY_H
#define NEYMAN_EXPERIMENTAL_PROBABILITY_H

#include <neyman/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ney_probability_method {
    NEY_PROBABILITY_VENN_ABERS, /* p_high / (1 - p_low + p_high) of the two Venn-Abers values */
    NEY_PROBABILITY_ISOTONIC,   /* isotonic regression, linear between calibration scores */
    NEY_PROBABILITY_PLATT       /* 1 / (1 + exp(A s + B)), Platt's targets */
} ney_probability_method;

/* How the calibration rows relate to the model, which decides what may be said. */
typedef enum ney_calibration_kind {
    NEY_CALIBRATION_HELD_OUT,   /* independent rows that the model was not trained on, drawn
                                   regardless of the class: Venn-Abers is valid */
    NEY_CALIBRATION_GROUPS,     /* the same for whole groups; rows of a group are dependent: no
                                   statement */
    NEY_CALIBRATION_OUT_OF_FOLD /* scores by models of the other folds: no statement */
} ney_calibration_kind;

/* Calibration rows, reduced to distinct scores with counts, and what is fitted to them. Any number
 * of threads may read it. */
typedef struct ney_calibrator ney_calibrator;

/** Fit to scores with labels +1 and -1. @retval NEY_EINVAL  no row, more than 2^31 - 2 rows, or a
 * score that is not finite. */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_calibrator_new(ney_calibrator **out,
                                                              const ney_env *env,
                                                              const double *score,
                                                              const int8_t *label, int64_t n,
                                                              ney_error *err);
NEY_EXPERIMENTAL void ney_calibrator_free(ney_calibrator *c);

/** Venn-Abers: the isotonic fit at `score` with the new row labelled negative (*low) and positive
 * (*high). One of the two, that of the true label, is perfectly calibrated where calibration rows
 * and the new row are exchangeable; the interval between them has no coverage property. */
NEY_EXPERIMENTAL void ney_calibrator_interval(const ney_calibrator *c, double score, double *low,
                                              double *high);

/** One probability of the positive class. */
NEY_EXPERIMENTAL double ney_calibrator_probability(const ney_calibrator *c,
                                                   ney_probability_method method, double score);

/** Fit the scores of calibration rows and store the fit in a model. The model must not have been
 * trained on rows of kind NEY_CALIBRATION_HELD_OUT; ney_fit() with the option calibrate ensures
 * that. */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status
ney_model_set_probabilities(ney_model *model, const double *score, const int8_t *label, int64_t n,
                            ney_calibration_kind kind, ney_error *err);

/** The stored fit; NULL: none. It belongs to the model. */
NEY_EXPERIMENTAL const ney_calibrator *ney_model_calibrator(const ney_model *model);

/** Calibration rows by class and their kind; false: the model has none. */
NEY_EXPERIMENTAL bool ney_model_probability_rows(const ney_model *model, int64_t *n_pos,
                                                 int64_t *n_neg, ney_calibration_kind *kind);

/** What may be said of probabilities of this kind, one sentence. Static. */
NEY_EXPERIMENTAL const char *ney_calibration_statement(ney_calibration_kind kind);

/* A bin of the reliability curve: rows whose probability lies in [k / bins, (k + 1) / bins). */
typedef struct ney_reliability_bin {
    int64_t n, n_pos;
    double sum; /* of the probabilities */
} ney_reliability_bin;

/* How good probabilities are on labelled rows. */
typedef struct ney_probability_score {
    double brier;    /* mean of (p - y)^2, y = 1 for a positive */
    double log_loss; /* mean of -log(probability of the true class); infinite where one is 0 */
} ney_probability_score;

/** Score probabilities against labels and fill `n_bins` bins. With no rows both are NAN. */
NEY_EXPERIMENTAL ney_probability_score ney_score_probabilities(const double *p, const int8_t *label,
                                                               int64_t n, int n_bins,
                                                               ney_reliability_bin *bin);

#ifdef __cplusplus
}
#endif

#endif
