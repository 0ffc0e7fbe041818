/* The exploration of [ROC 3.2]: which lines are followed, and the three curves they give. */
#include "path/explore.h"

#include "base/rng.h"
#include "data/halves.h"

#include <math.h>
#include <stdlib.h>

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
    {"c-max",   0,   NEY_KIND_REAL, AT(most),    1000,  1e-9, 1e9,    "X", NULL, "largest C+ + C- that is looked at"},
    {"splits",  0,   NEY_KIND_INT,  AT(splits),  10,    2,    1000,   "N", NULL, "random half splits to choose by where there are no validation rows"},
    {"seed",    0,   NEY_KIND_INT,  AT(seed),    1,     0,    0x1p53, "N", NULL, "seed of the splits"},
    {"regular", 0,   NEY_KIND_INT,  AT(regular), 2,     0,    6,      "N", NULL, "further totals C+ + C- on either side of the best, each a factor of ten on"},
    {"scaling", 0,   NEY_KIND_CHOICE, AT(scaling), NEY_SCALING_NONE, 0, NEY_SCALING_UNIT, "HOW", "none standard minmax unit", "scaling of data that are not prepared, fitted on the rows learned from"},
};
/* clang-format on */
#undef AT

const ney_param *ney_explore_params(int64_t *n_params)
{
    *n_params = sizeof params / sizeof *params;
    return params;
}

struct ney_exploration {
    ney_env env;
    ney_explore_opts o;
    double cost_fn, cost_fp, share_pos;
    ney_half *half;
    int64_t n_halves;
    ney_data *own[3];       /* copies of the training, validation and test rows, prepared */
    ney_half whole;         /* learns from all rows, looks at the test rows */
    bool test;              /* whether there are some */
    ney_path *path;         /* of the whole; of the only half where there are validation rows */
    double centre;          /* share of C+ on the first line */
    double best, best_cost; /* total C+ + C- there */
    ney_curve curve[NEY_N_CURVES];
    int64_t cap[NEY_N_CURVES];
    double done, all; /* classifiers, for progress */
};

static ney_cost_pair costs_of(double total, double share)
{
    return (ney_cost_pair){total * share, total * (1 - share)};
}

/* ---- rates, averaged */

/* Rates at a threshold of the classifiers that the halves looked at last. */
static ney_curve_point average(const ney_exploration *e, ney_cost_pair c, double threshold)
{
    double sum[2] = {0, 0}, squares[2] = {0, 0}, n = (double)e->n_halves;
    for (int64_t k = 0; k < e->n_halves; k++) {
        double rate[2];
        ney_half_rates(&e->half[k], threshold, &rate[0], &rate[1]);
        for (int r = 0; r < 2; r++) {
            sum[r] += rate[r];
            squares[r] += rate[r] * rate[r];
        }
    }
    ney_curve_point p = {.choice = {c, threshold, sum[0] / n, sum[1] / n},
                         .fpr_error = (double)NAN,
                         .tpr_error = (double)NAN,
                         .test_fpr = (double)NAN,
                         .test_tpr = (double)NAN};
    if (e->n_halves > 1) {
        p.fpr_error = sqrt(fmax(0, squares[0] - sum[0] * sum[0] / n) / (n - 1) / n);
        p.tpr_error = sqrt(fmax(0, squares[1] - sum[1] * sum[1] / n) / (n - 1) / n);
    }
    return p;
}

static ney_status look(ney_exploration *e, ney_cost_pair c, ney_error *err)
{
    ney_status st = NEY_OK;
    for (int64_t k = 0; k < e->n_halves && st == NEY_OK; k++) {
        st = ney_half_look(&e->half[k], &e->env, c, err);
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

/* The first line in every path, and the cheapest of its classifiers on average. */
static ney_status find_best(ney_exploration *e, ney_error *err)
{
    ney_status st = NEY_OK;
    e->best_cost = (double)INFINITY;
    for (int64_t k = 0; k < TOTALS && st == NEY_OK; k++) {
        const double total = e->o.most * pow(10, (double)(k - (TOTALS - 1)) / 10);
        double cost = 0;
        for (int64_t h = 0; h < e->n_halves && st == NEY_OK; h++) {
            ney_half *const half = &e->half[h];
            int64_t n;
            const ney_path_point *const p = ney_path_points(half->path, 0, &n);
            const double scale = total / e->o.most;
            double fpr = 0, tpr = 0;
            st = ney_half_look(half, &e->env,
                               (ney_cost_pair){p[n - 1].c.plus * scale, p[n - 1].c.minus * scale},
                               err);
            if (st == NEY_OK) {
                ney_half_rates(half, 0, &fpr, &tpr);
            }
            cost += cost_of(e, fpr, tpr) / (double)e->n_halves;
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
    const ney_cost_pair end = costs_of(e->o.most, even_share(path->data));
    return ney_path_follow(path, (ney_cost_pair){0, 0}, end, NULL, err);
}

/* From the first line at constant C+ + C- to both ends. */
static ney_status cross_lines(ney_path *path, double total, ney_error *err)
{
    const ney_cost_pair centre = costs_of(total, even_share(path->data));
    const ney_status st = ney_path_follow(path, centre, (ney_cost_pair){total, 0}, NULL, err);
    return st == NEY_OK ? ney_path_follow(path, centre, (ney_cost_pair){0, total}, NULL, err) : st;
}

/* In every path there is. */
static ney_status follow_all(ney_exploration *e, double total, ney_error *err)
{
    ney_status st = NEY_OK;
    for (int64_t h = 0; h < e->n_halves && st == NEY_OK; h++) {
        st = total > 0 ? cross_lines(e->half[h].path, total, err)
                       : first_line(e, e->half[h].path, err);
    }
    if (st == NEY_OK && e->whole.path) {
        st = total > 0 ? cross_lines(e->whole.path, total, err) : first_line(e, e->whole.path, err);
    }
    return st;
}

/* ---- points */

static ney_status add(ney_exploration *e, ney_curve_kind kind, const ney_curve_point *p,
                      ney_error *err)
{
    ney_curve *const c = &e->curve[kind];
    if (!ney_grow(&e->env, &c->point, &e->cap[kind], c->n_points + 1, sizeof *c->point)) {
        return ney_no_memory(err, c->n_points, "points of a curve");
    }
    c->point[c->n_points++] = *p;
    return NEY_OK;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Thresholds at even shares of all scores that were looked at last; returns their number. */
static int64_t quantiles(const ney_exploration *e, int64_t most, double *pool, double *threshold)
{
    int64_t n = 0, m = 0;
    for (int64_t h = 0; h < e->n_halves; h++) {
        for (int c = 0; c < 2; c++) {
            for (int64_t k = 0; k < e->half[h].n[c]; k++) {
                pool[n++] = e->half[h].sorted[c][k];
            }
        }
    }
    qsort(pool, (size_t)n, sizeof *pool, ascending);
    const int64_t steps = most < n ? most : n;
    for (int64_t k = 0; k < steps; k++) {
        const double t = pool[k * n / steps];
        if (m == 0 || t != threshold[m - 1]) {
            threshold[m++] = t;
        }
    }
    return m;
}

/* All thresholds worth a look of the classifiers at c. */
static ney_status add_thresholds(ney_exploration *e, ney_curve_kind kind, ney_cost_pair c,
                                 int64_t most, ney_error *err)
{
    int64_t rows = 0;
    ney_status st = NEY_OK;
    for (int64_t h = 0; h < e->n_halves; h++) {
        rows += e->half[h].n[0] + e->half[h].n[1];
    }
    const int64_t room = e->n_halves > 1 ? most : rows; /* one half: its own curve, in full */
    double *const pool = ney_alloc(&e->env, rows + room, sizeof *pool);
    if (!pool) {
        return ney_no_memory(err, rows, "thresholds");
    }
    const int64_t n = quantiles(e, room, pool, pool + rows);
    for (int64_t k = n - 1; k >= 0 && st == NEY_OK; k--) {
        const ney_curve_point p = average(e, c, pool[rows + k]);
        st = add(e, kind, &p, err);
    }
    ney_release(&e->env, pool);
    return st;
}

/* One asymmetry: its own threshold is 0. */
static ney_status add_asymmetry(ney_exploration *e, double total, double share, bool main_line,
                                ney_error *err)
{
    const ney_cost_pair c = costs_of(total, share);
    ney_status st = look(e, c, err);
    if (st != NEY_OK) {
        return st;
    }
    const ney_curve_point own = average(e, c, 0);
    if ((st = add(e, NEY_CURVE_BOTH, &own, err)) == NEY_OK && main_line) {
        st = add(e, NEY_CURVE_ASYMMETRY, &own, err);
    }
    if (st == NEY_OK && main_line && share == e->centre) {
        st = add_thresholds(e, NEY_CURVE_INTERCEPT, c, FINE, err);
    }
    if (st == NEY_OK) {
        st = add_thresholds(e, NEY_CURVE_BOTH, c, QUANTILES, err);
    }
    const ney_curve *const in = &e->curve[NEY_CURVE_INTERCEPT];
    for (int64_t k = 0; st == NEY_OK && main_line && share == e->centre && k < in->n_points; k++) {
        st = add(e, NEY_CURVE_BOTH, &in->point[k], err);
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

/* ---- curves */

static int by_rates(const void *a, const void *b)
{
    const ney_choice *const x = &((const ney_curve_point *)a)->choice;
    const ney_choice *const y = &((const ney_curve_point *)b)->choice;
    const int first = (x->fpr > y->fpr) - (x->fpr < y->fpr);
    return first ? first : (x->tpr > y->tpr) - (x->tpr < y->tpr);
}

/* Nothing is positive, everything is: whatever the classifier. */
static ney_status add_ends(ney_exploration *e, ney_curve_kind kind, ney_error *err)
{
    const ney_cost_pair c = costs_of(e->best, e->centre);
    const double end = (double)INFINITY, nan = (double)NAN;
    const double error = e->n_halves > 1 ? 0 : nan;
    const ney_curve_point none = {
        {c, end, 0, 0}, error, error, e->test ? 0 : nan, e->test ? 0 : nan};
    const ney_curve_point every = {
        {c, -end, 1, 1}, error, error, e->test ? 1 : nan, e->test ? 1 : nan};
    const ney_status st = add(e, kind, &none, err);
    return st == NEY_OK ? add(e, kind, &every, err) : st;
}

/* Keep the vertices of the upper convex envelope, of points that ascend in fpr. */
static void keep_envelope(ney_curve *c)
{
    int64_t n = 0;
    for (int64_t k = 0; k < c->n_points; k++) {
        const ney_choice *const p = &c->point[k].choice;
        while (n > 1) { /* the first is (0, 0) */
            const ney_choice *const a = &c->point[n - 2].choice, *const b = &c->point[n - 1].choice;
            if ((b->fpr - a->fpr) * (p->tpr - a->tpr) < (b->tpr - a->tpr) * (p->fpr - a->fpr)) {
                break;
            }
            n--;
        }
        c->point[n++] = c->point[k];
    }
    c->n_points = n;
}

static double area(const ney_curve *c, bool test)
{
    double sum = 0;
    for (int64_t k = 1; k < c->n_points; k++) {
        const ney_curve_point *const a = &c->point[k - 1], *const b = &c->point[k];
        sum += test ? (b->test_fpr - a->test_fpr) * (a->test_tpr + b->test_tpr) / 2
                    : (b->choice.fpr - a->choice.fpr) * (a->choice.tpr + b->choice.tpr) / 2;
    }
    return sum;
}

/* Rates of every point on the test rows; points of one classifier come together or not. */
static ney_status test_curve(ney_exploration *e, ney_curve *c, ney_half *half, ney_error *err)
{
    ney_cost_pair last = {-1, -1};
    ney_status st = NEY_OK;
    for (int64_t k = 0; k < c->n_points && st == NEY_OK; k++) {
        ney_curve_point *const p = &c->point[k];
        if (isinf(p->choice.threshold)) {
            continue;
        }
        if (p->choice.c.plus != last.plus || p->choice.c.minus != last.minus) {
            last = p->choice.c;
            st = ney_half_look(half, &e->env, last, err);
        }
        if (st == NEY_OK) {
            ney_half_rates(half, p->choice.threshold, &p->test_fpr, &p->test_tpr);
        }
    }
    return st;
}

static ney_status finish(ney_exploration *e, ney_error *err)
{
    ney_status st = NEY_OK;
    for (int k = 0; k < NEY_N_CURVES && st == NEY_OK; k++) {
        ney_curve *const c = &e->curve[k];
        if ((st = add_ends(e, (ney_curve_kind)k, err)) != NEY_OK) {
            return st;
        }
        qsort(c->point, (size_t)c->n_points, sizeof *c->point, by_rates);
        if (k == NEY_CURVE_BOTH) {
            keep_envelope(c);
        }
        c->auc = area(c, false);
        c->test_auc = (double)NAN;
        if (e->test && (st = test_curve(e, c, &e->whole, err)) == NEY_OK) {
            c->test_auc = area(c, true);
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

/* ---- the whole */

/* A random half of the rows to learn from, the others to look at. */
static ney_status split(const ney_exploration *e, ney_half *h, const ney_data *train, uint64_t seed,
                        ney_error *err)
{
    const ney_status st =
        ney_data_halves(&h->own_learn, &h->own_look, train, seed, (ney_scaling)e->o.scaling, err);
    h->learn = h->own_learn;
    h->look = h->own_look;
    return st;
}

/* Rows that are not prepared yet: those that are learned from in the end are fitted on, the others
 * follow them. Half splits fit on their own rows instead, and take `train` as it is. */
static ney_status prepare_rows(ney_exploration *e, const ney_data **train, const ney_data **valid,
                               const ney_data **test, ney_error *err)
{
    const ney_scaling scaling = (ney_scaling)e->o.scaling;
    const ney_data **const rows[] = {train, valid, test};
    ney_status st = NEY_OK;
    for (int k = 0; k < 3 && st == NEY_OK; k++) {
        if (*rows[k] && !(*rows[k])->recipe->prepared) {
            st = ney_data_prepared_copy(&e->own[k], *rows[k], k > 0 ? *train : NULL, scaling, err);
            *rows[k] = e->own[k];
        }
    }
    return st;
}

static ney_status begin(ney_exploration *e, const ney_data *train, const ney_data *valid,
                        const ney_data *test, const ney_train_opts *o, ney_error *err)
{
    const ney_data *const as_given = train;
    ney_status st = prepare_rows(e, &train, &valid, &test, err);
    if (st != NEY_OK) {
        return st;
    }
    e->n_halves = valid ? 1 : e->o.splits;
    e->half = ney_alloc_zeroed(&e->env, e->n_halves, sizeof *e->half);
    if (!e->half) {
        return ney_no_memory(err, e->n_halves, "splits");
    }
    e->test = test != NULL;
    ney_rng rng = {(uint64_t)e->o.seed};
    for (int64_t k = 0; k < e->n_halves && st == NEY_OK; k++) {
        ney_half *const h = &e->half[k];
        if (valid) {
            h->learn = train;
            h->look = valid;
        } else {
            st = split(e, h, as_given, ney_rng_next(&rng), err);
        }
        if (st == NEY_OK && (st = ney_half_init(h, &e->env, err)) == NEY_OK) {
            st = ney_path_new(&h->path, &e->env, h->learn, o, err);
        }
    }
    if (st == NEY_OK && !valid) {
        st = ney_path_new(&e->whole.path, &e->env, train, o, err);
    }
    if (st == NEY_OK && test) {
        e->whole.look = test;
        st = ney_half_init(&e->whole, &e->env, err);
    }
    e->centre = even_share(train);
    e->share_pos =
        e->half[0].look ? (double)e->half[0].n[1] / (double)(e->half[0].n[0] + e->half[0].n[1]) : 0;
    return st;
}

static ney_status explore(ney_exploration *e, ney_error *err)
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

/* Validation rows leave nothing to split. */
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

ney_status ney_explore(ney_exploration **out, const ney_env *env, const ney_data *train,
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
    o.cost_fn = o.cost_fp = 1; /* they choose, a path has all costs */
    ney_params_init(params, sizeof params / sizeof *params, &e->o);
    if (explore_opts) {
        e->o = *explore_opts;
    }
    st = ney_params_check(params, sizeof params / sizeof *params, &e->o, err);
    if (st == NEY_OK) {
        st = check_splits(&e->o, valid, err);
    }
    if (st == NEY_OK && (st = begin(e, train, valid, test, &o, err)) == NEY_OK &&
        (st = explore(e, err)) == NEY_OK) {
        if (!e->whole.path) { /* the half has learned from everything */
            e->whole.path = e->half[0].path;
            e->half[0].path = NULL;
        }
        e->path = e->whole.path;
        if ((st = finish(e, err)) == NEY_OK) {
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
    for (int64_t k = 0; e->half && k < e->n_halves; k++) {
        ney_half_deinit(&e->half[k], &env);
    }
    ney_half_deinit(&e->whole, &env);
    for (int k = 0; k < 3; k++) {
        ney_data_free(e->own[k]);
    }
    for (int k = 0; k < NEY_N_CURVES; k++) {
        ney_release(&env, e->curve[k].point);
    }
    ney_release(&env, e->half);
    ney_release(&env, e);
}

const ney_curve *ney_exploration_curve(const ney_exploration *e, ney_curve_kind kind)
{
    return &e->curve[kind];
}

double ney_exploration_residual(const ney_exploration *e)
{
    double worst = ney_path_residual(e->path);
    for (int64_t k = 0; k < e->n_halves; k++) {
        const double own = e->half[k].path ? ney_path_residual(e->half[k].path) : 0;
        worst = own <= worst ? worst : own;
    }
    return worst;
}

ney_path *ney_exploration_path(const ney_exploration *e)
{
    return e->path;
}

ney_cost_pair ney_exploration_best(const ney_exploration *e, double *cost)
{
    *cost = e->best_cost;
    return costs_of(e->best, e->centre);
}
