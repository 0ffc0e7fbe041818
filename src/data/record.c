/* Records of a table: lines cut into fields, quotes taken off. */
#include "data/table.h"

#include "base/number.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

void ney_record_init(ney_record *r, const ney_table *t, ney_piece piece)
{
    *r = (ney_record){
        .table = t, .at = piece.text, .end = piece.end, .first = piece.first, .run = piece.run};
}

void ney_record_deinit(ney_record *r)
{
    ney_release(&r->table->env, r->field);
}

bool ney_record_refuse_nul(ney_piece piece, ney_rows *rows)
{
    const char *nul = memchr(piece.text, '\0', (size_t)(piece.end - piece.text));
    const char *line = piece.text;
    if (!nul) {
        return true;
    }
    for (const char *p = piece.text; p < nul; p++) {
        if (*p == '\n') {
            rows->n_lines++;
            line = p + 1;
        }
    }
    return ney_rows_fail(rows, nul - line + 1, "found a NUL byte, expected text");
}

static bool is_word(const ney_field *f, const char *word, size_t length)
{
    return (size_t)f->length == length && memcmp(f->text, word, length) == 0;
}

static bool is_among(const ney_field *f, const char *const *words, size_t n)
{
    if (f->length > 6 || (f->length > 0 && f->text[0] >= '0' && f->text[0] <= '9')) {
        return false;
    }
    for (size_t k = 0; k < n; k++) {
        if (is_word(f, words[k], strlen(words[k]))) {
            return true;
        }
    }
    return false;
}

bool ney_field_missing(const ney_field *f)
{
    static const char *const words[] = {"?",   "NA",     "NULL", "N/A",  "n/a",  "NaN",
                                        "nan", "NAN",    "-NaN", "-nan", "#N/A", "<NA>",
                                        "#NA", "#NULL!", "\\N",  "NaT"};
    return f->length == 0 || is_among(f, words, sizeof words / sizeof *words);
}

/* Words that may be the name of a class or a group. */
static bool is_usual_gap(const ney_field *f)
{
    static const char *const words[] = {"null", "Null", "None", "-", "."};
    return is_among(f, words, sizeof words / sizeof *words);
}

bool ney_feature_missing(const ney_table *t, const ney_field *f)
{
    if (ney_field_missing(f) || is_usual_gap(f)) {
        return true;
    }
    for (const char *p = t->na; p && *p;) {
        const size_t length = strcspn(p, ",");
        if (length > 0 && is_word(f, p, length)) {
            return true;
        }
        p += length + (p[length] == ',');
    }
    return false;
}

bool ney_text_is_missing(const char *text)
{
    if (!text) {
        return false;
    }
    const size_t length = strlen(text);
    const ney_field field = {.text = text, .length = length > INT32_MAX ? INT32_MAX : (int)length};
    return ney_field_missing(&field) || is_usual_gap(&field);
}

bool ney_record_is_empty(const ney_record *r)
{
    for (int64_t i = 0; i < r->n_fields; i++) {
        if (r->field[i].length > 0) {
            return false;
        }
    }
    return r->n_fields > 1;
}

bool ney_record_refuse_empty(const ney_record *r, ney_rows *rows)
{
    return ney_rows_fail(rows, 0,
                         "all %lld cells of this row are empty: take out such lines, which "
                         "spreadsheets write behind the last row",
                         (long long)r->n_fields);
}

/* A delimiter, quote, space or newline follows the field, and ends the scan. */
bool ney_field_number(const ney_field *f, double *value)
{
    return f->length > 0 && ney_number_scan(f->text, value) == f->text + f->length;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\r';
}

static void trim(ney_field *f)
{
    while (f->length > 0 && (is_blank(*f->text) || *f->text == '\t')) {
        f->text++;
        f->length--;
    }
    while (f->length > 0 && (is_blank(f->text[f->length - 1]) || f->text[f->length - 1] == '\t')) {
        f->length--;
    }
}

/* A quoted field from its opening quote on; two quotes inside become one, in place. Returns the
 * byte after the closing quote, NULL when there is none. */
static const char *unquote(ney_record *r, const char *open, ney_field *f)
{
    char *to = (char *)r->at + (open + 1 - r->at); /* the piece is the parser's own */
    f->text = to;
    for (const char *p = open + 1; p < r->end; p++) {
        if (*p == '"') {
            if (p + 1 < r->end && p[1] == '"') {
                p++;
            } else {
                f->length = (int)(to - f->text);
                return p + 1;
            }
        }
        r->lines += *p == '\n';
        *to++ = *p;
    }
    return NULL;
}

/* One field at p; returns the delimiter or newline that ends it, NULL after a failure. */
static const char *parse_field(ney_record *r, const char *p, const char *line, bool last,
                               ney_field *f, ney_rows *rows)
{
    const ney_table *t = r->table;
    const char delimiter = last && t->format == NEY_FORMAT_PIN ? '\n' : t->delimiter;
    const char *q = p;

    while (is_blank(*q)) {
        q++;
    }
    f->column = q - line + 1;
    if (*q == '"' && t->format != NEY_FORMAT_PIN) {
        q = unquote(r, q, f);
        if (!q) {
            ney_rows_fail(rows, f->column,
                          "a quote opens here and is never closed, expected a closing quote");
            return NULL;
        }
        while (is_blank(*q) && *q != delimiter) {
            q++;
        }
        if (*q != delimiter && *q != '\n') {
            ney_rows_fail(
                rows, q - line + 1,
                "found '%c' after a closing quote, expected %s%c%s (a quote within quotes is "
                "written twice)",
                *q, delimiter == '\t' ? "a ta" : "'", delimiter == '\t' ? 'b' : delimiter,
                delimiter == '\t' ? "" : "'");
            return NULL;
        }
        return q;
    }
    while (*q != delimiter && *q != '\n') {
        q++;
    }
    f->text = p;
    f->length = q - p < INT32_MAX ? (int)(q - p) : INT32_MAX;
    trim(f);
    return q;
}

bool ney_is_pin_direction(const char *line, const char *end)
{
    static const char word[] = "DefaultDirection";
    const size_t length = sizeof word - 1;
    /* a newline ends the text, so that a byte follows the word */
    return end - line > (int64_t)length && strncasecmp(line, word, length) == 0 &&
           strchr("\t\r\n ", line[length]);
}

/* What separates fields that may be quoted; 0 where none may. */
static char quote_delimiter(const ney_table *t)
{
    return t->format == NEY_FORMAT_PIN ? '\0' : t->delimiter;
}

/* Past lines that are no records, up to a header. Their newlines are counted. */
static void skip_others(ney_record *r, ney_rows *rows)
{
    while (r->at < r->end) {
        const char *p = r->at;
        while (is_blank(*p)) {
            p++;
        }
        const bool empty = *p == '\n';
        const bool header = r->first && r->table->header;
        if (!empty && (header || r->table->format != NEY_FORMAT_PIN ||
                       !ney_is_pin_direction(r->at, r->end))) {
            return;
        }
        p = ney_line_end(p, r->end, quote_delimiter(r->table));
        for (const char *end = p ? p + 1 : r->end; r->at < end; r->at++) {
            rows->n_lines += *r->at == '\n';
        }
    }
}

/* Where the next field of the record goes; NULL when there must not be another. */
static ney_field *next_field(ney_record *r, ney_rows *rows)
{
    const ney_table *const t = r->table;
    if (r->n_fields == t->max_columns) {
        ney_rows_fail(rows, 0, "found more than %lld columns: raise --max-columns to read them",
                      (long long)t->max_columns);
        return NULL;
    }
    if (!ney_grow(&t->env, &r->field, &r->cap, r->n_fields + 1, sizeof *r->field)) {
        rows->status = ney_no_memory(&rows->error, r->n_fields + 1, "fields");
        return NULL;
    }
    return &r->field[r->n_fields];
}

/* More or fewer fields than the first line has. */
static bool refuse_count(const ney_record *r, ney_rows *rows)
{
    const ney_table *const t = r->table;
    const int64_t n = t->n_columns;
    char hint[160] = "";
    if (n == 1 && t->header) {
        snprintf(hint, sizeof hint,
                 " as in the first line, '%.40s' (take out lines above the header, or state "
                 "--delimiter)",
                 t->column[0].name);
    } else if (r->n_fields == 1 || n == 1) {
        snprintf(hint, sizeof hint,
                 " (is the file cut at another delimiter? --delimiter states it)");
    }
    return ney_rows_fail(rows, 0, "found %lld field%s, expected %lld%s", (long long)r->n_fields,
                         r->n_fields == 1 ? "" : "s", (long long)n, hint);
}

/* A header that lacks a name for the first column gets an empty one. */
static bool add_unnamed(ney_record *r, ney_rows *rows)
{
    if (!next_field(r, rows)) {
        return false;
    }
    memmove(r->field + 1, r->field, (size_t)r->n_fields * sizeof *r->field);
    r->field[0] = (ney_field){.text = r->at, .column = 1};
    r->n_fields++;
    return true;
}

/* The fields of the line that is next. */
static bool read_fields(ney_record *r, bool header, ney_rows *rows)
{
    const int64_t n = r->table->n_columns; /* 0 in the header, which determines it */
    ney_field surplus = {0};               /* counted for the message, not kept */
    const char *line = r->at, *p = line;
    r->lines = 1;
    for (r->n_fields = 0;; p++) {
        ney_field *const f = n > 0 && r->n_fields >= n ? &surplus : next_field(r, rows);
        if (!f) {
            return false;
        }
        p = parse_field(r, p, line, r->n_fields + 1 == n, f, rows);
        if (!p) {
            return false;
        }
        r->n_fields++;
        if (*p == '\n') {
            break;
        }
    }
    if (n > 0 && r->n_fields == n + 1 && surplus.length == 0 &&
        r->table->format != NEY_FORMAT_PIN) {
        r->n_fields = n; /* a delimiter at the end of the line */
    }
    if (header && r->table->rows_are_named && r->n_fields == n - 1) {
        if (!add_unnamed(r, rows)) {
            return false;
        }
    } else if (n > 1 && r->n_fields == n - 1 && r->table->column[n - 1].unnamed) {
        ney_field *const f = next_field(r, rows);
        if (!f) {
            return false;
        }
        *f = (ney_field){.text = p, .column = p - line + 1};
        r->n_fields++;
    }
    if (n > 0 && r->n_fields != n) {
        return refuse_count(r, rows);
    }
    r->at = p + 1;
    return true;
}

/* Whether field i is the name of its column. */
static bool is_name(const ney_record *r, int64_t i)
{
    const ney_table_column *const c = &r->table->column[i];
    const char *const name = c->unnamed ? "" : c->name;
    const ney_field *const f = &r->field[i];
    return strlen(name) == (size_t)f->length && memcmp(name, f->text, strlen(name)) == 0;
}

/* Files that are read as one have the same header. */
static bool check_header(const ney_record *r, ney_rows *rows)
{
    for (int64_t i = 0; i < r->n_fields; i++) {
        if (!is_name(r, i)) {
            const ney_table_column *const c = &r->table->column[i];
            const char *const name = c->unnamed ? "" : c->name;
            const ney_field *const f = &r->field[i];
            return ney_rows_fail(rows, f->column,
                                 "column %lld is called '%.*s', expected '%.60s' as in the first "
                                 "file: files that are read as one have the same header",
                                 (long long)i + 1, f->length < 60 ? f->length : 60, f->text, name);
        }
    }
    return true;
}

bool ney_record_header(ney_record *r, ney_rows *rows)
{
    return read_fields(r, true, rows);
}

/* Files written one behind the other keep their headers, but no longer say which row is of which
 * file, and equal scan numbers would compete. */
static bool check_no_header(const ney_record *r, ney_rows *rows)
{
    const bool repeated =
        r->table->format == NEY_FORMAT_PIN && r->n_fields > 1 && is_name(r, 0) && is_name(r, 1);
    return !repeated || ney_rows_fail(rows, 1,
                                      "this line repeats the header: name the files one after the "
                                      "other in place of one that joins them, so that equal scan "
                                      "numbers of two runs do not compete");
}

bool ney_record_next(ney_record *r, ney_rows *rows)
{
    if (rows->status != NEY_OK) {
        return false;
    }
    skip_others(r, rows);
    if (r->at < r->end && r->first && r->table->header) {
        r->first = false;
        if (!read_fields(r, true, rows) || !check_header(r, rows)) {
            return false;
        }
        rows->n_lines += r->lines;
        skip_others(r, rows);
    }
    return r->at < r->end && read_fields(r, false, rows) &&
           (r->table->n_columns == 0 || check_no_header(r, rows));
}
