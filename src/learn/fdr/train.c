/* From data to a model that keeps a false-discovery rate: three folds, each with its fits on the
 * other two; the stage whose out-of-fold scores find most; the mean of its models, with the folds
 * inside. */
#include "base/parallel.h"
#include "data/data.h"
#include "data/groups.h"
#include "decide/order.h"
#include "learn/fdr/fdr.h"
#include "learn/make.h"
#include "model/folds.h"
#include "model/training_rows.h"

#include <math.h>

enum { FOLDS = 3, RESTARTS = 4 };

typedef struct fold {
    ney_data *learn, *held;
    int64_t *row;  /* of each held row in the data */
    uint64_t *key; /* of the rows learned from, or NULL */
    ney_fdr f;     /* for fits on them */
    ney_task task;
    double *start; /* scores of the rows learned from, before annealing, for each q */
    ney_model *svm[NEY_MOST_FDR], *feature[NEY_MOST_FDR];
    ney_model *online[NEY_MOST_FDR * RESTARTS];
    ney_model *stage[NEY_N_STAGES]; /* the mean of these, scaled */
    ney_train_info info[NEY_MOST_FDR * (RESTARTS + 1)];
} fold;

typedef struct run {
    ney_env env, inner; /* the caller's, and that of one thread among several */
    ney_relay relay;    /* the caller's poll, for several threads */
    const ney_data *data;
    ney_train_opts o;
    ney_fdr f;     /* for out-of-fold scores */
    uint64_t *key; /* of the rows, or NULL */
    ney_stage most;
    int n_folds;
    fold fold[FOLDS];
    ney_groups groups;
    int *fold_of;                /* of each row */
    double *score[NEY_N_STAGES]; /* out-of-fold */
    double *q;                   /* of the rows */
} run;

/* ---------------------------------------------------------------- the environment of a thread */

static void *resize(void *user, void *block, size_t bytes)
{
    const run *r = user;
    return r->env.resize(r->env.user, block, bytes);
}

static bool poll(void *user, const ney_progress *progress)
{
    return ney_relay_poll(&((run *)user)->relay, progress);
}

/* ---------------------------------------------------------------- folds */

/* Whether every fold has targets and decoys, and enough of them to tell anything. */
static bool can_fold(const run *r)
{
    int64_t count[FOLDS][2] = {{0}};
    for (int64_t i = 0; i < r->data->x.rows; i++) {
        count[r->fold_of[i]][r->data->label[i] > 0]++;
    }
    for (int k = 0; k < FOLDS; k++) {
        if (count[k][0] < 2 || count[k][1] < 2) {
            return false;
        }
    }
    return true;
}

static ney_status take_fold(run *r, int k, ney_error *err)
{
    const int64_t n = r->data->x.rows;
    fold *f = &r->fold[k];
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

/* ---------------------------------------------------------------- jobs */

/* The best feature and the SVM, for every q; the next q begins with the kernel rows of this one. */
static ney_status fit_svm(run *r, fold *f, ney_error *err)
{
    ney_train_opts o = r->o;
    o.max_time *= fmin(1, (double)ney_threads(&r->env) / FOLDS);
    o.max_time /= r->most == NEY_STAGE_ONLINE ? 2 : 1;
    o.cache = ney_task_cache(&o) / FOLDS;
    ney_status st = ney_task_init(&f->task, &r->inner, f->learn, &o, err);
    for (int k = 0; k < r->f.n && st == NEY_OK; k++) {
        double *score = f->start + k * f->learn->x.rows;
        ney_task_again(&f->task, &o);
        if ((st = ney_fdr_feature(&f->feature[k], &f->task, &f->f, r->f.q[k], score, err)) ==
            NEY_OK) {
            st = ney_fdr_svm(&f->svm[k], &f->task, &f->f, r->f.q[k], score, &f->info[k], err);
        }
    }
    return st;
}

static ney_status do_svm(void *context, int64_t i, int thread, ney_error *err)
{
    run *r = context;
    (void)thread;
    return fit_svm(r, &r->fold[i], err);
}

static ney_status do_online(void *context, int64_t i, int thread, ney_error *err)
{
    run *r = context;
    const int each = r->f.n * RESTARTS, k = (int)(i % each);
    fold *f = &r->fold[i / each];
    ney_task task = ney_task_rows(&f->task);
    (void)thread;
    return ney_fdr_smooth(&r->o)(&f->online[k], &task, &f->f, r->f.q[k / RESTARTS],
                                 f->start + k / RESTARTS * f->learn->x.rows, k % RESTARTS,
                                 &f->info[r->f.n + k], err);
}

static ney_status fit_all(run *r, ney_error *err)
{
    ney_env env = r->inner;
    env.threads = r->env.threads;
    const ney_status st = ney_parallel_try(&env, r->n_folds, do_svm, r, err);
    return st == NEY_OK && r->most == NEY_STAGE_ONLINE
               ? ney_parallel_try(&env, (int64_t)r->n_folds * r->f.n * RESTARTS, do_online, r, err)
               : st;
}

/* ---------------------------------------------------------------- out-of-fold scores */

/* scale and shift of a model by its scores of the rows learned from, times `share`. */
static ney_status norm_by(const run *r, const ney_model *m, const fold *f, double q, double share,
                          double *scale, double *shift, ney_error *err)
{
    const ney_data *rows = f->learn;
    ney_env env = r->env;
    double *score = ney_alloc(&env, rows->x.rows, sizeof *score);
    if (!score) {
        return ney_no_memory(err, rows->x.rows, "scores");
    }
    env.poll = NULL; /* a run that was stopped is scored all the same */
    ney_status st = ney_model_score(m, &env, &rows->x, score, err);
    if (st == NEY_OK) {
        st = ney_fdr_norm(&f->f, &env, score, rows->label, rows->x.rows, q, scale, shift, err);
        *scale *= share;
        *shift *= share;
    }
    ney_release(&env, score);
    return st;
}

/* The mean of models, each scaled by its scores of the rows it learned from; and the share of these
 * rows that it accepts. */
static ney_status mean_of(run *r, fold *f, ney_model *const *model, int n, ney_stage stage,
                          double *share, ney_error *err)
{
    double scale[NEY_MOST_FDR * RESTARTS], shift[NEY_MOST_FDR * RESTARTS], *score;
    const ney_data *learn = f->learn;
    ney_env env = r->env;
    ney_status st = NEY_OK;
    for (int k = 0; k < n && st == NEY_OK; k++) {
        st = norm_by(r, model[k], f, r->f.q[k / (n / r->f.n)], 1.0 / n, &scale[k], &shift[k], err);
    }
    if (st != NEY_OK ||
        (st = ney_model_sum(&f->stage[stage], &env, model, scale, shift, n, err)) != NEY_OK ||
        (st = norm_by(r, f->stage[stage], f, r->f.q[0], 1, scale, shift, err)) != NEY_OK) {
        return st;
    }
    score = ney_alloc(&env, learn->x.rows, sizeof *score);
    if (!score) {
        return ney_no_memory(err, learn->x.rows, "scores");
    }
    env.poll = NULL;
    st = ney_model_score(f->stage[stage], &env, &learn->x, score, err);
    *share = 0;
    for (int64_t i = 0; i < learn->x.rows && st == NEY_OK; i++) {
        *share += (scale[0] * score[i] + shift[0] >= 0) / (double)learn->x.rows;
    }
    ney_release(&env, score);
    return st;
}

/* Make the scores of a fold comparable: the share of all rows that is accepted on average lies
 * above 0, half of them below -1. Held rows alone have too few decoys to tell a threshold by, and
 * their labels take no part in it. */
static ney_status align(run *r, fold *f, ney_stage stage, double share, ney_error *err)
{
    const int64_t n = r->data->x.rows;
    ney_model *const plain = f->stage[stage];
    ney_ranked *item = NULL;
    ney_env env = r->env;
    double *score = ney_alloc(&env, n, sizeof *score);
    if (!score) {
        return ney_no_memory(err, n, "scores");
    }
    env.poll = NULL;
    ney_status st = ney_model_score(plain, &env, &r->data->x, score, err);
    if (st == NEY_OK && (st = ney_order_new(&item, &env, score, n, err)) == NEY_OK) {
        const int64_t top = (int64_t)fmin((double)(n - 1), fmax(1, floor(share * (double)n + 0.5)));
        const double zero = item[n - top].score, width = zero - item[n / 2].score;
        const double scale = width > 0 ? 1 / width : 1, shift = -zero * scale;
        f->stage[stage] = NULL;
        st = ney_model_sum(&f->stage[stage], &r->env, &plain, &scale, &shift, 1, err);
        ney_model_free(plain);
    }
    if (st == NEY_OK &&
        (st = ney_model_score(f->stage[stage], &env, &r->data->x, score, err)) == NEY_OK) {
        for (int64_t i = 0; i < f->held->x.rows; i++) {
            r->score[stage][f->row[i]] = score[f->row[i]];
        }
    }
    ney_release(&env, item);
    ney_release(&env, score);
    return st;
}

static ney_status score_stage(run *r, ney_stage stage, ney_error *err)
{
    double share[FOLDS] = {0}, mean = 0;
    ney_status st = NEY_OK;
    for (int k = 0; k < r->n_folds && st == NEY_OK; k++) {
        fold *f = &r->fold[k];
        ney_model *const *model = stage == NEY_STAGE_ONLINE ? f->online
                                  : stage == NEY_STAGE_SVM  ? f->svm
                                                            : f->feature;
        const int n = r->f.n * (stage == NEY_STAGE_ONLINE ? RESTARTS : 1);
        st = mean_of(r, f, model, n, stage, &share[k], err);
        mean += share[k] / r->n_folds;
    }
    for (int k = 0; k < r->n_folds && st == NEY_OK; k++) {
        st = align(r, &r->fold[k], stage, mean, err);
    }
    return st;
}

static ney_status score_held(run *r, ney_error *err)
{
    ney_status st = NEY_OK;
    for (int s = 0; s <= (int)r->most && st == NEY_OK; s++) {
        st = score_stage(r, (ney_stage)s, err);
    }
    return st;
}

/* The stage asked for, unless a simpler one finds more. */
static ney_status choose(run *r, ney_train_info *info, ney_stage *chosen, ney_error *err)
{
    ney_status st = NEY_OK;
    int64_t best = -1;
    for (int s = 0; s < NEY_N_STAGES; s++) {
        info->discoveries[s] = -1;
    }
    for (int s = (int)r->most; s >= 0 && st == NEY_OK; s--) {
        st = ney_fdr_accept(&r->f, &r->env, r->score[s], r->data->label, r->data->x.rows, r->f.q[0],
                            r->q, NULL, &info->discoveries[s], err);
        if (info->discoveries[s] > best) {
            best = info->discoveries[s];
            *chosen = (ney_stage)s;
        }
    }
    return st;
}

/* ---------------------------------------------------------------- the model */

/* The lowest score accepted; above all scores where none is. */
static ney_status set_threshold(run *r, ney_model *m, ney_stage stage, ney_train_info *info,
                                ney_error *err)
{
    const int64_t n = r->data->x.rows;
    const double *const score = r->score[stage];
    double lowest = (double)INFINITY, highest = -(double)INFINITY;
    bool *const best = ney_alloc(&r->env, n, sizeof *best);
    ney_status st =
        !best ? ney_no_memory(err, n, "winners of a competition")
              : ney_qvalues_competed(&r->env, score, r->data->label, r->f.key, NULL, n,
                                     &r->f.estimate, r->q, NULL, best, &info->competition, err);
    for (int64_t i = 0; i < n && st == NEY_OK; i++) {
        highest = fmax(highest, score[i]);
        lowest = r->data->label[i] > 0 && r->q[i] <= r->f.q[0] ? fmin(lowest, score[i]) : lowest;
    }
    const double threshold = isfinite(lowest) ? lowest : nextafter(highest, (double)INFINITY);
    info->counts = (ney_counts){0};
    for (int64_t i = 0; i < n && st == NEY_OK; i++) {
        const bool is_target = r->data->label[i] > 0, accepted = score[i] >= threshold;
        info->counts.tp += best[i] && is_target && accepted;
        info->counts.fn += best[i] && is_target && !accepted;
        info->counts.fp += best[i] && !is_target && accepted;
        info->counts.tn += best[i] && !is_target && !accepted;
    }
    ney_release(&r->env, best);
    return st == NEY_OK ? ney_model_set_thresholds(m, threshold, threshold, err) : st;
}

/* What the fits of a stage do not have: a feature is chosen, not trained; smooth losses have no
 * dual problem. */
static void clear_info(ney_stage stage, ney_train_info *info)
{
    if (stage == NEY_STAGE_FEATURE) {
        info->objective = info->lambda = (double)NAN;
        info->iterations = -1;
    }
    if (stage != NEY_STAGE_SVM) {
        info->convex_objective = info->dual_objective = info->gap = (double)NAN;
        info->support_vectors = -1;
    }
}

static void add_info(const run *r, ney_stage stage, ney_train_info *info)
{
    const int first = stage == NEY_STAGE_ONLINE ? r->f.n : 0;
    const int n = stage == NEY_STAGE_ONLINE ? r->f.n * RESTARTS : r->f.n;
    const double share = 1.0 / (n * r->n_folds);
    int empty = 0; /* fits that accept no target */
    info->objective = info->convex_objective = info->dual_objective = 0;
    for (int k = 0; k < r->n_folds; k++) {
        for (int j = first; j < first + n; j++) {
            const ney_train_info *own = &r->fold[k].info[j];
            /* What numbers cannot tell apart, held rows cannot either, if that is little. */
            const bool is_done =
                own->stop == NEY_STOP_CONVERGED ||
                (own->stop == NEY_STOP_PRECISION && own->gap <= 1e-6 * fabs(own->convex_objective));
            info->stop = is_done ? info->stop : own->stop;
            info->iterations += own->iterations;
            info->steps += own->steps;
            info->starts += own->starts;
            info->support_vectors += own->support_vectors;
            info->lambda += share * own->lambda;
            info->objective += share * own->objective;
            info->convex_objective += share * own->convex_objective;
            info->dual_objective += share * own->dual_objective;
            info->gap = fmax(info->gap, own->gap);
            empty += own->end == NEY_END_UNATTAINABLE;
        }
    }
    if (empty > 0) {
        info->end = NEY_END_UNATTAINABLE;
        ney_log(&r->env, NEY_LOG_INFO,
                "in %d of %d fits no score function was found that accepts a training target and "
                "keeps the rate",
                empty, n * r->n_folds);
    }
    info->folds = r->n_folds;
    clear_info(stage, info);
}

static ney_status summarise(const run *r, ney_model *m, ney_stage stage, const ney_train_info *info,
                            ney_error *err)
{
    int64_t n_pos = 0;
    for (int64_t i = 0; i < r->data->x.rows; i++) {
        n_pos += r->data->label[i] > 0;
    }
    const ney_fact_of facts[] = {
        {"goal", "fdr", 0},
        {"method",
         stage == NEY_STAGE_ONLINE ? "online"
         : stage == NEY_STAGE_SVM  ? "annealed"
                                   : "feature",
         0},
        {"n", NULL, (double)r->data->x.rows},
        {"n_pos", NULL, (double)n_pos},
        {"n_neg", NULL, (double)(r->data->x.rows - n_pos)},
        {"c", NULL, r->o.C},
        {"max_fdr", r->o.max_fdr, 0},
        {"fdr_convention", r->o.qvalue.kind == NEY_FDR_DECOYS_PER_ALL ? "all" : "targets", 0},
        {"fdr_estimate", ney_qvalue_formula(&info->competition.estimate), 0},
        {"competition", ney_fdr_basis_text(info->competition.basis), 0},
        {"eta", NULL, r->o.eta},
        {"lambda", NULL, info->lambda},
        {"folds", NULL, (double)info->folds},
        {"discoveries", NULL, (double)info->discoveries[stage]},
        {"discoveries_feature", NULL, (double)info->discoveries[0]},
        {"discoveries_svm", NULL, (double)info->discoveries[1]},
        {"discoveries_online", NULL, (double)info->discoveries[2]},
        {"converged", NULL, info->stop == NEY_STOP_CONVERGED},
        {"stop", ney_stop_text(info->stop), 0},
        {"iterations", NULL, info->iterations < 0 ? (double)NAN : (double)info->iterations},
        {"seed", NULL, (double)r->o.seed},
    };
    return ney_set_facts(m, facts, sizeof facts / sizeof *facts, err);
}

static ney_status finish(run *r, ney_model **out, ney_train_info *info, ney_error *err)
{
    double scale[FOLDS], shift[FOLDS] = {0};
    ney_model *mine[FOLDS], *m = NULL;
    ney_stage stage = NEY_STAGE_FEATURE;
    ney_status st = choose(r, info, &stage, err);

    for (int k = 0; k < r->n_folds; k++) {
        scale[k] = 1.0 / r->n_folds;
        mine[k] = r->fold[k].stage[stage];
    }
    if (st != NEY_OK ||
        (st = ney_model_sum(&m, &r->env, mine, scale, shift, r->n_folds, err)) != NEY_OK) {
        return st;
    }
    for (int k = 0; k < r->n_folds; k++) { /* taken over, on failure too */
        r->fold[k].stage[stage] = NULL;
    }
    add_info(r, stage, info);
    const ney_groups *const g = &r->groups;
    if ((st = ney_model_set_folds(m, ney_fdr_groups(&r->o), mine, r->n_folds, g->key, g->part, g->n,
                                  err)) == NEY_OK &&
        (st = set_threshold(r, m, stage, info, err)) == NEY_OK &&
        (st = summarise(r, m, stage, info, err)) == NEY_OK) {
        if (stage != r->most) {
            ney_log(&r->env, NEY_LOG_WARNING,
                    "the stage '%s' finds %lld, what was asked for %lld: the simpler one is kept",
                    ney_stage_text(stage), (long long)info->discoveries[stage],
                    (long long)info->discoveries[r->most]);
        }
        *out = m;
        return NEY_OK;
    }
    ney_model_free(m);
    return st;
}

/* Too few rows for folds: the best feature of all of them, and the reason. */
static ney_status without_folds(run *r, ney_model **out, ney_train_info *info, ney_error *err)
{
    ney_task t = {0};
    ney_model *m = NULL;
    ney_train_opts o = r->o;
    ney_status st;
    ney_log(&r->env, NEY_LOG_WARNING,
            "too few rows of a class for %d folds: the best single feature is taken, chosen on all "
            "rows",
            FOLDS);
    o.kernel = NEY_KERNEL_LINEAR;
    if ((st = ney_task_init(&t, &r->env, r->data, &o, err)) == NEY_OK &&
        (st = ney_fdr_feature(&m, &t, &r->f, r->f.q[0], r->score[0], err)) == NEY_OK) {
        info->discoveries[1] = info->discoveries[2] = -1;
        clear_info(NEY_STAGE_FEATURE, info);
        if ((st = ney_fdr_accept(&r->f, &r->env, r->score[0], r->data->label, r->data->x.rows,
                                 r->f.q[0], r->q, NULL, &info->discoveries[0], err)) == NEY_OK &&
            (st = set_threshold(r, m, NEY_STAGE_FEATURE, info, err)) == NEY_OK &&
            (st = summarise(r, m, NEY_STAGE_FEATURE, info, err)) == NEY_OK &&
            (o.no_fingerprint || (st = ney_model_set_rows(m, r->data, err)) == NEY_OK)) {
            *out = m;
            m = NULL;
        }
    }
    ney_model_free(m);
    ney_task_deinit(&t);
    return st;
}

static ney_status run_init(run *r, ney_error *err)
{
    const int64_t n = r->data->x.rows;
    ney_status st;
    r->fold_of = ney_alloc(&r->env, n, sizeof *r->fold_of);
    r->q = ney_alloc(&r->env, (NEY_N_STAGES + 1) * n, sizeof *r->q);
    if (!r->fold_of || !r->q) {
        return ney_no_memory(err, n, "folds");
    }
    for (int s = 0; s < NEY_N_STAGES; s++) {
        r->score[s] = r->q + (s + 1) * n;
    }
    if ((st = ney_groups_deal(&r->groups, r->data, ney_fdr_groups(&r->o), FOLDS,
                              (uint64_t)r->o.seed, r->fold_of, err)) != NEY_OK ||
        (st = ney_fdr_keys(&r->key, &r->env, r->data, &r->o, err)) != NEY_OK) {
        return st;
    }
    r->f.key = r->key;
    r->n_folds = can_fold(r) ? FOLDS : 0;
    for (int k = 0; k < r->n_folds && st == NEY_OK; k++) {
        st = take_fold(r, k, err);
    }
    return st;
}

static void run_deinit(run *r)
{
    for (int k = 0; k < FOLDS; k++) {
        fold *f = &r->fold[k];
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
        for (int j = 0; j < NEY_MOST_FDR * RESTARTS; j++) {
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

ney_status ney_fdr_train(ney_model **out, const ney_env *env, const ney_data *data,
                         const ney_train_opts *o, ney_train_info *info, ney_error *err)
{
    ney_status st;
    *out = NULL;
    run *r = ney_alloc_zeroed(env, 1, sizeof *r);
    if (!r) {
        return ney_no_memory(err, 1, "run");
    }
    *r = (run){.env = *env, .data = data, .o = *o, .most = ney_fdr_stage(o)};
    if (o->kernel != NEY_KERNEL_LINEAR && o->gamma == 0) {
        r->o.gamma = ney_gamma_scale(&data->x); /* one for all folds: their models are added up */
    }
    r->inner = (ney_env){.user = r, .resize = resize, .poll = poll, .threads = 1};
    ney_relay_init(&r->relay, env);
    if (!data->label) {
        st = ney_fail(err, NEY_EINVAL, "the data have no labels");
    } else if ((st = ney_fdr_of(&r->f, o, err)) == NEY_OK && (st = run_init(r, err)) == NEY_OK) {
        if (r->n_folds == 0) {
            st = without_folds(r, out, info, err);
        } else if ((st = fit_all(r, err)) == NEY_OK && (st = score_held(r, err)) == NEY_OK) {
            st = finish(r, out, info, err);
            if (st == NEY_OK && !o->no_fingerprint &&
                (st = ney_model_add_training_rows(*out, data, err)) != NEY_OK) {
                ney_model_free(*out);
                *out = NULL;
            }
        }
    }
    run_deinit(r);
    ney_release(env, r);
    return st;
}
