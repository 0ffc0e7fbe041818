/* The first learning rate: the one of several powers of two after which [ONLINE.1] is smallest on a
 * sample of visits. */
#include "learn/online/online.h"

#include "linalg/rows.h"

#include <math.h>

/* The scores of visits that are loaded. */
static void score_visits(ney_online *r, const ney_window *w, int64_t first, int64_t n,
                         double *score)
{
    if (r->learner.batch.most > 0) {
        ney_online_score_batches(r, w, first, n, score);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        const ney_visit v = ney_visits_at(&r->learner.visits, w, first, i);
        score[i] = ney_sgd_score(&r->learner.sgd, v.x, v.row);
    }
}

/* The loss by which learning rates are compared: h of doc/math/online.md, which clips no row. */
static double trial_loss(const ney_online *r, int label, double z)
{
    double slope;
    return r->problem.is_cost           ? ney_hinges_loss(&r->problem.hinges[label > 0], z, &slope)
           : r->o.loss == NEY_LOSS_RAMP ? fmax(0, (r->o.eta - z) / (2 * r->o.eta))
                                        : ney_online_loss(&r->problem, z, true, &slope);
}

/* The sum of what processes have found, in place. */
static double add_processes(const ney_online *r, double value)
{
    double scratch;
    ney_comm_add(r->rounds.comm, &value, 1, &scratch);
    return value;
}

/* One pass over n visits, the sample's share of this process: the mean of [ONLINE.1] over the
 * sample of `all` visits at the end. */
static double try_rate(ney_online *r, double rate, int64_t n, double all, double square)
{
    const ney_window *w = &r->schedule.window[0];
    double sum = 0, score[NEY_ONLINE_BATCH];
    ney_sgd_begin(&r->learner.sgd, (uint64_t)r->o.seed, square);
    r->state = (ney_online_state){.t0 = 1 / (r->problem.mu * rate),
                                  .bounded_loss = r->problem.rate,
                                  .average_restart = INT64_MAX};
    for (int pass = 0; pass < 2; pass++) { /* to train, and to score */
        if (pass == 1 && r->rounds.comm) {
            ney_rounds_join_weights(r, (double)n / all);
        }
        for (int64_t first = 0; first < n; first += NEY_ONLINE_BATCH) {
            const int64_t some = n - first < NEY_ONLINE_BATCH ? n - first : NEY_ONLINE_BATCH;
            ney_visits_load(&r->learner.visits, &r->env, w, first, some);
            if (pass == 0) {
                ney_online_train_visits(r, w, first, some);
                continue;
            }
            score_visits(r, w, first, some, score);
            for (int64_t i = 0; i < some; i++) {
                const ney_visit v = ney_visits_at(&r->learner.visits, w, first, i);
                sum += r->problem.factor[v.label > 0] * v.weight *
                       trial_loss(r, v.label, r->problem.sign * v.label * score[i]);
            }
        }
    }
    return add_processes(r, sum) / all + 0.5 * r->problem.mu * ney_sgd_norm(&r->learner.sgd);
}

/* The steepest slope of a visit of weight 1, where costs determine it. At a rate that a costly row
 * finds too large its step is cut at the end of its loss, and costs have no effect. */
static double steepest(const ney_online_problem *p)
{
    double most = 1;
    for (int c = 0; c < 2 && p->is_cost; c++) {
        most = fmax(most, p->factor[c] * (p->hinges[c].first + p->hinges[c].second));
    }
    return most;
}

void ney_online_find_rate(ney_online *r)
{
    enum { SAMPLE = 2000 };
    const ney_window *w = &r->schedule.window[0];
    const int64_t n = w->n < SAMPLE ? w->n : SAMPLE;
    const ney_online_state begin = r->state;
    const double all = add_processes(r, (double)n);
    double square = 0, best_rate = 1, best = (double)INFINITY;
    int worse = 0; /* rates in a row than the best */

    for (int64_t i = 0; i < n; i++) {
        square += r->learner.visits.map.n > 0 ? 1 / all /* all are of length 1 */
                                              : ney_row_square(&w->x, w->visit[i]) / all;
    }
    square = add_processes(r, square);
    r->multiplier.is_fixed = true;
    for (int k = 4; k >= -10 && worse < 3; k--) {
        const double rate = ldexp(r->o.eta / (square + 1) / steepest(&r->problem), k);
        const double found = try_rate(r, rate, n, all, square);
        if (found < best) { /* false for NaN */
            best = found;
            best_rate = rate;
            worse = 0;
        } else {
            worse += isfinite(best);
        }
    }
    r->multiplier.is_fixed = false;
    r->state = begin;
    r->state.first_rate = best_rate;
    r->state.t0 = 1 / (r->problem.mu * best_rate);
    ney_sgd_begin(&r->learner.sgd, (uint64_t)r->o.seed, square);
    ney_log(&r->env, NEY_LOG_DETAIL, "first rate %.4g, found on %lld visits", best_rate,
            (long long)all);
}
