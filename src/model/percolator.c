/* Weights files of Percolator: for each fold a line with the names of the features and m0, a line
 * of normalised weights and a line of raw weights. The score of a row is the sum of its features
 * times the raw weights, and m0. */
#include "model/percolator.h"

#include "base/file.h"
#include "base/number.h"
#include "model/family.h"
#include "model/folds.h"

#include <neyman/experimental/discovery.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------ writing */

/* The weights of a linear model; NULL for other families. */
static const ney_linear *linear_of(const ney_model *m)
{
    return m->family == &ney_family_linear ? m->part : NULL;
}

/* One fold. A feature is (x - offset) * factor, so that its raw weight is w * factor. */
static void put_fold(const ney_model *m, const ney_linear *linear, ney_text *t)
{
    const ney_preprocessing *const r = m->preprocessing;
    double offset, factor, intercept = linear->intercept;
    for (int64_t j = 0; j < linear->cols; j++) {
        char name[512];
        ney_preprocessing_feature(r, j, name, sizeof name);
        ney_text_put(t, name);
        ney_text_put(t, "\t");
    }
    ney_text_put(t, "m0\n");
    for (int64_t j = 0; j < linear->cols; j++) {
        ney_text_number(t, linear->weight[j]);
        ney_text_put(t, "\t");
    }
    ney_text_number(t, linear->intercept);
    ney_text_put(t, "\n");
    for (int64_t j = 0; j < linear->cols; j++) {
        ney_preprocessing_scale(r, j, &offset, &factor);
        intercept -= linear->weight[j] * factor * offset;
        ney_text_number(t, linear->weight[j] * factor);
        ney_text_put(t, "\t");
    }
    ney_text_number(t, intercept);
    ney_text_put(t, "\n");
}

static ney_status check_model(const ney_model *m, ney_error *err)
{
    const ney_preprocessing *const r = m->preprocessing;
    const char *const why = !linear_of(m) ? "is not linear"
                            : r->scaling == NEY_SCALING_UNIT || r->ranks
                                ? "scales rows or ranks columns"
                            : r->fill ? "fills missing cells"
                                      : NULL;
    return why ? ney_fail(err, NEY_EINVAL,
                          "the model %s, which a weights file of Percolator cannot hold", why)
               : NEY_OK;
}

ney_status ney_model_export_percolator(const ney_model *model, const char *path, ney_error *err)
{
    NEY_REQUIRE(model && path, err);
    const ney_model_folds *const folds = model->folds;
    ney_text text;
    ney_status st = check_model(model, err);
    for (int k = 0; folds && k < folds->n && st == NEY_OK; k++) {
        st = check_model(folds->model[k], err);
    }
    if (st != NEY_OK) {
        return st;
    }
    ney_text_init(&text, &model->env);
    ney_text_put(&text, "# normalised weights, then raw weights, of each fold\n");
    for (int k = 0; k < (folds ? folds->n : 1); k++) {
        const ney_model *const m = folds ? folds->model[k] : model;
        put_fold(m, linear_of(m), &text);
    }
    st = text.failed ? ney_no_memory(err, text.length, "bytes of weights")
                     : ney_file_write(&model->env, path, text.bytes, text.length, err);
    ney_text_deinit(&text);
    return st;
}

/* ------------------------------------------------------------------ reading */

/* The next line that is neither empty nor a comment; false at the end. */
static bool next_line(const char **at, const char *end, const char **line, size_t *length,
                      int64_t *number)
{
    while (*at < end) {
        const char *const newline = memchr(*at, '\n', (size_t)(end - *at));
        *line = *at;
        *length = (size_t)((newline ? newline : end) - *at);
        *at = newline ? newline + 1 : end;
        ++*number;
        while (*length > 0 && ((*line)[*length - 1] == '\r' || (*line)[*length - 1] == ' ')) {
            --*length;
        }
        if (*length > 0 && **line != '#') {
            return true;
        }
    }
    return false;
}

bool ney_percolator_is(const char *text, size_t n_text)
{
    const char *at = text, *line;
    size_t length;
    int64_t number = 0;
    return next_line(&at, text + n_text, &line, &length, &number) && length > 3 &&
           memcmp(line + length - 3, "\tm0", 3) == 0;
}

/* What is read: the weights of all folds add up. */
typedef struct weights {
    ney_env env;
    const char *file, *names; /* the first line of names, n_names bytes without m0 */
    size_t n_names;
    double *sum; /* cols + 1, m0 last */
    int64_t cols, folds;
} weights;

static ney_status add_raw(weights *w, const char *line, size_t length, ney_place place,
                          ney_error *err)
{
    const char *const end = line + length;
    int64_t j = 0;
    for (const char *p = line; p <= end; j++) {
        const char *tab = memchr(p, '\t', (size_t)(end - p));
        const char *const stop = tab ? tab : end;
        double value;
        if (j > w->cols || !ney_number_parse(p, (size_t)(stop - p), &value) ||
            !(value >= -DBL_MAX && value <= DBL_MAX)) {
            return ney_fail_at(err, NEY_EPARSE, place, "found '%.*s', expected %lld finite numbers",
                               (int)(stop - p < 40 ? stop - p : 40), p, (long long)w->cols + 1);
        }
        w->sum[j] += value;
        p = stop + 1;
    }
    return j == w->cols + 1 ? NEY_OK
                            : ney_fail_at(err, NEY_EPARSE, place,
                                          "found %lld weights, expected %lld: one for each name",
                                          (long long)j, (long long)w->cols + 1);
}

/* The line of names of a fold. */
static ney_status add_names(weights *w, const char *line, size_t length, ney_place place,
                            ney_error *err)
{
    if (length < 4 || memcmp(line + length - 3, "\tm0", 3) != 0) {
        return ney_fail_at(err, NEY_EPARSE, place,
                           "expected a line of names of features that ends in m0");
    }
    if (w->names) {
        return w->n_names == length - 3 && memcmp(w->names, line, w->n_names) == 0
                   ? NEY_OK
                   : ney_fail_at(err, NEY_EPARSE, place,
                                 "expected the same names of features in each fold");
    }
    w->names = line;
    w->n_names = length - 3;
    w->cols = 1;
    for (size_t i = 0; i < w->n_names; i++) {
        w->cols += line[i] == '\t';
    }
    w->sum = ney_alloc_zeroed(&w->env, w->cols + 1, sizeof *w->sum);
    return w->sum ? NEY_OK : ney_no_memory(err, w->cols, "weights");
}

static ney_status read_weights(weights *w, const char *text, size_t n_text, ney_error *err)
{
    const char *at = text, *const end = text + n_text, *line;
    size_t length;
    ney_place place = {.file = w->file};
    ney_status st = NEY_OK;
    if (memchr(text, '\0', n_text)) { /* names are kept as C strings */
        return ney_fail_at(err, NEY_EPARSE, place, "found a NUL byte, expected text");
    }
    while (st == NEY_OK && next_line(&at, end, &line, &length, &place.line)) {
        if ((st = add_names(w, line, length, place, err)) != NEY_OK) {
            return st;
        }
        if (!next_line(&at, end, &line, &length, &place.line) ||
            !next_line(&at, end, &line, &length, &place.line)) {
            return ney_fail_at(err, NEY_EPARSE, place,
                               "expected a line of normalised and a line of raw weights after "
                               "the names");
        }
        st = add_raw(w, line, length, place, err);
        w->folds++;
    }
    return st;
}

static ney_status average_folds(weights *w, ney_error *err)
{
    for (int64_t j = 0; j <= w->cols; j++) {
        w->sum[j] /= (double)w->folds;
        if (!isfinite(w->sum[j])) {
            return ney_fail_at(err, NEY_EPARSE, (ney_place){.file = w->file},
                               "weight %lld of all folds together is too large for double "
                               "precision",
                               (long long)j + 1);
        }
    }
    return NEY_OK;
}

/* Columns of a table by their names, as they are. */
static ney_status new_preprocessing(ney_preprocessing **out, const weights *w, ney_error *err)
{
    const char *at = w->names, *const end = at + w->n_names;
    ney_preprocessing *r = NULL;
    ney_status st = ney_preprocessing_new(&r, &w->env, NEY_FORMAT_PIN, err);
    *out = r;
    if (st != NEY_OK) {
        return st;
    }
    r->prepared = true;
    r->label[0] = ney_strdup(&r->env, "-1", 2);
    r->label[1] = ney_strdup(&r->env, "1", 1);
    r->input = ney_alloc_zeroed(&r->env, w->cols, sizeof *r->input);
    bool full = r->label[0] && r->label[1] && r->input;
    for (int64_t j = 0; full && j < w->cols; j++) {
        const char *const tab = memchr(at, '\t', (size_t)(end - at));
        r->input[j].first = j;
        r->input[j].name = ney_strdup(&r->env, at, (size_t)((tab ? tab : end) - at));
        full = r->input[j].name != NULL;
        r->n_input += full;
        at = tab ? tab + 1 : end;
    }
    r->cols = w->cols;
    return full ? NEY_OK : ney_no_memory(err, w->cols, "names of features");
}

static ney_status make_model(ney_model **out, const weights *w, ney_error *err)
{
    ney_preprocessing *r = NULL;
    ney_model *m = NULL;
    ney_status st = new_preprocessing(&r, w, err);
    if (st == NEY_OK &&
        (st = ney_model_new_linear(&m, &w->env, r, w->sum, w->sum[w->cols], err)) == NEY_OK &&
        (st = ney_model_set_thresholds(m, DBL_TRUE_MIN, DBL_TRUE_MIN, err)) == NEY_OK) {
        st = ney_model_set_text(m, NEY_METADATA_SUMMARY, "source", "percolator", err);
    }
    ney_preprocessing_free(r);
    if (st == NEY_OK) {
        *out = m;
    } else {
        ney_model_free(m);
    }
    return st;
}

ney_status ney_percolator_parse(ney_model **out, const ney_env *env, const char *name,
                                const char *text, size_t n_text, ney_error *err)
{
    weights w = {.env = *env, .file = name};
    *out = NULL;
    ney_status st = read_weights(&w, text, n_text, err);
    if (st == NEY_OK && (st = average_folds(&w, err)) == NEY_OK) {
        st = make_model(out, &w, err);
    }
    ney_release(env, w.sum);
    return st;
}
