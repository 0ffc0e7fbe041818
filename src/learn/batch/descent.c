/* The last descent, to the tolerance, and the result of the run. */
#include "learn/batch/descent.h"

#include "learn/batch/descent_run.h"

#include <math.h>
#include <string.h>

enum {
    MOST_REPEATS = 3,
    FINE_TRIES = 30, /* multipliers tried per round of the last descent */
    MANY_ROUNDS = 15 /* from then on a change below the gap is none */
};

static const double SHIFT_COST = 5e-4; /* of the convex objective, for an intercept that is moved */
static const double TOLERATED = 1e-3;  /* J of the result above that of the best solution met */

/* Move the intercept to P = A where the convex objective rises by at most this share of its value,
 * and no example further than `within` from -eta changes sides. */
static bool use_slack(ney_descent_run *d, double share, double within)
{
    ney_ramp *r = &d->ramp;
    const ney_ramp_rates before = d->now;
    const double intercept = r->intercept;
    ney_ramp_shift_intercept(r, d->shift, &d->now);
    const double worse = d->now.primal - before.primal;
    if (worse <= share * fabs(before.primal) && ney_ramp_clip_beyond(r, 0, within, d->next) == 0) {
        return true;
    }
    r->intercept = intercept;
    d->now = before;
    return false;
}

/* P is discontinuous in lambda at A: the convex problem has more than one best intercept. The side
 * that keeps the rate is taken, and of its intercepts the one where P = A. */
static ney_status end_at_discontinuity(ney_descent_run *d, ney_error *err)
{
    if (d->now.ratio > d->most) {
        const ney_status st = ney_descent_solve(d, exp(d->search.high), d->tol, 0, err);
        if (st != NEY_OK || ney_descent_was_stopped(d) || d->now.ratio > d->most) {
            return st;
        }
    }
    d->constraint = use_slack(d, NEY_DESCENT_CLOSEST - 1, 0)   ? NEY_CONSTRAINT_ACTIVE
                    : ney_ramp_clip(&d->ramp, 0, d->next) == 0 ? NEY_CONSTRAINT_DISCONTINUOUS
                                                               : NEY_CONSTRAINT_NONE;
    return NEY_OK;
}

/* Whether Newton steps found the multiplier: those under a bounded rate end within the window of
 * the constraint. */
static bool is_multiplier_near(const ney_descent_run *d)
{
    return d->ramp.near > 0 && ney_descent_is_share(d);
}

/* After these steps, with the intercept where s P + q Q = q, the gap of the convex problem bounds
 * what J is above the least of [NP.7], since the majorants are not below P and Q: where it is small
 * the multiplier need not be known any better. */
static bool ends_at_shift(ney_descent_run *d)
{
    if (!is_multiplier_near(d) || !use_slack(d, fmin(SHIFT_COST, 0.5 * d->tol), (double)INFINITY)) {
        return false;
    }
    ney_ramp *const r = &d->ramp;
    for (double step = 1e-15; ney_ramp_excess(r, &d->now, d->most) > 0 && step < 1e-9; step *= 2) {
        ney_ramp_shift_intercept(r, -step * (1 + fabs(r->intercept)), &d->now); /* rounding */
    }
    d->constraint = NEY_CONSTRAINT_ACTIVE;
    ney_ramp_report(r, &d->now, ++d->steps, 0);
    return true;
}

/* Descend from the best solution, solved to the tolerance, until no example is clipped or unclipped
 * and the constraint is active. */
static ney_status descend_to_end(ney_descent_run *d, double factor, ney_error *err)
{
    double last = (double)INFINITY;
    const bool is_best = d->ramp.near > 0 && d->objective <= d->best.objective;
    const bool ends_here = is_best && ney_descent_is_active(d, d->now.ratio);
    bool must_search = !is_multiplier_near(d) || factor <= 1;
    if (!must_search && is_best && ends_at_shift(d)) {
        return NEY_OK;
    }
    ney_status st = ney_descent_return_to_best(d, err);
    (void)ney_ramp_clip_beyond(&d->ramp, ends_here ? 0 : d->shift, ends_here ? d->tol : 0, d->next);
    for (int k = 0; k < NEY_DESCENT_ROUNDS && st == NEY_OK && d->constraint == NEY_CONSTRAINT_NONE;
         k++) {
        const int tries = factor > 1 ? d->tries : FINE_TRIES;
        st = ney_descent_search_multiplier(d, d->tol, factor, must_search ? tries : 1, err);
        if (st != NEY_OK || ney_descent_was_stopped(d)) {
            return st;
        }
        const bool active = ney_descent_is_active(d, d->now.ratio);
        const int64_t changed =
            ney_ramp_clip_beyond(&d->ramp, active ? 0 : d->shift, d->tol, d->next);
        const double gap = fmax(0, d->now.primal - d->now.dual);
        const bool stationary = changed == 0 || (k >= MANY_ROUNDS && last - d->objective <= gap);
        if (stationary && active) {
            (void)use_slack(d, 1e-6, 0);
            d->constraint = NEY_CONSTRAINT_ACTIVE;
        } else if (stationary && ends_at_shift(d)) {
            break;
        } else if (stationary && !must_search) {
            must_search = true;
            continue;
        } else if (stationary && factor <= 1 &&
                   ney_multiplier_is_tight(&d->search, NEY_DESCENT_CLOSEST)) {
            st = end_at_discontinuity(d, err);
        }
        factor = stationary || factor <= 1 ? 1 : NEY_DESCENT_NEAR;
        last = d->objective;
    }
    return st;
}

/* By more than what the window of the constraint and the tolerance allow. */
static bool is_worse_than_best(const ney_descent_run *d)
{
    const ney_ramp *r = &d->ramp;
    const double unused =
        d->constraint == NEY_CONSTRAINT_ACTIVE ? -ney_ramp_excess(r, &d->now, d->most) : 0;
    const double slack = r->lambda * r->task->o.C * r->free_weight * unused;
    return d->objective - slack > (1 + TOLERATED) * d->best.objective;
}

/* Where the end is worse than a solution met before, descend from that one again, with [NP.7]
 * solved to the end in every round: then J cannot rise. */
static ney_status converge(ney_descent_run *d, ney_error *err)
{
    ney_status st = descend_to_end(d, NEY_DESCENT_NEAR, err);
    for (int k = 0; k < MOST_REPEATS && st == NEY_OK && !ney_descent_was_stopped(d); k++) {
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
static bool is_nothing_better(const ney_descent_run *d)
{
    const double nothing = d->ramp.task->o.C * d->ramp.free_weight;
    return ney_descent_is_share(d) && !(d->best.objective < (1 - 1e-9) * nothing);
}

static ney_status accept_nothing(ney_descent_run *d, ney_error *err)
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
static ney_status choose_result(ney_descent_run *d, ney_error *err)
{
    if (is_nothing_better(d)) {
        return accept_nothing(d, err);
    }
    if (d->constraint != NEY_CONSTRAINT_NONE && !is_worse_than_best(d)) {
        return NEY_OK;
    }
    d->constraint = NEY_CONSTRAINT_NONE;
    const ney_status st = ney_descent_return_to_best(d, err);
    ney_ramp_shift_intercept(&d->ramp, d->best.shift, &d->now);
    return st;
}

static void fill_info(const ney_descent_run *d, const ney_task *t, ney_stop stop,
                      ney_train_info *info)
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

static ney_status run_descents(ney_descent_run *d, ney_stop *stop, ney_error *err)
{
    ney_status st = ney_descent_run_starts(d, err);
    if (st == NEY_OK && !ney_descent_was_stopped(d)) {
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
    ney_descent_run d = {0};
    ney_stop stop = NEY_STOP_ITERATIONS;
    ney_status st = ney_descent_run_init(&d, t, bound, err);
    if (st == NEY_OK && (st = run_descents(&d, &stop, err)) == NEY_OK) {
        fill_info(&d, t, stop, info);
        st = ney_ramp_take_answer(&d.ramp, a, err);
    }
    ney_descent_run_deinit(&d, &t->env);
    return st;
}
