#include "select/calibrate.h"

#include "base/parallel.h"
#include "learn/learn.h"

#include <math.h>
#include <string.h>

/* All held-out rows, those of one fold after those of the last. */
typedef struct pool {
    ney_tuner *t;
    ney_train_opts o[NEY_MOST_AVERAGED];
    int n_opts, inner;
    int64_t n;
    int64_t *first; /* of each fold */
    double *score;
    int8_t *label;
} pool;

static ney_status score_fold(pool *p, int f, const ney_env *env, ney_error *err)
{
    const ney_fold *const fold = &p->t->folds.fold[f];
    ney_train_info info = {0};
    ney_task task = {0};
    ney_model *m = NULL;
    ney_status st;
    if ((st = ney_task_init(&task, env, fold->learn, &p->o[0], err)) == NEY_OK &&
        (st = ney_learn_mean(&m, &task, p->o, p->n_opts, &info, err)) == NEY_OK) {
        st =
            info.stop == NEY_STOP_CANCELLED
                ? ney_fail(err, NEY_ECANCELLED, "cancelled while setting the threshold")
                : ney_model_score(m, env, ney_data_matrix(fold->held), p->score + p->first[f], err);
    }
    ney_model_free(m);
    ney_task_deinit(&task);
    return st;
}

static ney_status run_fold(void *context, int64_t i, int thread, ney_error *err)
{
    pool *const p = context;
    const ney_env env = ney_tuner_env(p->t, p->inner);
    (void)thread;
    return score_fold(p, (int)i, &env, err);
}

static ney_status score_folds(pool *p, ney_error *err)
{
    const int n = p->t->folds.n;
    const ney_thread_split s = ney_tuner_split_threads(p->t, n);
    p->inner = s.inner;
    p->o[0].cache = ney_task_cache(&p->o[0]) / s.outer;
    const ney_env env = ney_tuner_env(p->t, s.outer);
    return ney_parallel_try(&env, n, run_fold, p, err);
}

static ney_status pool_init(pool *p, ney_error *err)
{
    const ney_folds *const f = &p->t->folds;
    const ney_env *const env = &p->t->env;
    if (!(p->first = ney_alloc(env, f->n, sizeof *p->first))) {
        return ney_no_memory(err, f->n, "folds");
    }
    for (int k = 0; k < f->n; k++) {
        p->first[k] = p->n;
        p->n += ney_data_matrix(f->fold[k].held)->rows;
    }
    p->score = ney_alloc(env, p->n, sizeof *p->score);
    p->label = ney_alloc(env, p->n, sizeof *p->label);
    if (!p->score || !p->label) {
        return ney_no_memory(err, p->n, "scores");
    }
    for (int k = 0; k < f->n; k++) {
        const int8_t *const label = ney_data_label(f->fold[k].held);
        for (int64_t i = 0; i < ney_data_matrix(f->fold[k].held)->rows; i++) {
            p->label[p->first[k] + i] = label[i];
        }
    }
    return NEY_OK;
}

static void pool_deinit(pool *p)
{
    const ney_env *const env = &p->t->env;
    ney_release(env, p->first);
    ney_release(env, p->score);
    ney_release(env, p->label);
}

/* The threshold that keeps a bounded rate on these rows, or the rejection band that costs least
 * there: sets them, and *found whether there was something to set. */
static ney_status find_thresholds(const pool *p, double *low, double *high, bool *found,
                                  ney_error *err)
{
    const ney_request r = ney_request_of(&p->t->o);
    ney_rule rule = p->t->rule;
    ney_criterion_value j;
    *found = ney_request_bounds_any(&r) || rule.band.low < rule.band.high;
    if (!ney_request_bounds_any(&r)) {
        const ney_labelled_scores rows = {.score = p->score, .label = p->label, .n = p->n};
        return *found ? ney_best_band(&p->t->env, &rows, &rule.band.costs, low, high, NULL, err)
                      : NEY_OK;
    }
    rule.criterion = NEY_CRITERION_RATE;
    rule.rate = r.rate;
    const ney_status st =
        ney_criterion_evaluate(&rule, &p->t->env, p->score, p->label, NULL, p->n, &j, err);
    *low = *high = j.threshold;
    return st;
}

static ney_status set_thresholds(ney_model *m, const pool *p, ney_tune_info *info, ney_error *err)
{
    double low, high;
    ney_model_thresholds(m, &low, &high);
    ney_status st = find_thresholds(p, &low, &high, &info->calibrated, err);
    if (st == NEY_OK && info->calibrated) {
        st = ney_model_set_thresholds(m, low, high, err);
    }
    if (st == NEY_OK) {
        info->held_out = ney_count(p->score, p->label, p->n, low, high);
    }
    return st;
}

ney_status ney_calibrate(ney_model *m, ney_tuner *t, const ney_train_opts *o, int n,
                         ney_tune_info *info, ney_error *err)
{
    pool p = {.t = t, .n_opts = n};
    const ney_fold *const first = &t->folds.fold[0];
    ney_status st;
    if (info->train.certified) {
        return NEY_OK;
    }
    memcpy(p.o, o, (size_t)n * sizeof *o);
    if ((st = pool_init(&p, err)) == NEY_OK) {
        st = first->row ? score_folds(&p, err)
                        : ney_model_score(m, &t->env, ney_data_matrix(first->held), p.score, err);
    }
    if (st == NEY_OK) {
        st = set_thresholds(m, &p, info, err);
    }
    pool_deinit(&p);
    return st;
}
