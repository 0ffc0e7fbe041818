#include "learn/online/online.h"

#include <math.h>

static const double GAIN = 2; /* log lambda changes by at most twice that in an epoch */

static const double LEAST_LOG = -10;

void ney_multiplier_init(ney_multiplier *m, double rate)
{
    *m = (ney_multiplier){.max_log = log(2 / rate)};
}

double ney_multiplier_clamp(const ney_multiplier *m, double log_lambda)
{
    return log_lambda > m->max_log ? m->max_log : log_lambda < LEAST_LOG ? LEAST_LOG : log_lambda;
}

/* Visits to the bounded class in an epoch, and those that R averages over at most. */
static double bounded_visits(const ney_online *r)
{
    const int side = r->problem.sign < 0;
    return (double)r->schedule.shuffle.visits[side] * (double)r->parts.learn[side];
}

static double most_averaged(const ney_online *r)
{
    return fmax(50, fmin(0.25 * bounded_visits(r), 20 / r->problem.rate));
}

/* The share that R before a number of visits has in R after them. */
static double share_kept(double n_bounded, double visits, double back)
{
    const double grown = fmin(visits, back - n_bounded);
    return n_bounded / fmax(1, n_bounded + grown) * pow(1 - 1 / back, visits - grown);
}

void ney_multiplier_join(ney_online *r, double visits, double each, double change)
{
    ney_online_state *const state = &r->state;
    const double back = most_averaged(r);
    if (visits > 0) {
        state->bounded_loss += change * (1 - share_kept(state->n_bounded, visits, back)) /
                               (1 - share_kept(state->n_bounded, each, back));
        state->n_bounded = fmin(state->n_bounded + visits, back);
    }
}

void ney_multiplier_begin(ney_online *r)
{
    ney_multiplier *const m = &r->multiplier;
    const int side = r->problem.sign < 0;
    m->root = exp(0.5 * r->state.log_lambda);
    m->each = (double)r->parts.learn[side] / r->parts.weight[side];
    m->back = most_averaged(r);
    m->often = r->learner.batch.most > 0 ? 1 : 8;
    m->n = 0;
}

/* How far one visit moves log lambda. Before a quarter of an epoch the score function is not
 * trained enough for its rate to mean anything. */
static double move_of(const ney_online *r)
{
    const double small = 0.05 * r->problem.rate;
    const double epochs = (double)r->state.visits / r->schedule.epoch_visits;
    const double gain = GAIN / bounded_visits(r) / (1 + 0.1 * epochs);
    const double off = log((fmax(r->state.bounded_loss, 0) + small) / (r->problem.rate + small));
    return r->multiplier.is_fixed || (epochs < 0.25 && !r->from) ? 0
                                                                 : gain * fmin(2, fmax(-2, off));
}

void ney_multiplier_update(ney_online *r, double loss, double weight)
{
    ney_multiplier *const m = &r->multiplier;
    ney_online_state *const state = &r->state;
    const double n = state->n_bounded + 1;
    state->n_bounded = n < m->back ? n : m->back;
    const double share = weight * m->each / state->n_bounded;
    state->bounded_loss += (loss - state->bounded_loss) * (share < 1 ? share : 1);
    r->rounds.bounded++;
    const bool is_due = m->n++ % m->often == 0;
    m->move = is_due ? move_of(r) : m->move;
    state->log_lambda = ney_multiplier_clamp(m, state->log_lambda + m->move);
    m->root = is_due ? exp(0.5 * state->log_lambda) : m->root;
}
