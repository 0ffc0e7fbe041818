#include "support/ref_groups.h"

#include "support/ref_decide.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_GROUPS = 4096 };

/* splitmix64 */
static uint64_t mix(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static int64_t below(uint64_t *state, int64_t n)
{
    /* floor(x n / 2^64) for n below 2^31, from the halves of x */
    const uint64_t x = mix(state), m = (uint64_t)n;
    return (int64_t)(((x >> 32) * m + (((x & UINT32_MAX) * m) >> 32)) >> 32);
}

static const uint64_t SEED = UINT64_C(0x67726f757073); /* "groups" */

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The keys of the groups, ascending. */
static int64_t keys_of(const uint64_t *group, int64_t n, uint64_t *key)
{
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++) {
        bool seen = false;
        for (int64_t k = 0; k < m && !seen; k++) {
            seen = key[k] == group[i];
        }
        if (!seen && m < MOST_GROUPS) {
            key[m++] = group[i];
        }
    }
    qsort(key, (size_t)m, sizeof *key, by_value);
    return m;
}

int64_t ref_group_count(const uint64_t *group, int64_t n)
{
    uint64_t key[MOST_GROUPS];
    return keys_of(group, n, key);
}

static long double share_above(const double *score, const uint64_t *group, int64_t n, uint64_t key,
                               double t)
{
    int64_t above = 0, all = 0;
    for (int64_t i = 0; i < n; i++) {
        all += group[i] == key;
        above += group[i] == key && score[i] > t;
    }
    return (long double)above / (long double)all;
}

double ref_group_rate(const double *score, const uint64_t *group, int64_t n, double t)
{
    uint64_t key[MOST_GROUPS];
    const int64_t m = keys_of(group, n, key);
    long double sum = 0;
    for (int64_t k = 0; k < m; k++) {
        sum += share_above(score, group, n, key[k], t);
    }
    return (double)(sum / (long double)m);
}

/* The stakes of the page on groups: from the Kelly stake of zeros and ones with the largest share
 * of ones that still rejects, up to 1 / (1 - a), in four equal steps of their logarithm. */
static void stakes(int64_t n, long double a, long double delta, long double stake[5])
{
    long double low = 0, high = a;
    for (int i = 0; i < 200; i++) {
        const long double q = (low + high) / 2;
        const long double kl = q * logl(q / a) + (1 - q) * logl((1 - q) / (1 - a));
        *(n * kl >= logl(1 / delta) ? &low : &high) = q;
    }
    const long double least = (a - low) / (a * (1 - a)), most = 1 / (1 - a);
    for (int j = 0; j < 5; j++) {
        stake[j] = least * powl(most / least, j / 4.0L);
    }
}

double ref_group_bet(const double *score, const uint64_t *group, int64_t n, double max_rate,
                     double delta, long double *slack)
{
    uint64_t key[MOST_GROUPS];
    long double stake[5];
    const int64_t m = keys_of(group, n, key);
    double best = (double)INFINITY, last = (double)INFINITY;

    stakes(m, max_rate, delta, stake);
    *slack = (long double)INFINITY;
    for (;;) { /* the next smaller score */
        double t = -(double)INFINITY;
        bool there = false, rejects = false;
        for (int64_t i = 0; i < n; i++) {
            if ((last == (double)INFINITY || score[i] < last) && score[i] >= t) {
                t = score[i];
                there = true;
            }
        }
        if (!there || (best < (double)INFINITY && t >= best)) {
            return best;
        }
        long double capital[5] = {1, 1, 1, 1, 1}, mean = 0;
        for (int64_t k = 0; k < m; k++) {
            const long double x = share_above(score, group, n, key[k], t);
            for (int j = 0; j < 5; j++) {
                capital[j] *= fmaxl(0, 1 - stake[j] * (x - (long double)max_rate));
            }
        }
        for (int j = 0; j < 5; j++) {
            mean += capital[j] / 5;
        }
        rejects = mean >= 1 / (long double)delta;
        *slack = fminl(*slack, fabsl(mean * (long double)delta - 1));
        if (!rejects) {
            return best;
        }
        best = last = t;
    }
}

static int by_score(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double ref_group_draw(const double *score, const uint64_t *group, int64_t n, double max_rate,
                      double delta)
{
    uint64_t key[MOST_GROUPS], state = SEED;
    double drawn[MOST_GROUPS];
    long double slack;
    const int64_t m = keys_of(group, n, key);
    for (int64_t k = 0; k < m; k++) {
        int64_t size = 0;
        for (int64_t i = 0; i < n; i++) {
            size += group[i] == key[k];
        }
        int64_t left = below(&state, size);
        for (int64_t i = 0; i < n; i++) {
            if (group[i] == key[k] && left-- == 0) {
                drawn[k] = score[i];
            }
        }
    }
    qsort(drawn, (size_t)m, sizeof *drawn, by_score);
    return drawn[ref_umbrella_rank(m, max_rate, delta, &slack) - 1];
}

/* ---- random effects */

double rnd_normal(rnd *r)
{
    return sqrt(-2 * log(1 - rnd_unit(r))) * cos(6.283185307179586 * rnd_unit(r));
}

int64_t draw_effects(rnd *r, const random_effects *e, double *score, uint64_t *group)
{
    int64_t n = 0;
    for (int64_t g = 0; g < e->groups; g++) {
        const double u = e->effect * rnd_normal(r);
        const uint64_t key = rnd_next(r);
        const int64_t size = e->informative
                                 ? 1 + (int64_t)((double)(e->most - 1) / (1 + exp(-2 * u)))
                                 : 1 + rnd_below(r, e->most);
        for (int64_t i = 0; i < size; i++, n++) {
            const double s = u + rnd_normal(r);
            score[n] = e->step > 0 ? e->step * floor(s / e->step) : s;
            group[n] = key;
        }
    }
    return n;
}

double effects_rate(const random_effects *e, double t)
{
    /* floor(s / step) * step > t means s >= the next multiple above t */
    const double from = e->step > 0 ? e->step * (floor(t / e->step) + 1) : t;
    return 0.5 * erfc(from / sqrt(1 + e->effect * e->effect) / sqrt(2));
}
