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
    NEY_ON_MACHINE(ney_block_products, x, first, n, packed, out);
}

void ney_block_products_fine(const ney_matrix *x, int64_t first, int64_t n, const float *packed,
                             double *out)
{
    NEY_ON_MACHINE(ney_block_products_fine, x, first, n, packed, out);
}

void ney_block_exp(float *value, int64_t n)
{
    NEY_ON_MACHINE(ney_block_exp, value, n);
}

void ney_block_exp_fine(double *value, int64_t n)
{
    NEY_ON_MACHINE(ney_block_exp_fine, value, n);
}

void ney_block_exponents(float *tile, int64_t n, const float *own, const float *lane_norm,
                         float twice)
{
    NEY_ON_MACHINE(ney_block_exponents, tile, n, own, lane_norm, twice);
}

void ney_block_unpack(const float *tile, int64_t n, int64_t lanes, float *const *out)
{
    NEY_ON_MACHINE(ney_block_unpack, tile, n, lanes, out);
}
