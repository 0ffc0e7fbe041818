/* The two builds of block_body.h. */
#ifndef NEY_LINALG_BLOCK_ISA_H
#define NEY_LINALG_BLOCK_ISA_H

#include "linalg/block.h"

#define NEY_BLOCK_BUILD(isa)                                                                       \
    void ney_block_products_##isa(const ney_matrix *x, int64_t first, int64_t n,                   \
                                  const float *packed, float *out);                                \
    void ney_block_products_fine_##isa(const ney_matrix *x, int64_t first, int64_t n,              \
                                       const float *packed, double *out);                          \
    void ney_block_exp_##isa(float *value, int64_t n);                                             \
    void ney_block_exp_fine_##isa(double *value, int64_t n);                                       \
    void ney_block_exponents_##isa(float *tile, int64_t n, const float *own,                       \
                                   const float *lane_norm, float twice);                           \
    void ney_block_unpack_##isa(const float *tile, int64_t n, int64_t lanes, float *const *out);

NEY_BLOCK_BUILD(plain)
NEY_BLOCK_BUILD(avx2)

#endif
