#include "learn/summary.h"

#include "data/data.h"
#include "learn/shared.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>

/* A figure that not every method has. */
static void add_real_of_method(ney_result *root, const char *key, double value)
{
    if (!isnan(value)) {
        ney_result_add_real(root, key, value);
    }
}

static void add_step(ney_result *steps, const ney_step *step)
{
    ney_result *row = ney_result_add_object(steps, NULL);

    ney_result_add_int(row, "step", step->index);
    add_real_of_method(row, "lambda", step->lambda);
    add_real_of_method(row, "ramp_fpr", step->ramp_fpr);
    add_real_of_method(row, "ramp_fnr", step->ramp_fnr);
    add_real_of_method(row, "fpr", step->fpr);
    add_real_of_method(row, "fnr", step->fnr);
    add_real_of_method(row, "objective", step->objective);
    add_real_of_method(row, "gap", step->gap);
    ney_result_add_int(row, "iterations", step->iterations);
    ney_result_add_int(row, "changed", step->changed);
    ney_result_add_real(row, "seconds", step->seconds);
}

void ney_report_step(const ney_env *env, const ney_step *step)
{
    if (env->steps) {
        add_step(env->steps, step);
    }
    if (env->step) {
        env->step(env->user, step);
    }
}

/* ------------------------------------------------------------------ figures */

static bool bounds(const ney_run *r, ney_error_kind kind)
{
    return ney_request_bounds(&r->request, kind);
}

static bool has_bound(const ney_run *r)
{
    return ney_request_bounds_any(&r->request);
}

static bool bounds_both(const ney_run *r)
{
    return ney_request_bounds_both(&r->request);
}

static bool is_fdr(const ney_run *r)
{
    return r->request.kind == NEY_GOAL_FDR;
}

/* Whether rows may be rejected: that has a cost, or both errors are bounded. */
static bool may_reject(const ney_run *r)
{
    return r->request.kind == NEY_GOAL_REJECT || bounds_both(r);
}

static void add_count_of_method(ney_result *root, const char *key, int64_t value)
{
    if (value >= 0) {
        ney_result_add_int(root, key, value);
    }
}

static void add_bound(ney_result *root, const ney_run *r)
{
    const ney_train_info *info = r->info;

    if (bounds(r, NEY_FALSE_POSITIVES)) {
        ney_result_add_real(root, "max_fpr", r->request.max_rate[NEY_FALSE_POSITIVES]);
    }
    if (bounds(r, NEY_FALSE_NEGATIVES)) {
        ney_result_add_real(root, "max_fnr", r->request.max_rate[NEY_FALSE_NEGATIVES]);
    }
    if (bounds_both(r)) { /* no multiplier was sought */
        return;
    }
    add_real_of_method(root, "lambda", info->lambda);
    if (info->constraint != NEY_CONSTRAINT_NONE) {
        ney_result_add_text(root, "constraint", ney_constraint_status_text(info->constraint));
    }
    add_real_of_method(root, "ramp_fpr", info->ramp_fpr);
    add_real_of_method(root, "ramp_fnr", info->ramp_fnr);
    if (info->starts > 0) {
        ney_result_add_int(root, "starts", info->starts);
    }
}

/* What the out-of-fold scores find; the interval of the rate is that of the share of decoys. */
static void add_discoveries(ney_result *root, const ney_run *r)
{
    const bool is_trees = r->request.family == &ney_family_trees;
    const char *const key[] = {"discoveries_feature", "discoveries_svm",
                               is_trees ? "discoveries_trees" : "discoveries_online"};
    const ney_train_info *info = r->info;
    const ney_counts *c = &info->counts;
    const bool folds = info->folds > 0;

    ney_result_add_text(root, "max_fdr", r->request.max_fdr);
    ney_result_add_int(root, "folds", info->folds);
    add_real_of_method(root, "lambda", info->lambda);
    ney_result_add_int(root, "discoveries", c->tp);
    ney_result_add_int(root, "accepted_decoys", c->fp);
    for (int k = 0; k < 3; k++) {
        if (info->discoveries[k] >= 0) {
            ney_result_add_int(root, key[k], info->discoveries[k]);
        }
    }
    ney_result_add_text(root, "fdr_estimate", ney_qvalue_formula(&info->competition.estimate));
    ney_result_add_text(root, "fdr_control", "estimate");
    ney_result_add_text(root, "fdr_reason",
                        folds ? "the score function was chosen by its discoveries among these rows"
                              : "the feature was chosen on the rows that estimate its FDR");
    ney_result_add_text(root, "competition", ney_fdr_basis_text(info->competition.basis));
    ney_result_add_text(root, "discoveries_on",
                        folds ? "training rows, out of fold" : "training rows");
}

/* What decisions cost, where rows may be rejected. */
static void add_costs(ney_result *root, const ney_run *r)
{
    const ney_costs c = r->request.costs;

    ney_result_add_real(root, "cost_fn", c.fn);
    ney_result_add_real(root, "cost_fp", c.fp);
    ney_result_add_real(root, "reject_cost_fn", c.reject_fn);
    ney_result_add_real(root, "reject_cost_fp", c.reject_fp);
    ney_result_add_bool(root, "rejection_pays", ney_rejection_pays(&c));
}

/* Rates on the very rows that were learned from: marked as such, and without intervals, which
 * would claim that these rows are new. */
static void add_rates(ney_result *root, const ney_counts *c, const ney_run *r)
{
    const double neg = (double)(c->fp + c->tn + c->rejected_neg);
    const double pos = (double)(c->fn + c->tp + c->rejected_pos);

    ney_result_add_real(root, "fpr", (double)c->fp / neg);
    ney_result_add_real(root, "fnr", (double)c->fn / pos);
    if (may_reject(r)) {
        const ney_costs costs = r->request.costs;
        ney_result_add_real(root, "reject_rate",
                            (double)(c->rejected_pos + c->rejected_neg) / (pos + neg));
        if (r->request.has_reject_cost) {
            ney_result_add_real(root, "cost", ney_cost(c, &costs));
        }
    }
    ney_result_add_text(root, "rates_on", "training rows");
}

/* Scores of the training rows as the solver knows them; the model computes those that may be on the
 * other side of a threshold. */
static ney_status score_near_rows(const ney_run *r, double *score, ney_error *err)
{
    const ney_model *const m = r->model;
    const int64_t n = m->trained.n;
    int64_t k = 0, *row = ney_alloc(r->env, n, sizeof *row);
    double *near = ney_alloc(r->env, n, sizeof *near), low, high;
    ney_data *rows = NULL;
    ney_status st = NEY_OK;

    if (!row || !near) {
        st = ney_no_memory(err, n, "scores");
        goto done;
    }
    if (!ney_poll(r->env, "scoring", 0, (double)n)) {
        st = NEY_ECANCELLED;
        goto done;
    }
    ney_model_thresholds(m, &low, &high);
    for (int64_t i = 0; i < n; i++) {
        score[i] = m->trained.score[i];
        if (!(fmin(fabs(score[i] - low), fabs(score[i] - high)) > m->trained.error)) {
            row[k++] = i;
        }
    }
    if ((st = ney_data_take(&rows, r->data, row, k, err)) == NEY_OK &&
        (st = ney_model_score(m, r->env, ney_data_matrix(rows), near, err)) == NEY_OK) {
        for (int64_t i = 0; i < k; i++) {
            score[row[i]] = near[i];
        }
    }

done:
    ney_data_free(rows);
    ney_release(r->env, near);
    ney_release(r->env, row);
    return st;
}

/* Whether the solver had all rows, and what it knows of their scores is kept. */
static bool has_trained_scores(const ney_run *r)
{
    return r->model->trained.score && r->info->held_out == 0 &&
           r->model->trained.n == ney_data_matrix(r->data)->rows;
}

/* What the model says of its training rows, where training has not counted it. A caller who cancels
 * does not wait for that: scoring polls before it begins, and all counts are 0. */
static ney_status count_rows(const ney_run *r, ney_counts *c, ney_error *err)
{
    const ney_matrix *x = ney_data_matrix(r->data);
    double *score = ney_alloc(r->env, x->rows, sizeof *score), low, high;

    *c = (ney_counts){0};
    if (!score) {
        return ney_no_memory(err, x->rows, "scores");
    }
    const ney_status st = has_trained_scores(r) ? score_near_rows(r, score, err)
                                                : ney_model_score(r->model, r->env, x, score, err);
    if (st == NEY_OK) {
        ney_model_thresholds(r->model, &low, &high);
        *c = ney_count(score, ney_data_label(r->data), x->rows, low, high);
        ney_shared_counts(r->data->blocks, c);
    }
    ney_release(r->env, score);
    return st == NEY_ECANCELLED ? NEY_OK : st;
}

static void add_threshold(ney_result *root, const ney_model *model)
{
    double low, high;

    ney_model_thresholds(model, &low, &high);
    ney_result_add_real(root, "threshold", high);
    if (low < high) {
        ney_result_add_real(root, "threshold_low", low);
    }
}

/* Rows of either class, those held out included. */
static void count_classes(const ney_run *r, int64_t *n_pos, int64_t *n_neg)
{
    *n_pos = r->info->n_pos;
    *n_neg = r->info->n_neg;
    if (r->data) {
        ney_shared_classes(r->data->blocks, ney_data_label(r->data), r->data->x.rows, n_pos, n_neg);
    }
}

/* As the model's file says it: of a bounded FDR the method is that of the stage that was kept. */
static void add_summary_text(ney_result *root, const ney_model *m, const char *key)
{
    const ney_metadata *const list = &m->list[NEY_METADATA_SUMMARY];
    const int64_t at = ney_metadata_find(list, key);

    if (at >= 0) {
        ney_result_add_text(root, key, list->item[at].text);
    }
}

static void add_head(ney_result *root, const ney_run *r)
{
    const ney_preprocessing *preprocessing = ney_model_preprocessing(r->model);
    int64_t n_pos, n_neg;

    count_classes(r, &n_pos, &n_neg);
    add_summary_text(root, r->model, "goal");
    add_summary_text(root, r->model, "method");
    ney_result_add_text(root, "family", ney_model_family(r->model));
    ney_result_add_text(root, "positive", ney_preprocessing_label(preprocessing, 1));
    ney_result_add_text(root, "negative", ney_preprocessing_label(preprocessing, -1));
    ney_result_add_int(root, "n", n_pos + n_neg);
    ney_result_add_int(root, "n_pos", n_pos);
    ney_result_add_int(root, "n_neg", n_neg);
    ney_result_add_int(root, "cols", ney_preprocessing_cols(preprocessing));
}

static void add_optimum(ney_result *root, const ney_train_info *info)
{
    const double size = fabs(info->convex_objective);

    add_real_of_method(root, "objective", info->objective);
    if (!isnan(info->gap)) { /* one row at a time there is none */
        ney_result_add_real(root, "dual_objective", info->dual_objective);
        ney_result_add_real(root, "gap", info->gap);
        ney_result_add_real(root, "relative_gap", size > 0 ? info->gap / size : NAN);
    }
    ney_result_add_bool(root, "converged", info->stop == NEY_STOP_CONVERGED);
    ney_result_add_text(root, "stop", ney_stop_text(info->stop));
    add_count_of_method(root, "iterations", info->iterations);
    add_count_of_method(root, "support_vectors", info->support_vectors);
}

/* Warn of a model that is of no use. `counts` are those of the rows that were learned from. */
static ney_status add_usefulness(ney_result *root, const ney_run *r, const ney_counts *counts,
                                 ney_error *err)
{
    const ney_train_info *info = r->info;
    const char *const rows = r->valid ? "validation rows" : "training rows";
    const ney_counts *c = r->valid ? r->valid : counts;

    if (is_fdr(r)) {
        return NEY_OK;
    }
    if (bounds_both(r)) {
        ney_warn_rejection(root, &info->held_counts, "held-out rows");
    } else if (has_bound(r)) {
        const bool fpr = bounds(r, NEY_FALSE_POSITIVES);
        const int64_t n = fpr ? c->tp + c->fn + c->rejected_pos : c->tn + c->fp + c->rejected_neg;
        int64_t n_groups = 0;
        const ney_status st =
            r->data ? ney_data_count_groups(r->data, fpr ? 1 : -1, &n_groups, err) : NEY_OK;
        if (st != NEY_OK) {
            return st;
        }
        ney_warn_detection(
            root, &(ney_detection){
                      .fpr = fpr,
                      .bound = r->request.max_rate[fpr ? NEY_FALSE_POSITIVES : NEY_FALSE_NEGATIVES],
                      .detected = fpr ? c->tp : c->tn,
                      .n = n,
                      .corrected = info->certified && !r->valid ? info->detected : -1,
                      .n_units = n_groups > 0 && n_groups < n ? n_groups : n,
                      .rows = rows});
    } else {
        ney_warn_rejection(root, c, rows);
        ney_warn_costs(root, c, &r->request.costs, (double)NAN, rows);
    }
    return NEY_OK;
}

/* ------------------------------------------------------------------ all of it */

/* Rows that calibrate p-values. */
static void add_calibration(ney_result *root, const ney_run *r)
{
    int64_t n_pos, n_neg;
    const bool calibrated = ney_model_calibrated(r->model, &n_pos, &n_neg);

    if (r->info->certified || calibrated) {
        ney_data_warn_groups(r->data, root);
    }
    if (calibrated) {
        ney_result_add_int(root, "calibrated_pos", n_pos);
        ney_result_add_int(root, "calibrated_neg", n_neg);
        if (ney_model_calibrated_groups(r->model, &n_pos, &n_neg)) {
            ney_result_add_int(root, "calibrated_groups_pos", n_pos);
            ney_result_add_int(root, "calibrated_groups_neg", n_neg);
        }
    }
}

/* Rows that probabilities are fitted to. */
static void add_probability(ney_result *root, const ney_run *r)
{
    int64_t n_pos, n_neg;
    ney_calibration_kind kind;

    if (ney_model_probability_rows(r->model, &n_pos, &n_neg, &kind)) {
        ney_result_add_int(root, "probability_pos", n_pos);
        ney_result_add_int(root, "probability_neg", n_neg);
        ney_result_add_text(root, "probability_statement", ney_calibration_statement(kind));
        if (n_pos == 0 || n_neg == 0) {
            ney_result_warn(root,
                            "no %s row among the %lld rows that calibrate probabilities: they say "
                            "little (--calibrate: a larger share)",
                            n_pos == 0 ? "positive" : "negative", (long long)(n_pos + n_neg));
        }
    }
}

/* Rates on training rows, the certificate, and warnings. */
static ney_status add_decisions(ney_result *root, const ney_run *r, const ney_counts *counts,
                                ney_error *err)
{
    add_threshold(root, r->model);
    if (counts->tp + counts->fn + counts->rejected_pos > 0 && !is_fdr(r)) {
        add_rates(root, counts, r);
    }
    if (has_bound(r)) {
        ney_run_certificate(root, r);
    }
    return add_usefulness(root, r, counts, err);
}

static ney_status add_all(ney_result *root, const ney_run *r, ney_error *err)
{
    const bool bound = has_bound(r);
    const bool online = r->info->n_pos > 0; /* it counts for itself, its rows may be elsewhere */
    ney_counts counts = r->info->counts;
    int64_t n_pos, n_neg;
    ney_status st = NEY_OK;

#ifdef NEY_TEST_EXTRA /* tests/abi: a later library */
    ney_result_add_real(root, "test_extra", 1);
#endif
    add_head(root, r);
    if (bound) {
        add_bound(root, r);
    } else if (may_reject(r)) {
        add_costs(root, r);
    }
    if (is_fdr(r)) {
        add_discoveries(root, r);
    } else if ((!bound && !online) || r->recount) {
        st = count_rows(r, &counts, err);
    }
    if (st == NEY_OK) {
        add_optimum(root, r->info);
        st = add_decisions(root, r, &counts, err);
    }
    if (st != NEY_OK) {
        return st;
    }
    if (r->data && ney_data_weight(r->data)) {
        ney_result_add_text(root, "rates_count", "rows");
    }
    add_calibration(root, r);
    add_probability(root, r);
    if (r->info->held_out > 0) {
        count_classes(r, &n_pos, &n_neg);
        ney_result_add_int(root, "learned_from", n_pos + n_neg - r->info->held_out);
    }
    ney_result_add_int(root, "seed", r->opts->seed);
    ney_run_headline(root, r, &counts);
    if (bound) {
        ney_result_add_copy(root, "steps", r->steps);
    }
    return ney_result_status(root, err);
}

ney_status ney_run_result(ney_result **out, const ney_run *r, ney_error *err)
{
    ney_result *root;
    ney_status st = ney_result_new(&root, r->env, err);

    *out = NULL;
    if (st == NEY_OK && (st = add_all(root, r, err)) == NEY_OK) {
        *out = root;
        return NEY_OK;
    }
    ney_result_free(root);
    return st;
}
