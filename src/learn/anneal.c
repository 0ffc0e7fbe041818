#include "learn/anneal.h"

#include "base/rng.h"
#include "learn/multiplier.h"
#include "learn/ramp.h"

#include <math.h>
#include <string.h>

enum {
    MOST_STEPS = 500, /* of a run; what needs more does not converge */
    MOST_DROPPED = 6, /* ends of the search; so many mistakes are not made any more */
    MANY_TURNS = 30   /* at one lambda: from then on a change below the gap is none */
};

static const double CLOSE = 1.01; /* the ratio of two lambdas between which the rate jumps */

/* A state met at one end of the search: the rate is kept there, or it is not. */
typedef struct state {
    bool is, settled, final; /* nobody changes after it; and it was solved to the tolerance */
    double lambda, intercept;
    double *v, *f;
    bool *given_up;
    ney_ramp_rates rates;
} state;

typedef struct np {
    ney_ramp ramp;
    ney_multiplier search;
    double least, most; /* the rates that count as active */
    double top;         /* no larger lambda is tried */
    ney_ramp_rates now;
    bool *next;           /* given up after this step */
    double *room;         /* n numbers to sort */
    state end_state[2];   /* the last that missed the rate, the last that kept it */
    int64_t steps, turns; /* in all, and at this lambda */
    bool rough;           /* this step is solved roughly */
    double before;        /* L after the last step at this lambda, NAN at the first */
    bool open;            /* some were not given up who would be, had the search closed in */
    bool compared;        /* at this lambda, with the states met before */
    int dropped;          /* ends of the search that turned out to be none */
    ney_end end;
} np;

static bool is_annealed(const ney_train_opts *o)
{
    return o->method != NEY_METHOD_UZAWA;
}

/* ---------------------------------------------------------------- state */

static void aim_at_rate(np *p)
{
    const double rate = p->ramp.rate, row = 1 / (double)p->ramp.n_bounded;
    p->top = (double)INFINITY;
    p->most = ney_ramp_effective_rate(&p->ramp);
    p->least = rate >= row ? rate - 0.5 * row - 0.01 * rate : 0.05 * row;
    p->search = (ney_multiplier){.aim = 0.5 * (p->least + p->most), .small = 0.25 * row};
}

/* A share of what is accepted has no rows of its own to be counted in. And no lambda may keep it: a
 * target weighs 1 + lambda q, a decoy lambda s, so that from lambda q = 100 on their proportion,
 * and with it the score function, stays what it is. */
static void aim_at_share(np *p)
{
    p->top = 100 / p->ramp.rate;
    p->most = p->ramp.rate;
    p->least = 0.9 * p->ramp.rate;
    p->search = (ney_multiplier){.aim = 0.95 * p->ramp.rate, .small = 0.1 * p->ramp.rate};
}

static ney_status np_init(np *p, ney_task *t, const ney_bound *bound, ney_error *err)
{
    const int64_t n = t->x->rows;
    const double rate = bound->rate;
    const ney_status st = ney_ramp_init(&p->ramp, t, bound->sign, rate, bound->per_bounded, err);
    if (st != NEY_OK) {
        return st;
    }
    p->next = ney_alloc_zeroed(&t->env, n, sizeof *p->next);
    p->room = ney_alloc(&t->env, n, sizeof *p->room);
    bool enough = p->next && p->room;
    for (int k = 0; k < 2; k++) {
        state *s = &p->end_state[k];
        s->v = ney_alloc(&t->env, 2 * n, sizeof *s->v);
        s->given_up = ney_alloc(&t->env, n, sizeof *s->given_up);
        s->f = s->v ? s->v + n : NULL;
        enough = enough && s->v && s->given_up;
    }
    if (!enough) {
        return ney_no_memory(err, n, "dual variables");
    }

    if (bound->per_bounded > 0) {
        aim_at_share(p);
    } else {
        aim_at_rate(p);
    }
    return NEY_OK;
}

static void np_deinit(np *p, const ney_env *env)
{
    ney_ramp_deinit(&p->ramp);
    ney_release(env, p->next);
    ney_release(env, p->room);
    for (int k = 0; k < 2; k++) {
        ney_release(env, p->end_state[k].v);
        ney_release(env, p->end_state[k].given_up);
    }
}

/* One at rest is not given away for one that is not. */
static void remember(np *p, state *to, bool settled)
{
    const ney_ramp *r = &p->ramp;
    if (to->is && to->settled && !settled) {
        return;
    }
    to->is = true;
    to->settled = settled;
    to->final = settled && !p->rough;
    to->lambda = r->lambda;
    to->intercept = r->intercept;
    to->rates = p->now;
    memcpy(to->v, r->v, (size_t)r->n * sizeof *to->v);
    memcpy(to->f, r->f, (size_t)r->n * sizeof *to->f);
    memcpy(to->given_up, r->given_up, (size_t)r->n * sizeof *to->given_up);
}

/* A later visit to the same lambda came out on the other side: the earlier one was on its way, or
 * rough. */
static void forget(state *other, double lambda)
{
    if (other->lambda == lambda) {
        other->is = other->settled = false;
    }
}

/* Take a state's point as the one that the last step found. */
static ney_status go_to(np *p, const state *from, double lambda, ney_error *err)
{
    ney_ramp *r = &p->ramp;
    ney_status st = ney_ramp_move(r, from->lambda, from->given_up, err);
    r->intercept = from->intercept;
    p->now = from->rates;
    memcpy(r->v, from->v, (size_t)r->n * sizeof *r->v);
    memcpy(r->f, from->f, (size_t)r->n * sizeof *r->f);
    if (st == NEY_OK && lambda != from->lambda) {
        st = ney_ramp_move(r, lambda, from->given_up, err);
    }
    return st;
}

/* ---------------------------------------------------------------- one step */

/* ---------------------------------------------------------------- the loop */

static bool keeps_rate(const np *p)
{
    return p->now.ratio <= p->most;
}

/* Where no row may be mistaken a rate of 0 is active too, if a smaller lambda was seen to miss it:
 * far above that one everything of the free class may be given up for nothing. */
static bool is_active(const np *p)
{
    const bool no_row = p->ramp.rate < p->most;
    return keeps_rate(p) && (p->now.ratio >= p->least || (no_row && p->search.has_low));
}

/* Whom to give up next. On the way, annealing keeps two doors open. No more of the bounded class
 * are given up than the rate allows; and nobody of the free class while the rate is far below the
 * one allowed: lambda will fall, and those given up at too high a price would never come back. */
static int64_t choose(np *p)
{
    const ney_ramp *r = &p->ramp;
    if (!is_annealed(&r->task->o)) {
        return ney_ramp_choose(r, NEY_GIVE_ALL, p->next, p->room);
    }
    const bool far = p->now.ratio < 0.5 * p->least && !is_active(p);
    p->open = far && !ney_multiplier_is_tight(&p->search, CLOSE);
    return ney_ramp_choose(r, p->open ? NEY_GIVE_BOUNDED : NEY_GIVE_WITHIN, p->next, p->room);
}

/* Whether a state met at another lambda has a lower L here, by more than the gap can explain. If so
 * the search at this lambda goes on from there, which lowers L further. */
static ney_status compare(np *p, bool *moved, ney_error *err)
{
    const ney_ramp *r = &p->ramp;
    const double lambda = r->lambda;
    double lowest = p->now.objective - fmax(0, p->now.primal - p->now.dual);
    const state *best = NULL;
    *moved = false;
    if (p->compared) {
        return NEY_OK;
    }
    p->compared = true;
    for (int k = 0; k < 2; k++) {
        const state *s = &p->end_state[k];
        const double L = ney_ramp_lagrangian(r, &s->rates, lambda);
        if (s->is && s->lambda != lambda && L < lowest) {
            lowest = L;
            best = s;
        }
    }
    if (!best) {
        return NEY_OK;
    }
    *moved = true;
    const ney_status st = go_to(p, best, lambda, err);
    (void)choose(p);
    return st == NEY_OK ? ney_ramp_move(&p->ramp, lambda, p->next, err) : st;
}

static void drop_end(np *p, bool low)
{
    p->dropped++;
    *(low ? &p->search.has_low : &p->search.has_high) = false;
}

/* An end that others have been given up or taken back since, and that would mean a cliff beside the
 * state just found, is most likely none any more. */
static void doubt_other_end(np *p)
{
    const bool kept = keeps_rate(p);
    const state *other = &p->end_state[!kept];
    const bool rests = other->is && other->settled &&
                       fabs(log(other->lambda) - (kept ? p->search.low : p->search.high)) < 1e-12;
    if (!rests && p->dropped < MOST_DROPPED && ney_multiplier_steepness(&p->search) > 5) {
        drop_end(p, kept);
    }
}

/* The search has closed in and the rate is not active. It jumps if a state at rest is known on the
 * other side and near; an end that was only passed on the way is dropped, which may happen a few
 * times. */
static ney_status at_a_jump(np *p, bool settled, double *lambda, ney_error *err)
{
    const bool annealed = is_annealed(&p->ramp.task->o), kept = keeps_rate(p);
    const state *other = &p->end_state[!kept];
    const int64_t left = choose(p); /* now that nothing is kept open any more */

    if (!settled || (left > 0 && p->turns < MANY_TURNS)) {
        return NEY_OK;
    }
    const bool is_near = fabs(log(other->lambda / *lambda)) <= log(CLOSE);
    const bool is_jump = other->is && other->settled && (is_near || p->dropped >= MOST_DROPPED);
    if (!is_jump && (!kept || p->dropped < MOST_DROPPED)) {
        drop_end(p, kept);
        *lambda = fmin(ney_multiplier_next(&p->search), p->top);
        p->rough = annealed;
        return NEY_OK;
    }
    if (kept) {
        p->end = p->rough ? NEY_END_NONE : NEY_END_JUMP;
        p->rough = false;
        return NEY_OK;
    }
    *lambda = other->lambda;
    p->end = other->final ? NEY_END_JUMP : NEY_END_NONE;
    p->rough = false;
    const ney_status st = go_to(p, other, other->lambda, err);
    (void)choose(p);
    return st;
}

/* The next problem: other examples given up, and another lambda where that was found. */
static ney_status go_on(np *p, double lambda, ney_error *err)
{
    ney_ramp *r = &p->ramp;
    if (lambda != r->lambda) {
        p->turns = 0;
        p->before = (double)NAN;
        p->compared = false;
        if (!is_annealed(&r->task->o)) {
            memset(p->next, 0, (size_t)r->n * sizeof *p->next);
        }
    }
    return ney_ramp_move(r, lambda, p->next, err);
}

/* Whether nobody changes any more. Each turn lowers L, by less and less: after many, what is below
 * the gap of a proper solution counts as nothing. */
static bool is_settled(np *p, int64_t changed)
{
    const double gap = fmax(0, p->now.primal - p->now.dual), fall = p->before - p->now.objective;
    const bool stays = fall <= gap; /* false at the first turn */
    p->before = p->now.objective;
    if (changed > 0 && stays && p->rough) {
        p->rough = false;
        return false;
    }
    return changed == 0 || (stays && p->turns >= MANY_TURNS);
}

/* The largest lambda does not keep the share, and no larger one would: what was found here is the
 * answer, once it is solved properly and nobody changes. */
static ney_status at_the_top(np *p, bool settled, ney_error *err)
{
    if (settled && !p->rough) {
        p->end = NEY_END_TOP;
        return NEY_OK;
    }
    p->rough = p->rough && !settled;
    return go_on(p, p->ramp.lambda, err);
}

/* Decide what to do after a step: set p->end, or the next problem. */
static ney_status turn(np *p, int64_t changed, ney_error *err)
{
    const bool annealed = is_annealed(&p->ramp.task->o);
    const bool settled = is_settled(p, changed);
    double lambda = p->ramp.lambda;
    ney_status st = NEY_OK;
    bool moved = false;

    forget(&p->end_state[!keeps_rate(p)], lambda);
    remember(p, &p->end_state[keeps_rate(p)], settled && !p->open);
    if (settled && (is_active(p) || !annealed)) { /* a candidate: of this lambda, or of all */
        if (p->rough) {
            p->rough = false; /* once more, properly */
            return NEY_OK;
        }
        if ((st = compare(p, &moved, err)) != NEY_OK || moved) {
            return st;
        }
        if (is_active(p)) {
            p->end = NEY_END_ACTIVE;
            return NEY_OK;
        }
    }
    if (lambda >= p->top && !keeps_rate(p)) {
        return at_the_top(p, settled, err);
    }
    if (!is_active(p) && (annealed || settled)) {
        ney_multiplier_see(&p->search, lambda, p->now.ratio);
        if (annealed) {
            doubt_other_end(p);
        }
        if (ney_multiplier_is_tight(&p->search, CLOSE)) {
            st = at_a_jump(p, settled, &lambda, err);
        } else {
            lambda = fmin(ney_multiplier_next(&p->search), p->top);
            p->rough = annealed;
        }
    }
    return st != NEY_OK || p->end != NEY_END_NONE ? st : go_on(p, lambda, err);
}

/* Another place to begin: where the bound says, or at random for those who want to know what hangs
 * on it. */
static ney_status begin(np *p, const ney_bound *bound, ney_error *err)
{
    const int64_t start = p->ramp.task->o.start;
    ney_rng rng = {(uint64_t)start};
    for (int64_t i = 0; i < p->ramp.n; i++) {
        p->next[i] = bound->give_up ? bound->give_up[i] : start > 0 && ney_rng_unit(&rng) < 0.5;
    }
    const double lambda = bound->lambda > 0 ? bound->lambda : p->ramp.lambda;
    return bound->give_up || start > 0 || bound->lambda > 0
               ? ney_ramp_move(&p->ramp, lambda, p->next, err)
               : NEY_OK;
}

static ney_status run(np *p, ney_error *err)
{
    const double tol = p->ramp.task->o.tol, rough = fmax(tol, fmin(100 * tol, 0.1 * p->ramp.eta));
    const bool annealed = is_annealed(&p->ramp.task->o);
    ney_status st = NEY_OK;
    p->rough = annealed;
    p->before = (double)NAN;
    while (st == NEY_OK && p->end == NEY_END_NONE && p->steps < MOST_STEPS) {
        if ((st = ney_ramp_solve(&p->ramp, p->rough ? rough : tol, &p->now, err)) != NEY_OK) {
            return st;
        }
        p->steps++;
        p->turns++;
        const int64_t changed = choose(p);
        ney_ramp_report(&p->ramp, &p->now, p->steps, changed);
        if (ney_ramp_was_stopped(&p->ramp)) {
            break;
        }
        st = turn(p, changed, err);
    }
    /* A run that did not end by itself gives the last state that kept the rate. */
    const state *above = &p->end_state[1];
    const bool go_back = st == NEY_OK && p->end == NEY_END_NONE && above->is;
    return go_back ? go_to(p, above, above->lambda, err) : st;
}

static void fill_info(const np *p, ney_train_info *info)
{
    ney_ramp_fill_info(&p->ramp, &p->now, info);
    info->end = p->end;
    info->steps = p->steps;
    info->starts = 1;
    if (p->end == NEY_END_NONE && !ney_ramp_was_stopped(&p->ramp)) {
        info->stop = NEY_STOP_ITERATIONS;
    }
}

ney_status ney_anneal(ney_task *t, const ney_bound *bound, ney_answer *a, ney_train_info *info,
                      ney_error *err)
{
    np p = {0};
    ney_status st = np_init(&p, t, bound, err);
    if (st == NEY_OK && (st = begin(&p, bound, err)) == NEY_OK && (st = run(&p, err)) == NEY_OK) {
        fill_info(&p, info);
        for (int64_t i = 0; i < t->x->rows; i++) {
            a->v[i] = p.ramp.sign * p.ramp.v[i];
        }
        a->intercept = p.ramp.sign * p.ramp.intercept;
    }
    np_deinit(&p, &t->env);
    return st;
}
