/* The exploration of [ROC 3.2]: which lines are traced and which of their points are evaluated. */
#include "path/explore.h"

#include "base/options.h"
#include "base/rng.h"
#include "data/scale.h"
#include "data/split_prepared.h"

#include <math.h>

enum {
    TOTALS = 61,      /* of C+ + C- on the first line, ten a decade */
    ASYMMETRIES = 41, /* on each of the others, even steps of log(C+ / C-), and the centre */
    FINER = 121,      /* the same on the one through the best pair, a curve by itself */
    QUANTILES = 64,   /* thresholds of a classifier where curves are averaged */
    FINE = 256        /* and of the one whose threshold alone varies */
};

static const double STEEPEST = 6; /* log(C+ / C-) of the outermost asymmetry */

#define AT(field) offsetof(ney_explore_opts, field)
/* clang-format off */
static const ney_param params[] = {
    /* name     flag kind          field        initial low   high    arg  choices help */
    {"c-max",   0,   NEY_KIND_REAL, AT(most),    1000,  1e-9, 1e9,    "X", NULL, "largest C+ + C-"},
    {"splits",  0,   NEY_KIND_INT,  AT(splits),  10,    2,    1000,   "N", NULL, "number of random half splits by which the classifiers are chosen"},
    {"seed",    0,   NEY_KIND_INT,  AT(seed),    1,     0,    0x1p53, "N", NULL, "seed of the half splits"},
    {"regular", 0,   NEY_KIND_INT,  AT(regular), 2,     0,    6,      "N", NULL, "number of further totals C+ + C- on each side of the best one, a factor of 10 apart"},
    {"scaling", 0,   NEY_KIND_CHOICE, AT(scaling), NEY_SCALING_NONE, 0, NEY_SCALING_AUTO, "HOW", "none standard minmax unit rank asinh auto", "scaling of data that are not prepared, fitted on the training rows"},
};
/* clang-format on */
#undef AT

const ney_param *ney_explore_params(int64_t *n_params)
{
    *n_params = sizeof params / sizeof *params;
    return params;
}

/* Evaluate the classifiers of all splits at c. */
static ney_status evaluate_splits(ney_exploration *e, ney_cost_pair c, ney_error *err)
{
    ney_status st = NEY_OK;
    for (int64_t k = 0; k < e->n_splits && st == NEY_OK; k++) {
        st = ney_path_split_evaluate(&e->split[k], &e->env, c, err);
    }
    e->done++;
    if (st == NEY_OK && !ney_poll(&e->env, "exploring", e->done, e->all)) {
        st = ney_fail(err, NEY_ECANCELLED, "exploring was cancelled");
    }
    return st;
}

static double cost_of(const ney_exploration *e, double fpr, double tpr)
{
    return e->share_pos * e->cost_fn * (1 - tpr) + (1 - e->share_pos) * e->cost_fp * fpr;
}

/* ---- the lines */

/* The total C+ + C- on the first line with the lowest cost, averaged over the splits. */
static ney_status find_best(ney_exploration *e, ney_error *err)
{
    ney_status st = NEY_OK;
    e->best_cost = (double)INFINITY;
    for (int64_t k = 0; k < TOTALS && st == NEY_OK; k++) {
        const double total = e->o.most * pow(10, (double)(k - (TOTALS - 1)) / 10);
        double cost = 0;
        for (int64_t h = 0; h < e->n_splits && st == NEY_OK; h++) {
            ney_path_split *const split = &e->split[h];
            int64_t n;
            const ney_path_point *const p = ney_path_points(split->path, 0, &n);
            const double scale = total / e->o.most;
            double fpr = 0, tpr = 0;
            st = ney_path_split_evaluate(
                split, &e->env, (ney_cost_pair){p[n - 1].c.plus * scale, p[n - 1].c.minus * scale},
                err);
            if (st == NEY_OK) {
                ney_path_split_rates(split, 0, &fpr, &tpr);
            }
            cost += cost_of(e, fpr, tpr) / (double)e->n_splits;
        }
        if (st == NEY_OK && !ney_poll(&e->env, "exploring", ++e->done, e->all)) {
            st = ney_fail(err, NEY_ECANCELLED, "exploring was cancelled");
        }
        if (cost < e->best_cost) {
            e->best_cost = cost;
            e->best = total;
        }
    }
    return st;
}

/* The share of C+ where n+ C+ = n- C-. */
static double even_share(const ney_data *d)
{
    const int64_t n = ney_data_matrix(d)->rows;
    double weight[2] = {0, 0};
    for (int64_t i = 0; i < n; i++) {
        weight[ney_data_label(d)[i] > 0] += ney_data_weight(d) ? (double)ney_data_weight(d)[i] : 1;
    }
    return weight[0] / (weight[0] + weight[1]);
}

static ney_status first_line(const ney_exploration *e, ney_path *path, ney_error *err)
{
    const ney_cost_pair end = ney_cost_pair_of(e->o.most, even_share(path->data));
    return ney_path_follow(path, (ney_cost_pair){0, 0}, end, NULL, err);
}

/* From the first line at constant C+ + C- to both ends. */
static ney_status cross_lines(ney_path *path, double total, ney_error *err)
{
    const ney_cost_pair centre = ney_cost_pair_of(total, even_share(path->data));
    const ney_status st = ney_path_follow(path, centre, (ney_cost_pair){total, 0}, NULL, err);
    return st == NEY_OK ? ney_path_follow(path, centre, (ney_cost_pair){0, total}, NULL, err) : st;
}

/* Trace a total, or for 0 the first line, in every path. */
static ney_status follow_all(ney_exploration *e, double total, ney_error *err)
{
    ney_status st = NEY_OK;
    for (int64_t h = 0; h < e->n_splits && st == NEY_OK; h++) {
        st = total > 0 ? cross_lines(e->split[h].path, total, err)
                       : first_line(e, e->split[h].path, err);
    }
    if (st == NEY_OK && e->total.path) {
        st = total > 0 ? cross_lines(e->total.path, total, err) : first_line(e, e->total.path, err);
    }
    return st;
}

/* ---- asymmetries */

/* One asymmetry: its own threshold is 0. */
static ney_status add_asymmetry(ney_exploration *e, double total, double share, bool main_line,
                                ney_error *err)
{
    const ney_cost_pair c = ney_cost_pair_of(total, share);
    ney_status st = evaluate_splits(e, c, err);
    if (st != NEY_OK) {
        return st;
    }
    const ney_curve_point own = ney_curve_average(e, c, 0);
    if ((st = ney_curve_add(e, NEY_CURVE_BOTH, &own, err)) == NEY_OK && main_line) {
        st = ney_curve_add(e, NEY_CURVE_ASYMMETRY, &own, err);
    }
    if (st == NEY_OK && main_line && share == e->centre) {
        st = ney_curve_add_thresholds(e, NEY_CURVE_INTERCEPT, c, FINE, err);
    }
    if (st == NEY_OK) {
        st = ney_curve_add_thresholds(e, NEY_CURVE_BOTH, c, QUANTILES, err);
    }
    const ney_curve *const in = &e->curve[NEY_CURVE_INTERCEPT];
    for (int64_t k = 0; st == NEY_OK && main_line && share == e->centre && k < in->n_points; k++) {
        st = ney_curve_add(e, NEY_CURVE_BOTH, &in->point[k], err);
    }
    return st;
}

static ney_status add_total(ney_exploration *e, double total, bool main_line, ney_error *err)
{
    const int64_t n = main_line ? FINER : ASYMMETRIES;
    bool centre_done = false;
    ney_status st = follow_all(e, total, err);
    for (int64_t k = 0; k < n && st == NEY_OK; k++) {
        const double odds = STEEPEST * (2 * (double)k / (double)(n - 1) - 1);
        const double share = 1 / (1 + exp(-odds));
        if (!centre_done && share >= e->centre) {
            centre_done = true;
            st = add_asymmetry(e, total, e->centre, main_line, err);
        }
        if (st == NEY_OK && share != e->centre) {
            st = add_asymmetry(e, total, share, main_line, err);
        }
    }
    return st;
}

static ney_status keep_choices(ney_exploration *e, ney_error *err)
{
    const ney_curve *const c = &e->curve[NEY_CURVE_BOTH];
    ney_choice *const choice = ney_alloc(&e->env, c->n_points, sizeof *choice);
    if (!choice) {
        return ney_no_memory(err, c->n_points, "choices");
    }
    for (int64_t k = 0; k < c->n_points; k++) {
        choice[k] = c->point[k].choice;
    }
    const ney_status st = ney_path_set_choices(e->path, choice, c->n_points, e->share_pos, err);
    ney_release(&e->env, choice);
    return st;
}

/* ---- splits */

/* A random half of the rows to train on, the others to evaluate on. */
static ney_status draw_split(const ney_exploration *e, ney_path_split *h, const ney_data *train,
                             uint64_t seed, ney_error *err)
{
    const ney_status st =
        ney_data_split_prepared(&h->own_train, &h->own_held, train, seed, e->o.scaling, err);
    h->train = h->own_train;
    h->held = h->own_held;
    return st;
}

/* Preprocess rows that are not yet: fitted on the training rows, applied to the others. Half splits
 * fit on their own rows instead, and take `train` as it is. */
static ney_status prepare_rows(ney_exploration *e, const ney_data **train, const ney_data **valid,
                               const ney_data **test, ney_error *err)
{
    const ney_scaling scaling = e->o.scaling;
    const ney_data **const rows[] = {train, valid, test};
    ney_status st = NEY_OK;
    for (int k = 0; k < 3 && st == NEY_OK; k++) {
        if (*rows[k] && !(*rows[k])->preprocessing->prepared) {
            st = ney_data_copy_prepared(&e->own[k], *rows[k], k > 0 ? *train : NULL, scaling, err);
            *rows[k] = e->own[k];
        }
    }
    return st;
}

static ney_status start_exploration(ney_exploration *e, const ney_data *train,
                                    const ney_data *valid, const ney_data *test,
                                    const ney_train_opts *o, ney_error *err)
{
    const ney_data *const as_given = train;
    ney_status st = prepare_rows(e, &train, &valid, &test, err);
    if (st != NEY_OK) {
        return st;
    }
    e->n_splits = valid ? 1 : e->o.splits;
    e->split = ney_alloc_zeroed(&e->env, e->n_splits, sizeof *e->split);
    if (!e->split) {
        return ney_no_memory(err, e->n_splits, "splits");
    }
    e->has_test = test != NULL;
    ney_rng rng = {(uint64_t)e->o.seed};
    for (int64_t k = 0; k < e->n_splits && st == NEY_OK; k++) {
        ney_path_split *const h = &e->split[k];
        if (valid) {
            h->train = train;
            h->held = valid;
        } else {
            st = draw_split(e, h, as_given, ney_rng_next(&rng), err);
        }
        if (st == NEY_OK && (st = ney_path_split_init(h, &e->env, err)) == NEY_OK) {
            st = ney_path_new_with(&h->path, &e->env, h->train, o, err);
        }
    }
    if (st == NEY_OK && !valid) {
        st = ney_path_new_with(&e->total.path, &e->env, train, o, err);
    }
    if (st == NEY_OK && test) {
        e->total.held = test;
        st = ney_path_split_init(&e->total, &e->env, err);
    }
    e->centre = even_share(train);
    e->share_pos = e->split[0].held
                       ? (double)e->split[0].n[1] / (double)(e->split[0].n[0] + e->split[0].n[1])
                       : 0;
    return st;
}

static ney_status explore_plane(ney_exploration *e, ney_error *err)
{
    ney_status st;
    e->all = TOTALS + FINER + 1 + (double)(2 * e->o.regular) * (ASYMMETRIES + 1);
    if ((st = follow_all(e, 0, err)) != NEY_OK || (st = find_best(e, err)) != NEY_OK ||
        (st = add_total(e, e->best, true, err)) != NEY_OK) {
        return st;
    }
    for (int64_t k = 1; k <= e->o.regular && st == NEY_OK; k++) {
        const double larger = e->best * pow(10, (double)k), smaller = e->best / pow(10, (double)k);
        if (larger <= e->o.most * (1 + 1e-12)) {
            st = add_total(e, fmin(larger, e->o.most), false, err);
        }
        if (st == NEY_OK && smaller >= e->o.most * 1e-6) {
            st = add_total(e, smaller, false, err);
        }
    }
    return st;
}

/* With validation rows there are no splits. */
static ney_status check_splits(const ney_explore_opts *o, const ney_data *valid, ney_error *err)
{
    for (size_t k = 0; valid && k < sizeof params / sizeof *params; k++) {
        const bool splits = params[k].offset == offsetof(ney_explore_opts, splits) ||
                            params[k].offset == offsetof(ney_explore_opts, seed);
        if (splits && !ney_param_is_default(&params[k], o)) {
            return ney_fail(err, NEY_EINVAL, "--%s applies to half splits, not to --valid",
                            params[k].name);
        }
    }
    return NEY_OK;
}

ney_status ney_explore_with(ney_exploration **out, const ney_env *env, const ney_data *train,
                            const ney_data *valid, const ney_data *test, const ney_train_opts *opts,
                            const ney_explore_opts *explore_opts, ney_error *err)
{
    const ney_env given = ney_env_of(env);
    int64_t n_params;
    ney_train_opts o;
    ney_exploration *const e = ney_alloc_zeroed(&given, 1, sizeof *e);
    ney_status st;

    *out = NULL;
    if (!e) {
        return ney_no_memory(err, 1, "explorations");
    }
    e->env = given;
    const ney_param *const p = ney_train_params(&n_params);
    ney_params_init(p, n_params, &o);
    if (opts) {
        o = *opts;
    }
    e->cost_fn = o.cost_fn;
    e->cost_fp = o.cost_fp;
    o.cost_fn = o.cost_fp = 1; /* they select a point; a path has all costs */
    ney_params_init(params, sizeof params / sizeof *params, &e->o);
    if (explore_opts) {
        e->o = *explore_opts;
    }
    st = ney_params_check(params, sizeof params / sizeof *params, &e->o, err);
    if (st == NEY_OK) {
        st = check_splits(&e->o, valid, err);
    }
    if (st == NEY_OK && (st = start_exploration(e, train, valid, test, &o, err)) == NEY_OK &&
        (st = explore_plane(e, err)) == NEY_OK) {
        if (!e->total.path) { /* the split was trained on all rows */
            e->total.path = e->split[0].path;
            e->split[0].path = NULL;
        }
        e->path = e->total.path;
        if ((st = ney_curves_finish(e, err)) == NEY_OK) {
            st = keep_choices(e, err);
        }
    }
    if (st == NEY_OK) {
        *out = e;
    } else {
        ney_exploration_free(e);
    }
    return st;
}

void ney_exploration_free(ney_exploration *e)
{
    if (!e) {
        return;
    }
    const ney_env env = e->env;
    for (int64_t k = 0; e->split && k < e->n_splits; k++) {
        ney_path_split_deinit(&e->split[k], &env);
    }
    ney_path_split_deinit(&e->total, &env);
    for (int k = 0; k < 3; k++) {
        ney_data_free(e->own[k]);
    }
    for (int k = 0; k < NEY_N_CURVES; k++) {
        ney_release(&env, e->curve[k].point);
    }
    ney_release(&env, e->split);
    ney_release(&env, e);
}

const ney_curve *ney_exploration_curve(const ney_exploration *e, ney_curve_kind kind)
{
    return e && (int)kind >= 0 && (int)kind < NEY_N_CURVES ? &e->curve[kind] : NULL;
}

double ney_exploration_residual(const ney_exploration *e)
{
    if (!e) {
        return (double)NAN;
    }
    double worst = ney_path_residual(e->path);
    for (int64_t k = 0; k < e->n_splits; k++) {
        const double own = e->split[k].path ? ney_path_residual(e->split[k].path) : 0;
        worst = own <= worst ? worst : own;
    }
    return worst;
}

ney_path *ney_exploration_path(const ney_exploration *e)
{
    if (!e) {
        return NULL;
    }
    return e->path;
}

ney_cost_pair ney_exploration_best(const ney_exploration *e, double *cost)
{
    if (!e) {
        return (ney_cost_pair){0};
    }
    if (cost) {
        *cost = e->best_cost;
    }
    return ney_cost_pair_of(e->best, e->centre);
}

ney_status ney_explore(ney_exploration **out, const ney_env *env, const ney_data *train,
                       const ney_data *valid, const ney_data *test, const ney_options *options,
                       ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out, err);
    const ney_train_opts *const given = ney_options_values(options, ney_train_params);
    const ney_explore_opts *const explore_given = ney_options_values(options, ney_explore_params);
    int64_t n_params;
    ney_train_opts o;
    ney_explore_opts explore_opts;
    ney_scaling scaling;

    *out = NULL;
    if (!train) {
        return ney_fail(err, NEY_EINVAL, "no data, expected rows with labels");
    }
    ney_status st = ney_options_check_groups(options, "data preprocessing training exploration",
                                             "an exploration", err);
    if (st != NEY_OK || (st = ney_data_check_raw(&scaling, train, options, err)) != NEY_OK) {
        return st;
    }
    const ney_param *const train_params = ney_train_params(&n_params);
    ney_params_init(train_params, n_params, &o);
    ney_params_init(params, sizeof params / sizeof *params, &explore_opts);
    const int64_t seed = o.seed;
    if (options) {
        o = *given;
        explore_opts = *explore_given;
        explore_opts.seed = o.seed; /* the one seed of the handle is that of the splits */
        o.seed = seed;
    }
    explore_opts.scaling = scaling;
    return ney_explore_with(out, env, train, valid, test, &o, &explore_opts, err);
}
