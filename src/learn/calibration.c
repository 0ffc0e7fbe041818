/* Where the rows come from that conformal p-values [CONF.1] are counted among. */
#include "learn/calibration.h"

#include "data/data.h"
#include "data/groups.h"
#include "learn/learn.h"

#include <math.h>

bool ney_calibration_is_asked(const ney_request *r)
{
    return r->calibrates || r->conformal_folds > 0;
}

/* Each row is scored by a model of the other folds, the mean for the same options. */
typedef struct cross_calibration {
    const ney_task *t;
    const ney_train_opts *stated;
    ney_train_opts *o; /* the same with the kernel of all rows, which the folds share */
    int n_options;
    int *part_of;
    int64_t *rows;
    double *score; /* of all rows, each by a model that has not seen it */
    double *share, *fold_score;
    int64_t folds;
    /* What the scores are for. */
    ney_status (*store)(ney_model *m, const ney_data *data, const double *score, ney_error *err);
} cross_calibration;

static int64_t rows_of(const cross_calibration *c, int fold, bool within)
{
    int64_t m = 0;
    for (int64_t i = 0; i < c->t->x->rows; i++) {
        if ((c->part_of[i] == fold) == within) {
            c->rows[m++] = i;
        }
    }
    return m;
}

static ney_status run_fold(cross_calibration *c, int fold, ney_stop *stop, ney_error *err)
{
    ney_train_info info = {0};
    ney_data *learn = NULL, *held = NULL;
    ney_model *m = NULL;
    ney_task task = {0};
    ney_env quiet = c->t->env; /* a fold that is trained is scored even after a request to stop */
    ney_status st;

    if ((st = ney_data_take(&learn, c->t->data, c->rows, rows_of(c, fold, false), err)) == NEY_OK &&
        (st = ney_data_take(&held, c->t->data, c->rows, rows_of(c, fold, true), err)) == NEY_OK &&
        (st = ney_task_init(&task, &c->t->env, learn, &c->o[0], err)) == NEY_OK &&
        (st = ney_learn_mean(&m, &task, c->o, c->n_options, &info, err)) == NEY_OK &&
        info.stop != NEY_STOP_CANCELLED) {
        quiet.poll = NULL;
        st = ney_model_score(m, &quiet, ney_data_matrix(held), c->fold_score, err);
        for (int64_t k = 0; st == NEY_OK && k < ney_data_matrix(held)->rows; k++) {
            c->score[c->rows[k]] = c->fold_score[k];
        }
    }
    *stop = info.stop;
    ney_task_deinit(&task);
    ney_model_free(m);
    ney_data_free(learn);
    ney_data_free(held);
    return st;
}

/* The rows of a group are in one fold. */
static ney_status part_rows(const cross_calibration *c, int folds, ney_error *err)
{
    const ney_data *const data = c->t->data;
    const uint64_t seed = c->t->request.seed;
    if (!ney_data_group_column(data)) {
        return ney_data_split(data, c->share, folds, seed, c->part_of, err);
    }
    ney_groups g;
    const ney_status st = ney_groups_deal(&g, data, NULL, NULL, folds, seed, c->part_of, err);
    ney_groups_deinit(&g);
    return st;
}

/* Scores of rows that the model was not learned from, with their groups if they have some. */
static ney_status calibrate_model(ney_model *m, const ney_data *data, const double *score,
                                  ney_error *err)
{
    const int64_t n = ney_data_matrix(data)->rows;
    if (!ney_data_group_column(data)) {
        return ney_model_calibrate(m, score, ney_data_label(data), n, err);
    }
    uint64_t *group = ney_alloc(&data->env, n, sizeof *group);
    ney_status st = group ? ney_data_groups(data, group, err) : ney_no_memory(err, n, "groups");
    if (st == NEY_OK) {
        st = ney_model_calibrate_groups(m, score, ney_data_label(data), group, n, err);
    }
    ney_release(&data->env, group);
    return st;
}

static ney_status run_folds(cross_calibration *c, ney_model *m, ney_train_info *info,
                            ney_error *err)
{
    const int folds = (int)c->folds;
    ney_stop stop = NEY_STOP_CONVERGED;
    ney_status st;
    for (int f = 0; f < folds; f++) {
        c->share[f] = 1;
    }
    st = part_rows(c, folds, err);
    for (int f = 0; f < folds && st == NEY_OK && stop != NEY_STOP_CANCELLED; f++) {
        st = run_fold(c, f, &stop, err);
    }
    if (st == NEY_OK && stop == NEY_STOP_CANCELLED) {
        info->stop = stop;
        return NEY_OK;
    }
    return st == NEY_OK ? c->store(m, c->t->data, c->score, err) : st;
}

static ney_status calibrate_by_folds(ney_model *m, const ney_task *t, cross_calibration c,
                                     ney_train_info *info, ney_error *err)
{
    const ney_env *const env = &t->env;
    const int64_t n = t->x->rows, folds = c.folds;
    if (t->n_pos < folds || t->n_neg < folds) {
        return ney_fail(err, NEY_EINVAL, "%lld folds to calibrate, but a class has %lld rows only",
                        (long long)folds, (long long)(t->n_pos < t->n_neg ? t->n_pos : t->n_neg));
    }
    c = (cross_calibration){.folds = folds,
                            .store = c.store,
                            .t = t,
                            .o = ney_alloc(env, c.n_options, sizeof *c.o),
                            .n_options = c.n_options,
                            .stated = c.stated,
                            .part_of = ney_alloc(env, n, sizeof *c.part_of),
                            .rows = ney_alloc(env, n, sizeof *c.rows),
                            .score = ney_alloc(env, n, sizeof *c.score),
                            .fold_score = ney_alloc(env, n, sizeof *c.fold_score),
                            .share = ney_alloc(env, folds, sizeof *c.share)};
    for (int k = 0; c.o && k < c.n_options; k++) {
        c.o[k] = c.stated[k];
        c.o[k].gamma = t->kernel.gamma;
    }
    const ney_status st = c.o && c.part_of && c.rows && c.score && c.fold_score && c.share
                              ? run_folds(&c, m, info, err)
                              : ney_no_memory(err, n, "rows to hold out by folds");
    ney_release(env, c.o);
    ney_release(env, c.part_of);
    ney_release(env, c.rows);
    ney_release(env, c.score);
    ney_release(env, c.fold_score);
    ney_release(env, c.share);
    return st;
}

static ney_status calibrate_on_held_out(ney_model *m, const ney_task *t, const ney_data *held_out,
                                        ney_error *err)
{
    const ney_matrix *const x = ney_data_matrix(held_out);
    ney_env env = t->env;
    double *score = ney_alloc(&env, x->rows, sizeof *score);
    if (!score) {
        return ney_no_memory(err, x->rows, "scores");
    }
    env.poll = NULL; /* a run that was stopped is calibrated all the same */
    ney_status st = ney_model_score(m, &env, x, score, err);
    if (st == NEY_OK) {
        st = calibrate_model(m, held_out, score, err);
    }
    ney_release(&env, score);
    return st;
}

ney_status ney_calibration_make(ney_model *m, const ney_task *t, const ney_train_opts *o, int n,
                                const ney_data *held_out, ney_train_info *info, ney_error *err)
{
    ney_status st = NEY_OK;
    if (held_out) {
        st = calibrate_on_held_out(m, t, held_out, err);
        info->held_out += ney_data_matrix(held_out)->rows;
    } else if (info->stop != NEY_STOP_CANCELLED) {
        const cross_calibration c = {.folds = t->request.conformal_folds,
                                     .stated = o,
                                     .n_options = n,
                                     .store = calibrate_model};
        st = calibrate_by_folds(m, t, c, info, err);
    }
    return st == NEY_OK ? ney_model_set_text(m, NEY_METADATA_SUMMARY, "conformal",
                                             held_out ? "held out" : "in turns", err)
                        : st;
}

/* ---------------------------------------------------------------- probabilities */

bool ney_probability_is_asked(const ney_request *r)
{
    return !isnan(r->calibrate) || r->calibrate_folds > 0;
}

static ney_status store_probabilities(ney_model *m, const ney_data *data, const double *score,
                                      ney_calibration_kind kind, ney_error *err)
{
    static const char *const name[] = {"held out", "held out, groups", "out of fold"};
    const ney_status st = ney_model_set_probabilities(m, score, ney_data_label(data),
                                                      ney_data_matrix(data)->rows, kind, err);
    return st == NEY_OK
               ? ney_model_set_text(m, NEY_METADATA_SUMMARY, "probability", name[kind], err)
               : st;
}

static ney_status store_out_of_fold(ney_model *m, const ney_data *data, const double *score,
                                    ney_error *err)
{
    return store_probabilities(m, data, score, NEY_CALIBRATION_OUT_OF_FOLD, err);
}

ney_status ney_probability_fit(ney_model *m, const ney_env *env, const ney_data *held_out,
                               ney_train_info *info, ney_error *err)
{
    const ney_matrix *const x = ney_data_matrix(held_out);
    ney_env quiet = *env;
    double *score = ney_alloc(env, x->rows, sizeof *score);
    if (!score) {
        return ney_no_memory(err, x->rows, "scores");
    }
    quiet.poll = NULL; /* a run that was stopped is calibrated all the same */
    ney_status st = ney_model_score(m, &quiet, x, score, err);
    if (st == NEY_OK) {
        st = store_probabilities(m, held_out, score,
                                 ney_data_group_column(held_out) ? NEY_CALIBRATION_GROUPS
                                                                 : NEY_CALIBRATION_HELD_OUT,
                                 err);
        info->held_out += x->rows;
    }
    ney_release(env, score);
    return st;
}

ney_status ney_probability_fit_folds(ney_model *m, const ney_task *t, const ney_train_opts *o,
                                     int n, ney_train_info *info, ney_error *err)
{
    const cross_calibration c = {.folds = t->request.calibrate_folds,
                                 .stated = o,
                                 .n_options = n,
                                 .store = store_out_of_fold};
    return info->stop == NEY_STOP_CANCELLED ? NEY_OK : calibrate_by_folds(m, t, c, info, err);
}
