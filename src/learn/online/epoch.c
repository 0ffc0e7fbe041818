/* Epochs: windows, the visits of a window, polls between them, and when to stop. */
#include "learn/online/online.h"

#include "base/clock.h"
#include "learn/online/checkpoint.h"

#include <math.h>

double ney_online_seconds(const ney_online *r)
{
    return ney_now() - r->timing.begin;
}

/* ---------------------------------------------------------------- windows */

ney_stop ney_online_limit(const ney_online *r)
{
    if (!ney_poll(&r->env, "training", (double)r->state.visits,
                  (double)r->schedule.max_epochs * r->schedule.epoch_visits)) {
        return NEY_STOP_CANCELLED;
    }
    if (r->o.max_time > 0 && ney_online_seconds(r) > r->o.max_time) {
        return NEY_STOP_TIME;
    }
    return r->o.max_iter > 0 && r->state.visits >= r->o.max_iter ? NEY_STOP_ITERATIONS
                                                                 : NEY_STOP_CONVERGED;
}

/* After n visits: set the reason to stop where there is one; write a checkpoint where one is due.
 * Several processes do both when they meet. */
static void count_visits(ney_online *r, int64_t n)
{
    ney_rounds_count(r, n);
    if (r->rounds.comm) {
        return;
    }
    r->stop = ney_online_limit(r);
    if (r->o.checkpoint && (r->stop != NEY_STOP_CONVERGED || ney_checkpoint_is_due(r))) {
        ney_checkpoint_save(r);
    }
}

/* Visit the rows of a window from state.position on. Limits are polled between two batches. */
static void train_window(ney_online *r, const ney_window *w)
{
    ney_online_state *state = &r->state;
    const double begin = ney_busy();
    const int64_t from = state->position;
    while (state->position < w->n && r->stop == NEY_STOP_CONVERGED) {
        const int64_t first = state->position, left = ney_rounds_left(r);
        const int64_t rest = w->n - first < left ? w->n - first : left;
        const int64_t n = rest < NEY_ONLINE_BATCH ? rest : NEY_ONLINE_BATCH;
        if (r->learner.is_dual) {
            ney_dual_learn(r, w, first + rest);
        } else {
            ney_visits_load(&r->learner.visits, &r->env, w, first, n);
            ney_online_train_visits(r, w, first, n);
            state->position += n;
        }
        count_visits(r, state->position - first);
    }
    r->timing.busy += ney_busy() - begin;
    for (int64_t k = from; k < state->position && !r->learner.is_dual;
         k++) { /* there many rows are skipped */
        r->timing.entries += (double)(w->start[w->visit[k] + 1] - w->start[w->visit[k]]);
    }
}

typedef struct stage {
    ney_online *run;
    ney_window *now, *next;
    int64_t k; /* of the next window; the last one has none */
} stage;

static void train_or_load(void *context, int64_t i, int thread)
{
    const stage *s = context;
    (void)thread;
    if (i == 0) {
        train_window(s->run, s->now);
    } else {
        const double begin = ney_busy();
        ney_window_load(s->next, &s->run->schedule.shuffle, s->k);
        s->run->timing.loading += ney_busy() - begin;
    }
}

/* Training continues where a checkpoint cannot be written, as on a full disk, and says so once. */
static void report_checkpoint(ney_online *r)
{
    if (r->checkpoint.status != NEY_OK && !r->checkpoint.is_reported) {
        r->checkpoint.is_reported = true;
        ney_log(&r->env, NEY_LOG_WARNING,
                "the checkpoint %s cannot be written (%s); training continues without it",
                r->o.checkpoint, r->checkpoint.error.message);
    }
}

/* Load the first window to train on: that of the state, or the one that begins after that number of
 * visits. */
static void load_first(ney_online *r, int64_t passed_over)
{
    ney_online_state *const state = &r->state;
    ney_window *const w = &r->schedule.window[0];
    ney_window_load(w, &r->schedule.shuffle, state->window);
    while (w->status == NEY_OK && passed_over > 0 && passed_over >= w->n &&
           state->window < r->schedule.shuffle.n_windows) {
        passed_over -= w->n;
        state->window++;
        ney_window_load(w, &r->schedule.shuffle, state->window);
    }
    state->position = passed_over > 0 ? passed_over : state->position;
}

static ney_status begin_epoch(ney_online *r, ney_error *err)
{
    ney_window *const w = &r->schedule.window[0];
    ney_shuffle_begin(&r->schedule.shuffle, r->state.epoch);
    const bool is_first = r->state.t0 <= 0;
    if (!is_first) {
        load_first(r, ney_rounds_begin_epoch(r));
    } else {
        load_first(r, 0);
    }
    if (w->status != NEY_OK && err) {
        *err = w->error;
    }
    const ney_status st = ney_comm_agree(r->rounds.comm, w->status, err);
    if (st != NEY_OK) {
        return st;
    }
    if (is_first) {
        ney_online_find_rate(r);
        if (r->from) {
            ney_online_take_weights(r);
        }
        (void)ney_rounds_begin_epoch(r);
    }
    ney_rounds_count(r, 0);
    return NEY_OK;
}

/* Two threads: one trains on a window while the other reads and scales the next. Where rows are
 * mapped, all threads do that, and loading waits. */
static ney_status run_epoch(ney_online *r, ney_error *err)
{
    ney_online_state *state = &r->state;
    int which = 0;
    ney_status st = begin_epoch(r, err);
    if (st != NEY_OK) {
        return st;
    }
    for (; state->window < r->schedule.shuffle.n_windows;
         state->window++, state->position = 0, which = !which) {
        ney_window *w = &r->schedule.window[which];
        if (w->status != NEY_OK) {
            if (err) {
                *err = w->error;
            }
            return w->status;
        }
        stage s = {.run = r, .now = w, .next = &r->schedule.window[!which], .k = state->window + 1};
        const int64_t n = s.k < r->schedule.shuffle.n_windows ? 2 : 1;
        if (r->learner.visits.map.n > 0) {
            for (int64_t i = 0; i < n; i++) {
                train_or_load(&s, i, 0);
            }
        } else {
            ney_parallel_for(&r->env, n, train_or_load, &s);
        }
        report_checkpoint(r);
        if (r->stop != NEY_STOP_CONVERGED) {
            return NEY_OK;
        }
    }
    if (r->stop != NEY_STOP_CONVERGED) {
        return NEY_OK;
    }
    ney_rounds_end_epoch(r);
    if (r->learner.is_dual) {
        ney_dual_turn(&r->learner.dual, state->epoch);
    }
    state->window = 0;
    state->epoch++;
    return NEY_OK;
}

/* ---------------------------------------------------------------- the run */

/* Validation no longer improves: the best one is some epochs old. The patience is longer in long
 * runs, where epochs are short, and where several processes make each other's epochs slower. */
static bool is_stagnant(const ney_online *r)
{
    const double work = r->schedule.epoch_visits * fmax(1, (double)r->learner.visits.map.n / 100);
    const double least = r->learner.is_dual ? 2 : fmin(10, fmax(2, 1e6 / work));
    const double patience = fmax(0.25 * (double)r->state.epoch, least) * ney_rounds_slowness(r);
    return r->o.epochs == 0 && (double)(r->state.epoch - r->state.best_epoch) >= patience;
}

/* A run that was not stopped: its checks no longer improve, which says nothing about the optimum;
 * or the multiplier of the best of them is at the end of its range. */
static ney_stop reason_to_end(const ney_online *r)
{
    if (!is_stagnant(r)) {
        return NEY_STOP_EPOCHS;
    }
    const bool is_bounded = !r->problem.is_cost && r->problem.rate < 1;
    return is_bounded && log(r->state.best_lambda) >= r->multiplier.max_log - 0.05
               ? NEY_STOP_MULTIPLIER
               : NEY_STOP_CHECKS;
}

static ney_status run_epochs(ney_online *r, ney_error *err)
{
    ney_status st = NEY_OK;
    while (r->state.epoch < r->schedule.max_epochs && !is_stagnant(r)) {
        if ((st = run_epoch(r, err)) != NEY_OK) {
            return st;
        }
        if (r->stop != NEY_STOP_CONVERGED) {
            break;
        }
        if ((st = ney_online_validate(r, err)) != NEY_OK) {
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
        ney_checkpoint_save(r);
        report_checkpoint(r);
    }
    if (r->stop == NEY_STOP_CONVERGED) {
        r->stop = reason_to_end(r);
    }
    if (r->timing.busy > 0) {
        ney_log(&r->env, NEY_LOG_DETAIL,
                "learned from %.0f entries, %.4g million per second, loaded at %.4g million",
                r->timing.entries, 1e-6 * r->timing.entries / r->timing.busy,
                1e-6 * r->timing.entries / fmax(r->timing.loading, 1e-9));
    }
    return r->state.n_checks == 0 ? ney_online_validate(r, err) : NEY_OK;
}
