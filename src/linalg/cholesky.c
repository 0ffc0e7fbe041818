#include "linalg/cholesky.h"

#include <math.h>

static double dot(const double *a, const double *b, int64_t n)
{
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0; /* four sums: an addition need not wait for the last */
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

bool ney_cholesky_factor(double *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double *const row = a + i * n;
        for (int64_t j = 0; j < i; j++) {
            row[j] = (row[j] - dot(row, a + j * n, j)) / a[j * n + j];
        }
        const double pivot = row[i] - dot(row, row, i);
        if (!(pivot > 0)) {
            return false;
        }
        row[i] = sqrt(pivot);
    }
    return true;
}

void ney_cholesky_solve(const double *l, int64_t n, double *x)
{
    for (int64_t i = 0; i < n; i++) {
        x[i] = (x[i] - dot(l + i * n, x, i)) / l[i * n + i];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        x[i] /= l[i * n + i];
        for (int64_t j = 0; j < i; j++) {
            x[j] -= l[i * n + j] * x[i];
        }
    }
}
