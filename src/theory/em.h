/* A mixture of Gaussians fitted to rows by expectation-maximisation. */
#ifndef NEY_THEORY_EM_H
#define NEY_THEORY_EM_H

#include "base/env.h"

/* The rows of one class, row after row, each counting `count` times. */
typedef struct ney_em_rows {
    int64_t n, d;
    double *x, *count;
    double total;  /* of the counts */
    double *floor; /* added to the variance of each column, so that no component becomes flat */
} ney_em_rows;

typedef struct ney_em_fit {
    ney_env env;
    int64_t k, d;
    double *weight, *mean, *cov; /* k, k x d, k x d x d */
    double log_likelihood, bic;  /* bic = -2 log_likelihood + (free numbers) log(total) */
    bool valid; /* false where a component holds fewer rows than a covariance needs */
    int64_t iterations;
} ney_em_fit;

/* Fit k components from a random start. ney_em_deinit() is due in either case. */
ney_status ney_em_init(ney_em_fit *out, const ney_env *env, const ney_em_rows *rows, int64_t k,
                       uint64_t seed, ney_error *err);
void ney_em_deinit(ney_em_fit *fit);

#endif
