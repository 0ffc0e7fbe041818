/* The linear family: f(x) = w'x + b. */
#include "linalg/rows.h"
#include "model/model.h"
#include "model/numbers.h"

#include <math.h>
#include <string.h>

static void linear_free(const ney_env *env, void *part)
{
    ney_linear *const linear = part;
    if (linear) {
        ney_release(env, linear->weight);
        ney_release(env, linear);
    }
}

/* Allocate `cols` weights, all zero; NULL without memory. */
static ney_linear *linear_new(const ney_env *env, int64_t cols)
{
    ney_linear *linear = ney_alloc_zeroed(env, 1, sizeof *linear);
    if (!linear) {
        return NULL;
    }
    linear->cols = cols;
    linear->weight = ney_alloc_zeroed(env, cols, sizeof *linear->weight);
    if (!linear->weight) {
        linear_free(env, linear);
        return NULL;
    }
    return linear;
}

static void linear_format(const void *part, ney_text *text)
{
    const ney_linear *const linear = part;
    ney_text_line_number(text, "intercept", linear->intercept);
    ney_text_line_int(text, "weights", linear->cols);
    for (int64_t j = 0; j < linear->cols; j++) {
        ney_text_field_number(text, linear->weight[j]);
        ney_text_put(text, "\n");
    }
}

static void *linear_parse(ney_fields *f, int64_t cols)
{
    const double intercept = ney_finite_line(f, "intercept");
    const int64_t n = ney_fields_int_line(f, "weights", 0, INT64_MAX);
    if (n != cols) {
        ney_fields_fail(f, "%lld weights, expected one for each of %lld columns", (long long)n,
                        (long long)cols);
    } else if (n > (f->end - f->at) / 3) { /* a space, a digit and a newline at least */
        ney_fields_fail(f, "expected %lld weights, the file is shorter", (long long)n);
    }
    if (f->status != NEY_OK) {
        return NULL;
    }
    ney_linear *linear = linear_new(f->env, cols);
    if (!linear) {
        f->status = ney_no_memory(f->err, cols, "weights");
        return NULL;
    }
    linear->intercept = intercept;
    for (int64_t j = 0; j < cols && f->status == NEY_OK; j++) {
        linear->weight[j] = ney_finite(f, "weight");
        ney_fields_end(f);
    }
    if (f->status != NEY_OK) {
        linear_free(f->env, linear);
        return NULL;
    }
    return linear;
}

static void linear_score_block(const void *part, const ney_matrix *x, int64_t first, int64_t n,
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
    .format = linear_format,
    .parse = linear_parse,
    .score_block = linear_score_block,
    .free = linear_free,
};

ney_status ney_model_new_linear(ney_model **out, const ney_env *env,
                                const ney_preprocessing *preprocessing, const double *weight,
                                double intercept, ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out && preprocessing && weight, err);
    const ney_env e = ney_env_of(env);
    const int64_t cols = ney_preprocessing_cols(preprocessing);
    ney_linear *linear = NULL;

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
    if (!(linear = linear_new(&e, cols))) {
        return ney_no_memory(err, cols, "weights");
    }
    linear->intercept = intercept;
    memcpy(linear->weight, weight, (size_t)cols * sizeof *weight);
    return ney_model_with_part(out, &e, preprocessing, &ney_family_linear, linear, err);
}

const double *ney_model_weights(const ney_model *model, double *intercept)
{
    if (!model || model->family != &ney_family_linear) {
        return NULL;
    }
    const ney_linear *const linear = model->part;
    if (intercept) {
        *intercept = linear->intercept;
    }
    return linear->weight;
}
