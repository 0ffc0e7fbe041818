/* Where descents start: SVMs at several multipliers, then rough descents from the best of them and
 * from other choices of clipped examples. */
#include "learn/batch/descent_run.h"

#include "base/rng.h"
#include "learn/batch/smooth.h"
#include "learn/shared.h"

#include <math.h>
#include <string.h>

enum { MOST_SVMS = 5 }; /* multipliers tried with no example clipped */

static const double GAIN = 1e-3; /* a relative fall of J that a rough descent goes on for */

ney_status ney_descent_solve_svm(ney_descent_run *d, ney_error *err)
{
    ney_descent_clip_nothing(d);
    const ney_status st = ney_ramp_solve_svm(&d->ramp, d->rough, &d->now, err);
    if (st == NEY_OK) {
        ney_descent_evaluate(d, 0);
    }
    return st;
}

/* Multipliers at which P comes near A. */
static ney_status solve_other_svms(ney_descent_run *d, ney_error *err)
{
    double lambda = d->bound->lambda > 0 ? d->bound->lambda : d->ramp.lambda;
    ney_multiplier search = d->search;
    ney_status st = NEY_OK;
    ney_descent_clip_nothing(d);
    for (int k = 1; k < MOST_SVMS && st == NEY_OK && !ney_descent_was_stopped(d); k++) {
        if (ney_descent_is_active(d, d->now.ratio) || ney_multiplier_is_tight(&search, 1.05)) {
            break;
        }
        ney_multiplier_see(&search, lambda, d->now.ratio);
        lambda = fmin(ney_multiplier_next(&search), d->top);
        st = ney_descent_solve(d, lambda, d->rough, 0, err);
    }
    ney_descent_store(d, &d->svm);
    return st;
}

/* Rough rounds from what d->next clips until J falls no more. The first has its own limit. */
static ney_status descend_roughly(ney_descent_run *d, int first_tries, ney_error *err)
{
    double last = (double)INFINITY;
    ney_status st = NEY_OK;
    d->starts++;
    for (int k = 0; k < NEY_DESCENT_ROUNDS; k++) {
        st = ney_descent_search_multiplier(d, d->rough, NEY_DESCENT_NEAR,
                                           k == 0 ? first_tries : d->tries, err);
        if (st != NEY_OK || ney_descent_was_stopped(d)) {
            return st;
        }
        const int64_t changed = ney_ramp_clip(&d->ramp, d->shift, d->next);
        if (k > 0 && (changed == 0 || last - d->objective < GAIN * d->objective)) {
            break;
        }
        last = d->objective;
    }
    return st;
}

static double weight_of(const void *context, int64_t row)
{
    const ney_ramp *const r = context;
    return ney_task_weight(r->task, row);
}

/* Of the m rows in d->order, which other processes have too, those up to the largest margin at
 * which their weight is allowed. */
static void clip_shared(ney_descent_run *d, int64_t m, double allowed)
{
    const ney_ramp *const r = &d->ramp;
    const double most =
        ney_shared_limit(r->task->blocks, d->order, m, weight_of, r, r->eta, allowed);
    for (int64_t k = 0; k < m; k++) {
        d->next[d->order[k].row] = d->order[k].score <= most;
    }
}

/* The tangent at the shifted intercept for the free class; of the bounded class the worst rows, as
 * long as their weight is within a share of what A allows and they are inside the band or beyond.
 */
static void clip_worst(ney_descent_run *d, double share)
{
    const ney_ramp *r = &d->ramp;
    const double allowed = share * ney_ramp_allowed_weight(r, d->shift) * (1 + 1e-12);
    int64_t m = 0;
    double weight = 0;
    (void)ney_ramp_clip(r, d->shift, d->next);
    for (int64_t i = 0; i < r->n; i++) {
        const double margin = -(r->f[i] + r->intercept + d->shift);
        if (ney_ramp_side(r, i) < 0) {
            d->next[i] = false;
            d->order[m] = (ney_ranked){margin, i};
            m += margin < r->eta;
        }
    }
    if (r->task->blocks) {
        clip_shared(d, m, allowed);
        return;
    }
    ney_order(d->order, d->order + r->n, m);
    for (int64_t k = 0; k < m; k++) {
        weight += ney_task_weight(r->task, d->order[k].row);
        if (weight > allowed) {
            break;
        }
        d->next[d->order[k].row] = true;
    }
}

/* The SVM at the multiplier of the best solution, from the SVM at another one. */
static ney_status solve_svm_at_best(ney_descent_run *d, ney_error *err)
{
    ney_status st = ney_descent_restore(d, &d->svm, err);
    if (st == NEY_OK) {
        ney_descent_clip_nothing(d);
        st = ney_descent_solve(d, d->best.lambda, d->rough, 0, err);
        ney_descent_store(d, &d->svm);
    }
    return st;
}

static ney_status start_from_best(ney_descent_run *d, ney_error *err)
{
    const ney_status st = ney_descent_return_to_best(d, err);
    (void)ney_ramp_clip(&d->ramp, d->shift, d->next);
    return st == NEY_OK ? descend_roughly(d, d->tries, err) : st;
}

/* Half of what A allows is clipped at once, around a solution that saw all rows. */
static ney_status start_from_svm(ney_descent_run *d, ney_error *err)
{
    const ney_status st = solve_svm_at_best(d, err);
    if (st != NEY_OK || ney_descent_was_stopped(d)) {
        return st;
    }
    clip_worst(d, 0.5);
    return descend_roughly(d, d->first_tries, err);
}

/* All that A allows. */
static ney_status start_from_full_budget(ney_descent_run *d, ney_error *err)
{
    const ney_status st = ney_descent_return_to_best(d, err);
    clip_worst(d, 1);
    return st == NEY_OK ? descend_roughly(d, d->first_tries, err) : st;
}

/* What Uzawa's method clips first at this multiplier. More than A allows may be clipped, and then
 * no multiplier brings P~ down: the first round is one problem. */
static ney_status start_from_uzawa(ney_descent_run *d, ney_error *err)
{
    const ney_status st = solve_svm_at_best(d, err);
    if (st != NEY_OK || ney_descent_was_stopped(d)) {
        return st;
    }
    (void)ney_ramp_clip(&d->ramp, 0, d->next);
    return descend_roughly(d, 1, err);
}

/* What the caller clips, at its multiplier. */
static ney_status start_from_bound(ney_descent_run *d, ney_error *err)
{
    if (!d->bound->clipped) {
        return NEY_OK;
    }
    memcpy(d->next, d->bound->clipped, (size_t)d->ramp.n * sizeof *d->next);
    const ney_status st = ney_ramp_move(&d->ramp, d->bound->lambda, d->next, err);
    return st == NEY_OK ? descend_roughly(d, d->tries, err) : st;
}

/* Clipped at random, to measure how much depends on the start. */
static ney_status start_at_random(ney_descent_run *d, ney_error *err)
{
    const ney_row_blocks *const blocks = d->ramp.task->blocks;
    ney_rng rng = {(uint64_t)d->ramp.task->o.start};
    ney_rng_skip(&rng, blocks ? blocks->first_row : 0); /* rows of other processes */
    for (int64_t i = 0; i < d->ramp.n; i++) {
        d->next[i] = ney_rng_unit(&rng) < 0.5;
    }
    return descend_roughly(d, 1, err);
}

/* Descents from every start, whose convex problems are solved roughly. */
static ney_status run_rough_starts(ney_descent_run *d, ney_error *err)
{
    static ney_status (*const start[])(ney_descent_run *, ney_error *) = {
        solve_other_svms, start_from_bound,       start_from_best,
        start_from_svm,   start_from_full_budget, start_from_uzawa};
    ney_status st = NEY_OK;
    for (size_t k = 0;
         k < sizeof start / sizeof *start && st == NEY_OK && !ney_descent_was_stopped(d); k++) {
        st = start[k](d, err);
    }
    return st;
}

ney_status ney_descent_run_starts(ney_descent_run *d, ney_error *err)
{
    const bool is_random = d->ramp.task->o.start > 0;
    const bool is_smooth = !is_random && ney_smooth_applies(&d->ramp);
    ney_status st = is_smooth && d->bound->w ? NEY_OK : ney_descent_solve_svm(d, err);
    bool done = false;
    if (st == NEY_OK && is_smooth && !ney_descent_was_stopped(d)) {
        st = ney_descent_start_smoothly(d, &done, err);
    }
    if (st == NEY_OK && !done && !d->best.is_set) {
        st = ney_descent_solve_svm(d, err);
    }
    if (st != NEY_OK || done || ney_descent_was_stopped(d)) {
        return st;
    }
    if (is_random) {
        st = solve_other_svms(d, err);
        return st == NEY_OK && !ney_descent_was_stopped(d) ? start_at_random(d, err) : st;
    }
    return run_rough_starts(d, err);
}
