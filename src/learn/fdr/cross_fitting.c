#include "learn/fdr/cross_fitting.h"

#include <math.h>

static void *resize(void *user, void *block, size_t bytes)
{
    const ney_fdr_run *r = user;
    return r->env.resize(r->env.user, block, bytes);
}

static bool poll(void *user, const ney_progress *progress)
{
    return ney_relay_poll(&((ney_fdr_run *)user)->relay, progress);
}

/* ---------------------------------------------------------------- folds */

/* Whether every fold has targets and decoys, and enough of them to estimate a rate. */
static bool can_fold(const ney_fdr_run *r)
{
    int64_t count[NEY_FDR_FOLDS][2] = {{0}};
    for (int64_t i = 0; i < r->data->x.rows; i++) {
        count[r->fold_of[i]][r->data->label[i] > 0]++;
    }
    for (int k = 0; k < NEY_FDR_FOLDS; k++) {
        if (count[k][0] < 2 || count[k][1] < 2) {
            return false;
        }
    }
    return true;
}

static ney_status take_fold(ney_fdr_run *r, int k, ney_error *err)
{
    const int64_t n = r->data->x.rows;
    ney_fdr_fold *f = &r->fold[k];
    int64_t *learn = ney_alloc(&r->env, n, sizeof *learn), m = 0, held = 0;
    ney_status st = NEY_OK;
    f->row = ney_alloc(&r->env, n, sizeof *f->row);
    if (!learn || !f->row) {
        ney_release(&r->env, learn);
        return ney_no_memory(err, n, "rows of a fold");
    }
    for (int64_t i = 0; i < n; i++) {
        *(r->fold_of[i] == k ? &f->row[held++] : &learn[m++]) = i;
    }
    if ((st = ney_data_take(&f->learn, r->data, learn, m, err)) == NEY_OK &&
        (st = ney_data_take(&f->held, r->data, f->row, held, err)) == NEY_OK) {
        f->start = ney_alloc(&r->env, m * r->f.n, sizeof *f->start);
        f->key = r->key ? ney_alloc(&r->env, m, sizeof *f->key) : NULL;
        st = f->start && (f->key || !r->key) ? NEY_OK : ney_no_memory(err, m, "scores");
    }
    for (int64_t i = 0; i < m && st == NEY_OK && f->key; i++) {
        f->key[i] = r->key[learn[i]];
    }
    f->f = ney_fdr_for_fits(&r->f, f->key);
    ney_release(&r->env, learn);
    return st;
}

ney_status ney_fdr_run_init(ney_fdr_run *r, ney_error *err)
{
    const int64_t n = r->data->x.rows;
    ney_status st;
    r->inner = (ney_env){.user = r, .resize = resize, .poll = poll, .threads = 1};
    ney_relay_init(&r->relay, &r->env);
    r->fold_of = ney_alloc(&r->env, n, sizeof *r->fold_of);
    r->q = ney_alloc(&r->env, (NEY_N_STAGES + 1) * n, sizeof *r->q);
    if (!r->fold_of || !r->q) {
        return ney_no_memory(err, n, "folds");
    }
    for (int s = 0; s < NEY_N_STAGES; s++) {
        r->score[s] = r->q + (s + 1) * n;
    }
    if ((st = ney_groups_deal(&r->groups, r->data, ney_fdr_groups(&r->o), NEY_FDR_FOLDS,
                              (uint64_t)r->o.seed, r->fold_of, err)) != NEY_OK ||
        (st = ney_fdr_keys(&r->key, &r->env, r->data, &r->o, err)) != NEY_OK) {
        return st;
    }
    r->f.key = r->key;
    r->n_folds = can_fold(r) ? NEY_FDR_FOLDS : 0;
    for (int k = 0; k < r->n_folds && st == NEY_OK; k++) {
        st = take_fold(r, k, err);
    }
    return st;
}

void ney_fdr_run_deinit(ney_fdr_run *r)
{
    for (int k = 0; k < NEY_FDR_FOLDS; k++) {
        ney_fdr_fold *f = &r->fold[k];
        ney_task_deinit(&f->task);
        ney_data_free(f->learn);
        ney_data_free(f->held);
        ney_release(&r->env, f->row);
        ney_release(&r->env, f->key);
        ney_release(&r->env, f->start);
        for (int j = 0; j < NEY_MOST_FDR; j++) {
            ney_model_free(f->svm[j]);
            ney_model_free(f->feature[j]);
        }
        for (int j = 0; j < NEY_MOST_FDR * NEY_FDR_RESTARTS; j++) {
            ney_model_free(f->online[j]);
        }
        for (int j = 0; j < NEY_N_STAGES; j++) {
            ney_model_free(f->stage[j]);
        }
    }
    ney_groups_deinit(&r->groups);
    ney_release(&r->env, r->fold_of);
    ney_release(&r->env, r->key);
    ney_release(&r->env, r->q);
}

/* ---------------------------------------------------------------- fits */

/* The best feature and the SVM, for every q; the next q begins with the kernel rows of this one. */
static ney_status fit_svm(ney_fdr_run *r, ney_fdr_fold *f, ney_error *err)
{
    ney_train_opts o = r->o;
    o.max_time *= fmin(1, (double)ney_threads(&r->env) / NEY_FDR_FOLDS);
    o.max_time /= r->most == NEY_STAGE_ONLINE ? 2 : 1;
    o.cache = ney_task_cache(&o) / NEY_FDR_FOLDS;
    ney_status st = ney_task_init(&f->task, &r->inner, f->learn, &o, err);
    for (int k = 0; k < r->f.n && st == NEY_OK; k++) {
        double *score = f->start + k * f->learn->x.rows;
        ney_task_restart(&f->task, &o);
        if ((st = ney_fdr_feature(&f->feature[k], &f->task, &f->f, r->f.q[k], score, err)) ==
            NEY_OK) {
            st = ney_fdr_svm(&f->svm[k], &f->task, &f->f, r->f.q[k], score, &f->info[k], err);
        }
    }
    return st;
}

static ney_status do_svm(void *context, int64_t i, int thread, ney_error *err)
{
    ney_fdr_run *r = context;
    (void)thread;
    return fit_svm(r, &r->fold[i], err);
}

static ney_status do_online(void *context, int64_t i, int thread, ney_error *err)
{
    ney_fdr_run *r = context;
    const int each = r->f.n * r->restarts, k = (int)(i % each), at = k / r->restarts;
    ney_fdr_fold *f = &r->fold[i / each];
    ney_task task = ney_task_rows(&f->task);
    (void)thread;
    task.o.max_time /= each;
    return ney_fdr_smooth(&r->o)(&f->online[k], &task, &f->f, r->f.q[at],
                                 f->start + at * f->learn->x.rows, k % r->restarts,
                                 &f->info[r->f.n + k], err);
}

ney_status ney_fdr_fit_folds(ney_fdr_run *r, ney_error *err)
{
    ney_env env = r->inner;
    env.threads = r->env.threads;
    const ney_status st = ney_parallel_try(&env, r->n_folds, do_svm, r, err);
    return st == NEY_OK && r->most == NEY_STAGE_ONLINE
               ? ney_parallel_try(&env, (int64_t)r->n_folds * r->f.n * r->restarts, do_online, r,
                                  err)
               : st;
}
