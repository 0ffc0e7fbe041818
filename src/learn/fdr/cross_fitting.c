#include "learn/fdr/cross_fitting.h"

#include "base/rng.h"
#include "data/row_hash.h"

#include <neyman/experimental/discovery.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    for (int64_t k = 0; k < r->n_order; k++) {
        const int64_t i = r->order[k];
        count[r->fold_of[i]][r->data->label[i] > 0]++;
    }
    for (int k = 0; k < NEY_FDR_FOLDS; k++) {
        if (count[k][0] < 2 || count[k][1] < 2) {
            return false;
        }
    }
    return true;
}

/* A row to learn from, and what orders it: hashes of its features, of scan, label and weight, and
 * what it competes with, which depends on the name of its file and comes last. Rows that agree in
 * all are interchangeable. */
typedef struct learned_row {
    uint64_t features, rest, key;
    int64_t row;
} learned_row;

static int by_content(const void *a, const void *b)
{
    const learned_row *const x = a, *const y = b;
    return x->features != y->features ? (x->features > y->features ? 1 : -1)
           : x->rest != y->rest       ? (x->rest > y->rest ? 1 : -1)
                                      : (x->key > y->key) - (x->key < y->key);
}

static uint64_t hash_rest(const ney_fdr_run *r, int64_t i, uint64_t unit)
{
    const ney_data *const d = r->data;
    const float weight = d->weight ? d->weight[i] : 1;
    uint32_t bits;
    memcpy(&bits, &weight, sizeof bits);
    ney_rng rng = {unit ^ ((uint64_t)bits << 1 | (d->label[i] > 0))};
    return ney_rng_next(&rng);
}

/* Whether a unit is among those learned from: a choice by its hash and the seed, so that all rows
 * of a unit share it, whatever their order. */
static bool is_drawn(const ney_fdr_run *r, uint64_t unit)
{
    const double share = (double)r->o.training_rows / (double)r->data->x.rows;
    ney_rng rng = {unit ^ (uint64_t)r->o.seed * UINT64_C(0x9e3779b97f4a7c15)};
    return share == 0 || share >= 1 || ney_rng_unit(&rng) < share;
}

/* The rows to learn from, ordered by their content: sums, ties and random draws of a fit are then
 * the same for any order of the rows in the file. */
static ney_status order_rows(ney_fdr_run *r, ney_error *err)
{
    const int64_t n = r->data->x.rows;
    uint64_t *const unit = ney_alloc(&r->env, n, sizeof *unit);
    learned_row *item = NULL;
    int64_t used, m = 0;
    ney_status st = unit ? ney_data_keys(r->data, r->columns, unit, &used, err)
                         : ney_no_memory(err, n, "spectra");
    r->n_order = 0;
    for (int64_t i = 0; i < n && st == NEY_OK; i++) {
        r->n_order += is_drawn(r, unit[i]);
    }
    ney_release(&r->env, r->order);
    r->order = NULL;
    if (st == NEY_OK) {
        r->order = ney_alloc(&r->env, r->n_order, sizeof *r->order);
        item = ney_alloc(&r->env, r->n_order, sizeof *item);
        st = r->order && item ? NEY_OK : ney_no_memory(err, r->n_order, "rows to learn from");
    }
    for (int64_t i = 0; i < n && st == NEY_OK; i++) {
        if (is_drawn(r, unit[i])) {
            item[m++] = (learned_row){ney_row_hash(&r->data->x, i), hash_rest(r, i, unit[i]),
                                      r->key ? r->key[i] : 0, i};
        }
    }
    if (st == NEY_OK) {
        qsort(item, (size_t)m, sizeof *item, by_content);
    }
    for (int64_t k = 0; k < m; k++) {
        r->order[k] = item[k].row;
    }
    ney_release(&r->env, item);
    ney_release(&r->env, unit);
    return st;
}

static ney_status take_fold(ney_fdr_run *r, int k, ney_error *err)
{
    ney_fdr_fold *f = &r->fold[k];
    int64_t *learn = ney_alloc(&r->env, r->n_order, sizeof *learn), m = 0;
    ney_data bare = *r->data; /* fits read no notes */
    ney_status st = NEY_OK;
    if (!learn) {
        return ney_no_memory(err, r->n_order, "rows of a fold");
    }
    for (int64_t i = 0; i < r->n_order; i++) {
        if (r->fold_of[r->order[i]] != k) {
            learn[m++] = r->order[i];
        }
    }
    bare.notes = NULL;
    if ((st = ney_data_take(&f->learn, &bare, learn, m, err)) == NEY_OK) {
        f->start = ney_alloc(&r->env, m * r->f.n, sizeof *f->start);
        f->key = r->key ? ney_alloc(&r->env, m, sizeof *f->key) : NULL;
        st = f->start && (f->key || !r->key) ? NEY_OK : ney_no_memory(err, m, "scores");
    }
    for (int64_t i = 0; i < m && st == NEY_OK && f->key; i++) {
        f->key[i] = r->key[learn[i]];
    }
    if (st == NEY_OK && f->key) {
        st = ney_grouping_init(&f->spectra, &r->env, f->key, m, err);
    }
    f->f = ney_fdr_for_fits(&r->f, f->key, &f->spectra);
    ney_release(&r->env, learn);
    return st;
}

/* Deal rows that agree in these columns to folds, and draw those to learn from. */
static ney_status deal_rows(ney_fdr_run *r, const char *columns, ney_error *err)
{
    r->columns = columns;
    ney_groups_deinit(&r->groups);
    const ney_status st = ney_groups_deal(&r->groups, r->data, columns, r->o.peptide, NEY_FDR_FOLDS,
                                          (uint64_t)r->o.seed, r->fold_of, err);
    return st == NEY_OK ? order_rows(r, err) : st;
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
    if ((st = ney_fdr_keys(&r->key, &r->env, r->data, &r->o, err)) != NEY_OK) {
        return st;
    }
    r->f.key = r->key;
    if ((st = ney_fdr_init_weights(&r->start, &r->env, r->data, &r->o, err)) != NEY_OK ||
        (st = deal_rows(r, ney_fdr_groups(&r->o), err)) != NEY_OK) {
        return st;
    }
    r->f.start = r->start;
    if (!can_fold(r)) { /* scans that are not numbered, all 0 */
        st = deal_rows(r, ney_fdr_spectra(&r->o), err);
    }
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
        ney_grouping_deinit(&f->spectra);
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
    ney_release(&r->env, r->order);
    ney_release(&r->env, r->start);
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
