/* The kernel family: f(x) = sum_i coefficient_i k(z_i, x) + b. Its lines in a model file:
 *
 *   kernel NAME
 *   gamma X
 *   coef0 X
 *   degree N
 *   intercept X
 *   support N COLS dense|sparse    N lines: the coefficient, then COLS values, or pairs of column
 *                                  (from 1, ascending) and value
 */
#include "data/limits.h"
#include "data/rows.h"
#include "model/kernel_part.h"
#include "model/model.h"
#include "model/numbers.h"

#include <math.h>
#include <string.h>

static const char *const kernel_name[] = {
    [NEY_KERNEL_LINEAR] = "linear",
    [NEY_KERNEL_RBF] = "rbf",
    [NEY_KERNEL_POLY] = "poly",
    [NEY_KERNEL_SIGMOID] = "sigmoid",
};

enum { N_KERNELS = sizeof kernel_name / sizeof *kernel_name };

const char *ney_kernel_text(ney_kernel_kind kind)
{
    return kernel_name[kind];
}

/* ---------------------------------------------------------------- memory */

void ney_own_matrix_free(const ney_env *env, ney_own_matrix *m)
{
    ney_release_all(env, m->dense, m->start, m->index, m->value);
    *m = (ney_own_matrix){0};
}

static void kernel_free(const ney_env *env, void *part)
{
    ney_kernel_part *const p = part;
    if (!p) {
        return;
    }
    ney_own_matrix_free(env, &p->support);
    ney_own_matrix_free(env, &p->near);
    ney_release_all(env, p->coefficient, p->used, p->place, p->norm, p->weight, p->near_coefficient,
                    p->centre, p->far, p);
}

/* Allocate memory for the rows; entries of a sparse matrix come later. */
static ney_kernel_part *kernel_new(const ney_env *env, int64_t rows, int64_t cols, bool dense)
{
    ney_kernel_part *p = ney_alloc_zeroed(env, 1, sizeof *p);
    if (!p) {
        return NULL;
    }
    ney_own_matrix *s = &p->support;
    s->x = (ney_matrix){.rows = rows, .cols = cols};
    p->coefficient = ney_alloc(env, rows, sizeof *p->coefficient);
    if (dense) { /* counted in rows, so that the product cannot overflow */
        s->x.dense = s->dense = ney_alloc(env, rows, (size_t)(cols ? cols : 1) * sizeof *s->dense);
    } else {
        s->x.start = s->start = ney_alloc_zeroed(env, rows + 1, sizeof *s->start);
    }
    if (!p->coefficient || (!s->dense && !s->start)) {
        kernel_free(env, p);
        return NULL;
    }
    return p;
}

/* ---------------------------------------------------------------- the file */

static void kernel_format(const void *part, ney_text *text)
{
    const ney_kernel_part *const p = part;
    const ney_matrix *const x = &p->support.x;

    ney_text_put(text, "kernel ");
    ney_text_put(text, kernel_name[p->kernel.kind]);
    ney_text_put(text, "\n");
    ney_text_line_number(text, "gamma", p->kernel.gamma);
    ney_text_line_number(text, "coef0", p->kernel.coef0);
    ney_text_line_int(text, "degree", p->kernel.degree);
    ney_text_line_number(text, "intercept", p->intercept);
    ney_text_put(text, "support ");
    ney_text_int(text, x->rows);
    ney_text_field_int(text, x->cols);
    ney_text_put(text, x->dense ? " dense\n" : " sparse\n");
    for (int64_t i = 0; i < x->rows && !text->failed; i++) {
        ney_text_field_number(text, p->coefficient[i]);
        for (int64_t c = 0; x->dense && c < x->cols; c++) {
            ney_text_field_float(text, x->dense[i * x->cols + c]);
        }
        for (int64_t k = x->dense ? 0 : x->start[i]; !x->dense && k < x->start[i + 1]; k++) {
            ney_text_field_int(text, (int64_t)x->index[k] + 1);
            ney_text_field_float(text, x->value[k]);
        }
        ney_text_put(text, "\n");
    }
}

static float feature(ney_fields *f)
{
    const double value = ney_fields_number(f);
    if (!ney_fits_float(value)) {
        ney_fields_fail(f, "the value is %g, expected a finite number of single precision", value);
        return 0;
    }
    return (float)value;
}

static ney_kernel parse_kernel(ney_fields *f)
{
    ney_kernel k = {0};
    ney_fields_key(f, "kernel");
    k.kind = (ney_kernel_kind)ney_fields_choice(f, kernel_name, N_KERNELS);
    ney_fields_end(f);
    k.gamma = ney_finite_line(f, "gamma");
    k.coef0 = ney_finite_line(f, "coef0");
    k.degree = ney_fields_int_line(f, "degree", 0, INT32_MAX);
    if (k.kind == NEY_KERNEL_RBF && k.gamma < 0) {
        ney_fields_fail(f, "the gamma of an rbf kernel is %g, expected 0 or more", k.gamma);
    }
    return k;
}

/* Pairs of column and value up to the end of the line. */
static void parse_entries(ney_fields *f, ney_own_matrix *s, int64_t row, int64_t cap[2])
{
    int64_t n = s->start[row], last = 0;
    while (!ney_fields_at_end(f)) {
        const int64_t column = ney_fields_int(f, last + 1, s->x.cols);
        const float value = feature(f);
        if (f->status != NEY_OK) {
            return;
        }
        if (!ney_grow(f->env, &s->index, &cap[0], n + 1, sizeof *s->index) ||
            !ney_grow(f->env, &s->value, &cap[1], n + 1, sizeof *s->value)) {
            f->status = ney_no_memory(f->err, n + 1, "entries of support vectors");
            return;
        }
        s->index[n] = (int32_t)(column - 1);
        s->value[n++] = value;
        last = column;
    }
    s->start[row + 1] = n;
}

static void parse_rows(ney_fields *f, ney_kernel_part *p)
{
    ney_own_matrix *const s = &p->support;
    int64_t cap[2] = {0, 0};
    for (int64_t i = 0; i < s->x.rows && f->status == NEY_OK; i++) {
        p->coefficient[i] = ney_finite(f, "coefficient");
        for (int64_t c = 0; s->dense && c < s->x.cols; c++) {
            s->dense[i * s->x.cols + c] = feature(f);
        }
        if (!s->dense) {
            parse_entries(f, s, i, cap);
        }
        ney_fields_end(f);
    }
    if (!s->dense && f->status == NEY_OK) {
        ney_trim(f->env, &s->index, &cap[0], s->start[s->x.rows], sizeof *s->index);
        ney_trim(f->env, &s->value, &cap[1], s->start[s->x.rows], sizeof *s->value);
    }
    s->x.index = s->index;
    s->x.value = s->value;
}

static void *kernel_parse(ney_fields *f, int64_t cols)
{
    static const char *const storage[] = {"dense", "sparse"};
    const ney_kernel kernel = parse_kernel(f);
    const double intercept = ney_finite_line(f, "intercept");
    ney_fields_key(f, "support");
    const int64_t rows = ney_fields_int(f, 0, INT64_MAX);
    const int64_t n = ney_fields_int(f, 0, INT32_MAX);
    /* Without rows there is no text that the columns would be in proportion to. */
    const bool dense =
        ney_fields_choice(f, storage, 2) == 0 && (rows > 0 || n <= NEY_USUAL_COLUMNS);
    ney_fields_end(f);
    /* A number takes two bytes at least, and a line its newline: no more is asked for than a
     * multiple of the text. */
    const int64_t line = dense ? 2 * n + 3 : 3;
    if (n != cols) {
        ney_fields_fail(f, "support vectors of %lld columns, expected %lld", (long long)n,
                        (long long)cols);
    } else if (rows > (f->end - f->at) / line) {
        ney_fields_fail(f, "expected %lld support vectors, the file is shorter", (long long)rows);
    }
    if (f->status != NEY_OK) {
        return NULL;
    }
    ney_kernel_part *p = kernel_new(f->env, rows, cols, dense);
    if (!p) {
        f->status = ney_no_memory(f->err, rows, "support vectors");
        return NULL;
    }
    p->kernel = kernel;
    p->intercept = intercept;
    parse_rows(f, p);
    if (f->status == NEY_OK && !ney_kernel_prepare(f->env, p)) {
        f->status = ney_no_memory(f->err, rows, "support vectors");
    }
    if (f->status != NEY_OK) {
        kernel_free(f->env, p);
        return NULL;
    }
    return p;
}

const ney_family ney_family_kernel = {
    .name = "kernel",
    .option = "kernel",
    .format = kernel_format,
    .parse = kernel_parse,
    .scratch = ney_kernel_scratch,
    .work = ney_kernel_work,
    .score_block = ney_kernel_score,
    .free = kernel_free,
};

/* ---------------------------------------------------------------- from memory */

static ney_status check_kernel(const ney_kernel *k, double intercept, ney_error *err)
{
    if ((int)k->kind < 0 || (int)k->kind >= N_KERNELS) {
        return ney_fail(err, NEY_EINVAL, "there is no kernel %d", (int)k->kind);
    }
    if (!isfinite(k->gamma) || !isfinite(k->coef0) || !isfinite(intercept)) {
        return ney_fail(err, NEY_EINVAL,
                        "gamma %g, coef0 %g and intercept %g, expected finite numbers", k->gamma,
                        k->coef0, intercept);
    }
    if (k->kind == NEY_KERNEL_RBF && k->gamma < 0) {
        return ney_fail(err, NEY_EINVAL, "the gamma of an rbf kernel is %g, expected 0 or more",
                        k->gamma);
    }
    if (k->degree < 0 || k->degree > INT32_MAX) {
        return ney_fail(err, NEY_EINVAL, "degree %lld, expected one from 0 to %d",
                        (long long)k->degree, INT32_MAX);
    }
    return NEY_OK;
}

/* Whether the columns of a sparse row ascend within the matrix. */
static bool row_ok(const ney_matrix *x, int64_t row)
{
    int64_t last = -1;
    if (x->dense) {
        return true;
    }
    for (int64_t k = x->start[row]; k < x->start[row + 1]; k++) {
        if (x->index[k] <= last || x->index[k] >= x->cols) {
            return false;
        }
        last = x->index[k];
    }
    return x->start[row] <= x->start[row + 1];
}

static ney_status check_support(const ney_matrix *x, const double *coefficient, int64_t cols,
                                ney_error *err)
{
    if (x->cols != cols) {
        return ney_fail(err, NEY_EINVAL, "support vectors of %lld columns, expected %lld",
                        (long long)x->cols, (long long)cols);
    }
    for (int64_t i = 0; i < x->rows; i++) {
        bool finite = isfinite(coefficient[i]);
        if (!row_ok(x, i)) {
            return ney_fail(err, NEY_EINVAL,
                            "support vector %lld: expected columns that ascend from 0 to %lld",
                            (long long)i + 1, (long long)cols - 1);
        }
        const int64_t begin = x->dense ? i * cols : x->start[i];
        const int64_t end = x->dense ? begin + cols : x->start[i + 1];
        for (int64_t k = begin; k < end; k++) {
            finite = finite && isfinite(x->dense ? x->dense[k] : x->value[k]);
        }
        if (!finite) {
            return ney_fail(err, NEY_EINVAL, "support vector %lld: expected finite numbers",
                            (long long)i + 1);
        }
    }
    return NEY_OK;
}

static void copy_dense(ney_own_matrix *to, const ney_kernel_sum *sum)
{
    const ney_matrix *const x = sum->x;
    for (int64_t i = 0; i < sum->n && x->cols > 0; i++) {
        const int64_t row = sum->row ? sum->row[i] : i;
        memcpy(to->dense + i * x->cols, x->dense + row * x->cols,
               (size_t)x->cols * sizeof *to->dense);
    }
}

static bool copy_sparse(const ney_env *env, ney_own_matrix *to, const ney_kernel_sum *sum)
{
    const ney_matrix *const x = sum->x;
    for (int64_t i = 0; i < sum->n; i++) {
        const int64_t row = sum->row ? sum->row[i] : i;
        to->start[i + 1] = to->start[i] + (x->start[row + 1] - x->start[row]);
    }
    const int64_t n = to->start[sum->n];
    to->x.index = to->index = ney_alloc(env, n, sizeof *to->index);
    to->x.value = to->value = ney_alloc(env, n, sizeof *to->value);
    if (!to->index || !to->value) {
        return false;
    }
    for (int64_t i = 0; i < sum->n; i++) {
        const int64_t from = x->start[sum->row ? sum->row[i] : i];
        for (int64_t k = to->start[i]; k < to->start[i + 1]; k++) {
            to->index[k] = x->index[from + k - to->start[i]];
            to->value[k] = x->value[from + k - to->start[i]];
        }
    }
    return true;
}

ney_kernel_part *ney_kernel_part_new(const ney_env *env, const ney_kernel_sum *sum)
{
    const bool is_dense = sum->x->dense != NULL;
    ney_kernel_part *const p = kernel_new(env, sum->n, sum->x->cols, is_dense);
    if (!p) {
        return NULL;
    }
    p->kernel = *sum->kernel;
    p->intercept = sum->intercept;
    for (int64_t i = 0; i < sum->n; i++) {
        p->coefficient[i] = sum->coefficient[i];
    }
    if (is_dense) {
        copy_dense(&p->support, sum);
    }
    if ((!is_dense && !copy_sparse(env, &p->support, sum)) || !ney_kernel_prepare(env, p)) {
        kernel_free(env, p);
        return NULL;
    }
    return p;
}

ney_status ney_model_new_kernel(ney_model **out, const ney_env *env,
                                const ney_preprocessing *preprocessing, const ney_kernel *kernel,
                                const ney_matrix *support, const double *coefficient,
                                double intercept, ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out && preprocessing && kernel && support && coefficient, err);
    const ney_env e = ney_env_of(env);
    const int64_t rows = support->rows, cols = ney_preprocessing_cols(preprocessing);
    const ney_kernel_sum sum = {kernel, support, NULL, coefficient, rows, intercept};
    ney_status st;

    *out = NULL;
    if ((st = check_kernel(kernel, intercept, err)) != NEY_OK ||
        (st = check_support(support, coefficient, cols, err)) != NEY_OK) {
        return st;
    }
    ney_kernel_part *const p = ney_kernel_part_new(&e, &sum);
    if (!p) {
        return ney_no_memory(err, rows, "support vectors");
    }
    return ney_model_with_part(out, &e, preprocessing, &ney_family_kernel, p, err);
}

bool ney_model_kernel(const ney_model *model, ney_kernel *kernel, ney_matrix *support,
                      const double **coefficient, double *intercept)
{
    if (!model || !kernel || !support || !coefficient || !intercept ||
        model->family != &ney_family_kernel) {
        return false;
    }
    const ney_kernel_part *const p = model->part;
    *kernel = p->kernel;
    *support = p->support.x;
    *coefficient = p->coefficient;
    *intercept = p->intercept;
    return true;
}
