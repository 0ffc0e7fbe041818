#include "data/profile.h"

#include "base/grouping.h"
#include "data/foreign.h"
#include "data/reader.h"
#include "data/sniff.h"
#include "data/table_start.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

/* ---- faults */

static void add_fault(ney_profile_state *p, int64_t line, const char *reason)
{
    if (p->faulty < NEY_FAULTS_SHOWN) {
        ney_fault *const f = &p->fault[p->faulty];
        f->line = line;
        snprintf(f->reason, sizeof f->reason, "%.*s", (int)sizeof f->reason - 1, reason);
    }
    p->faulty++;
}

/* Behind a line that fails. A quote that is never closed has no line behind it. */
static void skip_line(ney_profile_state *p, ney_record *r, char quote_delimiter)
{
    const char *const end = ney_line_end(r->at, r->end, quote_delimiter);
    p->stopped = !end;
    for (const char *stop = end ? end + 1 : r->end; r->at < stop; r->at++) {
        p->rows.n_lines += *r->at == '\n';
    }
}

/* ---- tables */

static bool add_cell(ney_profile_state *p, int64_t c, const ney_field *f, int64_t line)
{
    ney_column_profile *const column = &p->column[c];
    double x = 0;
    const bool number = ney_field_number(f, &x);
    if ((number && isnan(x)) || (!number && ney_feature_missing(&p->table, f))) {
        column->missing++;
        p->missing += p->table.column[c].role == NEY_ROLE_FEATURE;
        return true;
    }
    column->present++;
    column->infinite += number && isinf(x);
    column->zeros += number && x == 0;
    ney_column_survey_add(&column->cells, &p->table, c, f, line);
    return ney_value_counts_add(&column->values, f->text, f->length, line);
}

static bool keep_hashes(ney_profile_state *p, uint64_t row, uint64_t label)
{
    if (!ney_grow(&p->env, &p->row_hash, &p->row_cap, p->n + 1, sizeof *p->row_hash) ||
        !ney_grow(&p->env, &p->label_hash, &p->label_cap, p->n + 1, sizeof *p->label_hash)) {
        return false;
    }
    p->row_hash[p->n] = row;
    p->label_hash[p->n++] = label;
    return true;
}

static bool add_record(ney_profile_state *p, const ney_record *r)
{
    const ney_table *const t = &p->table;
    const int64_t line = p->rows.n_lines + 1;
    uint64_t row = 0, label = 0;
    for (int64_t c = 0; c < t->n_columns; c++) {
        const ney_field *const f = &r->field[c];
        if (!add_cell(p, c, f, line)) {
            return false;
        }
        if (t->column[c].role == NEY_ROLE_FEATURE) {
            row = XXH3_64bits_withSeed(f->text, (size_t)f->length, row + (uint64_t)c);
        }
    }
    if (t->label >= 0 && !ney_field_missing(&r->field[t->label])) {
        const ney_field *const f = &r->field[t->label];
        label = XXH3_64bits(f->text, (size_t)f->length);
        if (!ney_value_counts_add(&p->labels, f->text, f->length, line)) {
            return false;
        }
    }
    return keep_hashes(p, row, label);
}

static bool has_nul(const ney_record *r, const char *from)
{
    return memchr(from, '\0', (size_t)(r->at - from)) != NULL;
}

static ney_status add_table_piece(ney_profile_state *p, ney_piece piece, ney_error *err)
{
    const char quotes = p->format == NEY_FORMAT_PIN ? '\0' : p->table.delimiter;
    ney_record r;
    ney_status st = NEY_OK;
    ney_record_init(&r, &p->table, piece);
    while (st == NEY_OK && !p->stopped) {
        const char *const from = r.at;
        if (!ney_record_next(&r, &p->rows)) {
            if (p->rows.status == NEY_OK) {
                break;
            }
            if (p->rows.status != NEY_EPARSE) {
                st = ney_fail(err, p->rows.status, "%s", p->rows.error.message);
                break;
            }
            add_fault(p, p->rows.error.line, p->rows.error.message);
            p->rows.status = NEY_OK;
            skip_line(p, &r, quotes);
            continue;
        }
        if (has_nul(&r, from)) {
            add_fault(p, p->rows.n_lines + 1, "found a NUL byte, expected text");
        } else if (!add_record(p, &r)) {
            st = ney_no_memory(err, p->n, "rows to describe");
        }
        p->rows.n_lines += r.lines;
    }
    ney_record_deinit(&r);
    return st;
}

static int by_name(const void *a, const void *b)
{
    const ney_table_column *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static ney_status find_twins(ney_profile_state *p, ney_error *err)
{
    const ney_table *const t = &p->table;
    const ney_table_column **const sorted = ney_alloc(&p->env, t->n_columns, sizeof *sorted);
    if (!sorted) {
        return ney_no_memory(err, t->n_columns, "names of columns");
    }
    for (int64_t c = 0; c < t->n_columns; c++) {
        sorted[c] = &t->column[c];
    }
    qsort(sorted, (size_t)t->n_columns, sizeof *sorted, by_name);
    for (int64_t k = 1; k < t->n_columns; k++) {
        if (by_name(&sorted[k - 1], &sorted[k]) == 0) {
            p->column[sorted[k - 1] - t->column].has_twin = true;
            p->column[sorted[k] - t->column].has_twin = true;
        }
    }
    ney_release(&p->env, sorted);
    return NEY_OK;
}

static ney_status open_table(ney_profile_state *p, ney_error *err)
{
    const char *line, *const file = ney_files_title(p->files);
    int64_t length = 0;
    ney_read_opts opts = p->opts;
    ney_table_style style = {.format = p->format, .delimiter = p->lines.delimiter};
    ney_status st = ney_table_first_line(&p->lines, &line, &length, &style.rows_are_named, err);
    opts.missing = NEY_MISSING_KEEP;
    if (st == NEY_OK) {
        st = ney_table_open(&p->table, &p->env, style, &opts, file, line, length, err);
    }
    if (st != NEY_OK) {
        return st;
    }
    const int64_t n = p->table.n_columns;
    const int64_t share = NEY_DISTINCT_CELLS / (n > 0 ? n : 1);
    p->distinct_limit = share < 1000                 ? 1000
                        : share < NEY_DISTINCT_LIMIT ? share
                                                     : NEY_DISTINCT_LIMIT;
    if (!(p->column = ney_alloc_zeroed(&p->env, n, sizeof *p->column))) {
        return ney_no_memory(err, n, "columns");
    }
    for (int64_t c = 0; c < n; c++) {
        p->column[c].cells.forms = ~0u;
        p->column[c].values = (ney_value_counts){.env = p->env, .most = p->distinct_limit};
        p->cols += p->table.column[c].role == NEY_ROLE_FEATURE;
    }
    return find_twins(p, err);
}

/* ---- svmlight */

/* The first word of a line. */
static int64_t word_length(const char *at, const char *end)
{
    int64_t n = 0;
    while (at + n < end && !strchr(" \t\r\n#", at[n])) {
        n++;
    }
    return n;
}

/* One line, with the newline that ends it. */
static ney_status add_svmlight_line(ney_profile_state *p, const ney_svmlight *format, char *line,
                                    char *end, ney_error *err)
{
    ney_svmlight_parse(format, (ney_piece){.text = line, .end = end}, &p->rows);
    if (p->rows.status == NEY_EPARSE) {
        add_fault(p, p->lines_before + 1, p->rows.error.message);
        return NEY_OK;
    }
    if (p->rows.status != NEY_OK || !p->rows.n) {
        return p->rows.status == NEY_OK
                   ? NEY_OK
                   : ney_fail(err, p->rows.status, "%s", p->rows.error.message);
    }
    while (*line == ' ' || *line == '\t') {
        line++;
    }
    const int64_t length = word_length(line, end);
    p->n++;
    p->cols = p->rows.cols > p->cols ? p->rows.cols : p->cols;
    for (int64_t k = 0; k < p->rows.n_entries; k++) {
        p->missing += isnan(p->rows.value[k]);
    }
    return memchr(line, ':', (size_t)length) || length == 0 ||
                   ney_value_counts_add(&p->labels, line, length, p->lines_before + 1)
               ? NEY_OK
               : ney_no_memory(err, p->n, "rows to describe");
}

static ney_status add_svmlight_piece(ney_profile_state *p, ney_piece piece, ney_error *err)
{
    const ney_svmlight format = {
        .zero_based = p->opts.zero_based, .keep_nan = true, .keep_infinite = true};
    ney_status st = NEY_OK;
    for (char *line = piece.text; st == NEY_OK && line < piece.end;) {
        char *const end = (char *)memchr(line, '\n', (size_t)(piece.end - line)) + 1;
        st = add_svmlight_line(p, &format, line, end, err);
        p->lines_before++;
        line = end;
    }
    return st;
}

/* ---- both */

/* Pieces as they come, to be read one after the other. */
typedef struct pieces {
    ney_piece piece[NEY_PIECES];
} pieces;

static void keep_piece(void *context, ney_piece piece, int slot)
{
    ((pieces *)context)->piece[slot] = piece;
}

static bool ends_reading(ney_status st)
{
    return st == NEY_EPARSE || st == NEY_EFORMAT;
}

static ney_status read_pieces(ney_profile_state *p, ney_error *err)
{
    const bool table = p->format != NEY_FORMAT_SVMLIGHT;
    for (;;) {
        pieces all;
        ney_error why = {0};
        int n = 0;
        const ney_status filled = ney_lines_step(&p->lines, keep_piece, &all, &n, &why);
        ney_status st = NEY_OK;
        if (n > 0 && p->lines.opens) { /* lines are counted in each file */
            p->rows.n_lines = p->lines_before = 0;
        }
        for (int i = 0; i < n && st == NEY_OK && !p->stopped; i++) {
            st = table ? add_table_piece(p, all.piece[i], err)
                       : add_svmlight_piece(p, all.piece[i], err);
        }
        if (st != NEY_OK) {
            return st;
        }
        if (ends_reading(filled)) { /* a line that is too long, or a file that is cut short */
            add_fault(p, (table ? p->rows.n_lines : p->lines_before) + 1, why.message);
            return NEY_OK;
        }
        if (filled != NEY_OK && err) {
            *err = why;
        }
        if (filled != NEY_OK || n == 0 || p->stopped) {
            return filled;
        }
        if (!ney_poll(&p->env, "describing", (double)ney_files_done(p->files),
                      (double)ney_files_total(p->files))) {
            return ney_fail(err, NEY_ECANCELLED, "cancelled while reading");
        }
    }
}

/* The format; that of the name where NUL bytes keep it from being recognised. */
static ney_status find_format(ney_profile_state *p, ney_error *err)
{
    const char *bytes;
    int64_t n = 0;
    ney_status st = ney_sniffed_bytes(ney_files_source(p->files), &p->opts, &bytes, &n, err);
    if (st != NEY_OK) {
        return st;
    }
    const char *const name = ney_files_title(p->files);
    st = ney_sniff(name, bytes, n, p->opts.format, &p->format, err);
    if (st == NEY_OK) {
        p->format = p->opts.format != NEY_FORMAT_AUTO ? p->opts.format : p->format;
        return NEY_OK;
    }
    p->format = p->opts.format != NEY_FORMAT_AUTO ? p->opts.format : ney_format_of_name(name);
    return !ney_foreign_file(bytes, n, p->opts.format != NEY_FORMAT_AUTO) &&
                   memchr(bytes, '\0', (size_t)n) && p->format != NEY_FORMAT_AUTO
               ? NEY_OK
               : st;
}

static ney_status open_source(ney_profile_state *p, const ney_profile_input *in, ney_error *err)
{
    return in->bytes
               ? ney_files_view(&p->files, &p->env, in->path, in->bytes, (int64_t)in->n_bytes, err)
               : ney_files_open(&p->files, &p->env, in->path, NULL, err);
}

ney_status ney_profile_read(ney_profile_state *p, const ney_env *env, const ney_profile_input *in,
                            ney_error *err)
{
    char delimiter = '\0';
    *p = (ney_profile_state){.env = *env,
                             .lines = {.env = *env},
                             .table = {.env = *env, .label = -1},
                             .distinct_limit = NEY_DISTINCT_LIMIT};
    p->env.log = NULL; /* what there is to say of columns is in the result */
    p->opts = ney_read_opts_or_default(in->read);
    p->labels = (ney_value_counts){.env = *env, .most = NEY_DISTINCT_LIMIT, .keeps_text = true};
    ney_rows_init(&p->rows, env);
    ney_status st = open_source(p, in, err);
    if (st != NEY_OK || (st = find_format(p, err)) != NEY_OK || p->format >= NEY_FORMAT_CACHE ||
        (st = ney_table_delimiter(ney_files_source(p->files), p->format, &p->opts, &delimiter,
                                  err)) != NEY_OK) {
        return st;
    }
    ney_lines_init(&p->lines, env, p->files, delimiter, ney_max_line(&p->opts));
    if (p->format != NEY_FORMAT_SVMLIGHT && (st = open_table(p, err)) != NEY_OK) {
        return st;
    }
    return read_pieces(p, err);
}

void ney_profile_deinit(ney_profile_state *p)
{
    for (int64_t c = 0; p->column && c < p->table.n_columns; c++) {
        ney_value_counts_deinit(&p->column[c].values);
    }
    ney_value_counts_deinit(&p->labels);
    ney_release_all(&p->env, p->column, p->row_hash, p->label_hash);
    ney_table_deinit(&p->table);
    ney_lines_deinit(&p->lines);
    ney_rows_deinit(&p->rows);
    ney_files_close(p->files);
}

ney_status ney_profile_repeats(const ney_profile_state *p, int64_t *duplicates,
                               int64_t *contradictory, ney_error *err)
{
    ney_grouping same = {0};
    const ney_status st = ney_grouping_init(&same, &p->env, p->row_hash, p->n, err);
    *duplicates = *contradictory = 0;
    for (int64_t k = 0; st == NEY_OK && k < same.n; k++) {
        const int64_t *const row = same.row + same.begin[k];
        const int64_t n = ney_grouping_size(&same, k);
        bool differs = false;
        for (int64_t i = 1; i < n; i++) {
            differs = differs || p->label_hash[row[i]] != p->label_hash[row[0]];
        }
        *duplicates += n - 1;
        *contradictory += differs;
    }
    ney_grouping_deinit(&same);
    return st;
}
