/* The average of the weights so far on the validation rows. The figure of merit is the loss of the
 * free class once the intercept is moved so that the loss of the bounded class is the rate allowed:
 * it depends neither on lambda nor on where the intercept happens to be. */
#include "decide/roc_walk.h"
#include "learn/holdout.h"
#include "learn/online/online.h"
#include "learn/summary.h"
#include "learn/threshold.h"

#include <math.h>
#include <string.h>

typedef struct rates {
    double bounded, free, bounded_01, free_01;
} rates;

typedef struct shifted {
    const ney_online *run;
    double shift;
} shifted;

/* Weight, loss and weight of errors, of the bounded and the free class. */
static void add_rates(void *context, int64_t begin, int64_t end, double *sum)
{
    const shifted *const s = context;
    const ney_online *const r = s->run;
    const ney_data *d = r->validation.data;
    double *const weight = sum, *const loss = sum + 2, *const wrong = sum + 4;
    for (int64_t i = begin; i < end; i++) {
        const int y = r->problem.sign * d->label[i];
        const double f = r->validation.score[i] + s->shift;
        const double w = d->weight ? (double)d->weight[i] : 1;
        weight[y > 0] += w;
        loss[y > 0] += w * ney_online_row_loss(&r->problem, y, f);
        wrong[y > 0] += w * ((r->problem.sign * f >= 0) != (d->label[i] > 0));
    }
}

/* Sums over the validation rows of all processes. */
static void sum_checks(const ney_online *r, double shift, ney_rows_add *add, double *sum, int k)
{
    const ney_data *const d = r->validation.data;
    ney_sum_rows(d->blocks, d->x.rows, add, &(shifted){r, shift}, sum, k);
}

static rates rates_at(const ney_online *r, double shift)
{
    double sum[6];
    const double *const weight = sum, *const loss = sum + 2, *const wrong = sum + 4;
    sum_checks(r, shift, add_rates, sum, 6);
    return (rates){.bounded = loss[0] / fmax(weight[0], 1e-300),
                   .free = loss[1] / fmax(weight[1], 1e-300),
                   .bounded_01 = wrong[0] / fmax(weight[0], 1e-300),
                   .free_01 = wrong[1] / fmax(weight[1], 1e-300)};
}

/* Weight and loss of the bounded class. */
static void add_bounded(void *context, int64_t begin, int64_t end, double *sum)
{
    const shifted *const s = context;
    const ney_online *const r = s->run;
    const ney_data *d = r->validation.data;
    double slope;
    for (int64_t i = begin; i < end; i++) {
        if (r->problem.sign * d->label[i] < 0) {
            const double w = d->weight ? (double)d->weight[i] : 1;
            const double z = -(r->validation.score[i] + s->shift);
            sum[0] += w;
            sum[1] += w * ney_online_loss(&r->problem, z, false, &slope);
        }
    }
}

static double bounded_loss(const ney_online *r, double shift)
{
    double sum[2];
    sum_checks(r, shift, add_bounded, sum, 2);
    return sum[1] / fmax(sum[0], 1e-300);
}

/* The mean loss with costs; the share of the validation rows may differ by class. */
static double mean_loss(const ney_online *r, double shift)
{
    const rates m = rates_at(r, shift);
    const double *const weight = r->parts.weight;
    return (weight[0] * m.bounded + weight[1] * m.free) / (weight[0] + weight[1]);
}

/* Weight and derivative of the loss by the shift, of negatives and positives. */
static void add_slopes(void *context, int64_t begin, int64_t end, double *sum)
{
    const shifted *const s = context;
    const ney_online *const r = s->run;
    const ney_data *d = r->validation.data;
    double slope;
    for (int64_t i = begin; i < end; i++) {
        const int y = d->label[i];
        const double w = d->weight ? (double)d->weight[i] : 1;
        (void)ney_hinges_loss(&r->problem.hinges[y > 0], y * (r->validation.score[i] + s->shift),
                              &slope);
        sum[y > 0] += w;
        sum[2 + (y > 0)] -= w * y * slope;
    }
}

/* The derivative of the mean loss by the shift, times a positive number. */
static double mean_slope(const ney_online *r, double shift)
{
    double sum[4];
    sum_checks(r, shift, add_slopes, sum, 4);
    return r->parts.weight[0] * sum[2] / fmax(sum[0], 1e-300) +
           r->parts.weight[1] * sum[3] / fmax(sum[1], 1e-300);
}

/* No score is within `margin` of 0 after a shift by that. */
static double largest_shift(const ney_online *r, double margin)
{
    double most = margin;
    for (int64_t i = 0; i < r->validation.data->x.rows; i++) {
        most = fmax(most, fabs(r->validation.score[i]) + margin);
    }
    ney_comm_maximum(r->rounds.comm, &most, 1);
    return most;
}

enum { HALVINGS = 32 };

/* The shift of the least mean loss, which is convex; 0 where it gains nothing. */
static double least_loss_shift(const ney_online *r)
{
    const ney_hinges *const h = r->problem.hinges;
    double high =
        largest_shift(r, fmax(fmax(h[0].tau, h[1].tau), fmax(fabs(h[0].rho), fabs(h[1].rho))));
    double low = -high;
    for (int k = 0; k < HALVINGS; k++) {
        const double middle = 0.5 * (low + high);
        if (mean_slope(r, middle) < 0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return mean_loss(r, high) < mean_loss(r, 0) ? high : 0;
}

/* The shift that meets the rate allowed, as the loss of the bounded class rises with it. */
static double rate_shift(const ney_online *r)
{
    double high = largest_shift(r, 40 * r->o.eta), low = -high;
    for (int k = 0; k < HALVINGS; k++) {
        const double middle = 0.5 * (low + high);
        if (bounded_loss(r, middle) <= r->problem.rate) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* How far the intercept may travel in the next epoch, roughly: half of the visits pull it one way,
 * each by the rate of its step times the slope of its loss. */
static double reach_of_intercept(const ney_online *r)
{
    const double visits = r->schedule.epoch_visits;
    const ney_hinges *const h = r->problem.hinges;
    const double slope = r->problem.is_cost
                             ? fmin(h[0].first + h[0].second, h[1].first + h[1].second)
                             : 1 / r->o.eta;
    return visits / ney_comm_size(r->rounds.comm) * slope /
           (2 * r->problem.mu * (r->state.t0 + (double)r->state.visits));
}

/* Validation rows are training rows: an intercept that suits them is that of the objective. */
static bool validates_on_training_rows(const ney_online *r)
{
    return r->parts.share[0] <= 0 && r->parts.share[1] <= 0;
}

/* The scores of all processes as the model will have them, and signs, in the order of ranks. */
static ney_status gather_scores(const ney_online *r, double *score, int8_t *label, int64_t n,
                                ney_error *err)
{
    const ney_data *const d = r->validation.data;
    const ney_comm *const comm = r->rounds.comm;
    const int size = ney_comm_size(comm), rank = ney_comm_rank(comm);
    int64_t first = 0;
    double *both = ney_alloc_zeroed(&r->env, 4 * n + size, sizeof *both);
    int64_t *rows = ney_alloc_zeroed(&r->env, size, sizeof *rows);
    const bool has_memory = both && rows;
    const ney_status st = ney_comm_agree(
        comm, has_memory ? NEY_OK : ney_no_memory(err, n, "scores of all processes"), err);
    if (st == NEY_OK) {
        rows[rank] = d->x.rows;
        ney_comm_add_counts(comm, rows, size);
        for (int k = 0; k < rank; k++) {
            first += rows[k];
        }
        for (int64_t i = 0; i < d->x.rows; i++) {
            both[first + i] = r->problem.sign * r->validation.score[i];
            both[n + first + i] = d->label[i];
        }
        ney_comm_add(comm, both, 2 * n, both + 2 * n);
        for (int64_t i = 0; i < n; i++) {
            score[i] = both[i];
            label[i] = both[n + i] > 0 ? 1 : -1;
        }
    }
    ney_release_all(&r->env, rows, both);
    return st;
}

/* What the rate of the free class is to be on new data when the threshold is set as the goal asks:
 * from the rows held out to certify, or without a certificate from as many rows as there are. */
static ney_status expected_rate(const ney_online *r, double *rate, ney_error *err)
{
    const bool bounds_fnr = r->problem.sign < 0;
    const ney_parts *const p = &r->parts;
    int64_t n = r->validation.data->x.rows;
    ney_roc *roc = NULL;
    ney_comm_add_counts(r->rounds.comm, &n, 1);
    double *score = ney_alloc(&r->env, n, sizeof *score);
    int8_t *label = ney_alloc(&r->env, n, sizeof *label);
    const bool has_memory = score && label;
    ney_status st =
        ney_comm_agree(r->rounds.comm, has_memory ? NEY_OK : ney_no_memory(err, n, "scores"), err);
    if (st == NEY_OK && (st = gather_scores(r, score, label, n, err)) == NEY_OK) {
        ney_env env = r->env;
        env.poll = NULL; /* a stop is seen elsewhere */
        st = ney_comm_agree(r->rounds.comm, ney_roc_new(&roc, &env, score, label, n, err), err);
    }
    if (st == NEY_OK) {
        const bool certifies = ney_request_certifies(&r->request);
        *rate = ney_expected_other_rate(
            &(ney_roc_walk){roc, bounds_fnr},
            certifies ? p->held_of[bounds_fnr] : p->all[bounds_fnr], r->request.rate,
            certifies ? ney_holdout_delta(&r->request, p->group != NULL) : (double)NAN);
    }
    ney_roc_free(roc);
    ney_release_all(&r->env, label, score);
    return st;
}

/* A network is stopped by the rate that matters, where rows that it is not trained on tell it. Rows
 * of different weights have no ROC curve. */
static bool is_stopped_by_rate(const ney_online *r)
{
    return r->o.network[0] > 0 && !r->problem.is_cost && !validates_on_training_rows(r) &&
           !r->validation.data->weight;
}

/* With a bounded rate the intercept is set at the end, and the merit is that at the shift which
 * meets the rate. With costs the shift is taken where it is exact, or where training cannot reach
 * it; else it is 0. */
static double validation_merit(const ney_online *r, double *shift)
{
    if (!r->problem.is_cost) {
        *shift = rate_shift(r);
        return rates_at(r, *shift).free;
    }
    *shift = least_loss_shift(r);
    if (!validates_on_training_rows(r) && fabs(*shift) <= reach_of_intercept(r)) {
        *shift = 0;
    }
    return mean_loss(r, *shift);
}

/* The regulariser, where validation uses the training rows: without it they would choose the
 * weights that overfit most. With costs the merit is then the objective. */
static double training_row_penalty(const ney_online *r, const double *w)
{
    double norm = 0;
    for (int64_t k = 0; k < r->learner.sgd.n; k++) {
        norm += w[k] * w[k];
    }
    const bool is_penalised = r->problem.is_cost
                                  ? validates_on_training_rows(r)
                                  : r->learner.is_dual && r->parts.share[r->problem.sign > 0] <= 0;
    return is_penalised ? 0.5 * r->problem.mu * norm : 0;
}

/* Without a multiplier: the mean loss alone. Rates at the thresholds are those of the result. */
static void report_mean_loss(const ney_online *r, double found)
{
    const double none = (double)NAN;
    const ney_step step = {.index = r->state.n_checks,
                           .lambda = none,
                           .ramp_fpr = none,
                           .ramp_fnr = none,
                           .fpr = none,
                           .fnr = none,
                           .objective = found,
                           .gap = none,
                           .iterations = r->state.visits,
                           .seconds = ney_online_seconds(r)};
    ney_report_step(&r->env, &step);
    ney_log(&r->env, NEY_LOG_DETAIL, "epoch %lld: mean loss %.5f, %lld visits",
            (long long)step.index, found, (long long)r->state.visits);
}

static void report_validation(const ney_online *r, const rates *m, double found)
{
    const bool fpr = r->problem.sign > 0;
    const double lambda = exp(r->state.log_lambda);
    if (r->problem.is_cost) {
        report_mean_loss(r, found);
        return;
    }
    const ney_step step = {.index = r->state.n_checks,
                           .lambda = lambda,
                           .ramp_fpr = fpr ? m->bounded : m->free,
                           .ramp_fnr = fpr ? m->free : m->bounded,
                           .fpr = fpr ? m->bounded_01 : m->free_01,
                           .fnr = fpr ? m->free_01 : m->bounded_01,
                           .objective = m->free + lambda * (m->bounded - r->problem.rate),
                           .gap = (double)NAN,
                           .iterations = r->state.visits,
                           .seconds = ney_online_seconds(r)};
    ney_report_step(&r->env, &step);
    ney_log(&r->env, NEY_LOG_DETAIL,
            "epoch %lld: lambda %.6g, loss fpr %.5f fnr %.5f, fpr %.5f fnr %.5f, merit "
            "%.5f at the bound, %lld visits",
            (long long)step.index, lambda, step.ramp_fpr, step.ramp_fnr, step.fpr, step.fnr, found,
            (long long)r->state.visits);
}

static ney_status score_checks(ney_online *r, const double *w, const double *b, ney_error *err)
{
    ney_env env = r->env;
    ney_model *m;
    ney_status st = ney_online_model(r, w, b, 1, &m, err);
    if (st != NEY_OK) {
        return st;
    }
    env.poll = NULL; /* a stop is seen elsewhere */
    st = ney_model_score(m, &env, ney_data_matrix(r->validation.data), r->validation.score, err);
    ney_model_free(m);
    return st;
}

/* The intercept is not regularised, but its steps are those of the weights: at a small C (a large
 * mu) it comes too late to where P = A, and meanwhile lambda runs to its end. What it cannot reach
 * is therefore set: the intercept where P = A, and the lambda that belongs to it [DUAL.3]; with
 * costs, the intercept of the least loss. */
static void set_intercept(ney_online *r, double average, double shift)
{
    if (r->learner.is_dual || fabs(shift) <= reach_of_intercept(r)) {
        return;
    }
    r->learner.sgd.b[r->learner.sgd.m - 1] = average + shift;
    if (r->problem.is_cost) {
        ney_sgd_restart(&r->learner.sgd);
        return;
    }
    r->state.log_lambda = fmin(r->multiplier.max_log, log(ney_online_slope(r, shift)));
    r->state.bounded_loss = r->problem.rate;
    r->state.n_bounded = 0;
    ney_sgd_restart(&r->learner.sgd);
}

ney_status ney_online_validate(ney_online *r, ney_error *err)
{
    double *w = ney_alloc(&r->env, r->learner.sgd.n + r->learner.sgd.m, sizeof *w);
    if (!w) {
        return ney_no_memory(err, r->learner.sgd.n, "weights");
    }
    if (r->learner.is_dual) {
        ney_dual_average(&r->learner.dual, w, w + r->learner.sgd.n);
    } else {
        ney_sgd_average(&r->learner.sgd, w, w + r->learner.sgd.n);
    }
    ney_status st = score_checks(r, w, w + r->learner.sgd.n, err);
    if (st == NEY_OK) {
        double shift;
        double found = validation_merit(r, &shift) + training_row_penalty(r, w);
        if (is_stopped_by_rate(r) && (st = expected_rate(r, &found, err)) != NEY_OK) {
            ney_release(&r->env, w);
            return st;
        }
        const rates m = rates_at(r, 0);
        r->state.n_checks++;
        report_validation(r, &m, found);
        /* A negligible gain does not extend the run, but the better weights are kept. */
        const double hardly = r->learner.visits.map.n > 0 ? 5e-3 : 1e-3;
        if (!(found >= r->state.best_merit - hardly * r->state.best_merit)) {
            r->state.best_epoch = r->state.epoch;
        }
        if (!(found >= r->state.best_merit)) {
            r->state.best_merit = found;
            r->state.best_lambda = exp(r->state.log_lambda);
            memcpy(r->validation.best_w, w,
                   (size_t)(r->learner.sgd.n + r->learner.sgd.m) * sizeof *w);
            r->validation.best_b[r->learner.sgd.m - 1] += r->problem.is_cost ? shift : 0;
        }
        if (r->learner.is_dual) {
            ney_dual_follow(r, shift);
        }
        set_intercept(r, w[r->learner.sgd.n + r->learner.sgd.m - 1], shift);
    }
    ney_release(&r->env, w);
    return st;
}
