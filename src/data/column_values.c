#include "data/column_values.h"

#include "base/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_COLUMNS = 64 };

/* A value, and whether its row is of the positive class. */
typedef struct cell {
    float value;
    bool positive;
} cell;

/* Columns first .. first + n_cols - 1 of the sample: `capacity` values and runs for each. */
typedef struct collector {
    const ney_data *data;
    const int64_t *rows;
    int64_t n_rows, step;     /* rows fitted on; every step-th is sampled */
    int64_t n_sampled, n_pos; /* of them, of the positive class */
    int64_t *begin;           /* sparse: the entries of each column, by rows */
    cell *entry;
    int64_t first, n_cols;
    cell *cell; /* n_sampled for each column of the block */
    ney_value_run *run;
    int64_t n_runs[BLOCK_COLUMNS];
} collector;

static int64_t row_of(const collector *k, int64_t i)
{
    return k->rows ? k->rows[i] : i;
}

static int by_size(const void *a, const void *b)
{
    const float x = ((const cell *)a)->value, y = ((const cell *)b)->value;
    return (x > y) - (x < y);
}

static bool is_positive(const collector *k, int64_t row)
{
    return k->data->label && k->data->label[row] > 0;
}

/* Equal values, sorted, as runs; a zero of either sign is one value. `zeros` are not among the
 * cells. */
static int64_t make_runs(const cell *x, int64_t n, ney_value_run zeros, ney_value_run *run)
{
    int64_t m = 0;
    for (int64_t i = 0; i <= n; i++) {
        if (zeros.n > 0 && (i == n || x[i].value >= 0)) {
            run[m++] = zeros;
            zeros.n = 0;
        }
        if (i == n) {
            break;
        }
        if (m == 0 || run[m - 1].value != x[i].value) {
            run[m++] = (ney_value_run){.value = x[i].value};
        }
        run[m - 1].n++;
        run[m - 1].n_pos += x[i].positive;
    }
    return m;
}

/* Keep a cell that is not missing; `rest` are the cells that are not stored. */
static void keep_cell(cell *x, int64_t *n, cell found, ney_value_run *rest)
{
    x[*n] = found;
    *n += !isnan(found.value);
    rest->n--;
    rest->n_pos -= found.positive;
}

static void collect_column(void *context, int64_t i, int thread)
{
    collector *const k = context;
    const int64_t c = k->first + i;
    cell *const x = k->cell + i * k->n_sampled;
    ney_value_run zeros = {.n = k->n_sampled, .n_pos = k->n_pos};
    int64_t n = 0;
    (void)thread;
    for (int64_t e = 0; k->begin && e < k->begin[c + 1] - k->begin[c]; e++) {
        keep_cell(x, &n, k->entry[k->begin[c] + e], &zeros);
    }
    for (int64_t r = 0; !k->begin && r < k->n_rows; r += k->step) {
        const int64_t row = row_of(k, r);
        const float v = k->data->value[row * k->data->x.cols + c];
        keep_cell(x, &n, (cell){v, is_positive(k, row)}, &zeros);
    }
    qsort(x, (size_t)n, sizeof *x, by_size);
    k->n_runs[i] = make_runs(x, n, zeros, k->run + i * (k->n_sampled + 1));
}

/* The entries of sparse rows by column. */
static bool transpose(collector *k)
{
    const ney_data *const d = k->data;
    const int64_t cols = d->x.cols;
    if (!(k->begin = ney_alloc_zeroed(&d->env, cols + 2, sizeof *k->begin))) {
        return false;
    }
    for (int64_t i = 0; i < k->n_rows; i += k->step) {
        const int64_t r = row_of(k, i);
        for (int64_t e = d->start[r]; e < d->start[r + 1]; e++) {
            k->begin[d->index[e] + 2]++;
        }
    }
    for (int64_t c = 0; c < cols; c++) {
        k->begin[c + 2] += k->begin[c + 1];
    }
    if (!(k->entry = ney_alloc(&d->env, k->begin[cols + 1] + 1, sizeof *k->entry))) {
        return false;
    }
    for (int64_t i = 0; i < k->n_rows; i += k->step) {
        const int64_t r = row_of(k, i);
        for (int64_t e = d->start[r]; e < d->start[r + 1]; e++) {
            k->entry[k->begin[d->index[e] + 1]++] = (cell){d->value[e], is_positive(k, r)};
        }
    }
    return true; /* begin[c + 1] is now the end of column c */
}

static bool collector_init(collector *k)
{
    const ney_env *const env = &k->data->env;
    k->step = ney_quantile_step(k->n_rows);
    k->step += k->step == 0;
    k->n_sampled = (k->n_rows + k->step - 1) / k->step;
    if (k->data->start && !transpose(k)) {
        return false;
    }
    for (int64_t i = 0; i < k->n_rows; i += k->step) {
        k->n_pos += is_positive(k, row_of(k, i));
    }
    k->cell = ney_alloc(env, BLOCK_COLUMNS * k->n_sampled + 1, sizeof *k->cell);
    k->run = ney_alloc(env, BLOCK_COLUMNS * (k->n_sampled + 1), sizeof *k->run);
    return k->cell && k->run;
}

ney_status ney_column_values(const ney_data *d, const int64_t *rows, int64_t n_rows,
                             ney_status (*visit)(void *context, int64_t c, const ney_value_run *run,
                                                 int64_t n_runs, ney_error *err),
                             void *context, ney_error *err)
{
    collector k = {.data = d, .rows = rows, .n_rows = n_rows};
    ney_status st = NEY_OK;
    if (!collector_init(&k)) {
        st = ney_no_memory(err, k.n_sampled, "values of a column");
    }
    for (k.first = 0; st == NEY_OK && k.first < d->x.cols; k.first += BLOCK_COLUMNS) {
        const int64_t rest = d->x.cols - k.first;
        k.n_cols = rest < BLOCK_COLUMNS ? rest : BLOCK_COLUMNS;
        ney_parallel_for(&d->env, k.n_cols, collect_column, &k);
        for (int64_t i = 0; i < k.n_cols && st == NEY_OK; i++) {
            st = visit(context, k.first + i, k.run + i * (k.n_sampled + 1), k.n_runs[i], err);
        }
        if (st == NEY_OK && !ney_poll(&d->env, "scaling", (double)k.first, (double)d->x.cols)) {
            st = ney_fail(err, NEY_ECANCELLED, "cancelled while scaling");
        }
    }
    ney_release_all(&d->env, k.begin, k.entry, k.cell, k.run);
    return st;
}
