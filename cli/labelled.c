#include "labelled.h"

#include <neyman/experimental/comm.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "file_memory.h"
#include "result.h"
#include "train_stream.h"

class_counts count_classes(const ney_data *data)
{
    const int8_t *label = ney_data_label(data);
    const int64_t rows = ney_data_matrix(data)->rows;
    class_counts n = {0, 0};

    for (int64_t i = 0; label && i < rows; i++) {
        n.pos += label[i] > 0;
        n.neg += label[i] < 0;
    }
    return n;
}

class_counts count_all_classes(const session *s, const ney_data *data)
{
    const class_counts own = count_classes(data);
    int64_t n[2] = {own.pos, own.neg};

    if (s->env.comm && s->env.comm->size > 1) {
        s->env.comm->add_counts(s->env.comm->state, n, 2);
    }
    return (class_counts){n[0], n[1]};
}

/* The first names of columns, as many as fit a message. */
static void list_columns(const ney_preprocessing *preprocessing, char *text, size_t n_text)
{
    const int64_t cols = ney_preprocessing_cols(preprocessing);
    size_t used = 0;
    char last[64] = "";

    text[0] = '\0';
    for (int64_t c = 0; c < cols; c++) {
        char name[64];
        ney_preprocessing_feature(preprocessing, c, name, sizeof name);
        name[strcspn(name, "=")] =
            '\0'; /* a column of categories has one feature per value: "city=Rome" */
        if (c > 0 && strcmp(name, last) == 0) {
            continue;
        }
        memcpy(last, name, sizeof last);
        if (used + 80 > n_text) {
            snprintf(text + used, n_text - used, ", ...");
            return;
        }
        used += (size_t)snprintf(text + used, n_text - used, "%s%s", c ? ", " : "", name);
    }
}

int refuse_unlabelled(session *s, const char *path, const ney_data *data, bool own_columns)
{
    const ney_format format = ney_data_format(data);
    const bool table = format == NEY_FORMAT_CSV || format == NEY_FORMAT_TSV;
    char names[320];

    if (table && own_columns) {
        list_columns(ney_data_preprocessing(data), names, sizeof names);
        return session_bad_input(
            s, path, "has no known label column; expected --label COLUMN, one of: %s", names);
    }
    return session_fail(s, ney_data_unlabelled(data, &s->err));
}

int check_both_classes(session *s, const char *path, const ney_data *data)
{
    const class_counts n = count_classes(data);

    if (!ney_data_label(data)) {
        return refuse_unlabelled(s, path, data, false);
    }
    if (n.pos == 0 || n.neg == 0) {
        return session_bad_input(s, path, "all %lld rows are of one class, expected both",
                                 (long long)(n.pos + n.neg));
    }
    return EXIT_OK;
}

int read_both_classes(session *s, const char *path, const ney_data *like, ney_data **data)
{
    const ney_status st = read_more(s, path, ney_data_preprocessing(like), data);

    return st == NEY_OK ? check_both_classes(s, path, *data) : session_fail(s, st);
}

/* Compare labels as numbers if both are, else as text. */
static int compare_labels(const char *a, const char *b)
{
    char *end_a, *end_b;
    const double x = strtod(a, &end_a), y = strtod(b, &end_b);

    return *a && *b && !*end_a && !*end_b ? (x > y) - (x < y) : strcmp(a, b);
}

bool same_label(const char *a, const char *b)
{
    return compare_labels(a, b) == 0;
}

bool is_larger_label(const char *a, const char *b)
{
    return compare_labels(a, b) > 0;
}

ney_status read_more(session *s, const char *path, const ney_preprocessing *preprocessing,
                     ney_data **data)
{
    const ney_read_opts *given = options_of(s->call, &read_options);
    ney_read_opts read = *given;
    int64_t n;
    const ney_param *rows = ney_read_params(&n);

    if (stream_is_cache(path)) { /* it stores its columns */
        ney_params_init(rows, n, &read);
        read.positive = given->positive;
        read.max_columns = given->max_columns;
    }
    for (int64_t k = 0; k < n; k++) { /* given by the first file */
        if (word_in("ignore words missing max-categories", rows[k].name, strlen(rows[k].name))) {
            ney_params_init(&rows[k], 1, &read);
        }
    }
    return ney_data_read_with(data, &s->env, path, &read, preprocessing, &s->err);
}

/* The positive class is that of the model. */
int check_positive(session *s, const ney_model *model)
{
    const ney_read_opts *read = options_of(s->call, &read_options);
    const char *positive = ney_preprocessing_label(ney_model_preprocessing(model), 1);

    if (read->positive && !same_label(read->positive, positive)) {
        return session_misused(s,
                               "--positive = %.60s, but the model's positive class is '%.60s'; "
                               "omit --positive, or train a model with it",
                               read->positive, positive);
    }
    return EXIT_OK;
}

int refuse_infinite(session *s, const double *score, int64_t n, int64_t before, const char *path)
{
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(score[i])) {
            return session_bad_input(s, path,
                                     "the score of row %lld is %g, expected a finite number: its "
                                     "features are too large for the model",
                                     (long long)(before + i) + 1, score[i]);
        }
    }
    return EXIT_OK;
}

void say_folds(session *s, int64_t out_of_fold, int64_t rows)
{
    if (out_of_fold > 0) {
        session_say(s, NEY_LOG_INFO,
                    "%lld of %lld rows, or their spectra, were used in training: each is scored by "
                    "the fold model that has not seen it",
                    (long long)out_of_fold, (long long)rows);
    }
}

int scored_read(scored *out, session *s, const char *model, const char *data)
{
    *out = (scored){0};
    const ney_status st = ney_model_read(&out->model, &s->env, model, &s->err);
    return st == NEY_OK ? scored_fill(out, s, data) : session_fail(s, st);
}

int scored_fill(scored *out, session *s, const char *data)
{
    const ney_read_opts *read = options_of(s->call, &read_options);
    ney_status st;
    const int code = check_positive(s, out->model);
    if (code != EXIT_OK) {
        return code;
    }
    if ((st = ney_data_read_with(&out->data, &s->env, data, read,
                                 ney_model_preprocessing(out->model), &s->err)) != NEY_OK) {
        return session_fail(s, st);
    }
    const ney_matrix *x = ney_data_matrix(out->data);
    ney_model_thresholds(out->model, &out->low, &out->high);
    out->score = memory_new((size_t)x->rows + 1, sizeof *out->score);
    if (!out->score) {
        return session_fail(s, out_of_memory(&s->err, "the scores"));
    }
    st = ney_model_score_data(out->model, &s->env, out->data, out->score, &out->out_of_fold,
                              &s->err);
    if (st == NEY_OK) {
        say_folds(s, out->out_of_fold, x->rows);
    }
    out->in_sample =
        ney_model_fold_count(out->model) == 0 && ney_model_trained_on(out->model, out->data);
    int64_t rows, hashes;
    out->has_reuse = ney_model_training_rows(out->model, &rows, &hashes);
    if (st == NEY_OK && out->has_reuse) {
        st = ney_model_find_reuse(out->model, out->data, NULL, &out->reuse, &s->err);
    }
    out->partly_seen = out->reuse.reused && out->out_of_fold == 0 && !out->in_sample;
    return st == NEY_OK ? refuse_infinite(s, out->score, x->rows, 0, data) : session_fail(s, st);
}

void scored_deinit(scored *s)
{
    memory_free(s->score);
    ney_data_free(s->data);
    ney_model_free(s->model);
    *s = (scored){0};
}

int64_t count_reused(const ney_reuse *reuse)
{
    return reuse->reused ? llround(reuse->estimate) : 0;
}

ney_status warn_shared(session *s, ney_result *root, const ney_data *training, const ney_data *rows,
                       const char *what, const char *use)
{
    ney_reuse reuse = {0};
    const ney_status st = rows ? ney_data_find_reuse(training, rows, &reuse, &s->err) : NEY_OK;

    ney_warn_reuse(root, &reuse, what, use);
    return st;
}
