/* The loops of fourier_features.h, compiled once for every machine and once for AVX2 with FMA. */
#include "linalg/fourier_features_isa.h"
#include "linalg/simd_math.h"

/* NEY_FOURIER_WIDE angles of one row in eight registers, and of each its cosine and sine. */
static void one_slice(const float *slice, const ney_entries *row, const sincospi_series *p,
                      float *cosine, float *sine)
{
    lanes8 a = {0}, b = {0}, c = {0}, d = {0}, e = {0}, f = {0}, g = {0}, h = {0};
    for (int64_t k = 0; k < row->n; k++) {
        const float *from = slice + (int64_t)row->index[k] * NEY_FOURIER_WIDE;
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
    sincospi8(a, p, cosine, sine);
    sincospi8(b, p, cosine + 8, sine + 8);
    sincospi8(c, p, cosine + 16, sine + 16);
    sincospi8(d, p, cosine + 24, sine + 24);
    sincospi8(e, p, cosine + 32, sine + 32);
    sincospi8(f, p, cosine + 40, sine + 40);
    sincospi8(g, p, cosine + 48, sine + 48);
    sincospi8(h, p, cosine + 56, sine + 56);
}

/* Slice by slice, so that one is in the nearest cache while all rows pass. */
void NAME(map)(const ney_fourier_table *w, const ney_entries *row, int64_t n_rows, float *out)
{
    const sincospi_series p = sincospi_scaled((double)w->scale);
    for (int64_t first = 0; first < w->n; first += NEY_FOURIER_WIDE) {
        const float *slice = w->table + first * w->cols;
        const int64_t rest = w->n - first;
        for (int64_t r = 0; r < n_rows; r++) {
            float *const to = out + r * 2 * w->n + first;
            if (rest >= NEY_FOURIER_WIDE) {
                one_slice(slice, &row[r], &p, to, to + w->n);
                continue;
            }
            float own[2 * NEY_FOURIER_WIDE];
            one_slice(slice, &row[r], &p, own, own + NEY_FOURIER_WIDE);
            memcpy(to, own, (size_t)rest * sizeof *own);
            memcpy(to + w->n, own + NEY_FOURIER_WIDE, (size_t)rest * sizeof *own);
        }
    }
}
