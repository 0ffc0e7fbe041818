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

/* Units of the first model come first, column by column. */
static ney_status sum_networks(ney_model **out, const sum *s, ney_error *err)
{
    const ney_preprocessing *const preprocessing = s->model[0]->preprocessing;
    const int64_t cols = ney_preprocessing_cols(preprocessing);
    const double *w, *b;
    int64_t units = 0, H, at = 0;
    for (int k = 0; k < s->n; k++) {
        (void)ney_model_network(s->model[k], &H, &w, &b);
        units += H;
    }
    double *weight = ney_alloc_zeroed(s->env, (cols + 2) * units + 1, sizeof *weight);
    if (!weight) {
        return ney_no_memory(err, units, "units");
    }
    double *const bias = weight + (cols + 1) * units;
    for (int k = 0; k < s->n; k++, at += H) {
        (void)ney_model_network(s->model[k], &H, &w, &b);
        for (int64_t c = 0; c < cols; c++) {
            memcpy(weight + c * units + at, w + c * H, (size_t)H * sizeof *w);
        }
        memcpy(bias + at, b, (size_t)H * sizeof *b);
        for (int64_t j = 0; j < H; j++) {
            weight[cols * units + at + j] = s->scale[k] * w[cols * H + j];
        }
        bias[units] += s->scale[k] * b[H] + s->shift[k];
    }
    const ney_status st =
        ney_model_new_network(out, s->env, preprocessing, units, weight, bias, err);
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

static bool same_kernels(const sum *s)
{
    ney_kernel first, other;
    const double *own;
    ney_matrix x;
    double b;
    for (int k = 0; k < s->n; k++) {
        if (s->model[k]->family != s->model[0]->family) {
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
    int64_t units;
    const double *w, *b;
    *out = NULL;
    if (!same_kernels(&s)) {
        return ney_fail(err, NEY_EINVAL, "models of different families or kernels have no sum");
    }
    if (ney_model_weights(model[0], NULL)) {
        return sum_linear(out, &s, err);
    }
    if (ney_model_trees(model[0])) {
        return sum_trees(out, &s, err);
    }
    return ney_model_network(model[0], &units, &w, &b) ? sum_networks(out, &s, err)
                                                       : sum_kernels(out, &s, err);
}
