/* Whether rows were used before: a test on the values that training rows and new rows share.
 *
 * Let a value occur a times among the training rows and b times among the new ones. If the two sets
 * are independent samples, of any two distributions, then b is binomial given m = a + b. For every
 * A and C in [0, 1] and every share of that binomial, if m >= 2,
 *
 *     E f(b) <= 1,   f(0) = 1 - A,   f(1) = 1 + sqrt(A C),   f(b) = 1 - C for b >= 2.   [REUSE.1]
 *
 * The product of f over the values of one m is a test martingale, and so is a mean of such
 * products:
 *
 *     M = mean over m = 2 .. 9 and a grid of A and C of the product                     [REUSE.2]
 *
 * reaches 1 / p with probability at most p, whatever decides how many values are looked at. Rows
 * that were used once or several times and come again have b = 1 all the time. Mathematics, and
 * what becomes of it when the numbers of rows are fixed: doc/math/reuse.md. */
#ifndef NEY_DECIDE_REUSE_H
#define NEY_DECIDE_REUSE_H

#include <stdint.h>

enum { NEY_REUSE_MOST = 9 }; /* the largest m that is tested */

#define NEY_REUSE_LEVEL 1e-6

/* The number of values by m, and by b: 0, 1, more. */
typedef struct ney_reuse_table {
    int64_t values[NEY_REUSE_MOST + 1][3];
} ney_reuse_table;

/* A value that occurs a times in training and b times among the new rows. */
void ney_reuse_add(ney_reuse_table *t, int64_t a, int64_t b);

/* log M. */
double ney_reuse_log_evidence(const ney_reuse_table *t);

/* What it must reach for the level, with `training` rows in training and `rows` new ones. */
double ney_reuse_log_needed(int64_t training, int64_t rows);

#endif
