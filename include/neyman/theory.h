/* Training against testing asymmetry: which costs to train with, from Gaussian mixtures or from
 * data. */
#ifndef NEYMAN_THEORY_H
#define NEYMAN_THEORY_H

#include <neyman/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One Gaussian of a mixture. */
typedef struct ney_gaussian {
    double weight;      /* its share of the class */
    const double *mean; /* dims */
    const double *cov;  /* dims x dims, row after row */
} ney_gaussian;

/* The densities of both classes, each a mixture of Gaussians, and the share of the positives. Any
 * number of threads may read it. */
typedef struct ney_mixture ney_mixture;

/**
 * Both classes from the caller's numbers, which are copied. The weights of a class are divided by
 * their sum.
 *
 * @retval NEY_EINVAL  a weight is not above 0, p_pos not between 0 and 1, a covariance not
 * symmetric and positive definite: the message says which, and why.
 */
NEY_API NEY_MUST_CHECK ney_status ney_mixture_new(ney_mixture **out, const ney_env *env,
                                                  int64_t dims, double p_pos,
                                                  const ney_gaussian *positive, int64_t n_positive,
                                                  const ney_gaussian *negative, int64_t n_negative,
                                                  ney_error *err);

/**
 * Both classes from data, by expectation-maximisation, in the units the features have now.
 *
 * @param opts  NULL for the defaults.
 * @retval NEY_EINVAL  a class has no row or too few for so many components, or there are more than
 *                     1024 columns.
 */
NEY_API NEY_MUST_CHECK ney_status ney_mixture_fit(ney_mixture **out, const ney_env *env,
                                                  const ney_data *data, const ney_options *options,
                                                  ney_error *err);
NEY_API void ney_mixture_free(ney_mixture *mixture);
NEY_API int64_t ney_mixture_dims(const ney_mixture *mixture);
NEY_API double ney_mixture_p_pos(const ney_mixture *mixture);
/** The components of the positive (sign > 0) or the negative class. */
NEY_API const ney_gaussian *ney_mixture_class_of(const ney_mixture *mixture, int sign,
                                                 int64_t *n_components);

typedef enum ney_theory_loss {
    NEY_LOSS_SQUARE, /* (z - 1)^2 / 2 */
    NEY_LOSS_ERF,    /* z Psi(z) - z + Psi'(z), Psi the normal distribution function */
    NEY_LOSS_HINGE   /* max(0, 1 - z) */
} ney_theory_loss;

/* How the classifier trained with gamma = C+ / (C+ + C-) relates to the costs it is best for, as
 * gamma tends to 0 or to 1. */
typedef enum ney_regime {
    NEY_REGIME_UNDECIDED,         /* the leading terms cancel */
    NEY_REGIME_INCONSISTENT,      /* classifiers trained near this end are of no use at any costs */
    NEY_REGIME_TRAIN_LESS_EXTREME /* for extreme testing costs, train with much milder ones */
} ney_regime;

/** "undecided", "inconsistent" or "train-less-extreme". */
NEY_API const char *ney_regime_text(ney_regime regime);

/* The population optimum for one training asymmetry. */
typedef struct ney_asymmetry_point {
    double gamma, b;
    double fpr, tpr, fnr;
    double log_fpr, log_tpr; /* still numbers where the rates are 0 as doubles */
    double log_slope;        /* log of (d tpr / d gamma) / (d fpr / d gamma); NAN where they differ
                                in sign */
    double beta;     /* the testing asymmetry that this slope is optimal for; NAN likewise */
    bool consistent; /* on the upper convex envelope of the curve */
} ney_asymmetry_point;

/* The leading terms at one end. */
typedef struct ney_asymmetry_limit {
    ney_regime regime;
    double discriminant;     /* the sign of it tells the regime */
    const double *direction; /* of w, dims numbers */
    const double *weight;    /* of the components in the tail: proposition 2 */
    int64_t n_weights;
    int64_t component_neg, component_pos; /* with the slowest tails, from 0 */
} ney_asymmetry_limit;

/* The best that training with this loss can do for one pair of testing costs. */
typedef struct ney_asymmetry_answer {
    double beta;          /* cost_fn / (cost_fn + cost_fp) */
    double gamma;         /* to train with; 0 or 1 where no training beats one decision for all */
    double fpr, tpr;      /* of the classifier trained so */
    double cost;          /* beta p+ fnr + (1 - beta) p- fpr of it, */
    double cost_same;     /* of the one trained with gamma = beta, */
    double cost_constant; /* and of the better of the two constant decisions */
} ney_asymmetry_answer;

/* Training against testing asymmetry for one mixture and one loss. Calls with one study are not
 * concurrent: it holds their memory. */
typedef struct ney_asymmetry ney_asymmetry;

/**
 * Compute the curve on a grid of 301 values of gamma, and the limits at its ends.
 *
 * @param mixture  Borrowed for the life of the study.
 */
NEY_API NEY_MUST_CHECK ney_status ney_asymmetry_new(ney_asymmetry **out, const ney_env *env,
                                                    const ney_mixture *mixture,
                                                    ney_theory_loss loss, ney_error *err);
NEY_API void ney_asymmetry_free(ney_asymmetry *study);

/** Whether the class means coincide: then w = 0 for every gamma. */
NEY_API bool ney_asymmetry_is_constant(const ney_asymmetry *study);

/**
 * The optimum at one gamma: 0, 1 or between 1e-15 and 1 - 1e-15, for the erf loss and the hinge
 * from 1e-300 on.
 *
 * @param[out] w  dims numbers.
 * @retval NEY_EINVAL  gamma is none of these.
 */
NEY_API NEY_MUST_CHECK ney_status ney_asymmetry_at(ney_asymmetry *study, double gamma,
                                                   ney_asymmetry_point *point, double *w,
                                                   ney_error *err);

/** The limit at gamma = 0 (end 0) or 1 (end 1). Valid as long as the study. */
NEY_API const ney_asymmetry_limit *ney_asymmetry_limit_at(const ney_asymmetry *study, int end);

/** w, b and log_slope by the leading terms at that end; the rest of *point is not set. */
NEY_API void ney_asymmetry_expand(const ney_asymmetry *study, int end, double gamma,
                                  ney_asymmetry_point *point, double *w);

/** The gammas of consistent classifiers as pairs low, high; 0 and 1 stand for the ends. Returns the
 * number of pairs, at most 16 of which are written. */
NEY_API NEY_MUST_CHECK ney_status ney_asymmetry_ranges(ney_asymmetry *study, double pairs[32],
                                                       int64_t *n_pairs, ney_error *err);

/** The gamma to train with for one testing asymmetry, in (0, 1). */
NEY_API NEY_MUST_CHECK ney_status ney_asymmetry_for(ney_asymmetry *study, double beta,
                                                    ney_asymmetry_answer *answer, ney_error *err);

/**
 * The same from data, with support vector machines: for each of n_splits random halves, learn from
 * one half with C+ = 2 C gamma, C- = 2 C (1 - gamma) for every gamma, by a path through them all
 * where there are at most 5000 rows, and count errors on the other at threshold 0. Gamma 0 and 1
 * stand for deciding negative and positive always.
 *
 * @param      data   Not prepared: filling and scaling are fitted on each half learned from.
 * @param      scaling  Ignored where the data are prepared: then the features are taken as they
 * are.
 * @param      opts   As for ney_train(); its costs are ignored, its seed begins the splits.
 * @param[out] fpr    n_splits x n_gammas rates, split after split; likewise tpr.
 * @retval NEY_EINVAL  fewer than two rows of a class, or a gamma outside [0, 1].
 */
NEY_API NEY_MUST_CHECK ney_status ney_asymmetry_sample(const ney_env *env, const ney_data *data,
                                                       const ney_options *options,
                                                       const double *gamma, int64_t n_gammas,
                                                       int64_t n_splits, double *fpr, double *tpr,
                                                       ney_error *err);

#ifdef __cplusplus
}
#endif

#endif
