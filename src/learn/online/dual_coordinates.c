#include "learn/online/dual_coordinates.h"

#include "learn/online/online.h"
#include "linalg/vector.h"

#include <math.h>
#include <string.h>

enum {
    MOST_ROWS = 1 << 24, /* 64 MB of alpha */
    SWEEPS = 3           /* over mapped rows: mapping costs more than a visit */
};

bool ney_dual_suits(const ney_online *r)
{
    return r->o.features > 0 && !r->problem.is_cost && r->o.loss == NEY_LOSS_RAMP && !r->from &&
           r->feed->all_rows <= MOST_ROWS;
}

ney_status ney_dual_init(ney_dual *d, const ney_env *env, int64_t n, int64_t rows, ney_error *err)
{
    const int64_t wide = (n + 2) * (int64_t)sizeof *d->sum;
    *d = (ney_dual){.n = n, .fixed = wide + 2 * (n + 1) * (int64_t)sizeof *d->w};
    d->block = ney_alloc_zeroed(env, d->fixed + rows * (int64_t)sizeof *d->alpha, 1);
    if (!d->block) {
        return ney_no_memory(err, rows, "dual coordinates");
    }
    d->sum = (double *)(void *)d->block;
    d->w = (float *)(void *)(d->block + wide);
    d->mean = d->w + n + 1;
    d->alpha = d->mean + n + 1;
    return NEY_OK;
}

void ney_dual_deinit(ney_dual *d, const ney_env *env)
{
    ney_release(env, d->block);
    *d = (ney_dual){0};
}

bool ney_dual_fits(const ney_dual *d, int64_t bytes, const char *block)
{
    const int64_t n_wide = d->n + 2, n_weights = 2 * (d->n + 1);
    const int64_t n_all = (bytes - n_wide * (int64_t)sizeof *d->sum) / (int64_t)sizeof *d->w;
    for (int64_t k = 0; k < n_wide; k++) {
        double x;
        memcpy(&x, block + k * (int64_t)sizeof x, sizeof x);
        if (!isfinite(x) || (k == n_wide - 1 && x < 0)) {
            return false;
        }
    }
    block += n_wide * (int64_t)sizeof *d->sum;
    for (int64_t k = 0; k < n_all; k++) {
        float x;
        memcpy(&x, block + k * (int64_t)sizeof x, sizeof x);
        const bool is_code = k >= n_weights && (x == -2 || x == -4 || x == -8); /* skip_code() */
        if (!isfinite(x) || (k >= n_weights && x < 0 && !is_code)) {
            return false;
        }
    }
    return true;
}

/* ---------------------------------------------------------------- visits */

/* Rows that are mapped together. */
typedef struct batch {
    int64_t n;
    int64_t place[NEY_ONLINE_BATCH], row[NEY_ONLINE_BATCH]; /* in the window, and in all */
    int y[NEY_ONLINE_BATCH];                                /* +1 in the free class */
    double most[NEY_ONLINE_BATCH];                          /* U of [DUAL.1] */
    bool is_evaluated[NEY_ONLINE_BATCH];                    /* whether is_clipped is known */
    bool is_clipped[NEY_ONLINE_BATCH];
} batch;

/* alpha = -k: the row is visited in one epoch of k. */
static bool is_skipped(const ney_online *r, int64_t row)
{
    const float alpha = r->learner.dual.alpha[row];
    if (alpha >= 0) {
        return false;
    }
    const uint64_t mixed = (uint64_t)row * UINT64_C(0x9e3779b97f4a7c15) >> 33;
    return (mixed + (uint64_t)r->state.epoch) % (uint64_t)-alpha != 0;
}

static float skip_code(double z, double eta)
{
    return z < 1.5 * eta ? -2 : z < 2 * eta ? -4 : -8;
}

/* The next rows that are not skipped. */
static void gather_batch(ney_online *r, const ney_window *w, int64_t end, batch *b)
{
    const double lambda = exp(r->state.log_lambda);
    for (b->n = 0; r->state.position < end && b->n < NEY_ONLINE_BATCH; r->state.position++) {
        const int64_t i = w->visit[r->state.position];
        if (is_skipped(r, w->number[i])) {
            continue;
        }
        const bool positive = w->label[i] > 0;
        const int y = r->problem.sign * w->label[i];
        b->place[b->n] = i;
        b->row[b->n] = w->number[i];
        b->y[b->n] = y;
        b->is_evaluated[b->n] = false;
        b->most[b->n] = (double)w->weight[i] * (y < 0 ? lambda : 1) /
                        (r->problem.mu * r->parts.weight[positive] * 2 * r->o.eta);
        b->n++;
    }
}

/* [DUAL.2] for row k of a batch. */
static void visit_coordinate(ney_online *r, batch *b, int64_t k, int sweep)
{
    ney_dual *const d = &r->learner.dual;
    const float *const phi = r->learner.visits.phi + k * d->n;
    const double eta = r->o.eta, slowness = ney_rounds_slowness(r);
    float *const alpha = &d->alpha[b->row[k]];
    const double old = fmax(0, (double)*alpha);
    const double z = b->y[k] * (ney_vector_dot_float(phi, d->w, d->n) + (double)d->w[d->n]);
    if (old == 0 && z >= eta) {
        *alpha = r->state.epoch > 0 && sweep == SWEEPS - 1 ? skip_code(z, eta) : 0;
        return;
    }
    if (!b->is_evaluated[k]) {
        b->is_evaluated[k] = true;
        b->is_clipped[k] =
            r->state.epoch > 0 &&
            b->y[k] * (ney_vector_dot_float(phi, d->mean, d->n) + (double)d->mean[d->n]) < -eta;
    }
    const double best =
        b->is_clipped[k] ? 0 : fmin(b->most[k], fmax(0, old + (eta - z) / (2 * slowness)));
    *alpha = (float)best;
    const float change = (float)b->y[k] * (float)(slowness * ((double)*alpha - old));
    if (change != 0) {
        ney_vector_axpy_float(change, phi, d->w, d->n);
        d->w[d->n] += change;
    }
}

void ney_dual_learn(ney_online *r, const ney_window *w, int64_t end)
{
    ney_dual *const d = &r->learner.dual;
    batch b;
    gather_batch(r, w, end, &b);
    ney_visits_map(&r->learner.visits, &r->env, w, b.place, b.n);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int64_t k = 0; k < b.n; k++) {
            visit_coordinate(r, &b, k, sweep);
        }
    }
    if (r->rounds.comm) { /* the mean is made of the weights after each round */
        r->state.visits += b.n;
        return;
    }
    const bool is_beginning =
        r->state.epoch == 0 && 2 * (double)r->state.visits < r->schedule.epoch_visits;
    r->state.visits += b.n;
    if (is_beginning &&
        2 * (double)r->state.visits >=
            r->schedule.epoch_visits) { /* the mean leaves out the first half of the first epoch */
        memset(d->sum, 0, (size_t)(d->n + 2) * sizeof *d->sum);
    }
    for (int64_t k = 0; k <= d->n; k++) {
        d->sum[k] += (double)b.n * (double)d->w[k];
    }
    d->sum[d->n + 1] += (double)b.n;
}

/* ---------------------------------------------------------------- epochs */

void ney_dual_turn(ney_dual *d, int64_t epoch)
{
    const double mass = d->sum[d->n + 1], share = epoch < 2 ? 1 : 0.5;
    for (int64_t k = 0; mass > 0 && k <= d->n; k++) {
        const double old = (double)d->mean[k];
        d->mean[k] = (float)(old + share * (d->sum[k] / mass - old));
    }
    memset(d->sum, 0, (size_t)(d->n + 2) * sizeof *d->sum);
}

void ney_dual_average(const ney_dual *d, double *w, double *b)
{
    const double mass = d->sum[d->n + 1];
    for (int64_t k = 0; k < d->n; k++) {
        w[k] = mass > 0 ? d->sum[k] / mass : (double)d->mean[k];
    }
    *b = mass > 0 ? d->sum[d->n] / mass : (double)d->mean[d->n];
}

typedef struct shifted {
    const ney_online *run;
    double shift;
} shifted;

/* Rows, their weight and that of rows within eta of the intercept, of both classes. */
static void add_near(void *context, int64_t begin, int64_t end, double *sum)
{
    const shifted *const s = context;
    const ney_online *const r = s->run;
    const ney_data *const d = r->validation.data;
    for (int64_t i = begin; i < end; i++) {
        const int free = r->problem.sign * d->label[i] > 0;
        const double weight = d->weight ? (double)d->weight[i] : 1;
        sum[free]++;
        sum[2 + free] += weight;
        sum[4 + free] += fabs(r->validation.score[i] + s->shift) < r->o.eta ? weight : 0;
    }
}

double ney_online_slope(const ney_online *r, double shift)
{
    const ney_data *const d = r->validation.data;
    double sum[6];
    const double *const n = sum, *const all = sum + 2, *const near = sum + 4;
    ney_sum_rows(d->blocks, d->x.rows, add_near, &(shifted){r, shift}, sum, 6);
    return all[0] > 0 && all[1] > 0 ? (near[1] / all[1] + 1 / n[1]) / (near[0] / all[0] + 1 / n[0])
                                    : exp(r->state.log_lambda);
}

void ney_dual_follow(ney_online *r, double shift)
{
    const double change = log(ney_online_slope(r, shift)) - r->state.log_lambda;
    r->state.log_lambda += fmin(2, fmax(-2, change));
    r->state.log_lambda = ney_multiplier_clamp(&r->multiplier, r->state.log_lambda);
}
