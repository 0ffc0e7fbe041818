/* The loops of solver_loops.h, compiled once for every machine and once for AVX2 with FMA. NAME()
 * gives each its own names. Vectors are generic ones of GCC and clang: the compiler maps them to
 * the instructions of the target. */
#include "linalg/lanes.h"
#include "linalg/solver_loops_isa.h"

/* ---- choosing a pair: four candidates in parallel, the first of equals at the end */

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

int64_t NAME(step)(const ney_pair_step *s, double *highest, double *lowest)
{
    double *const f = s->f;
    const double *const up = s->up, *const down = s->down, step = s->step;
    const float *const row = s->row, *const other = s->other;
    const int64_t n = s->n;
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

/* ---- the same in single precision: sixteen candidates in parallel, in two vectors that do not
 * wait for each other */

enum { LANES = 8, BOTH = 16 };

/* The largest so far in each lane, and its first place. */
typedef struct largest8 {
    lanes8 value;
    whole8 at;
} largest8;

static inline whole8 same8(int32_t x)
{
    return (whole8){x, x, x, x, x, x, x, x};
}

int64_t NAME(short_step)(const ney_slopes *s, const float *row, const float *other, float step,
                         float *highest, float *lowest)
{
    const int64_t n = s->n;
    const float infinite = __builtin_inff();
    const largest8 nothing = {all8(-infinite), same8((int32_t)n)};
    largest8 r[2] = {nothing, nothing};
    lanes8 least[2] = {all8(infinite), all8(infinite)};
    whole8 here = {0, 1, 2, 3, 4, 5, 6, 7};
    int64_t i = 0;
    for (; i + BOTH <= n; i += BOTH, here += BOTH) {
        for (int k = 0; k < 2; k++) {
            const int64_t at = i + LANES * k;
            const lanes8 g = load8(s->g + at) - step * (load8(row + at) - load8(other + at));
            const lanes8 up = g + load8(s->rise + at), down = g + load8(s->fall + at);
            const whole8 better = up > r[k].value;
            store8(s->g + at, g);
            r[k].value = choose8(better, up, r[k].value);
            r[k].at = ((here + LANES * k) & better) | (r[k].at & ~better);
            least[k] = choose8(down < least[k], down, least[k]);
        }
    }
    int64_t place = n;
    *highest = -infinite;
    *lowest = infinite;
    for (int k = 0; k < BOTH; k++) {
        const float value = r[k / LANES].value[k % LANES], down = least[k / LANES][k % LANES];
        const int64_t at = r[k / LANES].at[k % LANES];
        if (value > *highest || (value == *highest && at < place)) {
            *highest = value;
            place = at;
        }
        *lowest = down < *lowest ? down : *lowest;
    }
    for (; i < n; i++) {
        s->g[i] -= step * (row[i] - other[i]);
        const float up = s->g[i] + s->rise[i], down = s->g[i] + s->fall[i];
        if (up > *highest) {
            *highest = up;
            place = i;
        }
        *lowest = down < *lowest ? down : *lowest;
    }
    return place < n ? place : -1;
}

/* The best fraction so far in each lane. Gains are compared as fractions, without dividing: a/b >
 * c/d where a d > c b. */
typedef struct fractions8 {
    lanes8 square, curve;
    whole8 at;
} fractions8;

int64_t NAME(short_partner)(const ney_slopes *s, const float *row, float diagonal, float highest)
{
    const int64_t n = s->n;
    const float tiny = (float)ney_tiny_curve((double)diagonal) + 1e-37f;
    const lanes8 zero = {0}, noise = all8(NEY_PAIR_NOISE), tiny8 = all8(tiny);
    const fractions8 nothing = {{0}, all8(1), same8((int32_t)n)};
    fractions8 r[2] = {nothing, nothing};
    whole8 here = {0, 1, 2, 3, 4, 5, 6, 7};
    int64_t i = 0;
    for (; i + BOTH <= n; i += BOTH, here += BOTH) {
        for (int k = 0; k < 2; k++) {
            const int64_t at = i + LANES * k;
            const lanes8 kernel = load8(row + at);
            const lanes8 apart = highest - (load8(s->g + at) + load8(s->fall + at));
            /* exact for rows that are nearly equal */
            lanes8 curve = (diagonal - kernel) + (load8(s->own + at) - kernel);
            curve = choose8(curve > tiny8, curve, tiny8);
            const lanes8 square = choose8(apart > noise, apart * apart, zero);
            const whole8 better = square * r[k].curve > r[k].square * curve;
            r[k].square = choose8(better, square, r[k].square);
            r[k].curve = choose8(better, curve, r[k].curve);
            r[k].at = ((here + LANES * k) & better) | (r[k].at & ~better);
        }
    }
    int64_t place = n;
    float most = 0, most_curve = 1;
    for (int k = 0; k < BOTH; k++) {
        const fractions8 *const q = &r[k / LANES];
        const float a = q->square[k % LANES] * most_curve, b = most * q->curve[k % LANES];
        if (a > b || (a == b && q->at[k % LANES] < place)) {
            most = q->square[k % LANES];
            most_curve = q->curve[k % LANES];
            place = q->at[k % LANES];
        }
    }
    for (; i < n; i++) {
        const float apart = highest - (s->g[i] + s->fall[i]);
        float curve = (diagonal - row[i]) + (s->own[i] - row[i]);
        curve = curve > tiny ? curve : tiny;
        if (apart > NEY_PAIR_NOISE && apart * apart * most_curve > most * curve) {
            most = apart * apart;
            most_curve = curve;
            place = i;
        }
    }
    return place < n ? place : -1;
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

/* Four rows; entries of the pointers from the n-th on are not read. */
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

void NAME(clipped)(const ney_clipped *c, const double *f, const double *change, double step,
                   double b, int64_t begin, int64_t end, ney_clipped_sums *sums)
{
    clipped4 sum = {{0}, {0}, {0}, {0}, {0}};
    int64_t i = begin;
    for (; i + 4 <= end; i += 4) {
        const lanes4 d = load4(change + i);
        add_clipped(&sum, c, i, load4(f + i) + step * d + b, d);
    }
    if (i < end) { /* the last few, padded with zeros */
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

/* ---- ramp losses */

/* Sums of all rows, and of those of the positive side. */
typedef struct ramps4 {
    lanes4 loss, slope, along, loss_up, slope_up, along_up;
} ramps4;

/* Four rows at scores f + b. */
static inline void add_ramps(ramps4 *sum, const ney_ramps *r, int64_t i, lanes4 score, lanes4 d)
{
    const lanes4 pull = load4(r->pull + i), none = {0}, eta = all4(r->eta);
    const whole4 is_up = pull > none;
    const lanes4 z = choose4(is_up, score, -score), weight = choose4(is_up, pull, -pull);
    const lanes4 inside = (eta - z) + r->width, wide = all4(2 * r->width);
    const lanes4 rise = larger4(none, smaller4(inside * (1 / (2 * r->width)), all4(1)));
    const whole4 is_clipped = r->fixed ? load4(r->fixed + i) != none : z < -eta;
    const lanes4 convex = choose4(inside < wide, r->width * rise * rise, eta - z);
    const lanes4 loss = weight * (convex + choose4(is_clipped, z + eta, none));
    const lanes4 slope = pull * (choose4(is_clipped, all4(1), none) - rise), along = slope * d;
    sum->loss += loss;
    sum->slope += slope;
    sum->along += along;
    sum->loss_up += choose4(is_up, loss, none);
    sum->slope_up += choose4(is_up, slope, none);
    sum->along_up += choose4(is_up, along, none);
}

static inline void split_total(lanes4 all, lanes4 up, double to[2])
{
    to[0] = total4(all - up);
    to[1] = total4(up);
}

void NAME(ramps)(const ney_ramps *r, const double *f, const double *change, double step, double b,
                 int64_t begin, int64_t end, ney_ramp_sums *sums)
{
    ramps4 sum = {{0}, {0}, {0}, {0}, {0}, {0}};
    int64_t i = begin;
    for (; i + 4 <= end; i += 4) {
        const lanes4 d = load4(change + i);
        add_ramps(&sum, r, i, load4(f + i) + step * d + b, d);
    }
    if (i < end) { /* the last few, padded with zeros, of no weight */
        double pad[4][4] = {{0}};
        const size_t bytes = (size_t)(end - i) * sizeof(double);
        memcpy(pad[0], r->pull + i, bytes);
        memcpy(pad[1], r->fixed ? r->fixed + i : r->pull + i, bytes);
        memcpy(pad[2], f + i, bytes);
        memcpy(pad[3], change + i, bytes);
        const ney_ramps last = {pad[0], r->fixed ? pad[1] : NULL, r->eta, r->width};
        add_ramps(&sum, &last, 0, load4(pad[2]) + step * load4(pad[3]) + b, load4(pad[3]));
    }
    split_total(sum.loss, sum.loss_up, sums->loss);
    split_total(sum.slope, sum.slope_up, sums->slope);
    split_total(sum.along, sum.along_up, sums->along);
}

/* ---- candidates for the next event of a path */

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
            (distance > nearer) & (distance > (lanes4){0}); /* NaN: not evaluated yet, so not far */
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
