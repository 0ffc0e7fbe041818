#include "model/exchange_text.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void ney_exchange_fail(ney_exchange_reader *r, const char *format, ...)
{
    va_list args;
    if (r->status == NEY_OK) {
        va_start(args, format);
        r->status = ney_vfail_at(r->err, NEY_EFORMAT, (ney_place){.file = r->name, .line = r->line},
                                 format, args);
        va_end(args);
    }
}

bool ney_exchange_next_line(ney_exchange_reader *r)
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

ney_exchange_word ney_exchange_next_word(ney_exchange_reader *r)
{
    while (r->at < r->line_end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')) {
        r->at++;
    }
    ney_exchange_word w = {.text = r->at};
    while (r->at < r->line_end && *r->at != ' ' && *r->at != '\t' && *r->at != '\r') {
        r->at++;
    }
    w.length = (size_t)(r->at - w.text);
    return w;
}

static bool word_is(ney_exchange_word w, const char *text)
{
    return w.length == strlen(text) && memcmp(w.text, text, w.length) == 0;
}

/* Whether a word is among names separated by spaces; its position or -1. */
static int word_among(ney_exchange_word w, const char *names)
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

double ney_exchange_number(ney_exchange_reader *r, ney_exchange_word w, const char *what)
{
    double value = 0;
    if (w.length == 0) {
        ney_exchange_fail(r, "the line ends here, expected %s", what);
    } else if (!ney_number_parse(w.text, w.length, &value) || !isfinite(value)) {
        ney_exchange_fail(r, "found '%.*s', expected %s, a finite number", ney_exchange_shown(w),
                          w.text, what);
    }
    return r->status == NEY_OK ? value : 0;
}

static int64_t whole_of(ney_exchange_reader *r, ney_exchange_word w, const char *what, int64_t low,
                        int64_t high)
{
    int64_t value = 0;
    if (w.length == 0) {
        ney_exchange_fail(r, "the line ends here, expected %s", what);
    } else if (!ney_integer_parse(w.text, w.length, &value) || value < low || value > high) {
        ney_exchange_fail(r, "found '%.*s', expected %s, a whole number from %lld to %lld",
                          ney_exchange_shown(w), w.text, what, (long long)low, (long long)high);
    }
    return r->status == NEY_OK ? value : 0;
}

void ney_exchange_end_of_line(ney_exchange_reader *r)
{
    const ney_exchange_word w = ney_exchange_next_word(r);
    if (w.length > 0) {
        ney_exchange_fail(r, "found '%.*s', expected the end of the line", ney_exchange_shown(w),
                          w.text);
    }
}

/* ---------------------------------------------------------------- the lines before the numbers */

static void read_svm_type(ney_exchange_reader *r)
{
    const ney_exchange_word w = ney_exchange_next_word(r);
    if (word_among(w, "one_class epsilon_svr nu_svr") >= 0) {
        ney_exchange_fail(
            r, "a model of type %.*s, expected a classifier of two classes: c_svc or nu_svc",
            ney_exchange_shown(w), w.text);
    } else if (word_among(w, "c_svc nu_svc") < 0) {
        ney_exchange_fail(r, "found '%.*s', expected c_svc or nu_svc", ney_exchange_shown(w),
                          w.text);
    }
}

static void read_solver_type(ney_exchange_reader *r)
{
    const ney_exchange_word w = ney_exchange_next_word(r);
    if (word_among(w, "MCSVM_CS L2R_L2LOSS_SVR L2R_L2LOSS_SVR_DUAL L2R_L1LOSS_SVR_DUAL "
                      "ONECLASS_SVM") >= 0) {
        ney_exchange_fail(r,
                          "a model of type %.*s, expected a classifier of two classes, such as "
                          "L2R_L1LOSS_SVC_DUAL",
                          ney_exchange_shown(w), w.text);
    } else if (word_among(w, "L2R_LR L2R_L2LOSS_SVC_DUAL L2R_L2LOSS_SVC L2R_L1LOSS_SVC_DUAL "
                             "L1R_L2LOSS_SVC L1R_LR L2R_LR_DUAL") < 0) {
        ney_exchange_fail(
            r, "found '%.*s', expected a solver of LIBLINEAR such as L2R_L1LOSS_SVC_DUAL",
            ney_exchange_shown(w), w.text);
    }
}

static void read_kernel_type(ney_exchange_reader *r, ney_exchange_header *h)
{
    const ney_exchange_word w = ney_exchange_next_word(r);
    const int k = word_among(w, "linear polynomial rbf sigmoid");
    if (word_is(w, "precomputed")) {
        ney_exchange_fail(r,
                          "a precomputed kernel, expected one that can be computed from features: "
                          "linear, polynomial, rbf or sigmoid");
    } else if (k < 0) {
        ney_exchange_fail(r, "found '%.*s', expected linear, polynomial, rbf or sigmoid",
                          ney_exchange_shown(w), w.text);
    }
    static const int kind[] = {NEY_KERNEL_LINEAR, NEY_KERNEL_POLY, NEY_KERNEL_RBF,
                               NEY_KERNEL_SIGMOID};
    h->kind = k < 0 ? -1 : kind[k];
}

static void read_labels(ney_exchange_reader *r, ney_exchange_header *h)
{
    for (int k = 0; k < 2; k++) {
        const int64_t label =
            whole_of(r, ney_exchange_next_word(r), "a label", INT32_MIN, INT32_MAX);
        snprintf(h->label[k], sizeof h->label[k], "%lld", (long long)label);
    }
    if (strcmp(h->label[0], h->label[1]) == 0) {
        ney_exchange_fail(r, "label %s twice, expected two different ones", h->label[0]);
    }
    h->has_label = true;
}

/* One line of those; keys that change nothing in the decision are passed over. */
static void read_key(ney_exchange_reader *r, ney_exchange_header *h, ney_exchange_word key)
{
    if (word_is(key, "svm_type") && !h->liblinear) {
        read_svm_type(r);
    } else if (word_is(key, "solver_type") && h->liblinear) {
        read_solver_type(r);
    } else if (word_is(key, "kernel_type")) {
        read_kernel_type(r, h);
    } else if (word_is(key, "degree")) {
        h->degree = whole_of(r, ney_exchange_next_word(r), "the degree", 0, INT32_MAX);
        h->has_degree = true;
    } else if (word_is(key, "gamma")) {
        h->gamma = ney_exchange_number(r, ney_exchange_next_word(r), "gamma");
        h->has_gamma = true;
    } else if (word_is(key, "coef0")) {
        h->coef0 = ney_exchange_number(r, ney_exchange_next_word(r), "coef0");
        h->has_coef0 = true;
    } else if (word_is(key, "nr_class")) {
        h->n_class = whole_of(r, ney_exchange_next_word(r), "the number of classes", 1, INT32_MAX);
        if (h->n_class != 2) {
            ney_exchange_fail(r, "a model of %lld classes, expected 2", (long long)h->n_class);
        }
    } else if (word_is(key, "total_sv")) {
        h->total_sv =
            whole_of(r, ney_exchange_next_word(r), "the number of support vectors", 0, INT32_MAX);
    } else if (word_is(key, "rho")) {
        h->rho = ney_exchange_number(r, ney_exchange_next_word(r), "rho");
        h->has_rho = true;
    } else if (word_is(key, "label")) {
        read_labels(r, h);
    } else if (word_is(key, "nr_feature")) {
        h->n_feature =
            whole_of(r, ney_exchange_next_word(r), "the number of features", 0, INT32_MAX - 1);
    } else if (word_is(key, "bias")) {
        h->bias = ney_exchange_number(r, ney_exchange_next_word(r), "the bias");
    } else if (word_among(key, "nr_sv probA probB prob_density_marks") >= 0) {
        return;
    } else {
        ney_exchange_fail(r, "found '%.*s', expected a line of a %s model", ney_exchange_shown(key),
                          key.text, h->liblinear ? "LIBLINEAR" : "LIBSVM");
    }
    ney_exchange_end_of_line(r);
}

static void check_header(ney_exchange_reader *r, const ney_exchange_header *h)
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
        ney_exchange_fail(r, "the lines before this one lack '%s'", lacks);
    }
    if (h->kind == NEY_KERNEL_RBF && h->gamma < 0) {
        ney_exchange_fail(r, "the gamma of an rbf kernel is %g, expected 0 or more", h->gamma);
    }
}

void ney_exchange_read_header(ney_exchange_reader *r, ney_exchange_header *h)
{
    const char *const last = h->liblinear ? "w" : "SV";
    while (r->status == NEY_OK) {
        if (!ney_exchange_next_line(r)) {
            ney_exchange_fail(r, "the file ends here, expected a line '%s'", last);
            return;
        }
        const ney_exchange_word key = ney_exchange_next_word(r);
        if (word_is(key, last)) {
            ney_exchange_end_of_line(r);
            check_header(r, h);
            return;
        }
        read_key(r, h, key);
    }
}
