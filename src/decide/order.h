/* Scores in ascending order: what curves, areas and q-values are computed from. */
#ifndef NEY_DECIDE_ORDER_H
#define NEY_DECIDE_ORDER_H

#include "base/env.h"

#include <neyman/experimental/discovery.h>

/* Sort by score, equal ones as they stand. `spare` is a buffer of n. Scores must not be NaN. */
void ney_order(ney_ranked *item, ney_ranked *spare, int64_t n);

/* The scores in order, in new memory. NEY_EINVAL names the first NaN. */
ney_status ney_order_new(ney_ranked **out, const ney_env *env, const double *score, int64_t n,
                         ney_error *err);

/* Scores alone, as whole numbers of the same order: half the memory to move about. */
uint64_t ney_score_key(double score);
double ney_score_of_key(uint64_t key);
/* Sort them in ascending order. `spare` is a buffer of n. */
void ney_order_keys(uint64_t *key, uint64_t *spare, int64_t n);

#endif
