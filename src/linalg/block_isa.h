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
    void ney_block_unpack_##isa(const float *tile, int64_t n, int64_t lanes, float *const *out);   \
    void ney_block_add_##isa(const float *const *row, const double *delta, int64_t n_rows,         \
                             int64_t first, int64_t n, double *f);                                 \
    int64_t ney_block_highest_##isa(const double *up, const double *f, int64_t n,                  \
                                    double *highest);                                              \
    int64_t ney_block_step_##isa(double *f, const float *row, const float *other, double step,     \
                                 const double *up, const double *down, int64_t n, double *highest, \
                                 double *lowest);                                                  \
    int64_t ney_block_partner_##isa(const double *down, const double *f, const double *own,        \
                                    const float *row, double diagonal, double highest, int64_t n); \
    double ney_block_dot_##isa(const float *x, const double *v, int64_t n);                        \
    void ney_block_axpy_##isa(double t, const float *x, double *v, int64_t n);                     \
    void ney_block_axpy_wide_##isa(double t, const double *x, double *v, int64_t n);               \
    void ney_block_clipped_##isa(const ney_clipped *c, const double *f, const double *change,      \
                                 double step, double b, int64_t begin, int64_t end,                \
                                 ney_clipped_sums *sums);                                          \
    double ney_block_dot_wide_##isa(const double *a, const double *b, int64_t n);                  \
    void ney_block_dots_##isa(const double *row, const double *a, const double *b, int64_t n,      \
                              double out[2]);                                                      \
    void ney_block_axpy_exact_##isa(double t, const double *x, int64_t n, double *y,               \
                                    double *rest);                                                 \
    int64_t ney_block_near_##isa(const ney_near *q, int64_t n, int64_t *out);

NEY_BLOCK_BUILD(plain)
NEY_BLOCK_BUILD(avx2)

#endif
