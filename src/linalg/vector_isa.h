/* The two builds of vector_body.h. */
#ifndef NEY_LINALG_VECTOR_ISA_H
#define NEY_LINALG_VECTOR_ISA_H

#include "linalg/vector.h"

#define NEY_VECTOR_BUILD(isa)                                                                      \
    double ney_vector_dot_##isa(const double *a, const double *b, int64_t n);                      \
    double ney_vector_dot_mixed_##isa(const float *x, const double *v, int64_t n);                 \
    double ney_vector_dot_float_##isa(const float *a, const float *b, int64_t n);                  \
    void ney_vector_dot_pair_##isa(const double *row, const double *a, const double *b, int64_t n, \
                                   double out[2]);                                                 \
    void ney_vector_dot_pair_mixed_##isa(const float *row, const double *a, const double *b,       \
                                         int64_t n, double out[2]);                                \
    void ney_vector_axpy_##isa(double t, const double *x, double *v, int64_t n);                   \
    void ney_vector_axpy_mixed_##isa(double t, const float *x, double *v, int64_t n);              \
    void ney_vector_axpy_float_##isa(float t, const float *x, float *v, int64_t n);                \
    void ney_vector_axpy_compensated_##isa(double t, const double *x, int64_t n, double *y,        \
                                           double *rest);                                          \
    void ney_vector_add_rows_##isa(const float *const *row, const double *delta, int64_t n_rows,   \
                                   int64_t first, int64_t n, double *f);

NEY_VECTOR_BUILD(plain)
NEY_VECTOR_BUILD(avx2)

#endif
