/* Rows, losses and points; steps are in smooth_step.c. */
#include "learn/batch/smooth_run.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "linalg/vector.h"
#include "qp/linear.h"

#include <math.h>
#include <string.h>

static const double LEAST_MULTIPLIER = 1e-6; /* 0 has no logarithm */

bool ney_smooth_applies(const ney_ramp *r)
{
    return r->w && r->task->x->cols <= NEY_LINEAR_NARROW;
}

/* ---- the rows */

/* All rows, or about `most` of each class, drawn without regard to their order. False where a class
 * is left without weight. */
static bool choose_rows(ney_smooth *s, int64_t most)
{
    const ney_ramp *r = s->r;
    const double share[2] = {(double)most / (double)r->n_bounded, (double)most / (double)r->n_free};
    ney_rng rng = {1};
    s->n = 0;
    s->weight[0] = s->weight[1] = 0;
    for (int64_t i = 0; i < r->n; i++) {
        const bool is_free = ney_ramp_side(r, i) > 0;
        if (share[is_free] >= 1 || ney_rng_unit(&rng) < share[is_free]) {
            s->weight[is_free] += ney_task_weight(r->task, i);
            s->side[s->n] = is_free ? 1 : -1;
            s->row[s->n++] = i;
        }
    }
    return s->weight[0] > 0 && s->weight[1] > 0;
}

ney_status ney_smooth_init(ney_smooth *s, ney_ramp *r, double rate, int64_t most, ney_error *err)
{
    const ney_env *env = &r->task->env;
    const int64_t cols = r->task->x->cols;
    *s = (ney_smooth){.r = r, .aim = rate * r->task->o.C * r->free_weight};
    s->bound = s->aim;
    s->share[0] = ney_ramp_is_share(r) ? r->per_bounded : 1;
    s->share[1] = ney_ramp_is_share(r) ? rate : 0;
    s->row = ney_alloc(env, r->n, sizeof *s->row);
    s->side = ney_alloc(env, r->n, sizeof *s->side);
    if (!s->row || !s->side) {
        return ney_no_memory(err, r->n, "rows");
    }
    if (!choose_rows(s, most)) {
        (void)choose_rows(s, r->n);
    }
    const int64_t n = s->n, blocks = ney_smooth_blocks(s);
    s->n_parts = blocks < NEY_SMOOTH_PARTS ? blocks : NEY_SMOOTH_PARTS;
    s->fixed = ney_alloc_zeroed(env, n, sizeof *s->fixed);
    s->f = ney_alloc_zeroed(env, 5 * n, sizeof *s->f);
    s->at.w = ney_alloc_zeroed(env, 4 * cols, sizeof *s->at.w);
    s->parts = ney_alloc(env, s->n_parts * ney_smooth_part_size(s), sizeof *s->parts);
    s->system = ney_alloc(env, (2 * s->n_parts + 3) * cols * cols, sizeof *s->system);
    s->sums = ney_alloc(env, blocks, sizeof *s->sums);
    s->order = ney_alloc(env, 2 * n, sizeof *s->order);
    if (!s->fixed || !s->f || !s->at.w || !s->parts || !s->system || !s->sums || !s->order) {
        return ney_no_memory(err, n, "scores");
    }
    s->change = s->f + n;
    s->unit = s->f + 2 * n;
    s->curve = s->f + 3 * n;
    s->pull = s->f + 4 * n;
    s->gradient = s->at.w + cols;
    s->direction = s->at.w + 2 * cols;
    s->mean = s->at.w + 3 * cols;
    for (int64_t k = 0; k < n; k++) { /* the rows chosen stand for their class */
        s->unit[k] = r->task->o.C * r->free_weight * ney_task_weight(r->task, s->row[k]) /
                     (2 * r->eta * s->weight[s->side[k] > 0]);
        s->pull[k] = s->side[k] * s->unit[k];
    }
    return NEY_OK;
}

void ney_smooth_deinit(ney_smooth *s)
{
    if (s->r) {
        ney_release_all(&s->r->task->env, s->row, s->side, s->fixed, s->f, s->at.w, s->parts,
                        s->system, s->sums, s->order);
    }
}

/* ---- sums over the rows */

static void probe_block(void *context, int64_t block, int thread)
{
    const ney_smooth_probe *at = context;
    const ney_smooth *s = at->s;
    const ney_ramps ramps = {.pull = s->pull,
                             .fixed = s->is_fixed ? s->fixed : NULL,
                             .eta = s->r->eta,
                             .width = s->width};
    (void)thread;
    ney_loop_ramps(&ramps, s->f, s->change, at->step, at->b, block * NEY_SMOOTH_BLOCK,
                   ney_smooth_block_end(s, block), &s->sums[block]);
}

void ney_smooth_probe_all(ney_smooth_probe *at)
{
    const ney_smooth *s = at->s;
    at->sum = (ney_ramp_sums){0};
    ney_parallel_for(&s->r->task->solver.env, ney_smooth_blocks(s), probe_block, at);
    for (int64_t block = 0; block < ney_smooth_blocks(s); block++) {
        for (int c = 0; c < 2; c++) {
            at->sum.loss[c] += s->sums[block].loss[c];
            at->sum.slope[c] += s->sums[block].slope[c];
            at->sum.along[c] += s->sums[block].along[c];
        }
    }
}

bool ney_smooth_find_intercept(ney_smooth_probe *at)
{
    enum { MOST = 60 };
    double low = -(double)INFINITY, high = (double)INFINITY, reach = at->s->r->eta;
    bool found = false;
    for (int k = 0; k < MOST && !found; k++) {
        ney_smooth_probe_all(at);
        const double rest = at->s->bound - ney_smooth_bounded(at->s, at->sum.loss);
        const double slope = ney_smooth_bounded(at->s, at->sum.slope);
        found = fabs(rest) <= 1e-7 * at->s->bound && (slope > 0 || at->s->share[1] == 0);
        *(rest > 0 ? &low : &high) = at->b;
        if (rest <= 0 && !(slope > 0) && isinf(low) && at->sum.slope[0] == 0 &&
            at->s->share[1] > 0) {
            return false; /* nothing of the bounded class is left, here or below */
        }
        double next = slope > 0 ? at->b + rest / slope : (double)INFINITY;
        if (!(next > low && next < high)) {
            next = isinf(low) || isinf(high) ? at->b + (rest > 0 ? reach : -reach)
                                             : low + (high - low) / 2;
            reach *= 2;
        }
        at->b = found ? at->b : next;
    }
    return found;
}

/* ---- points */

/* The intercept of the point where the bound is met, and J there. */
static bool settle(ney_smooth *s)
{
    ney_smooth_probe at = {.s = s, .b = s->at.b};
    if (!ney_smooth_find_intercept(&at)) {
        return false;
    }
    s->at.b = at.b;
    s->at.objective = 0.5 * ney_dot(s->at.w, s->at.w, s->r->task->x->cols) + at.sum.loss[1];
    return true;
}

bool ney_smooth_begin(ney_smooth *s, const double *w, double b)
{
    ney_ramp_copy_weights(s->r, s->at.w, w);
    s->at.b = b;
    s->is_fixed = false;
    s->bound = s->aim;
    ney_smooth_score(s, s->at.w, s->f);
    return settle(s);
}

bool ney_smooth_release(ney_smooth *s)
{
    s->is_fixed = false;
    s->bound = s->aim;
    return settle(s);
}

void ney_smooth_fix(ney_smooth *s, double share)
{
    const double eta = s->r->eta;
    double weight = 0;
    int64_t m = 0;
    ney_smooth_probe at = {.s = s, .b = s->at.b};
    ney_smooth_probe_all(&at);
    const double most = (s->aim - s->share[1] * at.sum.loss[1]) / s->share[0];
    const double allowed = share * most / (2 * eta) * (1 + 1e-12);
    for (int64_t k = 0; k < s->n; k++) {
        const double z = s->side[k] * (s->f[k] + s->at.b);
        s->fixed[k] = share > 0 && s->side[k] > 0 && z < -eta;
        s->order[m] = (ney_ranked){z, k};
        m += s->side[k] < 0 && z < eta;
    }
    ney_order(s->order, s->order + s->n, m);
    for (int64_t j = 0; j < m; j++) {
        weight += s->unit[s->order[j].row];
        if (weight > allowed) {
            break;
        }
        s->fixed[s->order[j].row] = 1;
    }
    s->is_fixed = true;
    ney_smooth_probe_all(&at);
    s->bound = fmax(s->aim, ney_smooth_bounded(s, at.sum.loss));
    (void)settle(s);
}

ney_status ney_smooth_give(ney_smooth *s, ney_error *err)
{
    ney_ramp *r = s->r;
    ney_smooth_probe at = {.s = s, .b = s->at.b};
    ney_smooth_probe_all(&at);
    if (ney_smooth_bounded(s, at.sum.slope) > 0) {
        s->lambda = ney_smooth_lambda(s, at.sum.slope);
    }
    s->lambda = fmin(fmax(s->lambda, LEAST_MULTIPLIER), ney_ramp_top(r, r->rate));
    for (int64_t i = 0; i < r->n; i++) {
        const double z = s->side[i] * (s->f[i] + s->at.b);
        const double slope = ney_corner_at(s, i, z).slope;
        r->clipped[i] = z < -r->eta;
        s->change[i] =
            -s->side[i] * s->unit[i] * ney_smooth_class_weight(s, s->side[i] > 0) * slope;
    }
    memcpy(r->f, s->f, (size_t)r->n * sizeof *r->f);
    ney_ramp_copy_weights(r, r->w, s->at.w);
    r->intercept = s->at.b;
    return ney_ramp_place(r, s->lambda, s->change, err);
}
