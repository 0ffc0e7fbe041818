/* The loops of waves.h, compiled once for every machine and once for AVX2 with FMA. */
#include "linalg/lanes.h"
#include "linalg/waves_isa.h"

enum { TERMS = 5 };

/* sin(pi r) / r and cos(pi r) as polynomials of r^2, |r| <= 1/2, through the zeros of Chebyshev's
 * of the next degree: within 7e-9 and 5e-8. */
static const double SINE[TERMS] = {3.141592640077203, -5.167710076668316, 2.5500773865289372,
                                   -0.5982904112836939, 0.07765591227685842};
static const double COSINE[TERMS] = {0.9999999530275124, -4.934792802489462, 4.058410790762683,
                                     -1.3318729727880956, 0.21968242357666407};

typedef struct series {
    lanes8 sine[TERMS], cosine[TERMS];
} series;

/* The whole number k nearest to x is found by adding 1.5 * 2^23, which leaves its last bit in the
 * last bit of the sum; with r = x - k both functions of pi x are those of pi r, times -1 where k is
 * odd. Beyond 2^22 nothing is left of a fraction: r is what it may be at most, or zero. */
static inline void wave8(lanes8 x, const series *p, float *cosine, float *sine)
{
    const lanes8 shift = all8(12582912.0f), shifted = x + shift;
    lanes8 r = x - (shifted - shift), q = r * r;
    const whole8 near = q <= all8(0.2500001f), odd = (whole8)((bits8)shifted << 31);
    r = (lanes8)((whole8)r & near);
    q = (lanes8)((whole8)q & near);
    lanes8 s = p->sine[TERMS - 1], c = p->cosine[TERMS - 1];
    for (int k = TERMS - 2; k >= 0; k--) {
        s = s * q + p->sine[k];
        c = c * q + p->cosine[k];
    }
    store8(cosine, (lanes8)((whole8)c ^ odd));
    store8(sine, (lanes8)((whole8)(s * r) ^ odd));
}

/* NEY_WAVES_WIDE angles of one row in eight registers, and of each its cosine and sine. */
static void one_slice(const float *slice, const ney_entries *row, const series *p, float *cosine,
                      float *sine)
{
    lanes8 a = {0}, b = {0}, c = {0}, d = {0}, e = {0}, f = {0}, g = {0}, h = {0};
    for (int64_t k = 0; k < row->n; k++) {
        const float *from = slice + (int64_t)row->index[k] * NEY_WAVES_WIDE;
        const lanes8 x = all8(row->value[k]);
        a += x * load8(from);
        b += x * load8(from + 8);
        c += x * load8(from + 16);
        d += x * load8(from + 24);
        e += x * load8(from + 32);
        f += x * load8(from + 40);
        g += x * load8(from + 48);
        h += x * load8(from + 56);
    }
    wave8(a, p, cosine, sine);
    wave8(b, p, cosine + 8, sine + 8);
    wave8(c, p, cosine + 16, sine + 16);
    wave8(d, p, cosine + 24, sine + 24);
    wave8(e, p, cosine + 32, sine + 32);
    wave8(f, p, cosine + 40, sine + 40);
    wave8(g, p, cosine + 48, sine + 48);
    wave8(h, p, cosine + 56, sine + 56);
}

/* Slice by slice, so that one is in the nearest cache while all rows pass. */
void NAME(map)(const ney_waves *w, const ney_entries *row, int64_t n_rows, float *out)
{
    series p;
    for (int k = 0; k < TERMS; k++) {
        p.sine[k] = all8((float)((double)w->scale * SINE[k]));
        p.cosine[k] = all8((float)((double)w->scale * COSINE[k]));
    }
    for (int64_t first = 0; first < w->n; first += NEY_WAVES_WIDE) {
        const float *slice = w->table + first * w->cols;
        const int64_t rest = w->n - first;
        for (int64_t r = 0; r < n_rows; r++) {
            float *const to = out + r * 2 * w->n + first;
            if (rest >= NEY_WAVES_WIDE) {
                one_slice(slice, &row[r], &p, to, to + w->n);
                continue;
            }
            float own[2 * NEY_WAVES_WIDE];
            one_slice(slice, &row[r], &p, own, own + NEY_WAVES_WIDE);
            memcpy(to, own, (size_t)rest * sizeof *own);
            memcpy(to + w->n, own + NEY_WAVES_WIDE, (size_t)rest * sizeof *own);
        }
    }
}

double NAME(dot)(const float *a, const float *b, int64_t n)
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

void NAME(add)(float t, const float *x, float *y, int64_t n)
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
