/* Cosines and sines of many products with a row: the inner loop under random Fourier features; and
 * dot products and sums in float, for training on the result.
 *
 * A row is given by its entries that are not zero, so that a row of few costs little however it is
 * stored. Frequencies are kept in half turns, where an angle is brought near zero by taking a whole
 * number away. A product is summed over the entries in their order in one accumulator: bits do not
 * depend on how rows are grouped or stored. */
#ifndef NEY_LINALG_FOURIER_FEATURES_H
#define NEY_LINALG_FOURIER_FEATURES_H

#include "linalg/rows.h"

enum { NEY_FOURIER_WIDE = 64 }; /* frequencies that are summed side by side */

/* Frequencies, NEY_FOURIER_WIDE of them side by side in a slice of the table, of all columns. */
typedef struct ney_fourier_table {
    const float *table;
    int64_t n, cols;
    float scale;
} ney_fourier_table;

/* Numbers in the table of n frequencies. */
int64_t ney_fourier_table_size(int64_t n, int64_t cols);

/* The table of the frequencies that are the n rows of `frequency`, in radians. */
void ney_fourier_table_fill(const float *frequency, int64_t n, int64_t cols, float *table);

/* For every row r, with angles a_k = frequency_k'x_r: out[r * 2 n + k] = scale * cos a_k and
 * out[r * 2 n + n + k] = scale * sin a_k, to about 1e-6 of the scale for angles up to some
 * thousands; for any angle at all the two are at most 1.000001 * scale. */
void ney_fourier_features_map(const ney_fourier_table *w, const ney_entries *row, int64_t n_rows,
                              float *out);

#endif
