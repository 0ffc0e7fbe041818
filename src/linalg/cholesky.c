#include "linalg/cholesky.h"

#include "linalg/vector.h"

#include <math.h>

bool ney_cholesky_factor(double *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double *const row = a + i * n;
        for (int64_t j = 0; j < i; j++) {
            row[j] = (row[j] - ney_dot(row, a + j * n, j)) / a[j * n + j];
        }
        const double pivot = row[i] - ney_dot(row, row, i);
        if (!(pivot > 0)) {
            return false;
        }
        row[i] = sqrt(pivot);
    }
    return true;
}

void ney_cholesky_forward(const double *l, int64_t n, double *x)
{
    for (int64_t i = 0; i < n; i++) {
        x[i] = (x[i] - ney_dot(l + i * n, x, i)) / l[i * n + i];
    }
}

void ney_cholesky_back(const double *l, int64_t n, double *x)
{
    for (int64_t i = n - 1; i >= 0; i--) {
        x[i] /= l[i * n + i];
        for (int64_t j = 0; j < i; j++) {
            x[j] -= l[i * n + j] * x[i];
        }
    }
}

void ney_cholesky_solve(const double *l, int64_t n, double *x)
{
    ney_cholesky_forward(l, n, x);
    ney_cholesky_back(l, n, x);
}
