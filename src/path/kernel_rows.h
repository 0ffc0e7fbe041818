/* Rows of the kernel matrix: all of them kept if memory allows, else computed on demand. In wide
 * precision a linear kernel is exact to all digits; others are computed in double and taken as they
 * are. */
#ifndef NEY_PATH_KERNEL_ROWS_H
#define NEY_PATH_KERNEL_ROWS_H

#include "kernel/gram.h"
#include "path/precision.h"

typedef struct ney_kernel_rows {
    ney_gram gram;
    int64_t n;
    ney_real *all;   /* n x n, or NULL */
    ney_real *block; /* NEY_KERNEL_BLOCK rows; the first one serves single rows */
#ifdef NEY_PATH_WIDE
    double *spare; /* a row of the data and a row of the kernel matrix */
#endif
} ney_kernel_rows;

enum { NEY_KERNEL_BLOCK = 64 };

/* Computes the full matrix where it fits into `bytes`. */
ney_status ney_kernel_rows_init(ney_kernel_rows *r, const ney_env *env, const ney_matrix *x,
                                const ney_kernel *kernel, double bytes, ney_error *err);
void ney_kernel_rows_deinit(ney_kernel_rows *r);

/* What rounding leaves of a kernel value, relative to the largest. */
double ney_kernel_rows_rounding(const ney_kernel_rows *r);

/* One row, valid until the next call; NULL without memory. */
const ney_real *ney_kernel_rows_get(ney_kernel_rows *r, int64_t i);

/* sum[k][j] + rest[k][j] = sum_i factor[k][i] K_ij for two vectors of factors, rows with two zero
 * factors are skipped.
 */
ney_status ney_kernel_rows_sums(ney_kernel_rows *r, const ney_real *const factor[2],
                                ney_real *const sum[2], ney_real *const rest[2], ney_error *err);

#endif
