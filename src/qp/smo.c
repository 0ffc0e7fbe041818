/* The kernel QP [QP.1] by decomposition (Osuna, Joachims) with sequential minimal optimisation
 * inside.
 *
 *   math   code       meaning
 *   v      s->v       the point
 *   f      s->f       Kv, kept up to date for all rows
 *   up     s->up      slope to the right, -inf where v cannot rise                         [QP.2]
 *   down   s->down    slope to the left, +inf where v cannot fall
 *   W      s->w       working set: up to 160 new, the others kept from the round before
 *
 * A round takes the worst violators into W, gets their kernel rows in one block, solves the problem
 * within W pair by pair (second-order choice, Fan, Chen and Lin 2005), and brings f up to date with
 * one pass over the rows that changed. Steps within W touch a few kilobytes; rows and f are touched
 * once a round, in blocks, on all threads.
 *
 * When the cache is too small, rows come back and are computed again and again. Once that has cost
 * as much as all rows of the support, and half of the variables or more are at bounds without a
 * violating partner, the search goes on among the others alone (a "part", part.c), whose kernel
 * rows are shorter and fit better. Afterwards f of all rows is brought up to date from the
 * variables that changed, and the search ends only if no row of all violates [QP.2]. */
#include "qp/smo_run.h"

#include "base/clock.h"
#include "linalg/solver_loops.h"
#include "qp/part.h"
#include "qp/violators.h"

#include <math.h>
#include <string.h>

enum { SET = NEY_SMO_ROWS, NEW = 160 };

/* ---- choosing the working set */

/* The number of new rows per round: they are computed in a few hundredths of a second, so that a
 * request to stop is answered soon. */
static int64_t rows_at_once(int64_t n)
{
    const int64_t entries = 1 << 24, fewest = 32;
    return entries / (n + 1) > fewest ? entries / (n + 1) : fewest;
}

/* Most of the old set stays: first those that are free to move both ways, which are the ones that
 * go on moving, then the others; the newest of either kind first. The rest of the set is filled
 * with new violators. */
static void choose_set(ney_smo *s, double highest, double lowest)
{
    bool keep[SET] = {false};
    int64_t left = SET - NEW;
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t k = s->w.m - 1; k >= 0 && left > 0; k--) {
            const int64_t i = s->w.row[k];
            const bool is_free = s->v[i] > s->p->low[i] && s->v[i] < s->p->high[i];
            if (is_free == (pass == 0)) {
                keep[k] = true;
                left--;
            }
        }
    }
    for (int64_t k = 0; k < s->w.m; k++) {
        s->in_set[s->w.row[k]] = keep[k];
    }
    ney_workset_keep(&s->w, keep);
    const int64_t most = rows_at_once(s->p->n);
    const ney_violator_search all = {s->up, s->down, s->f, s->p->n, s->in_set};
    s->w.m += ney_find_violators(&all, highest, lowest, SET - s->w.m < most ? SET - s->w.m : most,
                                 s->w.row + s->w.m);
}

/* ---- the whole */

enum { PATIENCE = 100 };

static bool should_stop(const ney_smo *s, ney_qp_info *info, double violation)
{
    if (ney_smo_limit_reached(s, info, violation)) {
        return true;
    }
    if (s->idle > PATIENCE) {
        info->stop = NEY_STOP_PRECISION;
        return true;
    }
    return false;
}

/* Whether the certificate no longer gets better. Computed so seldom that problems that converge
 * normally end before the first time. */
static bool stagnates(ney_smo *s, const ney_qp_info *info)
{
    enum { MOST_STALE = 10, ROUND = 20 }; /* a round costs as much as some steps */
    const int64_t every = 20000 + 200 * s->p->n, work = info->iterations + ROUND * info->rounds;
    if (work < s->progress.next || work < every) {
        return false;
    }
    ney_qp_info found = *info;
    s->progress.next = work + every;
    ney_qp_certify(s->p, s->v, s->f, &found);
    return ney_qp_stagnates(&s->progress, &found, MOST_STALE);
}

static ney_status solve_part(ney_smo *s, ney_qp_info *info, ney_error *err);

/* Variables that can form a violating pair with another. The others are at a bound. */
static int64_t mark_active(ney_smo *s, double highest, double lowest)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->p->n; i++) {
        s->active[i] = s->up[i] - s->f[i] >= lowest || s->down[i] - s->f[i] <= highest;
        n += s->active[i];
    }
    return n;
}

/* Whether it is time to go on with a part: see the head of this file. */
static bool worth_a_part(ney_smo *s, double highest, double lowest)
{
    const int64_t again = s->cache->repeated - s->repeated;
    if (again < SET) {
        return false;
    }
    return again >= ney_smo_count_support(s) && 2 * mark_active(s, highest, lowest) <= s->p->n;
}

static ney_status iterate(ney_smo *s, ney_qp_info *info, ney_error *err)
{
    for (;; info->rounds++) {
        double highest, lowest;
        (void)ney_loop_highest(s->up, s->f, s->p->n, &highest);
        (void)ney_loop_lowest(s->down, s->f, s->p->n, &lowest);
        const double violation = highest - lowest;
        if (!(violation > s->o->tol)) {
            info->stop = NEY_STOP_CONVERGED;
            return NEY_OK;
        }
        if (should_stop(s, info, violation)) {
            return NEY_OK;
        }
        if (stagnates(s, info)) {
            info->stop = NEY_STOP_PRECISION;
            return NEY_OK;
        }
        if (worth_a_part(s, highest, lowest)) {
            const ney_status ended = solve_part(s, info, err);
            if (ended != NEY_OK || info->stop != NEY_STOP_CONVERGED) {
                return ended;
            }
            continue;
        }
        choose_set(s, highest, lowest);
        const ney_status st = ney_rowcache_get(s->cache, s->w.row, s->w.m, s->row, err);
        if (st != NEY_OK) {
            return st;
        }
        ney_workset_load(&s->w, s->row, s->v, s->f, s->up, s->down);
        const int64_t left = ney_qp_iterations_left(s->o, info);
        const int64_t most = left < 100 * s->w.m ? left : 100 * s->w.m;
        const double before = s->w.gained;
        info->iterations += ney_workset_solve(&s->w, fmax(0.5 * s->o->tol, 0.1 * violation), most);
        s->idle = s->w.gained - before > 1e-13 * s->w.gained ? 0 : s->idle + 1;
        if (info->rounds % PATIENCE == PATIENCE - 1) { /* less than the precision of the rows */
            const double least = s->w.rest ? 1e-13 : 1e-8;
            s->idle = s->w.gained - s->mark > least * s->w.gained ? s->idle : PATIENCE + 1;
            s->mark = s->w.gained;
        }
        ney_smo_store_set(s);
    }
}

static bool is_zero_feasible(const ney_qp *p)
{
    bool feasible = true;
    for (int64_t i = 0; i < p->n; i++) {
        feasible = feasible && p->low[i] <= 0 && p->high[i] >= 0;
    }
    return feasible;
}

/* f of the starting point. As many rows may be needed as there are: at a limit the point is given
 * up for 0, where that is one. */
static ney_status start(ney_smo *s, const ney_smo_memory *last, ney_qp_info *info, ney_error *err)
{
    s->starting = is_zero_feasible(s->p) ? info : NULL;
    const ney_status st = ney_smo_compute_f(s, last, err);
    s->starting = NULL;
    for (int64_t i = 0; st == NEY_OK && s->stopped && i < s->p->n; i++) {
        s->v[i] = s->f[i] = 0;
    }
    return st;
}

static ney_status search(ney_smo *s, ney_qp_info *info, ney_error *err)
{
    enum { MOST_AGAIN = 20 };
    for (int again = 0;; again++) {
        ney_status st = iterate(s, info, err);
        if (st != NEY_OK || info->stop == NEY_STOP_CANCELLED || info->stop == NEY_STOP_TIME ||
            !ney_smo_has_drifted(s)) {
            return st;
        }
        if (again == MOST_AGAIN && info->stop == NEY_STOP_CONVERGED) {
            info->stop = NEY_STOP_PRECISION;
        }
        ney_smo_restore_sum(s);
        st = ney_smo_compute_f(s, NULL, err);
        if (st != NEY_OK || info->stop != NEY_STOP_CONVERGED) {
            return st;
        }
    }
}

static ney_status smo_init(ney_smo *s, ney_rowcache *cache, const ney_qp *p, const ney_qp_opts *o,
                           double *v, double *f, ney_error *err)
{
    const int64_t n = p->n;
    *s = (ney_smo){.p = p,
                   .o = o,
                   .env = cache->gram->env,
                   .cache = cache,
                   .v = v,
                   .f = f,
                   .begin = ney_now()};
    for (int64_t i = 0; i < n; i++) {
        s->largest = fmax(s->largest, fabs(ney_gram_diagonal(cache->gram, i)));
    }
    s->up = ney_alloc(&s->env, n, sizeof *s->up);
    s->down = ney_alloc(&s->env, n, sizeof *s->down);
    s->in_set = ney_alloc_zeroed(&s->env, n, sizeof *s->in_set);
    s->active = ney_alloc(&s->env, n, sizeof *s->active);
    s->repeated = cache->repeated;
    if (!s->up || !s->down || !s->in_set || !s->active) {
        return ney_no_memory(err, n, "dual variables");
    }
    return ney_workset_init(&s->w, &s->env, p, cache->gram->fine, err);
}

static void smo_deinit(ney_smo *s)
{
    ney_release_all(&s->env, s->up, s->down, s->in_set, s->active);
    ney_workset_deinit(&s->w, &s->env);
}

/* Search among the rows of `part`, whose kernel rows get the whole cache memory. */
static ney_status search_part(ney_smo *s, ney_part *part, ney_qp_info *info, ney_error *err)
{
    ney_gram gram;
    ney_rowcache cache = {0};
    ney_smo *sub = ney_alloc_zeroed(&s->env, 1, sizeof *sub);
    if (!sub) {
        return ney_no_memory(err, 1, "solver");
    }
    ney_status st =
        ney_gram_init(&gram, &s->env, &part->x, &s->cache->gram->kernel, s->cache->gram->fine, err);
    if (st != NEY_OK) {
        ney_release(&s->env, sub);
        return st;
    }
    ney_rowcache_clear(s->cache);
    ney_part_load(part, s->v, s->f);
    if ((st = ney_rowcache_init(&cache, &gram, s->cache->budget, SET, err)) == NEY_OK) {
        st = smo_init(sub, &cache, &part->p, s->o, part->v, part->f, err);
        sub->begin = s->begin;
        sub->w.gained = s->w.gained; /* what a round should gain at least is judged by it */
        sub->mark = s->mark;
        for (int64_t i = 0; st == NEY_OK && i < part->p.n; i++) {
            ney_smo_refresh_slopes(sub, i);
        }
        st = st == NEY_OK ? iterate(sub, info, err) : st;
        s->w.gained = sub->w.gained;
        s->mark = sub->mark;
        smo_deinit(sub);
        ney_rowcache_deinit(&cache);
    }
    ney_gram_deinit(&gram);
    ney_release(&s->env, sub);
    return st;
}

/* Search among the active rows, then bring all rows up to date, whatever ended it. */
static ney_status solve_part(ney_smo *s, ney_qp_info *info, ney_error *err)
{
    ney_part part;
    ney_status st = ney_part_init(&part, &s->env, s->cache->gram->x, s->p, s->active, err);
    if (st != NEY_OK) {
        return st;
    }
    if ((st = search_part(s, &part, info, err)) == NEY_OK) {
        info->parts++;
        st = ney_smo_move_to(s, part.row, part.v, part.p.n, err);
        s->repeated = s->cache->repeated;
    }
    ney_part_deinit(&part);
    return st;
}

/* ---- one problem after another */

static void remember(const ney_smo *s, ney_smo_memory *last)
{
    memcpy(last->v, s->v, (size_t)s->p->n * sizeof *last->v);
    memcpy(last->f, s->f, (size_t)s->p->n * sizeof *last->f);
    last->drift = s->drift;
    last->known = true;
}

ney_status ney_smo_solve(ney_rowcache *cache, const ney_qp *p, const ney_qp_opts *opts, double *v,
                         double *f, ney_smo_memory *last, ney_qp_info *info, ney_error *err)
{
    const ney_env *env = &cache->gram->env;
    ney_smo *s = ney_alloc_zeroed(env, 1, sizeof *s);
    ney_status st;

    *info = (ney_qp_info){0};
    if (!s) {
        return ney_no_memory(err, 1, "solver");
    }
    if (!ney_qp_repair(p, v)) {
        st = ney_fail(err, NEY_EINVAL, "no point of the box satisfies the equality constraint");
        ney_release(env, s);
        return st;
    }
    if ((st = smo_init(s, cache, p, opts, v, f, err)) == NEY_OK &&
        (st = start(s, last, info, err)) == NEY_OK && !s->stopped) {
        st = search(s, info, err);
    }
    if (st == NEY_OK) {
        ney_qp_certify(p, v, f, info);
        if (last) {
            remember(s, last);
        }
    }
    smo_deinit(s);
    ney_release(env, s);
    return st;
}
