#include "support/random_training.h"

#include "data/data.h"
#include "data/preprocessing.h"
#include "support/random_data.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 10 to a power between `low` and `high`. */
static double between(rnd *r, double low, double high)
{
    return pow(10, low + (high - low) * rnd_unit(r));
}

static double normal(rnd *r)
{
    const double a = rnd_unit(r), b = rnd_unit(r);
    return sqrt(-2 * log(a + 1e-300)) * cos(6.283185307179586 * b);
}

/* ---------------------------------------------------------------- data */

static int64_t random_rows(rnd *r)
{
    const int64_t kind = rnd_below(r, 100);
    return kind < 3    ? 1 + rnd_below(r, 2)
           : kind < 50 ? 2 + rnd_below(r, 15)
           : kind < 96 ? 2 + rnd_below(r, 60)
           : kind < 99 ? 100 + rnd_below(r, 200)
                       : 300 + rnd_below(r, 701);
}

static int64_t random_cols(rnd *r, int64_t rows)
{
    const int64_t kind = rnd_below(r, 100);
    return kind < 5                 ? 0
           : kind < 60              ? 1 + rnd_below(r, 4)
           : kind < 97 || rows > 60 ? 1 + rnd_below(r, 20)
                                    : 257 + rnd_below(r, 60);
}

/* What a column holds: a law of its own, or nothing but one value. */
typedef struct column {
    int kind;
    double scale, offset, shift; /* shift: between the classes */
} column;

static column random_column(rnd *r, int extreme)
{
    column c = {.kind = (int)rnd_below(r, 8), .scale = 1};
    c.shift = rnd_chance(r, 0.5) ? 2 * normal(r) : 0;
    c.offset = rnd_chance(r, 0.2) ? 10 * normal(r) : 0;
    if (extreme == 1) { /* one magnitude for every column */
        c.scale = between(r, -10, 10);
    } else if (extreme == 2) {
        c.scale = between(r, -44, 38);
    } else if (extreme == 3) { /* far from zero */
        c.offset = between(r, 3, 8);
    } else if (extreme == 4) {
        c.scale = rnd_chance(r, 0.5) ? 1e7 : 1;
    }
    return c;
}

static double random_value(rnd *r, const column *c, int label)
{
    double v;
    switch (c->kind) {
    case 0:
        v = 1; /* constant */
        break;
    case 1:
        v = (double)rnd_below(r, 3) - 1; /* ties */
        break;
    case 2:
        v = rnd_chance(r, 0.8) ? 0 : normal(r);
        break;
    case 3:
        v = exp(3 * normal(r));
        break;
    default:
        v = normal(r);
    }
    return c->kind == 0 ? c->scale + c->offset : c->offset + c->scale * (v + label * c->shift);
}

static float to_float(double v)
{
    return (float)fmin(fmax(v, -(double)FLT_MAX), (double)FLT_MAX);
}

static void fill_labels(random_training *t, rnd *r)
{
    const double share = rnd_chance(r, 0.3) ? rnd_unit(r) : 0.5;
    const bool one_class = rnd_chance(r, 0.03);
    for (int64_t i = 0; i < t->rows; i++) {
        t->label[i] = !one_class && rnd_chance(r, share) ? 1 : -1;
    }
    if (!one_class && t->rows > 1 && rnd_chance(r, 0.95)) {
        t->label[0] = 1;
        t->label[1] = -1;
    }
}

static void fill_weights(random_training *t, rnd *r)
{
    const int64_t kind = rnd_below(r, 4);
    const int zero = rnd_chance(r, 0.1) ? (rnd_chance(r, 0.5) ? 1 : -1) : 0; /* a whole class */
    for (int64_t i = 0; i < t->rows; i++) {
        const double w = kind == 0   ? (double)rnd_below(r, 3)
                         : kind == 1 ? between(r, -30, 30)
                         : kind == 2 ? between(r, -3, 3)
                                     : between(r, -44, 38);
        t->weight[i] = t->label[i] == zero || rnd_chance(r, 0.05) ? 0 : to_float(w);
    }
}

static void fill_values(random_training *t, rnd *r)
{
    const int extreme = rnd_chance(r, 0.6) ? 0 : 1 + (int)rnd_below(r, 4);
    for (int64_t j = 0; j < t->cols; j++) {
        const column c = random_column(r, extreme);
        for (int64_t i = 0; i < t->rows; i++) {
            t->x[i * t->cols + j] = to_float(random_value(r, &c, t->label[i]));
        }
    }
    if (extreme == 1 && rnd_chance(r, 0.5)) {
        const double scale = between(r, -30, 30);
        for (int64_t k = 0; k < t->rows * t->cols; k++) {
            t->x[k] = to_float(scale * (double)t->x[k]);
        }
    }
    const double repeated = rnd_chance(r, 0.3) ? rnd_unit(r) : 0; /* with either label */
    for (int64_t i = 1; i < t->rows; i++) {
        if (rnd_chance(r, repeated)) {
            memcpy(t->x + i * t->cols, t->x + rnd_below(r, i) * t->cols,
                   (size_t)t->cols * sizeof *t->x);
        }
    }
}

/* ---------------------------------------------------------------- options */

static double often(rnd *r, double usual, double low, double high)
{
    return rnd_chance(r, 0.6) ? usual : between(r, low, high);
}

static double random_rate(rnd *r)
{
    static const double special[] = {0, 1e-9, 0.01, 0.05, 0.5, 0.99, 1 - 1e-9, 1};
    return rnd_chance(r, 0.4) ? special[rnd_below(r, 8)] : rnd_unit(r) * rnd_unit(r);
}

static void random_goal(random_training *t, rnd *r)
{
    ney_train_opts *const o = &t->opts;
    const int64_t goal = rnd_below(r, 100);
    if (goal < 40) { /* costs */
        o->method = rnd_chance(r, 0.3) ? NEY_METHOD_ACTIVESET : NEY_METHOD_AUTO;
    } else if (goal < 75) {
        double *const bound = rnd_chance(r, 0.5) ? &o->max_fpr : &o->max_fnr;
        *bound = random_rate(r);
        o->method = (ney_method)rnd_below(r, NEY_METHOD_ONLINE + 1);
        o->method = o->method == NEY_METHOD_ACTIVESET ? NEY_METHOD_AUTO : o->method;
    } else if (goal < 80) {
        o->max_fpr = random_rate(r);
        o->max_fnr = random_rate(r);
        o->method = rnd_chance(r, 0.5) ? NEY_METHOD_ACTIVESET : NEY_METHOD_AUTO;
    } else if (goal < 88) {
        snprintf(t->max_fdr, sizeof t->max_fdr, "%g", fmin(0.9, fmax(1e-6, random_rate(r))));
        o->max_fdr = t->max_fdr;
        o->method = rnd_chance(r, 0.3) ? NEY_METHOD_ONLINE : NEY_METHOD_AUTO;
    } else {
        o->reject_cost = rnd_chance(r, 0.8) ? 0.5 * rnd_unit(r) + 1e-9 : between(r, -12, 12);
        o->rule = rnd_chance(r, 0.3) ? NEY_RULE_BARTLETT_WEGKAMP : NEY_RULE_GRANDVALET;
        o->method = rnd_chance(r, 0.3)   ? NEY_METHOD_ACTIVESET
                    : rnd_chance(r, 0.4) ? NEY_METHOD_ONLINE
                                         : NEY_METHOD_AUTO;
    }
    if (o->rule == NEY_RULE_GRANDVALET) {
        o->cost_fn = often(r, 1, -12, 12);
        o->cost_fp = often(r, 1, -12, 12);
        if (rnd_chance(r, 0.5)) {
            o->reject_cost *= fmin(o->cost_fn, o->cost_fp);
        }
    }
    o->confidence = rnd_chance(r, 0.7) ? (double)NAN : rnd_chance(r, 0.5) ? 0.95 : 0.5;
}

static void random_family(random_training *t, rnd *r)
{
    ney_train_opts *const o = &t->opts;
    const int64_t family = rnd_below(r, 10);
    if (family == 0) {
        o->network[0] = 1 + rnd_below(r, 8);
        o->network[1] = o->max_fdr || rnd_chance(r, 0.5) ? 0 : 1 + rnd_below(r, 4);
        o->activation =
            !o->max_fdr && rnd_chance(r, 0.5) ? NEY_ACTIVATION_RELU : NEY_ACTIVATION_TANH;
    } else if (family == 1) {
        o->features = 1 + rnd_below(r, 32);
    } else if (family < 6) {
        o->kernel = (ney_kernel_kind)rnd_below(r, NEY_KERNEL_SIGMOID + 1);
    }
    o->gamma = often(r, 0, -12, 12);
    if (!rnd_chance(r, 0.6)) {
        const int sign = rnd_chance(r, 0.5) ? 1 : -1;
        o->coef0 = sign * between(r, -12, 12);
    }
    o->degree = rnd_chance(r, 0.9) ? 1 + rnd_below(r, 5) : 1 + rnd_below(r, 100);
}

static void random_options(random_training *t, rnd *r)
{
    ney_train_opts *const o = &t->opts;
    int64_t n;
    const ney_param *const params = ney_train_params(&n);
    ney_params_init(params, n, o);
    random_goal(t, r);
    random_family(t, r);
    o->C = rnd_chance(r, 0.5) ? between(r, -2, 2) : between(r, -12, 12);
    o->tol = rnd_chance(r, 0.7) ? o->tol : between(r, -12, 0);
    o->eta = rnd_chance(r, 0.8) ? o->eta : between(r, -6, 6);
    o->at_k = rnd_chance(r, 0.5) ? 0 : 1 + rnd_below(r, t->rows);
    o->start = rnd_chance(r, 0.8) ? 0 : 1 + rnd_below(r, 100);
    o->seed = 1 + rnd_below(r, 100);
    o->loss = rnd_chance(r, 0.3);
    o->epochs = rnd_chance(r, 0.8) ? 1 + rnd_below(r, 3) : 0;
    o->batch = rnd_chance(r, 0.5) ? 0 : 1 + rnd_below(r, 40);
    o->cache = rnd_chance(r, 0.8) ? 16 : between(r, -3, 0);
    o->conformal = rnd_chance(r, 0.05);
    o->conformal_folds = rnd_chance(r, 0.03) ? 2 + rnd_below(r, 3) : 0;
    o->max_iter = rnd_chance(r, 0.95) ? 0 : rnd_below(r, 1000);
    ney_train_trim(o);
}

/* ---------------------------------------------------------------- wide runs */

static ney_method method_named(const char *name)
{
    ney_method_info info;
    for (int k = 0; ney_method_get(k, &info, sizeof info); k++) {
        if (strcmp(info.name, name) == 0) {
            return (ney_method)k;
        }
    }
    return NEY_METHOD_AUTO;
}

/* Enough rows, and few enough columns, for the Newton steps of a bounded rate. */
static void widen_rows(random_training *t, rnd *r)
{
    if (rnd_chance(r, 0.08)) {
        t->rows = 200 + rnd_below(r, 801);
        t->cols = 1 + rnd_below(r, 12);
    }
}

static void widen_values(random_training *t, rnd *r)
{
    static const ney_missing kinds[] = {NEY_MISSING_MEAN, NEY_MISSING_MEDIAN, NEY_MISSING_INDICATOR,
                                        NEY_MISSING_KEEP};
    t->scaling = rnd_chance(r, 0.4) ? NEY_SCALING_NONE : (int)rnd_below(r, NEY_SCALING_AUTO + 1);
    t->missing = rnd_chance(r, 0.3) ? kinds[rnd_below(r, 4)] : NEY_MISSING_ERROR;
    const double share = rnd_chance(r, 0.1) ? 1 : rnd_unit(r) * rnd_unit(r);
    for (int64_t k = 0; t->missing && k < t->rows * t->cols; k++) {
        t->x[k] = rnd_chance(r, share) ? NAN : t->x[k];
    }
}

static void widen_options(random_training *t, rnd *r)
{
    ney_train_opts *const o = &t->opts;
    const bool bounds = !isnan(o->max_fpr) || !isnan(o->max_fnr) || o->max_fdr;
    if (t->rows >= 200) {
        o->kernel = NEY_KERNEL_LINEAR;
        o->C = rnd_chance(r, 0.7) ? between(r, -1, 2) : o->C;
    }
    if (rnd_chance(r, t->missing == NEY_MISSING_KEEP ? 0.8 : 0.04)) {
        o->trees = rnd_chance(r, 0.2) ? -1 : 1 + rnd_below(r, 8);
        o->depth = 1 + rnd_below(r, 4);
        o->learning_rate = rnd_chance(r, 0.8) ? o->learning_rate : between(r, -6, 0);
        o->subsample = rnd_chance(r, 0.7) ? 1 : 0.01 + 0.99 * rnd_unit(r);
        o->min_child = rnd_chance(r, 0.7) ? o->min_child : between(r, -6, 6);
        o->network[0] = o->network[1] = o->features = 0;
        o->activation = NEY_ACTIVATION_TANH;
        o->kernel = NEY_KERNEL_LINEAR;
        o->method = bounds && rnd_chance(r, 0.5) ? method_named("lagrangian") : NEY_METHOD_AUTO;
    } else if (!bounds && isnan(o->reject_cost) && rnd_chance(r, 0.25)) {
        o->method = method_named("ramp");
        o->network[0] = o->network[1] = o->features = 0;
        o->activation = NEY_ACTIVATION_TANH;
        o->eta = rnd_chance(r, 0.7) ? o->eta : between(r, -6, 6);
    }
    if (t->missing == NEY_MISSING_KEEP && (o->trees == 0 || o->max_fdr)) {
        t->missing = NEY_MISSING_MEDIAN; /* the others need a number in every cell */
    }
    o->calibrate = rnd_chance(r, 0.05) ? 0.05 + 0.9 * rnd_unit(r) : (double)NAN;
    o->calibrate_folds = rnd_chance(r, 0.03) ? 2 + rnd_below(r, 3) : 0;
    o->training_rows = rnd_chance(r, 0.3) ? 1 + rnd_below(r, t->rows) : 0;
    ney_train_trim(o);
}

void random_training_init(random_training *t, int64_t seed)
{
    rnd r = rnd_new((uint64_t)seed);
    const bool is_wide = seed >= RANDOM_TRAINING_WIDE;
    *t = (random_training){.seed = seed};
    t->rows = random_rows(&r);
    t->cols = random_cols(&r, t->rows);
    if (is_wide) {
        widen_rows(t, &r);
    }
    t->is_sparse = rnd_chance(&r, 0.4);
    t->is_weighted = rnd_chance(&r, 0.4);
    t->x = calloc((size_t)(t->rows * t->cols) + 1, sizeof *t->x);
    t->weight = calloc((size_t)t->rows, sizeof *t->weight);
    t->label = calloc((size_t)t->rows, sizeof *t->label);
    fill_labels(t, &r);
    fill_values(t, &r);
    fill_weights(t, &r);
    t->scaling = rnd_chance(&r, 0.5) ? NEY_SCALING_NONE : (int)rnd_below(&r, NEY_SCALING_UNIT + 1);
    random_options(t, &r);
    if (is_wide) {
        widen_values(t, &r);
        widen_options(t, &r);
    }
}

void random_training_free(random_training *t)
{
    free(t->x);
    free(t->weight);
    free(t->label);
}

/* Only an array may have missing cells. */
static ney_status data_with_missing(const random_training *t, const ney_env *env, ney_data **out,
                                    ney_error *err)
{
    const ney_array x = {
        .rows = t->rows, .cols = t->cols, .value = t->x, .value_type = NEY_FLOAT32};
    ney_status st = ney_data_from_array(out, env, &x, NULL, err);
    if (st == NEY_OK && (st = ney_data_set_labels(*out, t->label, NULL, NULL, err)) == NEY_OK &&
        t->is_weighted) {
        st = ney_data_set_weights(*out, t->weight, err);
    }
    if (st == NEY_OK && !ney_preprocessing_set_missing((*out)->preprocessing, t->missing)) {
        st = NEY_ENOMEM;
    }
    return st;
}

ney_status random_training_data(const random_training *t, const ney_env *env, ney_data **out,
                                ney_error *err)
{
    if (t->missing) {
        return data_with_missing(t, env, out, err);
    }
    const size_t cells = (size_t)(t->rows * t->cols) + 1;
    int64_t *const start = calloc((size_t)t->rows + 1, sizeof *start), k = 0;
    int32_t *const index = calloc(cells, sizeof *index);
    float *const value = calloc(cells, sizeof *value);
    ney_matrix x = {.rows = t->rows, .cols = t->cols, .dense = t->x};
    for (int64_t i = 0; t->is_sparse && i < t->rows; i++) {
        for (int64_t j = 0; j < t->cols; j++) {
            const float v = t->x[i * t->cols + j];
            if (v != 0) {
                index[k] = (int32_t)j;
                value[k++] = v;
            }
        }
        start[i + 1] = k;
    }
    if (t->is_sparse) {
        x = (ney_matrix){
            .rows = t->rows, .cols = t->cols, .start = start, .index = index, .value = value};
    }
    const ney_status st =
        ney_data_new(out, env, &x, t->label, t->is_weighted ? t->weight : NULL, err);
    free(start);
    free(index);
    free(value);
    return st;
}

static void append(char *to, size_t size, const char *name, double value)
{
    const size_t used = strlen(to);
    snprintf(to + used, size - used, " %s=%.9g", name, value);
}

void random_training_describe(const random_training *t, char *to, size_t size)
{
    int64_t n;
    const ney_param *const params = ney_train_params(&n);
    snprintf(to, size, "seed %lld: %lld x %lld%s%s scaling=%d missing=%d", (long long)t->seed,
             (long long)t->rows, (long long)t->cols, t->is_sparse ? " sparse" : "",
             t->is_weighted ? " weighted" : "", t->scaling, (int)t->missing);
    for (int64_t k = 0; k < n; k++) {
        const char *const field = (const char *)&t->opts + params[k].offset;
        double v;
        if (ney_param_is_default(&params[k], &t->opts) &&
            strcmp(params[k].name, "confidence") != 0) {
            continue;
        }
        if (params[k].kind == NEY_KIND_REAL) {
            memcpy(&v, field, sizeof v);
            append(to, size, params[k].name, v);
        } else if (params[k].kind == NEY_KIND_INT) {
            int64_t whole;
            memcpy(&whole, field, sizeof whole);
            append(to, size, params[k].name, (double)whole);
        } else if (params[k].kind == NEY_KIND_CHOICE) {
            int choice;
            memcpy(&choice, field, sizeof choice);
            append(to, size, params[k].name, choice);
        } else if (params[k].kind == NEY_KIND_FLAG) {
            append(to, size, params[k].name, 1);
        } else {
            append(to, size, params[k].name, atof(t->max_fdr));
        }
    }
}
