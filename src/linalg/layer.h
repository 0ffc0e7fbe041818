/* Operations of a network layer: products of matrices of doubles, and tanh.
 *
 * Eight columns of the right side are copied side by side, so that one number of the left side
 * meets all of them in two vector operations. Every sum begins with what the result holds and runs
 * over the inner index in order, one product after the other: a dense row and a sparse one with the
 * same entries give the same bits, wherever rows, panels and tiles are cut. */
#ifndef NEY_LINALG_LAYER_H
#define NEY_LINALG_LAYER_H

#include <neyman/experimental.h>

/* A matrix within a larger one, or a transposed one: number (i, j) is at[i * down + j * across]. */
typedef struct ney_submatrix {
    const double *at;
    int64_t down, across;
} ney_submatrix;

/* c += a b, with c of m x n numbers, `stride` from row to row, a of m x k and b of k x n. */
void ney_layer_product(ney_submatrix a, ney_submatrix b, int64_t m, int64_t k, int64_t n, double *c,
                       int64_t stride);

/* c_h += sum_e value_e b[index_e * n + h], h = 0 .. n - 1: the product of one sparse row. */
void ney_layer_sparse(const int32_t *index, const float *value, int64_t entries, const double *b,
                      int64_t n, double *c);

/* b[index_e * n + h] += value_e d_h: the transposed product. */
void ney_layer_spread(const int32_t *index, const float *value, int64_t entries, const double *d,
                      int64_t n, double *b);

/* value_i = tanh(value_i), to some units in the last place; no value depends on its neighbours. */
void ney_layer_tanh(double *value, int64_t n);

/* value_i = activation(value_i), tanh as above. */
void ney_layer_activate(ney_activation activation, double *value, int64_t n);

/* out_i *= activation'(z_i) where value_i = activation(z_i); that of ReLU is 0 at 0. */
void ney_layer_times_slope(ney_activation activation, const double *value, double *out, int64_t n);

#endif
