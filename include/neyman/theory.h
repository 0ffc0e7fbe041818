/* Training and testing asymmetry: which costs to train with for given testing costs, from Gaussian
 * mixtures or from data. */
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
    const double *cov;  /* dims x dims, row by row */
} ney_gaussian;

/* The densities of both classes, each a mixture of Gaussians, and the share of positives. Any
 * number of threads may read it. */
typedef struct ney_mixture ney_mixture;

/* What a mixture is made of. A member that is not named is 0. The arrays are borrowed for the call.
 */
typedef struct ney_mixture_parts {
    int64_t dims;                 /* dimensions of every Gaussian */
    double p_pos;                 /* share of positives, between 0 and 1 */
    const ney_gaussian *positive; /* n_positive components of the positive class */
    int64_t n_positive;
    const ney_gaussian *negative; /* n_negative components of the negative class */
    int64_t n_negative;
    const void *reserved[4];
} ney_mixture_parts;

/**
 * A mixture from numbers, which are copied. The weights of a class are divided by their sum. Free
 * with ney_mixture_free().
 *
 * @retval NEY_EINVAL  a weight that is not > 0, p_pos not between 0 and 1, a covariance that is not
 *                     symmetric and positive definite, or dims or a number of components out of
 * range.
 */
NEY_API NEY_MUST_CHECK ney_status ney_mixture_new(ney_mixture **out, const ney_env *env,
                                                  const ney_mixture_parts *parts, ney_error *err);

/**
 * A mixture from data, by expectation-maximisation, in the units of the features as they are. Free
 * with ney_mixture_free().
 *
 * @param options  Those of the group mixture (components, max-components, ridge, max-rows) and
 * seed; others must be at their defaults. NULL: the defaults.
 * @retval NEY_EINVAL  a class has no rows or fewer than its components need, or there are more than
 * 1024 columns. @retval NEY_EPARSE  a value is missing.
 */
NEY_API NEY_MUST_CHECK ney_status ney_mixture_fit(ney_mixture **out, const ney_env *env,
                                                  const ney_data *data, const ney_options *options,
                                                  ney_error *err);
/** NULL is allowed. */
NEY_API void ney_mixture_free(ney_mixture *mixture);
/** The number of dimensions. */
NEY_API int64_t ney_mixture_dims(const ney_mixture *mixture);
/** The share of positives. */
NEY_API double ney_mixture_p_pos(const ney_mixture *mixture);
/** The components of the positive (sign > 0) or the negative class, borrowed. */
NEY_API const ney_gaussian *ney_mixture_class_of(const ney_mixture *mixture, int sign,
                                                 int64_t *n_components);

typedef enum ney_theory_loss {
    NEY_LOSS_SQUARE, /* (z - 1)^2 / 2 */
    NEY_LOSS_ERF,    /* z Psi(z) - z + Psi'(z), Psi the normal distribution function */
    NEY_LOSS_HINGE   /* max(0, 1 - z) */
} ney_theory_loss;

/* How the classifier trained with gamma = C+ / (C+ + C-) relates to the costs that it is optimal
 * for, as gamma tends to 0 or to 1. */
typedef enum ney_regime {
    NEY_REGIME_UNDECIDED,         /* the leading terms cancel */
    NEY_REGIME_INCONSISTENT,      /* classifiers trained near this limit are optimal for no costs */
    NEY_REGIME_TRAIN_LESS_EXTREME /* for extreme testing costs, train with much less extreme costs
                                   */
} ney_regime;

/** "undecided", "inconsistent" or "train-less-extreme"; a static string. */
NEY_API const char *ney_regime_text(ney_regime regime);

/* The population optimum for one training asymmetry. */
typedef struct ney_asymmetry_point {
    double gamma, b;
    double fpr, tpr, fnr;
    double log_fpr, log_tpr; /* finite where the rates underflow to 0 */
    double log_slope; /* log of (d tpr / d gamma) / (d fpr / d gamma); NAN where the derivatives
                         differ in sign */
    double beta;      /* the testing asymmetry that this slope is optimal for; NAN as log_slope */
    bool consistent;  /* on the upper convex envelope of the curve */
    double reserved[4];
} ney_asymmetry_point;

/* The leading terms at gamma = 0 or 1. Allocated by the library. */
typedef struct ney_asymmetry_limit {
    ney_regime regime;
    double discriminant;     /* its sign determines the regime */
    const double *direction; /* direction of w, dims numbers */
    const double *weight;    /* of the components in the tail (doc/math: proposition 2) */
    int64_t n_weights;
    int64_t component_neg, component_pos; /* with the slowest tails, from 0 */
} ney_asymmetry_limit;

/* The best training asymmetry for one pair of testing costs. */
typedef struct ney_asymmetry_answer {
    double beta;      /* cost_fn / (cost_fn + cost_fp) */
    double gamma;     /* to train with; 0 or 1 where a constant decision is better than training */
    double fpr, tpr;  /* of the classifier trained with gamma */
    double cost;      /* its expected cost: beta p+ fnr + (1 - beta) p- fpr */
    double cost_same; /* expected cost of the classifier trained with gamma = beta */
    double cost_constant; /* expected cost of the better of the two constant decisions */
    double reserved[4];
} ney_asymmetry_answer;

/* The relation of training and testing asymmetry for one mixture and one loss. One thread at a time
 * may use a handle. */
typedef struct ney_asymmetry ney_asymmetry;

/**
 * Compute the curve on a grid of 301 values of gamma, and its limits. Free with
 * ney_asymmetry_free().
 *
 * @param mixture  Borrowed: it must outlive the study.
 * @retval NEY_EINVAL  unknown loss. @retval NEY_ENUMERIC  no solution was found.
 */
NEY_API NEY_MUST_CHECK ney_status ney_asymmetry_new(ney_asymmetry **out, const ney_env *env,
                                                    const ney_mixture *mixture,
                                                    ney_theory_loss loss, ney_error *err);
/** NULL is allowed. */
NEY_API void ney_asymmetry_free(ney_asymmetry *study);

/** Whether the class means are equal: then w = 0 for every gamma. */
NEY_API bool ney_asymmetry_is_constant(const ney_asymmetry *study);

/**
 * The optimum at one gamma: 0, 1 or between 1e-15 and 1 - 1e-15, for the erf loss and the hinge
 * from 1e-300 on.
 *
 * @param[out] w  dims numbers.
 * @retval NEY_EINVAL  another value of gamma.
 */
NEY_API NEY_MUST_CHECK ney_status ney_asymmetry_at(ney_asymmetry *study, double gamma,
                                                   ney_asymmetry_point *point, double *w,
                                                   ney_error *err);

/** The limit at gamma = 0 (end 0) or gamma = 1 (end 1), borrowed; NULL for another end. */
NEY_API const ney_asymmetry_limit *ney_asymmetry_limit_at(const ney_asymmetry *study, int end);

/** w, b and log_slope at gamma by the leading terms of a limit (end 0 or 1); other members of
 * *point are not set. */
NEY_API void ney_asymmetry_expand(const ney_asymmetry *study, int end, double gamma,
                                  ney_asymmetry_point *point, double *w);

/** The ranges of gamma with consistent classifiers, as pairs low, high from 0 to 1. *n_pairs is
 * their number, of which at most 16 are written. */
NEY_API NEY_MUST_CHECK ney_status ney_asymmetry_ranges(ney_asymmetry *study, double pairs[32],
                                                       int64_t *n_pairs, ney_error *err);

/** The gamma to train with for a testing asymmetry beta, between 0 and 1. */
NEY_API NEY_MUST_CHECK ney_status ney_asymmetry_for(ney_asymmetry *study, double beta,
                                                    ney_asymmetry_answer *answer, ney_error *err);

/* The trainings of ney_asymmetry_sample(): every gamma in every split. A member that is not named
 * is 0. The array is borrowed for the call. */
typedef struct ney_asymmetry_grid {
    const double *gamma; /* n_gammas numbers from 0 to 1 */
    int64_t n_gammas;
    int64_t n_splits; /* random half splits, at least 1 */
    const void *reserved[4];
} ney_asymmetry_grid;

/**
 * The rates of support vector machines on data: for each of n_splits random half splits, train on
 * one half with C+ = 2 C gamma and C- = 2 C (1 - gamma) for every gamma (along a path where there
 * are at most 5000 rows) and measure the rates on the other half at threshold 0. Gamma 0 and 1
 * stand for always deciding negative and positive.
 *
 * @param      data     Raw rows with labels; statistics for filling and scaling are those of the
 * training halves. Rows that are filled and scaled already are used as they are.
 * @param      options  C, kernel and its parameters, tol, cache, seed (of the splits), scale;
 * others must be at their defaults. NULL: the defaults.
 * @param[out] fpr, tpr  n_splits x n_gammas rates, split by split.
 * @retval NEY_EINVAL  fewer than two rows of a class, a gamma outside [0, 1], or n_splits < 1.
 */
NEY_API NEY_MUST_CHECK ney_status ney_asymmetry_sample(const ney_env *env, const ney_data *data,
                                                       const ney_options *options,
                                                       const ney_asymmetry_grid *grid, double *fpr,
                                                       double *tpr, ney_error *err);

#ifdef __cplusplus
}
#endif

#endif
