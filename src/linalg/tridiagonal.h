/* Symmetric matrices made tridiagonal: A = QTQ', Q orthogonal. With it, (I + tA)^-1 c for many t
 * takes O(n) each. */
#ifndef NEY_LINALG_TRIDIAGONAL_H
#define NEY_LINALG_TRIDIAGONAL_H

#include <stdbool.h>
#include <stdint.h>

/* Replace the n x n matrix `a` (both triangles) by what ney_tridiagonal_apply() needs; T is
 * `diagonal` (n) and `beside` (n - 1, an array of n). `work` is a workspace of n numbers. */
void ney_tridiagonal_reduce(double *a, int64_t n, double *diagonal, double *beside, double *work);

/* x <- Q'x, or with `back` x <- Qx. */
void ney_tridiagonal_apply(const double *a, int64_t n, bool back, double *x);

/* y with (pI + qT) y = c, by elimination that exchanges neighbouring rows where that is safer.
 * `work` is a workspace of 4 n numbers. Not finite where the matrix is singular. */
void ney_tridiagonal_solve(const double *diagonal, const double *beside, int64_t n, double p,
                           double q, const double *c, double *y, double *work);

#endif
