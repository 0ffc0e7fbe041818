/* The folds of a run and the boosters of one loss. */
#include "data/groups.h"
#include "learn/goal.h"
#include "learn/trees/boosting.h"

#include <math.h>

enum { MOST_ROUNDS = 2000, USUAL_ROUNDS = 60 };

static const double USUAL_PENALTY = 0.1; /* on leaves, at C = 1 */

static void *resize(void *user, void *block, size_t bytes)
{
    const ney_boost *const b = user;
    return b->t->env.resize(b->t->env.user, block, bytes);
}

static bool poll(void *user, const ney_progress *progress)
{
    return ney_relay_poll(&((ney_boost *)user)->relay, progress);
}

/* ---------------------------------------------------------------- folds */

/* Fewer for many rows: one booster varies less there and takes longer. */
static int folds_for(int64_t rows)
{
    return rows <= 50000 ? NEY_BOOST_FOLDS : rows <= 200000 ? 3 : 2;
}

/* Whether every fold and its complement have rows of both classes. */
static bool can_fold(const ney_boost *b)
{
    int64_t count[NEY_BOOST_FOLDS][2] = {{0}};
    const ney_task *const t = b->t;
    for (int64_t i = 0; i < t->x->rows; i++) {
        count[b->fold_of[i]][t->label[i] > 0]++;
    }
    for (int k = 0; k < b->n_folds; k++) {
        if (count[k][0] == 0 || count[k][1] == 0 || count[k][0] == t->n_neg ||
            count[k][1] == t->n_pos) {
            return false;
        }
    }
    return true;
}

static ney_status deal_folds(ney_boost *b, ney_error *err)
{
    const ney_task *const t = b->t;
    const ney_goal *const goal = t->request.goal;
    ney_groups groups = {0};
    b->n_folds = folds_for(t->x->rows);
    const ney_status st =
        ney_groups_deal(&groups, t->data, goal->groups ? goal->groups(&t->o) : NULL, t->o.peptide,
                        b->n_folds, t->request.seed, b->fold_of, err);
    ney_groups_deinit(&groups);
    if (st == NEY_OK && !can_fold(b)) {
        b->n_folds = 1;
    }
    return st;
}

ney_status ney_boost_init(ney_boost *b, ney_task *t, ney_error *err)
{
    const int64_t n = t->x->rows;
    *b = (ney_boost){.t = t,
                     .shape = {.depth = t->o.depth,
                               .learning_rate = t->o.learning_rate,
                               .min_child = t->o.min_child,

                               .penalty = USUAL_PENALTY / t->o.C}};
    b->inner = (ney_env){.user = b, .resize = resize, .poll = poll, .threads = 1};
    ney_relay_init(&b->relay, &t->env);
    b->fold_of = ney_alloc_zeroed(&t->env, n, sizeof *b->fold_of);
    if (!b->fold_of) {
        return ney_no_memory(err, n, "folds");
    }
    ney_status st = deal_folds(b, err);
    b->stops_early = t->o.trees == NEY_TREES_AUTO && b->n_folds > 1;
    b->most_rounds = t->o.trees > 0 ? t->o.trees : b->stops_early ? MOST_ROUNDS : USUAL_ROUNDS;
    b->at_once = ney_threads(&t->env) < b->n_folds ? ney_threads(&t->env) : b->n_folds;
    b->began = ney_task_seconds(t);
    return st == NEY_OK ? ney_booster_check_size(t, b->at_once, err) : st;
}

void ney_boost_deinit(ney_boost *b)
{
    if (b->t) {
        ney_release(&b->t->env, b->fold_of);
    }
}

/* ---------------------------------------------------------------- boosters of one loss */

ney_status ney_committee_init(ney_committee *c, const ney_boost *b, const ney_boost_loss *loss,
                              ney_error *err)
{
    const ney_task *const t = b->t;
    *c = (ney_committee){.loss = *loss};
    c->score = ney_alloc_zeroed(&t->env, t->x->rows, sizeof *c->score);
    return c->score ? NEY_OK : ney_no_memory(err, t->x->rows, "scores");
}

void ney_committee_deinit(ney_committee *c, const ney_boost *b)
{
    for (int k = 0; k < NEY_BOOST_FOLDS; k++) {
        ney_trees_free(&b->t->env, c->trees[k]);
    }
    ney_release(&b->t->env, c->score);
    *c = (ney_committee){0};
}

typedef struct fits {
    const ney_boost *b;
    ney_committee *committee;
} fits;

static ney_status fit_one(void *context, int64_t fold, int thread, ney_error *err)
{
    const fits *const f = context;
    (void)thread;
    return ney_committee_fit(f->committee, f->b, (int)fold, err);
}

ney_status ney_committee_fit_all(ney_committee *c, const ney_boost *b, const ney_boost_loss *loss,
                                 ney_error *err)
{
    const ney_status st = ney_committee_init(c, b, loss, err);
    fits f = {.b = b, .committee = c};
    ney_env env = b->inner;
    env.threads = b->t->env.threads;
    return st == NEY_OK ? ney_parallel_try(&env, b->n_folds, fit_one, &f, err) : st;
}

ney_status ney_committee_mean(ney_trees **out, const ney_committee *c, const ney_boost *b,
                              bool calibrates, ney_error *err)
{
    double scale[NEY_BOOST_FOLDS], shift[NEY_BOOST_FOLDS], slope = 1, intercept = 0;
    const ney_trees *trees[NEY_BOOST_FOLDS] = {c->trees[0]};
    int n = 0; /* boosters that were not stopped before their first tree */
    for (int k = 0; k < b->n_folds; k++) {
        trees[n] = c->trees[k];
        n += c->trees[k]->n > 0;
    }
    if (calibrates && b->n_folds > 1 && n == b->n_folds) {
        ney_committee_calibrate(c, b, &slope, &intercept);
    }
    n = n > 0 ? n : 1;
    for (int k = 0; k < n; k++) {
        scale[k] = slope / n;
        shift[k] = intercept / n;
    }
    return ney_trees_sum(out, &b->t->env, trees, scale, shift, n, err);
}

static double mean_lambda(const ney_committee *c, const ney_boost *b)
{
    double sum = 0;
    for (int k = 0; k < b->n_folds; k++) {
        sum += c->lambda[k] / b->n_folds;
    }
    return sum;
}

ney_train_info ney_committee_info(const ney_committee *c, const ney_boost *b)
{
    ney_train_info info = {.stop = b->stops_early ? NEY_STOP_CHECKS : NEY_STOP_EPOCHS,
                           .objective = (double)NAN,
                           .lambda = mean_lambda(c, b)};
    for (int k = 0; k < b->n_folds; k++) {
        info.stop = c->stop[k] != NEY_STOP_CONVERGED ? c->stop[k] : info.stop;
        info.iterations += c->rounds[k];
    }
    return info;
}
