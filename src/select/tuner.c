#include "select/tuner.h"

#include "base/clock.h"
#include "base/parallel.h"
#include "learn/learn.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- the environment of a job */

static void *resize(void *user, void *block, size_t bytes)
{
    const ney_tuner *t = user;
    return t->env.resize(t->env.user, block, bytes);
}

/* Both Ctrl-C and the end of the time end the search. */
static bool poll_locked(ney_tuner *t)
{
    const ney_progress p = {
        .stage = "tuning", .done = (double)t->done, .total = (double)t->total, .value = t->best};
    if (!t->stopped && t->env.poll && !t->env.poll(t->env.user, &p)) {
        t->stopped = true;
        t->stop = NEY_STOP_CANCELLED;
    }
    if (!t->stopped && t->o.max_time > 0 && ney_now() - t->begin > t->o.max_time) {
        t->stopped = true;
        t->stop = NEY_STOP_TIME;
    }
    return !t->stopped;
}

static bool poll(void *user, const ney_progress *progress)
{
    ney_tuner *t = user;
    (void)progress; /* of one fit among hundreds */
    pthread_mutex_lock(&t->lock);
    const bool go_on = poll_locked(t);
    pthread_mutex_unlock(&t->lock);
    return go_on;
}

ney_env ney_tuner_env(ney_tuner *t, int threads)
{
    return (ney_env){.user = t, .resize = resize, .poll = poll, .threads = threads};
}

ney_shift ney_tuner_shift(const ney_tuner *t, int64_t jobs)
{
    const int threads = ney_threads(&t->env);
    return 2 * jobs >= threads ? (ney_shift){threads, 1} : (ney_shift){1, threads};
}

/* ---------------------------------------------------------------- points */

ney_train_opts ney_tuner_opts(const ney_tuner *t, const ney_point *p)
{
    ney_train_opts o = t->o;
    o.max_time = 0; /* a limit of the whole search, not of a fit */
    for (int k = 0; k < t->grid.n; k++) {
        ney_axis_set(&t->grid.axis[k], p->at[k], &o);
    }
    return o;
}

static bool is_known(const ney_tuner *t, const ney_point *p)
{
    for (int64_t k = 0; k < t->first_new; k++) {
        if (memcmp(t->point[k].at, p->at, (size_t)t->grid.n * sizeof *p->at) == 0) {
            return true;
        }
    }
    return false;
}

static ney_status add_point(ney_tuner *t, const ney_point *like, ney_error *err)
{
    ney_point p = *like;
    if (!ney_grow(&t->env, &t->point, &t->cap, t->n_points + 1, sizeof *t->point) ||
        !(p.of_fold = ney_alloc(&t->env, t->folds.n, sizeof *p.of_fold))) {
        return ney_no_memory(err, t->n_points, "points of a grid");
    }
    const ney_train_opts o = ney_tuner_opts(t, &p);
    for (int f = 0; f < t->folds.n; f++) {
        const ney_result like_this = ney_result_of(&o, f);
        const ney_result *const old = ney_results_find(&t->results, &like_this);
        p.of_fold[f] = old ? old->found.loss : (double)NAN;
        p.missing += !old;
        t->reused += old != NULL;
    }
    t->point[t->n_points++] = p;
    return NEY_OK;
}

/* The range of places of an axis, all or those near `around`. */
static void range(const ney_axis *a, const int *around, int reach, int *low, int *high)
{
    *low = around && *around - reach > a->low ? *around - reach : a->low;
    *high = around && *around + reach < a->high ? *around + reach : a->high;
}

/* The next point of the box, the last axis turning fastest; false after the last. */
static bool next_point(const ney_grid *g, const int *around, int reach, ney_point *p)
{
    for (int k = g->n - 1; k >= 0; k--) {
        int low, high;
        range(&g->axis[k], around ? &around[k] : NULL, reach, &low, &high);
        if (p->at[k] < high) {
            p->at[k]++;
            return true;
        }
        p->at[k] = low;
    }
    return false;
}

ney_status ney_tuner_add(ney_tuner *t, const int *around, int reach, ney_error *err)
{
    ney_point p = {0};
    ney_status st = NEY_OK;
    for (int k = 0; k < t->grid.n; k++) {
        int high;
        range(&t->grid.axis[k], around ? &around[k] : NULL, reach, &p.at[k], &high);
    }
    t->first_new = t->n_points;
    do {
        if (!is_known(t, &p)) {
            st = add_point(t, &p, err);
        }
    } while (st == NEY_OK && next_point(&t->grid, around, reach, &p));
    return st;
}

void ney_tuner_refine(ney_tuner *t)
{
    for (int k = 0; k < t->grid.n; k++) {
        ney_axis *const a = &t->grid.axis[k];
        if (a->is_list) {
            continue;
        }
        a->parts *= 2;
        a->low *= 2;
        a->high *= 2;
        for (int64_t i = 0; i < t->n_points; i++) {
            t->point[i].at[k] *= 2;
        }
    }
}

static void settle_loss(const ney_tuner *t, ney_point *p)
{
    double sum = 0;
    for (int f = 0; f < t->folds.n; f++) {
        sum += p->of_fold[f];
    }
    p->loss = sum / t->folds.n;
}

const ney_point *ney_tuner_best(const ney_tuner *t)
{
    const ney_point *best = NULL;
    for (int64_t k = 0; k < t->n_points; k++) {
        const ney_point *p = &t->point[k];
        if (p->missing == 0 && (!best || p->loss < best->loss)) {
            best = p;
        }
    }
    return best;
}

static bool same_axes(const ney_tuner *t, const ney_point *a, const ney_point *b)
{
    for (int k = 0; k < t->grid.n; k++) {
        if (t->grid.axis[k].of_kernel && a->at[k] != b->at[k]) {
            return false;
        }
    }
    return true;
}

/* Insert by loss; of equal ones the earlier is first. What does not fit falls off the end. */
static void insert(ney_chosen *c, const ney_point *p, int most)
{
    int k = c->n < most ? c->n++ : most;
    for (; k > 0 && p->loss < c->point[k - 1]->loss; k--) {
        if (k < most) {
            c->point[k] = c->point[k - 1];
        }
    }
    if (k < most) {
        c->point[k] = p;
    }
}

ney_chosen ney_tuner_choose(const ney_tuner *t, int most)
{
    const ney_point *const best = ney_tuner_best(t);
    ney_chosen c = {0};
    int64_t tried = 0;
    for (int64_t k = 0; best && k < t->n_points; k++) {
        const ney_point *const p = &t->point[k];
        if (p->missing == 0 && same_axes(t, p, best)) {
            insert(&c, p, most);
            tried++;
        }
    }
    const int half = (int)((tried + 1) / 2);
    c.n = c.n < half ? c.n : half;
    for (int k = 0; k < c.n; k++) {
        c.loss += c.point[k]->loss / c.n;
    }
    return c;
}

void ney_chosen_opts(const ney_chosen *c, const ney_tuner *t, ney_train_opts *o)
{
    for (int k = 0; k < c->n; k++) {
        o[k] = ney_tuner_opts(t, c->point[k]);
    }
}

/* ---------------------------------------------------------------- jobs */

/* Points that share a kernel, on one fold. */
typedef struct job {
    int64_t first, n; /* points */
    int fold;
} job;

typedef struct work {
    ney_tuner *t;
    job *job;
    int64_t n;
    double cache; /* megabytes for the kernel rows of each */
    int inner;    /* threads of a fit */
} work;

static void fail_job(ney_tuner *t, int64_t j, ney_status st, const ney_error *err)
{
    pthread_mutex_lock(&t->lock);
    if (t->status == NEY_OK || j < t->failed_job) {
        t->status = st;
        t->failed_job = j;
        t->err = *err;
    }
    t->stopped = true;
    pthread_mutex_unlock(&t->lock);
}

/* A result is kept at once: whoever stops the program keeps it. */
static ney_status keep(ney_tuner *t, ney_point *p, const ney_result *r, ney_error *err)
{
    pthread_mutex_lock(&t->lock);
    const ney_status st = ney_results_add(&t->results, r, err);
    p->of_fold[r->fold] = r->found.loss;
    p->missing--;
    t->fits++;
    t->done++;
    if (p->missing == 0) {
        settle_loss(t, p);
        t->best = isnan(t->best) || p->loss < t->best ? p->loss : t->best;
    }
    (void)poll_locked(t);
    pthread_mutex_unlock(&t->lock);
    return st;
}

static ney_status judge(const ney_tuner *t, const ney_env *env, const ney_model *m,
                        const ney_data *held, ney_judgement *found, ney_error *err)
{
    const ney_matrix *const x = ney_data_matrix(held);
    double *score = ney_alloc(env, x->rows, sizeof *score);
    if (!score) {
        return ney_no_memory(err, x->rows, "scores");
    }
    ney_status st = ney_model_score(m, env, x, score, err);
    if (st == NEY_OK) {
        st = ney_judge(&t->rule, env, score, ney_data_label(held), x->rows, found, err);
    }
    ney_release(env, score);
    return st;
}

static ney_status fit(ney_tuner *t, ney_task *task, ney_point *p, int fold, ney_error *err)
{
    ney_result r = ney_result_of(&task->o, fold);
    ney_train_info info = {0};
    ney_model *m = NULL;
    ney_status st = ney_learn(&m, task, &info, err);
    if (st == NEY_OK && info.stop == NEY_STOP_CANCELLED) {
        st = NEY_ECANCELLED; /* half a fit is no result */
    }
    if (st == NEY_OK) {
        st = judge(t, &task->env, m, t->folds.fold[fold].held, &r.found, err);
    }
    ney_model_free(m);
    if (st != NEY_OK) {
        return st;
    }
    r.support_vectors = info.support_vectors;
    r.iterations = info.iterations;
    r.converged = info.stop == NEY_STOP_CONVERGED || info.stop == NEY_STOP_EPOCHS;
    r.seconds = ney_task_seconds(task);
    return keep(t, p, &r, err);
}

static bool has_work(const ney_tuner *t, const job *j)
{
    for (int64_t k = j->first; k < j->first + j->n; k++) {
        if (isnan(t->point[k].of_fold[j->fold])) {
            return true;
        }
    }
    return false;
}

static ney_status run_points(ney_tuner *t, const job *j, ney_task *task, ney_error *err)
{
    ney_status st = NEY_OK;
    for (int64_t k = j->first; k < j->first + j->n && st == NEY_OK; k++) {
        ney_point *const p = &t->point[k];
        if (isnan(p->of_fold[j->fold])) {
            const ney_train_opts o = ney_tuner_opts(t, p);
            ney_task_again(task, &o);
            st = fit(t, task, p, j->fold, err);
        }
    }
    return st;
}

static void run_job(void *context, int64_t i, int thread)
{
    const work *w = context;
    ney_tuner *const t = w->t;
    const job *j = &w->job[i];
    const ney_env env = ney_tuner_env(t, w->inner);
    ney_error err = {0};
    ney_task task = {0};
    (void)thread;

    if (!poll(t, NULL) || !has_work(t, j)) {
        return;
    }
    ney_train_opts o = ney_tuner_opts(t, &t->point[j->first]);
    o.cache = w->cache;
    ney_status st = ney_task_init(&task, &env, t->folds.fold[j->fold].learn, &o, &err);
    if (st == NEY_OK) {
        st = run_points(t, j, &task, &err);
    }
    ney_task_deinit(&task);
    if (st != NEY_OK && st != NEY_ECANCELLED) {
        fail_job(t, i, st, &err);
    }
}

static bool same_kernel(const ney_tuner *t, const ney_point *a, const ney_point *b)
{
    return t->o.kernel != NEY_KERNEL_LINEAR && same_axes(t, a, b); /* linear: no rows to share */
}

static void make_jobs(work *w)
{
    const ney_tuner *const t = w->t;
    for (int64_t first = t->first_new, next; first < t->n_points; first = next) {
        for (next = first + 1;
             next < t->n_points && same_kernel(t, &t->point[first], &t->point[next]); next++) {
        }
        for (int f = 0; f < t->folds.n; f++) {
            w->job[w->n++] = (job){.first = first, .n = next - first, .fold = f};
        }
    }
}

ney_status ney_tuner_run(ney_tuner *t, ney_error *err)
{
    const int64_t most = (t->n_points - t->first_new) * t->folds.n;
    work w = {.t = t, .job = ney_alloc(&t->env, most, sizeof *w.job)};
    if (!w.job) {
        return ney_no_memory(err, most, "jobs");
    }
    t->total = t->done = 0;
    for (int64_t k = t->first_new; k < t->n_points; k++) {
        t->total += t->point[k].missing;
        if (t->point[k].missing == 0) {
            settle_loss(t, &t->point[k]);
        }
    }
    make_jobs(&w);
    const ney_shift s = ney_tuner_shift(t, w.n);
    const ney_env env = {.user = t, .resize = resize, .threads = s.outer};
    w.inner = s.inner;
    w.cache = ney_task_cache(&t->o) / s.outer;
    ney_parallel_for(&env, w.n, run_job, &w);
    ney_release(&t->env, w.job);
    if (t->status != NEY_OK && err) {
        *err = t->err;
    }
    return t->status;
}
