/* Products of a few rows with many: the inner loop under every kernel matrix.
 *
 * Up to NEY_LANES rows are interleaved, so that one number of another row is multiplied with all of
 * them in two vector operations. A sum runs over the columns in their order, in one accumulator,
 * whatever the place of the row among the others: the bits do not depend on how the work is
 * divided. */
#ifndef NEY_LINALG_BLOCK_H
#define NEY_LINALG_BLOCK_H

#include <neyman/experimental.h>

enum { NEY_LANES = 16 };

/* packed[c * NEY_LANES + lane] = entry c of row[lane]; lanes from n_rows on are zero. `packed` has
 * x->cols * NEY_LANES numbers. */
void ney_block_pack(const ney_matrix *x, const int64_t *row, int64_t n_rows, float *packed);

/* One lane of that, into zeros: columns from `cols` on are left out. */
void ney_block_pack_row(const ney_matrix *x, int64_t row, int64_t cols, int64_t lane,
                        float *packed);

/* out[i * NEY_LANES + lane] = x_j ' packed lane, for j = first .. first + n - 1, i = j - first. */
void ney_block_products(const ney_matrix *x, int64_t first, int64_t n, const float *packed,
                        float *out);

/* The same in double, where a product of two floats is exact. */
void ney_block_products_fine(const ney_matrix *x, int64_t first, int64_t n, const float *packed,
                             double *out);

/* value[i] = exp(value[i]), to a few units in the last place; below -87 it is 0. Above 88 it is
 * that of 88. */
void ney_block_exp(float *value, int64_t n);
void ney_block_exp_fine(double *value, int64_t n);

/* Exponents of an rbf kernel from products: tile[i * NEY_LANES + lane] becomes twice * itself -
 * (own[i] + lane_norm[lane]), but 0 where that is more, for a distance below zero is rounding. */
void ney_block_exponents(float *tile, int64_t n, const float *own, const float *lane_norm,
                         float twice);

/* out[lane][i] = tile[i * NEY_LANES + lane] for the first `lanes` lanes and i = 0 .. n - 1. */
void ney_block_unpack(const float *tile, int64_t n, int64_t lanes, float *const *out);

#endif
