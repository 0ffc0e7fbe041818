/* Symmetric positive definite systems, dense, a few hundred unknowns. */
#ifndef NEY_LINALG_CHOLESKY_H
#define NEY_LINALG_CHOLESKY_H

#include <stdbool.h>
#include <stdint.h>

/* Replace the lower triangle of the n x n matrix `a` by L with LL' = a. False when a pivot is not
 * positive: a is then spoilt. */
bool ney_cholesky_factor(double *a, int64_t n);

/* x <- L^-1 x, and x <- L'^-1 x. */
void ney_cholesky_forward(const double *l, int64_t n, double *x);
void ney_cholesky_back(const double *l, int64_t n, double *x);

/* x <- (LL')^-1 x */
void ney_cholesky_solve(const double *l, int64_t n, double *x);

/* The same for a factor that grows and shrinks by a row, rows of L lying `stride` apart. */

/* From the factor of the n x n matrix K to that of
 *
 *     [ K   k ]      new row (r', d):   L r = k,   d^2 = kappa - r'r
 *     [ k'  kappa ]
 *
 * where d^2 is at least `least`: a row that is nearly a combination of the others is given that
 * much more on the diagonal. Cost n^2. Returns kappa - r'r. */
double ney_cholesky_append(double *l, int64_t stride, int64_t n, const double *k, double kappa,
                           double least);

/* The factor without row and column `at`, by rotations. `room` is for 2 n numbers. Cost at most
 * 2 n^2. */
void ney_cholesky_remove(double *l, int64_t stride, int64_t n, int64_t at, double *room);

/* x <- (LL')^-1 x */
void ney_cholesky_solve_within(const double *l, int64_t stride, int64_t n, double *x);

#endif
