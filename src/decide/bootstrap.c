#include "decide/bootstrap.h"

#include "base/parallel.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

enum { BATCH = 256 }; /* resamples between two calls of poll */

static const double UNIT_WEIGHT = 0x1p20; /* the mean weight */

typedef struct run_state {
    const ney_bootstrap *boot;
    uint32_t *weight, *scratch; /* of each thread */
    double *row;                /* statistics of one resample, of each thread */
    double *value;              /* the result */
    int64_t first;
} run_state;

/* Exponential numbers, at most 37 times the mean. */
static void draw_weights(const ney_bootstrap *b, int64_t resample, uint32_t *weight)
{
    ney_rng rng = {b->seed};
    rng.state = ney_rng_next(&rng) + (uint64_t)resample;
    rng.state = ney_rng_next(&rng); /* streams of neighbours do not overlap */
    for (int64_t u = 0; u < b->n_units; u++) {
        weight[u] = (uint32_t)(-UNIT_WEIGHT * log(1 - ney_rng_unit(&rng)));
    }
}

static void compute_resample(void *context, int64_t i, int thread)
{
    const run_state *s = context;
    const ney_bootstrap *b = s->boot;
    const int64_t resample = s->first + i;
    uint32_t *weight = s->weight + thread * b->n_units;
    double *row = s->row + thread * b->n_values;

    draw_weights(b, resample, weight);
    b->statistic(b->context, weight, s->scratch + thread * b->n_scratch, row);
    for (int64_t k = 0; k < b->n_values; k++) {
        s->value[k * b->n_resamples + resample] = row[k];
    }
}

ney_status ney_bootstrap_run(const ney_bootstrap *boot, const ney_env *env, double *value,
                             ney_error *err)
{
    const int64_t threads = ney_threads(env);
    run_state s = {.boot = boot,
                   .weight = ney_alloc(env, threads * boot->n_units, sizeof *s.weight),
                   .scratch = ney_alloc(env, threads * boot->n_scratch, sizeof *s.scratch),
                   .row = ney_alloc(env, threads * boot->n_values, sizeof *s.row),
                   .value = value};
    ney_status st = NEY_OK;

    if (!s.weight || !s.scratch || !s.row) {
        st = ney_no_memory(err, boot->n_units, "resampled rows");
    }
    for (; st == NEY_OK && s.first < boot->n_resamples; s.first += BATCH) {
        const int64_t left = boot->n_resamples - s.first;
        ney_parallel_for(env, left < BATCH ? left : BATCH, compute_resample, &s);
        if (!ney_poll(env, "resampling", (double)s.first, (double)boot->n_resamples)) {
            st = ney_fail(err, NEY_ECANCELLED, "resampling was cancelled");
        }
    }
    ney_release(env, s.weight);
    ney_release(env, s.scratch);
    ney_release(env, s.row);
    return st;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void ney_percentile_limits(double *lower, double *upper, int64_t n, double tail, double *low,
                           double *high)
{
    const int64_t rank = (int64_t)floor((double)(n + 1) * tail + 1e-9);

    *low = -(double)INFINITY;
    *high = (double)INFINITY;
    if (rank >= 1 && rank <= n) {
        qsort(lower, (size_t)n, sizeof *lower, ascending);
        qsort(upper, (size_t)n, sizeof *upper, ascending);
        *low = lower[rank - 1];
        *high = upper[n - rank];
    }
}

double ney_percentile_p_value(const double *lower, const double *upper, int64_t n)
{
    int64_t not_above = 1, not_below = 1; /* the sample itself counts on either side */

    for (int64_t b = 0; b < n; b++) {
        not_above += lower[b] <= 0;
        not_below += upper[b] >= 0;
    }
    return fmin(1, 2 * (double)(not_above < not_below ? not_above : not_below) / (double)(n + 1));
}

/* adjusted_(i) = max over j <= i of (n - j + 1) p_(j), p_(1) <= p_(2) <= ... */
void ney_holm(const double *p, int64_t n, double *adjusted)
{
    for (int64_t k = 0; k < n; k++) {
        adjusted[k] = 0;
        for (int64_t j = 0; j < n; j++) {
            int64_t not_smaller = 0;
            for (int64_t i = 0; i < n; i++) {
                not_smaller += p[i] >= p[j];
            }
            if (p[j] <= p[k]) {
                adjusted[k] = fmax(adjusted[k], fmin(1, (double)not_smaller * p[j]));
            }
        }
    }
}
