#include "data/reader.h"

#include "data/sniff.h"
#include "data/survey.h"
#include "data/table_start.h"

#include <string.h>

/* The format asked for must not contradict what is plainly there. */
static ney_status check_format(const char *name, ney_format wanted, ney_format *format,
                               ney_error *err)
{
    if (wanted == NEY_FORMAT_AUTO || wanted == *format) {
        return NEY_OK;
    }
    if (wanted >= NEY_FORMAT_CACHE || *format >= NEY_FORMAT_CACHE) {
        static const char *const what[] = {"a cache", "a NumPy array", "a NumPy archive"};
        return *format >= NEY_FORMAT_CACHE
                   ? ney_fail_at(err, NEY_EFORMAT, (ney_place){.file = name},
                                 "is %s, and --format names another format: leave --format out",
                                 what[*format - NEY_FORMAT_CACHE])
                   : ney_fail_at(err, NEY_EFORMAT, (ney_place){.file = name},
                                 "is not %s, as --format states: leave --format out",
                                 what[wanted - NEY_FORMAT_CACHE]);
    }
    *format = wanted;
    return NEY_OK;
}

ney_status ney_open_input(ney_source **source, ney_format *format, const ney_env *env,
                          const char *path, const ney_read_opts *opts, bool with_model,
                          ney_error *err)
{
    const char *bytes, *name;
    int64_t n_bytes;
    ney_status st = ney_read_check_values(opts, err);

    if (st == NEY_OK && path) {
        st = ney_source_open(source, env, path, err);
    }
    if (st == NEY_OK && (st = ney_sniffed_bytes(*source, opts, &bytes, &n_bytes, err)) == NEY_OK) {
        name = ney_source_name(*source);
        const ney_format wanted =
            opts->format == NEY_FORMAT_AUTO && opts->delimiter ? NEY_FORMAT_CSV : opts->format;
        if ((st = ney_sniff(name, bytes, n_bytes, wanted, format, err)) == NEY_OK &&
            (st = check_format(name, wanted, format, err)) == NEY_OK) {
            st = ney_read_check(opts, *format, with_model, err);
        }
    }
    if (st != NEY_OK) {
        ney_source_close(*source);
        *source = NULL;
    }
    return st;
}

ney_status ney_refuse_packed_cache(const ney_source *source, const char *path, ney_error *err)
{
    const bool compressed = ney_source_compressed(source);
    if (!compressed && strcmp(path, "-") != 0) {
        return NEY_OK;
    }
    return ney_fail_at(err, NEY_EFORMAT, (ney_place){.file = ney_source_name(source)},
                       compressed ? "is a compressed cache: unpack it first"
                                  : "a cache is read from a file, not from standard input");
}

static bool name_column(const ney_reader *r, int64_t c, char **name)
{
    const char *text = c >= 0 ? r->table.column[c].name : NULL;
    return !text || (*name = ney_strdup(&r->env, text, strlen(text))) != NULL;
}

/* Store in the preprocessing which columns are notes, in the order of this file. */
static bool name_notes(ney_reader *r)
{
    const ney_table *t = &r->table;
    ney_text notes;
    ney_text_init(&notes, &r->env);
    for (int64_t c = 0; c < t->n_columns; c++) {
        if (t->column[c].role == NEY_ROLE_NOTE) {
            ney_text_put(&notes, notes.length > 0 ? "\t" : "");
            ney_text_put(&notes, t->column[c].name);
        }
    }
    r->preprocessing->note_columns = notes.bytes;
    return !notes.failed && name_column(r, t->id, &r->preprocessing->id_column) &&
           name_column(r, t->group, &r->preprocessing->group_column);
}

/* And which others are no features. */
static bool name_columns(ney_reader *r)
{
    const ney_table *t = &r->table;
    const char *const na = r->opts.na;
    return name_notes(r) &&
           (!na || (r->preprocessing->na_words = ney_strdup(&r->env, na, strlen(na)))) &&
           name_column(r, t->label, &r->preprocessing->label_column) &&
           name_column(r, t->weight, &r->preprocessing->weight_column);
}

/* Columns, and without a model's preprocessing what they hold. */
static ney_status open_table(ney_reader *r, ney_error *err)
{
    const char *line, *file = ney_source_name(r->source);
    int64_t length = 0;
    ney_read_opts opts = r->opts;
    ney_status st;

    if ((st = ney_table_first_line(&r->lines, &line, &length, err)) != NEY_OK) {
        return st;
    }
    if (r->given) { /* what cells may hold, and which are words, is determined by the model */
        opts.missing =
            ney_preprocessing_allows_missing(r->given) ? NEY_MISSING_MEAN : NEY_MISSING_ERROR;
        opts.words = NULL;
        opts.max_columns += opts.max_columns == 0 ? NEY_USUAL_COLUMNS + r->given->cols : 0;
    }
    if (r->given && r->given->na_words) {
        opts.na = r->given->na_words;
    }
    if ((st = ney_table_open(&r->table, &r->env, (ney_table_style){r->format, r->lines.delimiter},
                             &opts, file, line, length, err)) != NEY_OK) {
        return st;
    }
    if (r->table.like_data) {
        ney_log(&r->env, NEY_LOG_WARNING,
                "%s:1: the header holds numbers or repeats a name, as rows of data do: if it is a "
                "row, state --no-header",
                file);
    }
    if (r->given) {
        r->table.trained = true;
        if (!opts.label && r->given->label_column) {
            r->table.label = ney_table_find(&r->table, r->given->label_column);
        }
        ney_table_keep_notes(&r->table, r->given);
        return name_notes(r) ? ney_table_bind(&r->table, r->given, file, err)
                             : ney_no_memory(err, r->table.n_columns, "column names");
    }
    if ((st = ney_source_hold(r->source, err)) != NEY_OK ||
        (st = ney_survey(&r->table, &r->lines, r->source, opts.max_categories, r->preprocessing,
                         &r->repeated, err)) != NEY_OK ||
        (st = ney_source_rewind(r->source, err)) != NEY_OK) {
        return st;
    }
    ney_lines_restart(&r->lines);
    if (!name_columns(r)) {
        return ney_no_memory(err, r->table.n_columns, "column names");
    }
    ney_reader_log_columns(r);
    return ney_table_bind(&r->table, r->preprocessing, file, err);
}

/* The only groups that svmlight text knows are those of qid. */
static ney_status check_svmlight(const ney_reader *r, ney_error *err)
{
    const ney_place place = {.file = ney_source_name(r->source)};
    if (r->opts.id) {
        return ney_fail_at(err, NEY_EINVAL, place,
                           "is svmlight text, which has no column '%.60s' for --id: use a table",
                           r->opts.id);
    }
    if (r->opts.group && strcmp(r->opts.group, "qid") != 0) {
        return ney_fail_at(
            err, NEY_EINVAL, place,
            "is svmlight text, which has no column '%.60s' for --group: mark rows by "
            "qid:NUMBER and name --group qid, or use a table",
            r->opts.group);
    }
    return NEY_OK;
}

static ney_status open_svmlight(ney_reader *r, ney_error *err)
{
    const ney_status st = check_svmlight(r, err);
    if (st != NEY_OK) {
        return st;
    }
    const ney_preprocessing *given =
        r->given; /* the model determines whether cells may be missing */
    const ney_missing missing = r->opts.missing;
    r->svmlight = (ney_svmlight){.zero_based = r->opts.zero_based,
                                 .keep_nan = given ? ney_preprocessing_allows_missing(given)
                                                   : missing != NEY_MISSING_ERROR,
                                 .keep_infinite = !given && missing == NEY_MISSING_KEEP,
                                 .trained = given != NULL,
                                 .shift = given ? given->shift : NULL,
                                 .cols = given ? given->cols : 0,
                                 .grouped = r->opts.group != NULL};
    if (r->opts.group && (!(r->preprocessing->note_columns = ney_strdup(&r->env, "qid", 3)) ||
                          !(r->preprocessing->group_column = ney_strdup(&r->env, "qid", 3)))) {
        return ney_no_memory(err, 1, "column names");
    }
    return NEY_OK;
}

ney_status ney_reader_new(ney_reader **out, const ney_env *env, ney_source *source,
                          ney_format format, const ney_read_opts *opts,
                          const ney_preprocessing *given, ney_error *err)
{
    ney_reader *r = ney_alloc_zeroed(env, 1, sizeof *r);
    ney_status st;

    *out = NULL;
    if (!r) {
        ney_source_close(source);
        return ney_no_memory(err, 1, "reader");
    }
    r->env = *env;
    r->opts = *opts;
    r->source = source;
    r->format = format;
    r->given = given;
    r->repeated = -1;
    char delimiter;
    st = ney_table_delimiter(source, format, opts, &delimiter, err);
    ney_lines_init(&r->lines, env, source, delimiter, ney_max_line(opts));
    if (st != NEY_OK ||
        (st = ney_preprocessing_new(&r->preprocessing, env, format, err)) != NEY_OK ||
        (st = ney_labels_init(&r->labels, env, ney_source_name(source), given, err)) != NEY_OK) {
        ney_reader_free(r);
        return st;
    }
    bool pooled;
    r->rows = ney_alloc_zeroed(env, NEY_PIECES, sizeof *r->rows);
    st = r->rows ? ney_pooling_of(&r->pooling, &pooled, &r->opts, given, err)
                 : ney_no_memory(err, NEY_PIECES, "pieces of text");
    if (st != NEY_OK) {
        ney_reader_free(r);
        return st;
    }
    for (int i = 0; i < NEY_PIECES; i++) {
        ney_rows_init(&r->rows[i], env);
        r->rows[i].known = given ? r->labels.value : NULL;
        r->rows[i].pooling = pooled ? &r->pooling : NULL;
    }
    st = format == NEY_FORMAT_SVMLIGHT ? open_svmlight(r, err) : open_table(r, err);
    if (st != NEY_OK) {
        ney_reader_free(r);
        return st;
    }
    *out = r;
    return NEY_OK;
}

void ney_reader_free(ney_reader *r)
{
    if (!r) {
        return;
    }
    const ney_env env = r->env;
    for (int i = 0; r->rows && i < NEY_PIECES; i++) {
        ney_rows_deinit(&r->rows[i]);
    }
    ney_release(&env, r->rows);
    ney_lines_deinit(&r->lines);
    ney_table_deinit(&r->table);
    ney_labels_deinit(&r->labels);
    ney_preprocessing_free(r->preprocessing);
    ney_source_close(r->source);
    ney_release(&env, r);
}

static void parse_piece(void *context, ney_piece piece, int slot)
{
    ney_reader *r = context;
    if (r->format == NEY_FORMAT_SVMLIGHT) {
        ney_svmlight_parse(&r->svmlight, piece, &r->rows[slot]);
    } else {
        ney_table_parse(&r->table, piece, &r->rows[slot]);
    }
}

static ney_rows *rows_of(void *context, int slot)
{
    return &((ney_reader *)context)->rows[slot];
}

/* While more entries may come only what the caller names is a limit. */
static ney_status check_columns(const ney_reader *r, bool more, ney_error *err)
{
    const ney_place place = {ney_source_name(r->source), r->cols_line, 0};
    if (r->format != NEY_FORMAT_SVMLIGHT || (more && r->opts.max_columns == 0)) {
        return NEY_OK; /* a table's header was checked */
    }
    return ney_check_columns(&r->opts, r->cols, r->n_entries, r->given ? r->given->cols : 0, place,
                             err);
}

ney_status ney_reader_next(ney_reader *r, ney_rows **pieces, int *n, ney_error *err)
{
    const ney_batches batches = {&r->lines, &r->labels, &r->lines_before, parse_piece, rows_of, r};
    int64_t line = r->lines_before;
    const ney_status st = ney_batches_next(&batches, n, err);

    if (st != NEY_OK) {
        return st;
    }
    for (int i = 0; i < *n; i++) {
        if (r->rows[i].cols > r->cols) {
            r->cols = r->rows[i].cols;
            r->cols_line = line + r->rows[i].cols_line;
        }
        line += r->rows[i].n_lines;
        r->n_rows += r->rows[i].n;
        r->unknown += r->rows[i].unknown;
        r->n_entries += r->rows[i].n_entries;
    }
    *pieces = r->rows;
    return check_columns(r, *n > 0, err);
}

ney_status ney_reader_finish(ney_reader *r, int64_t cols, int8_t sign[2], ney_error *problem,
                             ney_error *err)
{
    if (!r->given && r->n_rows == 0 && r->table.header) {
        return ney_fail_at(err, NEY_EPARSE, (ney_place){.file = ney_source_name(r->source)},
                           "has a header but no rows");
    }
    if (r->unknown > 0) {
        ney_log(&r->env, NEY_LOG_WARNING,
                "%s: %lld cells hold a category that the training data did not have; in "
                "these rows all 0/1 features of the column are 0",
                ney_source_name(r->source), (long long)r->unknown);
    }
    if (!r->preprocessing->input) {
        r->preprocessing->cols = cols;
    }
    if (!r->given && r->opts.missing != NEY_MISSING_KEEP &&
        !ney_preprocessing_set_missing(r->preprocessing, r->opts.missing)) {
        return ney_no_memory(err, r->preprocessing->cols, "columns to fill");
    }
    const char *const pooled = r->given || !r->rows[0].pooling ? NULL : r->pooling.negatives;
    if (pooled && !(r->preprocessing->pooled = ney_strdup(&r->env, pooled, strlen(pooled)))) {
        return ney_no_memory(err, 1, "label names");
    }
    return ney_labels_finish(&r->labels, r->opts.positive, r->preprocessing, sign, problem, err);
}
