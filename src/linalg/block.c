#include "linalg/block_isa.h"
#include "linalg/machine.h"

#include <string.h>

void ney_block_pack_row(const ney_matrix *x, int64_t row, int64_t cols, int64_t lane, float *packed)
{
    for (int64_t c = 0; x->dense && c < x->cols && c < cols; c++) {
        packed[c * NEY_LANES + lane] = x->dense[row * x->cols + c];
    }
    for (int64_t k = x->dense ? 0 : x->start[row];
         !x->dense && k < x->start[row + 1] && x->index[k] < cols; k++) {
        packed[(int64_t)x->index[k] * NEY_LANES + lane] = x->value[k];
    }
}

void ney_block_pack(const ney_matrix *x, const int64_t *row, int64_t n_rows, float *packed)
{
    memset(packed, 0, (size_t)(x->cols * NEY_LANES) * sizeof *packed);
    for (int64_t lane = 0; lane < n_rows; lane++) {
        ney_block_pack_row(x, row[lane], x->cols, lane, packed);
    }
}

void ney_block_products(const ney_matrix *x, int64_t first, int64_t n, const float *packed,
                        float *out)
{
    if (ney_has_avx2()) {
        ney_block_products_avx2(x, first, n, packed, out);
    } else {
        ney_block_products_plain(x, first, n, packed, out);
    }
}

void ney_block_products_fine(const ney_matrix *x, int64_t first, int64_t n, const float *packed,
                             double *out)
{
    if (ney_has_avx2()) {
        ney_block_products_fine_avx2(x, first, n, packed, out);
    } else {
        ney_block_products_fine_plain(x, first, n, packed, out);
    }
}

void ney_block_exp(float *value, int64_t n)
{
    if (ney_has_avx2()) {
        ney_block_exp_avx2(value, n);
    } else {
        ney_block_exp_plain(value, n);
    }
}

void ney_block_exp_fine(double *value, int64_t n)
{
    if (ney_has_avx2()) {
        ney_block_exp_fine_avx2(value, n);
    } else {
        ney_block_exp_fine_plain(value, n);
    }
}

void ney_block_exponents(float *tile, int64_t n, const float *own, const float *lane_norm,
                         float twice)
{
    if (ney_has_avx2()) {
        ney_block_exponents_avx2(tile, n, own, lane_norm, twice);
    } else {
        ney_block_exponents_plain(tile, n, own, lane_norm, twice);
    }
}

void ney_block_unpack(const float *tile, int64_t n, int64_t lanes, float *const *out)
{
    if (ney_has_avx2()) {
        ney_block_unpack_avx2(tile, n, lanes, out);
    } else {
        ney_block_unpack_plain(tile, n, lanes, out);
    }
}

void ney_block_add(const float *const *row, const double *delta, int64_t n_rows, int64_t first,
                   int64_t n, double *f)
{
    if (ney_has_avx2()) {
        ney_block_add_avx2(row, delta, n_rows, first, n, f);
    } else {
        ney_block_add_plain(row, delta, n_rows, first, n, f);
    }
}

int64_t ney_block_highest(const double *up, const double *f, int64_t n, double *highest)
{
    return ney_has_avx2() ? ney_block_highest_avx2(up, f, n, highest)
                          : ney_block_highest_plain(up, f, n, highest);
}

int64_t ney_block_lowest(const double *down, const double *f, int64_t n, double *lowest)
{
    /* down - f is least where f - down is largest */
    double highest = 0;
    const int64_t place = ney_has_avx2() ? ney_block_highest_avx2(f, down, n, &highest)
                                         : ney_block_highest_plain(f, down, n, &highest);
    *lowest = -highest;
    return place;
}

int64_t ney_block_step(double *f, const float *row, const float *other, double step,
                       const double *up, const double *down, int64_t n, double *highest,
                       double *lowest)
{
    return ney_has_avx2() ? ney_block_step_avx2(f, row, other, step, up, down, n, highest, lowest)
                          : ney_block_step_plain(f, row, other, step, up, down, n, highest, lowest);
}

int64_t ney_block_partner(const double *down, const double *f, const double *own, const float *row,
                          double diagonal, double highest, int64_t n)
{
    return ney_has_avx2() ? ney_block_partner_avx2(down, f, own, row, diagonal, highest, n)
                          : ney_block_partner_plain(down, f, own, row, diagonal, highest, n);
}

void ney_block_clipped(const ney_clipped *c, const double *f, const double *change, double step,
                       double b, int64_t begin, int64_t end, ney_clipped_sums *sums)
{
    if (ney_has_avx2()) {
        ney_block_clipped_avx2(c, f, change, step, b, begin, end, sums);
    } else {
        ney_block_clipped_plain(c, f, change, step, b, begin, end, sums);
    }
}

double ney_block_dot(const float *x, const double *v, int64_t n)
{
    return ney_has_avx2() ? ney_block_dot_avx2(x, v, n) : ney_block_dot_plain(x, v, n);
}

void ney_block_axpy(double t, const float *x, double *v, int64_t n)
{
    if (ney_has_avx2()) {
        ney_block_axpy_avx2(t, x, v, n);
    } else {
        ney_block_axpy_plain(t, x, v, n);
    }
}

void ney_block_axpy_wide(double t, const double *x, double *v, int64_t n)
{
    if (ney_has_avx2()) {
        ney_block_axpy_wide_avx2(t, x, v, n);
    } else {
        ney_block_axpy_wide_plain(t, x, v, n);
    }
}

double ney_block_dot_wide(const double *a, const double *b, int64_t n)
{
    return ney_has_avx2() ? ney_block_dot_wide_avx2(a, b, n) : ney_block_dot_wide_plain(a, b, n);
}

void ney_block_dots(const double *row, const double *a, const double *b, int64_t n, double out[2])
{
    if (ney_has_avx2()) {
        ney_block_dots_avx2(row, a, b, n, out);
    } else {
        ney_block_dots_plain(row, a, b, n, out);
    }
}

void ney_block_axpy_exact(double t, const double *x, int64_t n, double *y, double *rest)
{
    if (ney_has_avx2()) {
        ney_block_axpy_exact_avx2(t, x, n, y, rest);
    } else {
        ney_block_axpy_exact_plain(t, x, n, y, rest);
    }
}

int64_t ney_block_near(const ney_near *q, int64_t n, int64_t *out)
{
    return ney_has_avx2() ? ney_block_near_avx2(q, n, out) : ney_block_near_plain(q, n, out);
}
