/* One booster per fold: rounds of the smooth loss, and of the Lagrangian. */
#include "learn/trees/boosting.h"

#include "learn/trees/rate_order.h"

#include <math.h>

enum { PATIENCE = 25, SHARP_ROUNDS = 40, USUAL_ROUNDS = 300 };

/* A booster while it learns. */
typedef struct fit {
    const ney_boost *b;
    ney_committee *c;
    int fold;
    ney_booster booster;
    ney_boost_state s;
    int64_t *row;
    float *gradient, *curvature;
    double best; /* held-out loss so far, after */
    int64_t best_rounds;
    ney_stop stop;
} fit;

static ney_status fit_init(fit *m, ney_error *err)
{
    const ney_task *const t = m->b->t;
    const int64_t n = t->x->rows;
    m->row = ney_alloc(&t->env, n, sizeof *m->row);
    m->gradient = ney_alloc(&t->env, n, sizeof *m->gradient);
    m->curvature = ney_alloc(&t->env, n, sizeof *m->curvature);
    if (!m->row || !m->gradient || !m->curvature) {
        return ney_no_memory(err, n, "gradients");
    }
    m->s = (ney_boost_state){.t = t, .loss = &m->c->loss, .row = m->row};
    for (int part = 0; part < 2; part++) {
        for (int64_t i = 0; i < n; i++) {
            const bool is_held = m->b->n_folds > 1 && m->b->fold_of[i] == m->fold;
            if (is_held == (part == 1)) {
                m->row[m->s.n_learn + m->s.n_held] = i;
                *(is_held ? &m->s.n_held : &m->s.n_learn) += 1;
            }
        }
    }
    for (int64_t i = 0; i < m->s.n_learn; i++) {
        m->s.sum[t->label[m->row[i]] > 0] += ney_boost_weight(&m->s, m->row[i]);
    }
    m->s.intercept = m->s.sum[0] > 0 && m->s.sum[1] > 0 ? log(m->s.sum[1]) - log(m->s.sum[0]) : 0;
    const ney_booster_rows rows = {.learn = m->row,
                                   .held = m->row + m->s.n_learn,
                                   .n_learn = m->s.n_learn,
                                   .n_held = m->s.n_held};
    return t->x->cols > 0
               ? ney_booster_init(&m->booster, &m->b->inner, t->x, &rows, &m->b->shape, err)
               : NEY_OK;
}

static void fit_deinit(fit *m)
{
    ney_booster_deinit(&m->booster);
    ney_release_all(&m->b->t->env, m->curvature, m->gradient, m->row);
}

/* When a fold ends, in seconds of the task: folds that are not fitted side by side share the time
 * that is left, less what reading and scoring the trees takes, which was 0.08 to 0.09 of the time
 * of the rounds on sets of 10,000 to 90,000 rows, and 0.25 of it with 20,000 trees of few rows. */
static double fold_deadline(const ney_boost *b, int fold)
{
    static const double of_rounds = 0.87;
    const int waves = (b->n_folds + b->at_once - 1) / b->at_once;
    const double share = of_rounds * (fold / b->at_once + 1) / waves;
    return b->began + share * (b->t->o.max_time - b->began);
}

static bool may_continue(fit *m)
{
    const ney_task *const t = m->b->t;
    const double most = (double)(m->b->stops_early ? USUAL_ROUNDS : m->b->most_rounds);
    const double done = (double)m->booster.rounds;
    if (!ney_poll(&m->b->inner, "boosting", done < most ? done : most, most)) {
        m->stop = NEY_STOP_CANCELLED;
    } else if (t->o.max_time > 0 && ney_task_seconds(t) > fold_deadline(m->b, m->fold)) {
        m->stop = NEY_STOP_TIME;
    }
    return m->stop == NEY_STOP_CONVERGED;
}

/* ---------------------------------------------------------------- rounds */

/* Scores without the intercept; NULL before the first round, and where no row is held out. */
static ney_status scores_of(fit *m, int part, const float **f, ney_error *err)
{
    *f = NULL;
    return m->booster.rounds > 0 && (part == 0 || m->s.n_held > 0)
               ? ney_booster_scores(&m->booster, part, f, err)
               : NEY_OK;
}

/* The scores so far are the best. */
static void keep_best(fit *m, double loss, const float *held)
{
    m->best = loss;
    m->best_rounds = m->booster.rounds;
    for (int64_t i = 0; i < m->s.n_held; i++) {
        m->c->score[m->row[m->s.n_learn + i]] =
            (held ? (double)held[i] : 0) + m->s.intercept - m->s.threshold;
    }
}

static ney_status add_round(fit *m, ney_error *err)
{
    const float *f;
    const ney_status st = scores_of(m, 0, &f, err);
    if (st != NEY_OK) {
        return st;
    }
    m->s.seed = (m->s.t->request.seed * 1000003 + (uint64_t)m->fold) * 1000003 +
                (uint64_t)m->booster.rounds;
    ney_boost_gradients(&m->s, f, m->gradient, m->curvature);
    return ney_booster_add_tree(&m->booster, m->gradient, m->curvature, err);
}

/* Until the held-out loss rises, or the number asked for is reached. */
static ney_status smooth_rounds(fit *m, ney_error *err)
{
    const float *held;
    ney_status st = NEY_OK;
    keep_best(m, ney_boost_held_out_loss(&m->s, NULL), NULL);
    while (st == NEY_OK && m->booster.rounds < m->b->most_rounds && may_continue(m)) {
        if ((st = add_round(m, err)) != NEY_OK || (st = scores_of(m, 1, &held, err)) != NEY_OK) {
            break;
        }
        const double loss = ney_boost_held_out_loss(&m->s, held);
        if (loss < m->best || !m->b->stops_early) {
            keep_best(m, loss, held);
        } else if (m->booster.rounds - m->best_rounds >= PATIENCE) {
            break;
        }
    }
    return st;
}

/* ---------------------------------------------------------------- the Lagrangian */

/* lambda follows the rate of the bounded error on rows held out: at most twofold in a round. */
static void update_multiplier(ney_boost_state *s, const float *f, const int64_t *row, int64_t n)
{
    const int bounded = s->t->request.bounded_class;
    double errors = 0.5, all = 1;
    for (int64_t i = 0; i < n; i++) {
        if (s->t->label[row[i]] == bounded) {
            const double at = (double)f[i] + s->intercept - s->threshold;
            errors += bounded < 0 ? at >= 0 : at < 0;
            all++;
        }
    }
    const double over = errors / all / fmax(s->t->request.rate, 1 / all);
    s->lambda = fmin(fmax(s->lambda * sqrt(fmin(fmax(over, 0.25), 4)), 1e-3), 1e6);
}

/* From the logistic solution on: the threshold of the bound is moved to 0, and the sigmoid loss of
 * the Lagrangian is lowered. Rates are those of the rows held out, where there are some. */
static ney_status sharp_rounds(fit *m, ney_error *err)
{
    const int part = m->s.n_held > 0;
    const int64_t *const row = part ? m->row + m->s.n_learn : m->row;
    const int64_t n = part ? m->s.n_held : m->s.n_learn;
    const float *f;
    double loss = 0;
    ney_status st = scores_of(m, part, &f, err);
    if (st != NEY_OK || !f) {
        return st;
    }
    if ((st = ney_rate_threshold(m->s.t, f, row, n, &m->s.threshold, err)) != NEY_OK) {
        return st;
    }
    m->s.threshold += m->s.intercept;
    m->s.is_sharp = true;
    m->s.lambda = 1 / fmax(m->s.t->request.rate, 1e-3);
    for (int k = 0; k <= SHARP_ROUNDS && st == NEY_OK && may_continue(m); k++) {
        if ((k > 0 && ((st = add_round(m, err)) != NEY_OK ||
                       (st = scores_of(m, part, &f, err)) != NEY_OK)) ||
            (st = ney_rate_missed(m->s.t, f, row, n, &loss, err)) != NEY_OK) {
            break;
        }
        update_multiplier(&m->s, f, row, n);
        if (k == 0 || loss < m->best || !m->b->stops_early) {
            keep_best(m, loss, part ? f : NULL);
        }
    }
    return st;
}

/* ---------------------------------------------------------------- a fold */

/* Without columns there is nothing to split. */
static ney_status constant_trees(fit *m, ney_trees **out, ney_error *err)
{
    const ney_env *const env = &m->b->t->env;
    ney_trees *const trees = ney_trees_new(env, 0, 0, 0);
    const ney_status st =
        trees ? ney_trees_finish(trees, env, err) : ney_no_memory(err, 1, "trees");
    keep_best(m, 0, NULL);
    if (st != NEY_OK) {
        ney_trees_free(env, trees);
        return st;
    }
    *out = trees;
    return NEY_OK;
}

ney_status ney_committee_fit(ney_committee *c, const ney_boost *b, int fold, ney_error *err)
{
    fit m = {.b = b, .c = c, .fold = fold};
    ney_trees *trees = NULL;
    ney_status st = fit_init(&m, err);
    if (st == NEY_OK && b->t->x->cols == 0) {
        st = constant_trees(&m, &trees, err);
    } else if (st == NEY_OK && (st = smooth_rounds(&m, err)) == NEY_OK &&
               (!c->loss.is_lagrangian || (st = sharp_rounds(&m, err)) == NEY_OK)) {
        st = ney_booster_trees(&m.booster, m.best_rounds, &trees, err);
    }
    if (st == NEY_OK) {
        trees->intercept = m.s.intercept - m.s.threshold;
        c->trees[fold] = trees;
        c->stop[fold] = m.stop;
        c->rounds[fold] = m.booster.rounds;
        c->lambda[fold] = m.s.is_sharp ? m.s.lambda : (double)NAN;
    }
    fit_deinit(&m);
    return st;
}
