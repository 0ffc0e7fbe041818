/* The loops of tiles.h, compiled once for every machine and once for AVX2 with FMA. NAME() gives
 * each its own names. */
#include "linalg/simd_math.h"
#include "linalg/tiles_isa.h"

enum { WIDE = 4, HALF = 8 }; /* units at a time; lanes of one vector, of which there are two */

/* The inputs of unit h and the next ones, up to WIDE, from 16 rows: one load of a column serves all
 * of them. Units beyond the last are computed as the last. */
static inline void take_in(const ney_tiles *l, const float *x, int64_t h, float *hidden)
{
    const int64_t H = l->units;
    const float *const bias = l->w + (l->cols + 1) * H;
    const float *w[WIDE];
    lanes8 a[WIDE], b[WIDE];
    for (int k = 0; k < WIDE; k++) {
        const int64_t unit = h + k < H ? h + k : H - 1;
        w[k] = l->w + unit;
        a[k] = b[k] = all8(bias[unit]);
    }
    for (int64_t c = 0; c < l->cols; c++) {
        const lanes8 low = load8(x + c * NEY_TILE), high = load8(x + c * NEY_TILE + HALF);
        for (int k = 0; k < WIDE; k++) {
            const lanes8 weight = all8(w[k][c * H]);
            a[k] += weight * low;
            b[k] += weight * high;
        }
    }
    for (int k = 0; k < WIDE && h + k < H; k++) {
        store8(hidden + (h + k) * NEY_TILE, a[k]);
        store8(hidden + (h + k) * NEY_TILE + HALF, b[k]);
    }
}

void NAME(forward)(const ney_tiles *l, const float *x, float *hidden, float *f)
{
    const int64_t H = l->units;
    const float *const top = l->w + l->cols * H;
    const lanes8 bias = all8(l->w[(l->cols + 2) * H]);
    for (int64_t h = 0; h < H; h += WIDE) {
        for (int i = 0; i < NEY_TILE; i += 2 * HALF) {
            take_in(l, x + i, h, hidden + i);
        }
    }
    for (int i = 0; i < NEY_TILE; i += HALF) {
        lanes8 sum = bias;
        for (int64_t h = 0; h < H; h++) {
            float *const at = hidden + h * NEY_TILE + i;
            const lanes8 t = tanh8(load8(at));
            store8(at, t);
            sum += all8(top[h]) * t;
        }
        store8(f + i, sum);
    }
}

double NAME(loss)(const float *factor, double eta, bool logistic, float *f)
{
    const lanes4 most = all4(40), none = {0};
    lanes4 sum = {0};
    for (int i = 0; i < NEY_TILE; i += 4) {
        const lanes4 a = widen4(factor + i), size = choose4(a < none, -a, a);
        lanes4 z = widen4(f + i) / all4(eta);
        z = choose4(a < none, -z, z);
        z = choose4(z > most, most, z);
        const lanes4 whole = z; /* the logistic loss keeps rising where exp(z) underflows */
        z = choose4(z < -most, -most, z);
        const lanes4 over = all4(1) + exp4(z), phi = all4(1) / over;
        /* the slope of the logistic loss is -phi, that of the sigmoid -phi (1 - phi) */
        const lanes4 fall = logistic ? phi : phi * (all4(1) - phi);
        sum += size * (logistic ? log4(over) - whole : phi);
        const few4 slope = __builtin_convertvector(-a * fall / all4(eta), few4);
        memcpy(f + i, &slope, sizeof slope);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static inline double sum8(lanes8 v)
{
    return (double)(((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7])));
}

/* Sums over a tile of d_h x_c for unit h and the next ones, up to WIDE; x NULL: all ones. */
static inline void sums_of(const float *d, int64_t units, const float *x, double *out)
{
    const float *of[WIDE];
    lanes8 a[WIDE];
    for (int k = 0; k < WIDE; k++) {
        of[k] = d + (k < units ? k : units - 1) * NEY_TILE;
        a[k] = (lanes8){0};
    }
    for (int i = 0; i < NEY_TILE; i += HALF) {
        const lanes8 v = x ? load8(x + i) : all8(1);
        for (int k = 0; k < WIDE; k++) {
            a[k] += load8(of[k] + i) * v;
        }
    }
    for (int k = 0; k < WIDE && k < units; k++) {
        out[k] += sum8(a[k]);
    }
}

void NAME(backward)(const ney_tiles *l, const float *x, float *hidden, const float *slope,
                    double *gradient)
{
    const int64_t H = l->units;
    const float *const weight = l->w + l->cols * H;
    double *const top = gradient + l->cols * H, *const bias = top + H;
    sums_of(slope, 1, NULL, bias + H);
    for (int64_t h = 0; h < H; h += WIDE) {
        sums_of(hidden + h * NEY_TILE, H - h, slope, top + h);
    }
    for (int64_t h = 0; h < H; h++) { /* the slope in the input of the unit replaces it */
        float *const t = hidden + h * NEY_TILE;
        for (int i = 0; i < NEY_TILE; i += HALF) {
            const lanes8 v = load8(t + i);
            store8(t + i, all8(weight[h]) * load8(slope + i) * (all8(1) - v * v));
        }
    }
    for (int64_t h = 0; h < H; h += WIDE) {
        sums_of(hidden + h * NEY_TILE, H - h, NULL, bias + h);
        for (int64_t c = 0; c < l->cols; c++) {
            sums_of(hidden + h * NEY_TILE, H - h, x + c * NEY_TILE, gradient + c * H + h);
        }
    }
}
