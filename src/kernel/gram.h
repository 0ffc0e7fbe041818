/* Rows of a kernel matrix, computed in blocks. */
#ifndef NEY_KERNEL_GRAM_H
#define NEY_KERNEL_GRAM_H

#include "base/env.h"

typedef struct ney_gram {
    ney_env env;
    const ney_matrix *x; /* borrowed */
    ney_kernel kernel;
    float *norm;   /* of each row: gamma |x|^2, for the rbf kernel */
    float *packed; /* groups of rows side by side; see linalg/block.h */
    int64_t packed_cap;
    float *tile;      /* one a thread */
    int64_t computed; /* rows so far */
} ney_gram;

ney_status ney_gram_init(ney_gram *g, const ney_env *env, const ney_matrix *x,
                         const ney_kernel *kernel, ney_error *err);
void ney_gram_deinit(ney_gram *g);

/* out[k][i] = k(x_row[k], x_i) for all rows i of the matrix. On all threads; false without memory.
 */
bool ney_gram_rows(ney_gram *g, const int64_t *row, int64_t n_rows, float *const *out);

/* k(x_i, x_i) */
double ney_gram_diagonal(const ney_gram *g, int64_t i);

#endif
