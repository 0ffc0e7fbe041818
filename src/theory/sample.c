/* The study on data: train at many asymmetries from one half of the rows, count
 * errors on the other, for several random splits. No density is assumed.
 *
 * All asymmetries lie on one line in the plane of the costs, C+ + C- = 2 C, and one path along it
 * has the exact solution at each. Where there are too many rows for the kernel matrix that a path
 * works with, or where its residual is too large, each asymmetry is trained for by itself. */
#include "base/options.h"
#include "data/scale.h"
#include "data/split_prepared.h"
#include "learn/request.h"

#include <math.h>

enum { MOST_ON_PATH = 5000 }; /* training rows */

/* One half to train on, the other to evaluate on. */
typedef struct row_split {
    ney_data *train, *evaluation;
    ney_path *path; /* through all asymmetries; NULL: too many rows, or not accurate enough */
    double *score;
} row_split;

static void split_deinit(const ney_env *env, row_split *h)
{
    ney_data_free(h->train);
    ney_data_free(h->evaluation);
    ney_path_free(h->path);
    ney_release(env, h->score);
}

static ney_status split_init(const ney_env *env, const ney_data *data, ney_scaling scaling,
                             uint64_t seed, row_split *h, ney_error *err)
{
    *h = (row_split){0};
    ney_status st = ney_data_split_prepared(&h->train, &h->evaluation, data, seed, scaling, err);

    if (st == NEY_OK && !(h->score = ney_alloc(env, data->x.rows, sizeof *h->score))) {
        st = ney_no_memory(err, data->x.rows, "scores");
    }
    return st;
}

/* Their sum is the same at every asymmetry. */
static ney_cost_pair costs_at(const ney_train_opts *opts, double gamma)
{
    return (ney_cost_pair){2 * opts->C * gamma, 2 * opts->C * (1 - gamma)};
}

/* A class without a cost: the decision is for the other. */
static bool is_constant(double gamma)
{
    return gamma <= 0 || gamma >= 1;
}

static ney_status follow_costs(const ney_env *env, row_split *h, const ney_train_opts *opts,
                               const double *gamma, int64_t n_gammas, ney_error *err)
{
    double low = 1, high = 0;

    for (int64_t k = 0; k < n_gammas; k++) {
        if (!is_constant(gamma[k])) {
            low = fmin(low, gamma[k]);
            high = fmax(high, gamma[k]);
        }
    }
    if (h->train->x.rows > MOST_ON_PATH || low > high) {
        return NEY_OK;
    }
    ney_train_opts o = *opts;
    o.C = 1; /* a path has all costs, exactly */
    o.tol = 1e-3;
    ney_status st = ney_path_new_with(&h->path, env, h->train, &o, err);
    if (st == NEY_OK) {
        st = ney_path_follow(h->path, costs_at(opts, low), costs_at(opts, high), NULL, err);
    }
    if (st == NEY_ENUMERIC ||
        (st == NEY_OK && !(ney_path_residual(h->path) <= NEY_PATH_RESIDUAL))) {
        ney_path_free(h->path);
        h->path = NULL;
        st = NEY_OK;
    }
    return st;
}

static ney_status train_at(ney_model **out, const ney_env *env, const row_split *h,
                           const ney_train_opts *opts, double gamma, ney_error *err)
{
    ney_train_opts o = *opts;
    ney_train_info info;

    o.cost_fn = 2 * gamma;
    o.cost_fp = 2 * (1 - gamma);
    const ney_status st = ney_train(out, env, h->train, &o, &info, err);
    return st == NEY_OK && info.stop == NEY_STOP_CANCELLED
               ? ney_fail(err, NEY_ECANCELLED, "cancelled")
               : st;
}

static ney_status rates_at(const ney_env *env, const row_split *h, const ney_train_opts *opts,
                           double gamma, double *fpr, double *tpr, ney_error *err)
{
    ney_model *model = NULL;

    if (is_constant(gamma)) {
        *fpr = *tpr = gamma >= 1;
        return NEY_OK;
    }
    ney_status st = h->path ? ney_path_model(&model, h->path, costs_at(opts, gamma), err)
                            : train_at(&model, env, h, opts, gamma, err);

    if (st == NEY_OK) {
        st = ney_model_score(model, env, &h->evaluation->x, h->score, err);
    }
    ney_model_free(model);
    if (st == NEY_OK) {
        const ney_counts c = ney_count(h->score, h->evaluation->label, h->evaluation->x.rows, 0, 0);
        *fpr = (double)c.fp / (double)(c.fp + c.tn);
        *tpr = (double)c.tp / (double)(c.tp + c.fn);
    }
    return st;
}

static ney_status check(const ney_data *data, const ney_asymmetry_grid *grid, ney_error *err)
{
    int64_t n[2] = {0, 0};

    if (!data->label) {
        return ney_fail(err, NEY_EINVAL, "the data have no labels");
    }
    for (int64_t i = 0; i < data->x.rows; i++) {
        n[data->label[i] > 0]++;
    }
    if (n[0] < 2 || n[1] < 2) {
        return ney_fail(err, NEY_EINVAL,
                        "%lld negative and %lld positive rows, expected at least 2 of either: one "
                        "for each half",
                        (long long)n[0], (long long)n[1]);
    }
    for (int64_t k = 0; k < grid->n_gammas; k++) {
        if (!(grid->gamma[k] >= 0 && grid->gamma[k] <= 1)) {
            return ney_fail(err, NEY_EINVAL, "gamma = %g, expected a number from 0 to 1",
                            grid->gamma[k]);
        }
    }
    return grid->n_splits > 0 ? NEY_OK
                              : ney_fail(err, NEY_EINVAL, "%lld splits, expected at least one",
                                         (long long)grid->n_splits);
}

ney_status ney_asymmetry_sample_with(const ney_env *env, const ney_data *data,
                                     const ney_train_opts *opts, ney_scaling scaling,
                                     const ney_asymmetry_grid *grid, double *fpr, double *tpr,
                                     ney_error *err)
{
    const ney_env e = ney_env_of(env);
    ney_env quiet = e; /* the learner's progress would hide that of the study */
    ney_train_opts o = *opts;
    const double *const gamma = grid->gamma;
    const int64_t n_gammas = grid->n_gammas, n_splits = grid->n_splits;
    ney_status st = check(data, grid, err);

    if (st != NEY_OK ||
        (st = ney_request_check_only(opts, "C kernel gamma degree coef0 tol cache", "seed",
                                     "training at many asymmetries", err)) != NEY_OK) {
        return st;
    }
    o.seed = 1; /* of the splits alone */
    quiet.log = NULL;
    for (int64_t s = 0; s < n_splits && st == NEY_OK; s++) {
        row_split h;
        if ((st = split_init(&e, data, scaling, (uint64_t)(opts->seed + s), &h, err)) == NEY_OK) {
            st = follow_costs(&quiet, &h, &o, gamma, n_gammas, err);
        }
        for (int64_t k = 0; k < n_gammas && st == NEY_OK; k++) {
            const int64_t at = s * n_gammas + k;
            st = rates_at(&quiet, &h, &o, gamma[k], &fpr[at], &tpr[at], err);
            if (st == NEY_OK &&
                !ney_poll(&e, "training", (double)(at + 1), (double)(n_splits * n_gammas))) {
                st = ney_fail(err, NEY_ECANCELLED, "cancelled");
            }
        }
        split_deinit(&e, &h);
    }
    return st;
}

ney_status ney_asymmetry_sample(const ney_env *env, const ney_data *data,
                                const ney_options *options, const ney_asymmetry_grid *grid,
                                double *fpr, double *tpr, ney_error *err)
{
    NEY_REQUIRE(grid && grid->n_gammas >= 0 && ((grid->gamma && fpr && tpr) || grid->n_gammas == 0),
                err);
    NEY_REQUIRE_RESERVED(grid, "ney_asymmetry_grid", err);
    const ney_train_opts *const given = ney_options_values(options, ney_train_params);
    int64_t n_params;
    ney_train_opts o;
    ney_scaling scaling;

    if (!data) {
        return ney_fail(err, NEY_EINVAL, "no data, expected rows with labels");
    }
    ney_status st = ney_options_check_groups(options, "data preprocessing training",
                                             "training at many asymmetries", err);
    if (st != NEY_OK || (st = ney_data_check_raw(&scaling, data, options, err)) != NEY_OK) {
        return st;
    }
    const ney_param *const params = ney_train_params(&n_params);
    ney_params_init(params, n_params, &o);
    return ney_asymmetry_sample_with(env, data, given ? given : &o, scaling, grid, fpr, tpr, err);
}
