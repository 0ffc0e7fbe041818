/* Model files of LIBSVM and LIBLINEAR, read as models of ours.
 *
 * Both begin with lines "KEY VALUE..." in any order, up to a line "SV" or "w". Both decide for the
 * first label where the decision value is above zero, so the first label is the positive class, the
 * decision value is the score, and the threshold is the smallest number above zero. */
#include "base/number.h"
#include "data/rows.h"
#include "model/exchange.h"
#include "model/model.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* What the lines before the numbers say. */
typedef struct header {
    bool liblinear;
    int kind; /* ney_kernel_kind, -1 until it is known */
    bool has_type, has_rho, has_label, has_gamma, has_coef0, has_degree;
    int64_t n_class, total_sv, degree, n_feature;
    double gamma, coef0, rho, bias;
    char label[2][24];
} header;

/* Where reading has come to. */
typedef struct reader {
    ney_env env;
    const char *name;
    const char *at, *end, *line_end;
    int64_t line;
    ney_error *err;
    ney_status status;
} reader;

typedef struct word {
    const char *text;
    size_t length; /* 0 at the end of the line */
} word;

static int shown(word w)
{
    return w.length < 40 ? (int)w.length : 40;
}

NEY_PRINTF(2, 3)
static void fail(reader *r, const char *format, ...)
{
    va_list args;
    if (r->status == NEY_OK) {
        va_start(args, format);
        r->status = ney_vfail_at(r->err, NEY_EFORMAT, (ney_place){.file = r->name, .line = r->line},
                                 format, args);
        va_end(args);
    }
}

/* On to the next line that is not empty; false at the end of the file. */
static bool next_line(reader *r)
{
    do {
        if (r->line_end == r->end && r->line > 0) {
            return false;
        }
        r->at = r->line > 0 ? r->line_end + 1 : r->at;
        const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
        r->line_end = newline ? newline : r->end;
        r->line++;
        while (r->at < r->line_end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')) {
            r->at++;
        }
    } while (r->at == r->line_end);
    return true;
}

static word next_word(reader *r)
{
    while (r->at < r->line_end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')) {
        r->at++;
    }
    word w = {.text = r->at};
    while (r->at < r->line_end && *r->at != ' ' && *r->at != '\t' && *r->at != '\r') {
        r->at++;
    }
    w.length = (size_t)(r->at - w.text);
    return w;
}

static bool word_is(word w, const char *text)
{
    return w.length == strlen(text) && memcmp(w.text, text, w.length) == 0;
}

/* Whether a word is among names separated by spaces; its position or -1. */
static int word_among(word w, const char *names)
{
    for (int k = 0; *names; k++) {
        const size_t length = strcspn(names, " ");
        if (w.length == length && memcmp(w.text, names, length) == 0) {
            return k;
        }
        names += length + (names[length] == ' ');
    }
    return -1;
}

static double number_of(reader *r, word w, const char *what)
{
    double value = 0;
    if (w.length == 0) {
        fail(r, "the line ends here, expected %s", what);
    } else if (!ney_number_parse(w.text, w.length, &value) || !isfinite(value)) {
        fail(r, "found '%.*s', expected %s, a finite number", shown(w), w.text, what);
    }
    return r->status == NEY_OK ? value : 0;
}

static int64_t whole_of(reader *r, word w, const char *what, int64_t low, int64_t high)
{
    int64_t value = 0;
    if (w.length == 0) {
        fail(r, "the line ends here, expected %s", what);
    } else if (!ney_integer_parse(w.text, w.length, &value) || value < low || value > high) {
        fail(r, "found '%.*s', expected %s, a whole number from %lld to %lld", shown(w), w.text,
             what, (long long)low, (long long)high);
    }
    return r->status == NEY_OK ? value : 0;
}

static void end_of_line(reader *r)
{
    const word w = next_word(r);
    if (w.length > 0) {
        fail(r, "found '%.*s', expected the end of the line", shown(w), w.text);
    }
}

/* ---------------------------------------------------------------- the lines before the numbers */

static void read_svm_type(reader *r, header *h)
{
    const word w = next_word(r);
    if (word_among(w, "one_class epsilon_svr nu_svr") >= 0) {
        fail(r, "a model of type %.*s, expected one that tells two classes apart: c_svc or nu_svc",
             shown(w), w.text);
    } else if (word_among(w, "c_svc nu_svc") < 0) {
        fail(r, "found '%.*s', expected c_svc or nu_svc", shown(w), w.text);
    }
    h->has_type = true;
}

static void read_solver_type(reader *r, header *h)
{
    const word w = next_word(r);
    if (word_among(w, "MCSVM_CS L2R_L2LOSS_SVR L2R_L2LOSS_SVR_DUAL L2R_L1LOSS_SVR_DUAL "
                      "ONECLASS_SVM") >= 0) {
        fail(r,
             "a model of type %.*s, expected one that tells two classes apart, such as "
             "L2R_L1LOSS_SVC_DUAL",
             shown(w), w.text);
    } else if (word_among(w, "L2R_LR L2R_L2LOSS_SVC_DUAL L2R_L2LOSS_SVC L2R_L1LOSS_SVC_DUAL "
                             "L1R_L2LOSS_SVC L1R_LR L2R_LR_DUAL") < 0) {
        fail(r, "found '%.*s', expected a solver of LIBLINEAR such as L2R_L1LOSS_SVC_DUAL",
             shown(w), w.text);
    }
    h->has_type = true;
}

static void read_kernel_type(reader *r, header *h)
{
    const word w = next_word(r);
    const int k = word_among(w, "linear polynomial rbf sigmoid");
    if (word_is(w, "precomputed")) {
        fail(r, "a precomputed kernel, expected one that can be computed from features: "
                "linear, polynomial, rbf or sigmoid");
    } else if (k < 0) {
        fail(r, "found '%.*s', expected linear, polynomial, rbf or sigmoid", shown(w), w.text);
    }
    static const int kind[] = {NEY_KERNEL_LINEAR, NEY_KERNEL_POLY, NEY_KERNEL_RBF,
                               NEY_KERNEL_SIGMOID};
    h->kind = k < 0 ? -1 : kind[k];
}

static void read_labels(reader *r, header *h)
{
    for (int k = 0; k < 2; k++) {
        const int64_t label = whole_of(r, next_word(r), "a label", INT32_MIN, INT32_MAX);
        snprintf(h->label[k], sizeof h->label[k], "%lld", (long long)label);
    }
    if (strcmp(h->label[0], h->label[1]) == 0) {
        fail(r, "label %s twice, expected two different ones", h->label[0]);
    }
    h->has_label = true;
}

/* One line of those; keys that change nothing in the decision are passed over. */
static void read_key(reader *r, header *h, word key)
{
    if (word_is(key, "svm_type") && !h->liblinear) {
        read_svm_type(r, h);
    } else if (word_is(key, "solver_type") && h->liblinear) {
        read_solver_type(r, h);
    } else if (word_is(key, "kernel_type")) {
        read_kernel_type(r, h);
    } else if (word_is(key, "degree")) {
        h->degree = whole_of(r, next_word(r), "the degree", 0, INT32_MAX);
        h->has_degree = true;
    } else if (word_is(key, "gamma")) {
        h->gamma = number_of(r, next_word(r), "gamma");
        h->has_gamma = true;
    } else if (word_is(key, "coef0")) {
        h->coef0 = number_of(r, next_word(r), "coef0");
        h->has_coef0 = true;
    } else if (word_is(key, "nr_class")) {
        h->n_class = whole_of(r, next_word(r), "the number of classes", 1, INT32_MAX);
        if (h->n_class != 2) {
            fail(r, "a model of %lld classes, expected 2", (long long)h->n_class);
        }
    } else if (word_is(key, "total_sv")) {
        h->total_sv = whole_of(r, next_word(r), "the number of support vectors", 0, INT32_MAX);
    } else if (word_is(key, "rho")) {
        h->rho = number_of(r, next_word(r), "rho");
        h->has_rho = true;
    } else if (word_is(key, "label")) {
        read_labels(r, h);
    } else if (word_is(key, "nr_feature")) {
        h->n_feature = whole_of(r, next_word(r), "the number of features", 0, INT32_MAX - 1);
    } else if (word_is(key, "bias")) {
        h->bias = number_of(r, next_word(r), "the bias");
    } else if (word_among(key, "nr_sv probA probB prob_density_marks") >= 0) {
        return;
    } else {
        fail(r, "found '%.*s', expected a line of a %s model", shown(key), key.text,
             h->liblinear ? "LIBLINEAR" : "LIBSVM");
    }
    end_of_line(r);
}

static void check_header(reader *r, const header *h)
{
    const char *lacks = NULL;
    if (h->liblinear) {
        lacks = h->n_feature < 0 ? "nr_feature" : NULL;
    } else {
        const bool gamma = h->kind != NEY_KERNEL_LINEAR, coef0 = gamma && h->kind != NEY_KERNEL_RBF;
        lacks = h->kind < 0                                    ? "kernel_type"
                : gamma && !h->has_gamma                       ? "gamma"
                : coef0 && !h->has_coef0                       ? "coef0"
                : h->kind == NEY_KERNEL_POLY && !h->has_degree ? "degree"
                : !h->has_rho                                  ? "rho"
                : h->total_sv < 0                              ? "total_sv"
                                                               : NULL;
    }
    lacks = h->n_class != 2 ? "nr_class" : !h->has_label ? "label" : lacks;
    if (lacks) {
        fail(r, "the lines before this one lack '%s'", lacks);
    }
    if (h->kind == NEY_KERNEL_RBF && h->gamma < 0) {
        fail(r, "the gamma of an rbf kernel is %g, expected 0 or more", h->gamma);
    }
}

static void read_header(reader *r, header *h)
{
    const char *const last = h->liblinear ? "w" : "SV";
    while (r->status == NEY_OK) {
        if (!next_line(r)) {
            fail(r, "the file ends here, expected a line '%s'", last);
            return;
        }
        const word key = next_word(r);
        if (word_is(key, last)) {
            end_of_line(r);
            check_header(r, h);
            return;
        }
        read_key(r, h, key);
    }
}

/* ---------------------------------------------------------------- the model */

/* Preprocessing of numbered features that are used as they are. */
static ney_preprocessing *new_preprocessing(reader *r, const header *h, int64_t cols)
{
    ney_preprocessing *preprocessing = NULL;
    r->status = ney_preprocessing_new(&preprocessing, &r->env, NEY_FORMAT_SVMLIGHT, r->err);
    if (!preprocessing) {
        return NULL;
    }
    preprocessing->cols = cols;
    preprocessing->prepared = true;
    for (int k = 0; k < 2; k++) { /* ours are negative first, theirs positive */
        preprocessing->label[k] = ney_strdup(&r->env, h->label[1 - k], strlen(h->label[1 - k]));
    }
    if (!preprocessing->label[0] || !preprocessing->label[1]) {
        r->status = ney_no_memory(r->err, 2, "labels");
        ney_preprocessing_free(preprocessing);
        return NULL;
    }
    return preprocessing;
}

static void complete(reader *r, const header *h, ney_model *m)
{
    if (r->status == NEY_OK) {
        r->status = ney_model_set_thresholds(m, DBL_TRUE_MIN, DBL_TRUE_MIN, r->err);
    }
    if (r->status == NEY_OK) {
        r->status = ney_model_set_text(m, NEY_LIST_SUMMARY, "source",
                                       h->liblinear ? "liblinear" : "libsvm", r->err);
    }
}

static ney_model *linear_model(reader *r, const header *h, const double *w, int64_t cols, double b)
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
    double *exact; /* the values as they stand in the file */
    int64_t index_cap, value_cap, exact_cap;
} vectors;

static void vectors_free(const ney_env *env, vectors *v)
{
    ney_release_all(env, v->coefficient, v->start, v->index, v->value, v->dense, v->exact);
}

/* "COLUMN:VALUE" as entry n; the column, or 0 after a failure. */
static int64_t read_entry(reader *r, vectors *v, int64_t n, word w, int64_t last)
{
    const char *colon = memchr(w.text, ':', w.length);
    int64_t column = 0;
    if (!colon || !ney_integer_parse(w.text, (size_t)(colon - w.text), &column)) {
        fail(r, "found '%.*s', expected column:value", shown(w), w.text);
        return 0;
    }
    if (column <= last || column > INT32_MAX - 1) {
        fail(r, "column %lld after column %lld, expected columns that ascend from 1",
             (long long)column, (long long)last);
        return 0;
    }
    const word number = {colon + 1, w.length - (size_t)(colon + 1 - w.text)};
    const double value = number_of(r, number, "a value");
    if (!ney_fits_float(value)) {
        fail(r, "found '%.*s', expected a number that single precision holds, at most 3.4e38",
             shown(number), number.text);
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

static void read_vectors(reader *r, vectors *v, int64_t rows)
{
    if (rows > (r->end - r->at) / 2) {
        fail(r, "expected %lld support vectors, the file is shorter", (long long)rows);
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
        if (!next_line(r)) {
            fail(r, "%lld support vectors, expected %lld", (long long)i, (long long)rows);
            return;
        }
        v->coefficient[i] = number_of(r, next_word(r), "a coefficient");
        int64_t last = 0;
        for (word w; r->status == NEY_OK && (w = next_word(r)).length > 0; n++) {
            last = read_entry(r, v, n, w, last);
        }
        v->x.cols = last > v->x.cols ? last : v->x.cols;
        v->start[i + 1] = n;
    }
    if (r->status == NEY_OK && next_line(r)) {
        fail(r, "more than %lld support vectors", (long long)rows);
    }
    v->x.start = v->start;
    v->x.index = v->index;
    v->x.value = v->value;
}

/* Rows that hold most of their columns are quicker dense. */
static void store_dense(reader *r, vectors *v)
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

static ney_model *kernel_model(reader *r, const header *h, const vectors *v)
{
    const ney_kernel kernel = {
        .kind = h->kind, .gamma = h->gamma, .coef0 = h->coef0, .degree = h->degree};
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
static ney_model *weighted_model(reader *r, const header *h, const vectors *v)
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
            fail(r, "the weight of column %lld exceeds every number", (long long)c + 1);
            break;
        }
    }
    if (r->status == NEY_OK) {
        m = linear_model(r, h, w, v->x.cols, -h->rho);
    }
    ney_release(&r->env, w);
    return m;
}

static ney_model *read_libsvm(reader *r, const header *h)
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

static ney_model *read_liblinear(reader *r, const header *h)
{
    const bool biased = h->bias >= 0;
    const int64_t n = h->n_feature + biased;
    ney_model *m = NULL;
    if (n > (r->end - r->at) / 2) {
        fail(r, "expected %lld weights, the file is shorter", (long long)n);
        return NULL;
    }
    double *w = ney_alloc(&r->env, n, sizeof *w);
    if (!w) {
        r->status = ney_no_memory(r->err, n, "weights");
        return NULL;
    }
    for (int64_t c = 0; c < n && r->status == NEY_OK; c++) {
        if (!next_line(r)) {
            fail(r, "%lld weights, expected %lld", (long long)c, (long long)n);
            break;
        }
        w[c] = number_of(r, next_word(r), "a weight");
        end_of_line(r);
    }
    if (r->status == NEY_OK && next_line(r)) {
        fail(r, "more than %lld weights", (long long)n);
    }
    const double b = biased && r->status == NEY_OK ? h->bias * w[n - 1] : 0;
    if (!isfinite(b)) {
        fail(r, "bias times its weight exceeds every number");
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
    reader r = {.env = ney_env_of(env), .name = name, .at = text, .end = text + n_text, .err = err};
    header h = {.kind = -1, .n_class = -1, .total_sv = -1, .n_feature = -1, .bias = -1};
    h.liblinear = begins(text, n_text, "solver_type");

    *out = NULL;
    read_header(&r, &h);
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
