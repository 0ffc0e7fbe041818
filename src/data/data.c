#include "data/data.h"

#include "data/rows.h"

#include <math.h>
#include <string.h>

void ney_data_refresh(ney_data *d, int64_t rows, int64_t cols)
{
    const bool dense = !d->start;
    d->x = (ney_matrix){.rows = rows,
                        .cols = cols,
                        .dense = dense ? d->value : NULL,
                        .start = d->start,
                        .index = d->index,
                        .value = dense ? NULL : d->value};
}

bool ney_dense_is_smaller(int64_t rows, int64_t cols, int64_t entries)
{
    /* In double: the product of two large counts must not wrap round. */
    return 4.0 * (double)rows * (double)cols <= 8.0 * (double)entries + 8.0 * (double)(rows + 1);
}

const float *ney_data_find_fault(const ney_data *d, bool gaps, int64_t *row, int64_t *column)
{
    for (int64_t i = 0; i < d->x.rows; i++) {
        const int64_t begin = d->start ? d->start[i] : i * d->x.cols;
        const int64_t end = d->start ? d->start[i + 1] : begin + d->x.cols;
        for (int64_t k = begin; k < end; k++) {
            if (!isfinite(d->value[k]) && !(gaps && isnan(d->value[k]))) {
                *row = i;
                *column = d->start ? d->index[k] : k - begin;
                return &d->value[k];
            }
        }
    }
    return NULL;
}

ney_status ney_data_check_cells(const ney_data *d, const ney_preprocessing *preprocessing,
                                ney_place before, const char *advice, ney_error *err)
{
    int64_t row, column;
    char name[100];
    const ney_place place = {.file = before.file};
    const float *fault =
        ney_data_find_fault(d, ney_preprocessing_allows_missing(preprocessing), &row, &column);
    if (!fault) {
        return NEY_OK;
    }
    ney_preprocessing_feature(preprocessing, column, name, sizeof name);
    row += before.line + 1;
    if (isnan(*fault)) {
        return ney_fail_at(err, NEY_EPARSE, place,
                           "row %lld: column '%s' is missing, expected a number: %s",
                           (long long)row, name, advice);
    }
    return ney_fail_at(err, NEY_EPARSE, place,
                       "row %lld: column '%s' is infinite, expected a finite number",
                       (long long)row, name);
}

/* Row by row from the last, in place: an entry of row r is never moved behind the end of row r. */
bool ney_data_to_dense(ney_data *d)
{
    const int64_t rows = d->x.rows, cols = d->x.cols;
    if (d->x.dense) {
        return true;
    }
    int64_t cap = d->start[rows];
    if (cols > 0 && rows > INT64_MAX / cols) {
        return false;
    }
    if (!ney_grow(&d->env, &d->value, &cap, rows * cols > 0 ? rows * cols : 1, sizeof *d->value)) {
        return false;
    }
    for (int64_t r = rows - 1; r >= 0; r--) {
        float *row = d->value + r * cols;
        int64_t c = cols - 1;
        for (int64_t k = d->start[r + 1] - 1; k >= d->start[r]; k--) {
            const float v = d->value[k];
            for (; c > d->index[k]; c--) {
                row[c] = 0;
            }
            row[c--] = v;
        }
        for (; c >= 0; c--) {
            row[c] = 0;
        }
    }
    ney_release(&d->env, d->start);
    ney_release(&d->env, d->index);
    d->start = NULL;
    d->index = NULL;
    ney_data_refresh(d, rows, cols);
    return true;
}

/* Row by row from the first: an entry is never moved behind its place. */
bool ney_data_to_sparse(ney_data *d)
{
    const int64_t rows = d->x.rows, cols = d->x.cols;
    int64_t entries = 0, cap = rows * cols;
    if (d->start) {
        return true;
    }
    for (int64_t k = 0; k < rows * cols; k++) {
        entries += d->value[k] != 0;
    }
    int64_t *const start = ney_alloc(&d->env, rows + 1, sizeof *start);
    int32_t *const index = ney_alloc(&d->env, entries, sizeof *index);
    if (!start || !index) {
        ney_release_all(&d->env, start, index);
        return false;
    }
    start[0] = entries = 0;
    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < cols; c++) {
            if (d->value[r * cols + c] != 0) {
                index[entries] = (int32_t)c;
                d->value[entries++] = d->value[r * cols + c];
            }
        }
        start[r + 1] = entries;
    }
    ney_trim(&d->env, &d->value, &cap, entries > 0 ? entries : 1, sizeof *d->value);
    d->start = start;
    d->index = index;
    ney_data_refresh(d, rows, cols);
    return true;
}

static void narrow_sparse(ney_data *d, int64_t cols)
{
    int64_t kept = 0, k = 0;
    for (int64_t r = 0; r < d->x.rows; r++) {
        for (; k < d->start[r + 1]; k++) {
            if (d->index[k] < cols) {
                d->index[kept] = d->index[k];
                d->value[kept++] = d->value[k];
            }
        }
        d->start[r + 1] = kept;
    }
}

static bool change_dense(ney_data *d, int64_t cols)
{
    const int64_t rows = d->x.rows, before = d->x.cols, kept = cols < before ? cols : before;
    float *value = ney_alloc(&d->env, rows * cols, sizeof *value);
    if (!value) {
        return false;
    }
    for (int64_t r = 0; r < rows; r++) {
        memcpy(value + r * cols, d->value + r * before, (size_t)kept * sizeof *value);
        memset(value + r * cols + kept, 0, (size_t)(cols - kept) * sizeof *value);
    }
    ney_release(&d->env, d->value);
    d->value = value;
    return true;
}

bool ney_data_set_cols(ney_data *d, int64_t cols)
{
    if (cols == d->x.cols) {
        return true;
    }
    if (d->x.dense) {
        if (!change_dense(d, cols)) {
            return false;
        }
    } else if (cols < d->x.cols) {
        narrow_sparse(d, cols);
    }
    ney_data_refresh(d, d->x.rows, cols);
    return true;
}

/* Of sparse rows, the entries after those that are there. */
static bool add_sparse_indicators(ney_data *d, const int64_t *indicator, int64_t n)
{
    const int64_t before = d->start[d->x.rows];
    int32_t *const place = ney_alloc(&d->env, d->x.cols, sizeof *place);
    int64_t entries = before, value_cap = before, index_cap = before;
    bool fine = place != NULL;
    for (int64_t c = 0; fine && c < d->x.cols; c++) {
        place[c] = -1;
    }
    for (int64_t k = 0; fine && k < n; k++) {
        place[indicator[k]] = (int32_t)(d->x.cols + k);
    }
    for (int64_t k = 0; fine && k < before; k++) {
        entries += isnan(d->value[k]) && place[d->index[k]] >= 0;
    }
    fine = fine && ney_grow(&d->env, &d->value, &value_cap, entries, sizeof *d->value) &&
           ney_grow(&d->env, &d->index, &index_cap, entries, sizeof *d->index);
    for (int64_t r = d->x.rows - 1, to = entries; fine && r >= 0; r--) { /* from the back */
        const int64_t begin = d->start[r], end = d->start[r + 1];
        int64_t extra = 0;
        d->start[r + 1] = to;
        for (int64_t k = begin; k < end; k++) {
            extra += isnan(d->value[k]) && place[d->index[k]] >= 0;
        }
        to -= extra;
        for (int64_t k = begin, at = to; extra > 0 && k < end; k++) {
            if (isnan(d->value[k]) && place[d->index[k]] >= 0) {
                d->index[at] = place[d->index[k]];
                d->value[at++] = 1;
            }
        }
        to -= end - begin;
        memmove(d->index + to, d->index + begin, (size_t)(end - begin) * sizeof *d->index);
        memmove(d->value + to, d->value + begin, (size_t)(end - begin) * sizeof *d->value);
    }
    ney_release(&d->env, place);
    return fine;
}

bool ney_data_add_indicators(ney_data *d)
{
    const ney_preprocessing *const p = d->preprocessing;
    const int64_t stored = d->x.cols;
    if (!d->x.dense) {
        const bool fine = add_sparse_indicators(d, p->indicator, p->n_indicator);
        ney_data_refresh(d, d->x.rows, fine ? p->cols : stored);
        return fine;
    }
    if (!ney_data_set_cols(d, p->cols)) {
        return false;
    }
    for (int64_t r = 0; r < d->x.rows; r++) {
        float *const row = d->value + r * p->cols;
        for (int64_t k = 0; k < p->n_indicator; k++) {
            row[stored + k] = isnan(row[p->indicator[k]]) ? 1.0F : 0.0F;
        }
    }
    return true;
}

void ney_data_free(ney_data *d)
{
    if (!d) {
        return;
    }
    const ney_env env = d->env;
    ney_release_all(&env, d->value, d->start, d->index, d->label, d->weight, d->notes, d->repeated,
                    d->fitted_on);
    ney_preprocessing_free(d->preprocessing);
    ney_row_blocks_free(d->blocks);
    ney_release(&env, d);
}

const ney_matrix *ney_data_matrix(const ney_data *data)
{
    return data ? &data->x : NULL;
}

const int8_t *ney_data_label(const ney_data *data)
{
    if (!data) {
        return NULL;
    }
    return data->label;
}

const float *ney_data_weight(const ney_data *data)
{
    if (!data) {
        return NULL;
    }
    return data->weight;
}

const ney_preprocessing *ney_data_preprocessing(const ney_data *data)
{
    if (!data) {
        return NULL;
    }
    return data->preprocessing;
}

ney_format ney_data_format(const ney_data *data)
{
    if (!data) {
        return NEY_FORMAT_AUTO;
    }
    return data->preprocessing->format;
}

ney_status ney_data_unlabelled(const ney_data *data, ney_error *err)
{
    NEY_REQUIRE(data, err);
    if (err) {
        *err = data->no_label;
    }
    return data->label ? NEY_OK : data->no_label.code;
}

ney_status ney_data_allocate(ney_data **out, const ney_env *env, int64_t rows, int64_t cols,
                             bool sparse, int64_t entries, ney_error *err)
{
    ney_data *d = ney_alloc_zeroed(env, 1, sizeof *d);
    *out = d;
    if (!d) {
        return ney_no_memory(err, 1, "data set");
    }
    d->env = *env;
    if (!(d->value = ney_alloc(env, sparse ? entries : rows * cols, sizeof *d->value)) ||
        (sparse && (!(d->start = ney_alloc(env, rows + 1, sizeof *d->start)) ||
                    !(d->index = ney_alloc(env, entries, sizeof *d->index))))) {
        return ney_no_memory(err, rows, "rows");
    }
    ney_data_refresh(d, rows, cols);
    return NEY_OK;
}

/* Copy rows of a matrix into new arrays. */
static ney_status copy_rows(ney_data **out, const ney_env *env, const ney_matrix *x,
                            const int64_t *rows, int64_t n_rows, ney_error *err)
{
    int64_t entries = 0;
    for (int64_t i = 0; !x->dense && i < n_rows; i++) {
        entries += x->start[rows[i] + 1] - x->start[rows[i]];
    }
    const ney_status st = ney_data_allocate(out, env, n_rows, x->cols, !x->dense, entries, err);
    if (st != NEY_OK) {
        return st;
    }
    ney_data *d = *out;
    int64_t k = 0;
    for (int64_t i = 0; i < n_rows; i++) {
        const int64_t r = rows[i];
        if (x->dense) {
            memcpy(d->value + i * x->cols, x->dense + r * x->cols,
                   (size_t)x->cols * sizeof *d->value);
            continue;
        }
        const int64_t length = x->start[r + 1] - x->start[r];
        d->start[i] = k;
        memcpy(d->index + k, x->index + x->start[r], (size_t)length * sizeof *d->index);
        memcpy(d->value + k, x->value + x->start[r], (size_t)length * sizeof *d->value);
        k += length;
    }
    if (!x->dense) {
        d->start[n_rows] = k;
    }
    return NEY_OK;
}

/* ------------------------------------------------------------------ labels and weights */

/* Names for data that have none; those of a model stay, and must be these. */
static ney_status name_labels(ney_data *d, const char *const name[2], ney_error *err)
{
    ney_preprocessing *const r = d->preprocessing;
    if (!name[0] || !name[1] || !*name[0] || !*name[1] || ney_same_label(name[0], name[1])) {
        return ney_fail(err, NEY_EINVAL,
                        "the classes are named '%.40s' and '%.40s', expected two different names",
                        name[0] ? name[0] : "", name[1] ? name[1] : "");
    }
    for (int k = 0; k < 2; k++) {
        if (r->prepared && r->label[k] && !ney_same_label(r->label[k], name[k])) {
            return ney_fail(err, NEY_EINVAL,
                            "the %s class is named '%.40s', that of the model '%.40s'",
                            k ? "positive" : "negative", name[k], r->label[k]);
        }
    }
    for (int k = 0; k < 2; k++) {
        char *copy = ney_strdup(&r->env, name[k], strlen(name[k]));
        if (!copy) {
            return ney_no_memory(err, 2, "label names");
        }
        ney_release(&r->env, r->label[k]);
        r->label[k] = copy;
    }
    return NEY_OK;
}

ney_status ney_data_keep_missing(ney_data *data, ney_error *err)
{
    NEY_REQUIRE(data, err);
    if (data->preprocessing->prepared) {
        return ney_fail(err, NEY_EINVAL, "the data have been prepared already");
    }
    return ney_preprocessing_set_missing(data->preprocessing, NEY_MISSING_KEEP)
               ? NEY_OK
               : ney_no_memory(err, data->x.cols, "columns to fill");
}

ney_status ney_data_set_labels(ney_data *d, const int8_t *label, const char *negative,
                               const char *positive, ney_error *err)
{
    NEY_REQUIRE(d, err);
    const int64_t n = d->x.rows;
    const bool named = negative || positive;
    ney_status st = NEY_OK;

    for (int64_t i = 0; i < n; i++) {
        if (!label || (label[i] != 1 && label[i] != -1)) {
            return ney_fail(err, NEY_EINVAL, "label %d in row %lld, expected 1 or -1",
                            label ? label[i] : 0, (long long)i);
        }
    }
    if (named || !d->preprocessing->label[0] || !d->preprocessing->label[1]) {
        st = name_labels(d, (const char *const[]){named ? negative : "-1", named ? positive : "1"},
                         err);
    }
    if (st != NEY_OK) {
        return st;
    }
    if (!d->label && !(d->label = ney_alloc(&d->env, n, sizeof *d->label))) {
        return ney_no_memory(err, n, "labels");
    }
    if (n > 0) {
        memcpy(d->label, label, (size_t)n * sizeof *label);
    }
    d->no_label = (ney_error){0};
    return NEY_OK;
}

ney_status ney_data_set_weights(ney_data *d, const float *weight, ney_error *err)
{
    NEY_REQUIRE(d, err);
    const int64_t n = d->x.rows;
    for (int64_t i = 0; weight && i < n; i++) {
        if (!(weight[i] >= 0 && isfinite(weight[i]))) {
            return ney_fail(err, NEY_EINVAL,
                            "row %lld has weight %g, expected a finite number >= 0", (long long)i,
                            (double)weight[i]);
        }
    }
    if (!weight) {
        ney_release(&d->env, d->weight);
        d->weight = NULL;
        return NEY_OK;
    }
    if (!d->weight && !(d->weight = ney_alloc(&d->env, n, sizeof *d->weight))) {
        return ney_no_memory(err, n, "weights");
    }
    memcpy(d->weight, weight, (size_t)n * sizeof *weight);
    return NEY_OK;
}

static ney_status take_columns(ney_data *d, const ney_data *from, const int64_t *rows,
                               int64_t n_rows, ney_error *err)
{
    if ((from->label && !(d->label = ney_alloc(&d->env, n_rows, sizeof *d->label))) ||
        (from->weight && !(d->weight = ney_alloc(&d->env, n_rows, sizeof *d->weight))) ||
        (from->fitted_on && !(d->fitted_on = ney_alloc(&d->env, n_rows, sizeof *d->fitted_on)))) {
        return ney_no_memory(err, n_rows, "labels");
    }
    for (int64_t i = 0; i < n_rows; i++) {
        if (from->label) {
            d->label[i] = from->label[rows[i]];
        }
        if (from->weight) {
            d->weight[i] = from->weight[rows[i]];
        }
        if (from->fitted_on) {
            d->fitted_on[i] = from->fitted_on[rows[i]];
        }
    }
    d->no_label = from->no_label;
    return ney_preprocessing_copy(&d->preprocessing, &d->env, from->preprocessing, err);
}

/* The notes of a row are a line; finding the n-th needs an index of all lines. */
static ney_status take_notes(ney_data *d, const ney_data *from, const int64_t *rows, int64_t n_rows,
                             ney_error *err)
{
    ney_text text;
    int64_t *begin = ney_alloc(&d->env, from->x.rows + 1, sizeof *begin);

    if (!begin) {
        return ney_no_memory(err, from->x.rows, "notes");
    }
    const char *at = from->notes;
    for (int64_t r = 0; r < from->x.rows; r++) {
        begin[r] = at - from->notes;
        at = (const char *)memchr(at, '\n', (size_t)(from->n_notes - begin[r])) + 1;
    }
    begin[from->x.rows] = from->n_notes;
    ney_text_init(&text, &d->env);
    for (int64_t i = 0; i < n_rows; i++) {
        ney_text_add(&text, from->notes + begin[rows[i]], begin[rows[i] + 1] - begin[rows[i]]);
    }
    ney_release(&d->env, begin);
    d->notes = text.bytes;
    d->n_notes = text.length;
    return text.failed ? ney_no_memory(err, n_rows, "notes") : NEY_OK;
}

ney_status ney_data_take(ney_data **out, const ney_data *data, const int64_t *rows, int64_t n_rows,
                         ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(n_rows >= 0 && out && data && (rows || n_rows == 0), err);
    ney_data *d = NULL;
    ney_status st = NEY_OK;

    *out = NULL;
    for (int64_t i = 0; i < n_rows; i++) {
        if (rows[i] < 0 || rows[i] >= data->x.rows) {
            return ney_fail(err, NEY_EINVAL, "row %lld, expected one from 0 to %lld",
                            (long long)rows[i], (long long)data->x.rows - 1);
        }
    }
    if ((st = copy_rows(&d, &data->env, &data->x, rows, n_rows, err)) == NEY_OK &&
        (st = take_columns(d, data, rows, n_rows, err)) == NEY_OK && data->notes) {
        st = take_notes(d, data, rows, n_rows, err);
    }
    if (data->blocks && (st = ney_comm_agree(data->blocks->comm, st, err)) == NEY_OK) {
        st = ney_row_blocks_take(&d->blocks, data->blocks, rows, n_rows, err);
    }
    if (st != NEY_OK) {
        ney_data_free(d);
        return st;
    }
    *out = d;
    return NEY_OK;
}

ney_status ney_data_check_complete(const ney_data *data, ney_error *err)
{
    int64_t row, column;
    char name[100];
    if (ney_preprocessing_allows_missing(data->preprocessing) ||
        !ney_data_find_fault(data, false, &row, &column)) {
        return NEY_OK;
    }
    ney_preprocessing_feature(data->preprocessing, column, name, sizeof name);
    return ney_fail(err, NEY_EPARSE,
                    "row %lld, column %lld ('%s'), counted from 0, is missing, expected a number "
                    "(or fill with missing = mean)",
                    (long long)row, (long long)column, name);
}
