/* From data to a model that bounds the false-discovery rate: cross-fitting, the stage whose
 * out-of-fold scores accept most targets, the mean of its models with the folds inside. */
#include "learn/fdr/cross_fitting.h"
#include "learn/make.h"
#include "model/folds.h"
#include "model/training_rows.h"

#include <math.h>

static ney_fdr_scores stage_scores(const ney_fdr_run *r, ney_stage stage)
{
    return (ney_fdr_scores){r->score[stage], r->data->label, r->data->x.rows};
}

/* The stage asked for, unless a simpler one accepts more targets. */
static ney_status choose_stage(ney_fdr_run *r, ney_train_info *info, ney_stage *chosen,
                               ney_error *err)
{
    ney_status st = NEY_OK;
    int64_t best = -1;
    for (int s = 0; s < NEY_N_STAGES; s++) {
        info->discoveries[s] = -1;
    }
    for (int s = (int)r->most; s >= 0 && st == NEY_OK; s--) {
        st = ney_fdr_accept(&r->f, &r->env, stage_scores(r, (ney_stage)s), r->f.q[0], r->q, NULL,
                            &info->discoveries[s], err);
        if (info->discoveries[s] > best) {
            best = info->discoveries[s];
            *chosen = (ney_stage)s;
        }
    }
    return st;
}

/* The lowest score accepted; above all scores where none is. */
static ney_status set_threshold(ney_fdr_run *r, ney_model *m, ney_stage stage, ney_train_info *info,
                                ney_error *err)
{
    const int64_t n = r->data->x.rows;
    const double *const score = r->score[stage];
    double lowest = (double)INFINITY, highest = -(double)INFINITY;
    bool *const best = ney_alloc(&r->env, n, sizeof *best);
    const ney_labelled_scores rows = {
        .score = score, .label = r->data->label, .group = r->f.key, .n = n};
    ney_status st = !best ? ney_no_memory(err, n, "winners of a competition")
                          : ney_qvalues_competed(&r->env, &rows, &r->f.estimate, r->q, NULL, best,
                                                 &info->competition, err);
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

static void add_info(const ney_fdr_run *r, ney_stage stage, ney_train_info *info)
{
    const int first = stage == NEY_STAGE_ONLINE ? r->f.n : 0;
    const int n = stage == NEY_STAGE_ONLINE ? r->f.n * r->restarts : r->f.n;
    const double share = 1.0 / (n * r->n_folds);
    int empty = 0; /* fits that accept no target */
    info->objective = info->convex_objective = info->dual_objective = 0;
    for (int k = 0; k < r->n_folds; k++) {
        for (int j = first; j < first + n; j++) {
            const ney_train_info *own = &r->fold[k].info[j];
            /* a small gap at the limit of floating-point precision does not change decisions */
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
            empty += own->constraint == NEY_CONSTRAINT_UNATTAINABLE;
        }
    }
    if (empty > 0) {
        info->constraint = NEY_CONSTRAINT_UNATTAINABLE;
        ney_log(&r->env, NEY_LOG_INFO,
                "in %d of %d fits no score function was found that accepts a training target and "
                "keeps the rate",
                empty, n * r->n_folds);
    }
    info->folds = r->n_folds;
    clear_info(stage, info);
}

static ney_status describe_stage(const ney_fdr_run *r, ney_model *m, ney_stage stage,
                                 const ney_train_info *info, ney_error *err)
{
    const bool is_boosted = ney_fdr_smooth(&r->o) == ney_fdr_trees;
    const bool is_trees = stage == NEY_STAGE_ONLINE && is_boosted;
    int64_t n_pos = 0;
    for (int64_t i = 0; i < r->data->x.rows; i++) {
        n_pos += r->data->label[i] > 0;
    }
    const ney_metadata_value items[] = {
        {"goal", "fdr", 0},
        {"method",
         is_trees                    ? "boosting"
         : stage == NEY_STAGE_ONLINE ? "online"
         : stage == NEY_STAGE_SVM    ? "annealed"
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
        {is_boosted ? "discoveries_trees" : "discoveries_online", NULL,
         (double)info->discoveries[2]},
        {"converged", NULL, info->stop == NEY_STOP_CONVERGED},
        {"stop", ney_stop_text(info->stop), 0},
        {"iterations", NULL, info->iterations < 0 ? (double)NAN : (double)info->iterations},
        {"seed", NULL, (double)r->o.seed},
    };
    return ney_set_metadata(m, items, sizeof items / sizeof *items, err);
}

/* The spectrum of each row and the fold that it is held out with; to be released in any case. */
static ney_status list_spectra(const ney_fdr_run *r, uint64_t **key, uint8_t **part, ney_error *err)
{
    const int64_t n = r->data->x.rows;
    int64_t used;
    *key = ney_alloc(&r->env, n, sizeof **key);
    *part = ney_alloc(&r->env, n, sizeof **part);
    if (!*key || !*part) {
        return ney_no_memory(err, n, "spectra");
    }
    for (int64_t i = 0; i < n; i++) {
        (*part)[i] = (uint8_t)r->fold_of[i];
    }
    return ney_data_keys(r->data, ney_fdr_spectra(&r->o), *key, &used, err);
}

static ney_status average_folds(ney_fdr_run *r, ney_model **out, ney_train_info *info,
                                ney_error *err)
{
    double scale[NEY_FDR_FOLDS], shift[NEY_FDR_FOLDS] = {0};
    ney_model *mine[NEY_FDR_FOLDS], *m = NULL;
    ney_stage stage = NEY_STAGE_FEATURE;
    uint64_t *key = NULL;
    uint8_t *part = NULL;
    ney_status st = choose_stage(r, info, &stage, err);

    for (int k = 0; k < r->n_folds; k++) {
        scale[k] = 1.0 / r->n_folds;
        mine[k] = r->fold[k].stage[stage];
    }
    if (st != NEY_OK || (st = list_spectra(r, &key, &part, err)) != NEY_OK ||
        (st = ney_model_sum(&m, &r->env, mine, scale, shift, r->n_folds, err)) != NEY_OK) {
        goto done;
    }
    for (int k = 0; k < r->n_folds; k++) { /* taken over, on failure too */
        r->fold[k].stage[stage] = NULL;
    }
    add_info(r, stage, info);
    if ((st = ney_model_set_folds(m, ney_fdr_spectra(&r->o), mine, r->n_folds, key, part,
                                  r->data->x.rows, err)) == NEY_OK &&
        (st = set_threshold(r, m, stage, info, err)) == NEY_OK &&
        (st = describe_stage(r, m, stage, info, err)) == NEY_OK) {
        if (stage != r->most) {
            ney_log(&r->env, NEY_LOG_WARNING,
                    "the stage '%s' accepts %lld targets, the requested one %lld: the simpler "
                    "stage is kept",
                    ney_stage_text(&r->o, stage), (long long)info->discoveries[stage],
                    (long long)info->discoveries[r->most]);
        }
        *out = m;
        m = NULL;
    }

done:
    ney_model_free(m);
    ney_release(&r->env, key);
    ney_release(&r->env, part);
    return st;
}

/* Too few rows for folds: the best feature of all of them, and the reason. */
static ney_status train_without_folds(ney_fdr_run *r, ney_model **out, ney_train_info *info,
                                      ney_error *err)
{
    ney_task t = {0};
    ney_model *m = NULL;
    ney_train_opts o = r->o;
    ney_status st;
    ney_log(&r->env, NEY_LOG_WARNING,
            "too few rows of a class for %d folds: the best single feature is taken, chosen on all "
            "rows",
            NEY_FDR_FOLDS);
    o.kernel = NEY_KERNEL_LINEAR;
    if ((st = ney_task_init(&t, &r->env, r->data, &o, err)) == NEY_OK &&
        (st = ney_fdr_feature(&m, &t, &r->f, r->f.q[0], r->score[0], err)) == NEY_OK) {
        info->discoveries[1] = info->discoveries[2] = -1;
        clear_info(NEY_STAGE_FEATURE, info);
        if ((st = ney_fdr_accept(&r->f, &r->env, stage_scores(r, NEY_STAGE_FEATURE), r->f.q[0],
                                 r->q, NULL, &info->discoveries[0], err)) == NEY_OK &&
            (st = set_threshold(r, m, NEY_STAGE_FEATURE, info, err)) == NEY_OK &&
            (st = describe_stage(r, m, NEY_STAGE_FEATURE, info, err)) == NEY_OK &&
            (o.no_fingerprint || (st = ney_model_set_rows(m, r->data, err)) == NEY_OK)) {
            *out = m;
            m = NULL;
        }
    }
    ney_model_free(m);
    ney_task_deinit(&t);
    return st;
}

ney_status ney_fdr_train(ney_model **out, ney_partition *p, const ney_train_opts *o,
                         ney_train_info *info, ney_error *err)
{
    const ney_env *const env = &p->env;
    const ney_data *const data = p->data;
    ney_status st;
    *out = NULL;
    ney_fdr_run *r = ney_alloc_zeroed(env, 1, sizeof *r);
    if (!r) {
        return ney_no_memory(err, 1, "run");
    }
    *r = (ney_fdr_run){.env = *env,
                       .data = data,
                       .o = *o,
                       .most = ney_fdr_stage(o),
                       .restarts = ney_fdr_restarts(o)};
    if (o->kernel != NEY_KERNEL_LINEAR && o->gamma == 0) {
        r->o.gamma = ney_gamma_scale(&data->x); /* one for all folds: their models are added up */
    }
    if (!data->label) {
        st = ney_fail(err, NEY_EINVAL, "the data have no labels");
    } else if (data->preprocessing->scaling == NEY_SCALING_AUTO) {
        st =
            ney_fail(err, NEY_EINVAL,
                     "--scale auto chooses by which rows are decoys, and with --max-fdr no part of "
                     "a score may depend on that outside of the folds: use --scale asinh or rank");
    } else if ((st = ney_fdr_of(&r->f, o, err)) == NEY_OK &&
               (st = ney_fdr_run_init(r, err)) == NEY_OK) {
        if (r->n_folds == 0) {
            st = train_without_folds(r, out, info, err);
        } else if ((st = ney_fdr_fit_folds(r, err)) == NEY_OK &&
                   (st = ney_fdr_align_folds(r, err)) == NEY_OK) {
            st = average_folds(r, out, info, err);
            if (st == NEY_OK && !o->no_fingerprint &&
                (st = ney_model_add_training_rows(*out, data, err)) != NEY_OK) {
                ney_model_free(*out);
                *out = NULL;
            }
        }
    }
    ney_fdr_run_deinit(r);
    ney_release(env, r);
    return st;
}
