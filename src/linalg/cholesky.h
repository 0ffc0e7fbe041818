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

#endif
