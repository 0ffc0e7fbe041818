/* Rows of the kernel matrix in double: all of them kept if memory allows, else made when asked for.
 */
#ifndef NEY_PATH_KERNEL_ROWS_H
#define NEY_PATH_KERNEL_ROWS_H

#include "kernel/gram.h"

typedef struct ney_kernel_rows {
    ney_gram gram;
    int64_t n;
    double *all;   /* n x n, or NULL */
    double *block; /* NEY_KERNEL_BLOCK rows; the first one serves single rows */
} ney_kernel_rows;

enum { NEY_KERNEL_BLOCK = 64 };

/* Computes the whole matrix where it fits into `bytes`. */
ney_status ney_kernel_rows_init(ney_kernel_rows *r, const ney_env *env, const ney_matrix *x,
                                const ney_kernel *kernel, double bytes, ney_error *err);
void ney_kernel_rows_deinit(ney_kernel_rows *r);

/* One row, valid until the next call; NULL without memory. */
const double *ney_kernel_rows_get(ney_kernel_rows *r, int64_t i);

/* sum[k][j] + rest[k][j] = sum_i factor[k][i] K_ij for two vectors of factors, zeros being cheap.
 */
ney_status ney_kernel_rows_sums(ney_kernel_rows *r, const double *const factor[2],
                                double *const sum[2], double *const rest[2], ney_error *err);

#endif
