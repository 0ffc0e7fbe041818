#include "linalg/layer.h"

#include "linalg/layer_isa.h"
#include "linalg/machine.h"

void ney_layer_product(ney_submatrix a, ney_submatrix b, int64_t m, int64_t k, int64_t n, double *c,
                       int64_t stride)
{
    NEY_ON_MACHINE(ney_layer_product, a, b, m, k, n, c, stride);
}

void ney_layer_sparse(const int32_t *index, const float *value, int64_t entries, const double *b,
                      int64_t n, double *c)
{
    NEY_ON_MACHINE(ney_layer_sparse, index, value, entries, b, n, c);
}

void ney_layer_spread(const int32_t *index, const float *value, int64_t entries, const double *d,
                      int64_t n, double *b)
{
    NEY_ON_MACHINE(ney_layer_spread, index, value, entries, d, n, b);
}

void ney_layer_tanh(double *value, int64_t n)
{
    NEY_ON_MACHINE(ney_layer_tanh, value, n);
}

void ney_layer_activate(ney_activation activation, double *value, int64_t n)
{
    if (activation == NEY_ACTIVATION_TANH) {
        ney_layer_tanh(value, n);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        value[i] = value[i] > 0 ? value[i] : 0;
    }
}

void ney_layer_times_slope(ney_activation activation, const double *value, double *out, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        out[i] = activation == NEY_ACTIVATION_TANH ? out[i] * (1 - value[i] * value[i])
                 : value[i] > 0                    ? out[i]
                                                   : 0;
    }
}
