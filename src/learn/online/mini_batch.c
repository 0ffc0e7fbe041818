/* Visits to several rows at once, of a network: scores and gradients are made for all of them by
 * products of matrices, at the same weights. Rows where the loss is flat have no gradient. The
 * others are taken one after the other: the step of one changes the scores of those after it as
 * [BATCH.2] predicts, so that the batch moves no more than single steps would. For a batch of one
 * this is ney_online_visit(), up to rounding. */
#include "learn/online/online.h"

#include <math.h>
#include <string.h>

ney_status ney_online_init_batches(ney_online *r, ney_error *err)
{
    enum { BY_DEFAULT = 32 };
    const int64_t most = r->o.batch > 0 ? r->o.batch : BY_DEFAULT;
    return r->o.network[0] > 0 && (most > 1 || !ney_sgd_takes_rows(&r->learner.sgd))
               ? ney_sgd_batch_init(&r->learner.batch, &r->learner.sgd, most, r->feed->dense, err)
               : NEY_OK;
}

/* A row where the loss is flat has no gradient, but steps of other rows may move it onto the slope.
 */
static bool may_move(const ney_online *r, const ney_row_step *step)
{
    return step->delta > 0 || (step->reach > -r->o.eta && step->reach < 3 * r->o.eta);
}

static void train_batch(ney_online *r, const ney_visit *v)
{
    ney_sgd_batch *const b = &r->learner.batch;
    double kept = 1;
    int64_t turn = 0; /* of the live rows */
    ney_sgd_batch_score(b, &r->learner.sgd);
    for (int64_t i = 0; i < b->n; i++) {
        const ney_row_step step = ney_online_row_step(r, &v[i], b->score[i]);
        if (may_move(r, &step)) {
            b->live[b->n_live++] = i;
        }
    }
    ney_sgd_batch_relate(b, &r->learner.sgd);
    for (int64_t i = 0; i < b->n; i++) {
        const ney_row_step step = ney_online_row_step(r, &v[i], b->score[i]);
        if (turn < b->n_live && b->live[turn] == i) {
            const double *const gram = b->gram + turn * b->most;
            const double delta = step.delta > 0 ? fmin(step.delta, step.reach / gram[turn]) : 0;
            b->move[turn] = step.sign * delta;
            for (int64_t j = turn + 1; delta > 0 && j < b->n_live; j++) {
                b->score[b->live[j]] += b->move[turn] * gram[j];
            }
            turn++;
        }
        kept *= 1 - step.shrink;
        ney_online_count_visit(r, &v[i], &step);
    }
    ney_sgd_batch_step(b, &r->learner.sgd, 1 - kept);
}

/* Fill a batch with visits from `at` on, up to its capacity; returns their number. */
static int64_t fill_batch(ney_online *r, const ney_window *w, int64_t first, int64_t at, int64_t n,
                          ney_visit *v)
{
    int64_t taken = 0;
    for (; at + taken < n; taken++) {
        v[taken] = ney_visits_at(&r->learner.visits, w, first, at + taken);
        if (!ney_sgd_batch_take(&r->learner.batch, v[taken].x, v[taken].row)) {
            break;
        }
    }
    return taken;
}

void ney_online_train_batches(ney_online *r, const ney_window *w, int64_t first, int64_t n)
{
    ney_visit v[NEY_ONLINE_BATCH];
    for (int64_t i = 0; i < n;) {
        i += fill_batch(r, w, first, i, n, v);
        if (r->state.visits >= r->state.average_restart && !r->rounds.comm) {
            ney_sgd_restart(&r->learner.sgd);
            r->state.average_restart *= 2;
        }
        train_batch(r, v);
    }
}

void ney_online_score_batches(ney_online *r, const ney_window *w, int64_t first, int64_t n,
                              double *score)
{
    ney_visit v[NEY_ONLINE_BATCH];
    for (int64_t i = 0; i < n;) {
        const int64_t taken = fill_batch(r, w, first, i, n, v);
        ney_sgd_batch_score(&r->learner.batch, &r->learner.sgd);
        memcpy(score + i, r->learner.batch.score, (size_t)taken * sizeof *score);
        ney_sgd_batch_clear(&r->learner.batch);
        i += taken;
    }
}
