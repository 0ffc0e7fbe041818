#include "data/npy_read.h"

#include "data/array.h"
#include "data/limits.h"
#include "data/npy_rows.h"
#include "data/reader.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns and their roles */

static void add_header_name(const ney_numpy *n, int64_t c, ney_text *line)
{
    char name[NEY_NPY_TEXT], number[24];
    if (n->in.names.present) {
        ney_npy_text(&n->in.names.array, c, name);
    } else {
        snprintf(number, sizeof number, "c%lld", (long long)c + 1);
    }
    ney_text_put(line, c > 0 ? ",\"" : "\"");
    for (const char *p = n->in.names.present ? name : number; *p; p++) {
        ney_text_add(line, "\"", *p == '"');
        ney_text_add(line, p, 1);
    }
    ney_text_put(line, "\"");
}

/* The same roles as the columns of a table with this header. */
static ney_status open_columns(ney_numpy *n, ney_error *err)
{
    ney_read_opts opts = *n->opts;
    ney_text line;
    ney_text_init(&line, &n->env);
    for (int64_t c = 0; c < n->in.cols; c++) {
        add_header_name(n, c, &line);
    }
    opts.words = NULL;
    ney_status st = NEY_OK;
    if (line.failed) {
        st = ney_no_memory(err, n->in.cols, "column names");
    } else if (n->in.cols > 0) {
        st = ney_table_open(&n->table, &n->env, (ney_table_style){NEY_FORMAT_CSV, ',', false},
                            &opts, n->in.file, line.bytes, line.length, err);
    }
    ney_text_deinit(&line);
    if (st == NEY_OK && n->given) {
        ney_table_keep_notes(&n->table, n->given, opts.keep == NULL);
    }
    if (st == NEY_OK && n->given && n->given->label_column && !opts.label && n->table.label < 0) {
        n->table.label = ney_table_find(&n->table, n->given->label_column);
        if (n->table.label >= 0) {
            n->table.column[n->table.label].role = NEY_ROLE_LABEL;
        }
    }
    return st == NEY_OK && !ney_table_list_notes(&n->table)
               ? ney_no_memory(err, n->in.cols, "column names")
               : st;
}

/* Whether a model's columns are found by name: in a file without names, as c1, c2 and so on. */
static bool has_inputs(const ney_numpy *n)
{
    const ney_preprocessing *const g = n->given;
    for (int64_t i = 0; g->input && i < g->n_input; i++) {
        if (ney_table_find(&n->table, g->input[i].name) < 0) {
            return false;
        }
    }
    return g->input != NULL;
}

static ney_status choose_columns(ney_numpy *n, ney_error *err)
{
    n->column = ney_alloc(&n->env, n->in.cols, sizeof *n->column);
    if (!n->column) {
        return ney_no_memory(err, n->in.cols, "columns");
    }
    for (int64_t c = 0; c < n->in.cols; c++) {
        if (n->table.column[c].role == NEY_ROLE_FEATURE) {
            n->column[n->cols++] = c;
        }
    }
    n->named = n->in.names.present || (n->given ? has_inputs(n) : n->cols < n->in.cols);
    if (n->named && !(n->name = ney_alloc(&n->env, n->cols, sizeof *n->name))) {
        return ney_no_memory(err, n->cols, "column names");
    }
    for (int64_t k = 0; n->named && k < n->cols; k++) {
        n->name[k] = n->table.column[n->column[k]].name;
    }
    return NEY_OK;
}

/* ---- cells */

static ney_status copy_dense(ney_numpy *n, ney_error *err)
{
    const ney_npy *const x = &n->in.x.array;
    if (n->cols > 0 && n->in.rows > INT64_MAX / 16 / n->cols) {
        return ney_no_memory(err, n->in.rows, "rows");
    }
    ney_release(&n->env, n->value);
    n->value = ney_alloc(&n->env, n->in.rows * n->cols, sizeof *n->value);
    if (!n->value) {
        return ney_no_memory(err, n->in.rows, "rows");
    }
    for (int64_t r = 0; r < n->in.rows; r++) {
        for (int64_t k = 0; k < n->cols; k++) {
            n->value[r * n->cols + k] = ney_npy_number(x, ney_npy_place(x, r, n->column[k]));
        }
    }
    return NEY_OK;
}

/* ---- labels, weights and notes */

/* A value of row r: of an array, or of a column of the dense one. */
static void row_value(const ney_numpy *n, const ney_npy_part *part, int64_t column, int64_t r,
                      const ney_npy **array, int64_t *place)
{
    *array = part->present ? &part->array : &n->in.x.array;
    *place = part->present ? r : ney_npy_place(&n->in.x.array, r, column);
}

static ney_status add_weight(ney_numpy *n, int64_t r, float *weight, ney_error *err)
{
    const ney_npy *array;
    int64_t place;
    if (!n->in.weight.present && n->table.weight < 0) {
        return NEY_OK;
    }
    row_value(n, &n->in.weight, n->table.weight, r, &array, &place);
    const double w = ney_npy_number(array, place);
    *weight = (float)w;
    n->rows.weighted = true;
    return w >= 0 && ney_fits_float(w)
               ? NEY_OK
               : ney_fail_at(err, NEY_EPARSE, (ney_place){.file = n->in.file},
                             "row %lld (from 0) has weight %g, expected a weight from 0 to 3.4e38",
                             (long long)(n->rows_before + r), w);
}

/* Codes keep pointing to a label's text: those met first are stored. */
typedef struct label_store {
    char text[NEY_MOST_LABELS][NEY_NPY_TEXT];
} label_store;

static int8_t label_code(ney_numpy *n, int64_t r, label_store *store)
{
    const ney_npy *array;
    int64_t place;
    const int met = n->rows.n_labels;
    char text[NEY_NPY_TEXT];
    if (!n->in.y.present && n->table.label < 0) {
        return NEY_NO_LABEL;
    }
    row_value(n, &n->in.y, n->table.label, r, &array, &place);
    const ney_field field = {.text = text, .length = ney_npy_text(array, place, text)};
    if (ney_field_missing(&field) || strcmp(text, "nan") == 0) {
        return NEY_NO_LABEL;
    }
    const int8_t code = ney_rows_code(&n->rows, text, field.length);
    ney_label *const label = &n->rows.label[code];
    if (label->text == text || n->rows.n_labels > met) { /* it points to what is gone soon */
        memcpy(store->text[code], text, sizeof text);
        label->text = label->text == text ? store->text[code] : label->text;
    }
    return code;
}

static ney_status add_notes(ney_numpy *n, int64_t r, ney_error *err)
{
    for (int64_t k = 0; k < n->table.n_notes; k++) {
        const int64_t c = n->table.note[k];
        char text[NEY_NPY_TEXT];
        ney_text_add(&n->rows.notes, "\t", k > 0);
        if (c == NEY_COLUMN_FILE) {
            ney_text_put(&n->rows.notes, n->in.file);
        } else {
            ney_text_add(&n->rows.notes, text,
                         ney_npy_text(&n->in.x.array, ney_npy_place(&n->in.x.array, r, c), text));
        }
    }
    if (n->table.n_notes > 0) {
        n->rows.noted = true;
        ney_text_add(&n->rows.notes, "\n", 1);
    }
    return n->rows.notes.failed ? ney_no_memory(err, r, "notes") : NEY_OK;
}

static ney_status open_labels(ney_numpy *n, ney_error *err)
{
    bool pooled = false;
    ney_status st = ney_labels_init(&n->labels, &n->env, n->in.file, n->given, err);
    if (st == NEY_OK) {
        st = ney_pooling_of(&n->pooling, &pooled, n->opts, n->given, err);
    }
    n->rows.known = n->given ? n->labels.value : NULL;
    n->rows.pooling = pooled ? &n->pooling : NULL;
    return st;
}

static ney_status read_rows(ney_numpy *n, ney_error *err)
{
    ney_status st = NEY_OK;
    label_store *const store = ney_alloc(&n->env, 1, sizeof *store);
    if (!store) {
        return ney_no_memory(err, 1, "labels");
    }
    ney_rows_clear(&n->rows);
    for (int64_t r = 0; st == NEY_OK && r < n->in.rows; r++) {
        float weight = 1;
        n->rows.n_lines = r; /* "line" r + 1 in messages about labels is row r + 1 */
        if (!ney_rows_reserve(&n->rows, 0)) {
            st = ney_no_memory(err, n->in.rows, "rows");
        } else if ((st = add_weight(n, r, &weight, err)) == NEY_OK &&
                   (st = add_notes(n, r, err)) == NEY_OK) {
            ney_rows_finish(&n->rows, 0, label_code(n, r, store), weight);
        }
    }
    if (st == NEY_OK) {
        st = ney_labels_merge(&n->labels, &n->rows, n->rows_before, err);
    }
    ney_release(&n->env, store);
    return st;
}

/* ---- the data set */

static bool name_column(ney_preprocessing *r, const ney_table *t, int64_t c, char **name)
{
    return c < 0 || (*name = ney_strdup(&r->env, t->column[c].name, strlen(t->column[c].name)));
}

static bool name_columns(const ney_numpy *n, ney_preprocessing *r)
{
    const ney_table *const t = &n->table;
    return (n->in.y.present || name_column(r, t, t->label, &r->label_column)) &&
           (n->in.weight.present || name_column(r, t, t->weight, &r->weight_column));
}

static bool keep_pooling(const ney_numpy *n, ney_preprocessing *r)
{
    const char *const pooled = n->given || !n->rows.pooling ? NULL : n->pooling.negatives;
    return !pooled || (r->pooled = ney_strdup(&r->env, pooled, strlen(pooled)));
}

ney_status ney_numpy_finish_labels(ney_numpy *n, ney_preprocessing *r, int8_t sign[2],
                                   ney_error *problem, ney_error *err)
{
    const ney_status st = ney_labels_finish(&n->labels, n->opts->positive, r, sign, problem, err);
    if (st == NEY_OK && n->labels.labelled.line == 0) {
        (void)ney_fail_at(problem, NEY_EPARSE, (ney_place){.file = n->in.file},
                          "has no labels: store them as the array y of an archive, or name the "
                          "column of a dense array: --label NUMBER");
    }
    return st;
}

/* Labels, weights and notes move from the rows to the data. */
static ney_status finish(ney_numpy *n, ney_data *d, ney_error *err)
{
    ney_preprocessing *const r = d->preprocessing;
    int8_t sign[2];
    ney_error problem = {0};
    if (!ney_table_name_notes(&n->table, r)) {
        return ney_no_memory(err, r->cols, "column names");
    }
    if (!n->given && (!keep_pooling(n, r) || !name_columns(n, r) ||
                      (n->opts->missing != NEY_MISSING_KEEP &&
                       !ney_preprocessing_set_missing(r, n->opts->missing)))) {
        return ney_no_memory(err, r->cols, "columns");
    }
    const ney_status st = ney_numpy_finish_labels(n, r, sign, &problem, err);
    if (st != NEY_OK) {
        return st;
    }
    d->from_array = false;
    d->no_label = problem;
    if (sign[0] != 0) {
        for (int64_t i = 0; i < d->x.rows; i++) {
            n->rows.code[i] = sign[n->rows.code[i]];
        }
        d->label = n->rows.code;
        n->rows.code = NULL;
    }
    if (n->rows.weighted) {
        d->weight = n->rows.weight;
        n->rows.weight = NULL;
    }
    if (n->rows.noted) {
        d->notes = n->rows.notes.bytes;
        d->n_notes = n->rows.notes.length;
        ney_text_init(&n->rows.notes, &n->env);
    }
    return NEY_OK;
}

ney_array ney_numpy_array(const ney_numpy *n)
{
    return (ney_array){.rows = n->in.rows,
                       .cols = n->cols,
                       .value = n->in.sparse ? n->csr.value : n->value,
                       .value_type = NEY_FLOAT64,
                       .start = n->csr.start,
                       .start_type = NEY_INT64,
                       .index = n->csr.index,
                       .index_type = NEY_INT32,
                       .name = n->name};
}

ney_status ney_numpy_error(const ney_numpy *n, ney_status st, ney_error *err)
{
    if (st == NEY_EINVAL) {
        st = NEY_EPARSE;
        if (err) {
            err->code = st;
        }
    }
    return ney_error_in(err, st, n->in.file);
}

static ney_status make_data(ney_numpy *n, ney_data **d, ney_error *err)
{
    const ney_array x = ney_numpy_array(n);
    const bool keep = !n->given && n->opts->missing == NEY_MISSING_KEEP;
    ney_status st = ney_numpy_error(n, ney_array_to_data(d, &n->env, &x, n->given, keep, err), err);
    if (st == NEY_OK && !n->given && n->opts->missing == NEY_MISSING_ERROR) {
        st = ney_data_check_cells(*d, (*d)->preprocessing, (ney_place){.file = n->in.file},
                                  NEY_FILL_GAPS, err);
    }
    return ney_error_in(err, st, n->in.file);
}

ney_status ney_numpy_open(ney_numpy *n, ney_error *err)
{
    ney_status st =
        ney_check_columns(n->opts, n->in.cols, n->in.sparse ? n->in.data.array.n : n->in.x.array.n,
                          n->given ? n->given->cols : 0, (ney_place){.file = n->in.file}, err);
    if (st == NEY_OK && n->in.sparse &&
        (n->opts->label || n->opts->weight || n->opts->id || n->opts->group || n->opts->ignore)) {
        st = ney_fail_at(err, NEY_EINVAL, (ney_place){.file = n->in.file},
                         "is a sparse matrix, whose columns are all features: store labels as the "
                         "array y, and weights as the array weight");
    }
    if (st == NEY_OK && n->in.sparse) {
        n->cols = n->in.cols;
    } else if (st == NEY_OK && (st = open_columns(n, err)) == NEY_OK) {
        st = choose_columns(n, err);
    }
    return st == NEY_OK ? open_labels(n, err) : st;
}

ney_status ney_numpy_take(ney_numpy *n, ney_error *err)
{
    ney_release_all(&n->env, n->csr.value, n->csr.start, n->csr.index);
    n->csr = (ney_npy_csr){0};
    const ney_status st =
        n->in.sparse ? ney_npy_csr_copy(&n->csr, &n->in, n->rows_before, err) : copy_dense(n, err);
    return st == NEY_OK ? read_rows(n, err) : st;
}

void ney_numpy_init(ney_numpy *n, const ney_env *env, const ney_read_opts *opts,
                    const ney_preprocessing *given)
{
    *n = (ney_numpy){.env = *env,
                     .opts = opts,
                     .given = given,
                     .in = {.env = *env, .archive = {.env = *env}},
                     .table = {.env = *env, .label = -1, .weight = -1, .id = -1, .group = -1},
                     .labels = {.env = *env}};
    ney_rows_init(&n->rows, env);
}

void ney_numpy_deinit(ney_numpy *n)
{
    ney_release_all(&n->env, n->column, n->value, n->csr.value, n->csr.start, n->csr.index,
                    n->name);
    ney_rows_deinit(&n->rows);
    ney_labels_deinit(&n->labels);
    ney_table_deinit(&n->table);
    ney_npy_arrays_deinit(&n->in);
}

ney_status ney_numpy_read(ney_data **out, const ney_env *env, ney_source *source, ney_format format,
                          const ney_read_opts *opts, const ney_preprocessing *given, ney_error *err)
{
    ney_numpy n;
    ney_data *d = NULL;
    ney_status st;
    *out = NULL;
    ney_numpy_init(&n, env, opts, given);
    if ((st = ney_npy_arrays_read(&n.in, env, source, format, err)) == NEY_OK &&
        (st = ney_numpy_open(&n, err)) == NEY_OK && (st = ney_numpy_take(&n, err)) == NEY_OK &&
        (st = make_data(&n, &d, err)) == NEY_OK) {
        st = finish(&n, d, err);
    }
    if (st == NEY_OK) {
        *out = d;
    } else {
        ney_data_free(d);
    }
    ney_numpy_deinit(&n);
    ney_source_close(source);
    return st;
}
