/* Reading a score file: its columns, then its rows, batch after batch. */
#include "data/scores.h"

#include "base/number.h"
#include "data/delimiter.h"
#include "data/reader.h"
#include "data/sniff.h"

#include <math.h>
#include <string.h>

#include <xxhash.h>

/* ---- the first line */

/* The first line that is not empty, and what separates its fields. */
static ney_status first_line(ney_source *source, int64_t max_line, const char **line,
                             int64_t *length, ney_table_style *style, ney_error *err)
{
    const char *at, *end, *newline;
    int64_t n = 0, before;
    do {
        before = n;
        const ney_status st = ney_first_bytes(source, max_line, &at, &n, err);
        if (st != NEY_OK) {
            return st;
        }
        end = at + n;
        const char *const begin = at;
        at = ney_table_begin(begin, end);
        /* a pipe may have brought a part of the first line, which does not tell */
        const bool whole = ney_line_end(at, end, '\0') || n == before;
        if (!style->delimiter && whole && at < end) {
            style->delimiter = ney_find_delimiter(begin, n, true);
        }
        newline = style->delimiter ? ney_line_end(at, end, style->delimiter) : NULL;
    } while (!newline && n > before);
    style->format = style->delimiter == '\t' ? NEY_FORMAT_TSV : NEY_FORMAT_CSV;
    *line = at;
    *length = (newline ? newline : end) - at;
    style->rows_are_named = style->delimiter && !ney_source_is_flowing(source) &&
                            ney_rows_are_named(at, end, style->delimiter);
    return NEY_OK;
}

/* Whether these first bytes may be a score file. */
static ney_status check_format(const ney_score_reader *r, const char *bytes, int64_t n,
                               ney_error *err)
{
    const char *const name = ney_files_title(r->files);
    ney_format format;
    const ney_status st = ney_sniff(name, bytes, n, NEY_FORMAT_TSV, &format, err);
    if (st == NEY_OK && format >= NEY_FORMAT_CACHE) {
        return ney_fail_at(err, NEY_EFORMAT, (ney_place){.file = name},
                           "is a cache or a NumPy file, expected a score file: TSV or CSV");
    }
    return st;
}

/* The first line, after the first bytes were checked. A stream waits for no other. */
static ney_status find_first_line(ney_score_reader *r, int64_t max_line, const char **line,
                                  int64_t *length, ney_table_style *style, ney_error *err)
{
    const char *bytes;
    int64_t n;
    ney_status st;

    if (r->flowing) {
        st = first_line(ney_files_source(r->files), NEY_FLOW_LINE, line, length, style, err);
        if (st == NEY_OK && (st = check_format(r, *line, *length, err)) != NEY_OK && err) {
            err->line = 1;
        }
        r->empty = st == NEY_OK && *length == 0;
        return st;
    }
    if ((st = ney_source_peek(ney_files_source(r->files), 1 << 16, &bytes, &n, err)) != NEY_OK ||
        (st = check_format(r, bytes, n, err)) != NEY_OK) {
        return st;
    }
    return first_line(ney_files_source(r->files), max_line, line, length, style, err);
}

static ney_status open_table(ney_score_reader *r, const ney_read_opts *opts, const char *by,
                             ney_error *err)
{
    const char *line, *const name = ney_files_title(r->files);
    int64_t length;
    ney_table_style style = {.delimiter = '\0'};
    ney_read_opts plain = *opts;
    ney_status st =
        opts->delimiter ? ney_delimiter_of_option(opts->delimiter, &style.delimiter, err) : NEY_OK;

    if (st == NEY_OK) {
        st = find_first_line(r, ney_max_line(opts), &line, &length, &style, err);
    }
    if (st != NEY_OK || r->empty) {
        return st;
    }
    plain.label = plain.weight = plain.ignore = plain.words = plain.id = plain.group = plain.na =
        NULL;
    plain.no_header = false;
    if ((st = ney_table_open(&r->table, &r->env, style, &plain, name, line, length, err)) !=
            NEY_OK ||
        (st = ney_score_reader_find_columns(r, opts, by, err)) != NEY_OK) {
        return st;
    }
    ney_lines_init(&r->lines, &r->env, r->files, r->table.delimiter,
                   r->flowing ? NEY_FLOW_LINE : ney_max_line(opts));
    if (r->flowing) {
        ney_lines_flow(&r->lines);
    }
    return NEY_OK;
}

/* ---- life */

static ney_status new_reader(ney_score_reader **out, const ney_env *env, const char *path,
                             const ney_read_opts *opts, const char *by,
                             const ney_preprocessing *given, const ney_score_stream_opts *stream,
                             ney_error *err)
{
    ney_score_reader *r = ney_alloc_zeroed(env, 1, sizeof *r);
    ney_status st;

    *out = NULL;
    if (!r) {
        return ney_no_memory(err, 1, "reader");
    }
    r->env = *env;
    r->lines.env = *env;
    r->table.env = *env;
    r->positive = opts->positive;
    r->given = given;
    r->flowing = stream != NULL;
    r->unlabelled = stream && stream->unlabelled;
    r->piece = ney_alloc_zeroed(env, NEY_PIECES, sizeof *r->piece);
    if (!r->piece) {
        st = ney_no_memory(err, NEY_PIECES, "pieces of text");
        goto fail;
    }
    bool pooled;
    if ((st = ney_pooling_of(&r->pooling, &pooled, opts, given, err)) != NEY_OK) {
        goto fail;
    }
    for (int i = 0; i < NEY_PIECES; i++) {
        ney_rows_init(&r->piece[i].rows, env);
        r->piece[i].rows.pooling = pooled ? &r->pooling : NULL;
    }
    if ((st = ney_files_open(&r->files, env, path, NULL, err)) != NEY_OK) {
        goto fail;
    }
    if (r->flowing) {
        ney_files_flow(r->files);
    }
    if ((st = open_table(r, opts, by, err)) != NEY_OK ||
        (st = ney_labels_init(&r->labels, env, ney_files_title(r->files), given, err)) != NEY_OK) {
        goto fail;
    }
    *out = r;
    return NEY_OK;

fail:
    ney_score_reader_free(r);
    return st;
}

ney_status ney_score_reader_new(ney_score_reader **out, const ney_env *env, const char *path,
                                const ney_read_opts *opts, const char *by, ney_error *err)
{
    return new_reader(out, env, path, opts, by, NULL, NULL, err);
}

ney_status ney_score_reader_new_flowing(ney_score_reader **out, const ney_env *env,
                                        const char *path, const ney_preprocessing *given,
                                        const ney_score_stream_opts *stream, ney_error *err)
{
    ney_read_opts opts = ney_read_opts_or_default(NULL);
    opts.score = stream->score;
    opts.label = stream->label;
    opts.delimiter = stream->delimiter;
    opts.decimal = stream->decimal;
    return new_reader(out, env, path, &opts, stream->by, given, stream, err);
}

void ney_score_reader_free(ney_score_reader *r)
{
    if (!r) {
        return;
    }
    const ney_env env = r->env;
    for (int i = 0; r->piece && i < NEY_PIECES; i++) {
        ney_rows_deinit(&r->piece[i].rows);
        ney_release(&env, r->piece[i].score);
        ney_release(&env, r->piece[i].group);
    }
    ney_release(&env, r->piece);
    ney_lines_deinit(&r->lines);
    ney_table_deinit(&r->table);
    ney_labels_deinit(&r->labels);
    ney_files_close(r->files);
    ney_release(&env, r);
}

bool ney_score_reader_can_rewind(const ney_score_reader *r)
{
    return ney_files_total(r->files) > 0;
}

ney_status ney_score_reader_rewind(ney_score_reader *r, ney_error *err)
{
    ney_labels_deinit(&r->labels);
    ney_lines_restart(&r->lines);
    r->lines_before = r->n_seen = 0;
    const ney_status st =
        ney_labels_init(&r->labels, &r->env, ney_files_title(r->files), r->given, err);
    return st == NEY_OK ? ney_files_rewind(r->files, err) : st;
}

/* ---- rows */

/* The key of a group is a hash of its name. */
static bool add_group(ney_score_piece *p, const ney_field *f)
{
    ney_rows *rows = &p->rows;
    if (ney_field_missing(f)) {
        return ney_rows_fail(rows, f->column, "found no group, expected one in every row");
    }
    if (!ney_grow(&rows->env, &p->group, &p->group_cap, rows->row_cap, sizeof *p->group)) {
        rows->status = ney_no_memory(&rows->error, rows->row_cap, "groups");
        return false;
    }
    p->group[rows->n] = XXH3_64bits(f->text, (size_t)f->length);
    return true;
}

/* 1: the row was used in training, 0: it was not, empty: unknown. */
static bool add_seen(ney_score_piece *p, const ney_field *f)
{
    double value = 0;
    if (!ney_field_missing(f) && (!ney_field_number(f, &value) || (value != 0 && value != 1))) {
        return ney_rows_fail(&p->rows, f->column,
                             "found '%.*s' in column seen, expected 1, 0 or nothing",
                             f->length < 40 ? f->length : 40, f->text);
    }
    p->n_seen += value == 1;
    return true;
}

static bool parse_score(const ney_table *t, const ney_field *f, double *value)
{
    return (t->decimal == ',' ? ney_number_form_parse(NEY_NUMBER_COMMA, f->text, f->length, value)
                              : ney_field_number(f, value)) &&
           !isnan(*value);
}

/* The text of a subgroup as one line of the notes. */
static bool add_by(ney_rows *rows, const ney_field *f)
{
    ney_text *const notes = &rows->notes;
    const int64_t begin = notes->length;

    rows->noted = true;
    ney_text_add(notes, f->text, f->length);
    for (int64_t i = begin; !notes->failed && i < notes->length; i++) {
        if (notes->bytes[i] == '\n') {
            notes->bytes[i] = ' ';
        }
    }
    ney_text_add(notes, "\n", 1);
    if (notes->failed) {
        rows->status = ney_no_memory(&rows->error, rows->n, "subgroups");
    }
    return !notes->failed;
}

/* The code of the row's label; false where it is missing. */
static bool find_code(const ney_score_reader *r, const ney_record *record, ney_rows *rows,
                      int8_t *code)
{
    *code = 0;
    if (r->unlabelled) {
        return true;
    }
    const ney_field *const label = &record->field[r->table.label];
    if (ney_field_missing(label)) {
        return ney_rows_fail(rows, label->column, "found no label, expected one in every row");
    }
    *code = ney_rows_code(rows, label->text, label->length);
    return true;
}

static bool parse_row(const ney_score_reader *r, const ney_record *record, ney_score_piece *p)
{
    const ney_field *score = &record->field[r->score_column];
    ney_rows *rows = &p->rows;
    double value;
    int8_t code;

    if (!parse_score(&r->table, score, &value)) {
        const bool comma =
            r->table.decimal != ',' &&
            ney_number_form_parse(NEY_NUMBER_COMMA, score->text, score->length, &value);
        return ney_rows_fail(rows, score->column, "found score '%.*s', expected a number%s",
                             score->length < 40 ? score->length : 40, score->text,
                             comma ? ": state --decimal , for decimal commas" : "");
    }
    if (!find_code(r, record, rows, &code) || !ney_rows_reserve(rows, 0)) {
        return false;
    }
    if (!ney_grow(&rows->env, &p->score, &p->cap, rows->row_cap, sizeof *p->score)) {
        rows->status = ney_no_memory(&rows->error, rows->row_cap, "scores");
        return false;
    }
    if ((r->group_column >= 0 && !add_group(p, &record->field[r->group_column])) ||
        (r->by_column >= 0 && !add_by(rows, &record->field[r->by_column])) ||
        (r->seen_column >= 0 && !add_seen(p, &record->field[r->seen_column]))) {
        return false;
    }
    p->score[rows->n] = value;
    ney_rows_finish(rows, 0, code, 1);
    return true;
}

/* Whether a label that begins so is taken as it is: nothing to trim or unquote, and not a missing
 * value. */
static bool is_plain(char c)
{
    return (unsigned char)c > ' ' && c != '"' && c != '?' && c != 'N';
}

/* The label at `at`, up to `stop`; NULL when the general parser is needed. */
static const char *plain_label(const char *at, char stop)
{
    if (!is_plain(*at) || *at == stop) {
        return NULL;
    }
    for (at++; *at != stop; at++) {
        if ((unsigned char)*at <= ' ' || *at == '"') {
            return NULL;
        }
    }
    return at;
}

/* A line of two plain columns, as most are. False leaves it to the general parser, which handles
 * quotes, spaces, errors and full buffers. */
static bool parse_plain(const ney_score_reader *r, ney_record *record, ney_score_piece *p)
{
    ney_rows *rows = &p->rows;
    const char delimiter = r->table.delimiter, *label = record->at, *score = label, *label_end,
               *end;
    double value;

    if (r->table.n_columns != 2 || r->group_column >= 0 || r->by_column >= 0 || r->unlabelled ||
        r->table.decimal == ',' || (record->first && r->table.header) ||
        record->at >= record->end || rows->n >= rows->row_cap || rows->n >= p->cap) {
        return false;
    }
    if (r->score_column == 1) {
        label_end = plain_label(label, delimiter);
        if (!label_end) {
            return false;
        }
        score = label_end + 1;
        end = ney_number_scan(score, &value);
        if (end && *end == '\r') {
            end++;
        }
        if (!end || *end != '\n') {
            return false;
        }
    } else {
        const char *score_end = ney_number_scan(score, &value);
        if (!score_end || *score_end != delimiter) {
            return false;
        }
        label = score_end + 1;
        end = label_end = plain_label(label, '\n');
        if (!end || memchr(label, delimiter, (size_t)(end - label))) {
            return false;
        }
    }
    if (isnan(value) || label_end - label > INT16_MAX) {
        return false;
    }
    p->score[rows->n] = value;
    rows->code[rows->n++] = ney_rows_code(rows, label, (int)(label_end - label));
    rows->n_lines++;
    record->at = end + 1;
    return true;
}

static void parse_piece(void *context, ney_piece piece, int slot)
{
    const ney_score_reader *r = context;
    ney_score_piece *p = &r->piece[slot];
    ney_record record;

    ney_rows_clear(&p->rows);
    p->n_seen = 0;
    if (!ney_record_refuse_nul(piece, &p->rows)) {
        return;
    }
    ney_record_init(&record, &r->table, piece);
    for (;;) {
        while (parse_plain(r, &record, p)) {
        }
        if (!ney_record_next(&record, &p->rows) || !parse_row(r, &record, p)) {
            break;
        }
        p->rows.n_lines += record.lines;
    }
    ney_record_deinit(&record);
}

static ney_rows *rows_of(void *context, int slot)
{
    return &((ney_score_reader *)context)->piece[slot].rows;
}

/* Whether labels of a file without a header are numbers that classes hardly have. */
static bool labels_look_like_scores(const ney_score_reader *r)
{
    bool fraction = false;
    for (int i = 0; i < r->labels.n && !r->table.header; i++) {
        const ney_label *const l = &r->labels.value[i];
        fraction = fraction || (l->is_number && l->number != floor(l->number));
    }
    return fraction;
}

/* An error of the rows: the columns may stand in the other order. */
static ney_status fail_rows(const ney_score_reader *r, const ney_error *found, ney_error *err)
{
    const ney_error why = *found; /* may be *err */
    const ney_place place = {.file = why.file, .line = why.line, .column = why.column};

    return ney_fail_at(err, why.code, place, "%.420s%s", why.message,
                       why.code == NEY_EPARSE && labels_look_like_scores(r)
                           ? "; or, if scores come first, --label 2 --score 1"
                           : "");
}

ney_status ney_score_reader_next(ney_score_reader *r, ney_score_piece **pieces, int *n,
                                 ney_error *err)
{
    const ney_batches batches = {&r->lines, &r->labels, &r->lines_before, parse_piece, rows_of, r};

    *n = 0;
    if (r->empty) {
        return NEY_OK;
    }
    ney_error why = {0};
    const ney_status st = ney_batches_next(&batches, n, &why);
    if (st != NEY_OK || r->labels.problem.code != NEY_OK) {
        return fail_rows(r, st != NEY_OK ? &why : &r->labels.problem, err);
    }
    for (int i = 0; i < *n; i++) {
        r->n_seen += r->piece[i].n_seen;
    }
    *pieces = r->piece;
    return NEY_OK;
}

ney_status ney_score_reader_finish(ney_score_reader *r, int8_t sign[2], char *name[2],
                                   ney_error *err)
{
    ney_preprocessing *preprocessing;
    ney_error problem = {.code = NEY_OK};
    ney_status st = ney_preprocessing_new(&preprocessing, &r->env, NEY_FORMAT_TSV, err);
    if (st != NEY_OK) {
        return st;
    }
    st = ney_labels_finish(&r->labels, r->positive, preprocessing, sign, &problem, err);
    if (st == NEY_OK && sign[0] == 0) {
        st = ney_fail_at(err, NEY_EPARSE, (ney_place){.file = ney_files_title(r->files)},
                         "has no rows, expected scores");
    }
    for (int i = 0; i < 2 && st == NEY_OK; i++) {
        name[i] = preprocessing->label[i];
        preprocessing->label[i] = NULL;
    }
    ney_preprocessing_free(preprocessing);
    return st;
}
