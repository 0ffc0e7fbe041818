/* The largest of many numbers, in memory for little more than those. */
#ifndef NEY_DECIDE_TOP_H
#define NEY_DECIDE_TOP_H

#include "base/env.h"

typedef struct ney_top {
    uint64_t *key; /* candidates, by ney_score_key(); capacity `size` */
    int64_t n, size, room;
    uint64_t floor; /* once `room` were kept: what is not above it is not among them */
    bool has_floor;
} ney_top;

/* Keep the `room` largest, at least one; false without memory. */
bool ney_top_init(ney_top *t, const ney_env *env, int64_t room);
void ney_top_deinit(ney_top *t, const ney_env *env);
/* Constant time on average, in whatever order values come. They must not be NaN. */
void ney_top_add(ney_top *t, double value);

/* The smallest of those kept: the room-th largest once so many were added. */
double ney_top_least(ney_top *t);

/* How many of those kept are larger than `value`. */
int64_t ney_top_above(ney_top *t, double value);

#endif
