#include "select/calibrate.h"

#include "base/parallel.h"
#include "learn/learn.h"

#include <math.h>
#include <stdlib.h>

/* All held-out rows, those of one fold after those of the last. */
typedef struct pool {
    ney_tuner *t; /* the search of the best point */
    const ney_chosen *choice;
    ney_chosen *without; /* what would be chosen without each fold; NULL: the choice of all */
    double *trained;     /* scores of all training rows by the final model; as `without` */
    int inner;           /* threads of a fold */
    double cache;        /* megabytes of a fold */
    int64_t n;
    int64_t *first; /* of each fold */
    double *score;
    int8_t *label;
} pool;

/* Mean and standard deviation. */
typedef struct moments {
    double mean, deviation;
} moments;

/* Of n numbers, or of those at the places `at`. */
static moments moments_of(const double *x, const int64_t *at, int64_t n)
{
    moments m = {0};
    double squares = 0;
    for (int64_t i = 0; i < n; i++) {
        m.mean += x[at ? at[i] : i] / (double)n;
    }
    for (int64_t i = 0; i < n; i++) {
        const double d = x[at ? at[i] : i] - m.mean;
        squares += d * d;
    }
    m.deviation = sqrt(squares / (double)n);
    return m;
}

/* Bring the scores of a fold to the location and scale of the final model: other rows, costs and
 * local minima have scores of another size. Both models are compared on rows that both were trained
 * on. Scores that are all equal have no scale and stay. */
static ney_status align_scores(const pool *p, const ney_model *m, const ney_fold *fold,
                               const ney_env *env, double *score, ney_error *err)
{
    const ney_matrix *const x = ney_data_matrix(fold->learn);
    double *const own = ney_alloc(env, x->rows, sizeof *own);
    if (!own) {
        return ney_no_memory(err, x->rows, "scores");
    }
    const ney_status st = ney_model_score(m, env, x, own, err);
    if (st == NEY_OK) {
        const moments from = moments_of(own, NULL, x->rows);
        const moments to = moments_of(p->trained, fold->learn_row, x->rows);
        const bool has_scale = from.deviation > 0 && to.deviation > 0;
        const int64_t n = has_scale ? ney_data_matrix(fold->held)->rows : 0;
        for (int64_t i = 0; i < n; i++) {
            score[i] = to.mean + (score[i] - from.mean) * (to.deviation / from.deviation);
        }
    }
    ney_release(env, own);
    return st;
}

static ney_status begin_task(ney_task *task, const ney_tuner *t, const ney_fold *fold,
                             const ney_env *env, const ney_train_opts *o, ney_error *err)
{
    const ney_status st = ney_task_init(task, env, fold->learn, o, err);
    task->kept = t->kept;
    return st;
}

/* Scores of a fold's rows by a model of the other folds. */
static ney_status score_fold(pool *p, int f, const ney_env *env, ney_error *err)
{
    const ney_fold *const fold = &p->t->folds.fold[f];
    const ney_chosen *const choice = p->without ? &p->without[f] : p->choice;
    double *const score = p->score + p->first[f];
    ney_train_opts o[NEY_MOST_AVERAGED];
    ney_train_info info = {0};
    ney_task task = {0};
    ney_model *m = NULL;
    ney_status st;
    ney_chosen_opts(choice, o);
    o[0].cache = p->cache;
    if ((st = begin_task(&task, p->t, fold, env, &o[0], err)) == NEY_OK &&
        (st = ney_learn_mean(&m, &task, o, choice->n, &info, err)) == NEY_OK) {
        st = info.stop == NEY_STOP_CANCELLED
                 ? ney_fail(err, NEY_ECANCELLED, "cancelled while setting the threshold")
                 : ney_model_score(m, env, ney_data_matrix(fold->held), score, err);
    }
    if (st == NEY_OK && p->without) {
        st = align_scores(p, m, fold, env, score, err);
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
    p->cache = ney_task_cache(&p->t->o) / s.outer;
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
    ney_release(env, p->without);
    ney_release(env, p->trained);
    ney_release(env, p->first);
    ney_release(env, p->score);
    ney_release(env, p->label);
}

/* What would be chosen without each fold, and the scores that its scores are aligned with. */
static ney_status choose_without(pool *p, const ney_model *m, ney_tuner *searches, int n, int most,
                                 ney_error *err)
{
    const int folds = p->t->folds.n;
    const ney_matrix *const x = ney_data_matrix(p->t->learn);
    p->without = ney_alloc(&p->t->env, folds, sizeof *p->without);
    p->trained = ney_alloc(&p->t->env, x->rows, sizeof *p->trained);
    if (!p->without || !p->trained) {
        return ney_no_memory(err, x->rows, "scores of training rows");
    }
    for (int f = 0; f <= folds; f++) { /* the last sets the losses of all folds again */
        for (int k = 0; k < n; k++) {
            ney_tuner_set_losses(&searches[k], f < folds ? f : -1);
        }
        if (f < folds) {
            p->without[f] = ney_tuners_choose(searches, n, most);
        }
    }
    return ney_model_score(m, &p->t->env, x, p->trained, err);
}

/* ---- thresholds */

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The threshold that a new row of a class reaches with probability A, given n scores of the class
 * in descending order: it reaches the j-th with probability j / (n + 1). Between two of them the
 * threshold is interpolated, beyond the largest it is just above it. Of equal scores all reach the
 * threshold or none: none where more than A (n + 1) scores would. [TUNE.2] */
static double threshold_of_rate(const double *score, int64_t n, double A)
{
    const double rank = A * (double)(n + 1);
    const int64_t j = (int64_t)floor(rank);
    if (j < 1) {
        return nextafter(score[0], (double)INFINITY);
    }
    if (j >= n) {
        return score[n - 1];
    }
    if (score[j - 1] > score[j]) {
        return score[j - 1] - (rank - (double)j) * (score[j - 1] - score[j]);
    }
    return nextafter(score[j], (double)INFINITY);
}

/* The threshold that keeps the bounded rate on new rows. Bounded positives are misclassified below
 * it: their scores count with the other sign, and what is just above is just below. */
static ney_status find_rate_threshold(const pool *p, const ney_request *r, double *threshold,
                                      ney_error *err)
{
    const int sign = -r->bounded_class;
    double *const score = ney_alloc(&p->t->env, p->n, sizeof *score);
    int64_t n = 0;
    if (!score) {
        return ney_no_memory(err, p->n, "scores");
    }
    for (int64_t i = 0; i < p->n; i++) {
        if (p->label[i] == r->bounded_class) {
            score[n++] = sign * p->score[i];
        }
    }
    qsort(score, (size_t)n, sizeof *score, descending);
    *threshold = sign * threshold_of_rate(score, n, r->rate);
    if (sign < 0) { /* a score equal to a threshold is positive, and here it counts as reached */
        *threshold = nextafter(*threshold, (double)INFINITY);
    }
    ney_release(&p->t->env, score);
    return NEY_OK;
}

/* The threshold that keeps a bounded rate on new rows, or the rejection band that costs least on
 * these: sets them, and *found whether there was something to set. */
static ney_status find_thresholds(const pool *p, double *low, double *high, bool *found,
                                  ney_error *err)
{
    const ney_request r = ney_request_of(&p->t->o);
    const ney_rule *const rule = &p->t->rule;
    *found = ney_request_bounds_any(&r) || rule->band.low < rule->band.high;
    if (!ney_request_bounds_any(&r)) {
        const ney_labelled_scores rows = {.score = p->score, .label = p->label, .n = p->n};
        return *found ? ney_best_band(&p->t->env, &rows, &rule->band.costs, low, high, NULL, err)
                      : NEY_OK;
    }
    const ney_status st = find_rate_threshold(p, &r, high, err);
    *low = *high;
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

ney_status ney_calibrate(ney_model *m, ney_tuner *searches, int n, const ney_chosen *choice,
                         int most, ney_tune_info *info, ney_error *err)
{
    pool p = {.t = ney_tuner_of_choice(searches, choice), .choice = choice};
    const ney_fold *const first = &p.t->folds.fold[0];
    const ney_request r = ney_request_of(&p.t->o);
    ney_status st;
    if (info->train.certified) {
        return NEY_OK;
    }
    if ((st = pool_init(&p, err)) == NEY_OK && first->row && ney_request_bounds_any(&r)) {
        st = choose_without(&p, m, searches, n, most, err);
    }
    if (st == NEY_OK) {
        st = first->row ? score_folds(&p, err)
                        : ney_model_score(m, &p.t->env, ney_data_matrix(first->held), p.score, err);
    }
    if (st == NEY_OK) {
        st = set_thresholds(m, &p, info, err);
    }
    pool_deinit(&p);
    return st;
}
