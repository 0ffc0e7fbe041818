/* From data and options to a model: the goal's answer, its threshold, its certificate, its summary.
 */
#include "data/data.h"
#include "learn/calibration.h"
#include "learn/goal.h"
#include "learn/holdout.h"
#include "learn/learn.h"
#include "learn/make.h"
#include "model/training_rows.h"

#include <math.h>

/* The data in three parts. Where nothing is held out, `learn` is the caller's. */
typedef struct parts {
    const ney_data *learn;
    ney_data *taken, *certify, *calibrate; /* owned; NULL: no rows */
    uint8_t *part_of;
    int64_t *rows;
} parts;

static void parts_deinit(parts *p, const ney_env *env)
{
    ney_data_free(p->taken);
    ney_data_free(p->certify);
    ney_data_free(p->calibrate);
    ney_release(env, p->part_of);
    ney_release(env, p->rows);
}

/* The rows of one part; NULL where there are none. */
static ney_status take_part(ney_data **out, const parts *p, const ney_data *data, ney_part part,
                            ney_error *err)
{
    const int64_t m = ney_part_rows(p->part_of, ney_data_matrix(data)->rows, part, p->rows);
    ney_status st = NEY_OK;
    for (int64_t k = 0; k < m && part != NEY_PART_LEARN && st == NEY_OK; k++) {
        st = ney_holdout_check(data, p->rows[k], err);
    }
    return m > 0 && st == NEY_OK ? ney_data_take(out, data, p->rows, m, err) : st;
}

static ney_status parts_init(parts *p, const ney_env *env, const ney_data *data,
                             const ney_request *r, ney_error *err)
{
    const int64_t n = ney_data_matrix(data)->rows;
    ney_status st;

    *p = (parts){.learn = data};
    if (!ney_holdout_is_asked(r)) {
        return NEY_OK;
    }
    p->part_of = ney_alloc(env, n, sizeof *p->part_of);
    p->rows = ney_alloc(env, n, sizeof *p->rows);
    if (!p->part_of || !p->rows) {
        return ney_no_memory(err, n, "rows to hold out");
    }
    if ((st = ney_holdout(data, r, p->part_of, err)) == NEY_OK &&
        (st = take_part(&p->certify, p, data, NEY_PART_CERTIFY, err)) == NEY_OK &&
        (st = take_part(&p->calibrate, p, data, NEY_PART_CALIBRATE, err)) == NEY_OK &&
        (p->certify || p->calibrate) &&
        (st = take_part(&p->taken, p, data, NEY_PART_LEARN, err)) == NEY_OK) {
        p->learn = p->taken;
    }
    return st;
}

/* Of what a run reports, what its learner does not find. */
static void clear_unknown(const ney_request *r, ney_train_info *info)
{
    const unsigned finds = r->learner->finds;
    const bool has_expansion =
        (finds & NEY_FINDS_EXPANSION) ||
        ((finds & NEY_FINDS_KERNEL_EXPANSION) && r->family == NEY_FAMILY_KERNEL);
    if (!(finds & NEY_FINDS_MULTIPLIER)) {
        info->lambda = (double)NAN;
    }
    if (!(finds & NEY_FINDS_RAMP_RATES)) {
        info->ramp_fpr = info->ramp_fnr = (double)NAN;
    }
    if (!(finds & NEY_FINDS_GAP)) {
        info->convex_objective = info->dual_objective = info->gap = (double)NAN;
    }
    if (!(finds & NEY_FINDS_ITERATIONS)) {
        info->iterations = -1;
    }
    if (!has_expansion) {
        info->support_vectors = -1;
    }
}

/* Everything but holding out. Rows that certify set the threshold: then it need not be set on the
 * rows learned from, which are scored once that way. */
static ney_status learn(ney_model **out, ney_task *t, const ney_train_opts *o, int n,
                        bool certifies, ney_train_info *info, ney_error *err)
{
    const ney_goal *const goal = t->request.goal;
    ney_status st = ney_learn_mean(out, t, o, n, info, err);
    clear_unknown(&t->request, info);
    if (st == NEY_OK && (st = ney_make_summary(*out, t, info, err)) == NEY_OK && goal->decide &&
        !certifies) {
        st = goal->decide(t, *out, info, err);
    }
    return st;
}

/* What a model of one certified rate detects: see ney_train_info. */
static int64_t count_detected(const ney_task *t, const double *score, const ney_train_info *info,
                              double threshold)
{
    const int bounded = t->request.bounded_class;
    ney_moments learned = {0};
    int64_t n = 0;
    for (int64_t i = 0; i < t->x->rows; i++) {
        if (t->label[i] == bounded) {
            ney_moments_add(&learned, score[i]);
        }
    }
    const double moved = ney_holdout_optimism(&t->request, info, &learned);
    for (int64_t i = 0; i < t->x->rows; i++) {
        n += t->label[i] != bounded && (score[i] + moved >= threshold) == (bounded < 0);
    }
    return n;
}

/* Certify the threshold, and count the training rows at it. */
static ney_status certify(ney_model *m, const ney_task *t, const ney_data *held_out,
                          ney_train_info *info, ney_error *err)
{
    ney_env env = t->env;
    double *score = ney_alloc(&env, t->x->rows, sizeof *score);
    if (!score) {
        return ney_no_memory(err, t->x->rows, "scores");
    }
    env.poll = NULL; /* a run that was stopped is certified all the same */
    ney_status st = ney_holdout_certify(m, &env, held_out, &t->request, info, err);
    if (st == NEY_OK && (st = ney_model_score(m, &env, t->x, score, err)) == NEY_OK) {
        double low, high;
        ney_model_thresholds(m, &low, &high);
        info->counts = ney_count(score, t->label, t->x->rows, low, high);
        info->held_out += ney_data_matrix(held_out)->rows;
        info->detected = low < high || ney_request_bounds_both(&t->request)
                             ? -1
                             : count_detected(t, score, info, high);
    }
    ney_release(&env, score);
    return st;
}

ney_status ney_train_mean(ney_model **out, const ney_env *env, const ney_data *data,
                          const ney_train_opts *o, int n, ney_train_info *info, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    ney_train_info ended = {0};
    ney_model *m = NULL;
    parts p = {0};
    ney_task t = {0};
    ney_status st;

    *out = NULL;
    const ney_request r = ney_request_of(&o[0]);
    if ((st = ney_check_groups(data, &r, err)) != NEY_OK) {
        return st;
    }
    if (r.learner->train) {
        st = r.learner->train(out, &e, data, &o[0], &ended, err);
        if (st == NEY_OK && info) {
            *info = ended;
        }
        return st;
    }
    if ((st = parts_init(&p, &e, data, &r, err)) != NEY_OK ||
        (st = ney_task_init(&t, &e, p.learn, &o[0], err)) != NEY_OK ||
        (st = learn(&m, &t, o, n, p.certify != NULL, &ended, err)) != NEY_OK ||
        (p.certify && (st = certify(m, &t, p.certify, &ended, err)) != NEY_OK) ||
        (ney_calibration_is_asked(&r) &&
         (st = ney_calibration_make(m, &t, p.calibrate, &ended, err)) != NEY_OK) ||
        (!o[0].no_fingerprint && (st = ney_model_set_rows(m, data, err)) != NEY_OK)) {
        goto done;
    }
    if (info) {
        *info = ended;
    }
    *out = m;
    m = NULL;

done: /* reached on success and on failure; releasing nothing is harmless */
    ney_model_free(m);
    ney_task_deinit(&t);
    parts_deinit(&p, &e);
    return st;
}

ney_status ney_train(ney_model **out, const ney_env *env, const ney_data *data,
                     const ney_train_opts *opts, ney_train_info *info, ney_error *err)
{
    ney_train_opts o;
    *out = NULL;
    const ney_status st = ney_request_resolve(&o, opts, NULL, err);
    return st == NEY_OK ? ney_train_mean(out, env, data, &o, 1, info, err) : st;
}
