#include "linalg/rows.h"

double ney_row_dot(const ney_matrix *x, int64_t row, const double *v, int64_t n)
{
    double sum = 0;
    if (x->dense) {
        const float *const at = x->dense + row * x->cols;
        const int64_t cols = x->cols < n ? x->cols : n;
        for (int64_t j = 0; j < cols; j++) {
            sum += (double)at[j] * v[j];
        }
        return sum;
    }
    const int64_t end = x->start[row + 1];
    for (int64_t k = x->start[row]; k < end && x->index[k] < n; k++) {
        sum += (double)x->value[k] * v[x->index[k]];
    }
    return sum;
}

double ney_sparse_dot(const int32_t *index, const float *value, int64_t n, const double *v)
{
    double a = 0, b = 0, c = 0, d = 0;
    int64_t k = 0;
    for (; k + 4 <= n; k += 4) {
        a += (double)value[k] * v[index[k]];
        b += (double)value[k + 1] * v[index[k + 1]];
        c += (double)value[k + 2] * v[index[k + 2]];
        d += (double)value[k + 3] * v[index[k + 3]];
    }
    for (; k < n; k++) {
        a += (double)value[k] * v[index[k]];
    }
    return (a + b) + (c + d);
}

double ney_sparse_square(const float *value, int64_t n)
{
    double a = 0, b = 0, c = 0, d = 0;
    int64_t k = 0;
    for (; k + 4 <= n; k += 4) {
        a += (double)value[k] * (double)value[k];
        b += (double)value[k + 1] * (double)value[k + 1];
        c += (double)value[k + 2] * (double)value[k + 2];
        d += (double)value[k + 3] * (double)value[k + 3];
    }
    for (; k < n; k++) {
        a += (double)value[k] * (double)value[k];
    }
    return (a + b) + (c + d);
}

void ney_row_add(const ney_matrix *x, int64_t row, double t, double *v)
{
    if (x->dense) {
        const float *const at = x->dense + row * x->cols;
        for (int64_t j = 0; j < x->cols; j++) {
            v[j] += t * (double)at[j];
        }
        return;
    }
    const int64_t end = x->start[row + 1];
    for (int64_t k = x->start[row]; k < end; k++) {
        v[x->index[k]] += t * (double)x->value[k];
    }
}

double ney_row_square(const ney_matrix *x, int64_t row)
{
    const int64_t begin = x->dense ? row * x->cols : x->start[row];
    const int64_t end = x->dense ? begin + x->cols : x->start[row + 1];
    const float *const v = x->dense ? x->dense : x->value;
    double sum = 0;
    for (int64_t k = begin; k < end; k++) {
        sum += (double)v[k] * (double)v[k];
    }
    return sum;
}

int64_t ney_matrix_stored(const ney_matrix *x)
{
    return x->dense ? x->rows * x->cols : x->start[x->rows];
}

ney_entries ney_entries_of(const ney_matrix *x, int64_t row, int64_t cols, int32_t *index,
                           float *value)
{
    if (!x->dense) {
        const int64_t first = x->start[row];
        int64_t n = x->start[row + 1] - first;
        while (n > 0 && x->index[first + n - 1] >= cols) {
            n--;
        }
        return (ney_entries){x->index + first, x->value + first, n};
    }
    const float *const from = x->dense + row * x->cols;
    const int64_t most = x->cols < cols ? x->cols : cols;
    int64_t n = 0;
    for (int64_t c = 0; c < most; c++) { /* no branch that a processor could guess wrong */
        index[n] = (int32_t)c;
        value[n] = from[c];
        n += from[c] != 0;
    }
    return (ney_entries){index, value, n};
}
