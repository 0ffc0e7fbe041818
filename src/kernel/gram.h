/* Rows of a kernel matrix, computed in blocks: n floats; or, where that is not enough, "fine" rows
 * of 2n floats, which hold a number of 48 bits each, computed in double: all the numbers rounded to
 * float, then all that rounding took from them. The first half alone is a float row. */
#ifndef NEY_KERNEL_GRAM_H
#define NEY_KERNEL_GRAM_H

#include "base/env.h"

typedef struct ney_gram {
    ney_env env;
    const ney_matrix *x; /* borrowed */
    ney_kernel kernel;
    bool fine;
    double *norm;      /* of each row: gamma |x|^2, for the rbf kernel */
    float *float_norm; /* the same, rounded */
    float *packed;     /* groups of rows side by side; see linalg/block.h */
    int64_t packed_cap;
    void *tile;       /* one per thread, of floats or, if fine, doubles */
    int64_t computed; /* rows so far, */
    double seconds;   /* in that time */
} ney_gram;

/* Whether sums or values of float rows leave the range of single precision, or the argument of a
 * sigmoid loses its third digit in it. */
bool ney_gram_needs_fine(const ney_matrix *x, const ney_kernel *kernel);

/* @retval NEY_EINVAL  kernel values beyond single precision, in which rows are held. */
ney_status ney_gram_init(ney_gram *g, const ney_env *env, const ney_matrix *x,
                         const ney_kernel *kernel, bool fine, ney_error *err);
void ney_gram_deinit(ney_gram *g);

/* Floats in one kernel row. */
int64_t ney_gram_width(const ney_gram *g);

/* out[k][i] = k(x_row[k], x_i) for all rows i of the matrix; if fine, rounded, and out[k][n + i] is
 * the rest of it. On all threads; false without memory. */
bool ney_gram_rows(ney_gram *g, const int64_t *row, int64_t n_rows, float *const *out);

/* The same in double, for a gram that is fine. */
bool ney_gram_doubles(ney_gram *g, const int64_t *row, int64_t n_rows, double *const *out);

/* k(x_i, x_i) */
double ney_gram_diagonal(const ney_gram *g, int64_t i);

#endif
