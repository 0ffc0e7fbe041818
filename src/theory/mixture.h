/* Two classes, each a mixture of Gaussians. */
#ifndef NEY_THEORY_MIXTURE_H
#define NEY_THEORY_MIXTURE_H

#include "base/env.h"
#include "linalg/twofold.h"

/* One class. Its own mean and covariance, those of all components together, are
 *
 *     mu = sum_i pi_i mu_i,   S = sum_i pi_i (S_i + (mu_i - mu)(mu_i - mu)')              [ASY.1]
 */
typedef struct ney_mixture_class {
    int64_t n;
    double *weight;         /* pi_i, summing to 1 */
    double *mean, *cov;     /* n x dims, n x dims x dims */
    ney_twofold *all_mean;  /* dims */
    ney_twofold *all_cov;   /* dims x dims */
    ney_gaussian *gaussian; /* the same components as the public sees them */
} ney_mixture_class;

enum { NEY_NEGATIVE = 0, NEY_POSITIVE = 1 };

struct ney_mixture {
    ney_env env;
    int64_t dims;
    double p[2]; /* shares of the classes */
    ney_mixture_class side[2];
    void *block; /* holds every array above */
};

/* A mixture of n components of each class, which the caller fills in before ney_mixture_finish().
 */
ney_status ney_mixture_allocate(ney_mixture **out, const ney_env *env, int64_t dims,
                                const int64_t n_components[2], ney_error *err);
/* Check weights and covariances, make the weights sum to 1, compute [ASY.1]. */
ney_status ney_mixture_finish(ney_mixture *mixture, ney_error *err);

#endif
