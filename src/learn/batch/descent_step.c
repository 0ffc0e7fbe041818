/* One convex problem of a descent, the search for its multiplier, and the best solution so far. */
#include "learn/batch/descent_run.h"
#include "learn/shared.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 500 }; /* convex problems of a run */

static const double WINDOW = 0.005; /* the constraint is active from (1 - WINDOW) A on */
static const double CLOSE = 1.01;   /* ends of the search between which a rough one stops */

bool ney_descent_is_share(const ney_descent_run *d)
{
    return d->bound->per_bounded > 0;
}

static bool point_init(ney_descent_point *b, const ney_task *t)
{
    const int64_t n = t->x->rows;
    b->v = ney_alloc(&t->env, 2 * n + t->x->cols, sizeof *b->v);
    b->clipped = ney_alloc(&t->env, n, sizeof *b->clipped);
    if (!b->v || !b->clipped) {
        return false;
    }
    b->f = b->v + n;
    b->w = b->v + 2 * n;
    return true;
}

ney_status ney_descent_run_init(ney_descent_run *d, ney_task *t, const ney_bound *bound,
                                ney_error *err)
{
    const int64_t n = t->x->rows;
    const ney_status st =
        ney_ramp_init(&d->ramp, t, bound->sign, bound->rate, bound->per_bounded, err);
    d->bound = bound;
    if (st != NEY_OK) { /* memory is what one process may lack */
        return ney_shared_agree(t->blocks, st, err);
    }
    d->next = ney_alloc_zeroed(&t->env, n, sizeof *d->next);
    d->order = ney_alloc(&t->env, 4 * n, sizeof *d->order);
    const bool fine = d->next && d->order && point_init(&d->best, t) && point_init(&d->svm, t);
    const ney_status all =
        ney_shared_agree(t->blocks, fine ? NEY_OK : ney_no_memory(err, n, "dual variables"), err);
    if (all != NEY_OK) {
        return all;
    }
    const double small =
        ney_descent_is_share(d) ? 0.1 * bound->rate : 0.25 / (double)d->ramp.n_bounded;
    /* with a kernel a further multiplier costs more than what it saves in later rounds */
    const bool is_kernel = t->kernel.kind != NEY_KERNEL_LINEAR;
    d->most = ney_ramp_effective_rate(&d->ramp);
    d->top = ney_ramp_top(&d->ramp, d->most);
    d->least = (1 - WINDOW) * d->most;
    d->tol = t->o.tol;
    d->rough = fmax(d->tol, fmin(100 * d->tol, 0.1 * d->ramp.eta));
    d->tries = is_kernel ? 2 : 4;
    d->first_tries = is_kernel ? 1 : d->tries;
    d->search =
        (ney_multiplier){.aim = 0.5 * (d->least + d->most), .small = small, .is_monotone = true};
    return NEY_OK;
}

void ney_descent_run_deinit(ney_descent_run *d, const ney_env *env)
{
    ney_ramp_deinit(&d->ramp);
    ney_release(env, d->next);
    ney_release(env, d->order);
    ney_release_all(env, d->best.clipped, d->best.v, d->svm.clipped, d->svm.v);
}

void ney_descent_store(const ney_descent_run *d, ney_descent_point *b)
{
    const ney_ramp *r = &d->ramp;
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

ney_status ney_descent_restore(ney_descent_run *d, const ney_descent_point *b, ney_error *err)
{
    ney_ramp *r = &d->ramp;
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

static void keep_best(ney_descent_run *d)
{
    if (!d->best.is_set || d->objective < d->best.objective) {
        ney_descent_store(d, &d->best);
    }
}

ney_status ney_descent_return_to_best(ney_descent_run *d, ney_error *err)
{
    return ney_descent_restore(d, &d->best, err);
}

bool ney_descent_was_stopped(const ney_descent_run *d)
{
    return ney_ramp_was_stopped(&d->ramp) || d->steps >= MOST_STEPS;
}

bool ney_descent_is_active(const ney_descent_run *d, double rate)
{
    return rate <= d->most && rate >= d->least;
}

void ney_descent_evaluate(ney_descent_run *d, int64_t changed)
{
    d->steps++;
    d->shift = ney_ramp_shift(&d->ramp, d->most, d->order);
    d->objective = ney_ramp_objective(&d->ramp, &d->now, d->shift);
    keep_best(d);
    ney_ramp_report(&d->ramp, &d->now, d->steps, changed);
}

ney_status ney_descent_solve(ney_descent_run *d, double lambda, double tol, int64_t changed,
                             ney_error *err)
{
    ney_status st = ney_ramp_move(&d->ramp, lambda, d->next, err);
    if (st == NEY_OK && (st = ney_ramp_solve(&d->ramp, tol, &d->now, err)) == NEY_OK) {
        ney_descent_evaluate(d, changed);
    }
    return st;
}

void ney_descent_clip_nothing(ney_descent_run *d)
{
    memset(d->next, 0, (size_t)d->ramp.n * sizeof *d->next);
}

/* The largest multiplier does not keep the bound. */
static bool is_at_top(const ney_descent_run *d, double rate)
{
    return d->ramp.lambda >= d->top && rate > d->most;
}

ney_status ney_descent_search_multiplier(ney_descent_run *d, double tol, double factor, int tries,
                                         ney_error *err)
{
    const double ratio = factor > 1 ? CLOSE : NEY_DESCENT_CLOSEST;
    double lambda = d->ramp.lambda;
    int64_t changed = 0;
    for (int64_t i = 0; i < d->ramp.n; i++) {
        changed += d->next[i] != d->ramp.clipped[i];
    }
    ney_comm_add_counts(ney_blocks_comm(d->ramp.task->blocks), &changed, 1);
    d->search.has_low = d->search.has_high = d->search.seen = false;
    d->search.side = 0;
    for (int k = 0; k < tries; k++) {
        const ney_status st = ney_descent_solve(d, lambda, tol, k == 0 ? changed : 0, err);
        if (st != NEY_OK || ney_descent_was_stopped(d)) {
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
