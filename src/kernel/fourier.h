/* Random Fourier features of the rbf kernel (Rahimi and Recht 2007):
 *
 *     phi(x) = (cos W x, sin W x) / sqrt(D),   rows of W drawn from N(0, 2 gamma I)     [FOURIER.1]
 *
 * so that phi(x)'phi(z) is exp(-gamma |x - z|^2) on average, and |phi(x)| = 1. */
#ifndef NEY_KERNEL_FOURIER_H
#define NEY_KERNEL_FOURIER_H

#include "base/env.h"
#include "linalg/fourier_features.h"

enum { NEY_FOURIER_ROWS = 16 }; /* that are mapped at a time */

typedef struct ney_fourier {
    int64_t n;       /* features: 2 D */
    int64_t D, cols; /* of W */
    float *value;    /* W, row by row */
    float *block;    /* of memory, in which */
    float *table;    /* what ney_fourier_table_fill() makes of W begins with a cache line */
} ney_fourier;

/* Allocate n features (even) of `cols` columns, all zero. */
ney_status ney_fourier_init(ney_fourier *f, const ney_env *env, int64_t n, int64_t cols,
                            ney_error *err);
void ney_fourier_deinit(ney_fourier *f, const ney_env *env);

/* Set W: drawn at random, or as in value[] of another map or of f itself. */
void ney_fourier_draw(ney_fourier *f, double gamma, uint64_t seed);
void ney_fourier_set(ney_fourier *f, const float *value);

/* Bytes of workspace that ney_fourier_map() needs. */
int64_t ney_fourier_workspace(const ney_fourier *f);

/* phi[i * n ..] of at most NEY_FOURIER_ROWS rows. Columns that a row lacks are zeros, those beyond
 * W's are left out. */
void ney_fourier_map(const ney_fourier *f, const ney_row_at *at, int64_t n_rows, float *phi,
                     void *work);

#endif
