/* The largest of many numbers, in memory for those alone. */
#ifndef NEY_DECIDE_TOP_H
#define NEY_DECIDE_TOP_H

#include "base/env.h"

typedef struct ney_top {
    double *heap; /* the smallest of them first */
    int64_t n, room;
} ney_top;

/* Keep the `room` largest; false without memory. */
bool ney_top_init(ney_top *t, const ney_env *env, int64_t room);
void ney_top_deinit(ney_top *t, const ney_env *env);
void ney_top_add(ney_top *t, double value);

/* The smallest of those kept: the room-th largest once so many were added. */
double ney_top_least(const ney_top *t);

/* How many of those kept are larger than `value`. */
int64_t ney_top_above(const ney_top *t, double value);

#endif
