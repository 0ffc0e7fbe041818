/* A weighted sum of score functions of one family is one of that family: weights are added, support
 * vectors, hidden units and trees put side by side. */
#include "data/data.h"
#include "model/folds.h"
#include "model/online.h"
#include "model/trees.h"

#include <string.h>

typedef struct sum {
    const ney_env *env;
    ney_model *const *model;
    const double *scale, *shift;
    int n;
} sum;

static ney_status sum_linear(ney_model **out, const sum *s, ney_error *err)
{
    const ney_preprocessing *const preprocessing = s->model[0]->preprocessing;
    const int64_t cols = ney_preprocessing_cols(preprocessing);
    double *w = ney_alloc_zeroed(s->env, cols, sizeof *w), b = 0;
    if (!w) {
        return ney_no_memory(err, cols, "weights");
    }
    for (int k = 0; k < s->n; k++) {
        double intercept;
        const double *const own = ney_model_weights(s->model[k], &intercept);
        for (int64_t c = 0; c < cols; c++) {
            w[c] += s->scale[k] * own[c];
        }
        b += s->scale[k] * intercept + s->shift[k];
    }
    const ney_status st = ney_model_new_linear(out, s->env, preprocessing, w, b, err);
    ney_release(s->env, w);
    return st;
}

/* The units of all models side by side, those of the first model first. */
static ney_network shape_of_sum(const sum *s)
{
    const double *w, *b;
    ney_network all = {.cols = 0};
    for (int k = 0; k < s->n; k++) {
        ney_network own;
        (void)ney_model_network(s->model[k], &own, &w, &b);
        for (int l = 0; l < NEY_MOST_LAYERS; l++) {
            all.units[l] += own.units[l];
        }
        all.cols = own.cols;
        all.activation = own.activation;
    }
    return all;
}

/* Put a network into a larger one, with its units of layer l from begin[l] on; between units of two
 * networks weights stay 0. */
static void place_network(const ney_network *own, const double *w, const double *b,
                          const int64_t *begin, const ney_network *all, double *weight,
                          double *bias)
{
    for (int l = 0; l < ney_network_layers(own); l++) {
        const int64_t H = own->units[l], first = l > 0 ? begin[l - 1] : 0;
        const double *const from = w + ney_network_weight_at(own, l);
        double *const to = weight + ney_network_weight_at(all, l);
        for (int64_t c = 0; c < ney_network_inputs(own, l); c++) {
            memcpy(to + (first + c) * all->units[l] + begin[l], from + c * H,
                   (size_t)H * sizeof *w);
        }
        memcpy(bias + ney_network_bias_at(all, l) + begin[l], b + ney_network_bias_at(own, l),
               (size_t)H * sizeof *b);
    }
}

static ney_status sum_networks(ney_model **out, const sum *s, ney_error *err)
{
    const ney_network all = shape_of_sum(s);
    const int L = ney_network_layers(&all);
    const int64_t n = ney_network_weights(&all), m = ney_network_biases(&all);
    int64_t begin[NEY_MOST_LAYERS] = {0};
    double *weight = ney_alloc_zeroed(s->env, n + m, sizeof *weight);
    if (!weight) {
        return ney_no_memory(err, n, "weights");
    }
    double *const bias = weight + n, *const top = weight + ney_network_weight_at(&all, L);
    for (int k = 0; k < s->n; k++) {
        const double *w, *b;
        ney_network own;
        (void)ney_model_network(s->model[k], &own, &w, &b);
        place_network(&own, w, b, begin, &all, weight, bias);
        for (int64_t j = 0; j < own.units[L - 1]; j++) {
            top[begin[L - 1] + j] = s->scale[k] * w[ney_network_weight_at(&own, L) + j];
        }
        bias[m - 1] += s->scale[k] * b[ney_network_units(&own)] + s->shift[k];
        for (int l = 0; l < L; l++) {
            begin[l] += own.units[l];
        }
    }
    const ney_status st =
        ney_model_new_network(out, s->env, s->model[0]->preprocessing, &all, weight, bias, err);
    ney_release(s->env, weight);
    return st;
}

/* Rows of one model after those of the other, sparse if one of them is. */
static void copy_rows(const ney_matrix *x, int64_t cols, int64_t *start, int32_t *index,
                      float *value, int64_t *entries)
{
    for (int64_t r = 0; r < x->rows; r++) {
        const int64_t begin = x->dense ? 0 : x->start[r];
        const int64_t end = x->dense ? (x->cols < cols ? x->cols : cols) : x->start[r + 1];
        for (int64_t k = begin; k < end; k++) {
            const float v = x->dense ? x->dense[r * x->cols + k] : x->value[k];
            if (v != 0) {
                index[*entries] = x->dense ? (int32_t)k : x->index[k];
                value[(*entries)++] = v;
            }
        }
        start[r + 1] = *entries;
    }
}

static ney_status sum_kernels(ney_model **out, const sum *s, ney_error *err)
{
    const ney_preprocessing *const preprocessing = s->model[0]->preprocessing;
    const int64_t cols = ney_preprocessing_cols(preprocessing);
    int64_t rows = 0, most = 0, at = 0, entries = 0;
    const double *own;
    ney_kernel kernel;
    ney_matrix x;
    double intercept, b = 0;
    ney_status st;

    for (int k = 0; k < s->n; k++) {
        (void)ney_model_kernel(s->model[k], &kernel, &x, &own, &intercept);
        rows += x.rows;
        most += x.dense ? x.rows * x.cols : x.start[x.rows];
    }
    int64_t *start = ney_alloc_zeroed(s->env, rows + 1, sizeof *start);
    int32_t *index = ney_alloc(s->env, most, sizeof *index);
    float *value = ney_alloc(s->env, most, sizeof *value);
    double *coefficient = ney_alloc(s->env, rows, sizeof *coefficient);
    if (!start || !index || !value || !coefficient) {
        st = ney_no_memory(err, rows, "support vectors");
        goto done;
    }
    for (int k = 0; k < s->n; k++) {
        (void)ney_model_kernel(s->model[k], &kernel, &x, &own, &intercept);
        copy_rows(&x, cols, start + at, index, value, &entries);
        for (int64_t r = 0; r < x.rows; r++) {
            coefficient[at++] = s->scale[k] * own[r];
        }
        b += s->scale[k] * intercept + s->shift[k];
    }
    const ney_matrix all = {
        .rows = rows, .cols = cols, .start = start, .index = index, .value = value};
    st = ney_model_new_kernel(out, s->env, preprocessing, &kernel, &all, coefficient, b, err);

done:
    ney_release_all(s->env, coefficient, value, index, start);
    return st;
}

static ney_status sum_trees(ney_model **out, const sum *s, ney_error *err)
{
    const ney_trees **trees = ney_alloc(s->env, s->n, sizeof *trees);
    ney_trees *all = NULL;
    if (!trees) {
        return ney_no_memory(err, s->n, "models");
    }
    for (int k = 0; k < s->n; k++) {
        trees[k] = ney_model_trees(s->model[k]);
    }
    ney_status st = ney_trees_sum(&all, s->env, trees, s->scale, s->shift, s->n, err);
    if (st == NEY_OK) {
        st = ney_model_new_trees(out, s->env, s->model[0]->preprocessing, all, err);
    }
    ney_release(s->env, trees);
    return st;
}

/* Networks of as many layers, of the same activation. */
static bool same_layers(const ney_model *a, const ney_model *b)
{
    const double *w, *bias;
    ney_network first, other;
    return !ney_model_network(a, &first, &w, &bias) || !ney_model_network(b, &other, &w, &bias) ||
           (ney_network_layers(&first) == ney_network_layers(&other) &&
            first.activation == other.activation);
}

static bool same_kernels(const sum *s)
{
    ney_kernel first, other;
    const double *own;
    ney_matrix x;
    double b;
    for (int k = 0; k < s->n; k++) {
        if (s->model[k]->family != s->model[0]->family || !same_layers(s->model[0], s->model[k])) {
            return false;
        }
        if (ney_model_kernel(s->model[0], &first, &x, &own, &b) &&
            ney_model_kernel(s->model[k], &other, &x, &own, &b) &&
            (first.kind != other.kind || first.gamma != other.gamma || first.coef0 != other.coef0 ||
             first.degree != other.degree)) {
            return false;
        }
    }
    return true;
}

ney_status ney_model_sum(ney_model **out, const ney_env *env, ney_model *const *model,
                         const double *scale, const double *shift, int n, ney_error *err)
{
    const sum s = {env, model, scale, shift, n};
    ney_network shape;
    const double *w, *b;
    *out = NULL;
    if (!same_kernels(&s)) {
        return ney_fail(err, NEY_EINVAL,
                        "models of different families, kernels or layers have no sum");
    }
    if (ney_model_weights(model[0], NULL)) {
        return sum_linear(out, &s, err);
    }
    if (ney_model_trees(model[0])) {
        return sum_trees(out, &s, err);
    }
    return ney_model_network(model[0], &shape, &w, &b) ? sum_networks(out, &s, err)
                                                       : sum_kernels(out, &s, err);
}
