/* Random Fourier features of the rbf kernel (Rahimi and Recht 2007):
 *
 *     phi(x) = (cos W x, sin W x) / sqrt(D),   rows of W drawn from N(0, 2 gamma I)     [FOURIER.1]
 *
 * so that phi(x)'phi(z) is exp(-gamma |x - z|^2) on average, and |phi(x)| = 1. */
#ifndef NEY_KERNEL_FOURIER_H
#define NEY_KERNEL_FOURIER_H

#include "base/env.h"
#include "linalg/block.h"

typedef struct ney_fourier {
    int64_t n;            /* features: 2 D */
    ney_matrix direction; /* W, dense, D x columns */
    float *value;         /* behind it */
} ney_fourier;

/* Room for n features (even) of `cols` columns, all zero. */
ney_status ney_fourier_init(ney_fourier *f, const ney_env *env, int64_t n, int64_t cols,
                            ney_error *err);
void ney_fourier_deinit(ney_fourier *f, const ney_env *env);
void ney_fourier_draw(ney_fourier *f, double gamma, uint64_t seed);

/* Numbers that ney_fourier_map() wants to write in, and that NEY_LANES rows take packed. */
int64_t ney_fourier_scratch(const ney_fourier *f);

/* Features of rows that are packed as by ney_block_pack(): phi[lane * n ..] for the first n_rows
 * lanes. */
void ney_fourier_map(const ney_fourier *f, const float *packed, int64_t n_rows, float *phi,
                     float *scratch);

#endif
