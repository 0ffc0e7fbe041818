/* The loops of block.h, compiled once for every machine and once for AVX2 with FMA. NAME() gives
 * each its own names. Vectors are GCC's and clang's generic ones: the compiler maps them to what
 * there is. */
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
    if (i < n) { /* the rest in a vector of its own, so that every number is computed alike */
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

void NAME(add)(const float *const *row, const double *delta, int64_t n_rows, int64_t first,
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

/* ---- picking: four candidates side by side, the first of equals at the end */

/* Of four running maxima, and the places where each was met first, the largest and its first place.
 */
static int64_t first_of(lanes4 best, whole4 at, double *value)
{
    int64_t place = at[0];
    double most = best[0];
    for (int k = 1; k < 4; k++) {
        if (best[k] > most || (best[k] == most && at[k] < place)) {
            most = best[k];
            place = at[k];
        }
    }
    *value = most;
    return place;
}

int64_t NAME(highest)(const double *up, const double *f, int64_t n, double *highest)
{
    const double infinite = __builtin_inf();
    lanes4 best = {-infinite, -infinite, -infinite, -infinite};
    whole4 at = {n, n, n, n}, here = {0, 1, 2, 3};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4, here += 4) {
        const lanes4 g = load4(up + i) - load4(f + i);
        const whole4 better = g > best;
        best = choose4(better, g, best);
        at = (here & better) | (at & ~better);
    }
    int64_t place = first_of(best, at, highest);
    for (; i < n; i++) {
        if (up[i] - f[i] > *highest) {
            *highest = up[i] - f[i];
            place = i;
        }
    }
    return place < n ? place : -1;
}

int64_t NAME(step)(double *f, const float *row, const float *other, double step, const double *up,
                   const double *down, int64_t n, double *highest, double *lowest)
{
    const double infinite = __builtin_inf();
    const lanes4 step4 = all4(step);
    lanes4 best = all4(-infinite), least = all4(infinite);
    whole4 at = {n, n, n, n}, here = {0, 1, 2, 3};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4, here += 4) {
        const lanes4 to = load4(f + i) + step4 * (widen4(row + i) - widen4(other + i));
        const lanes4 g = load4(up + i) - to, h = load4(down + i) - to;
        const whole4 better = g > best;
        store4(f + i, to);
        best = choose4(better, g, best);
        at = (here & better) | (at & ~better);
        least = choose4(h < least, h, least);
    }
    int64_t place = first_of(best, at, highest);
    *lowest = least[0];
    for (int k = 1; k < 4; k++) {
        *lowest = least[k] < *lowest ? least[k] : *lowest;
    }
    for (; i < n; i++) {
        f[i] += step * ((double)row[i] - (double)other[i]);
        if (up[i] - f[i] > *highest) {
            *highest = up[i] - f[i];
            place = i;
        }
        *lowest = down[i] - f[i] < *lowest ? down[i] - f[i] : *lowest;
    }
    return place < n ? place : -1;
}

/* Gains are compared as fractions, without dividing: a/b > c/d where a d > c b. */
int64_t NAME(partner)(const double *down, const double *f, const double *own, const float *row,
                      double diagonal, double highest, int64_t n)
{
    const double tiny = ney_tiny_curve(diagonal);
    const lanes4 zero = {0}, tiny4 = all4(tiny);
    lanes4 best = zero, best_curve = all4(1);
    whole4 at = {n, n, n, n}, here = {0, 1, 2, 3};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4, here += 4) {
        const lanes4 apart = highest - (load4(down + i) - load4(f + i));
        lanes4 curve = diagonal + load4(own + i) - 2 * widen4(row + i);
        curve = choose4(curve > tiny4, curve, tiny4);
        const lanes4 square = choose4(apart > zero, apart * apart, zero);
        const whole4 better = square * best_curve > best * curve;
        best = choose4(better, square, best);
        best_curve = choose4(better, curve, best_curve);
        at = (here & better) | (at & ~better);
    }
    int64_t place = at[0];
    double most = best[0], most_curve = best_curve[0];
    for (int k = 1; k < 4; k++) {
        const double a = best[k] * most_curve, b = most * best_curve[k];
        if (a > b || (a == b && at[k] < place)) {
            most = best[k];
            most_curve = best_curve[k];
            place = at[k];
        }
    }
    for (; i < n; i++) {
        const double apart = highest - (down[i] - f[i]);
        double curve = diagonal + own[i] - 2 * (double)row[i];
        curve = curve > tiny ? curve : tiny;
        if (apart > 0 && apart * apart * most_curve > most * curve) {
            most = apart * apart;
            most_curve = curve;
            place = i;
        }
    }
    return place < n ? place : -1;
}

/* ---- dense rows of floats against doubles */

double NAME(dot)(const float *x, const double *v, int64_t n)
{
    lanes4 a = {0}, b = {0}, c = {0}, d = {0};
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
        a += widen4(x + i) * load4(v + i);
        b += widen4(x + i + 4) * load4(v + i + 4);
        c += widen4(x + i + 8) * load4(v + i + 8);
        d += widen4(x + i + 12) * load4(v + i + 12);
    }
    for (; i + 4 <= n; i += 4) {
        a += widen4(x + i) * load4(v + i);
    }
    a = (a + b) + (c + d);
    double sum = (a[0] + a[1]) + (a[2] + a[3]);
    for (; i < n; i++) {
        sum += (double)x[i] * v[i];
    }
    return sum;
}

void NAME(axpy)(double t, const float *x, double *v, int64_t n)
{
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const lanes4 sum = load4(v + i) + t * widen4(x + i);
        memcpy(v + i, &sum, sizeof sum);
    }
    for (; i < n; i++) {
        v[i] += t * (double)x[i];
    }
}

void NAME(axpy_wide)(double t, const double *x, double *v, int64_t n)
{
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const lanes4 sum = load4(v + i) + t * load4(x + i);
        memcpy(v + i, &sum, sizeof sum);
    }
    for (; i < n; i++) {
        v[i] += t * x[i];
    }
}

/* ---- clipped lines */

static inline lanes4 larger4(lanes4 a, lanes4 b)
{
    return choose4(a > b, a, b);
}

static inline lanes4 smaller4(lanes4 a, lanes4 b)
{
    return choose4(a < b, a, b);
}

typedef struct clipped4 {
    lanes4 value, along, s0, s1, s2;
} clipped4;

/* Four rows; what is at the pointers from the n-th on is not looked at. */
static inline void add_clipped(clipped4 *sum, const ney_clipped *c, int64_t i, lanes4 z, lanes4 d)
{
    const lanes4 slope = load4(c->slope + i), low = load4(c->low + i);
    const lanes4 middle = load4(c->middle + i), down = slope * z;
    lanes4 v = load4(c->first + i) - down, high = middle;
    whole4 inside;
    if (c->second) {
        high = load4(c->high + i);
        v = smaller4(v, larger4(middle, smaller4(load4(c->second + i) - down, high)));
        v = larger4(low, v);
        inside = (v > low) & (v < high) & (v != middle);
    } else {
        v = larger4(low, smaller4(v, high));
        inside = (v > low) & (v < high);
    }
    const lanes4 s = choose4(inside, slope, (lanes4){0});
    sum->value += v;
    sum->along += v * d;
    sum->s0 += s;
    sum->s1 += s * d;
    sum->s2 += s * d * d;
}

static inline double total4(lanes4 v)
{
    return (v[0] + v[1]) + (v[2] + v[3]);
}

void NAME(clipped)(const ney_clipped *c, const double *f, const double *change, double step,
                   double b, int64_t begin, int64_t end, ney_clipped_sums *sums)
{
    clipped4 sum = {{0}, {0}, {0}, {0}, {0}};
    int64_t i = begin;
    for (; i + 4 <= end; i += 4) {
        const lanes4 d = load4(change + i);
        add_clipped(&sum, c, i, load4(f + i) + step * d + b, d);
    }
    if (i < end) { /* the last few, beside rows of nothing */
        double pad[8][4] = {{0}};
        const size_t bytes = (size_t)(end - i) * sizeof(double);
        const double *const from[] = {
            c->first, c->second ? c->second : c->first, c->slope, c->low, c->middle, c->high, f,
            change};
        for (int k = 0; k < 8; k++) {
            memcpy(pad[k], from[k] + i, bytes);
        }
        const ney_clipped last = {pad[0], c->second ? pad[1] : NULL, pad[2], pad[3], pad[4],
                                  pad[5]};
        add_clipped(&sum, &last, 0, load4(pad[6]) + step * load4(pad[7]) + b, load4(pad[7]));
    }
    *sums = (ney_clipped_sums){total4(sum.value), total4(sum.along), total4(sum.s0), total4(sum.s1),
                               total4(sum.s2)};
}

double NAME(dot_wide)(const double *a, const double *b, int64_t n)
{
    lanes4 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    int64_t k = 0;
    for (; k + 16 <= n; k += 16) {
        s0 += load4(a + k) * load4(b + k);
        s1 += load4(a + k + 4) * load4(b + k + 4);
        s2 += load4(a + k + 8) * load4(b + k + 8);
        s3 += load4(a + k + 12) * load4(b + k + 12);
    }
    for (; k + 4 <= n; k += 4) {
        s0 += load4(a + k) * load4(b + k);
    }
    double rest = 0;
    for (; k < n; k++) {
        rest += a[k] * b[k];
    }
    return total4((s0 + s1) + (s2 + s3)) + rest;
}

void NAME(dots)(const double *row, const double *a, const double *b, int64_t n, double out[2])
{
    lanes4 a0 = {0}, a1 = {0}, b0 = {0}, b1 = {0};
    int64_t k = 0;
    for (; k + 8 <= n; k += 8) {
        const lanes4 r0 = load4(row + k), r1 = load4(row + k + 4);
        a0 += r0 * load4(a + k);
        a1 += r1 * load4(a + k + 4);
        b0 += r0 * load4(b + k);
        b1 += r1 * load4(b + k + 4);
    }
    double rest_a = 0, rest_b = 0;
    for (; k < n; k++) {
        rest_a += row[k] * a[k];
        rest_b += row[k] * b[k];
    }
    out[0] = total4(a0 + a1) + rest_a;
    out[1] = total4(b0 + b1) + rest_b;
}

/* Knuth's sum of two numbers, whose rounding error is a number too; then Dekker's, which leaves in
 * y all that fits there. */
void NAME(axpy_exact)(double t, const double *x, int64_t n, double *y, double *rest)
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

int64_t NAME(near)(const ney_near *q, int64_t n, int64_t *out)
{
    const lanes4 shift = all4(q->shift), drift = all4(q->drift), speed = all4(q->speed);
    const lanes4 travelled = all4(q->travelled), ahead = all4(q->ahead);
    int64_t found = 0, i = 0;
    for (; i + 4 <= n; i += 4) {
        const lanes4 toward = load4(q->toward + i), reach = load4(q->reach + i);
        const lanes4 distance = load4(q->base + i) - toward * (load4(q->at + i) + shift) -
                                reach * (travelled - load4(q->seen + i));
        const lanes4 nearer = (reach * speed + toward * drift) * ahead;
        const whole4 far =
            (distance > nearer) & (distance > (lanes4){0}); /* nothing seen yet: not far */
        if ((far[0] & far[1] & far[2] & far[3]) != 0) {
            continue;
        }
        for (int64_t lane = 0; lane < 4; lane++) {
            out[found] = i + lane;
            found += far[lane] == 0;
        }
    }
    for (; i < n; i++) {
        const double distance = q->base[i] - q->toward[i] * (q->at[i] + q->shift) -
                                q->reach[i] * (q->travelled - q->seen[i]);
        const double nearer = (q->reach[i] * q->speed + q->toward[i] * q->drift) * q->ahead;
        if (!(distance > nearer && distance > 0)) {
            out[found++] = i;
        }
    }
    return found;
}
