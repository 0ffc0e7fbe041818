/* The two builds of layer_body.h. */
#ifndef NEY_LINALG_LAYER_ISA_H
#define NEY_LINALG_LAYER_ISA_H

#include "linalg/layer.h"

#define NEY_LAYER_BUILD(isa)                                                                       \
    void ney_layer_product_##isa(ney_submatrix a, ney_submatrix b, int64_t m, int64_t k,           \
                                 int64_t n, double *c, int64_t stride);                            \
    void ney_layer_sparse_##isa(const int32_t *index, const float *value, int64_t entries,         \
                                const double *b, int64_t n, double *c);                            \
    void ney_layer_spread_##isa(const int32_t *index, const float *value, int64_t entries,         \
                                const double *d, int64_t n, double *b);                            \
    void ney_layer_tanh_##isa(double *value, int64_t n);

NEY_LAYER_BUILD(plain)
NEY_LAYER_BUILD(avx2)

#endif
