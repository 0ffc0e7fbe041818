/* What comparisons of methods on the same rows share: units, resamples and intervals. */
#ifndef NEY_DECIDE_COMPARE_H
#define NEY_DECIDE_COMPARE_H

#include "decide/bootstrap.h"

enum { NEY_COMPARE_GROUPS = 20 }; /* fewest for a bootstrap over groups */

ney_compare_opts ney_compare_opts_or_default(const ney_compare_opts *opts);

ney_status ney_compare_check(const ney_compare_opts *o, int64_t n_methods, int64_t n,
                             ney_error *err);

/* The unit of each row: its group, or the row itself where `group` is NULL. */
ney_status ney_compare_units(const ney_env *env, const uint64_t *group, int64_t n, int32_t *unit,
                             int64_t *n_units, ney_error *err);

/* Rows of a class that an added unit stands for: as many as the class has in a unit, on average. */
int64_t ney_compare_added_rows(int64_t n_rows, int64_t n_units);

/* The weights of rows from those of their units; returns the sum. */
uint64_t ney_compare_spread(const uint32_t *weight, const int32_t *unit, int64_t n, uint32_t *to);

/* Every difference from -largest to largest is possible. */
void ney_difference_unknown(ney_difference *d, double largest);

/* Intervals and p-values of the differences by the bootstrap; value 2 (k - 1) of a resample is the
 * lower difference of method k, the next one the upper. */
ney_status ney_compare_bound(ney_difference *out, const ney_env *env, const ney_bootstrap *boot,
                             double confidence, double largest, ney_error *err);

#endif
