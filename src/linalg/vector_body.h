/* The loops of vector.h, compiled once for every machine and once for AVX2 with FMA. NAME() gives
 * each its own names. Vectors are generic ones of GCC and clang: the compiler maps them to the
 * instructions of the target. */
#include "linalg/lanes.h"
#include "linalg/vector_isa.h"

#include <stdbool.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* Entries k .. k + 3 of a vector of floats or of doubles. `is_float` is a constant where it is
 * called. */
ALWAYS_INLINE lanes4 load_double(const void *x, bool is_float, int64_t k)
{
    return is_float ? widen4((const float *)x + k) : load4((const double *)x + k);
}

/* The sums of the products in four lanes, of all entries before *end, a multiple of four. */
ALWAYS_INLINE lanes4 dot_lanes(const void *x, bool is_float, const double *v, int64_t n,
                               int64_t *end)
{
    lanes4 a = {0}, b = {0}, c = {0}, d = {0};
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
        a += load_double(x, is_float, i) * load4(v + i);
        b += load_double(x, is_float, i + 4) * load4(v + i + 4);
        c += load_double(x, is_float, i + 8) * load4(v + i + 8);
        d += load_double(x, is_float, i + 12) * load4(v + i + 12);
    }
    for (; i + 4 <= n; i += 4) {
        a += load_double(x, is_float, i) * load4(v + i);
    }
    *end = i;
    return (a + b) + (c + d);
}

double NAME(dot)(const double *a, const double *b, int64_t n)
{
    int64_t k;
    const lanes4 lanes = dot_lanes(a, false, b, n, &k);
    double rest = 0;
    for (; k < n; k++) {
        rest += a[k] * b[k];
    }
    return total4(lanes) + rest;
}

double NAME(dot_mixed)(const float *x, const double *v, int64_t n)
{
    int64_t k;
    double sum = total4(dot_lanes(x, true, v, n, &k));
    for (; k < n; k++) {
        sum += (double)x[k] * v[k];
    }
    return sum;
}

/* v += t x in four lanes; returns the number of entries done. */
ALWAYS_INLINE int64_t axpy_lanes(double t, const void *x, bool is_float, double *v, int64_t n)
{
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        store4(v + i, load4(v + i) + t * load_double(x, is_float, i));
    }
    return i;
}

void NAME(axpy)(double t, const double *x, double *v, int64_t n)
{
    for (int64_t i = axpy_lanes(t, x, false, v, n); i < n; i++) {
        v[i] += t * x[i];
    }
}

void NAME(axpy_mixed)(double t, const float *x, double *v, int64_t n)
{
    for (int64_t i = axpy_lanes(t, x, true, v, n); i < n; i++) {
        v[i] += t * (double)x[i];
    }
}

/* The sums of both products in four lanes each, as dot_lanes(). */
ALWAYS_INLINE void dot_pair_lanes(const void *row, bool is_float, const double *a, const double *b,
                                  int64_t n, int64_t *end, lanes4 out[2])
{
    lanes4 a0 = {0}, a1 = {0}, b0 = {0}, b1 = {0};
    int64_t k = 0;
    for (; k + 8 <= n; k += 8) {
        const lanes4 r0 = load_double(row, is_float, k), r1 = load_double(row, is_float, k + 4);
        a0 += r0 * load4(a + k);
        a1 += r1 * load4(a + k + 4);
        b0 += r0 * load4(b + k);
        b1 += r1 * load4(b + k + 4);
    }
    if (is_float && k + 4 <= n) {
        const lanes4 r0 = load_double(row, is_float, k);
        a0 += r0 * load4(a + k);
        b0 += r0 * load4(b + k);
        k += 4;
    }
    *end = k;
    out[0] = a0 + a1;
    out[1] = b0 + b1;
}

void NAME(dot_pair)(const double *row, const double *a, const double *b, int64_t n, double out[2])
{
    lanes4 lanes[2];
    int64_t k;
    double rest_a = 0, rest_b = 0;
    dot_pair_lanes(row, false, a, b, n, &k, lanes);
    for (; k < n; k++) {
        rest_a += row[k] * a[k];
        rest_b += row[k] * b[k];
    }
    out[0] = total4(lanes[0]) + rest_a;
    out[1] = total4(lanes[1]) + rest_b;
}

void NAME(dot_pair_mixed)(const float *row, const double *a, const double *b, int64_t n,
                          double out[2])
{
    lanes4 lanes[2];
    int64_t k;
    double rest_a = 0, rest_b = 0;
    dot_pair_lanes(row, true, a, b, n, &k, lanes);
    for (; k < n; k++) {
        rest_a += (double)row[k] * a[k];
        rest_b += (double)row[k] * b[k];
    }
    out[0] = total4(lanes[0]) + rest_a;
    out[1] = total4(lanes[1]) + rest_b;
}

/* Knuth's sum of two numbers, whose rounding error is a number too; then Dekker's, which leaves in
 * y all that fits there. */
void NAME(axpy_compensated)(double t, const double *x, int64_t n, double *y, double *rest)
{
    const lanes4 t4 = all4(t);
    int64_t k = 0;
    for (; k + 4 <= n; k += 4) {
        const lanes4 a = load4(y + k), b = t4 * load4(x + k), s = a + b, c = s - a;
        const lanes4 r = load4(rest + k) + ((a - (s - c)) + (b - c)), whole = s + r;
        store4(y + k, whole);
        store4(rest + k, r - (whole - s));
    }
    for (; k < n; k++) {
        const double a = y[k], b = t * x[k], s = a + b, c = s - a;
        const double r = rest[k] + ((a - (s - c)) + (b - c)), whole = s + r;
        y[k] = whole;
        rest[k] = r - (whole - s);
    }
}

double NAME(dot_float)(const float *a, const float *b, int64_t n)
{
    lanes8 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    int64_t k = 0;
    for (; k + 32 <= n; k += 32) {
        s0 += load8(a + k) * load8(b + k);
        s1 += load8(a + k + 8) * load8(b + k + 8);
        s2 += load8(a + k + 16) * load8(b + k + 16);
        s3 += load8(a + k + 24) * load8(b + k + 24);
    }
    double rest = 0;
    for (; k < n; k++) {
        rest += (double)a[k] * (double)b[k];
    }
    const lanes8 s = (s0 + s1) + (s2 + s3);
    return (double)(((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]))) + rest;
}

void NAME(axpy_float)(float t, const float *x, float *y, int64_t n)
{
    const lanes8 t8 = all8(t);
    int64_t k = 0;
    for (; k + 8 <= n; k += 8) {
        store8(y + k, load8(y + k) + t8 * load8(x + k));
    }
    for (; k < n; k++) {
        y[k] += t * x[k];
    }
}

void NAME(add_rows)(const float *const *row, const double *delta, int64_t n_rows, int64_t first,
                    int64_t n, double *f)
{
    int64_t k = 0;
    for (; k + 4 <= n_rows; k += 4) {
        const float *a = row[k] + first, *b = row[k + 1] + first, *c = row[k + 2] + first,
                    *d = row[k + 3] + first;
        const double p = delta[k], q = delta[k + 1], r = delta[k + 2], s = delta[k + 3];
        for (int64_t i = 0; i < n; i++) {
            f[first + i] +=
                ((p * (double)a[i] + q * (double)b[i]) + r * (double)c[i]) + s * (double)d[i];
        }
    }
    for (; k < n_rows; k++) {
        for (int64_t i = 0; i < n; i++) {
            f[first + i] += delta[k] * (double)row[k][first + i];
        }
    }
}
