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

static void forward(const double *l, int64_t stride, int64_t n, double *x)
{
    for (int64_t i = 0; i < n; i++) {
        x[i] = (x[i] - ney_dot(l + i * stride, x, i)) / l[i * stride + i];
    }
}

static void back(const double *l, int64_t stride, int64_t n, double *x)
{
    for (int64_t i = n - 1; i >= 0; i--) {
        const double *const row = l + i * stride;
        x[i] /= row[i];
        for (int64_t j = 0; j < i; j++) {
            x[j] -= row[j] * x[i];
        }
    }
}

void ney_cholesky_forward(const double *l, int64_t n, double *x)
{
    forward(l, n, n, x);
}

void ney_cholesky_back(const double *l, int64_t n, double *x)
{
    back(l, n, n, x);
}

void ney_cholesky_solve_within(const double *l, int64_t stride, int64_t n, double *x)
{
    forward(l, stride, n, x);
    back(l, stride, n, x);
}

void ney_cholesky_solve(const double *l, int64_t n, double *x)
{
    ney_cholesky_solve_within(l, n, n, x);
}

double ney_cholesky_append(double *l, int64_t stride, int64_t n, const double *k, double kappa,
                           double least)
{
    double *const row = l + n * stride;
    for (int64_t i = 0; i < n; i++) {
        row[i] = (k[i] - ney_dot(l + i * stride, row, i)) / l[i * stride + i];
    }
    const double rest = kappa - ney_dot(row, row, n);
    row[n] = sqrt(rest > least ? rest : least); /* written so that NaN is not taken */
    return rest;
}

/* Without row `at`, every row below has one number beyond the diagonal. Rotation j mixes columns j
 * and j + 1 so that the one of row j vanishes. */
void ney_cholesky_remove(double *l, int64_t stride, int64_t n, int64_t at, double *room)
{
    double *const c = room, *const s = room + n;
    for (int64_t i = at; i + 1 < n; i++) {
        const double *const from = l + (i + 1) * stride;
        double *const to = l + i * stride;
        for (int64_t j = 0; j < at; j++) {
            to[j] = from[j];
        }
        double carried = from[at];
        for (int64_t j = at; j < i; j++) {
            const double next = from[j + 1];
            to[j] = c[j] * carried + s[j] * next;
            carried = c[j] * next - s[j] * carried;
        }
        const double last = from[i + 1], length = hypot(carried, last);
        c[i] = carried / length;
        s[i] = last / length;
        to[i] = length;
    }
}
