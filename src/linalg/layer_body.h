/* The loops of layer.h, compiled once for every machine and once for AVX2 with FMA. NAME() gives
 * each its own names. */
#include "linalg/layer_isa.h"
#include "linalg/simd_math.h"

#ifdef __FMA__
#include <immintrin.h>
#endif

enum {
    WIDE = 8,  /* columns of a panel */
    DEEP = 128 /* and its rows: both sides of a tile stay in the first-level cache */
};

/* sum + x y, rounded once where the machine has FMA: said here, since compilers fuse or not as the
 * code around happens to be. */
static inline double add_product(double sum, double x, double y)
{
#ifdef __FMA__
    return __builtin_fma(x, y, sum);
#else
    return sum + x * y;
#endif
}

static inline lanes4 add_product4(lanes4 sum, lanes4 x, lanes4 y)
{
#ifdef __FMA__
    return (lanes4)_mm256_fmadd_pd((__m256d)x, (__m256d)y, (__m256d)sum);
#else
    return sum + x * y;
#endif
}

/* Every sum goes on from what c holds, so that it has one order whatever the panels: c, then the
 * products by ascending inner index. A zero on the left changes no sum, which makes a dense row and
 * its sparse copy (sparse() below) agree bit for bit. */

/* Four rows against a panel: eight sums, so that none waits for the last addition. */
static void four_rows(ney_submatrix a, const double *panel, int64_t k, double *c, int64_t stride)
{
    const double *p = a.at, *q = p + a.down, *r = q + a.down, *s = r + a.down;
    double *const d = c + stride, *const e = d + stride, *const f = e + stride;
    lanes4 p0 = load4(c), p1 = load4(c + 4), q0 = load4(d), q1 = load4(d + 4);
    lanes4 r0 = load4(e), r1 = load4(e + 4), s0 = load4(f), s1 = load4(f + 4);
    for (int64_t j = 0; j < k; j++) {
        const lanes4 b0 = load4(panel + j * WIDE), b1 = load4(panel + j * WIDE + 4);
        lanes4 x = all4(p[j * a.across]);
        p0 = add_product4(p0, x, b0);
        p1 = add_product4(p1, x, b1);
        x = all4(q[j * a.across]);
        q0 = add_product4(q0, x, b0);
        q1 = add_product4(q1, x, b1);
        x = all4(r[j * a.across]);
        r0 = add_product4(r0, x, b0);
        r1 = add_product4(r1, x, b1);
        x = all4(s[j * a.across]);
        s0 = add_product4(s0, x, b0);
        s1 = add_product4(s1, x, b1);
    }
    store4(c, p0);
    store4(c + 4, p1);
    store4(d, q0);
    store4(d + 4, q1);
    store4(e, r0);
    store4(e + 4, r1);
    store4(f, s0);
    store4(f + 4, s1);
}

static void one_row(ney_submatrix a, const double *panel, int64_t k, double *c)
{
    lanes4 s0 = load4(c), s1 = load4(c + 4);
    for (int64_t j = 0; j < k; j++) {
        const lanes4 x = all4(a.at[j * a.across]);
        s0 = add_product4(s0, x, load4(panel + j * WIDE));
        s1 = add_product4(s1, x, load4(panel + j * WIDE + 4));
    }
    store4(c, s0);
    store4(c + 4, s1);
}

/* Between c and a tile of full width, where fewer than WIDE columns are left. */
static void copy_tile(const double *from, int64_t from_stride, int64_t rows, int64_t cols,
                      double *to, int64_t to_stride)
{
    for (int64_t i = 0; i < rows; i++) {
        memcpy(to + i * to_stride, from + i * from_stride, (size_t)cols * sizeof *to);
    }
}

/* Columns past the end are zeros. */
static void copy_panel(ney_submatrix b, int64_t k, int64_t cols, double *panel)
{
    for (int64_t j = 0; j < k; j++) {
        const double *const from = b.at + j * b.down;
        if (cols == WIDE && b.across == 1) {
            store4(panel + j * WIDE, load4(from));
            store4(panel + j * WIDE + 4, load4(from + 4));
            continue;
        }
        for (int64_t h = 0; h < WIDE; h++) {
            panel[j * WIDE + h] = h < cols ? from[h * b.across] : 0;
        }
    }
}

static void times_panel(ney_submatrix a, const double *panel, int64_t m, int64_t k, int64_t cols,
                        double *c, int64_t stride)
{
    double tile[4 * WIDE] = {0};
    for (int64_t i = 0, rows; i < m; i += rows) {
        const ney_submatrix left = {a.at + i * a.down, a.down, a.across};
        double *const own = c + i * stride, *const to = cols == WIDE ? own : tile;
        const int64_t across = cols == WIDE ? stride : WIDE;
        rows = i + 4 <= m ? 4 : 1;
        if (to == tile) {
            copy_tile(own, stride, rows, cols, tile, WIDE);
        }
        if (rows == 4) {
            four_rows(left, panel, k, to, across);
        } else {
            one_row(left, panel, k, to);
        }
        if (to == tile) {
            copy_tile(tile, WIDE, rows, cols, own, stride);
        }
    }
}

void NAME(product)(ney_submatrix a, ney_submatrix b, int64_t m, int64_t k, int64_t n, double *c,
                   int64_t stride)
{
    double panel[DEEP * WIDE];
    for (int64_t from = 0; from < k; from += DEEP) {
        const int64_t deep = k - from < DEEP ? k - from : DEEP;
        for (int64_t h = 0; h < n; h += WIDE) {
            const int64_t cols = n - h < WIDE ? n - h : WIDE;
            const ney_submatrix left = {a.at + from * a.across, a.down, a.across};
            const ney_submatrix right = {b.at + from * b.down + h * b.across, b.down, b.across};
            copy_panel(right, deep, cols, panel);
            times_panel(left, panel, m, deep, cols, c + h, stride);
        }
    }
}

/* Sixteen columns of the right side at once, four sums. */
static void sparse_wide(const int32_t *index, const float *value, int64_t entries, const double *b,
                        int64_t n, double *c)
{
    lanes4 s0 = load4(c), s1 = load4(c + 4), s2 = load4(c + 8), s3 = load4(c + 12);
    for (int64_t e = 0; e < entries; e++) {
        const double *const at = b + index[e] * n;
        const lanes4 x = all4((double)value[e]);
        s0 = add_product4(s0, x, load4(at));
        s1 = add_product4(s1, x, load4(at + 4));
        s2 = add_product4(s2, x, load4(at + 8));
        s3 = add_product4(s3, x, load4(at + 12));
    }
    store4(c, s0);
    store4(c + 4, s1);
    store4(c + 8, s2);
    store4(c + 12, s3);
}

void NAME(sparse)(const int32_t *index, const float *value, int64_t entries, const double *b,
                  int64_t n, double *c)
{
    int64_t h = 0;
    for (; h + 16 <= n; h += 16) {
        sparse_wide(index, value, entries, b + h, n, c + h);
    }
    for (; h + 4 <= n; h += 4) {
        lanes4 sum = load4(c + h);
        for (int64_t e = 0; e < entries; e++) {
            sum = add_product4(sum, all4((double)value[e]), load4(b + index[e] * n + h));
        }
        store4(c + h, sum);
    }
    for (int64_t e = 0; h < n && e < entries; e++) {
        for (int64_t k = h; k < n; k++) {
            c[k] = add_product(c[k], (double)value[e], b[index[e] * n + k]);
        }
    }
}

void NAME(spread)(const int32_t *index, const float *value, int64_t entries, const double *d,
                  int64_t n, double *b)
{
    for (int64_t e = 0; e < entries; e++) {
        const double x = (double)value[e];
        double *const at = b + index[e] * n;
        int64_t h = 0;
        for (; h + 4 <= n; h += 4) {
            store4(at + h, load4(at + h) + all4(x) * load4(d + h));
        }
        for (; h < n; h++) {
            at[h] += x * d[h];
        }
    }
}

void NAME(tanh)(double *value, int64_t n)
{
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        store4(value + i, tanh4(load4(value + i)));
    }
    for (; i < n; i++) {
        value[i] = tanh4(all4(value[i]))[0];
    }
}
