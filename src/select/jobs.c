/* The work of a search: fits, shared out over threads.
 *
 * A job is one kernel on one fold, its points one after the other. They share the solver and its
 * kernel rows, and each begins where the first problem of the one before it ended (task.h). Folds
 * share kernel rows too, where there are few enough for all of them to be kept. */
#include "base/clock.h"
#include "base/parallel.h"
#include "learn/fdr/fdr.h"
#include "learn/learn.h"
#include "learn/method.h"
#include "model/family.h"
#include "select/job_share.h"
#include "select/tuner.h"

#include <math.h>

/* A kernel matrix is shared by folds when it takes no more than this part of the memory for kernel
 * rows: several exist at a time, up to one per thread. */
static const double SHARED_PART = 1.0 / 16;

/* ---------------------------------------------------------------- the environment of a job */

static void *resize(void *user, void *block, size_t bytes)
{
    const ney_tuner *t = user;
    return t->env.resize(t->env.user, block, bytes);
}

static bool poll_locked(ney_tuner *t)
{
    const ney_progress p = {
        .stage = "tuning", .done = (double)t->done, .total = (double)t->total, .value = t->best};
    if (!t->stopped && !ney_relay_poll(&t->relay, &p)) {
        t->stopped = true;
        t->stop = NEY_STOP_CANCELLED;
    }
    if (!t->stopped && t->o.max_time > 0 && ney_now() - t->begin > t->o.max_time) {
        t->stopped = true;
        t->stop = NEY_STOP_TIME;
    }
    return !t->stopped;
}

bool ney_tuner_poll(ney_tuner *t)
{
    if (t->share && pthread_equal(t->relay.caller, pthread_self())) {
        ney_job_share_serve(t->share);
    }
    pthread_mutex_lock(&t->lock);
    const bool go_on = poll_locked(t);
    pthread_mutex_unlock(&t->lock);
    return go_on;
}

static bool poll(void *user, const ney_progress *progress)
{
    (void)progress; /* of one fit among hundreds */
    return ney_tuner_poll(user);
}

ney_env ney_tuner_env(ney_tuner *t, int threads)
{
    return (ney_env){.user = t, .resize = resize, .poll = poll, .threads = threads};
}

ney_thread_split ney_tuner_split_threads(const ney_tuner *t, int64_t jobs)
{
    const int threads = ney_threads(&t->env);
    return 2 * jobs >= threads ? (ney_thread_split){threads, 1} : (ney_thread_split){1, threads};
}

/* ---------------------------------------------------------------- kernels and their jobs */

/* The points of one kernel, and the rows that its folds share. */
typedef struct kernel_work {
    int64_t first, n; /* points */
    int folds_left;   /* under the lock of the tuner, and so is what follows */
    bool is_shared;
    ney_shared_rows rows;
} kernel_work;

typedef struct work {
    ney_tuner *t;
    kernel_work *kernel; /* one job per fold */
    int64_t n_kernels;
    bool share;   /* kernel rows among folds */
    double cache; /* megabytes for the kernel rows of each job */
    int inner;    /* threads of a fit */
} work;

/* The failure of the lowest job is reported, whatever the number of threads: jobs after one that
 * has failed are left out, those before it are not. */
static bool is_due(ney_tuner *t, int64_t j)
{
    pthread_mutex_lock(&t->lock);
    const bool due = t->status == NEY_OK || j < t->failed_job;
    pthread_mutex_unlock(&t->lock);
    return due;
}

void ney_tuner_fail(ney_tuner *t, int64_t j, ney_status st, const ney_error *err)
{
    pthread_mutex_lock(&t->lock);
    if (t->status == NEY_OK || j < t->failed_job) {
        t->status = st;
        t->failed_job = j;
        t->err = *err;
    }
    pthread_mutex_unlock(&t->lock);
}

ney_status ney_tuner_keep(ney_tuner *t, int64_t point, const ney_fold_result *r, ney_error *err)
{
    ney_point *const p = &t->point[point];
    pthread_mutex_lock(&t->lock);
    const ney_status st = t->share && !ney_job_share_is_first(t->share)
                              ? ney_job_share_report(t->share, point, r, err)
                              : ney_fold_results_add(&t->results, r, err);
    p->of_fold[r->fold] = r->found.loss;
    p->missing--;
    t->fits++;
    t->done++;
    if (p->missing == 0) {
        ney_point_set_loss(t, p, -1);
        t->best = isnan(t->best) || p->loss < t->best ? p->loss : t->best;
    }
    (void)poll_locked(t);
    pthread_mutex_unlock(&t->lock);
    return st;
}

static ney_status evaluate_fold(const ney_tuner *t, const ney_env *env, const ney_model *m,
                                const ney_data *held, ney_criterion_value *found, ney_error *err)
{
    const ney_matrix *const x = ney_data_matrix(held);
    double *score = ney_alloc(env, x->rows, sizeof *score);
    uint64_t *key = NULL;
    if (!score) {
        return ney_no_memory(err, x->rows, "scores");
    }
    ney_status st = ney_model_score(m, env, x, score, err);
    if (st == NEY_OK && t->rule.criterion == NEY_CRITERION_DISCOVERIES) {
        st = ney_fdr_keys(&key, env, held, &t->o, err);
    }
    if (st == NEY_OK) {
        st = ney_criterion_evaluate(&t->rule, env, score, ney_data_label(held), key, x->rows, found,
                                    err);
    }
    ney_release(env, key);
    ney_release(env, score);
    return st;
}

/* --at-k counts rows of those that the model learns from; a fold learns from fewer. */
static int64_t share_of_k(int64_t k, int64_t rows, int64_t all)
{
    const double share = round((double)k * (double)rows / (double)all);
    return k > 0 && share < 1 ? 1 : (int64_t)share;
}

/* Points whose result is known are fitted for those that begin where they ended. */
static ney_status fit_point(ney_tuner *t, ney_task *task, ney_point *p, int fold, ney_error *err)
{
    const bool is_known = !isnan(p->of_fold[fold]);
    ney_fold_result r = ney_fold_result_of(&task->o, fold, task->x->rows);
    ney_train_info info = {0};
    task->o.at_k = share_of_k(task->o.at_k, task->x->rows, ney_data_matrix(t->learn)->rows);
    ney_model *m = NULL;
    ney_status st = ney_learn(&m, task, &info, err);
    if (st == NEY_OK && info.stop == NEY_STOP_CANCELLED) {
        st = NEY_ECANCELLED; /* an unfinished fit has no result */
    }
    if (st == NEY_OK && !is_known) {
        st = evaluate_fold(t, &task->env, m, t->folds.fold[fold].held, &r.found, err);
    }
    ney_model_free(m);
    if (st != NEY_OK || is_known) {
        return st;
    }
    r.support_vectors = info.support_vectors;
    r.iterations = info.iterations;
    r.converged = ney_stop_is_complete(info.stop);
    r.seconds = ney_task_seconds(task);
    return ney_tuner_keep(t, p - t->point, &r, err);
}

/* How many points there are up to the last without a result. Those before it are fitted again even
 * if they have one: what they find is where the next ones begin, and a search that goes on must end
 * in the bits of one that was never stopped. */
static int64_t points_to_do(const ney_tuner *t, const kernel_work *k, int fold)
{
    int64_t n = k->n;
    while (n > 0 && !isnan(t->point[k->first + n - 1].of_fold[fold])) {
        n--;
    }
    return n;
}

static ney_status run_points(ney_tuner *t, const kernel_work *k, int fold, ney_task *task,
                             ney_error *err)
{
    const int64_t n = points_to_do(t, k, fold);
    ney_status st = NEY_OK;
    for (int64_t i = k->first; i < k->first + n && st == NEY_OK; i++) {
        const ney_train_opts o = ney_tuner_opts(t, &t->point[i]);
        ney_task_restart(task, &o);
        st = fit_point(t, task, &t->point[i], fold, err);
    }
    return st;
}

/* ---------------------------------------------------------------- rows that folds share */

bool ney_tuner_is_chained(const ney_tuner *t)
{
    const ney_request r = ney_request_of(&t->o);
    return r.family == &ney_family_kernel && !r.learner->make;
}

/* Problems that are solved to the last digits need finer rows than these; folds that are scaled by
 * their own rows have other kernels. */
static bool can_share(const ney_tuner *t)
{
    const double n = (double)ney_data_matrix(t->learn)->rows;
    const bool is_fine = t->o.tol < NEY_SMO_FINE_TOL ||
                         (ney_request_of(&t->o).method->traits & NEY_METHOD_IS_EXACT) != 0;
    return ney_tuner_is_chained(t) && t->folds.n > 1 && !t->on_parts && !is_fine &&
           !t->folds.fold[0].rescaled &&
           n * n * sizeof(float) <= SHARED_PART * 1e6 * ney_task_cache(&t->o);
}

/* The job is the first of its kernel, or takes what the first has made. A kernel that is not the
 * same on all folds, because its gamma is taken from the rows, is not shared; nor where there is no
 * memory for it after all. */
static ney_status share_rows(const work *w, kernel_work *k, int fold, ney_task *task,
                             ney_error *err)
{
    ney_tuner *const t = w->t;
    if (!w->share || !(task->o.gamma > 0)) {
        return NEY_OK;
    }
    pthread_mutex_lock(&t->lock);
    if (!k->is_shared) {
        const ney_env env = ney_tuner_env(t, 1);
        k->is_shared = ney_shared_rows_init(&k->rows, &env, ney_data_matrix(t->learn),
                                            &task->kernel, NULL) == NEY_OK;
        if (!k->is_shared) {
            ney_shared_rows_deinit(&k->rows);
        }
    }
    const bool is_shared = k->is_shared;
    pthread_mutex_unlock(&t->lock);
    return is_shared ? ney_task_share(task, &k->rows, t->folds.fold[fold].learn_row, err) : NEY_OK;
}

/* The last fold of a kernel gives its rows back. */
static void leave_rows(ney_tuner *t, kernel_work *k)
{
    pthread_mutex_lock(&t->lock);
    if (--k->folds_left == 0 && k->is_shared) {
        ney_shared_rows_deinit(&k->rows);
    }
    pthread_mutex_unlock(&t->lock);
}

/* ---------------------------------------------------------------- all of it */

static ney_status run_fold(const work *w, kernel_work *k, int fold, ney_error *err)
{
    ney_tuner *const t = w->t;
    const ney_env env = ney_tuner_env(t, w->inner);
    ney_task task = {0};
    ney_train_opts o = ney_tuner_opts(t, &t->point[k->first]);
    o.cache = w->cache;
    ney_status st = ney_task_init(&task, &env, ney_tuner_rows(t, fold), &o, err);
    if (st == NEY_OK && (st = share_rows(w, k, fold, &task, err)) == NEY_OK &&
        (st = k->n > 1 ? ney_task_chain(&task, err) : NEY_OK) == NEY_OK) {
        task.kept = t->kept;
        task.keeps = t->kept && t->searched && !ney_tuner_is_chained(t);
        st = run_points(t, k, fold, &task, err);
    }
    ney_task_deinit(&task);
    return st;
}

static void run_job(void *context, int64_t i, int thread)
{
    const work *w = context;
    ney_tuner *const t = w->t;
    kernel_work *const k = &w->kernel[i / t->folds.n];
    const int fold = (int)(i % t->folds.n);
    ney_error err = {0};
    ney_status st = NEY_OK;
    (void)thread;

    if (is_due(t, i) && ney_tuner_poll(t) && points_to_do(t, k, fold) > 0) {
        st = run_fold(w, k, fold, &err);
    }
    leave_rows(t, k);
    if (st != NEY_OK && st != NEY_ECANCELLED) {
        ney_tuner_fail(t, i, st, &err);
    }
}

static void find_kernels(work *w)
{
    const ney_tuner *const t = w->t;
    for (int64_t first = t->first_new, next; first < t->n_points; first = next) {
        for (next = first + 1; next < t->n_points && ney_tuner_is_chained(t) &&
                               ney_tuner_same_kernel(t, &t->point[first], &t->point[next]);
             next++) {
        }
        w->kernel[w->n_kernels++] =
            (kernel_work){.first = first, .n = next - first, .folds_left = t->folds.n};
    }
}

/* Jobs from `first` on that this process has taken. */
typedef struct taken {
    const work *of;
    int64_t first;
} taken;

static void run_taken(void *context, int64_t i, int thread)
{
    const taken *const jobs = context;
    run_job((void *)jobs->of, jobs->first + i, thread);
}

/* Jobs are taken in ascending order: this process gets no more of the kernels before job `end`. */
static void leave_kernels(work *w, int64_t *from, int64_t end)
{
    for (; (*from + 1) * w->t->folds.n <= end; ++*from) {
        if (w->kernel[*from].folds_left > 0 && w->kernel[*from].is_shared) {
            ney_shared_rows_deinit(&w->kernel[*from].rows);
        }
    }
}

/* Of jobs that processes share, this one takes as many as it has threads, but leaves some to each
 * of the others, until there are no more. */
static ney_status run_shared(work *w, int64_t n, const ney_env *env, ney_error *err)
{
    const int size = ney_comm_size(w->t->env.comm);
    const int64_t part = (n + size - 1) / size;
    ney_job_share share;
    taken jobs = {.of = w};
    int64_t passed = 0, count;
    w->t->share = &share;
    ney_job_share_init(&share, w->t, n);
    while ((count = ney_job_share_take(&share, part < env->threads ? part : env->threads,
                                       &jobs.first)) > 0) {
        leave_kernels(w, &passed, jobs.first);
        ney_parallel_jobs(env, count, run_taken, &jobs);
    }
    leave_kernels(w, &passed, n);
    const ney_status st = ney_job_share_finish(&share, err);
    w->t->share = NULL;
    return st;
}

ney_status ney_tuner_run(ney_tuner *t, ney_error *err)
{
    const int64_t most = t->n_points - t->first_new;
    work w = {.t = t, .share = can_share(t), .kernel = ney_alloc(&t->env, most, sizeof *w.kernel)};
    if (!w.kernel) {
        return ney_no_memory(err, most, "jobs");
    }
    t->total = t->done = 0;
    for (int64_t k = t->first_new; k < t->n_points; k++) {
        t->total += t->point[k].missing;
        if (t->point[k].missing == 0) {
            ney_point_set_loss(t, &t->point[k], -1);
        }
    }
    find_kernels(&w);
    const int64_t jobs = w.n_kernels * t->folds.n;
    const ney_thread_split s = ney_tuner_split_threads(t, jobs);
    const ney_env env = ney_tuner_env(t, s.outer);
    w.inner = s.inner;
    w.cache = ney_task_cache(&t->o) / s.outer;
    ney_status st = NEY_OK;
    if (ney_comm_size(t->env.comm) > 1) {
        st = run_shared(&w, jobs, &env, err);
    } else {
        ney_parallel_jobs(&env, jobs, run_job, &w);
    }
    ney_release(&t->env, w.kernel);
    if (st != NEY_OK) {
        return st;
    }
    if (t->status != NEY_OK && err) {
        *err = t->err;
    }
    return t->status;
}
