#include "learn/online/online.h"

#include <math.h>
#include <string.h>

enum {
    FEWEST = 8,        /* rounds of an epoch */
    VISITS = 512,      /* of a process in a round, of the weights of stochastic gradients */
    VISITS_DUAL = 128, /* and of dual coordinates */
    WHOLE = 8          /* rounds between averages over processes, where a run may end */
};

/* Entries of w and b that meet. */
static int64_t n_weights(const ney_online *r)
{
    return r->learner.is_dual ? r->learner.dual.n + 1 : r->learner.sgd.n + r->learner.sgd.m;
}

/* Visits of a process per round: enough that they cost more than sending the weights. */
static int64_t rounds_of(const ney_online *r)
{
    const double each = r->schedule.epoch_visits / ney_comm_size(r->rounds.comm);
    const double per_visit = fmax(1, r->feed->row_entries); /* columns; or weights over units */
    const double least =
        r->learner.is_dual ? VISITS_DUAL : fmax(VISITS, (double)r->feed->cols / per_visit);
    return (int64_t)fmax(FEWEST, floor(each / least));
}

ney_status ney_rounds_init(ney_online *r, ney_error *err)
{
    ney_rounds *const o = &r->rounds;
    const int64_t *const own = r->parts.own, n = n_weights(r) + 1;
    const ney_comm *const comm = ney_blocks_comm(r->feed->blocks);
    *o = (ney_rounds){.comm = ney_comm_size(comm) > 1 ? comm : NULL};
    o->visits = r->schedule.shuffle.visits[0] * own[0] + r->schedule.shuffle.visits[1] * own[1];
    o->share = (double)o->visits / r->schedule.epoch_visits;
    o->begin = r->state;
    if (!o->comm) {
        return NEY_OK;
    }
    o->n = rounds_of(r);
    o->buffer = ney_alloc(&r->env, 2 * n, sizeof *o->buffer);
    o->start = r->learner.is_dual ? ney_alloc_zeroed(&r->env, n, sizeof *o->start) : NULL;
    return ney_comm_agree(o->comm,
                          o->buffer && (o->start || !r->learner.is_dual)
                              ? NEY_OK
                              : ney_no_memory(err, n, "weights of other processes"),
                          err);
}

void ney_rounds_deinit(ney_online *r)
{
    ney_release_all(&r->env, r->rounds.buffer, r->rounds.start);
    r->rounds.buffer = NULL;
    r->rounds.start = NULL;
}

double ney_rounds_slowness(const ney_online *r)
{
    const bool is_slow = r->learner.is_dual || r->learner.sgd.shape.units[0] > 0;
    return is_slow ? 0.5 * (1 + ney_comm_size(r->rounds.comm)) : 1;
}

/* ---- meetings */

static void add_up(const ney_rounds *o, double *value, int64_t n)
{
    ney_comm_add(o->comm, value, n, value + n);
}

void ney_rounds_join_weights(ney_online *r, double share)
{
    const ney_rounds *const o = &r->rounds;
    ney_sgd *const s = &r->learner.sgd;
    double *const sum = o->buffer;
    ney_sgd_take_over(s);
    for (int64_t k = 0; k < s->n; k++) {
        sum[k] = share * s->v[k];
    }
    for (int64_t k = 0; k < s->m; k++) {
        sum[s->n + k] = share * s->b[k];
    }
    add_up(o, sum, s->n + s->m);
    memcpy(s->v, sum, (size_t)s->n * sizeof *sum);
    memcpy(s->b, sum + s->n, (size_t)s->m * sizeof *sum);
}

/* The sums that averages are made of: each process goes on with its share of them all. */
static void join_averages(ney_online *r)
{
    const ney_rounds *const o = &r->rounds;
    ney_sgd *const s = &r->learner.sgd;
    double *const sum = o->buffer;
    const double share = 1 / (double)o->comm->size;
    memcpy(sum, s->u, (size_t)s->n * sizeof *sum);
    memcpy(sum + s->n, s->b_sum, (size_t)s->m * sizeof *sum);
    sum[s->n + s->m] = s->count;
    add_up(o, sum, s->n + s->m + 1);
    for (int64_t k = 0; k < s->n; k++) {
        s->u[k] = share * sum[k];
    }
    for (int64_t k = 0; k < s->m; k++) {
        s->b_sum[k] = share * sum[s->n + k];
    }
    s->count = share * sum[s->n + s->m];
}

/* [ROUND.2], and the sum over the visits of the round that the mean is made of. */
static void join_coordinates(ney_online *r, double visits)
{
    const ney_rounds *const o = &r->rounds;
    ney_dual *const d = &r->learner.dual;
    const double slowness = ney_rounds_slowness(r);
    double *const sum = o->buffer;
    for (int64_t k = 0; k <= d->n; k++) {
        sum[k] = ((double)d->w[k] - (double)o->start[k]) / slowness;
    }
    add_up(o, sum, d->n + 1);
    for (int64_t k = 0; k <= d->n; k++) {
        d->w[k] = (float)((double)o->start[k] + sum[k]);
        d->sum[k] += visits * (double)d->w[k];
    }
    d->sum[d->n + 1] += visits;
    memcpy(o->start, d->w, (size_t)(d->n + 1) * sizeof *d->w);
}

/* lambda and its mean loss over the visits of all; returns how many visits they made. */
static double join_state(ney_online *r)
{
    ney_rounds *const o = &r->rounds;
    ney_online_state *const state = &r->state;
    const ney_online_state *const begin = &o->begin;
    double scratch[4], sum[4] = {(double)(state->visits - begin->visits),
                                 state->log_lambda - begin->log_lambda, (double)o->bounded,
                                 (double)o->bounded * (state->bounded_loss - begin->bounded_loss)};
    ney_comm_add(o->comm, sum, 4, scratch);
    state->visits = begin->visits + (int64_t)sum[0];
    state->log_lambda = ney_multiplier_clamp(&r->multiplier, begin->log_lambda + sum[1]);
    state->bounded_loss = begin->bounded_loss;
    state->n_bounded = begin->n_bounded;
    ney_multiplier_join(r, sum[2], sum[2] / o->comm->size, sum[2] > 0 ? sum[3] / sum[2] : 0);
    o->bounded = 0;
    return sum[0];
}

/* Where a round is whole: averages, and whether all processes are to go on. */
static void meet_wholly(ney_online *r)
{
    ney_rounds *const o = &r->rounds;
    ney_online_state *const state = &r->state;
    if (!r->learner.is_dual) {
        join_averages(r);
    }
    if (!r->learner.is_dual && state->visits >= state->average_restart) {
        ney_sgd_restart(&r->learner.sgd);
        while (state->visits >= state->average_restart) {
            state->average_restart *= 2;
        }
    }
    double flags[2] = {(double)ney_online_limit(r), ney_checkpoint_is_due(r)};
    ney_comm_maximum(o->comm, flags, 2);
    r->stop = (ney_stop)(int)flags[0];
    o->begin = *state;
    if (r->o.checkpoint && (r->stop != NEY_STOP_CONVERGED || flags[1] > 0)) {
        ney_checkpoint_save(r);
    }
}

static void meet(ney_online *r)
{
    ney_rounds *const o = &r->rounds;
    const double epoch = r->schedule.epoch_visits;
    const bool is_beginning = r->state.epoch == 0 && 2 * (double)o->begin.visits < epoch;
    const double visits = join_state(r);
    if (r->learner.is_dual) {
        if (is_beginning && 2 * (double)r->state.visits >= epoch) {
            memset(r->learner.dual.sum, 0, (size_t)(r->learner.dual.n + 2) * sizeof(double));
        }
        join_coordinates(r, visits);
    } else {
        ney_rounds_join_weights(r, o->share);
    }
    o->begin = r->state;
    r->state.round++;
    if (r->state.round % WHOLE == 0 || r->state.round == o->n) {
        meet_wholly(r);
    }
}

/* ---- the epoch */

/* Visits of this process before round j. */
static int64_t visits_before(const ney_rounds *o, int64_t round)
{
    return (int64_t)((double)o->visits * (double)round / (double)o->n);
}

int64_t ney_rounds_left(const ney_online *r)
{
    const ney_rounds *const o = &r->rounds;
    return o->comm ? visits_before(o, r->state.round + 1) - o->done : INT64_MAX;
}

void ney_rounds_count(ney_online *r, int64_t n)
{
    ney_rounds *const o = &r->rounds;
    o->done += n;
    while (o->comm && r->stop == NEY_STOP_CONVERGED && r->state.round < o->n &&
           ney_rounds_left(r) <= 0) {
        meet(r);
    }
}

/* A checkpoint of another number of processes: the same share of the epoch is done, up to a round.
 * Averages are sums over the visits of one of several processes. */
static void take_over_processes(ney_online *r)
{
    ney_rounds *const o = &r->rounds;
    ney_sgd *const s = &r->learner.sgd;
    const int64_t size = ney_comm_size(o->comm);
    const double factor = (double)r->state.processes / (double)size;
    for (int64_t k = 0; k < s->n; k++) {
        s->u[k] *= factor;
    }
    for (int64_t k = 0; k < s->m; k++) {
        s->b_sum[k] *= factor;
    }
    s->mass *= factor;
    s->count *= factor;
    r->state.processes = size;
    r->state.round = (int64_t)(r->state.share * (double)o->n);
    o->done =
        o->comm ? visits_before(o, r->state.round) : (int64_t)(r->state.share * (double)o->visits);
}

int64_t ney_rounds_begin_epoch(ney_online *r)
{
    ney_rounds *const o = &r->rounds;
    const bool is_other = r->state.processes != ney_comm_size(o->comm);
    if (is_other) {
        take_over_processes(r);
    } else {
        o->done = o->comm ? visits_before(o, r->state.round)
                          : llround(r->state.share * (double)o->visits);
    }
    o->begin = r->state;
    if (o->start) {
        memcpy(o->start, r->learner.dual.w, (size_t)(r->learner.dual.n + 1) * sizeof *o->start);
    }
    if (!is_other && !o->comm) {
        return 0; /* window and position say where */
    }
    r->state.window = r->state.position = 0;
    return o->done;
}

void ney_rounds_end_epoch(ney_online *r)
{
    r->rounds.done = 0;
    r->state.round = 0;
    r->state.share = 0;
}

double ney_rounds_share(const ney_online *r)
{
    const ney_rounds *const o = &r->rounds;
    return o->comm ? (double)r->state.round / (double)o->n : (double)o->done / (double)o->visits;
}
