/* What an order of rows gives at a bounded rate. Scores are f[i] of row row[i], i = 0 .. n - 1. */
#ifndef NEY_LEARN_TREES_RATE_ORDER_H
#define NEY_LEARN_TREES_RATE_ORDER_H

#include "learn/task.h"

/* The score at which the rows of the bounded class keep the rate. */
ney_status ney_rate_threshold(const ney_task *t, const float *f, const int64_t *row, int64_t n,
                              double *threshold, ney_error *err);

/* The mean rate of the other error where the bounded rate is within a factor of 2 of the bound:
 * less noise than at the bound itself. 1 where a class has no row. */
ney_status ney_rate_missed(const ney_task *t, const float *f, const int64_t *row, int64_t n,
                           double *mean, ney_error *err);

#endif
