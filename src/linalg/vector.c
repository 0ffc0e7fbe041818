#include "linalg/machine.h"
#include "linalg/vector_isa.h"

double ney_vector_dot(const double *a, const double *b, int64_t n)
{
    return NEY_ON_MACHINE(ney_vector_dot, a, b, n);
}

double ney_vector_dot_mixed(const float *x, const double *v, int64_t n)
{
    return NEY_ON_MACHINE(ney_vector_dot_mixed, x, v, n);
}

double ney_vector_dot_float(const float *a, const float *b, int64_t n)
{
    return NEY_ON_MACHINE(ney_vector_dot_float, a, b, n);
}

void ney_vector_dot_pair(const double *row, const double *a, const double *b, int64_t n,
                         double out[2])
{
    NEY_ON_MACHINE(ney_vector_dot_pair, row, a, b, n, out);
}

void ney_vector_dot_pair_mixed(const float *row, const double *a, const double *b, int64_t n,
                               double out[2])
{
    NEY_ON_MACHINE(ney_vector_dot_pair_mixed, row, a, b, n, out);
}

void ney_vector_axpy(double t, const double *x, double *v, int64_t n)
{
    NEY_ON_MACHINE(ney_vector_axpy, t, x, v, n);
}

void ney_vector_axpy_mixed(double t, const float *x, double *v, int64_t n)
{
    NEY_ON_MACHINE(ney_vector_axpy_mixed, t, x, v, n);
}

void ney_vector_axpy_float(float t, const float *x, float *v, int64_t n)
{
    NEY_ON_MACHINE(ney_vector_axpy_float, t, x, v, n);
}

void ney_vector_axpy_compensated(double t, const double *x, int64_t n, double *y, double *rest)
{
    NEY_ON_MACHINE(ney_vector_axpy_compensated, t, x, n, y, rest);
}

void ney_vector_add_rows(const float *const *row, const double *delta, int64_t n_rows,
                         int64_t first, int64_t n, double *f)
{
    NEY_ON_MACHINE(ney_vector_add_rows, row, delta, n_rows, first, n, f);
}
