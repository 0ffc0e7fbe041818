/* Parsing the rows of a table whose columns are known. */
#include "data/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool fail_cell(const ney_table *t, ney_rows *rows, int64_t c, const ney_field *f,
                      const char *expected)
{
    const int length = f->length < 40 ? f->length : 40;
    if (ney_feature_missing(t, f)) {
        return ney_rows_fail(rows, f->column,
                             "column '%.60s' is missing here ('%.*s'), expected %s",
                             t->column[c].name, length, f->text, expected);
    }
    return ney_rows_fail(rows, f->column, "found '%.*s' in column '%.60s', expected %s", length,
                         f->text, t->column[c].name, expected);
}

/* The number of a cell in the form of its column, or with the decimal mark that is asked for. */
static bool parse_number(const ney_table *t, const ney_input *in, const ney_field *f, double *x)
{
    const ney_number_form form = in ? in->form : NEY_NUMBER_PLAIN;
    if (t->decimal) {
        return ney_number_form_parse(ney_number_form_with(form, t->decimal), f->text, f->length, x);
    }
    return form == NEY_NUMBER_PLAIN ? ney_field_number(f, x)
                                    : ney_number_form_parse(form, f->text, f->length, x);
}

static bool fail_number(const ney_table *t, ney_rows *rows, int64_t c, const ney_field *f,
                        const ney_input *in)
{
    const unsigned forms = ney_number_forms_of(f->text, f->length);
    if (in && in->form != NEY_NUMBER_PLAIN && !t->decimal) {
        double x;
        char expected[200];
        const bool mark =
            ney_number_form_parse(ney_number_form_with(in->form, '.'), f->text, f->length, &x);
        snprintf(expected, sizeof expected, "%s as in training%s",
                 ney_number_form_meaning(in->form),
                 mark ? " (if the point is the decimal mark here: --decimal .)" : "");
        return fail_cell(t, rows, c, f, expected);
    }
    return fail_cell(t, rows, c, f,
                     forms >> NEY_NUMBER_COMMA & 1
                         ? "a number (if the comma is the decimal mark: --decimal ,)"
                         : "a number");
}

/* A number as the preprocessing stores it. */
static bool number_cell(const ney_table *t, ney_rows *rows, int64_t c, const ney_field *f,
                        const ney_input *in, int64_t feature, double *stored)
{
    double x;
    if (!parse_number(t, in, f, &x)) {
        if (!ney_feature_missing(t, f)) {
            return fail_number(t, rows, c, f, in);
        }
        x = (double)NAN;
    }
    if (isnan(x) && !t->keep_nan) {
        return fail_cell(t, rows, c, f,
                         t->trained ? "a number: train with --missing mean to allow missing values"
                                    : "a number (or fill with --missing mean)");
    }
    *stored = t->preprocessing->shift ? x - t->preprocessing->shift[feature] : x;
    if (!isnan(x) && !ney_fits_float(*stored) && !t->keep_infinite) {
        return fail_cell(t, rows, c, f, "a finite number that single precision holds");
    }
    return true;
}

/* The position of a cell among the categories; -1 for an unknown one. */
static int64_t category_of(const ney_input *in, const ney_field *f)
{
    int64_t low = 0, high = in->n_category;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const char *name = in->category[middle];
        int order = strncmp(name, f->text, (size_t)f->length);
        if (order == 0) {
            order = name[f->length] != '\0';
        }
        if (order == 0) {
            return middle;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return -1;
}

static bool category_cell(const ney_table *t, ney_rows *rows, int64_t c, const ney_field *f,
                          const ney_input *in, int64_t *at)
{
    if (ney_feature_missing(t, f)) {
        return t->keep_nan ||
               fail_cell(t, rows, c, f,
                         t->trained ? "a value: train with --missing mean to allow missing values"
                                    : "a value (or allow missing values: --missing mean, median "
                                      "or indicator)");
    }
    const int64_t k = category_of(in, f);
    if (k < 0) {
        rows->unknown++; /* none of the categories: all of them are 0 */
        return true;
    }
    rows->index[*at] = (int32_t)(in->first + k);
    rows->value[(*at)++] = 1;
    return true;
}

static bool parse_features(const ney_table *t, const ney_record *r, ney_rows *rows, int64_t *at)
{
    for (int64_t i = 0; i < t->n_fields; i++) {
        const ney_input *in = t->preprocessing->input ? &t->preprocessing->input[i] : NULL;
        const int64_t c = t->field_of[i], feature = in ? in->first : i;
        const ney_field *f = &r->field[c];
        double stored = 0;

        if (in && in->category) {
            if (!category_cell(t, rows, c, f, in, at)) {
                return false;
            }
            continue;
        }
        if (!number_cell(t, rows, c, f, in, feature, &stored)) {
            return false;
        }
        rows->index[*at] = (int32_t)feature;
        rows->value[*at] = (float)stored;
        *at += rows->value[*at] != 0;
    }
    return true;
}

/* A weight, also with a decimal comma that cannot stand between thousands, or is asked for. */
static bool scan_weight(const ney_table *t, const ney_field *f, double *w)
{
    double other;
    return t->decimal == ','
               ? ney_number_form_parse(NEY_NUMBER_COMMA, f->text, f->length, w)
               : ney_field_number(f, w) ||
                     (!t->decimal &&
                      ney_number_form_parse(NEY_NUMBER_COMMA, f->text, f->length, w) &&
                      !ney_number_form_parse(NEY_NUMBER_THOUSANDS, f->text, f->length, &other));
}

static bool parse_weight(const ney_table *t, const ney_record *r, ney_rows *rows, float *weight)
{
    double w;
    if (t->weight < 0) {
        return true;
    }
    const ney_field *f = &r->field[t->weight];
    if (!scan_weight(t, f, &w) || !(w >= 0) || !ney_fits_float(w)) {
        const unsigned forms = ney_number_forms_of(f->text, f->length);
        return fail_cell(t, rows, t->weight, f,
                         forms >> NEY_NUMBER_COMMA & 1
                             ? "a weight (if the comma is the decimal mark: --decimal ,)"
                             : "a weight from 0 to 3.4e38");
    }
    *weight = (float)w;
    rows->weighted = true;
    return true;
}

/* A quoted field may hold tabs and newlines, which end fields and rows here; those of a PIN file's
 * last field belong to it. */
static void add_note(const ney_table *t, const char *text, int64_t length, ney_text *notes)
{
    const int64_t begin = notes->length;
    ney_text_add(notes, text, length);
    for (int64_t i = begin; t->format != NEY_FORMAT_PIN && i < notes->length; i++) {
        if (strchr("\t\n\r", notes->bytes[i])) {
            notes->bytes[i] = ' ';
        }
    }
}

/* The notes of a row: fields joined by tabs. */
static bool add_notes(const ney_table *t, const ney_record *r, ney_rows *rows)
{
    if (t->group >= 0 && ney_field_missing(&r->field[t->group])) {
        return fail_cell(t, rows, t->group, &r->field[t->group], "the group of every row");
    }
    rows->noted = true;
    for (int64_t k = 0; k < t->n_notes; k++) {
        const int64_t c = t->note[k];
        const bool is_file = c == NEY_COLUMN_FILE;
        ney_text_add(&rows->notes, "\t", k > 0);
        add_note(t, is_file ? r->run : r->field[c].text,
                 is_file ? (int64_t)strlen(r->run) : r->field[c].length, &rows->notes);
    }
    ney_text_add(&rows->notes, "\n", 1);
    if (rows->notes.failed) {
        rows->status = ney_no_memory(&rows->error, rows->n, "notes");
    }
    return !rows->notes.failed;
}

static bool parse_row(const ney_table *t, const ney_record *r, ney_rows *rows)
{
    int64_t at = rows->n_entries;
    int8_t code = NEY_NO_LABEL;
    float weight = 1;

    if (!t->keep_nan && ney_record_is_empty(r)) {
        return ney_record_refuse_empty(r, rows);
    }
    if (!ney_rows_reserve(rows, t->n_fields) || !parse_features(t, r, rows, &at) ||
        !parse_weight(t, r, rows, &weight)) {
        return false;
    }
    if (t->label >= 0 && !ney_field_missing(&r->field[t->label])) {
        code = ney_rows_code(rows, r->field[t->label].text, r->field[t->label].length);
    }
    if (t->n_notes > 0 && !add_notes(t, r, rows)) {
        return false;
    }
    ney_rows_finish(rows, at, code, weight);
    return true;
}

void ney_table_parse(const ney_table *t, ney_piece piece, ney_rows *rows)
{
    ney_record r;
    ney_rows_clear(rows);
    rows->cols = t->preprocessing->input ? ney_preprocessing_stored(t->preprocessing) : t->n_fields;
    if (!ney_record_refuse_nul(piece, rows)) {
        return;
    }
    ney_record_init(&r, t, piece);
    while (ney_record_next(&r, rows) && parse_row(t, &r, rows)) {
        rows->n_lines += r.lines;
    }
    ney_record_deinit(&r);
}
