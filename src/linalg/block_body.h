/* The loops of block.h, compiled once for every machine and once for AVX2 with FMA. NAME() gives
 * each its own names. Vectors are generic ones of GCC and clang: the compiler maps them to the
 * instructions of the target. */
#include "linalg/block_isa.h"
#include "linalg/simd_math.h"

/* Six rows at once: twelve accumulators, two loads of packed numbers for all of them. */
static void dense_six(const float *const *row, int64_t cols, const float *packed, float *out)
{
    lanes8 a0 = {0}, a1 = {0}, b0 = {0}, b1 = {0}, c0 = {0}, c1 = {0};
    lanes8 d0 = {0}, d1 = {0}, e0 = {0}, e1 = {0}, f0 = {0}, f1 = {0};
    for (int64_t c = 0; c < cols; c++) {
        const lanes8 p0 = load8(packed + c * NEY_LANES), p1 = load8(packed + c * NEY_LANES + 8);
        lanes8 x = all8(row[0][c]);
        a0 += x * p0;
        a1 += x * p1;
        x = all8(row[1][c]);
        b0 += x * p0;
        b1 += x * p1;
        x = all8(row[2][c]);
        c0 += x * p0;
        c1 += x * p1;
        x = all8(row[3][c]);
        d0 += x * p0;
        d1 += x * p1;
        x = all8(row[4][c]);
        e0 += x * p0;
        e1 += x * p1;
        x = all8(row[5][c]);
        f0 += x * p0;
        f1 += x * p1;
    }
    const lanes8 result[12] = {a0, a1, b0, b1, c0, c1, d0, d1, e0, e1, f0, f1};
    for (int64_t i = 0; i < 12; i++) {
        store8(out + 8 * i, result[i]);
    }
}

static void dense_one(const float *row, int64_t cols, const float *packed, float *out)
{
    lanes8 a0 = {0}, a1 = {0};
    for (int64_t c = 0; c < cols; c++) {
        const lanes8 x = all8(row[c]);
        a0 += x * load8(packed + c * NEY_LANES);
        a1 += x * load8(packed + c * NEY_LANES + 8);
    }
    store8(out, a0);
    store8(out + 8, a1);
}

static void sparse_one(const int32_t *index, const float *value, int64_t n, const float *packed,
                       float *out)
{
    lanes8 a0 = {0}, a1 = {0};
    for (int64_t k = 0; k < n; k++) {
        const float *p = packed + (int64_t)index[k] * NEY_LANES;
        const lanes8 x = all8(value[k]);
        a0 += x * load8(p);
        a1 += x * load8(p + 8);
    }
    store8(out, a0);
    store8(out + 8, a1);
}

void NAME(products)(const ney_matrix *x, int64_t first, int64_t n, const float *packed, float *out)
{
    int64_t i = 0;
    for (; x->dense && i + 6 <= n; i += 6) {
        const float *row[6];
        for (int k = 0; k < 6; k++) {
            row[k] = x->dense + (first + i + k) * x->cols;
        }
        dense_six(row, x->cols, packed, out + i * NEY_LANES);
    }
    for (; i < n; i++) {
        const int64_t r = first + i;
        if (x->dense) {
            dense_one(x->dense + r * x->cols, x->cols, packed, out + i * NEY_LANES);
        } else {
            sparse_one(x->index + x->start[r], x->value + x->start[r],
                       x->start[r + 1] - x->start[r], packed, out + i * NEY_LANES);
        }
    }
}

/* index is NULL for a dense row. */
static void fine_one(const int32_t *index, const float *value, int64_t n, const float *packed,
                     double *out)
{
    lanes4 a = {0}, b = {0}, c = {0}, d = {0};
    for (int64_t k = 0; k < n; k++) {
        const float *p = packed + (index ? (int64_t)index[k] : k) * NEY_LANES;
        const lanes4 x = all4((double)value[k]);
        a += x * widen4(p);
        b += x * widen4(p + 4);
        c += x * widen4(p + 8);
        d += x * widen4(p + 12);
    }
    store4(out, a);
    store4(out + 4, b);
    store4(out + 8, c);
    store4(out + 12, d);
}

void NAME(products_fine)(const ney_matrix *x, int64_t first, int64_t n, const float *packed,
                         double *out)
{
    for (int64_t i = 0; i < n; i++) {
        const int64_t r = first + i;
        if (x->dense) {
            fine_one(NULL, x->dense + r * x->cols, x->cols, packed, out + i * NEY_LANES);
        } else {
            fine_one(x->index + x->start[r], x->value + x->start[r], x->start[r + 1] - x->start[r],
                     packed, out + i * NEY_LANES);
        }
    }
}

void NAME(exponents)(float *tile, int64_t n, const float *own, const float *lane_norm, float twice)
{
    const lanes8 n0 = load8(lane_norm), n1 = load8(lane_norm + 8), t = all8(twice), zero = {0};
    for (int64_t i = 0; i < n; i++) {
        float *e = tile + i * NEY_LANES;
        const lanes8 norm = all8(own[i]);
        const lanes8 e0 = t * load8(e) - (norm + n0), e1 = t * load8(e + 8) - (norm + n1);
        store8(e, (lanes8)((whole8)e0 & (e0 < zero)));
        store8(e + 8, (lanes8)((whole8)e1 & (e1 < zero)));
    }
}

/* Numbers of a and b, those of b counted from 8 on. */
#if defined(__clang__)
#define MIX(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define MIX(a, b, ...) __builtin_shuffle(a, b, (whole8){__VA_ARGS__})
#endif

/* Eight rows of eight lanes become eight lanes of eight rows: neighbours are exchanged, then pairs,
 * then halves. */
static inline void transpose8(const float *from, lanes8 *to)
{
    lanes8 a[8], b[8];
    for (int k = 0; k < 8; k++) {
        a[k] = load8(from + (int64_t)k * NEY_LANES);
    }
    for (int k = 0; k < 8; k += 2) {
        b[k] = MIX(a[k], a[k + 1], 0, 8, 1, 9, 4, 12, 5, 13);
        b[k + 1] = MIX(a[k], a[k + 1], 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int k = 0; k < 8; k += 4) {
        a[k] = MIX(b[k], b[k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
        a[k + 1] = MIX(b[k], b[k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        a[k + 2] = MIX(b[k + 1], b[k + 3], 0, 1, 8, 9, 4, 5, 12, 13);
        a[k + 3] = MIX(b[k + 1], b[k + 3], 2, 3, 10, 11, 6, 7, 14, 15);
    }
    for (int k = 0; k < 4; k++) {
        to[k] = MIX(a[k], a[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        to[k + 4] = MIX(a[k], a[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

void NAME(unpack)(const float *tile, int64_t n, int64_t lanes, float *const *out)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        for (int64_t half = 0; half < lanes; half += 8) {
            lanes8 to[8];
            transpose8(tile + i * NEY_LANES + half, to);
            for (int64_t l = 0; l < 8 && half + l < lanes; l++) {
                store8(out[half + l] + i, to[l]);
            }
        }
    }
    for (; i < n; i++) {
        for (int64_t l = 0; l < lanes; l++) {
            out[l][i] = tile[i * NEY_LANES + l];
        }
    }
}

void NAME(exp)(float *value, int64_t n)
{
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        store8(value + i, exp8(load8(value + i)));
    }
    if (i < n) { /* the rest in a padded vector, so that every number is computed alike */
        float rest[8] = {0};
        memcpy(rest, value + i, (size_t)(n - i) * sizeof *rest);
        store8(rest, exp8(load8(rest)));
        memcpy(value + i, rest, (size_t)(n - i) * sizeof *rest);
    }
}

void NAME(exp_fine)(double *value, int64_t n)
{
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        store4(value + i, exp4(load4(value + i)));
    }
    for (; i < n; i++) {
        value[i] = exp4(all4(value[i]))[0];
    }
}
