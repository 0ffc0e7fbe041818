/* An online run: its parts, and the rows that each is for. */
#include "learn/online/online.h"

#include "base/clock.h"
#include "data/hash.h"
#include "learn/batch/reject.h"
#include "model/training_rows.h"

#include <math.h>

enum { DEFAULT_EPOCHS = 100 };

/* Rows to validate with. With few rows, those that are trained on; where they must be mapped for
 * that, a sample of them. */
static bool is_validated(const void *context, int64_t row, int sign)
{
    enum { SOME = 2000 };
    const ney_online *r = context;
    const ney_parts *p = &r->parts;
    const double share = p->share[sign > 0];
    return share > 0 ? ney_parts_aside(p, row, sign)
                     : !ney_parts_held(p, row) &&
                           (!r->learner.is_dual ||
                            ney_parts_draw(p, row, SOME / (double)p->learn[sign > 0]));
}

static bool not_held(const void *context, int64_t row)
{
    return !ney_parts_held(context, row);
}

static ney_status split_rows(ney_online *r, const ney_online_rows *rows, ney_error *err)
{
    ney_feed *const f = rows->feed;
    ney_status st = ney_parts_init(&r->parts, f, rows->part_of, &r->request, &r->o, err);
    if (st != NEY_OK || !f->own) {
        return st;
    }
    ney_log(&r->env, NEY_LOG_INFO, "positive: %s (%lld rows), negative: %s (%lld rows)",
            ney_preprocessing_label(f->preprocessing, 1), (long long)r->parts.all[1],
            ney_preprocessing_label(f->preprocessing, -1), (long long)r->parts.all[0]);
    return ney_feed_prepare(f, not_held, &r->parts, err);
}

/* The rows to validate with; all rows are hashed on the way. A model without a fingerprint gets
 * none by an update, which would cover a part of its rows only. */
static ney_status gather_validation(ney_online *r, const ney_feed *f, ney_error *err)
{
    r->fingerprint.is_kept = !r->o.no_fingerprint && (!r->from || r->from->training_rows);
    ney_row_sketch_init(&r->fingerprint.rows, &r->env);
    if (r->fingerprint.is_kept && r->from) {
        ney_row_sketch_merge(&r->fingerprint.rows, r->from->training_rows);
    }
    const ney_status st =
        ney_feed_gather(&r->validation.data, f, is_validated, r,
                        r->fingerprint.is_kept ? &r->fingerprint.rows : NULL, err);
    if (st != NEY_OK || !r->fingerprint.is_kept) {
        return st;
    }
    const ney_status sorted = ney_row_sketch_sort(&r->fingerprint.rows, err);
    return f->blocks ? ney_row_sketch_join(&r->fingerprint.rows, f->blocks->comm, sorted, err)
                     : sorted;
}

static ney_status init_learner(ney_online *r, ney_error *err)
{
    ney_online_learner *const l = &r->learner;
    const ney_train_opts *const o = &r->o;
    ney_status st;
    if ((st = ney_visits_init(&l->visits, &r->env, r->validation.data, o, r->from, err)) !=
        NEY_OK) {
        return st;
    }
    const ney_network shape = {.cols = o->features > 0 ? l->visits.map.n : r->feed->cols,
                               .units = {o->network[0], o->network[1]},
                               .activation = o->activation};
    if ((st = ney_sgd_init(&l->sgd, &r->env, &shape, err)) != NEY_OK ||
        (st = ney_online_init_batches(r, err)) != NEY_OK) {
        return st;
    }
    ney_sgd_begin(&l->sgd, 0, 1);
    return l->is_dual ? ney_dual_init(&l->dual, &r->env, l->visits.map.n, r->feed->rows, err)
                      : NEY_OK;
}

static ney_status init_validation(ney_online *r, ney_error *err)
{
    ney_validation *const v = &r->validation;
    const int64_t n = r->learner.sgd.n, m = r->learner.sgd.m;
    v->score = ney_alloc(&r->env, ney_data_matrix(v->data)->rows, sizeof *v->score);
    v->best_w = ney_alloc_zeroed(&r->env, n + m, sizeof *v->best_w);
    if (!v->score || !v->best_w) {
        return ney_no_memory(err, n, "weights");
    }
    v->best_b = v->best_w + n;
    return NEY_OK;
}

/* The state at the start: weights of 0, or those of a model. */
static ney_status init_state(ney_online *r, ney_error *err)
{
    ney_online_schedule *const s = &r->schedule;
    if (r->learner.is_dual) { /* a visit solves for its coordinate: once is enough */
        s->shuffle.visits[0] = s->shuffle.visits[1] = 1;
    }
    s->epoch_visits = ney_shuffle_visits(&s->shuffle);
    if (!r->feed->dense && r->learner.visits.map.n == 0 && r->o.network[0] == 0 &&
        ney_comm_size(ney_blocks_comm(r->feed->blocks)) == 1) {
        ney_sgd_average_lazily(&r->learner.sgd, r->feed->row_entries, s->epoch_visits);
    }
    ney_online_problem_weigh(&r->problem, &r->request, r->o.C, &s->shuffle);
    ney_multiplier_init(&r->multiplier, r->problem.rate);
    r->state = (ney_online_state){.bounded_loss = r->problem.rate,
                                  .best_merit = (double)INFINITY,
                                  .average_restart = (int64_t)fmax(1, 0.5 * s->epoch_visits)};
    if (r->learner.is_dual) { /* the rate that an update of the model starts with */
        r->state.first_rate = 0.5 * r->o.eta;
        r->state.t0 = 1 / (r->problem.mu * r->state.first_rate);
    }
    r->state.processes = ney_comm_size(ney_blocks_comm(r->feed->blocks));
    return r->from ? ney_online_start_from_model(r, err) : NEY_OK;
}

static ney_status init_checkpoint(ney_online *r, ney_error *err)
{
    const ney_comm *const comm = r->rounds.comm;
    ney_status st = NEY_OK;
    if (!r->o.checkpoint) {
        return NEY_OK;
    }
    if (ney_comm_rank(comm) == 0) {
        st = ney_checkpoint_check(r->o.checkpoint, err);
    }
    if ((st = ney_comm_agree(comm, st, err)) != NEY_OK ||
        (st = ney_feed_hash(r->feed, &r->checkpoint.content, err)) != NEY_OK) {
        return st;
    }
    return r->o.resume ? ney_checkpoint_read(r, err) : NEY_OK;
}

ney_status ney_online_init(ney_online *r, const ney_online_rows *rows, const ney_train_opts *o,
                           ney_error *err)
{
    ney_feed *const f = rows->feed;
    ney_status st;
    *r = (ney_online){.env = f->env,
                      .feed = f,
                      .request = ney_request_of(o),
                      .o = *o,
                      .from = rows->from,
                      .timing = {.begin = ney_now()},
                      .checkpoint = {.saved = ney_now()},
                      .schedule = {.max_epochs = o->epochs > 0 ? o->epochs : DEFAULT_EPOCHS}};
    ney_online_problem_init(&r->problem, &r->request, o);
    if (r->problem.is_cost && r->request.kind != NEY_GOAL_COST) {
        ney_reject_warn(&r->env, &r->request.costs);
    }
    r->learner.is_dual = ney_dual_suits(r);
    if ((st = split_rows(r, rows, err)) != NEY_OK ||
        (st = ney_shuffle_init(&r->schedule.shuffle, f, &r->parts, (uint64_t)o->seed, err)) !=
            NEY_OK ||
        (st = ney_window_init(&r->schedule.window[0], &r->env, err)) != NEY_OK ||
        (st = ney_window_init(&r->schedule.window[1], &r->env, err)) != NEY_OK ||
        (st = gather_validation(r, f, err)) != NEY_OK || (st = init_learner(r, err)) != NEY_OK ||
        (st = init_validation(r, err)) != NEY_OK || (st = init_state(r, err)) != NEY_OK ||
        (st = ney_rounds_init(r, err)) != NEY_OK) {
        return st;
    }
    return init_checkpoint(r, err);
}

void ney_online_deinit(ney_online *r)
{
    ney_parts_deinit(&r->parts);
    ney_shuffle_deinit(&r->schedule.shuffle);
    ney_window_deinit(&r->schedule.window[0], &r->env);
    ney_window_deinit(&r->schedule.window[1], &r->env);
    ney_sgd_deinit(&r->learner.sgd);
    ney_sgd_batch_deinit(&r->learner.batch);
    ney_visits_deinit(&r->learner.visits, &r->env);
    ney_dual_deinit(&r->learner.dual, &r->env);
    ney_rounds_deinit(r);
    ney_data_free(r->validation.data);
    ney_row_sketch_deinit(&r->fingerprint.rows);
    ney_release(&r->env, r->validation.score);
    ney_release(&r->env, r->validation.best_w);
}
