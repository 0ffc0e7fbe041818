#include "learn/online/online.h"

#include "base/clock.h"
#include "base/parallel.h"
#include "data/hash.h"
#include "learn/batch/reject.h"
#include "learn/holdout.h"
#include "learn/online/checkpoint.h"
#include "linalg/rows.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

enum { MOST_EPOCHS = 100 }; /* where the number is left open */

static const double GAIN = 2; /* of [ONLINE.3]: log lambda can change by twice that in an epoch */

double ney_online_seconds(const ney_online *r)
{
    return ney_now() - r->begin;
}

/* ---------------------------------------------------------------- one visit */

double ney_online_loss(const ney_train_opts *o, double z, bool convex, double *slope)
{
    if (o->loss == NEY_LOSS_SIGMOID) {
        const double phi = 1 / (1 + exp(z / o->eta));
        *slope = phi * (1 - phi) / o->eta;
        return phi;
    }
    const double phi = (o->eta - z) / (2 * o->eta);
    *slope = phi > 0 && (phi < 1 || convex) ? 0.5 / o->eta : 0;
    return phi < 0 ? 0 : phi > 1 ? 1 : phi;
}

double ney_online_row_loss(const ney_online *r, int label, double score)
{
    double slope;
    return r->by_cost ? ney_hinges_loss(&r->hinges[label > 0], label * score, &slope)
                      : ney_online_loss(&r->o, label * score, false, &slope);
}

/* As in the batch methods nobody is given up at first, for whom a poor score function loses is lost
 * for ever; and of the bounded class nobody while its rate is above the one allowed. */
static bool is_kept(const ney_online *r, int y)
{
    const double first = r->from ? 0 : (r->most_epochs > 1 ? 1 : 0.5) * r->visits;
    return (double)r->at.visits < first || (y < 0 && r->at.seen > r->rate);
}

/* [ONLINE.3]. The rate looks back over visits enough to show it, but not more than a part of an
 * epoch; a factor of e^2 is as far as one look is believed. lambda is the slope of an ROC curve at
 * A, which is at most 1 / A where the curve is concave: twice that is the end. */
static void follow_rate(ney_online *r, double phi, double weight)
{
    const int side = r->sign < 0;
    const double all = (double)r->shuffle.visits[side] * (double)r->parts.learn[side];
    const double back = fmax(50, fmin(0.25 * all, 20 / r->rate));
    const double relative = weight * (double)r->parts.learn[side] / r->parts.weight[side];
    r->at.n_seen = fmin(r->at.n_seen + 1, back);
    r->at.seen += (phi - r->at.seen) * fmin(1, relative / r->at.n_seen);
    const double small = 0.05 * r->rate;
    const double off = log((fmax(r->at.seen, 0) + small) / (r->rate + small));
    const double epochs = (double)r->at.visits / r->visits;
    if (r->trying || (epochs < 0.25 && !r->from)) {
        return; /* nothing is learned yet that the rate could tell of */
    }
    r->at.log_lambda += GAIN / all / (1 + 0.1 * epochs) * fmin(2, fmax(-2, off));
    r->at.log_lambda = fmin(r->most_log_lambda, fmax(-10, r->at.log_lambda));
    r->root = exp(0.5 * r->at.log_lambda);
}

ney_wish ney_online_wish(const ney_online *r, const ney_visit *v, double score)
{
    const ney_trail *at = &r->at;
    const int y = r->sign * v->label; /* +1 in the free class */
    const double z = y * score, root = r->root;
    const ney_hinges *const hinges = &r->hinges[v->label > 0];
    ney_wish wish = {.sign = y,
                     .shrink = 1 / ((at->t0 + (double)at->visits) * fmax(1, root)),
                     .reach = r->by_cost                   ? hinges->tau - z
                              : r->o.loss == NEY_LOSS_RAMP ? r->o.eta - z
                                                           : 2 * r->o.eta};
    double slope;
    wish.loss = r->by_cost ? ney_hinges_loss(hinges, z, &slope)
                           : ney_online_loss(&r->o, z, is_kept(r, y), &slope);
    const double a = r->factor[v->label > 0] * v->weight * (y < 0 ? root * root : 1);
    wish.delta = wish.shrink / r->mu * a * slope;
    return wish;
}

void ney_online_note(ney_online *r, const ney_visit *v, const ney_wish *wish)
{
    r->at.visits++;
    if (wish->sign < 0 && !r->by_cost) {
        follow_rate(r, wish->loss, v->weight);
    }
}

void ney_online_visit(ney_online *r, const ney_visit *v)
{
    const ney_matrix *x = v->x;
    const int64_t row = v->row;
    const ney_wish wish = ney_online_wish(r, v, ney_sgd_score(&r->sgd, x, row));
    double delta = wish.delta;
    if (delta > 0) {
        const double square = /* mapped rows are of length 1, and so is the intercept's */
            r->batch.map.n > 0 ? 2 : ney_sgd_square(&r->sgd, x, row);
        delta = fmin(delta, wish.reach / square);
    }
    ney_sgd_step(&r->sgd, x, row, wish.shrink, wish.sign * delta);
    ney_online_note(r, v, &wish);
}

/* ---------------------------------------------------------------- windows */

static void look_up(ney_online *r)
{
    if (!ney_poll(&r->env, "training", (double)r->at.visits, (double)r->most_epochs * r->visits)) {
        r->stop = NEY_STOP_CANCELLED;
    } else if (r->o.max_time > 0 && ney_online_seconds(r) > r->o.max_time) {
        r->stop = NEY_STOP_TIME;
    } else if (r->o.max_iter > 0 && r->at.visits >= r->o.max_iter) {
        r->stop = NEY_STOP_ITERATIONS;
    }
    if (r->o.checkpoint &&
        (r->stop != NEY_STOP_CONVERGED || ney_now() - r->saved >= r->o.checkpoint_every)) {
        r->checkpoint_status = ney_checkpoint_write(r, &r->checkpoint_error);
        r->saved = ney_now();
    }
}

/* Visits first .. first + n - 1 of a window, which are loaded. */
static void learn_some(ney_online *r, const ney_window *w, int64_t first, int64_t n)
{
    ney_trail *at = &r->at;
    r->root = exp(0.5 * at->log_lambda);
    if (r->many.most > 0) {
        ney_online_learn_batches(r, w, first, n);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        const ney_visit v = ney_visits_at(&r->batch, w, first, i);
        if (at->visits == at->restart) {
            ney_sgd_restart(&r->sgd);
            at->restart *= 2;
        }
        ney_online_visit(r, &v);
    }
}

/* Visit the rows of a window from at.place on. Between two batches a stop is seen and a checkpoint
 * written. */
static void learn_window(ney_online *r, const ney_window *w)
{
    ney_trail *at = &r->at;
    const double begin = ney_busy();
    const int64_t from = at->place;
    while (at->place < w->n && r->stop == NEY_STOP_CONVERGED) {
        if (r->by_dual) {
            ney_dual_learn(r, w);
            look_up(r);
            continue;
        }
        const int64_t rest = w->n - at->place, first = at->place;
        const int64_t n = rest < NEY_ONLINE_BATCH ? rest : NEY_ONLINE_BATCH;
        ney_visits_load(&r->batch, &r->env, w, first, n);
        learn_some(r, w, first, n);
        at->place += n;
        look_up(r);
    }
    r->busy += ney_busy() - begin;
    for (int64_t k = from; k < at->place && !r->by_dual; k++) { /* there many rows rest */
        r->entries += (double)(w->start[w->visit[k] + 1] - w->start[w->visit[k]]);
    }
}

typedef struct stage {
    ney_online *run;
    ney_window *now, *next;
    int64_t k; /* of the next window; the last one has none */
} stage;

static void do_one(void *context, int64_t i, int thread)
{
    const stage *s = context;
    (void)thread;
    if (i == 0) {
        learn_window(s->run, s->now);
    } else {
        ney_window_load(s->next, &s->run->shuffle, s->k);
    }
}

/* A full disk is no reason to lose the training: it goes on, and says so once. */
static void warn_of_checkpoint(ney_online *r)
{
    if (r->checkpoint_status != NEY_OK && !r->checkpoint_warned) {
        r->checkpoint_warned = true;
        ney_log(&r->env, NEY_LOG_WARNING,
                "the checkpoint %s cannot be written (%s); training goes on without it",
                r->o.checkpoint, r->checkpoint_error.message);
    }
}

/* Two threads: one learns from a window while the other reads and scales the next. Where rows are
 * mapped, all threads do that, and windows wait. */
static ney_status run_epoch(ney_online *r, ney_error *err)
{
    ney_trail *at = &r->at;
    int which = 0;
    ney_shuffle_begin(&r->shuffle, at->epoch);
    ney_window_load(&r->window[0], &r->shuffle, at->window);
    for (; at->window < r->shuffle.n_windows; at->window++, at->place = 0, which = !which) {
        ney_window *w = &r->window[which];
        if (w->status != NEY_OK) {
            if (err) {
                *err = w->error;
            }
            return w->status;
        }
        if (at->t0 <= 0) {
            ney_online_find_rate(r);
            if (r->from) {
                ney_online_take_weights(r);
            }
        }
        stage s = {.run = r, .now = w, .next = &r->window[!which], .k = at->window + 1};
        const int64_t n = s.k < r->shuffle.n_windows ? 2 : 1;
        if (r->batch.map.n > 0) {
            for (int64_t i = 0; i < n; i++) {
                do_one(&s, i, 0);
            }
        } else {
            ney_parallel_for(&r->env, n, do_one, &s);
        }
        warn_of_checkpoint(r);
        if (r->stop != NEY_STOP_CONVERGED) {
            return NEY_OK;
        }
    }
    if (r->by_dual) {
        ney_dual_turn(&r->dual, at->epoch);
    }
    at->window = 0;
    at->epoch++;
    return NEY_OK;
}

/* ---------------------------------------------------------------- the first rate */

/* The scores of visits that are loaded. */
static void score_some(ney_online *r, const ney_window *w, int64_t first, int64_t n, double *score)
{
    if (r->many.most > 0) {
        ney_online_score_batches(r, w, first, n, score);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        const ney_visit v = ney_visits_at(&r->batch, w, first, i);
        score[i] = ney_sgd_score(&r->sgd, v.x, v.row);
    }
}

/* What the first rate is to make small: h of doc/math/online.md, which nobody is given up by. */
static double trial_loss(const ney_online *r, int label, double z)
{
    double slope;
    return r->by_cost                   ? ney_hinges_loss(&r->hinges[label > 0], z, &slope)
           : r->o.loss == NEY_LOSS_RAMP ? fmax(0, (r->o.eta - z) / (2 * r->o.eta))
                                        : ney_online_loss(&r->o, z, true, &slope);
}

/* One pass over the sample at a first rate: the mean of [ONLINE.1] over it at the end. */
static double try_rate(ney_online *r, double rate, int64_t n, double square)
{
    const ney_window *w = &r->window[0];
    double sum = 0, score[NEY_ONLINE_BATCH];
    ney_sgd_begin(&r->sgd, (uint64_t)r->o.seed, square);
    r->at = (ney_trail){.t0 = 1 / (r->mu * rate), .seen = r->rate, .restart = INT64_MAX};
    for (int pass = 0; pass < 2; pass++) { /* to learn, and to look at */
        for (int64_t first = 0; first < n; first += NEY_ONLINE_BATCH) {
            const int64_t some = n - first < NEY_ONLINE_BATCH ? n - first : NEY_ONLINE_BATCH;
            ney_visits_load(&r->batch, &r->env, w, first, some);
            if (pass == 0) {
                learn_some(r, w, first, some);
                continue;
            }
            score_some(r, w, first, some, score);
            for (int64_t i = 0; i < some; i++) {
                const ney_visit v = ney_visits_at(&r->batch, w, first, i);
                sum += r->factor[v.label > 0] * v.weight *
                       trial_loss(r, v.label, r->sign * v.label * score[i]);
            }
        }
    }
    return sum / (double)n + 0.5 * r->mu * ney_sgd_norm(&r->sgd);
}

void ney_online_find_rate(ney_online *r)
{
    enum { SAMPLE = 2000 };
    const ney_window *w = &r->window[0];
    const int64_t n = w->n < SAMPLE ? w->n : SAMPLE;
    const ney_trail begin = r->at;
    double square = 0, best_rate = 1, best = (double)INFINITY;
    int worse = 0; /* rates in a row than the best */

    for (int64_t i = 0; i < n; i++) {
        square += r->batch.map.n > 0 ? 1 / (double)n /* all are of length 1 */
                                     : ney_row_square(&w->x, w->visit[i]) / (double)n;
    }
    r->trying = true;
    for (int k = 4; k >= -10 && worse < 3; k--) {
        const double rate = ldexp(r->o.eta / (square + 1), k);
        const double found = try_rate(r, rate, n, square);
        if (found < best) { /* false for NaN */
            best = found;
            best_rate = rate;
            worse = 0;
        } else {
            worse += isfinite(best);
        }
    }
    r->trying = false;
    r->at = begin;
    r->at.rate0 = best_rate;
    r->at.t0 = 1 / (r->mu * best_rate);
    ney_sgd_begin(&r->sgd, (uint64_t)r->o.seed, square);
    ney_log(&r->env, NEY_LOG_DETAIL, "first rate %.4g, found on %lld visits", best_rate,
            (long long)n);
}

/* ---------------------------------------------------------------- the run */

/* With few rows, those that are learned from; where they must be mapped anew for that, some of
 * them. */
static bool to_check(const void *context, int64_t row, int sign)
{
    enum { SOME = 2000 };
    const ney_online *r = context;
    const ney_parts *p = &r->parts;
    const double share = p->share[sign > 0];
    return share > 0
               ? ney_parts_aside(p, row, sign)
               : !ney_parts_held(p, row) &&
                     (!r->by_dual || ney_parts_draw(p, row, SOME / (double)p->learn[sign > 0]));
}

static void set_weights(ney_online *r)
{
    const ney_parts *p = &r->parts;
    r->visits = ney_shuffle_visits(&r->shuffle);
    const double all = p->weight[0] + p->weight[1];
    for (int c = 0; c < 2; c++) {
        r->factor[c] =
            r->visits / ((double)r->shuffle.visits[c] * (r->by_cost ? all : p->weight[c]));
    }
    r->mu = 1 / (r->o.C * (r->by_cost ? all : p->weight[r->sign > 0]));
    r->rate = fmax(r->request.rate, 0.5 / (double)p->learn[r->sign < 0]);
    r->most_log_lambda = log(2 / r->rate);
}

static bool not_held(const void *context, int64_t row)
{
    return !ney_parts_held(context, row);
}

static ney_status divide(ney_online *r, ney_feed *f, ney_error *err)
{
    ney_status st = ney_parts_init(&r->parts, f, &r->request, &r->o, err);
    if (st != NEY_OK || !f->own) {
        return st;
    }
    ney_log(&r->env, NEY_LOG_INFO, "positive: %s (%lld rows), negative: %s (%lld rows)",
            ney_recipe_label(f->recipe, 1), (long long)r->parts.all[1],
            ney_recipe_label(f->recipe, -1), (long long)r->parts.all[0]);
    return ney_feed_prepare(f, not_held, &r->parts, err);
}

/* The rows to check with; all rows are hashed as they pass. A model that keeps no fingerprint gets
 * none by learning on: that would speak of a part of its rows. */
static ney_status gather_checks(ney_online *r, const ney_feed *f, ney_error *err)
{
    r->keeps_rows = !r->o.no_fingerprint && (!r->from || r->from->training_rows);
    ney_row_sketch_init(&r->rows, &r->env);
    if (r->keeps_rows && r->from) {
        ney_row_sketch_merge(&r->rows, r->from->training_rows);
    }
    const ney_status st =
        ney_feed_gather(&r->check, f, to_check, r, r->keeps_rows ? &r->rows : NULL, err);
    return st == NEY_OK ? ney_row_sketch_sort(&r->rows, err) : st;
}

ney_status ney_online_init(ney_online *r, ney_feed *f, const ney_train_opts *o,
                           const ney_model *from, ney_error *err)
{
    ney_status st;
    *r = (ney_online){.env = f->env,
                      .feed = f,
                      .request = ney_request_of(o),
                      .o = *o,
                      .from = from,
                      .begin = ney_now(),
                      .saved = ney_now(),
                      .most_epochs = o->epochs > 0 ? o->epochs : MOST_EPOCHS};
    r->sign = -r->request.bounded_class;
    r->by_cost = isnan(r->request.rate);
    if (r->by_cost) {
        ney_hinges_of(&r->request.costs, r->hinges);
        ney_reject_say(&r->env, &r->request.costs);
    }
    r->by_dual = ney_dual_suits(r);
    if ((st = divide(r, f, err)) != NEY_OK ||
        (st = ney_shuffle_init(&r->shuffle, f, &r->parts, (uint64_t)o->seed, err)) != NEY_OK ||
        (st = ney_window_init(&r->window[0], &r->env, err)) != NEY_OK ||
        (st = ney_window_init(&r->window[1], &r->env, err)) != NEY_OK ||
        (st = gather_checks(r, f, err)) != NEY_OK ||
        (st = ney_visits_init(&r->batch, &r->env, r->check, o, from, err)) != NEY_OK ||
        (st = ney_sgd_init(&r->sgd, &r->env, o->features > 0 ? r->batch.map.n : f->cols, o->network,
                           err)) != NEY_OK ||
        (st = ney_online_init_batches(r, err)) != NEY_OK) {
        return st;
    }
    r->score = ney_alloc(&r->env, ney_data_matrix(r->check)->rows, sizeof *r->score);
    r->best_w = ney_alloc_zeroed(&r->env, r->sgd.n + r->sgd.m, sizeof *r->best_w);
    if (!r->score || !r->best_w) {
        return ney_no_memory(err, r->sgd.n, "weights");
    }
    r->best_b = r->best_w + r->sgd.n;
    if (r->by_dual) { /* one visit tells all */
        r->shuffle.visits[0] = r->shuffle.visits[1] = 1;
    }
    set_weights(r);
    ney_sgd_begin(&r->sgd, 0, 1);
    r->at = (ney_trail){
        .seen = r->rate, .best = (double)INFINITY, .restart = (int64_t)fmax(1, 0.5 * r->visits)};
    if (r->by_dual) { /* the rate of those who learn on, as if there had been one */
        r->at.rate0 = 0.5 * o->eta;
        r->at.t0 = 1 / (r->mu * r->at.rate0);
        if ((st = ney_dual_init(&r->dual, &r->env, r->batch.map.n, f->rows, err)) != NEY_OK) {
            return st;
        }
    }
    if (from && (st = ney_online_go_on(r, err)) != NEY_OK) {
        return st;
    }
    if (o->checkpoint && ((st = ney_checkpoint_check(o->checkpoint, err)) != NEY_OK ||
                          (st = ney_feed_hash(f, &r->content, err)) != NEY_OK)) {
        return st;
    }
    return o->checkpoint && o->resume ? ney_checkpoint_read(r, err) : NEY_OK;
}

void ney_online_deinit(ney_online *r)
{
    ney_parts_deinit(&r->parts);
    ney_shuffle_deinit(&r->shuffle);
    ney_window_deinit(&r->window[0], &r->env);
    ney_window_deinit(&r->window[1], &r->env);
    ney_sgd_deinit(&r->sgd);
    ney_sgd_batch_deinit(&r->many);
    ney_visits_deinit(&r->batch, &r->env);
    ney_dual_deinit(&r->dual, &r->env);
    ney_data_free(r->check);
    ney_row_sketch_deinit(&r->rows);
    ney_release(&r->env, r->score);
    ney_release(&r->env, r->best_w);
}

/* Checks no longer improve: the best is some epochs old, the more the longer the run and the
 * cheaper an epoch. */
static bool is_enough(const ney_online *r)
{
    const double price = r->visits * fmax(1, (double)r->batch.map.n / 100);
    const double patience =
        fmax(0.25 * (double)r->at.epoch, r->by_dual ? 2 : fmin(10, fmax(2, 1e6 / price)));
    return r->o.epochs == 0 && (double)(r->at.epoch - r->at.best_epoch) >= patience;
}

/* A run that was not stopped: its checks no longer improve, which says nothing about the optimum;
 * or the multiplier of the best of them is at the end of its range. */
static ney_stop why_ended(const ney_online *r)
{
    if (!is_enough(r)) {
        return NEY_STOP_EPOCHS;
    }
    const bool is_bounded = !r->by_cost && r->rate < 1;
    return is_bounded && log(r->at.best_lambda) >= r->most_log_lambda - 0.05 ? NEY_STOP_MULTIPLIER
                                                                             : NEY_STOP_CHECKS;
}

static ney_status run_epochs(ney_online *r, ney_error *err)
{
    ney_status st = NEY_OK;
    while (r->at.epoch < r->most_epochs && !is_enough(r)) {
        if ((st = run_epoch(r, err)) != NEY_OK) {
            return st;
        }
        if (r->stop != NEY_STOP_CONVERGED) {
            break;
        }
        if ((st = ney_online_check(r, err)) != NEY_OK) {
            return st;
        }
    }
    return NEY_OK;
}

ney_status ney_online_run(ney_online *r, ney_error *err)
{
    const bool alone = !r->env.team;
    if (alone) { /* windows are small, and there are many */
        ney_team_begin(&r->team, &r->env);
    }
    ney_status st = run_epochs(r, err);
    if (alone) {
        ney_team_end(&r->team);
        r->env.team = NULL;
    }
    if (st != NEY_OK) {
        return st;
    }
    if (r->o.checkpoint && r->stop == NEY_STOP_CONVERGED) {
        r->checkpoint_status = ney_checkpoint_write(r, &r->checkpoint_error);
        warn_of_checkpoint(r);
    }
    if (r->stop == NEY_STOP_CONVERGED) {
        r->stop = why_ended(r);
    }
    if (r->busy > 0) {
        ney_log(&r->env, NEY_LOG_DETAIL, "learned from %.0f entries, %.4g million a second",
                r->entries, 1e-6 * r->entries / r->busy);
    }
    return r->at.checks == 0 ? ney_online_check(r, err) : NEY_OK;
}
