#include "data/row_format.h"

#include "base/number.h"
#include "data/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The shortest text of the number; one that was held less a shift is a double. */
static void put_number(ney_text *t, const ney_data *d, int64_t c, float stored)
{
    if (d->preprocessing->shift && !d->preprocessing->prepared && d->preprocessing->shift[c] != 0) {
        ney_text_number(t, ney_data_number(d, c, stored));
    } else {
        ney_text_float(t, stored);
    }
}

static const char *label_of(const ney_data *d, int64_t i)
{
    return d->label ? ney_preprocessing_label(d->preprocessing, d->label[i]) : "";
}

/* ---- svmlight */

static void put_entry(ney_text *t, const ney_data *d, int64_t c, float stored)
{
    if (ney_data_number(d, c, stored) == 0) {
        return;
    }
    ney_text_field_int(t, c + 1);
    ney_text_put(t, ":");
    if (isnan(stored)) {
        ney_text_put(t, "nan");
    } else {
        put_number(t, d, c, stored);
    }
}

static void put_svmlight(ney_text *t, const ney_row_format *w, int64_t i)
{
    const ney_data *const d = w->data;
    const int64_t begin = t->length;
    ney_text_put(t, label_of(d, i));
    if (w->notes && w->column[1] >= 0) {
        int64_t length;
        const char *group = ney_notes_text(w->notes, i, w->column[1], &length);
        ney_text_put(t, " qid:");
        ney_text_add(t, group, length);
    }
    if (d->weight && d->weight[i] != 1) {
        ney_text_put(t, " cost:");
        ney_text_float(t, d->weight[i]);
    }
    int64_t k = d->start ? d->start[i] : 0;
    for (int64_t c = 0; c < d->x.cols; c++) {
        if (!d->start) {
            put_entry(t, d, c, d->value[i * d->x.cols + c]);
        } else if (d->preprocessing->shift &&
                   !d->preprocessing->prepared) { /* cells not stored are not zero */
            const bool stored = k < d->start[i + 1] && d->index[k] == c;
            put_entry(t, d, c, stored ? d->value[k++] : 0);
        } else if (k < d->start[i + 1]) {
            c = d->index[k];
            put_entry(t, d, c, d->value[k++]);
        } else {
            break;
        }
    }
    if (t->length == begin) { /* neither label nor entry: an empty line would be no row */
        ney_text_put(t, "1:0");
    }
    ney_text_put(t, "\n");
}

/* A label becomes the first word of a line. */
static ney_status check_labels(const ney_data *d, const char *path, ney_error *err)
{
    for (int sign = -1; d->label && sign <= 1; sign += 2) {
        const char *name = ney_preprocessing_label(d->preprocessing, sign);
        if (name[strcspn(name, " \t\r\n#:")] != '\0') {
            return ney_fail_at(err, NEY_EINVAL, (ney_place){.file = path},
                               "label '%.40s' has a space, ':' or '#' in it, which svmlight text "
                               "cannot hold: write a table or a cache",
                               name);
        }
    }
    return NEY_OK;
}

/* A group becomes the number behind qid. */
static ney_status check_groups(const ney_row_format *w, const char *path, ney_error *err)
{
    for (int64_t i = 0; w->notes && w->column[1] >= 0 && i < w->data->x.rows; i++) {
        int64_t length, number;
        const char *group = ney_notes_text(w->notes, i, w->column[1], &length);
        if (!ney_integer_parse(group, (size_t)length, &number)) {
            return ney_fail_at(err, NEY_EINVAL, (ney_place){.file = path},
                               "group '%.*s' is not a whole number, which is what qid in svmlight "
                               "text holds: write a table or a cache",
                               (int)(length < 40 ? length : 40), group);
        }
    }
    return NEY_OK;
}

/* ---- tables */

/* A field, quoted where it must be. */
static void put_bytes(ney_text *t, const char *text, int64_t length)
{
    /* All delimiters, so that the one in use is recognised in the first line. A reader would trim
     * spaces at the ends. */
    bool plain = length == 0 || (text[0] != ' ' && text[length - 1] != ' ');
    for (int64_t i = 0; i < length; i++) {
        plain = plain && !strchr(",;|\t\"\n\r", text[i]);
    }
    if (plain) {
        ney_text_add(t, text, length);
        return;
    }
    ney_text_put(t, "\"");
    for (int64_t i = 0; i < length; i++) {
        ney_text_add(t, text + i, 1);
        if (text[i] == '"') {
            ney_text_put(t, "\"");
        }
    }
    ney_text_put(t, "\"");
}

static void put_field(ney_text *t, const char *text)
{
    put_bytes(t, text, (int64_t)strlen(text));
}

static void put_cells(ney_text *t, const ney_data *d, int64_t i, char delimiter)
{
    int64_t k = d->start ? d->start[i] : 0;
    for (int64_t c = 0; c < d->x.cols; c++) {
        float stored = 0;
        if (!d->start) {
            stored = d->value[i * d->x.cols + c];
        } else if (k < d->start[i + 1] && d->index[k] == c) {
            stored = d->value[k++];
        }
        if (c > 0) {
            ney_text_add(t, &delimiter, 1);
        }
        if (!isnan(stored)) { /* an empty cell is a missing one */
            put_number(t, d, c, stored);
        }
    }
}

/* A cell of an id or a group. */
static void put_note(ney_text *t, const ney_row_format *w, int64_t i, int64_t column)
{
    int64_t length;
    const char *cell = ney_notes_text(w->notes, i, column, &length);
    put_bytes(t, cell, length);
}

/* The note of kept column *k or, if it is the id or the group, of the next that is not; -1: none.
 */
static int64_t kept_column(const ney_row_format *w, int64_t *k)
{
    int64_t c = w->notes ? ney_notes_kept(w->notes, *k) : -1;
    while (c >= 0 && (c == w->column[0] || c == w->column[1])) {
        c = ney_notes_kept(w->notes, ++*k);
    }
    return c;
}

static void put_table_row(ney_text *t, const ney_row_format *w, int64_t i, char delimiter)
{
    const ney_data *const d = w->data;
    if (d->label) {
        put_field(t, label_of(d, i));
        ney_text_add(t, &delimiter, 1);
    }
    if (d->weight) {
        ney_text_float(t, d->weight[i]);
        ney_text_add(t, &delimiter, 1);
    }
    for (int k = 0; w->notes && k < 2; k++) {
        if (w->column[k] >= 0) {
            put_note(t, w, i, w->column[k]);
            ney_text_add(t, &delimiter, 1);
        }
    }
    for (int64_t k = 0, c; (c = kept_column(w, &k)) >= 0; k++) {
        put_note(t, w, i, c);
        ney_text_add(t, &delimiter, 1);
    }
    put_cells(t, d, i, delimiter);
    ney_text_put(t, "\n");
}

static void put_kept_names(ney_text *t, const ney_row_format *w, char delimiter)
{
    for (int64_t k = 0; kept_column(w, &k) >= 0; k++) {
        char name[512];
        int64_t length;
        const char *const text = ney_data_kept_column(w->data, k, &length);
        snprintf(name, sizeof name, "%.*s", (int)(length < 511 ? length : 511), text);
        put_field(t, name);
        ney_text_add(t, &delimiter, 1);
    }
}

static void put_table_header(ney_text *t, const ney_row_format *w, char delimiter)
{
    const ney_data *const d = w->data;
    const ney_preprocessing *const r = d->preprocessing;
    const char *const noted[2] = {r->id_column, r->group_column};
    if (d->label) {
        put_field(t, r->label_column ? r->label_column : "label");
        ney_text_add(t, &delimiter, 1);
    }
    if (d->weight) {
        put_field(t, r->weight_column ? r->weight_column : "weight");
        ney_text_add(t, &delimiter, 1);
    }
    for (int k = 0; w->notes && k < 2; k++) {
        if (w->column[k] >= 0) {
            put_field(t, noted[k]);
            ney_text_add(t, &delimiter, 1);
        }
    }
    put_kept_names(t, w, delimiter);
    for (int64_t c = 0; c < d->x.cols; c++) {
        char name[512];
        ney_preprocessing_feature(r, c, name, sizeof name);
        if (c > 0) {
            ney_text_add(t, &delimiter, 1);
        }
        put_field(t, name);
    }
    ney_text_put(t, "\n");
}

/* A table needs a feature. Of rows without labels, a feature whose name is that of a label would
 * become one. */
static ney_status check_names(const ney_data *d, const char *path, ney_error *err)
{
    if (d->x.cols == 0) {
        return ney_fail_at(err, NEY_EINVAL, (ney_place){.file = path},
                           "the rows have no features, expected one at least in a table: write "
                           "svmlight text or a cache");
    }
    for (int64_t c = 0; !d->label && c < d->x.cols; c++) {
        char name[512];
        ney_preprocessing_feature(d->preprocessing, c, name, sizeof name);
        if (ney_table_names_label(name)) {
            return ney_fail_at(err, NEY_EINVAL, (ney_place){.file = path},
                               "the rows have no labels, and feature '%s' would be read as their "
                               "label: write svmlight text or a cache",
                               name);
        }
    }
    return NEY_OK;
}

/* ---- PIN: SpecId, Label, ScanNr, ..., features, Peptide, Proteins */

/* Notes of another file, or of fewer than two columns, are not those of a PIN file. */
static bool has_notes(const ney_data *d)
{
    return d->notes && d->preprocessing->format == NEY_FORMAT_PIN &&
           d->preprocessing->note_columns && strchr(d->preprocessing->note_columns, '\t');
}

/* The names of the columns beside the features; data from elsewhere get the four that every PIN
 * file has. The last two come after the features. */
static const char *note_names(const ney_data *d)
{
    return has_notes(d) ? d->preprocessing->note_columns : "SpecId\tScanNr\tPeptide\tProteins";
}

/* Where the last two of the fields named by `names` begin in `text`. */
static const char *last_two(const char *names, const char *text)
{
    int tabs = 0;
    for (; *names; names++) {
        tabs += *names == '\t';
    }
    for (tabs--; tabs > 0 && *text && *text != '\n'; text++) {
        tabs -= *text == '\t';
    }
    return text;
}

/* A row of a file whose columns had another order may begin as initial weights do, which reading
 * passes over. */
static ney_status check_pin_rows(const ney_data *d, const char *path, ney_error *err)
{
    const char *note = has_notes(d) ? d->notes : NULL;
    for (int64_t i = 0; note && i < d->x.rows; i++) {
        const char *const end = strchr(note, '\n') + 1;
        if (ney_is_pin_direction(note, end)) {
            return ney_fail_at(err, NEY_EINVAL, (ney_place){.file = path},
                               "row %lld has '%.16s' in column '%.*s', which begins the initial "
                               "weights of a PIN file: write another format",
                               (long long)i + 1, note, (int)strcspn(note_names(d), "\t"),
                               note_names(d));
        }
        note = end;
    }
    return NEY_OK;
}

/* One line: `fields` are those of note_names(), `middle` the fields between them. */
static void put_around(ney_text *t, const char *names, const char *fields, int64_t length,
                       const char *label, const ney_text *middle)
{
    const char *id_end = fields + strcspn(fields, "\t\n"), *rest = id_end + (*id_end == '\t');
    const char *last = last_two(names, fields), *behind = last > rest ? last : rest;
    ney_text_add(t, fields, id_end - fields);
    ney_text_put(t, "\t");
    ney_text_put(t, label);
    ney_text_put(t, "\t");
    ney_text_add(t, rest, behind - rest);
    if (middle->length > 0) {
        ney_text_add(t, middle->bytes, middle->length);
    }
    ney_text_add(t, behind, fields + length - behind);
    ney_text_put(t, "\n");
}

static void put_pin_header(ney_text *t, const ney_data *d)
{
    ney_text middle;
    const char *names = note_names(d);
    ney_text_init(&middle, &d->env);
    for (int64_t c = 0; c < d->x.cols; c++) {
        char name[512];
        ney_preprocessing_feature(d->preprocessing, c, name, sizeof name);
        for (char *p = name; *p; p++) { /* nothing is quoted in a PIN file */
            *p = *p == '\t' || *p == '\n' || *p == '\r' ? ' ' : *p;
        }
        ney_text_put(&middle, c > 0 ? "\t" : "");
        ney_text_put(&middle, name);
    }
    ney_text_put(&middle, d->x.cols > 0 ? "\t" : "");
    put_around(t, names, names, (int64_t)strlen(names), "Label", &middle);
    t->failed = t->failed || middle.failed;
    ney_text_deinit(&middle);
}

/* `note` is moved to the next row's. */
static void put_pin_row(ney_text *t, const ney_data *d, int64_t i, const char **note)
{
    char made[64];
    const char *fields = *note;
    ney_text middle;
    if (fields) {
        *note = strchr(fields, '\n') + 1;
    } else {
        snprintf(made, sizeof made, "row_%lld\t%lld\t-\t-", (long long)i + 1, (long long)i + 1);
        fields = made;
    }
    ney_text_init(&middle, &d->env);
    put_cells(&middle, d, i, '\t');
    ney_text_put(&middle, d->x.cols > 0 ? "\t" : "");
    put_around(t, note_names(d), fields, (int64_t)strcspn(fields, "\n"),
               !d->label ? "" : (d->label[i] > 0 ? "1" : "-1"), &middle);
    t->failed = t->failed || middle.failed;
    ney_text_deinit(&middle);
}

static ney_status open_notes(ney_row_format *w, ney_error *err)
{
    const char *const noted[2] = {ney_data_id_column(w->data), ney_data_group_column(w->data)};
    const bool is_one = noted[0] && noted[1] && strcmp(noted[0], noted[1]) == 0;
    if (w->format == NEY_FORMAT_PIN ||
        (!noted[0] && !noted[1] && !ney_data_kept_column(w->data, 0, NULL))) {
        return NEY_OK;
    }
    const ney_status st = ney_notes_new(&w->notes, w->data, err);
    for (int k = 0; k < 2 && st == NEY_OK; k++) { /* one column may be both */
        w->column[k] = noted[k] && !(is_one && k == 0) ? ney_notes_find(w->notes, noted[k]) : -1;
    }
    return st;
}

ney_status ney_row_format_init(ney_row_format *w, const ney_data *d, ney_format format,
                               const char *path, ney_error *err)
{
    *w = (ney_row_format){.data = d, .format = format};
    ney_status st = open_notes(w, err);
    if (st == NEY_OK && format == NEY_FORMAT_SVMLIGHT &&
        (st = check_labels(d, path, err)) == NEY_OK) {
        st = check_groups(w, path, err);
    } else if (st == NEY_OK && (format == NEY_FORMAT_CSV || format == NEY_FORMAT_TSV)) {
        st = check_names(d, path, err);
    } else if (st == NEY_OK && format == NEY_FORMAT_PIN) {
        st = check_pin_rows(d, path, err);
    }
    return st;
}

void ney_row_format_deinit(ney_row_format *w)
{
    ney_notes_free(w->notes);
    w->notes = NULL;
}

const char *ney_row_format_notes(const ney_row_format *w)
{
    return w->format == NEY_FORMAT_PIN && has_notes(w->data) ? w->data->notes : NULL;
}

static char delimiter_of(const ney_row_format *w)
{
    return w->format == NEY_FORMAT_CSV ? ',' : '\t';
}

void ney_row_format_header(const ney_row_format *w, ney_text *t)
{
    if (w->format == NEY_FORMAT_PIN) {
        put_pin_header(t, w->data);
    } else if (w->format != NEY_FORMAT_SVMLIGHT) {
        put_table_header(t, w, delimiter_of(w));
    }
}

void ney_row_format_row(const ney_row_format *w, int64_t i, const char **note, ney_text *t)
{
    if (w->format == NEY_FORMAT_SVMLIGHT) {
        put_svmlight(t, w, i);
    } else if (w->format == NEY_FORMAT_PIN) {
        put_pin_row(t, w->data, i, note);
    } else {
        put_table_row(t, w, i, delimiter_of(w));
    }
}
