#include "learn/online/online.h"

#include <math.h>

static const double GAIN = 2; /* log lambda changes by at most twice that in an epoch */

void ney_multiplier_init(ney_multiplier *m, double rate)
{
    *m = (ney_multiplier){.max_log = log(2 / rate)};
}

double ney_multiplier_clamp(const ney_multiplier *m, double log_lambda)
{
    return fmin(m->max_log, fmax(-10, log_lambda));
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

void ney_multiplier_update(ney_online *r, double loss, double weight)
{
    const int side = r->problem.sign < 0;
    const double all = bounded_visits(r), back = most_averaged(r);
    const double relative = weight * (double)r->parts.learn[side] / r->parts.weight[side];
    r->rounds.bounded++;
    r->state.n_bounded = fmin(r->state.n_bounded + 1, back);
    r->state.bounded_loss +=
        (loss - r->state.bounded_loss) * fmin(1, relative / r->state.n_bounded);
    const double small = 0.05 * r->problem.rate;
    const double off = log((fmax(r->state.bounded_loss, 0) + small) / (r->problem.rate + small));
    const double epochs = (double)r->state.visits / r->schedule.epoch_visits;
    if (r->multiplier.is_fixed || (epochs < 0.25 && !r->from)) {
        return; /* the score function is not trained enough for its rate to mean anything */
    }
    r->state.log_lambda += GAIN / all / (1 + 0.1 * epochs) * fmin(2, fmax(-2, off));
    r->state.log_lambda = ney_multiplier_clamp(&r->multiplier, r->state.log_lambda);
    r->multiplier.root = exp(0.5 * r->state.log_lambda);
}
