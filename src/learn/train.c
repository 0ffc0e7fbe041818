/* From data and options to a model: the goal's answer, its threshold, its certificate, its summary.
 */
#include "data/data.h"
#include "learn/calibration.h"
#include "learn/goal.h"
#include "learn/learn.h"
#include "learn/make.h"
#include "learn/shared.h"
#include "model/family.h"
#include "model/training_rows.h"

#include <math.h>

/* Of what a run reports, what its learner does not find. */
static void clear_unknown(const ney_request *r, ney_train_info *info)
{
    const unsigned finds = r->learner->finds;
    const bool has_expansion =
        (finds & NEY_FINDS_EXPANSION) ||
        ((finds & NEY_FINDS_KERNEL_EXPANSION) && r->family == &ney_family_kernel);
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
static ney_status learn_and_decide(ney_model **out, ney_task *t, const ney_train_opts *o, int n,
                                   bool certifies, ney_train_info *info, ney_error *err)
{
    const ney_goal *const goal = t->request.goal;
    ney_status st = ney_learn_mean(out, t, o, n, info, err);
    clear_unknown(&t->request, info);
    if (st == NEY_OK) {
        st = ney_make_summary(*out, t, info, err);
    }
    if ((st = ney_shared_agree(t->blocks, st, err)) == NEY_OK && goal->decide && !certifies) {
        st = goal->decide(t, *out, info, err);
    }
    return st;
}

/* What a model of one certified rate detects: see ney_train_info. */
static int64_t count_detected(const ney_task *t, const double *score, const ney_train_info *info,
                              double threshold)
{
    const int bounded = t->request.bounded_class;
    const ney_score_moments learned =
        ney_score_moments_of(t->blocks, score, t->label, t->x->rows, bounded);
    int64_t n = 0;
    const double moved = ney_holdout_optimism(&t->request, info, &learned);
    for (int64_t i = 0; i < t->x->rows; i++) {
        n += t->label[i] != bounded && (score[i] + moved >= threshold) == (bounded < 0);
    }
    ney_comm_add_counts(ney_blocks_comm(t->blocks), &n, 1);
    return n;
}

/* Certify the threshold, and count the training rows at it. */
static ney_status certify_threshold(ney_model *m, const ney_task *t, const ney_data *held_out,
                                    ney_train_info *info, ney_error *err)
{
    ney_env env = t->env;
    double *score = ney_alloc(&env, t->x->rows, sizeof *score);
    ney_status st = score ? NEY_OK : ney_no_memory(err, t->x->rows, "scores");
    env.poll = NULL; /* a run that was stopped is certified all the same */
    if (st == NEY_OK) {
        st = ney_model_score(m, &env, t->x, score, err);
    }
    if ((st = ney_shared_agree(t->blocks, st, err)) == NEY_OK &&
        (st = ney_holdout_certify(m, &env, held_out, &t->request, info, err)) == NEY_OK) {
        double low, high;
        ney_model_thresholds(m, &low, &high);
        info->counts = ney_count(score, t->label, t->x->rows, low, high);
        ney_shared_counts(t->blocks, &info->counts);
        info->held_out +=
            held_out->blocks ? held_out->blocks->rows : ney_data_matrix(held_out)->rows;
        info->detected = low < high || ney_request_bounds_both(&t->request)
                             ? -1
                             : count_detected(t, score, info, high);
    }
    ney_release(&env, score);
    return st;
}

static ney_status begin_task(ney_task *t, const ney_partition *p, const ney_data *learned,
                             const ney_train_opts *o, ney_error *err)
{
    const ney_status st = ney_task_init(t, &p->env, learned, o, err);
    t->kept = p->kept;
    return st;
}

static ney_status train_on_parts(ney_model **out, ney_partition *p, const ney_train_opts *o, int n,
                                 ney_train_info *info, ney_error *err)
{
    const ney_request r = ney_request_of(&o[0]);
    const ney_data *learned, *certify, *calibrate;
    ney_model *m = NULL;
    ney_task t = {0};
    ney_status st;

    if ((st = ney_partition_take(p, NEY_PART_CERTIFY, &certify, err)) == NEY_OK &&
        (st = ney_partition_take(p, NEY_PART_CALIBRATE, &calibrate, err)) == NEY_OK &&
        (st = ney_partition_take(p, NEY_PART_LEARN, &learned, err)) == NEY_OK &&
        (st = begin_task(&t, p, learned, &o[0], err)) == NEY_OK &&
        (st = learn_and_decide(&m, &t, o, n, certify != NULL, info, err)) == NEY_OK &&
        (!certify || (st = certify_threshold(m, &t, certify, info, err)) == NEY_OK) &&
        (!ney_calibration_is_asked(&r) ||
         (st = ney_calibration_make(m, &t, o, n, calibrate, info, err)) == NEY_OK) &&
        (r.calibrate_folds == 0 ||
         (st = ney_probability_fit_folds(m, &t, o, n, info, err)) == NEY_OK) &&
        (o[0].no_fingerprint || (st = ney_model_set_rows(m, p->data, err)) == NEY_OK)) {
        *out = m;
        m = NULL;
    }
    ney_model_free(m);
    ney_task_deinit(&t);
    return st;
}

/* A partition of all rows but those held out for probabilities, for learners that take their rows
 * themselves. ney_partition_deinit() and ney_data_free() are due in either case. */
static ney_status part_the_others(ney_partition *others, ney_data **data, const ney_partition *p,
                                  ney_error *err)
{
    const int64_t n = ney_data_matrix(p->data)->rows;
    int64_t *rows = ney_alloc(&p->env, n, sizeof *rows), m = 0;
    *others = (ney_partition){.env = p->env, .part_of = ney_alloc(&p->env, n, 1)};
    if (!rows || !others->part_of) {
        ney_release(&p->env, rows);
        return ney_no_memory(err, n, "rows to learn from");
    }
    for (int64_t i = 0; i < n; i++) {
        if (p->part_of[i] != NEY_PART_PROBABILITY) {
            others->part_of[m] = p->part_of[i];
            rows[m++] = i;
        }
    }
    const ney_status st = ney_data_take(data, p->data, rows, m, err);
    others->data = *data;
    ney_release(&p->env, rows);
    return st;
}

static ney_status train_by_learner(ney_model **out, ney_partition *p, const ney_train_opts *o,
                                   ney_train_info *info, ney_error *err)
{
    const ney_request r = ney_request_of(o);
    ney_partition others = {.env = p->env};
    ney_data *data = NULL;
    if (isnan(r.calibrate)) {
        return r.learner->train(out, p, o, info, err);
    }
    ney_status st = part_the_others(&others, &data, p, err);
    if (st == NEY_OK && (st = r.learner->train(out, &others, o, info, err)) == NEY_OK &&
        !o->no_fingerprint) {
        ney_model_free_sketch(*out); /* of the others; this one is of all rows */
        st = ney_model_set_rows(*out, p->data, err);
    }
    ney_partition_deinit(&others);
    ney_data_free(data);
    return st;
}

/* Rows held out for probabilities are scored by the finished model, whatever made it. */
static ney_status fit_probabilities(ney_model *m, ney_partition *p, ney_train_info *info,
                                    ney_error *err)
{
    const ney_data *held_out;
    const ney_status st = ney_partition_take(p, NEY_PART_PROBABILITY, &held_out, err);
    return st == NEY_OK ? ney_probability_fit(m, &p->env, held_out, info, err) : st;
}

ney_status ney_train_mean(ney_model **out, ney_partition *p, const ney_train_opts *o, int n,
                          ney_train_info *info, ney_error *err)
{
    const ney_request r = ney_request_of(&o[0]);
    ney_train_info ended = {0};
    *out = NULL;
    ney_status st = r.learner->train ? train_by_learner(out, p, &o[0], &ended, err)
                                     : train_on_parts(out, p, o, n, &ended, err);
    if (st == NEY_OK && !isnan(r.calibrate)) {
        st = fit_probabilities(*out, p, &ended, err);
    }
    if (st != NEY_OK) {
        ney_model_free(*out);
        *out = NULL;
    } else if (info) {
        *info = ended;
    }
    return st;
}

ney_status ney_train_partition(ney_model **out, ney_partition *p, const ney_train_opts *opts,
                               ney_train_info *info, ney_error *err)
{
    ney_train_opts o;
    *out = NULL;
    const ney_status st = ney_request_resolve(&o, opts, NULL, err);
    return st == NEY_OK ? ney_train_mean(out, p, &o, 1, info, err) : st;
}

ney_status ney_train(ney_model **out, const ney_env *env, const ney_data *data,
                     const ney_train_opts *opts, ney_train_info *info, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    ney_train_opts o;
    *out = NULL;
    ney_status st = ney_request_resolve(&o, opts, NULL, err);
    if (st != NEY_OK) {
        return st;
    }
    const ney_request r = ney_request_of(&o);
    ney_partition p;
    if ((st = ney_partition_init(&p, &e, data, &r, err)) == NEY_OK) {
        st = ney_train_mean(out, &p, &o, 1, info, err);
    }
    ney_partition_deinit(&p);
    return st;
}

ney_status ney_train_rows(const ney_data *data, const ney_train_opts *opts, int64_t *rows,
                          int64_t *n_rows, ney_error *err)
{
    ney_train_opts o;
    /* tuning draws folds with the seed */
    ney_status st = ney_request_resolve(&o, opts, "seed " NEY_AUTO_KERNEL, err);

    *n_rows = 0;
    if (st != NEY_OK) {
        return st;
    }
    const ney_request r = ney_request_of(&o);
    ney_partition p;
    if ((st = ney_partition_init(&p, &data->env, data, &r, err)) == NEY_OK) {
        *n_rows = ney_partition_rows(&p, NEY_PART_LEARN, rows);
    }
    ney_partition_deinit(&p);
    return st;
}
