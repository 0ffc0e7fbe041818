/* Models written for svm-predict and liblinear-predict.
 *
 * Both decide for the first label where the decision value is above zero, and know nothing of
 * scaling. So the positive class comes first, the threshold goes into rho (or the bias weight), one
 * rounding lower since a score at the threshold is positive here, and scaling goes into the
 * weights.
 */
#include "base/file.h"
#include "base/number.h"
#include "linalg/rows.h"
#include "model/exchange.h"
#include "model/folds.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

ney_status ney_export_check(const ney_model *m, const char *format, ney_error *err)
{
    if (m->folds) {
        return ney_fail(err, NEY_EINVAL,
                        "the model scores its training rows by %d fold models, which %s cannot "
                        "hold: export to json",
                        m->folds->n, format);
    }
    if (m->calibration[0].n > 0) {
        return ney_fail(err, NEY_EINVAL,
                        "the model has conformal p-values, whose calibration scores %s cannot "
                        "hold: export to json, or train without --conformal",
                        format);
    }
    return NEY_OK;
}

/* What the file is to say. */
typedef struct plan {
    const ney_model *model;
    ney_exchange format;
    int32_t label[2]; /* positive, negative */
    bool kernel;      /* a kernel model; if not, */
    double *weight;   /* weights for features as in a file */
    double rho;       /* the decision value is the sum less rho */
} plan;

/* The reader of either program takes whole numbers only. */
static ney_status plan_label(const ney_preprocessing *preprocessing, int sign, int32_t *label,
                             ney_error *err)
{
    const char *const name = ney_preprocessing_label(preprocessing, sign);
    double value;
    if (!ney_number_parse(name, strlen(name), &value) || value != floor(value) ||
        fabs(value) > INT32_MAX) {
        return ney_fail(err, NEY_EINVAL,
                        "the label '%.60s' is not a whole number, which these files require: train "
                        "on data whose labels are numbers such as 1 and -1",
                        name);
    }
    *label = (int32_t)value;
    return NEY_OK;
}

static ney_status check_scaling(const plan *p, ney_error *err)
{
    const ney_preprocessing *const r = p->model->preprocessing;
    if (r->scaling == NEY_SCALING_UNIT) {
        return ney_fail(err, NEY_EINVAL,
                        "rows are scaled to unit length, which these files cannot express: train "
                        "with --scale none");
    }
    if (r->ranks) {
        return ney_fail(
            err, NEY_EINVAL,
            "columns are scaled by rank or asinh, which these files cannot express: export to c or "
            "json, or train with --scale standard");
    }
    if (ney_preprocessing_allows_missing(r)) {
        return ney_fail(
            err, NEY_EINVAL,
            "missing cells are filled or kept, which these files cannot express: export to c "
            "or json, or train with --missing error");
    }
    const bool scaled = r->shift || r->offset || r->factor;
    for (int64_t c = 0; p->kernel && scaled && c < r->cols; c++) {
        double offset, factor;
        ney_preprocessing_scale(r, c, &offset, &factor);
        if (offset != 0 || factor != 1) {
            return ney_fail(err, NEY_EINVAL,
                            "columns are scaled, which does not fold into a kernel: train with "
                            "--scale none");
        }
    }
    return NEY_OK;
}

/* rho from intercept and threshold. svm-predict asks for more than zero, we for the threshold or
 * more: the number just below makes them the same. A threshold of the smallest number above zero,
 * as read from such a file, already says "more than zero". */
static double rho_of(double intercept, double threshold)
{
    if (threshold == DBL_TRUE_MIN) {
        return -intercept;
    }
    return nextafter(threshold - intercept, -INFINITY);
}

static ney_status fold_weights(plan *p, double *intercept, ney_error *err)
{
    const ney_preprocessing *const r = p->model->preprocessing;
    const double *w = ney_model_weights(p->model, intercept);
    p->weight = ney_alloc(&p->model->env, r->cols, sizeof *p->weight);
    if (!p->weight) {
        return ney_no_memory(err, r->cols, "weights");
    }
    for (int64_t c = 0; c < r->cols; c++) {
        double offset, factor;
        ney_preprocessing_scale(r, c, &offset, &factor);
        p->weight[c] = w[c] * factor;
        *intercept -= p->weight[c] * offset;
        if (!isfinite(p->weight[c]) || !isfinite(*intercept)) {
            return ney_fail(err, NEY_ENUMERIC,
                            "the weight of column %lld is too large for double precision",
                            (long long)c + 1);
        }
    }
    return NEY_OK;
}

static ney_status make_plan(plan *p, ney_error *err)
{
    const ney_model *const m = p->model;
    ney_kernel kernel;
    ney_matrix support;
    const double *coefficient;
    double intercept = 0;
    ney_status st;

    if ((st = ney_export_check(m, "a file of LIBSVM or LIBLINEAR", err)) != NEY_OK) {
        return st;
    }
    p->kernel = ney_model_kernel(m, &kernel, &support, &coefficient, &intercept);
    if (!p->kernel && !ney_model_weights(m, NULL)) {
        return ney_fail(err, NEY_EINVAL,
                        "files of LIBSVM and LIBLINEAR hold linear and kernel models, not one of "
                        "family '%s': export to c or json",
                        m->family->name);
    }
    if (p->kernel && p->format == NEY_EXCHANGE_LIBLINEAR) {
        return ney_fail(err, NEY_EINVAL,
                        "a kernel model, and LIBLINEAR files hold linear ones only: use the LIBSVM "
                        "format");
    }
    if (m->low < m->high) {
        return ney_fail(err, NEY_EINVAL,
                        "the model rejects scores from %g to %g, which these files cannot express",
                        m->low, m->high);
    }
    if ((st = check_scaling(p, err)) != NEY_OK ||
        (st = plan_label(m->preprocessing, 1, &p->label[0], err)) != NEY_OK ||
        (st = plan_label(m->preprocessing, -1, &p->label[1], err)) != NEY_OK ||
        (!p->kernel && (st = fold_weights(p, &intercept, err)) != NEY_OK)) {
        return st;
    }
    p->rho = rho_of(intercept, m->high);
    return NEY_OK;
}

/* ---------------------------------------------------------------- text */

static void put_two(ney_text *t, const char *key, int64_t first, int64_t second)
{
    ney_text_put(t, key);
    ney_text_field_int(t, first);
    ney_text_field_int(t, second);
    ney_text_put(t, "\n");
}

static void put_entry(ney_text *t, int64_t column, double value)
{
    if (value != 0) {
        ney_text_int(t, column + 1);
        ney_text_put(t, ":");
        ney_text_number(t, value);
        ney_text_put(t, " ");
    }
}

static void put_vector(ney_text *t, const ney_matrix *x, int64_t row, double coefficient)
{
    ney_text_number(t, coefficient);
    ney_text_put(t, " ");
    for (int64_t c = 0; x->dense && c < x->cols; c++) {
        put_entry(t, c, (double)x->dense[row * x->cols + c]);
    }
    for (int64_t k = x->dense ? 0 : x->start[row]; !x->dense && k < x->start[row + 1]; k++) {
        put_entry(t, x->index[k], (double)x->value[k]);
    }
    ney_text_put(t, "\n");
}

static void put_kernel(ney_text *t, const ney_kernel *k)
{
    static const char *const name[] = {[NEY_KERNEL_LINEAR] = "linear",
                                       [NEY_KERNEL_RBF] = "rbf",
                                       [NEY_KERNEL_POLY] = "polynomial",
                                       [NEY_KERNEL_SIGMOID] = "sigmoid"};
    ney_text_put(t, "svm_type c_svc\nkernel_type ");
    ney_text_put(t, name[k->kind]);
    ney_text_put(t, "\n");
    if (k->kind == NEY_KERNEL_POLY) {
        ney_text_line_number(t, "degree", (double)k->degree);
    }
    if (k->kind != NEY_KERNEL_LINEAR) {
        ney_text_line_number(t, "gamma", k->gamma);
    }
    if (k->kind == NEY_KERNEL_POLY || k->kind == NEY_KERNEL_SIGMOID) {
        ney_text_line_number(t, "coef0", k->coef0);
    }
    ney_text_put(t, "nr_class 2\n");
}

/* The lines from total_sv to "SV". */
static void put_counts(ney_text *t, const plan *p, int64_t positives, int64_t negatives)
{
    ney_text_line_int(t, "total_sv", positives + negatives);
    ney_text_line_number(t, "rho", p->rho);
    put_two(t, "label", p->label[0], p->label[1]);
    put_two(t, "nr_sv", positives, negatives);
    ney_text_put(t, "SV\n");
}

static void put_libsvm_kernel(ney_text *t, const plan *p)
{
    ney_kernel kernel;
    ney_matrix x;
    const double *coefficient;
    double intercept;
    int64_t positives = 0;

    (void)ney_model_kernel(p->model, &kernel, &x, &coefficient, &intercept);
    for (int64_t i = 0; i < x.rows; i++) {
        positives += coefficient[i] > 0;
    }
    put_kernel(t, &kernel);
    put_counts(t, p, positives, x.rows - positives);
    for (int pass = 0; pass < 2; pass++) { /* the vectors of the first label come first */
        for (int64_t i = 0; i < x.rows; i++) {
            if ((coefficient[i] > 0) == (pass == 0)) {
                put_vector(t, &x, i, coefficient[i]);
            }
        }
    }
}

/* One support vector, the weights themselves. */
static void put_libsvm_linear(ney_text *t, const plan *p)
{
    put_kernel(t, &(ney_kernel){.kind = NEY_KERNEL_LINEAR});
    put_counts(t, p, 1, 0);
    ney_text_put(t, "1 ");
    for (int64_t c = 0; c < p->model->preprocessing->cols; c++) {
        put_entry(t, c, p->weight[c]);
    }
    ney_text_put(t, "\n");
}

static void put_liblinear(ney_text *t, const plan *p)
{
    const int64_t cols = p->model->preprocessing->cols;
    ney_text_put(t, "solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 2\n");
    put_two(t, "label", p->label[0], p->label[1]);
    ney_text_put(t, "nr_feature ");
    ney_text_int(t, cols);
    ney_text_put(t, "\nbias 1\nw\n");
    for (int64_t c = 0; c <= cols; c++) {
        ney_text_number(t, c < cols ? p->weight[c] : -p->rho);
        ney_text_put(t, " \n");
    }
}

ney_status ney_model_export(const ney_model *model, const char *path, ney_exchange format,
                            ney_error *err)
{
    NEY_REQUIRE(model && path, err);
    plan p = {.model = model, .format = format};
    ney_text text;
    ney_status st;

    if (format != NEY_EXCHANGE_LIBSVM && format != NEY_EXCHANGE_LIBLINEAR) {
        return ney_fail(err, NEY_EINVAL, "there is no exchange format %d", (int)format);
    }
    if ((st = make_plan(&p, err)) == NEY_OK) {
        ney_text_init(&text, &model->env);
        if (format == NEY_EXCHANGE_LIBLINEAR) {
            put_liblinear(&text, &p);
        } else if (p.kernel) {
            put_libsvm_kernel(&text, &p);
        } else {
            put_libsvm_linear(&text, &p);
        }
        st = text.failed ? ney_no_memory(err, text.length, "bytes of a model")
                         : ney_file_write(&model->env, path, text.bytes, text.length, err);
        ney_text_deinit(&text);
    }
    ney_release(&model->env, p.weight);
    return st;
}
