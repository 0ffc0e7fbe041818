/* The Bayesian bootstrap (Rubin 1981) of statistics of the same rows, and Holm's correction for
 * several tests.
 *
 * A resample gives each unit (a row, or a group of dependent rows) a random weight instead of a
 * multiplicity; the weights are independent and exponential, so that their shares are uniform on
 * the simplex, as the shares of a distribution between the order statistics of a sample are. With
 * one more unit of the most unfavourable value the percentile limits of a rate are those of
 * Clopper and Pearson, and of a bounded mean those of Gaffke (2005).
 *
 * Weights are whole numbers: sums do not depend on their order. */
#ifndef NEY_DECIDE_BOOTSTRAP_H
#define NEY_DECIDE_BOOTSTRAP_H

#include "base/env.h"

typedef struct ney_bootstrap {
    int64_t n_resamples;
    uint64_t seed;
    int64_t n_units, n_values; /* statistics computed from a resample */
    int64_t n_scratch;         /* numbers of workspace for each thread */
    /* value[0 .. n_values - 1] of the resample in which unit u has weight[u] */
    void (*statistic)(const void *context, const uint32_t *weight, uint32_t *scratch,
                      double *value);
    const void *context;
} ney_bootstrap;

/* value[k * n_resamples + b]: statistic k of resample b, which depends on the seed and b alone.
 *
 * @retval NEY_ECANCELLED  poll asked to stop. */
ney_status ney_bootstrap_run(const ney_bootstrap *boot, const ney_env *env, double *value,
                             ney_error *err);

/* The limits of confidence 1 - 2 tail: the order statistic of rank (n + 1) tail of `lower` from
 * below, and of `upper` from above; infinite where the rank is below 1. Sorts both. */
void ney_percentile_limits(double *lower, double *upper, int64_t n, double tail, double *low,
                           double *high);

/* The p-value of the value 0: twice the smaller share of `lower` <= 0 and of `upper` >= 0, each
 * count raised by 1, at most 1. */
double ney_percentile_p_value(const double *lower, const double *upper, int64_t n);

/* Holm (1979): adjusted[k] <= level rejects hypothesis k with a family-wise error of at most the
 * level, whatever the dependence of the tests. `adjusted` must not overlap p. */
void ney_holm(const double *p, int64_t n, double *adjusted);

#endif
