/* Vectors of doubles and floats: inner products and sums. A result does not depend on the number of
 * threads; it depends on whether the machine has AVX2 where the name begins with ney_vector. */
#ifndef NEY_LINALG_VECTOR_H
#define NEY_LINALG_VECTOR_H

#include <stdint.h>

/* a'b, for short vectors and wherever the bits must be those of every machine. Four sums: an
 * addition does not wait for the previous one. */
static inline double ney_dot(const double *a, const double *b, int64_t n)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int64_t k = 0;
    for (; k + 4 <= n; k += 4) {
        s0 += a[k] * b[k];
        s1 += a[k + 1] * b[k + 1];
        s2 += a[k + 2] * b[k + 2];
        s3 += a[k + 3] * b[k + 3];
    }
    for (; k < n; k++) {
        s0 += a[k] * b[k];
    }
    return (s0 + s1) + (s2 + s3);
}

/* a'b of doubles; of floats and doubles, summed in double; of floats, summed in single precision.
 */
double ney_vector_dot(const double *a, const double *b, int64_t n);
double ney_vector_dot_mixed(const float *x, const double *v, int64_t n);
double ney_vector_dot_float(const float *a, const float *b, int64_t n);

/* out = row'a, row'b: each entry of `row` is loaded once for both. */
void ney_vector_dot_pair(const double *row, const double *a, const double *b, int64_t n,
                         double out[2]);

/* The same of a row of floats. */
void ney_vector_dot_pair_mixed(const float *row, const double *a, const double *b, int64_t n,
                               double out[2]);

/* v += t x */
void ney_vector_axpy(double t, const double *x, double *v, int64_t n);
void ney_vector_axpy_mixed(double t, const float *x, double *v, int64_t n);
void ney_vector_axpy_float(float t, const float *x, float *v, int64_t n);

/* (y + rest) += t x, where `rest` accumulates the rounding errors of y: adding a vector and
 * subtracting it later leaves no error. */
void ney_vector_axpy_compensated(double t, const double *x, int64_t n, double *y, double *rest);

/* f[i] += sum_k delta[k] * row[k][i] for i = first .. first + n - 1, k = 0 .. n_rows - 1 in order.
 */
void ney_vector_add_rows(const float *const *row, const double *delta, int64_t n_rows,
                         int64_t first, int64_t n, double *f);

#endif
