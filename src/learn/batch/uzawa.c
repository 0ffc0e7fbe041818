#include "learn/batch/uzawa.h"

#include "base/rng.h"
#include "learn/batch/multiplier.h"
#include "learn/batch/ramp.h"

#include <math.h>
#include <string.h>

enum {
    MOST_STEPS = 500, /* of a run; what needs more does not converge */
    MOST_DROPPED = 6, /* ends of the search that were dropped */
    MANY_ROUNDS = 30  /* at one lambda: from then on a change below the gap is none */
};

static const double CLOSE = 1.01; /* the ratio of two lambdas between which the rate jumps */

/* A state met at one end of the search: the rate is kept there, or it is not. */
typedef struct state {
    bool is_set, is_stationary; /* no example is clipped or unclipped after it */
    double lambda, intercept;
    double *v, *f, *w;
    bool *clipped;
    ney_ramp_rates rates;
} state;

typedef struct uzawa {
    ney_ramp ramp;
    ney_multiplier search;
    double least, most; /* the rates that count as active */
    ney_ramp_rates now;
    bool *next;            /* clipped in the next problem */
    state end_state[2];    /* the last that missed the rate, the last that kept it */
    int64_t steps, rounds; /* in all, and at this lambda */
    double before;         /* L after the last step at this lambda, NAN at the first */
    bool is_compared;      /* at this lambda, with the states met before */
    int n_dropped;
    ney_constraint_status constraint;
} uzawa;

/* ---------------------------------------------------------------- state */

static ney_status uzawa_init(uzawa *p, ney_task *t, int sign, double rate, ney_error *err)
{
    const int64_t n = t->x->rows;
    const ney_status st = ney_ramp_init(&p->ramp, t, sign, rate, 0, err);
    if (st != NEY_OK) {
        return st;
    }
    p->next = ney_alloc_zeroed(&t->env, n, sizeof *p->next);
    bool enough = p->next != NULL;
    for (int k = 0; k < 2; k++) {
        state *s = &p->end_state[k];
        s->v = ney_alloc(&t->env, 2 * n + t->x->cols, sizeof *s->v);
        s->clipped = ney_alloc(&t->env, n, sizeof *s->clipped);
        s->f = s->v ? s->v + n : NULL;
        s->w = s->v ? s->v + 2 * n : NULL;
        enough = enough && s->v && s->clipped;
    }
    if (!enough) {
        return ney_no_memory(err, n, "dual variables");
    }
    const double row = 1 / (double)p->ramp.n_bounded;
    p->before = (double)NAN;
    p->most = ney_ramp_effective_rate(&p->ramp);
    p->least = rate >= row ? rate - 0.5 * row - 0.01 * rate : 0.05 * row;
    p->search = (ney_multiplier){.aim = 0.5 * (p->least + p->most), .small = 0.25 * row};
    return NEY_OK;
}

static void uzawa_deinit(uzawa *p, const ney_env *env)
{
    ney_ramp_deinit(&p->ramp);
    ney_release(env, p->next);
    for (int k = 0; k < 2; k++) {
        ney_release(env, p->end_state[k].v);
        ney_release(env, p->end_state[k].clipped);
    }
}

/* A stationary state is not replaced by one that is not. */
static void keep_state(uzawa *p, state *to, bool is_stationary)
{
    const ney_ramp *r = &p->ramp;
    if (to->is_set && to->is_stationary && !is_stationary) {
        return;
    }
    to->is_set = true;
    to->is_stationary = is_stationary;
    to->lambda = r->lambda;
    to->intercept = r->intercept;
    to->rates = p->now;
    memcpy(to->v, r->v, (size_t)r->n * sizeof *to->v);
    memcpy(to->f, r->f, (size_t)r->n * sizeof *to->f);
    ney_ramp_copy_weights(r, to->w, r->w);
    memcpy(to->clipped, r->clipped, (size_t)r->n * sizeof *to->clipped);
}

/* A later visit to the same lambda came out on the other side: the earlier one had not converged.
 */
static void drop_state(state *other, double lambda)
{
    if (other->lambda == lambda) {
        other->is_set = other->is_stationary = false;
    }
}

/* Take a state's point as the one that the last step found. */
static ney_status go_to(uzawa *p, const state *from, double lambda, ney_error *err)
{
    ney_ramp *r = &p->ramp;
    ney_status st = ney_ramp_move(r, from->lambda, from->clipped, err);
    r->intercept = from->intercept;
    p->now = from->rates;
    memcpy(r->v, from->v, (size_t)r->n * sizeof *r->v);
    memcpy(r->f, from->f, (size_t)r->n * sizeof *r->f);
    ney_ramp_copy_weights(r, r->w, from->w);
    if (st == NEY_OK && lambda != from->lambda) {
        st = ney_ramp_move(r, lambda, from->clipped, err);
    }
    return st;
}

/* ---------------------------------------------------------------- the loop */

static bool keeps_rate(const uzawa *p)
{
    return p->now.bounded <= p->most;
}

/* Where no row may be misclassified a rate of 0 is active too, if a smaller lambda was seen to miss
 * it: far above that one all of the free class may be clipped without need. */
static bool is_active(const uzawa *p)
{
    const bool no_row = p->ramp.rate < p->most;
    return keeps_rate(p) && (p->now.bounded >= p->least || (no_row && p->search.has_low));
}

/* Whether a state met at another lambda has a lower L here, by more than the gap can explain. If so
 * the search at this lambda goes on from there, which lowers L further. */
static ney_status try_other_state(uzawa *p, bool *moved, ney_error *err)
{
    const ney_ramp *r = &p->ramp;
    const double lambda = r->lambda;
    double lowest = p->now.objective - fmax(0, p->now.primal - p->now.dual);
    const state *best = NULL;
    *moved = false;
    if (p->is_compared) {
        return NEY_OK;
    }
    p->is_compared = true;
    for (int k = 0; k < 2; k++) {
        const state *s = &p->end_state[k];
        const double L = ney_ramp_lagrangian(r, &s->rates, lambda);
        if (s->is_set && s->lambda != lambda && L < lowest) {
            lowest = L;
            best = s;
        }
    }
    if (!best) {
        return NEY_OK;
    }
    *moved = true;
    const ney_status st = go_to(p, best, lambda, err);
    (void)ney_ramp_clip(r, 0, p->next);
    return st == NEY_OK ? ney_ramp_move(&p->ramp, lambda, p->next, err) : st;
}

static double next_lambda(const uzawa *p)
{
    return fmin(ney_multiplier_next(&p->search), ney_ramp_top(&p->ramp, p->most));
}

/* The search has closed in and the rate is not active. It is discontinuous if a stationary state is
 * known on the other side and near; an end that is not stationary is dropped, which may happen a
 * few times. */
static ney_status handle_discontinuity(uzawa *p, double *lambda, ney_error *err)
{
    const bool kept = keeps_rate(p);
    const state *other = &p->end_state[!kept];
    const bool is_near = fabs(log(other->lambda / *lambda)) <= log(CLOSE);
    const bool is_discontinuity =
        other->is_set && other->is_stationary && (is_near || p->n_dropped >= MOST_DROPPED);

    if (!is_discontinuity && (!kept || p->n_dropped < MOST_DROPPED)) {
        p->n_dropped++;
        *(kept ? &p->search.has_low : &p->search.has_high) = false;
        *lambda = next_lambda(p);
        return NEY_OK;
    }
    p->constraint = NEY_CONSTRAINT_DISCONTINUOUS;
    return kept ? NEY_OK : go_to(p, other, other->lambda, err);
}

/* The next problem: other examples clipped, or another lambda and none. */
static ney_status go_on(uzawa *p, double lambda, ney_error *err)
{
    ney_ramp *r = &p->ramp;
    if (lambda != r->lambda) {
        p->rounds = 0;
        p->before = (double)NAN;
        p->is_compared = false;
        memset(p->next, 0, (size_t)r->n * sizeof *p->next);
    }
    return ney_ramp_move(r, lambda, p->next, err);
}

/* Whether no example changes any more. Each round lowers L, by less and less: after many, what is
 * below the gap counts as nothing. */
static bool is_stationary(uzawa *p, int64_t changed)
{
    const double gap = fmax(0, p->now.primal - p->now.dual), fall = p->before - p->now.objective;
    p->before = p->now.objective;
    return changed == 0 || (fall <= gap && p->rounds >= MANY_ROUNDS); /* fall is NAN at first */
}

/* Decide what to do after a step: set p->constraint, or the next problem. */
static ney_status continue_search(uzawa *p, int64_t changed, ney_error *err)
{
    const bool stationary = is_stationary(p, changed);
    double lambda = p->ramp.lambda;
    ney_status st = NEY_OK;
    bool moved = false;

    drop_state(&p->end_state[!keeps_rate(p)], lambda);
    keep_state(p, &p->end_state[keeps_rate(p)], stationary);
    if (stationary) {
        if ((st = try_other_state(p, &moved, err)) != NEY_OK || moved) {
            return st;
        }
        if (is_active(p)) {
            p->constraint = NEY_CONSTRAINT_ACTIVE;
            return NEY_OK;
        }
        ney_multiplier_see(&p->search, lambda, p->now.bounded);
        if (ney_multiplier_is_tight(&p->search, CLOSE)) {
            st = handle_discontinuity(p, &lambda, err);
        } else {
            lambda = next_lambda(p);
        }
    }
    return st != NEY_OK || p->constraint != NEY_CONSTRAINT_NONE ? st : go_on(p, lambda, err);
}

/* Clipped at random, to see how much depends on the start. */
static ney_status start_search(uzawa *p, ney_error *err)
{
    ney_rng rng = {(uint64_t)p->ramp.task->o.start};
    if (p->ramp.task->o.start == 0) {
        return NEY_OK;
    }
    for (int64_t i = 0; i < p->ramp.n; i++) {
        p->next[i] = ney_rng_unit(&rng) < 0.5;
    }
    return ney_ramp_move(&p->ramp, p->ramp.lambda, p->next, err);
}

static ney_status search_multiplier(uzawa *p, ney_error *err)
{
    ney_status st = start_search(p, err);
    while (st == NEY_OK && p->constraint == NEY_CONSTRAINT_NONE && p->steps < MOST_STEPS) {
        if ((st = ney_ramp_solve(&p->ramp, p->ramp.task->o.tol, &p->now, err)) != NEY_OK) {
            return st;
        }
        p->steps++;
        p->rounds++;
        const int64_t changed = ney_ramp_clip(&p->ramp, 0, p->next);
        ney_ramp_report(&p->ramp, &p->now, p->steps, changed);
        if (ney_ramp_was_stopped(&p->ramp)) {
            break;
        }
        st = continue_search(p, changed, err);
    }
    /* A run that did not end by itself gives the last state that kept the rate. */
    const state *above = &p->end_state[1];
    const bool go_back = st == NEY_OK && p->constraint == NEY_CONSTRAINT_NONE && above->is_set;
    return go_back ? go_to(p, above, above->lambda, err) : st;
}

static void fill_info(const uzawa *p, ney_train_info *info)
{
    ney_ramp_fill_info(&p->ramp, &p->now, info);
    info->constraint = p->constraint;
    info->steps = p->steps;
    info->starts = 1;
    if (p->constraint == NEY_CONSTRAINT_NONE && !ney_ramp_was_stopped(&p->ramp)) {
        info->stop = NEY_STOP_ITERATIONS;
    }
}

ney_status ney_uzawa(ney_task *t, int sign, double rate, ney_answer *a, ney_train_info *info,
                     ney_error *err)
{
    uzawa p = {0};
    ney_status st = uzawa_init(&p, t, sign, rate, err);
    if (st == NEY_OK && (st = search_multiplier(&p, err)) == NEY_OK) {
        fill_info(&p, info);
        st = ney_ramp_take_answer(&p.ramp, a, err);
    }
    uzawa_deinit(&p, &t->env);
    return st;
}
