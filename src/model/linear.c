/* The linear family: f(x) = w'x + b. */
#include "linalg/rows.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

static void free_part(const ney_env *env, void *part)
{
    ney_linear *const linear = part;
    if (linear) {
        ney_release(env, linear->weight);
        ney_release(env, linear);
    }
}

/* Room for `cols` weights, all zero; NULL when there is no memory. */
static ney_linear *new_part(const ney_env *env, int64_t cols)
{
    ney_linear *linear = ney_alloc_zeroed(env, 1, sizeof *linear);
    if (!linear) {
        return NULL;
    }
    linear->cols = cols;
    linear->weight = ney_alloc_zeroed(env, cols, sizeof *linear->weight);
    if (!linear->weight) {
        free_part(env, linear);
        return NULL;
    }
    return linear;
}

static void format(const void *part, ney_text *text)
{
    const ney_linear *const linear = part;
    ney_text_put(text, "intercept ");
    ney_text_number(text, linear->intercept);
    ney_text_put(text, "\nweights ");
    ney_text_int(text, linear->cols);
    ney_text_put(text, "\n");
    for (int64_t j = 0; j < linear->cols; j++) {
        ney_text_put(text, " ");
        ney_text_number(text, linear->weight[j]);
        ney_text_put(text, "\n");
    }
}

static double finite_number(ney_fields *f, const char *what)
{
    const double value = ney_fields_number(f);
    if (!isfinite(value)) {
        ney_fields_fail(f, "the %s is %g, expected a finite number", what, value);
    }
    ney_fields_end(f);
    return value;
}

static void *parse(ney_fields *f, int64_t cols)
{
    ney_fields_key(f, "intercept");
    const double intercept = finite_number(f, "intercept");
    ney_fields_key(f, "weights");
    const int64_t n = ney_fields_int(f, 0, INT64_MAX);
    ney_fields_end(f);
    if (n != cols) {
        ney_fields_fail(f, "%lld weights, expected one for each of %lld columns", (long long)n,
                        (long long)cols);
    } else if (n > (f->end - f->at) / 3) { /* a space, a digit and a newline at least */
        ney_fields_fail(f, "expected %lld weights, the file is shorter", (long long)n);
    }
    if (f->status != NEY_OK) {
        return NULL;
    }
    ney_linear *linear = new_part(f->env, cols);
    if (!linear) {
        f->status = ney_no_memory(f->err, cols, "weights");
        return NULL;
    }
    linear->intercept = intercept;
    for (int64_t j = 0; j < cols && f->status == NEY_OK; j++) {
        linear->weight[j] = finite_number(f, "weight");
    }
    if (f->status != NEY_OK) {
        free_part(f->env, linear);
        return NULL;
    }
    return linear;
}

static void score_block(const void *part, const ney_matrix *x, int64_t first, int64_t n,
                        double *out, void *scratch)
{
    const ney_linear *const linear = part;
    (void)scratch;
    for (int64_t i = 0; i < n; i++) {
        out[i] = ney_row_dot(x, first + i, linear->weight, linear->cols) + linear->intercept;
    }
}

const ney_family ney_family_linear = {
    .name = "linear",
    .format = format,
    .parse = parse,
    .score_block = score_block,
    .free = free_part,
};

ney_status ney_model_new_linear(ney_model **out, const ney_env *env, const ney_recipe *recipe,
                                const double *weight, double intercept, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    const int64_t cols = ney_recipe_cols(recipe);
    ney_recipe *copy = NULL;
    ney_model *m = NULL;
    ney_linear *linear = NULL;
    ney_status st;

    *out = NULL;
    if (!isfinite(intercept)) {
        return ney_fail(err, NEY_EINVAL, "the intercept is %g, expected a finite number",
                        intercept);
    }
    for (int64_t j = 0; j < cols; j++) {
        if (!isfinite(weight[j])) {
            return ney_fail(err, NEY_EINVAL, "weight %lld is %g, expected a finite number",
                            (long long)j + 1, weight[j]);
        }
    }
    if ((st = ney_recipe_copy(&copy, &e, recipe, err)) != NEY_OK ||
        (st = ney_model_new(&m, &e, copy, &ney_family_linear, err)) != NEY_OK) {
        return st;
    }
    if (!(linear = new_part(&e, cols))) {
        ney_model_free(m);
        return ney_no_memory(err, cols, "weights");
    }
    linear->intercept = intercept;
    memcpy(linear->weight, weight, (size_t)cols * sizeof *weight);
    m->part = linear;
    *out = m;
    return NEY_OK;
}

const double *ney_model_weights(const ney_model *model, double *intercept)
{
    if (model->family != &ney_family_linear) {
        return NULL;
    }
    const ney_linear *const linear = model->part;
    if (intercept) {
        *intercept = linear->intercept;
    }
    return linear->weight;
}
