#include "data/svmlight.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

/* The line being read. */
typedef struct line {
    const ney_svmlight *format;
    ney_rows *rows;
    const char *begin, *piece_end;
    int64_t at;   /* entries so far */
    int64_t next; /* the smallest column that may follow, in the file's own counting */
    float weight;
    bool has_group;
    const char *run;
} line;

static const char *skip_spaces(const char *p)
{
    while (*p == ' ' || *p == '\t' || *p == '\r') {
        p++;
    }
    return p;
}

/* Bytes of the word at p, for messages. */
static int word_length(const char *p)
{
    const size_t length = strcspn(p, " \t\r\n");
    return length < 40 ? (int)length : 40;
}

static bool fail_word(const line *l, const char *p, const char *expected)
{
    if (*p == '\n') {
        return ney_rows_fail(l->rows, p - l->begin + 1, "the line ends here, expected %s",
                             expected);
    }
    return ney_rows_fail(l->rows, p - l->begin + 1, "found '%.*s', expected %s", word_length(p), p,
                         expected);
}

/* A word that begins with a letter: "qid:3" is the row's group where groups are asked for, "sid:3"
 * is not used, "cost:2" is the weight of the example, as in SVMlight. */
static const char *parse_keyword(line *l, const char *p)
{
    double value;
    const bool is_cost = strncmp(p, "cost:", 5) == 0;
    if (!is_cost && strncmp(p, "qid:", 4) != 0 && strncmp(p, "sid:", 4) != 0) {
        fail_word(l, p, "index:value");
        return NULL;
    }
    const char *number = p + (is_cost ? 5 : 4), *end = ney_number_scan(number, &value);
    if (!end || !strchr(" \t\r\n#", *end)) {
        fail_word(l, number, "a number");
        return NULL;
    }
    if (l->format->grouped && *p == 'q' && !l->has_group) {
        ney_text_add(&l->rows->notes, "\t", l->format->file_noted);
        ney_text_add(&l->rows->notes, number, end - number);
        l->has_group = true;
    }
    if (is_cost) {
        if (!(value >= 0) || !ney_fits_float(value)) {
            fail_word(l, number, "a weight from 0 to 3.4e38");
            return NULL;
        }
        l->weight = (float)value;
        l->rows->weighted = true;
    }
    return end;
}

static bool fail_value(const line *l, const char *p, double value)
{
    if (isnan(value)) {
        return fail_word(l, p,
                         l->format->trained ? "a finite number: train with --missing mean to allow "
                                              "missing values"
                                            : "a finite number (or fill with --missing mean)");
    }
    return isinf(value) ? fail_word(l, p, "a finite number")
                        : fail_word(l, p, "a number that single precision holds, at most 3.4e38");
}

static bool fail_index(const line *l, const char *p, int64_t column)
{
    const int64_t base = l->format->zero_based ? 0 : 1;
    if (column < base) {
        return fail_word(l, p, "a column number from 1 (from 0: --zero-based)");
    }
    if (column - base >= NEY_MOST_COLUMNS) {
        return fail_word(l, p, "a column number below 2147483648");
    }
    return ney_rows_fail(l->rows, p - l->begin + 1,
                         "column %lld after column %lld, expected columns to ascend",
                         (long long)column, (long long)l->next - 1);
}

static double shift_at(const ney_svmlight *format, int64_t column)
{
    return format->shift && column < format->cols ? format->shift[column] : 0;
}

/* Entries of the shifted columns that the line left out, where zero is stored as -shift: merged
 * from the last column back, so that nothing is overwritten before it is moved. */
static bool add_absent(line *l)
{
    const ney_svmlight *const format = l->format;
    ney_rows *const r = l->rows;
    int64_t absent = 0, from = r->n_entries;
    for (int64_t c = 0; c < format->cols; c++) {
        while (from < l->at && r->index[from] < c) {
            from++;
        }
        absent += format->shift[c] != 0 && !(from < l->at && r->index[from] == c);
    }
    if (!ney_rows_reserve(r, l->at - r->n_entries + absent)) {
        return false;
    }
    int64_t to = l->at + absent;
    from = l->at;
    l->at = to;
    for (int64_t c = format->cols - 1; to > from; c--) {
        while (from > r->n_entries && r->index[from - 1] > c) {
            r->index[--to] = r->index[--from];
            r->value[to] = r->value[from];
        }
        if (format->shift[c] != 0 && !(from > r->n_entries && r->index[from - 1] == c)) {
            r->index[--to] = (int32_t)c;
            r->value[to] = (float)-format->shift[c];
        }
    }
    return true;
}

/* "index:value" at p; returns what follows it, NULL after a failure. */
static inline const char *parse_entry(line *l, const char *p)
{
    ney_rows *r = l->rows;
    const char *word = p;
    uint64_t digits = 0;
    double value;

    p = ney_digits_scan(p, &digits);
    if (*p != ':') {
        fail_word(l, word, "index:value");
        return NULL;
    }
    const int64_t base = l->format->zero_based ? 0 : 1;
    const int64_t column = p - word < 12 ? (int64_t)digits : INT64_MAX;
    if (column < l->next || column - base >= NEY_MOST_COLUMNS) {
        fail_index(l, word, column);
        return NULL;
    }
    l->next = column + 1;
    const char *number = ++p;
    p = ney_number_scan(p, &value);
    if (!p || (*p != ' ' && *p != '\n' && !strchr("\t\r#", *p))) {
        fail_word(l, number, "a number");
        return NULL;
    }
    const double shift = shift_at(l->format, column - base);
    value -= shift;
    if (!ney_fits_float(value) &&
        !(isnan(value) ? l->format->keep_nan : l->format->keep_infinite)) {
        fail_value(l, number, value);
        return NULL;
    }
    r->index[l->at] = (int32_t)(column - base);
    r->value[l->at] = (float)value;
    /* A zero is the same as an absent entry, as is 1e-300 as a float; not under a shift. */
    l->at += r->value[l->at] != 0 || shift != 0;
    return p;
}

/* The label, if there is one: the first word unless it is an entry. */
static const char *parse_label(line *l, const char *p, int8_t *code)
{
    const size_t length = strcspn(p, " \t\r\n#");
    if (memchr(p, ':', length)) {
        *code = NEY_NO_LABEL;
        return p;
    }
    if (length == 0 || length > 1000) {
        fail_word(l, p, "a label");
        return NULL;
    }
    *code = ney_rows_code(l->rows, p, (int)length);
    return p + length;
}

/* One line that is neither empty nor a comment; returns its newline, NULL after a failure. */
static const char *parse_line(line *l, const char *p)
{
    int8_t code;
    l->at = l->rows->n_entries;
    l->next = l->format->zero_based ? 0 : 1;
    l->weight = 1;
    l->has_group = false;
    if (l->format->file_noted) {
        ney_text_put(&l->rows->notes, l->run);
    }
    if (!ney_rows_reserve(l->rows, 0) || !(p = parse_label(l, p, &code))) {
        return NULL;
    }
    for (;;) {
        p = *p == ' ' && p[1] > ' ' ? p + 1 : skip_spaces(p);
        if ((unsigned)(*p - '0') <= 9) {
            p = parse_entry(l, p);
        } else if (*p == '\n') {
            break;
        } else if (*p == '#') {
            p = memchr(p, '\n', (size_t)(l->piece_end - p));
            break;
        } else {
            p = parse_keyword(l, p);
        }
        if (!p) {
            return NULL;
        }
    }
    if (l->format->grouped && !l->has_group) {
        ney_rows_fail(l->rows, 0, "the row has no qid:NUMBER, expected one in every row");
        return NULL;
    }
    if (l->format->grouped || l->format->file_noted) {
        ney_text_put(&l->rows->notes, "\n");
        l->rows->noted = true;
    }
    if (l->rows->notes.failed) {
        l->rows->status = ney_no_memory(&l->rows->error, l->rows->n, "notes");
        return NULL;
    }
    const int64_t base = l->format->zero_based ? 0 : 1;
    if (l->next - base > l->rows->cols) {
        l->rows->cols = l->next - base;
        l->rows->cols_line = l->rows->n_lines + 1;
    }
    if (l->format->shift) {
        l->rows->cols = l->rows->cols > l->format->cols ? l->rows->cols : l->format->cols;
        if (!add_absent(l)) {
            return NULL;
        }
    }
    ney_rows_finish(l->rows, l->at, code, l->weight);
    return p;
}

void ney_svmlight_parse(const ney_svmlight *format, ney_piece piece, ney_rows *rows)
{
    line l = {.format = format, .rows = rows, .piece_end = piece.end, .run = piece.run};

    ney_rows_clear(rows);
    if (!ney_rows_reserve(rows, (piece.end - piece.text) / 4 + 1)) { /* "1:1 " is the shortest */
        return;
    }
    for (const char *p = piece.text; p < piece.end; p++, rows->n_lines++) {
        l.begin = p;
        p = skip_spaces(p);
        if (*p == '#') {
            p = memchr(p, '\n', (size_t)(piece.end - p));
        } else if (*p != '\n') {
            p = parse_line(&l, p);
        }
        if (!p) {
            return;
        }
    }
}
