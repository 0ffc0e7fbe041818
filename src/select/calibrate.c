#include "select/calibrate.h"

#include "base/parallel.h"
#include "learn/learn.h"
#include "learn/rate.h"

#include <math.h>

/* All held-out rows, those of one fold after those of the last. */
typedef struct pool {
    ney_tuner *t;
    ney_train_opts o;
    int inner;
    int64_t n;
    int64_t *first; /* of each fold */
    double *score;
    int8_t *label;
    ney_status *status;
    ney_error *err;
} pool;

static ney_status score_fold(pool *p, int f, const ney_env *env, ney_error *err)
{
    const ney_fold *const fold = &p->t->folds.fold[f];
    ney_train_info info = {0};
    ney_task task = {0};
    ney_model *m = NULL;
    ney_status st;
    if ((st = ney_task_init(&task, env, fold->learn, &p->o, err)) == NEY_OK &&
        (st = ney_learn(&m, &task, &info, err)) == NEY_OK) {
        st =
            info.stop == NEY_STOP_CANCELLED
                ? ney_fail(err, NEY_ECANCELLED, "cancelled while setting the threshold")
                : ney_model_score(m, env, ney_data_matrix(fold->held), p->score + p->first[f], err);
    }
    ney_model_free(m);
    ney_task_deinit(&task);
    return st;
}

static void run_fold(void *context, int64_t i, int thread)
{
    pool *const p = context;
    const ney_env env = ney_tuner_env(p->t, p->inner);
    (void)thread;
    p->status[i] = score_fold(p, (int)i, &env, &p->err[i]);
}

static ney_status score_folds(pool *p, ney_error *err)
{
    const int n = p->t->folds.n;
    const ney_env *const outer = &p->t->env;
    const ney_shift s = ney_tuner_shift(p->t, n);
    ney_status st = NEY_OK;
    p->inner = s.inner;
    p->o.cache = ney_task_cache(&p->o) / s.outer;
    p->status = ney_alloc_zeroed(outer, n, sizeof *p->status);
    p->err = ney_alloc_zeroed(outer, n, sizeof *p->err);
    if (!p->status || !p->err) {
        return ney_no_memory(err, n, "folds");
    }
    const ney_env env = {.user = p->t, .resize = ney_tuner_env(p->t, 1).resize, .threads = s.outer};
    ney_parallel_for(&env, n, run_fold, p);
    for (int f = 0; f < n && st == NEY_OK; f++) {
        st = p->status[f];
        if (st != NEY_OK && err) {
            *err = p->err[f];
        }
    }
    return st;
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
    ney_release(env, p->status);
    ney_release(env, p->err);
}

/* The model's own threshold, or for a bounded rate the one that keeps it on these rows. */
static ney_status decide(ney_model *m, const pool *p, ney_tune_info *info, ney_error *err)
{
    const ney_train_opts *const o = &p->t->o;
    ney_rule rule = p->t->rule;
    ney_judgement found;
    double low, high;
    ney_model_thresholds(m, &low, &high);
    if (ney_rate_is_bounded(o)) {
        rule.criterion = NEY_CRITERION_RATE;
        rule.rate = ney_rate_of(o);
        ney_status st = ney_judge(&rule, &p->t->env, p->score, p->label, p->n, &found, err);
        if (st == NEY_OK) {
            low = high = found.threshold;
            st = ney_model_set_thresholds(m, low, high, err);
        }
        if (st != NEY_OK) {
            return st;
        }
        info->calibrated = true;
    }
    info->held_out = ney_count(p->score, p->label, p->n, low, high);
    return NEY_OK;
}

ney_status ney_calibrate(ney_model *m, ney_tuner *t, const ney_point *point, ney_tune_info *info,
                         ney_error *err)
{
    pool p = {.t = t, .o = ney_tuner_opts(t, point)};
    const ney_fold *const first = &t->folds.fold[0];
    ney_status st;
    if (info->train.certified) {
        return NEY_OK;
    }
    if ((st = pool_init(&p, err)) == NEY_OK) {
        st = first->row ? score_folds(&p, err)
                        : ney_model_score(m, &t->env, ney_data_matrix(first->held), p.score, err);
    }
    if (st == NEY_OK) {
        st = decide(m, &p, info, err);
    }
    pool_deinit(&p);
    return st;
}
