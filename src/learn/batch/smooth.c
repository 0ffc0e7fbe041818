/* Rows, losses and points; steps are in smooth_step.c. */
#include "learn/batch/smooth_run.h"

#include "base/rng.h"
#include "learn/shared.h"
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

/* How many rows of the bounded class, and of the free one, the processes before this one have. */
static void count_rows_before(const ney_ramp *r, int64_t before[2])
{
    const ney_comm *const comm = ney_blocks_comm(r->task->blocks);
    const int rank = ney_comm_rank(comm);
    int64_t end[2];
    before[0] = before[1] = 0;
    if (rank > 0) {
        comm->receive(comm->state, rank - 1, before, sizeof end);
    }
    if (rank + 1 < ney_comm_size(comm)) {
        end[0] = before[0];
        end[1] = before[1];
        for (int64_t i = 0; i < r->n; i++) {
            end[ney_ramp_side(r, i) > 0]++;
        }
        comm->send(comm->state, rank + 1, end, sizeof end);
    }
}

/* All rows, or about `most` of each class, drawn without regard to their order: the same ones
 * whatever processes have them. */
static void choose_rows(ney_smooth *s, int64_t most)
{
    const ney_ramp *r = s->r;
    const double share[2] = {(double)most / (double)r->n_bounded, (double)most / (double)r->n_free};
    int64_t before[2];
    ney_rng rng = {1};
    count_rows_before(r, before);
    ney_rng_skip(&rng, (share[0] < 1 ? before[0] : 0) + (share[1] < 1 ? before[1] : 0));
    s->n = 0;
    for (int64_t i = 0; i < r->n; i++) {
        const bool is_free = ney_ramp_side(r, i) > 0;
        if (share[is_free] >= 1 || ney_rng_unit(&rng) < share[is_free]) {
            s->side[s->n] = is_free ? 1 : -1;
            s->row[s->n++] = i;
        }
    }
}

static void add_weights(void *context, int64_t begin, int64_t end, double *sum)
{
    const ney_smooth *const s = context;
    for (int64_t k = begin; k < end; k++) {
        sum[s->side[k] > 0] += ney_task_weight(s->r->task, s->row[k]);
    }
}

/* Rows, their blocks and the weights of either class; *enough: neither is 0. */
static ney_status take_rows(ney_smooth *s, int64_t most, bool *enough, ney_error *err)
{
    const ney_row_blocks *const of = s->r->task->blocks;
    ney_status st = NEY_OK;
    ney_row_blocks_free(s->chosen);
    s->chosen = NULL;
    s->blocks = of;
    choose_rows(s, most);
    if (most < s->r->n_bounded || most < s->r->n_free) {
        st = ney_row_blocks_take(&s->chosen, of, s->row, s->n, err);
        s->blocks = s->chosen;
    }
    if (st == NEY_OK) {
        ney_sum_rows(s->blocks, s->n, add_weights, s, s->weight, 2);
        *enough = s->weight[0] > 0 && s->weight[1] > 0;
    }
    return st;
}

static ney_status choose_enough(ney_smooth *s, int64_t most, ney_error *err)
{
    const int64_t all = s->r->n_bounded + s->r->n_free;
    bool enough = false;
    const ney_status st = take_rows(s, most, &enough, err);
    return st == NEY_OK && !enough ? take_rows(s, all, &enough, err) : st;
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
    ney_status st = s->row && s->side ? NEY_OK : ney_no_memory(err, r->n, "rows");
    if ((st = ney_shared_agree(r->task->blocks, st, err)) != NEY_OK ||
        (st = choose_enough(s, most, err)) != NEY_OK) {
        return st;
    }
    const int64_t n = s->n;
    s->fixed = ney_alloc_zeroed(env, n, sizeof *s->fixed);
    s->f = ney_alloc_zeroed(env, 5 * n, sizeof *s->f);
    s->at.w = ney_alloc_zeroed(env, 4 * cols, sizeof *s->at.w);
    s->system = ney_alloc(env, cols * cols, sizeof *s->system);
    s->order = ney_alloc(env, 2 * n, sizeof *s->order);
    const bool fine =
        ney_smooth_sum_init(s) && s->fixed && s->f && s->at.w && s->system && s->order;
    if ((st = ney_shared_agree(r->task->blocks, fine ? NEY_OK : ney_no_memory(err, n, "scores"),
                               err)) != NEY_OK) {
        return st;
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
        ney_smooth_sum_deinit(s);
        ney_row_blocks_free(s->chosen);
        ney_release_all(&s->r->task->env, s->row, s->side, s->fixed, s->f, s->at.w, s->system,
                        s->order);
    }
}

/* ---- points */

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

static double unit_of(const void *context, int64_t row)
{
    const ney_smooth *const s = context;
    return s->unit[row];
}

/* Of the m rows in s->order, and those of other processes, the worst, as long as the sum of their
 * units is allowed. */
static void fix_worst(ney_smooth *s, int64_t m, double high, double allowed)
{
    double weight = 0;
    if (s->blocks) {
        const double most = ney_shared_limit(s->blocks, s->order, m, unit_of, s, high, allowed);
        for (int64_t j = 0; j < m; j++) {
            s->fixed[s->order[j].row] = s->order[j].score <= most;
        }
        return;
    }
    ney_order(s->order, s->order + s->n, m);
    for (int64_t j = 0; j < m; j++) {
        weight += s->unit[s->order[j].row];
        if (weight > allowed) {
            break;
        }
        s->fixed[s->order[j].row] = 1;
    }
}

void ney_smooth_fix(ney_smooth *s, double share)
{
    const double eta = s->r->eta;
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
    fix_worst(s, m, eta, allowed);
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
