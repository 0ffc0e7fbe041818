#include "learn/batch/descent.h"

#include "base/rng.h"
#include "learn/batch/multiplier.h"
#include "learn/batch/ramp.h"

#include <math.h>
#include <string.h>

enum {
    MOST_STEPS = 500, /* convex problems of a run */
    MOST_SVMS = 5,    /* multipliers tried with no example clipped */
    MOST_REPEATS = 3,
    MOST_ROUNDS = 60, /* of one descent, and of the last one */
    ROUGH_TRIES = 4,  /* multipliers tried per round of a rough descent */
    FINE_TRIES = 30,  /* and of the last one */
    MANY_ROUNDS = 15  /* from then on a change below the gap is none */
};

static const double WINDOW = 0.005;   /* the constraint is active from (1 - WINDOW) A on */
static const double NEAR = 1.1;       /* P~ is near A within this factor */
static const double GAIN = 1e-3;      /* a relative fall of J that a rough descent goes on for */
static const double CLOSE = 1.01;     /* ends of the search between which a rough one stops */
static const double CLOSEST = 1.0005; /* and the last one */
static const double TOLERATED = 1e-3; /* J of the result above that of the best solution met */

/* A solution met. */
typedef struct point {
    bool is_set;
    double objective, shift; /* J, and the shift of the intercept that it is taken at */
    double lambda, intercept;
    double *v, *f, *w;
    bool *clipped;
    bool is_svm;
    ney_qp_info info;
} point;

typedef struct descent {
    ney_ramp ramp;
    ney_multiplier search;
    const ney_bound *bound;
    double least, most; /* the ramp rates at which the constraint is active */
    double top;         /* no larger multiplier is tried */
    double rough, tol;  /* tolerances of a convex problem */
    ney_ramp_rates now;
    double objective, shift; /* J of the last solution, and its shift */
    point best;
    bool *next;            /* clipped in the next problem */
    ney_row_margin *order; /* 2 n of them, to sort */
    int64_t steps, starts;
    ney_constraint_status constraint;
} descent;

/* ---------------------------------------------------------------- state */

static bool is_share(const descent *d)
{
    return d->bound->per_bounded > 0;
}

static ney_status descent_init(descent *d, ney_task *t, const ney_bound *bound, ney_error *err)
{
    const int64_t n = t->x->rows;
    const ney_status st =
        ney_ramp_init(&d->ramp, t, bound->sign, bound->rate, bound->per_bounded, err);
    d->bound = bound;
    if (st != NEY_OK) {
        return st;
    }
    d->next = ney_alloc_zeroed(&t->env, n, sizeof *d->next);
    d->order = ney_alloc(&t->env, 2 * n, sizeof *d->order);
    d->best.v = ney_alloc(&t->env, 2 * n + t->x->cols, sizeof *d->best.v);
    d->best.clipped = ney_alloc(&t->env, n, sizeof *d->best.clipped);
    if (!d->next || !d->order || !d->best.v || !d->best.clipped) {
        return ney_no_memory(err, n, "dual variables");
    }
    d->best.f = d->best.v + n;
    d->best.w = d->best.v + 2 * n;
    const double small = is_share(d) ? 0.1 * bound->rate : 0.25 / (double)d->ramp.n_bounded;
    d->most = ney_ramp_effective_rate(&d->ramp);
    d->top = is_share(d) ? 100 / bound->rate : ney_ramp_top(d->most);
    d->least = (1 - WINDOW) * d->most;
    d->tol = t->o.tol;
    d->rough = fmax(d->tol, fmin(100 * d->tol, 0.1 * d->ramp.eta));
    d->search =
        (ney_multiplier){.aim = 0.5 * (d->least + d->most), .small = small, .is_monotone = true};
    return NEY_OK;
}

static void descent_deinit(descent *d, const ney_env *env)
{
    ney_ramp_deinit(&d->ramp);
    ney_release(env, d->next);
    ney_release(env, d->order);
    ney_release(env, d->best.v);
    ney_release(env, d->best.clipped);
}

static void keep_best(descent *d)
{
    const ney_ramp *r = &d->ramp;
    point *b = &d->best;
    if (b->is_set && !(d->objective < b->objective)) {
        return;
    }
    b->is_set = true;
    b->objective = d->objective;
    b->shift = d->shift;
    b->lambda = r->lambda;
    b->intercept = r->intercept;
    b->info = r->info;
    b->is_svm = r->is_svm;
    memcpy(b->v, r->v, (size_t)r->n * sizeof *b->v);
    memcpy(b->f, r->f, (size_t)r->n * sizeof *b->f);
    ney_ramp_copy_weights(r, b->w, r->w);
    memcpy(b->clipped, r->clipped, (size_t)r->n * sizeof *b->clipped);
}

static ney_status return_to_best(descent *d, ney_error *err)
{
    ney_ramp *r = &d->ramp;
    const point *b = &d->best;
    const ney_status st = ney_ramp_move(r, b->lambda, b->clipped, err);
    r->intercept = b->intercept;
    r->info = b->info;
    r->is_svm = b->is_svm;
    d->shift = b->shift;
    d->objective = b->objective;
    memcpy(r->v, b->v, (size_t)r->n * sizeof *r->v);
    memcpy(r->f, b->f, (size_t)r->n * sizeof *r->f);
    ney_ramp_copy_weights(r, r->w, b->w);
    return st;
}

/* ---------------------------------------------------------------- one problem */

static bool was_stopped(const descent *d)
{
    return ney_ramp_was_stopped(&d->ramp) || d->steps >= MOST_STEPS;
}

static bool is_active(const descent *d, double rate)
{
    return rate <= d->most && rate >= d->least;
}

/* J of what was found. */
static void evaluate(descent *d, int64_t changed)
{
    d->steps++;
    d->shift = ney_ramp_shift(&d->ramp, d->most, d->order);
    d->objective = ney_ramp_objective(&d->ramp, &d->now, d->shift);
    keep_best(d);
    ney_ramp_report(&d->ramp, &d->now, d->steps, changed);
}

/* Solve with d->next clipped. */
static ney_status solve(descent *d, double lambda, double tol, int64_t changed, ney_error *err)
{
    ney_status st = ney_ramp_move(&d->ramp, lambda, d->next, err);
    if (st == NEY_OK && (st = ney_ramp_solve(&d->ramp, tol, &d->now, err)) == NEY_OK) {
        evaluate(d, changed);
    }
    return st;
}

static void clip_nothing(descent *d)
{
    memset(d->next, 0, (size_t)d->ramp.n * sizeof *d->next);
}

/* ---------------------------------------------------------------- SVMs */

/* The SVM at the same C comes first: no result is worse than it with its threshold moved. Then
 * multipliers at which P comes near A. */
static ney_status solve_svms(descent *d, ney_error *err)
{
    double lambda = d->bound->lambda > 0 ? d->bound->lambda : d->ramp.lambda;
    clip_nothing(d);
    ney_status st = ney_ramp_solve_svm(&d->ramp, d->rough, &d->now, err);
    if (st == NEY_OK) {
        evaluate(d, 0);
    }
    ney_multiplier search = d->search;
    for (int k = 1; k < MOST_SVMS && st == NEY_OK && !was_stopped(d); k++) {
        if (is_active(d, d->now.ratio) || ney_multiplier_is_tight(&search, 1.05)) {
            break;
        }
        ney_multiplier_see(&search, lambda, d->now.ratio);
        lambda = fmin(ney_multiplier_next(&search), d->top);
        st = solve(d, lambda, d->rough, 0, err);
    }
    return st;
}

/* ---------------------------------------------------------------- descent */

/* The largest multiplier does not keep the bound. */
static bool is_at_top(const descent *d, double rate)
{
    return d->ramp.lambda >= d->top && rate > d->most;
}

/* The multiplier of [NP.7], for what d->next clips: until P~ is within a factor of the rates that
 * are active. */
static ney_status search_multiplier(descent *d, double tol, double factor, int tries,
                                    ney_error *err)
{
    const double ratio = factor > 1 ? CLOSE : CLOSEST;
    double lambda = d->ramp.lambda;
    int64_t changed = 0;
    for (int64_t i = 0; i < d->ramp.n; i++) {
        changed += d->next[i] != d->ramp.clipped[i];
    }
    d->search.has_low = d->search.has_high = d->search.seen = false;
    d->search.side = 0;
    for (int k = 0; k < tries; k++) {
        const ney_status st = solve(d, lambda, tol, k == 0 ? changed : 0, err);
        if (st != NEY_OK || was_stopped(d)) {
            return st;
        }
        const double rate = ney_ramp_convex_ratio(&d->ramp);
        if ((rate <= d->most * factor && rate >= d->least / factor) || is_at_top(d, rate)) {
            break;
        }
        ney_multiplier_see(&d->search, lambda, rate);
        if (ney_multiplier_is_tight(&d->search, ratio)) {
            break;
        }
        lambda = fmin(ney_multiplier_next(&d->search), d->top);
    }
    return NEY_OK;
}

/* Rough rounds from what d->next clips until J falls no more. The first has its own limit. */
static ney_status descend(descent *d, int first_tries, ney_error *err)
{
    double last = (double)INFINITY;
    ney_status st = NEY_OK;
    d->starts++;
    for (int k = 0; k < MOST_ROUNDS; k++) {
        st = search_multiplier(d, d->rough, NEAR, k == 0 ? first_tries : ROUGH_TRIES, err);
        if (st != NEY_OK || was_stopped(d)) {
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

/* ---------------------------------------------------------------- starts */

/* The tangent at the shifted intercept for the free class; of the bounded class the worst rows, as
 * long as their weight is within a share of what A allows and they are inside the band or beyond.
 */
static void clip_worst(descent *d, double share)
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
            d->order[m] = (ney_row_margin){margin, i};
            m += margin < r->eta;
        }
    }
    ney_row_margin_sort(d->order, m);
    for (int64_t k = 0; k < m; k++) {
        weight += ney_task_weight(r->task, d->order[k].row);
        if (weight > allowed) {
            break;
        }
        d->next[d->order[k].row] = true;
    }
}

/* The SVM at the multiplier of the best solution. */
static ney_status solve_svm_at_best(descent *d, ney_error *err)
{
    clip_nothing(d);
    return solve(d, d->best.lambda, d->rough, 0, err);
}

static ney_status start_from_best(descent *d, ney_error *err)
{
    const ney_status st = return_to_best(d, err);
    (void)ney_ramp_clip(&d->ramp, d->shift, d->next);
    return st == NEY_OK ? descend(d, ROUGH_TRIES, err) : st;
}

/* Half of what A allows is clipped at once, around a solution that saw all rows. */
static ney_status start_from_svm(descent *d, ney_error *err)
{
    const ney_status st = solve_svm_at_best(d, err);
    if (st != NEY_OK || was_stopped(d)) {
        return st;
    }
    clip_worst(d, 0.5);
    return descend(d, ROUGH_TRIES, err);
}

/* All that A allows. */
static ney_status start_from_full_budget(descent *d, ney_error *err)
{
    const ney_status st = return_to_best(d, err);
    clip_worst(d, 1);
    return st == NEY_OK ? descend(d, ROUGH_TRIES, err) : st;
}

/* What Uzawa's method clips first at this multiplier. More than A allows may be clipped, and then
 * no multiplier brings P~ down: the first round is one problem. */
static ney_status start_from_uzawa(descent *d, ney_error *err)
{
    const ney_status st = solve_svm_at_best(d, err);
    if (st != NEY_OK || was_stopped(d)) {
        return st;
    }
    (void)ney_ramp_clip(&d->ramp, 0, d->next);
    return descend(d, 1, err);
}

/* What the caller clips, at its multiplier. */
static ney_status start_from_bound(descent *d, ney_error *err)
{
    if (!d->bound->clipped) {
        return NEY_OK;
    }
    memcpy(d->next, d->bound->clipped, (size_t)d->ramp.n * sizeof *d->next);
    const ney_status st = ney_ramp_move(&d->ramp, d->bound->lambda, d->next, err);
    return st == NEY_OK ? descend(d, ROUGH_TRIES, err) : st;
}

/* Clipped at random, to measure how much depends on the start. */
static ney_status start_at_random(descent *d, ney_error *err)
{
    ney_rng rng = {(uint64_t)d->ramp.task->o.start};
    for (int64_t i = 0; i < d->ramp.n; i++) {
        d->next[i] = ney_rng_unit(&rng) < 0.5;
    }
    return descend(d, 1, err);
}

static ney_status run_starts(descent *d, ney_error *err)
{
    static ney_status (*const start[])(descent *, ney_error *) = {
        start_from_bound, start_from_best, start_from_svm, start_from_full_budget,
        start_from_uzawa};
    if (d->ramp.task->o.start > 0) {
        return start_at_random(d, err);
    }
    ney_status st = NEY_OK;
    for (size_t k = 0; k < sizeof start / sizeof *start && st == NEY_OK && !was_stopped(d); k++) {
        st = start[k](d, err);
    }
    return st;
}

/* ---------------------------------------------------------------- the end */

/* Move the intercept to P = A where that costs the convex problem next to nothing, as a share of
 * its value. */
static bool use_slack(descent *d, double share)
{
    ney_ramp *r = &d->ramp;
    const ney_ramp_rates before = d->now;
    const double intercept = r->intercept;
    ney_ramp_shift_intercept(r, d->shift, &d->now);
    const double worse = d->now.primal - before.primal;
    if (worse <= share * fabs(before.primal) && ney_ramp_clip(r, 0, d->next) == 0) {
        return true;
    }
    r->intercept = intercept;
    d->now = before;
    return false;
}

/* P jumps over A as lambda moves: the convex problem has more than one best intercept. The side
 * that keeps the rate is taken, and of its intercepts the one where P = A. */
static ney_status end_at_jump(descent *d, ney_error *err)
{
    if (d->now.ratio > d->most) {
        const ney_status st = solve(d, exp(d->search.high), d->tol, 0, err);
        if (st != NEY_OK || was_stopped(d) || d->now.ratio > d->most) {
            return st;
        }
    }
    d->constraint = use_slack(d, CLOSEST - 1)                  ? NEY_CONSTRAINT_ACTIVE
                    : ney_ramp_clip(&d->ramp, 0, d->next) == 0 ? NEY_CONSTRAINT_DISCONTINUOUS
                                                               : NEY_CONSTRAINT_NONE;
    return NEY_OK;
}

/* Descend from the best solution, solved to the tolerance, until no example is clipped or unclipped
 * and the constraint is active. */
static ney_status descend_to_end(descent *d, double factor, ney_error *err)
{
    double last = (double)INFINITY;
    ney_status st = return_to_best(d, err);
    (void)ney_ramp_clip(&d->ramp, d->shift, d->next);
    for (int k = 0; k < MOST_ROUNDS && st == NEY_OK && d->constraint == NEY_CONSTRAINT_NONE; k++) {
        st = search_multiplier(d, d->tol, factor, factor > 1 ? ROUGH_TRIES : FINE_TRIES, err);
        if (st != NEY_OK || was_stopped(d)) {
            return st;
        }
        const bool active = is_active(d, d->now.ratio);
        const int64_t changed = ney_ramp_clip(&d->ramp, active ? 0 : d->shift, d->next);
        const double gap = fmax(0, d->now.primal - d->now.dual);
        const bool stationary = changed == 0 || (k >= MANY_ROUNDS && last - d->objective <= gap);
        if (stationary && active) {
            (void)use_slack(d, 1e-6);
            d->constraint = NEY_CONSTRAINT_ACTIVE;
        } else if (stationary && factor <= 1 && ney_multiplier_is_tight(&d->search, CLOSEST)) {
            st = end_at_jump(d, err);
        }
        factor = stationary || factor <= 1 ? 1 : NEAR;
        last = d->objective;
    }
    return st;
}

/* By more than what the window of the constraint and the tolerance allow. */
static bool is_worse_than_best(const descent *d)
{
    const ney_ramp *r = &d->ramp;
    const double unused = -ney_ramp_excess(r, &d->now, d->most);
    const double slack = r->lambda * r->task->o.C * r->free_weight * unused;
    return d->objective - slack > (1 + TOLERATED) * d->best.objective;
}

/* Where the end is worse than a solution met before, descend from that one again, with [NP.7]
 * solved to the end in every round: then J cannot rise. */
static ney_status converge(descent *d, ney_error *err)
{
    ney_status st = descend_to_end(d, NEAR, err);
    for (int k = 0; k < MOST_REPEATS && st == NEY_OK && !was_stopped(d); k++) {
        if (d->constraint != NEY_CONSTRAINT_NONE && !is_worse_than_best(d)) {
            break;
        }
        d->constraint = NEY_CONSTRAINT_NONE;
        d->starts++;
        st = descend_to_end(d, 1, err);
    }
    return st;
}

/* With a bounded FDR w = 0 and nothing accepted keeps the bound and costs C W: a stationary point,
 * with multiplier 0. */
static bool is_nothing_better(const descent *d)
{
    const double nothing = d->ramp.task->o.C * d->ramp.free_weight;
    return is_share(d) && !(d->best.objective < (1 - 1e-9) * nothing);
}

static ney_status accept_nothing(descent *d, ney_error *err)
{
    ney_ramp *r = &d->ramp;
    for (int64_t i = 0; i < r->n; i++) {
        d->next[i] = ney_ramp_side(r, i) > 0;
    }
    const ney_status st = ney_ramp_move(r, 0, d->next, err);
    memset(r->v, 0, (size_t)r->n * sizeof *r->v);
    memset(r->f, 0, (size_t)r->n * sizeof *r->f);
    memset(d->best.w, 0, (size_t)r->task->x->cols * sizeof *d->best.w);
    ney_ramp_copy_weights(r, r->w, d->best.w);
    r->intercept = -r->eta;
    ney_ramp_shift_intercept(r, 0, &d->now);
    d->constraint = NEY_CONSTRAINT_UNATTAINABLE;
    return st;
}

/* A run that did not converge, or whose end is worse than a solution met, returns the best
 * solution, with the intercept where P = A. */
static ney_status choose_result(descent *d, ney_error *err)
{
    if (is_nothing_better(d)) {
        return accept_nothing(d, err);
    }
    if (d->constraint != NEY_CONSTRAINT_NONE && !is_worse_than_best(d)) {
        return NEY_OK;
    }
    d->constraint = NEY_CONSTRAINT_NONE;
    const ney_status st = return_to_best(d, err);
    ney_ramp_shift_intercept(&d->ramp, d->best.shift, &d->now);
    return st;
}

static void fill_info(const descent *d, const ney_task *t, ney_stop stop, ney_train_info *info)
{
    ney_ramp_fill_info(&d->ramp, &d->now, info);
    if (d->constraint == NEY_CONSTRAINT_NONE) { /* lambda belongs to no solution of [NP.7] */
        info->objective = ney_ramp_objective(&d->ramp, &d->now, 0);
    }
    info->stop = stop;
    info->iterations = t->iterations;
    info->constraint = d->constraint;
    info->steps = d->steps;
    info->starts = d->starts;
}

static ney_status run(descent *d, ney_stop *stop, ney_error *err)
{
    ney_status st = solve_svms(d, err);
    if (st == NEY_OK && !was_stopped(d)) {
        st = run_starts(d, err);
    }
    if (st == NEY_OK && !was_stopped(d)) {
        st = converge(d, err);
    }
    const bool stopped = ney_ramp_was_stopped(&d->ramp);
    *stop = d->ramp.info.stop;
    if (st == NEY_OK) {
        st = choose_result(d, err);
    }
    if (!stopped &&
        (d->constraint == NEY_CONSTRAINT_NONE || d->constraint == NEY_CONSTRAINT_UNATTAINABLE)) {
        *stop =
            d->constraint == NEY_CONSTRAINT_UNATTAINABLE ? NEY_STOP_CONVERGED : NEY_STOP_ITERATIONS;
    }
    return st;
}

ney_status ney_descent(ney_task *t, const ney_bound *bound, ney_answer *a, ney_train_info *info,
                       ney_error *err)
{
    descent d = {0};
    ney_stop stop = NEY_STOP_ITERATIONS;
    ney_status st = descent_init(&d, t, bound, err);
    if (st == NEY_OK && (st = run(&d, &stop, err)) == NEY_OK) {
        fill_info(&d, t, stop, info);
        st = ney_ramp_take_answer(&d.ramp, a, err);
    }
    descent_deinit(&d, &t->env);
    return st;
}
