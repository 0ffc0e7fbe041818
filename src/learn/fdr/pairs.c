/* qNNOpt: pairs of a target and a decoy, one after the other.
 *
 *     L(f, lambda) = (mu/2) |w|^2 + Q + lambda (s P - q (1 - Q)),   mu = 1 / (C W)        [FDR.3]
 *
 * under the sigmoid loss r(z) = 1 / (1 + exp(z / eta)). A pair weighs 1 + lambda q on the target
 * and lambda s on the decoy; all is divided by lambda s + 1 + lambda q, so that steps keep their
 * size. lambda is fixed (doc/math/fdr.md says why). The first passes learn, by the logistic loss,
 * to separate targets found so far from decoys: far from the threshold the gradient of the sigmoid
 * vanishes.
 *
 *   math    code        meaning
 *   g_t     rate        1 / (mu t + 1 / g_0)
 *   mu      l->mu       divided by the sum of both weights, too */
#include "base/rng.h"
#include "learn/fdr/fdr.h"
#include "learn/online/sgd.h"
#include "linalg/rows.h"
#include "model/online.h"

#include <math.h>
#include <string.h>

enum {
    WARM_EPOCHS = 5,  /* by the logistic loss */
    EPOCHS = 25,      /* in all, where the number is left open */
    POLL_EVERY = 4096 /* pairs */
};

typedef struct learner {
    ney_task *t;
    ney_sgd sgd;
    double share; /* of the target's weight in a pair */
    double mu, rate0, lambda;
    int64_t *pos, *neg, *found; /* rows: all targets, all decoys, targets found so far */
    int64_t n_pos, n_neg, n_found, steps, most;
    ney_rng rng;
    ney_stop stop;
} learner;

/* ---------------------------------------------------------------- one pair */

/* Move along the gradient of the score of one row, by no more than it takes to change the score by
 * eta. */
static void step_along_gradient(learner *l, int64_t row, double weight, double slope, int y)
{
    const double rate = 1 / (l->mu * (double)l->steps + 1 / l->rate0);
    const double most = l->t->o.eta / ney_sgd_square(&l->sgd, l->t->x, row);
    const double delta = fmin(rate * weight * slope, most);
    ney_sgd_step(&l->sgd, l->t->x, row, 0.5 * rate * l->mu, y * delta);
}

static double sigmoid(double z)
{
    return 1 / (1 + exp(z));
}

static void visit_warm(learner *l, int64_t row, int y)
{
    const double z = y * ney_sgd_score(&l->sgd, l->t->x, row);
    step_along_gradient(l, row, 0.5 * ney_task_weight(l->t, row), sigmoid(z), y);
}

static void visit_row(learner *l, int64_t row, int y)
{
    const double eta = l->t->o.eta;
    const double phi = sigmoid(y * ney_sgd_score(&l->sgd, l->t->x, row) / eta);
    step_along_gradient(l, row, (y > 0 ? l->share : 1 - l->share) * ney_task_weight(l->t, row),
                        phi * (1 - phi) / eta, y);
}

/* ---------------------------------------------------------------- passes */

static bool poll_limits(learner *l)
{
    const ney_task *t = l->t;
    if (!ney_poll(&t->env, "training", (double)l->steps, (double)l->most)) {
        l->stop = NEY_STOP_CANCELLED;
    } else if (t->o.max_time > 0 && ney_task_seconds(t) > t->o.max_time) {
        l->stop = NEY_STOP_TIME;
    }
    return l->stop == NEY_STOP_CONVERGED;
}

static void run_epoch(learner *l, bool warm)
{
    const int64_t *const pos = warm ? l->found : l->pos;
    const int64_t n_pos = warm ? l->n_found : l->n_pos;
    const int64_t n = l->n_pos > l->n_neg ? l->n_pos : l->n_neg;
    for (int64_t k = 0; k < n; k++) {
        const int64_t target = pos[ney_rng_below(&l->rng, n_pos)];
        const int64_t decoy = l->neg[ney_rng_below(&l->rng, l->n_neg)];
        if (warm) {
            visit_warm(l, target, 1);
            visit_warm(l, decoy, -1);
        } else {
            visit_row(l, target, 1);
            visit_row(l, decoy, -1);
        }
        l->steps++;
        if (k % POLL_EVERY == 0 && !poll_limits(l)) {
            return;
        }
    }
}

static ney_status model_of(const learner *l, ney_model **out, ney_error *err)
{
    const ney_sgd *s = &l->sgd;
    const ney_preprocessing *preprocessing = ney_data_preprocessing(l->t->data);
    double *w = ney_alloc(&l->t->env, s->n + s->m, sizeof *w);
    *out = NULL;
    if (!w) {
        return ney_no_memory(err, s->n, "weights");
    }
    ney_sgd_average(s, w, w + s->n);
    const ney_status st =
        s->shape.units[0] > 0
            ? ney_model_new_network(out, &l->t->env, preprocessing, &s->shape, w, w + s->n, err)
            : ney_model_new_linear(out, &l->t->env, preprocessing, w, w[s->n], err);
    ney_release(&l->t->env, w);
    return st;
}

/* Put the threshold of q at score 0, where the sigmoid is steep. */
static ney_status centre_threshold(learner *l, const ney_fdr *f, double q, double *score,
                                   ney_error *err)
{
    ney_env env = l->t->env;
    ney_model *m;
    double scale, shift;
    ney_status st = model_of(l, &m, err);
    if (st != NEY_OK) {
        return st;
    }
    env.poll = NULL;
    if ((st = ney_model_score(m, &env, l->t->x, score, err)) == NEY_OK &&
        (st = ney_fdr_norm(f, &env, ney_fdr_task_scores(l->t, score), q, &scale, &shift, err)) ==
            NEY_OK) {
        l->sgd.b[l->sgd.m - 1] += shift / scale;
    }
    ney_model_free(m);
    return st;
}

static ney_status run_epochs(learner *l, const ney_fdr *f, double q, double *score, ney_error *err)
{
    const int64_t epochs = l->t->o.epochs > 0 ? l->t->o.epochs : EPOCHS;
    const int64_t warm = epochs / 2 < WARM_EPOCHS ? epochs / 2 : WARM_EPOCHS;
    ney_status st = NEY_OK;
    l->most = epochs * (l->n_pos > l->n_neg ? l->n_pos : l->n_neg);
    for (int64_t e = 0; e < epochs && l->stop == NEY_STOP_CONVERGED && st == NEY_OK; e++) {
        if (e == warm) {
            ney_sgd_restart(&l->sgd);
            st = centre_threshold(l, f, q, score, err);
        }
        if (e == warm + (epochs - warm) / 2) {
            ney_sgd_restart(&l->sgd); /* the average is that of the second half */
        }
        run_epoch(l, e < warm);
    }
    return st;
}

/* ---------------------------------------------------------------- the run */

static ney_status learner_init(learner *l, ney_task *t, const ney_fdr *f, double q, int restart,
                               ney_error *err)
{
    const int64_t n = t->x->rows;
    const double per_target = ney_fdr_decoys_per_target(f, q),
                 lambda = ney_fdr_lambda(per_target, 1);
    const double pos = 1 + lambda * per_target, neg = lambda * ney_fdr_ratio(f, t->n_pos, t->n_neg);
    *l = (learner){.t = t,
                   .share = pos / (pos + neg),
                   .mu = 1 / (t->o.C * (double)t->n_pos * (pos + neg)),
                   .lambda = lambda,
                   .rng = {(uint64_t)t->o.seed * 1000003 + (uint64_t)restart}};
    double square = 0;
    for (int64_t i = 0; i < n; i++) {
        square += ney_row_square(t->x, i) / (double)n;
    }
    l->rate0 = 3 * t->o.eta / (square + 1);
    l->pos = ney_alloc(&t->env, n + t->n_pos, sizeof *l->pos);
    if (!l->pos) {
        return ney_no_memory(err, n, "rows");
    }
    l->neg = l->pos + t->n_pos;
    l->found = l->neg + t->n_neg;
    const ney_network shape = {.cols = t->x->cols, .units = {t->o.network[0]}};
    const ney_status st = ney_sgd_init(&l->sgd, &t->env, &shape, err);
    if (st == NEY_OK) {
        ney_sgd_begin(&l->sgd, ney_rng_next(&l->rng), square);
    }
    return st;
}

/* Targets found so far; where none are, all. */
static ney_status list_rows(learner *l, const ney_fdr *f, double q, const double *score,
                            ney_error *err)
{
    const ney_task *t = l->t;
    const int64_t n = t->x->rows;
    double *qvalue = ney_alloc(&t->env, n, sizeof *qvalue);
    int64_t found = 0;
    if (!qvalue) {
        return ney_no_memory(err, n, "q-values");
    }
    const ney_status st =
        ney_fdr_accept(f, &t->env, ney_fdr_task_scores(t, score), q, qvalue, NULL, &found, err);
    for (int64_t i = 0; i < n && st == NEY_OK; i++) {
        if (t->label[i] < 0) {
            l->neg[l->n_neg++] = i;
            continue;
        }
        l->pos[l->n_pos++] = i;
        if (found == 0 || qvalue[i] <= q) {
            l->found[l->n_found++] = i;
        }
    }
    ney_release(&t->env, qvalue);
    return st;
}

ney_status ney_fdr_online(ney_model **out, ney_task *t, const ney_fdr *f, double q,
                          const double *start, int restart, ney_train_info *info, ney_error *err)
{
    learner l;
    double *score = ney_alloc(&t->env, t->x->rows, sizeof *score);
    ney_status st =
        score ? learner_init(&l, t, f, q, restart, err) : ney_no_memory(err, t->x->rows, "scores");
    *out = NULL;
    if (!score) {
        return st;
    }
    if (st == NEY_OK && (st = list_rows(&l, f, q, start, err)) == NEY_OK &&
        (st = run_epochs(&l, f, q, score, err)) == NEY_OK &&
        (st = model_of(&l, out, err)) == NEY_OK) {
        *info = (ney_train_info){.stop = l.stop == NEY_STOP_CONVERGED ? NEY_STOP_EPOCHS : l.stop,
                                 .iterations = 2 * l.steps,
                                 .objective = (double)NAN,
                                 .convex_objective = (double)NAN,
                                 .dual_objective = (double)NAN,
                                 .gap = (double)NAN,
                                 .lambda = l.lambda};
    }
    ney_sgd_deinit(&l.sgd);
    ney_release(&t->env, l.pos);
    ney_release(&t->env, score);
    return st;
}
