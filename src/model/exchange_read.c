/* Model files of LIBSVM and LIBLINEAR, read as models.
 *
 * Both begin with lines "KEY VALUE..." in any order, up to a line "SV" or "w". Both decide for the
 * first label where the decision value is above zero, so the first label is the positive class, the
 * decision value is the score, and the threshold is the smallest number above zero. */
#include "base/number.h"
#include "data/rows.h"
#include "model/exchange.h"
#include "model/exchange_text.h"
#include "model/model.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Preprocessing of numbered features that are used as they are. */
static ney_preprocessing *new_preprocessing(ney_exchange_reader *r, const ney_exchange_header *h,
                                            int64_t cols)
{
    ney_preprocessing *preprocessing = NULL;
    r->status = ney_preprocessing_new(&preprocessing, &r->env, NEY_FORMAT_SVMLIGHT, r->err);
    if (!preprocessing) {
        return NULL;
    }
    preprocessing->cols = cols;
    preprocessing->prepared = true;
    for (int k = 0; k < 2; k++) { /* here the negative label is first, there the positive one */
        preprocessing->label[k] = ney_strdup(&r->env, h->label[1 - k], strlen(h->label[1 - k]));
    }
    if (!preprocessing->label[0] || !preprocessing->label[1]) {
        r->status = ney_no_memory(r->err, 2, "labels");
        ney_preprocessing_free(preprocessing);
        return NULL;
    }
    return preprocessing;
}

static void complete(ney_exchange_reader *r, const ney_exchange_header *h, ney_model *m)
{
    if (r->status == NEY_OK) {
        r->status = ney_model_set_thresholds(m, DBL_TRUE_MIN, DBL_TRUE_MIN, r->err);
    }
    if (r->status == NEY_OK) {
        r->status = ney_model_set_text(m, NEY_METADATA_SUMMARY, "source",
                                       h->liblinear ? "liblinear" : "libsvm", r->err);
    }
}

static ney_model *linear_model(ney_exchange_reader *r, const ney_exchange_header *h,
                               const double *w, int64_t cols, double b)
{
    ney_model *m = NULL;
    ney_preprocessing *preprocessing = new_preprocessing(r, h, cols);
    if (preprocessing) {
        r->status = ney_model_new_linear(&m, &r->env, preprocessing, w, b, r->err);
        ney_preprocessing_free(preprocessing);
    }
    complete(r, h, m);
    return m;
}

/* The support vectors of a file. */
typedef struct vectors {
    ney_matrix x; /* of the arrays below, or of `dense` */
    double *coefficient;
    int64_t *start;
    int32_t *index;
    float *value, *dense;
    double *exact; /* the values in the file, in double */
    int64_t index_cap, value_cap, exact_cap;
} vectors;

static void vectors_free(const ney_env *env, vectors *v)
{
    ney_release_all(env, v->coefficient, v->start, v->index, v->value, v->dense, v->exact);
}

/* "COLUMN:VALUE" as entry n; the column, or 0 after a failure. */
static int64_t read_entry(ney_exchange_reader *r, vectors *v, int64_t n, ney_exchange_word w,
                          int64_t last)
{
    const char *colon = memchr(w.text, ':', w.length);
    int64_t column = 0;
    if (!colon || !ney_integer_parse(w.text, (size_t)(colon - w.text), &column)) {
        ney_exchange_fail(r, "found '%.*s', expected column:value", ney_exchange_shown(w), w.text);
        return 0;
    }
    if (column <= last || column > INT32_MAX - 1) {
        ney_exchange_fail(r, "column %lld after column %lld, expected columns that ascend from 1",
                          (long long)column, (long long)last);
        return 0;
    }
    const ney_exchange_word number = {colon + 1, w.length - (size_t)(colon + 1 - w.text)};
    const double value = ney_exchange_number(r, number, "a value");
    if (!ney_fits_float(value)) {
        ney_exchange_fail(
            r, "found '%.*s', expected a number that single precision holds, at most 3.4e38",
            ney_exchange_shown(number), number.text);
    }
    if (r->status != NEY_OK) {
        return 0;
    }
    if (!ney_grow(&r->env, &v->index, &v->index_cap, n + 1, sizeof *v->index) ||
        !ney_grow(&r->env, &v->value, &v->value_cap, n + 1, sizeof *v->value) ||
        !ney_grow(&r->env, &v->exact, &v->exact_cap, n + 1, sizeof *v->exact)) {
        r->status = ney_no_memory(r->err, n + 1, "entries of support vectors");
        return 0;
    }
    v->index[n] = (int32_t)(column - 1);
    v->value[n] = (float)value;
    v->exact[n] = value;
    return column;
}

static void read_vectors(ney_exchange_reader *r, vectors *v, int64_t rows)
{
    if (rows > (r->end - r->at) / 2) {
        ney_exchange_fail(r, "expected %lld support vectors, the file is shorter", (long long)rows);
        return;
    }
    v->coefficient = ney_alloc(&r->env, rows, sizeof *v->coefficient);
    v->start = ney_alloc_zeroed(&r->env, rows + 1, sizeof *v->start);
    if (!v->coefficient || !v->start) {
        r->status = ney_no_memory(r->err, rows, "support vectors");
        return;
    }
    v->x.rows = rows;
    for (int64_t i = 0, n = 0; i < rows && r->status == NEY_OK; i++) {
        if (!ney_exchange_next_line(r)) {
            ney_exchange_fail(r, "%lld support vectors, expected %lld", (long long)i,
                              (long long)rows);
            return;
        }
        v->coefficient[i] = ney_exchange_number(r, ney_exchange_next_word(r), "a coefficient");
        int64_t last = 0;
        for (ney_exchange_word w; r->status == NEY_OK && (w = ney_exchange_next_word(r)).length > 0;
             n++) {
            last = read_entry(r, v, n, w, last);
        }
        v->x.cols = last > v->x.cols ? last : v->x.cols;
        v->start[i + 1] = n;
    }
    if (r->status == NEY_OK && ney_exchange_next_line(r)) {
        ney_exchange_fail(r, "more than %lld support vectors", (long long)rows);
    }
    v->x.start = v->start;
    v->x.index = v->index;
    v->x.value = v->value;
}

/* Rows that hold most of their columns are quicker dense. */
static void store_dense(ney_exchange_reader *r, vectors *v)
{
    const int64_t rows = v->x.rows, cols = v->x.cols, stored = v->start ? v->start[rows] : 0;
    if (rows == 0 || cols > 3 * stored / rows) {
        return;
    }
    v->dense = ney_alloc_zeroed(&r->env, rows * cols, sizeof *v->dense);
    if (!v->dense) {
        r->status = ney_no_memory(r->err, rows, "support vectors");
        return;
    }
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t k = v->start[i]; k < v->start[i + 1]; k++) {
            v->dense[i * cols + v->index[k]] = v->value[k];
        }
    }
    v->x = (ney_matrix){.rows = rows, .cols = cols, .dense = v->dense};
}

static ney_model *kernel_model(ney_exchange_reader *r, const ney_exchange_header *h,
                               const vectors *v)
{
    const ney_kernel kernel = {.kind = (ney_kernel_kind)h->kind,
                               .gamma = h->gamma,
                               .coef0 = h->coef0,
                               .degree = h->degree};
    ney_model *m = NULL;
    ney_preprocessing *preprocessing = new_preprocessing(r, h, v->x.cols);
    if (preprocessing) {
        r->status = ney_model_new_kernel(&m, &r->env, preprocessing, &kernel, &v->x, v->coefficient,
                                         -h->rho, r->err);
        ney_preprocessing_free(preprocessing);
    }
    complete(r, h, m);
    return m;
}

/* Support vectors of a linear kernel add up to weights, in double. */
static ney_model *weighted_model(ney_exchange_reader *r, const ney_exchange_header *h,
                                 const vectors *v)
{
    double *w = ney_alloc_zeroed(&r->env, v->x.cols, sizeof *w);
    ney_model *m = NULL;
    if (!w) {
        r->status = ney_no_memory(r->err, v->x.cols, "weights");
        return NULL;
    }
    for (int64_t i = 0; i < v->x.rows; i++) {
        for (int64_t k = v->start[i]; k < v->start[i + 1]; k++) {
            w[v->index[k]] += v->coefficient[i] * v->exact[k];
        }
    }
    for (int64_t c = 0; c < v->x.cols; c++) {
        if (!isfinite(w[c])) {
            ney_exchange_fail(r, "the weight of column %lld is too large for double precision",
                              (long long)c + 1);
            break;
        }
    }
    if (r->status == NEY_OK) {
        m = linear_model(r, h, w, v->x.cols, -h->rho);
    }
    ney_release(&r->env, w);
    return m;
}

static ney_model *read_libsvm(ney_exchange_reader *r, const ney_exchange_header *h)
{
    vectors v = {0};
    ney_model *m = NULL;
    const int64_t length = r->end - r->at;
    read_vectors(r, &v, h->total_sv);
    /* A column number far beyond the file's length must not ask for as much memory. */
    const bool narrow = v.x.cols <= length;
    if (r->status == NEY_OK && h->kind == NEY_KERNEL_LINEAR && narrow) {
        m = weighted_model(r, h, &v);
    } else if (r->status == NEY_OK) {
        store_dense(r, &v);
        m = r->status == NEY_OK ? kernel_model(r, h, &v) : NULL;
    }
    vectors_free(&r->env, &v);
    return m;
}

static ney_model *read_liblinear(ney_exchange_reader *r, const ney_exchange_header *h)
{
    const bool biased = h->bias >= 0;
    const int64_t n = h->n_feature + biased;
    ney_model *m = NULL;
    if (n > (r->end - r->at) / 2) {
        ney_exchange_fail(r, "expected %lld weights, the file is shorter", (long long)n);
        return NULL;
    }
    double *w = ney_alloc(&r->env, n, sizeof *w);
    if (!w) {
        r->status = ney_no_memory(r->err, n, "weights");
        return NULL;
    }
    for (int64_t c = 0; c < n && r->status == NEY_OK; c++) {
        if (!ney_exchange_next_line(r)) {
            ney_exchange_fail(r, "%lld weights, expected %lld", (long long)c, (long long)n);
            break;
        }
        w[c] = ney_exchange_number(r, ney_exchange_next_word(r), "a weight");
        ney_exchange_end_of_line(r);
    }
    if (r->status == NEY_OK && ney_exchange_next_line(r)) {
        ney_exchange_fail(r, "more than %lld weights", (long long)n);
    }
    const double b = biased && r->status == NEY_OK ? h->bias * w[n - 1] : 0;
    if (!isfinite(b)) {
        ney_exchange_fail(r, "bias times its weight is too large for double precision");
    }
    if (r->status == NEY_OK) {
        m = linear_model(r, h, w, h->n_feature, b);
    }
    ney_release(&r->env, w);
    return m;
}

static bool begins(const char *text, size_t n_text, const char *key)
{
    const size_t length = strlen(key);
    return n_text > length && memcmp(text, key, length) == 0 && text[length] == ' ';
}

bool ney_exchange_is(const char *text, size_t n_text)
{
    return begins(text, n_text, "svm_type") || begins(text, n_text, "solver_type");
}

ney_status ney_exchange_parse(ney_model **out, const ney_env *env, const char *name,
                              const char *text, size_t n_text, ney_error *err)
{
    ney_exchange_reader r = {
        .env = ney_env_of(env), .name = name, .at = text, .end = text + n_text, .err = err};
    ney_exchange_header h = {
        .kind = -1, .n_class = -1, .total_sv = -1, .n_feature = -1, .bias = -1};
    h.liblinear = begins(text, n_text, "solver_type");

    *out = NULL;
    ney_exchange_read_header(&r, &h);
    ney_model *m = NULL;
    if (r.status == NEY_OK) {
        m = h.liblinear ? read_liblinear(&r, &h) : read_libsvm(&r, &h);
    }
    if (r.status != NEY_OK) {
        ney_model_free(m);
        return r.status;
    }
    *out = m;
    return NEY_OK;
}
