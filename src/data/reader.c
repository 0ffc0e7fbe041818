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

/* The format of the bytes of a source. */
static ney_status find_format(ney_source *source, const ney_read_opts *opts, ney_format *format,
                              ney_error *err)
{
    const char *bytes, *const name = ney_source_name(source);
    int64_t n_bytes;
    const ney_format wanted =
        opts->format == NEY_FORMAT_AUTO && opts->delimiter ? NEY_FORMAT_CSV : opts->format;
    ney_status st = ney_sniffed_bytes(source, opts, &bytes, &n_bytes, err);

    if (st == NEY_OK && (st = ney_sniff(name, bytes, n_bytes, wanted, format, err)) == NEY_OK) {
        st = check_format(name, wanted, format, err);
    }
    return st;
}

static ney_status compare_formats(const ney_files *files, int64_t k, ney_format first,
                                  ney_format own, ney_error *err)
{
    static const char *const names[] = {"", "svmlight text", "CSV", "TSV", "PIN"};
    const ney_place place = {.file = ney_files_name(files, k)};

    if (own >= NEY_FORMAT_CACHE) {
        return ney_fail_at(err, NEY_EFORMAT, place,
                           "is %s, which cannot be read together with other files: read text",
                           own == NEY_FORMAT_CACHE ? "a cache" : "a NumPy file");
    }
    return own == first ? NEY_OK
                        : ney_fail_at(err, NEY_EFORMAT, place, "is %s, expected %s, as %.100s is",
                                      names[own], names[first], ney_files_name(files, 0));
}

/* Files other than the first have its format. What comes through a pipe shows that later. */
static ney_status check_others(const ney_env *env, const ney_files *files,
                               const ney_read_opts *opts, ney_format format, ney_error *err)
{
    const int64_t n = ney_files_count(files);
    ney_status st = n > 1 ? compare_formats(files, 0, format, format, err) : NEY_OK;

    for (int64_t k = 1; k < n && st == NEY_OK; k++) {
        ney_source *source;
        ney_format own;
        if (ney_files_is_stream(files, k)) {
            continue;
        }
        if ((st = ney_source_open(&source, env, ney_files_name(files, k), err)) == NEY_OK) {
            st = find_format(source, opts, &own, err);
            ney_source_close(source);
        }
        st = st == NEY_OK ? compare_formats(files, k, format, own, err) : st;
    }
    return st;
}

ney_status ney_open_input(ney_files **files, ney_format *format, const ney_env *env,
                          const char *path, const ney_read_opts *opts, bool with_model,
                          ney_error *err)
{
    ney_status st = ney_read_check_values(opts, err);

    if (st == NEY_OK && path) {
        st = ney_files_open(files, env, path, opts->decoys, err);
    }
    if (st == NEY_OK && (st = find_format(ney_files_source(*files), opts, format, err)) == NEY_OK &&
        (st = check_others(env, *files, opts, *format, err)) == NEY_OK) {
        st = ney_read_check(opts, *format, with_model, err);
    }
    if (st != NEY_OK) {
        ney_files_close(*files);
        *files = NULL;
    }
    return st;
}

ney_status ney_refuse_packed_cache(const ney_files *files, const char *path, ney_error *err)
{
    const bool compressed = ney_source_compressed(ney_files_source(files));
    if (!compressed && strcmp(path, "-") != 0) {
        return NEY_OK;
    }
    return ney_fail_at(err, NEY_EFORMAT, (ney_place){.file = ney_files_title(files)},
                       compressed ? "is a compressed cache: unpack it first"
                                  : "a cache is read from a file, not from standard input");
}

static bool name_column(const ney_reader *r, int64_t c, char **name)
{
    const char *text = c >= 0 ? r->table.column[c].name : NULL;
    return !text || (*name = ney_strdup(&r->env, text, strlen(text))) != NULL;
}

/* Store in the preprocessing which columns are no features. */
static bool name_columns(ney_reader *r)
{
    const ney_table *t = &r->table;
    const char *const na = r->opts.na;
    return ney_table_name_notes(&r->table, r->preprocessing) &&
           (!na || (r->preprocessing->na_words = ney_strdup(&r->env, na, strlen(na)))) &&
           name_column(r, t->label, &r->preprocessing->label_column) &&
           name_column(r, t->weight, &r->preprocessing->weight_column);
}

/* Columns, and without a model's preprocessing what they hold. */
static ney_status open_table(ney_reader *r, ney_error *err)
{
    const char *line, *file = ney_files_name(r->files, 0);
    int64_t length = 0;
    ney_read_opts opts = r->opts;
    ney_table_style style = {.format = r->format, .delimiter = r->lines.delimiter};
    ney_status st;

    if ((st = ney_table_first_line(&r->lines, &line, &length, &style.rows_are_named, err)) !=
        NEY_OK) {
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
    if ((st = ney_table_open(&r->table, &r->env, style, &opts, file, line, length, err)) !=
        NEY_OK) {
        return st;
    }
    if (r->table.like_data) {
        ney_log(&r->env, NEY_LOG_WARNING,
                "%s:1: the header holds numbers or repeats a name, as rows of data do: if it is a "
                "row, state --no-header",
                file);
    }
    if (r->format == NEY_FORMAT_PIN && ney_files_count(r->files) > 1 &&
        ney_table_find(&r->table, NEY_FILE_COLUMN) < 0) { /* part of what a spectrum is */
        ney_table_note(&r->table, NEY_COLUMN_FILE);
    }
    if (r->given) {
        r->table.trained = true;
        if (!opts.label && r->given->label_column) {
            r->table.label = ney_table_find(&r->table, r->given->label_column);
        }
        ney_table_keep_notes(&r->table, r->given, r->opts.keep == NULL);
        return ney_table_name_notes(&r->table, r->preprocessing)
                   ? ney_table_bind(&r->table, r->given, file, err)
                   : ney_no_memory(err, r->table.n_columns, "column names");
    }
    if ((st = ney_files_hold(r->files, err)) != NEY_OK ||
        (st = ney_survey(&r->table, &r->lines, r->files, opts.max_categories, r->preprocessing,
                         &r->repeated, err)) != NEY_OK ||
        (st = ney_files_rewind(r->files, err)) != NEY_OK) {
        return st;
    }
    ney_lines_restart(&r->lines);
    if (!name_columns(r)) {
        return ney_no_memory(err, r->table.n_columns, "column names");
    }
    ney_reader_log_columns(r);
    return ney_table_bind(&r->table, r->preprocessing, file, err);
}

/* Beside the file, the only column that svmlight text knows is qid, which names groups. */
static ney_status check_svmlight(const ney_reader *r, ney_error *err)
{
    const ney_place place = {.file = ney_files_title(r->files)};
    const char *const group = r->opts.group, *const keep = ney_table_required(r->opts.keep);
    if (r->opts.id) {
        return ney_fail_at(err, NEY_EINVAL, place,
                           "is svmlight text, which has no column '%.60s' for --id: use a table",
                           r->opts.id);
    }
    if (keep && strcmp(keep, NEY_FILE_COLUMN) != 0) {
        return ney_fail_at(err, NEY_EINVAL, place,
                           "is svmlight text, which has no column '%.60s' for --keep: use a table, "
                           "or --keep " NEY_FILE_COLUMN " for the names of files",
                           keep);
    }
    if (group && strcmp(group, "qid") != 0 && strcmp(group, NEY_FILE_COLUMN) != 0) {
        return ney_fail_at(
            err, NEY_EINVAL, place,
            "is svmlight text, which has no column '%.60s' for --group: mark rows by "
            "qid:NUMBER and name --group qid, or use a table",
            group);
    }
    return NEY_OK;
}

static bool copy_name(const ney_reader *r, const char *name, char **copy)
{
    return !name || (*copy = ney_strdup(&r->env, name, strlen(name))) != NULL;
}

/* Which of file and qid are notes. */
static bool name_svmlight_notes(ney_reader *r)
{
    static const char *const columns[] = {NULL, NEY_FILE_COLUMN, "qid", NEY_FILE_COLUMN "\tqid"};
    ney_preprocessing *const p = r->preprocessing;
    ney_svmlight *const s = &r->svmlight;
    const char *group = r->opts.group;
    const char *const keep = ney_table_required(r->opts.keep);
    const char *const kept = keep ? keep : r->given ? r->given->kept_columns : NULL;
    if (!group && r->given && r->given->group_column &&
        strcmp(r->given->group_column, NEY_FILE_COLUMN) == 0) {
        group = NEY_FILE_COLUMN;
    }
    s->file_noted = (group && strcmp(group, NEY_FILE_COLUMN) == 0) ||
                    (kept && strcmp(kept, NEY_FILE_COLUMN) == 0);
    s->grouped = group && strcmp(group, "qid") == 0;
    return copy_name(r, columns[s->file_noted + 2 * s->grouped], &p->note_columns) &&
           copy_name(r, group, &p->group_column) &&
           (!s->file_noted || !kept || copy_name(r, NEY_FILE_COLUMN, &p->kept_columns));
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
                                 .cols = given ? ney_preprocessing_stored(given) : 0};
    return name_svmlight_notes(r) ? NEY_OK : ney_no_memory(err, 1, "column names");
}

ney_status ney_reader_new(ney_reader **out, const ney_env *env, ney_files *files, ney_format format,
                          const ney_read_opts *opts, const ney_preprocessing *given, ney_error *err)
{
    ney_reader *r = ney_alloc_zeroed(env, 1, sizeof *r);
    ney_status st;

    *out = NULL;
    if (!r) {
        ney_files_close(files);
        return ney_no_memory(err, 1, "reader");
    }
    r->env = *env;
    r->opts = *opts;
    r->files = files;
    r->format = format;
    r->given = given;
    r->repeated = -1;
    char delimiter;
    st = ney_table_delimiter(ney_files_source(files), format, opts, &delimiter, err);
    ney_lines_init(&r->lines, env, files, delimiter, ney_max_line(opts));
    if (st != NEY_OK ||
        (st = ney_preprocessing_new(&r->preprocessing, env, format, err)) != NEY_OK ||
        (st = ney_labels_init(&r->labels, env, ney_files_title(files), given, err)) != NEY_OK ||
        (opts->decoys && (st = ney_labels_by_file(&r->labels, format, err)) != NEY_OK)) {
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
    ney_files_close(r->files);
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
    const ney_place place = {r->cols_file, r->cols_line, 0};
    if (r->format != NEY_FORMAT_SVMLIGHT || (more && r->opts.max_columns == 0)) {
        return NEY_OK; /* a table's header was checked */
    }
    return ney_check_columns(&r->opts, r->cols, r->n_entries, r->given ? r->given->cols : 0, place,
                             err);
}

ney_status ney_reader_next(ney_reader *r, ney_rows **pieces, int *n, ney_error *err)
{
    const ney_batches batches = {&r->lines, &r->labels, &r->lines_before, parse_piece, rows_of, r};
    const int64_t before = r->lines_before;
    const ney_status st = ney_batches_next(&batches, n, err);

    if (st != NEY_OK) {
        return st;
    }
    int64_t line = r->lines.opens ? 0 : before;
    for (int i = 0; i < *n; i++) {
        if (r->rows[i].cols > r->cols) {
            r->cols = r->rows[i].cols;
            r->cols_line = line + r->rows[i].cols_line;
            r->cols_file = ney_lines_file(&r->lines);
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
        return ney_fail_at(err, NEY_EPARSE, (ney_place){.file = ney_files_title(r->files)},
                           "has a header but no rows");
    }
    if (!r->given) {
        ney_reader_warn_of_words(r);
        ney_reader_warn_of_encoding(r);
    }
    if (r->unknown > 0) {
        ney_log(&r->env, NEY_LOG_WARNING,
                "%s: %lld cells hold a category that the training data did not have; in "
                "these rows all 0/1 features of the column are 0",
                ney_files_title(r->files), (long long)r->unknown);
    }
    if (!r->preprocessing->input) {
        r->preprocessing->cols = cols;
    }
    if (!r->given && r->opts.missing != NEY_MISSING_KEEP &&
        !ney_preprocessing_set_missing(r->preprocessing, r->opts.missing)) {
        return ney_no_memory(err, r->preprocessing->cols, "columns to fill");
    }
    if (r->format == NEY_FORMAT_PIN && ney_files_count(r->files) > 1 &&
        ney_labels_are_apart(&r->labels)) {
        ney_log(&r->env, NEY_LOG_WARNING,
                "%s: each file has targets alone or decoys alone, and rows of two files do not "
                "compete: --targets FILES --decoys FILES reads them as searches of the same "
                "spectra",
                ney_files_title(r->files));
    }
    const char *const pooled = r->given || !r->rows[0].pooling ? NULL : r->pooling.negatives;
    if (pooled && !(r->preprocessing->pooled = ney_strdup(&r->env, pooled, strlen(pooled)))) {
        return ney_no_memory(err, 1, "label names");
    }
    return ney_labels_finish(&r->labels, r->opts.positive, r->preprocessing, sign, problem, err);
}
