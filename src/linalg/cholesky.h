/* Symmetric positive definite systems, dense, a few hundred unknowns. */
#ifndef NEY_LINALG_CHOLESKY_H
#define NEY_LINALG_CHOLESKY_H

#include <stdbool.h>
#include <stdint.h>

/* Replace the lower triangle of the n x n matrix `a` by L with LL' = a. False when a pivot is not
 * positive: a is undefined then. */
bool ney_cholesky_factor(double *a, int64_t n);

/* x <- L^-1 x, and x <- L'^-1 x. */
void ney_cholesky_forward(const double *l, int64_t n, double *x);
void ney_cholesky_back(const double *l, int64_t n, double *x);

/* x <- (LL')^-1 x */
void ney_cholesky_solve(const double *l, int64_t n, double *x);

/* The factor of an active set, which gains and loses one row at a time. L is packed: row i, of
 * i + 1 numbers, begins at ney_packed_row(i), so that a factor grows without being moved. */
static inline int64_t ney_packed_row(int64_t i)
{
    return i * (i + 1) / 2;
}

/* Border the factor of an n x n matrix with one row: row n of `l` holds the matrix entries
 * (k', kappa) and becomes (r', d),
 *
 *     L r = k,   d = sqrt(kappa - r'r).                                              [CHOL.1]
 *
 * Returns the pivot kappa - r'r. When it is not above `least` the row is numerically a combination
 * of the others: d is not set, r is, and n x n is what is left. Cost n^2 flops. */
double ney_packed_append(double *l, int64_t n, double least);

/* Remove row and column `at` from the matrix behind an n x n factor. `spare` has 2n numbers. Cost
 * 3 (n - at)^2 flops. */
void ney_packed_remove(double *l, int64_t n, int64_t at, double *spare);

/* x <- (LL')^-1 x; and the same for two right-hand sides at once. */
void ney_packed_solve(const double *l, int64_t n, double *x);
void ney_packed_solve_two(const double *l, int64_t n, double *x, double *y);

/* x <- L'^-1 x */
void ney_packed_back(const double *l, int64_t n, double *x);

#endif
