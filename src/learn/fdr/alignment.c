/* Scores of different folds made comparable. */
#include "decide/order.h"
#include "learn/fdr/cross_fitting.h"
#include "model/folds.h"

#include <math.h>

/* scale and shift of a model by its scores of the rows learned from, times `share`. */
static ney_status scale_by_training_rows(const ney_fdr_run *r, const ney_model *m,
                                         const ney_fdr_fold *f, double q, double share,
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
        st = ney_fdr_norm(&f->f, &env, (ney_fdr_scores){score, rows->label, rows->x.rows}, q, scale,
                          shift, err);
        *scale *= share;
        *shift *= share;
    }
    ney_release(&env, score);
    return st;
}

/* The mean of models, each scaled by its scores of the rows it learned from; and the share of these
 * rows that it accepts. */
static ney_status average_models(ney_fdr_run *r, ney_fdr_fold *f, ney_model *const *model, int n,
                                 ney_stage stage, double *share, ney_error *err)
{
    double scale[NEY_MOST_FDR * NEY_FDR_RESTARTS], shift[NEY_MOST_FDR * NEY_FDR_RESTARTS], *score;
    const ney_data *learn = f->learn;
    ney_env env = r->env;
    ney_status st = NEY_OK;
    for (int k = 0; k < n && st == NEY_OK; k++) {
        st = scale_by_training_rows(r, model[k], f, r->f.q[k / (n / r->f.n)], 1.0 / n, &scale[k],
                                    &shift[k], err);
    }
    if (st != NEY_OK ||
        (st = ney_model_sum(&f->stage[stage], &env, model, scale, shift, n, err)) != NEY_OK ||
        (st = scale_by_training_rows(r, f->stage[stage], f, r->f.q[0], 1, scale, shift, err)) !=
            NEY_OK) {
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
 * above 0, half of them below -1. Held rows alone have too few decoys to estimate a threshold, and
 * their labels take no part in it. */
static ney_status align_fold(ney_fdr_run *r, ney_fdr_fold *f, ney_stage stage, double share,
                             ney_error *err)
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
        for (int64_t i = 0; i < n; i++) {
            if (&r->fold[r->fold_of[i]] == f) {
                r->score[stage][i] = score[i];
            }
        }
    }
    ney_release(&env, item);
    ney_release(&env, score);
    return st;
}

static ney_status score_stage(ney_fdr_run *r, ney_stage stage, ney_error *err)
{
    double share[NEY_FDR_FOLDS] = {0}, mean = 0;
    ney_status st = NEY_OK;
    for (int k = 0; k < r->n_folds && st == NEY_OK; k++) {
        ney_fdr_fold *f = &r->fold[k];
        ney_model *const *model = stage == NEY_STAGE_ONLINE ? f->online
                                  : stage == NEY_STAGE_SVM  ? f->svm
                                                            : f->feature;
        const int n = r->f.n * (stage == NEY_STAGE_ONLINE ? r->restarts : 1);
        st = average_models(r, f, model, n, stage, &share[k], err);
        mean += share[k] / r->n_folds;
    }
    for (int k = 0; k < r->n_folds && st == NEY_OK; k++) {
        st = align_fold(r, &r->fold[k], stage, mean, err);
    }
    return st;
}

ney_status ney_fdr_align_folds(ney_fdr_run *r, ney_error *err)
{
    ney_status st = NEY_OK;
    for (int s = 0; s <= (int)r->most && st == NEY_OK; s++) {
        st = score_stage(r, (ney_stage)s, err);
    }
    return st;
}
