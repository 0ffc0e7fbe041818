#include "linalg/layer.h"

#include "linalg/layer_isa.h"
#include "linalg/machine.h"

void ney_layer_product(ney_submatrix a, ney_submatrix b, int64_t m, int64_t k, int64_t n, double *c,
                       int64_t stride)
{
    if (ney_has_avx2()) {
        ney_layer_product_avx2(a, b, m, k, n, c, stride);
    } else {
        ney_layer_product_plain(a, b, m, k, n, c, stride);
    }
}

void ney_layer_sparse(const int32_t *index, const float *value, int64_t entries, const double *b,
                      int64_t n, double *c)
{
    if (ney_has_avx2()) {
        ney_layer_sparse_avx2(index, value, entries, b, n, c);
    } else {
        ney_layer_sparse_plain(index, value, entries, b, n, c);
    }
}

void ney_layer_spread(const int32_t *index, const float *value, int64_t entries, const double *d,
                      int64_t n, double *b)
{
    if (ney_has_avx2()) {
        ney_layer_spread_avx2(index, value, entries, d, n, b);
    } else {
        ney_layer_spread_plain(index, value, entries, d, n, b);
    }
}

void ney_layer_tanh(double *value, int64_t n)
{
    if (ney_has_avx2()) {
        ney_layer_tanh_avx2(value, n);
    } else {
        ney_layer_tanh_plain(value, n);
    }
}
