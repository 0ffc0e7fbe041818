/* Products of a few rows with many: the inner loop under every kernel matrix.
 *
 * Up to NEY_LANES rows are packed side by side, so that one number of another row meets all of them
 * in two vector operations. A sum runs over the columns in their order, in one accumulator,
 * whatever the place of the row among the others: where the work is cut cannot show in the bits. */
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

/* f[i] += sum_k delta[k] * row[k][i] for i = first .. first + n - 1, k = 0 .. n_rows - 1 in order.
 */
void ney_block_add(const float *const *row, const double *delta, int64_t n_rows, int64_t first,
                   int64_t n, double *f);

/* The first i that maximises up[i] - f[i], and the maximum; -1 when n is 0. */
int64_t ney_block_highest(const double *up, const double *f, int64_t n, double *highest);

/* The first i that minimises down[i] - f[i], and the minimum. */
int64_t ney_block_lowest(const double *down, const double *f, int64_t n, double *lowest);

/* f[i] += step * (row[i] - other[i]), then as the two above: the first i that maximises up[i] -
 * f[i], the maximum, and the minimum of down[i] - f[i]. */
int64_t ney_block_step(double *f, const float *row, const float *other, double step,
                       const double *up, const double *down, int64_t n, double *highest,
                       double *lowest);

/* What counts as no curvature at all for a pair, one row of which has this diagonal: in units of
 * the kernel, so that a common factor of all kernel values changes nothing. */
static inline double ney_tiny_curve(double diagonal)
{
    const double size = diagonal < 0 ? -diagonal : diagonal;
    return size > 1e-280 ? 1e-12 * size : 1e-292;
}

/* Of the j with g_j = down[j] - f[j] below `highest`, the first that maximises
 *
 *     (highest - g_j)^2 / max(diagonal + own[j] - 2 row[j], tiny),  tiny = ney_tiny_curve(diagonal)
 *
 * which is twice what a step of the pair gains; -1 when there is none. */
int64_t ney_block_partner(const double *down, const double *f, const double *own, const float *row,
                          double diagonal, double highest, int64_t n);

/* x'v */
double ney_block_dot(const float *x, const double *v, int64_t n);

/* v += t x, for x of floats and of doubles. */
void ney_block_axpy(double t, const float *x, double *v, int64_t n);
void ney_block_axpy_wide(double t, const double *x, double *v, int64_t n);

/* Clipped straight lines, one a row, of two pieces:
 *
 *     v_i(z) = max(low, min(first - slope z, max(middle, min(second - slope z, high))))
 *
 * with first >= second; `second` NULL: one piece, middle = high. */
typedef struct ney_clipped {
    const double *first, *second, *slope, *low, *middle, *high;
} ney_clipped;

/* Sums over rows begin .. end - 1 at z_i = f_i + step * change_i + b. */
typedef struct ney_clipped_sums {
    double value, along; /* v, v * change */
    double s0, s1, s2;   /* slope, slope * change, slope * change^2 of the rows not clipped */
} ney_clipped_sums;

void ney_block_clipped(const ney_clipped *c, const double *f, const double *change, double step,
                       double b, int64_t begin, int64_t end, ney_clipped_sums *sums);

/* a'b */
double ney_block_dot_wide(const double *a, const double *b, int64_t n);

/* out = row'a, row'b: what is read once serves both. */
void ney_block_dots(const double *row, const double *a, const double *b, int64_t n, double out[2]);

/* Which of n moving things may arrive within `ahead`: thing i was at a distance of base_i -
 * toward_i (at_i + shift) when last seen, since when it may have come nearer by reach_i (travelled
 * - seen_i), and its speed is at most reach_i speed + toward_i drift. */
typedef struct ney_near {
    const double *base, *toward, *at, *reach, *seen;
    double shift, drift, speed, travelled, ahead;
} ney_near;

/* Their numbers, ascending, those that are there already included; `out` has room for n. */
int64_t ney_block_near(const ney_near *q, int64_t n, int64_t *out);

/* (y + rest) += t x, what rounding takes from y being kept in `rest`: thousands of rows come and go
 * and leave no trace. */
void ney_block_axpy_exact(double t, const double *x, int64_t n, double *y, double *rest);

#endif
