/* The description of an array, and its cells stored as those of a data set. */
#include "data/array.h"

#include "base/parallel.h"
#include "data/rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK_ROWS = 1024 };

/* ------------------------------------------------------------------ description */

static bool is_real(ney_type type)
{
    return type == NEY_FLOAT32 || type == NEY_FLOAT64;
}

static bool is_integer(ney_type type)
{
    return type == NEY_INT32 || type == NEY_INT64;
}

int64_t ney_array_row_stride(const ney_array *x)
{
    return x->row_stride == 0 && x->col_stride == 0 ? x->cols : x->row_stride;
}

int64_t ney_array_col_stride(const ney_array *x)
{
    return x->row_stride == 0 && x->col_stride == 0 ? 1 : x->col_stride;
}

/* Whether no cell is further than `most` values away from the first. */
static bool reaches(const ney_array *x, double most)
{
    const double rows = (double)(x->rows - 1) * fabs((double)ney_array_row_stride(x));
    return rows + (double)(x->cols - 1) * fabs((double)ney_array_col_stride(x)) < most;
}

static ney_status check_types(const ney_array *x, ney_error *err)
{
    if (!is_real(x->value_type)) {
        return ney_fail(err, NEY_EINVAL, "values of type %d, expected NEY_FLOAT32 or NEY_FLOAT64",
                        (int)x->value_type);
    }
    if (x->start && (!is_integer(x->start_type) || !is_integer(x->index_type))) {
        return ney_fail(err, NEY_EINVAL,
                        "offsets of type %d and columns of type %d, expected NEY_INT32 or "
                        "NEY_INT64",
                        (int)x->start_type, (int)x->index_type);
    }
    return NEY_CHECK_RESERVED(x, "ney_array", err);
}

ney_status ney_array_check(const ney_array *x, ney_error *err)
{
    if (!x) {
        return ney_fail(err, NEY_EINVAL, "no array of rows");
    }
    const bool empty = x->rows == 0 || x->cols == 0;
    if (x->rows < 0 || x->cols < 0 || x->cols > INT32_MAX ||
        (!x->start && !empty && (!x->value || !reaches(x, 0x1p59))) ||
        (x->start && (x->row_stride != 0 || x->col_stride != 0))) {
        return ney_fail(err, NEY_EINVAL,
                        "an array of %lld rows and %lld columns with strides %lld and %lld%s",
                        (long long)x->rows, (long long)x->cols, (long long)x->row_stride,
                        (long long)x->col_stride,
                        x->start            ? ": CSR rows have no strides"
                        : x->value || empty ? ""
                                            : " has no values");
    }
    for (int64_t c = 0; x->name && c < x->cols; c++) {
        if (!x->name[c] || !*x->name[c]) {
            return ney_fail(err, NEY_EINVAL,
                            "column %lld has no name, expected names for all columns or for none",
                            (long long)c);
        }
    }
    const ney_status st = check_types(x, err);
    return st == NEY_OK ? ney_array_check_categories(x, err) : st;
}

double ney_array_value(const ney_array *x, int64_t k)
{
    return x->value_type == NEY_FLOAT32 ? (double)((const float *)x->value)[k]
                                        : ((const double *)x->value)[k];
}

static int64_t integer_at(const void *array, ney_type type, int64_t k)
{
    return type == NEY_INT32 ? ((const int32_t *)array)[k] : ((const int64_t *)array)[k];
}

/* ------------------------------------------------------------------ cells */

static ney_status fail_cell(const ney_array *x, const ney_array_map *map, int64_t row,
                            int64_t column, double value, ney_error *err)
{
    char name[128] = "";
    if (x->name) {
        snprintf(name, sizeof name, " ('%.100s')", x->name[column]);
    }
    return ney_fail(err, NEY_EINVAL, "row %lld, column %lld%s, counted from 0, is %g, expected %s",
                    (long long)(map->rows_before + row), (long long)column, name, value,
                    !isnan(value)  ? "a finite number that single precision holds, below 3.4e38"
                    : map->trained ? "a number: the model was trained without missing = mean"
                                   : "a number");
}

/* The first step of the preprocessing. False where the value has no place. */
static bool store(const ney_array_map *map, int64_t feature, double value, float *to)
{
    const double stored = map->shift ? value - map->shift[feature] : value;
    *to = (float)stored;
    return ney_fits_float(stored) || (isnan(value) ? map->gaps : map->keeps_infinite);
}

typedef struct filling {
    const ney_array *x;
    const ney_array_map *map;
    ney_data *data;
    int64_t first, n;
} filling;

/* The features of column `from` of a row, of numbers. */
static ney_status fill_cell(const filling *f, int64_t row, int64_t from, int64_t feature, float *to,
                            ney_error *err)
{
    const ney_array *const x = f->x;
    const double value =
        ney_array_value(x, row * ney_array_row_stride(x) + from * ney_array_col_stride(x));
    return store(f->map, feature, value, &to[feature])
               ? NEY_OK
               : fail_cell(x, f->map, row, from, value, err);
}

static ney_status fill_inputs(const filling *f, int64_t row, float *to, ney_error *err)
{
    ney_status st = NEY_OK;
    for (int64_t i = 0; i < f->map->n_inputs && st == NEY_OK; i++) {
        const ney_array_input *const in = &f->map->input[i];
        st = in->place ? ney_array_store_category(f->x, f->map, in, row, to, err)
                       : fill_cell(f, row, in->column, in->first, to, err);
    }
    return st;
}

static ney_status fill_dense(void *context, int64_t block, int thread, ney_error *err)
{
    const filling *const f = context;
    const ney_array *const x = f->x;
    const int64_t begin = block * BLOCK_ROWS;
    const int64_t end = begin + BLOCK_ROWS < f->n ? begin + BLOCK_ROWS : f->n;
    const int64_t rows = ney_array_row_stride(x), cols = ney_array_col_stride(x);
    (void)thread;

    for (int64_t r = begin; r < end; r++) {
        float *const to = f->data->value + r * f->map->cols;
        if (f->map->input) {
            const ney_status st = fill_inputs(f, f->first + r, to, err);
            if (st != NEY_OK) {
                return st;
            }
            continue;
        }
        for (int64_t c = 0; c < f->map->cols; c++) {
            const int64_t from = f->map->column ? f->map->column[c] : c;
            const double value = ney_array_value(x, (f->first + r) * rows + from * cols);
            if (!store(f->map, c, value, &to[c])) {
                return fail_cell(x, f->map, f->first + r, from, value, err);
            }
        }
    }
    return NEY_OK;
}

/* The entry of a CSR row, its column checked. */
static ney_status check_entry(const ney_array *x, int64_t row, int64_t column, int64_t before,
                              ney_error *err)
{
    if (column > before && column < x->cols) {
        return NEY_OK;
    }
    return ney_fail(err, NEY_EINVAL,
                    "row %lld has column %lld, expected ascending columns below %lld",
                    (long long)row, (long long)column, (long long)x->cols);
}

/* Where a shift is, zeros are not stored as zeros. */
static ney_status fill_spread(const filling *f, ney_error *err)
{
    const ney_array *const x = f->x;
    const ney_array_map *const map = f->map;
    ney_status st = NEY_OK;
    for (int64_t r = 0; r < f->n; r++) {
        float *const to = f->data->value + r * map->cols;
        int64_t before = -1;
        for (int64_t c = 0; c < map->cols; c++) {
            (void)store(map, c, 0, &to[c]);
        }
        const int64_t end = integer_at(x->start, x->start_type, f->first + r + 1);
        for (int64_t k = integer_at(x->start, x->start_type, f->first + r); k < end; k++) {
            const int64_t column = integer_at(x->index, x->index_type, k);
            if ((st = check_entry(x, f->first + r, column, before, err)) != NEY_OK) {
                return st;
            }
            const int64_t feature = map->feature ? map->feature[column] : column;
            before = column;
            if (feature >= 0 && feature < map->cols &&
                !store(map, feature, ney_array_value(x, k), &to[feature])) {
                return fail_cell(x, map, f->first + r, column, ney_array_value(x, k), err);
            }
        }
    }
    return NEY_OK;
}

typedef struct sparse_entry {
    int32_t index;
    float value;
} sparse_entry;

static int by_index(const void *a, const void *b)
{
    return ((const sparse_entry *)a)->index - ((const sparse_entry *)b)->index;
}

/* Features in another order than the array's columns: put entries `from` to `to` in order. */
static void sort_entries(ney_data *d, int64_t from, int64_t to, sparse_entry *scratch)
{
    for (int64_t k = from; k < to; k++) {
        scratch[k - from] = (sparse_entry){d->index[k], d->value[k]};
    }
    qsort(scratch, (size_t)(to - from), sizeof *scratch, by_index);
    for (int64_t k = from; k < to; k++) {
        d->index[k] = scratch[k - from].index;
        d->value[k] = scratch[k - from].value;
    }
}

/* One row behind those before it; *at counts entries. */
static ney_status fill_sparse_row(const filling *f, int64_t r, int64_t *at, ney_error *err)
{
    const ney_array *const x = f->x;
    ney_data *const d = f->data;
    const int64_t end = integer_at(x->start, x->start_type, f->first + r + 1);
    int64_t before = -1;
    for (int64_t k = integer_at(x->start, x->start_type, f->first + r); k < end; k++) {
        const int64_t column = integer_at(x->index, x->index_type, k);
        const ney_status st = check_entry(x, f->first + r, column, before, err);
        if (st != NEY_OK) {
            return st;
        }
        const int64_t feature = f->map->feature ? f->map->feature[column] : column;
        before = column;
        if (feature < 0 || feature >= f->map->cols) {
            continue;
        }
        if (!store(f->map, feature, ney_array_value(x, k), &d->value[*at])) {
            return fail_cell(x, f->map, f->first + r, column, ney_array_value(x, k), err);
        }
        d->index[(*at)++] = (int32_t)feature;
    }
    d->start[r + 1] = *at;
    return NEY_OK;
}

static ney_status fill_sparse(const filling *f, ney_error *err)
{
    ney_data *const d = f->data;
    int64_t at = 0;
    sparse_entry *scratch = NULL;
    ney_status st = NEY_OK;
    if (f->map->feature && !(scratch = ney_alloc(&d->env, f->map->cols, sizeof *scratch))) {
        return ney_no_memory(err, f->map->cols, "entries");
    }
    d->start[0] = 0;
    for (int64_t r = 0; r < f->n && st == NEY_OK; r++) {
        st = fill_sparse_row(f, r, &at, err);
        if (scratch && st == NEY_OK) {
            sort_entries(d, d->start[r], at, scratch);
        }
    }
    ney_release(&d->env, scratch);
    return st;
}

/* ------------------------------------------------------------------ rows */

/* Offsets ascend. *entries: how many entries the rows have. */
static ney_status check_offsets(const ney_array *x, int64_t first, int64_t n, int64_t *entries,
                                ney_error *err)
{
    const int64_t begin = integer_at(x->start, x->start_type, first);
    int64_t at = begin;
    *entries = 0;
    if (begin < 0) {
        return ney_fail(err, NEY_EINVAL, "row %lld begins at entry %lld, expected 0 or more",
                        (long long)first, (long long)begin);
    }
    for (int64_t r = first; r < first + n; r++) {
        const int64_t end = integer_at(x->start, x->start_type, r + 1);
        if (end < at) {
            return ney_fail(err, NEY_EINVAL, "row %lld ends before it begins", (long long)r);
        }
        at = end;
    }
    *entries = at - begin;
    if (*entries > 0 && (!x->value || !x->index)) {
        return ney_fail(err, NEY_EINVAL, "%lld entries, but no arrays of values and columns",
                        (long long)*entries);
    }
    return NEY_OK;
}

static bool poll(void *user, const ney_progress *progress)
{
    return ney_relay_poll(user, progress);
}

/* A stop that is asked for while the calling thread waits is remembered. */
static ney_status fill_blocks(const filling *f, ney_error *err)
{
    ney_relay relay;
    ney_relay_init(&relay, &f->data->env);
    const ney_env env = {
        .user = &relay, .poll = poll, .threads = relay.env.threads, .team = relay.env.team};
    const ney_status st = ney_parallel_try(&env, (f->n + BLOCK_ROWS - 1) / BLOCK_ROWS, fill_dense,
                                           (void *)(uintptr_t)f, err);
    return st == NEY_OK && atomic_load(&relay.stopped)
               ? ney_fail(err, NEY_ECANCELLED, "cancelled while copying rows")
               : st;
}

static ney_status fill_rows(const filling *f, bool sparse, ney_error *err)
{
    if (f->x->start) {
        return sparse ? fill_sparse(f, err) : fill_spread(f, err);
    }
    if (f->n <= BLOCK_ROWS) {
        return f->n > 0 ? fill_dense((void *)(uintptr_t)f, 0, 0, err) : NEY_OK;
    }
    return fill_blocks(f, err);
}

bool ney_array_is_shifted(const ney_array_map *map)
{
    bool shifted = false;
    for (int64_t c = 0; map->shift && c < map->cols; c++) {
        shifted = shifted || map->shift[c] != 0;
    }
    return shifted;
}

ney_status ney_array_take(ney_data **out, const ney_array *x, const ney_array_map *map,
                          int64_t first, int64_t n, ney_error *err)
{
    const bool sparse = x->start && !ney_array_is_shifted(map);
    int64_t entries = 0;
    ney_data *d = NULL;
    ney_status st = x->start ? check_offsets(x, first, n, &entries, err) : NEY_OK;

    *out = NULL;
    if (st != NEY_OK) {
        return st;
    }
    if (!sparse && map->cols > 0 && n > INT64_MAX / 8 / map->cols) {
        return ney_no_memory(err, n, "rows");
    }
    if ((st = ney_data_allocate(&d, &map->env, n, map->cols, sparse, entries, err)) == NEY_OK) {
        st = fill_rows(&(filling){.x = x, .map = map, .data = d, .first = first, .n = n}, sparse,
                       err);
    }
    if (st != NEY_OK) {
        ney_data_free(d);
        return st;
    }
    *out = d;
    return NEY_OK;
}
