#include "linalg/tridiagonal.h"

#include "linalg/vector.h"

#include <math.h>

/* The reflection I - 2uu'/|u|^2 that takes x (n numbers) to a multiple of e_1. u replaces x, scaled
 * to |u|^2 = 2 (zero where nothing is to be done); returns the multiple. */
static double reflector(double *x, int64_t n)
{
    double scale = 0, square = 0;
    for (int64_t i = 0; i < n; i++) {
        scale = fmax(scale, fabs(x[i]));
    }
    for (int64_t i = 0; scale > 0 && i < n; i++) {
        square += (x[i] / scale) * (x[i] / scale);
    }
    const double first = x[0], norm = scale * sqrt(square);
    if (n == 1 || !(norm > 0) || fabs(first) == norm) { /* nothing beyond the first already */
        for (int64_t i = 0; i < n; i++) {
            x[i] = 0;
        }
        return first;
    }
    const double to = first > 0 ? -norm : norm; /* away from x: no digits are lost */
    x[0] = first - to;
    const double length = sqrt(norm * (norm + fabs(first))); /* |u|^2 / 2 = norm (norm + |x_0|) */
    for (int64_t i = 0; i < n; i++) {
        x[i] /= length;
    }
    return to;
}

/* B <- HBH for the trailing block of size m, H = I - uu'. With p = Bu and k = u'p / 2, it is
 * B - u(p - ku)' - (p - ku)u'. */
static void reflect_block(double *b, int64_t stride, int64_t m, const double *u, double *p)
{
    double k = 0;
    for (int64_t i = 0; i < m; i++) {
        p[i] = ney_dot(&b[i * stride], u, m);
        k += u[i] * p[i] / 2;
    }
    for (int64_t i = 0; i < m; i++) {
        p[i] -= k * u[i];
    }
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < m; j++) {
            b[i * stride + j] -= u[i] * p[j] + p[i] * u[j];
        }
    }
}

/* Reflector k acts on the numbers k + 1 .. n - 1 and is kept in row k, right of the diagonal. */
void ney_tridiagonal_reduce(double *a, int64_t n, double *diagonal, double *beside, double *work)
{
    for (int64_t k = 0; k < n; k++) {
        const int64_t m = n - k - 1;
        diagonal[k] = a[k * n + k];
        if (m > 0) {
            double *const u = &a[k * n + k + 1];
            beside[k] = reflector(u, m);
            reflect_block(&a[(k + 1) * n + k + 1], n, m, u, work);
        }
    }
}

void ney_tridiagonal_apply(const double *a, int64_t n, bool back, double *x)
{
    for (int64_t j = 0; j + 1 < n; j++) {
        const int64_t k = back ? n - 2 - j : j, m = n - k - 1;
        const double *const u = &a[k * n + k + 1];
        double *const y = &x[k + 1];
        const double sum = ney_dot(u, y, m);
        for (int64_t i = 0; i < m; i++) {
            y[i] -= sum * u[i];
        }
    }
}

void ney_tridiagonal_solve(const double *diagonal, const double *beside, int64_t n, double p,
                           double q, const double *c, double *y, double *work)
{
    if (n == 0) {
        return;
    }
    /* row k of the triangle: d on the diagonal, e and g right of it */
    double *const d = work, *const e = work + n, *const g = work + 2 * n, *const r = work + 3 * n;
    d[0] = p + q * diagonal[0];
    e[0] = n > 1 ? q * beside[0] : 0;
    g[0] = 0;
    r[0] = c[0];
    for (int64_t k = 0; k + 1 < n; k++) {
        const double below = q * beside[k], right = k + 2 < n ? q * beside[k + 1] : 0;
        double next_d = p + q * diagonal[k + 1], next_e = right, next_r = c[k + 1];
        if (fabs(below) > fabs(d[k])) {
            const double f = d[k] / below, old_e = e[k], old_r = r[k];
            d[k] = below;
            e[k] = next_d;
            g[k] = next_e;
            r[k] = next_r;
            next_d = old_e - f * e[k];
            next_e = -f * g[k];
            next_r = old_r - f * r[k];
        } else {
            const double f = below / d[k];
            next_d -= f * e[k];
            next_r -= f * r[k];
        }
        d[k + 1] = next_d;
        e[k + 1] = next_e;
        g[k + 1] = 0;
        r[k + 1] = next_r;
    }
    for (int64_t k = n - 1; k >= 0; k--) {
        const double one = k + 1 < n ? e[k] * y[k + 1] : 0, two = k + 2 < n ? g[k] * y[k + 2] : 0;
        y[k] = (r[k] - one - two) / d[k];
    }
}
