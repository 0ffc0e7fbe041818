/* The k largest of many numbers, in memory for little more than k of them. */
#ifndef NEY_DECIDE_K_LARGEST_H
#define NEY_DECIDE_K_LARGEST_H

#include "base/env.h"

typedef struct ney_k_largest {
    uint64_t *key; /* candidates, by ney_score_key(); capacity `size` */
    int64_t n, size, k;
    uint64_t floor; /* once `k` were kept: what is not above it is not among them */
    bool has_floor;
} ney_k_largest;

/* Keep the `k` largest, at least one; false without memory. */
bool ney_k_largest_init(ney_k_largest *t, const ney_env *env, int64_t k);
void ney_k_largest_deinit(ney_k_largest *t, const ney_env *env);
/* Constant time on average, in whatever order values come. They must not be NaN. */
void ney_k_largest_add(ney_k_largest *t, double value);

/* The smallest of those kept: the k-th largest once k were added. */
double ney_k_largest_least(ney_k_largest *t);

/* How many of those kept are larger than `value`. */
int64_t ney_k_largest_above(ney_k_largest *t, double value);

#endif
