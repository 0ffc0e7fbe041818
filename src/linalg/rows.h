/* Single rows of a matrix, dense or sparse. */
#ifndef NEY_LINALG_ROWS_H
#define NEY_LINALG_ROWS_H

#include <neyman/experimental.h>

/* Where a row is. */
typedef struct ney_row_at {
    const ney_matrix *x;
    int64_t row;
} ney_row_at;

/* x_row' v for a vector of n numbers: columns from n on are ignored, missing ones count as zero.
 * Summed from the first column on, so that dense and sparse rows give the same bits. */
double ney_row_dot(const ney_matrix *x, int64_t row, const double *v, int64_t n);

/* The same for a sparse row of n entries, all within v. Four sums, so that an addition does not
 * wait for the previous one: other bits than ney_row_dot(). */
double ney_sparse_dot(const int32_t *index, const float *value, int64_t n, const double *v);

/* v += t x_row; v has x->cols numbers. */
void ney_row_add(const ney_matrix *x, int64_t row, double t, double *v);

/* x_row' x_row */
double ney_row_square(const ney_matrix *x, int64_t row);

/* The sum of the squares of n entries, in four sums too. */
double ney_sparse_square(const float *value, int64_t n);

/* Entries of a row in the order of their columns. */
typedef struct ney_entries {
    const int32_t *index;
    const float *value;
    int64_t n;
} ney_entries;

/* Those of a row that are not zero, of columns below `cols`. A dense row's are laid into `index`
 * and `value`, of `cols` numbers each; those of a sparse row stay where they are. */
ney_entries ney_entries_of(const ney_matrix *x, int64_t row, int64_t cols, int32_t *index,
                           float *value);

/* Numbers stored in the whole matrix: its size, or the entries of a sparse one. */
int64_t ney_matrix_stored(const ney_matrix *x);

#endif
