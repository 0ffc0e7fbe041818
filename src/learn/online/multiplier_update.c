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

void ney_multiplier_update(ney_online *r, double loss, double weight)
{
    const int side = r->problem.sign < 0;
    const double all = (double)r->schedule.shuffle.visits[side] * (double)r->parts.learn[side];
    const double back = fmax(50, fmin(0.25 * all, 20 / r->problem.rate));
    const double relative = weight * (double)r->parts.learn[side] / r->parts.weight[side];
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
