#include "data/builder.h"

#include "base/parallel.h"
#include "data/lines.h"

#include <string.h>

void ney_builder_init(ney_builder *b, const ney_env *env)
{
    *b = (ney_builder){.env = *env};
    ney_text_init(&b->notes, env);
}

void ney_builder_deinit(ney_builder *b)
{
    ney_release_all(&b->env, b->value, b->index, b->start, b->code, b->weight);
    ney_text_deinit(&b->notes);
    *b = (ney_builder){.env = b->env};
}

/* Spread dense rows of b->stride columns to `stride` columns, in place, the last row first. */
static bool widen(ney_builder *b, int64_t stride)
{
    if (!ney_grow(&b->env, &b->value, &b->value_cap, b->rows * stride, sizeof *b->value)) {
        return false;
    }
    for (int64_t r = b->rows - 1; r >= 0 && stride > b->stride; r--) {
        float *to = b->value + r * stride;
        memmove(to, b->value + r * b->stride, (size_t)b->stride * sizeof *to);
        memset(to + b->stride, 0, (size_t)(stride - b->stride) * sizeof *to);
    }
    b->stride = stride;
    return true;
}

/* Dense storage turned out to be larger: compact the rows in place, the first row first. */
static bool make_sparse(ney_builder *b)
{
    if (!ney_grow(&b->env, &b->index, &b->index_cap, b->entries, sizeof *b->index) ||
        !ney_grow(&b->env, &b->start, &b->start_cap, b->rows + 1, sizeof *b->start)) {
        return false;
    }
    int64_t k = 0;
    b->start[0] = 0;
    for (int64_t r = 0; r < b->rows; r++) {
        const float *row = b->value + r * b->stride;
        for (int64_t c = 0; c < b->stride; c++) {
            const float v = row[c];
            if (v != 0) { /* k never overtakes the cell being read */
                b->index[k] = (int32_t)c;
                b->value[k++] = v;
            }
        }
        b->start[r + 1] = k;
    }
    b->dense = false;
    return true;
}

/* Where the rows of each piece go. */
typedef struct placing {
    ney_builder *builder;
    const ney_rows *pieces;
    int64_t first_row[NEY_PIECES], first_entry[NEY_PIECES];
} placing;

static void place_sparse(const placing *p, const ney_rows *in, int64_t row, int64_t entry)
{
    ney_builder *b = p->builder;
    if (in->n_entries > 0) { /* else there may be no arrays to point into */
        memcpy(b->index + entry, in->index, (size_t)in->n_entries * sizeof *b->index);
        memcpy(b->value + entry, in->value, (size_t)in->n_entries * sizeof *b->value);
    }
    for (int64_t i = 0; i < in->n; i++) {
        b->start[row + i + 1] = entry + in->end[i];
    }
}

static void place_dense(const placing *p, const ney_rows *in, int64_t row)
{
    const ney_builder *b = p->builder;
    int64_t k = 0;
    for (int64_t i = 0; i < in->n; i++) {
        float *to = b->value + (row + i) * b->stride;
        memset(to, 0, (size_t)b->stride * sizeof *to);
        for (; k < in->end[i]; k++) {
            to[in->index[k]] = in->value[k];
        }
    }
}

static void place(void *context, int64_t i, int thread)
{
    const placing *p = context;
    const ney_rows *in = &p->pieces[i];
    const int64_t row = p->first_row[i];
    (void)thread;

    if (in->n == 0) {
        return;
    }
    memcpy(p->builder->code + row, in->code, (size_t)in->n);
    if (p->builder->weighted) {
        memcpy(p->builder->weight + row, in->weight, (size_t)in->n * sizeof *in->weight);
    }
    if (p->builder->dense) {
        place_dense(p, in, row);
    } else {
        place_sparse(p, in, row, p->first_entry[i]);
    }
}

/* Weights appear: the rows before had weight 1. */
static bool start_weights(ney_builder *b)
{
    if (!ney_grow(&b->env, &b->weight, &b->weight_cap, b->rows, sizeof *b->weight)) {
        return false;
    }
    for (int64_t i = 0; i < b->rows; i++) {
        b->weight[i] = 1;
    }
    b->weighted = true;
    return true;
}

/* Capacity for `rows` rows in all, in the representation that suits the totals. */
static bool reserve(ney_builder *b, int64_t rows, int64_t entries)
{
    const bool first = b->rows == 0;
    if (first) {
        b->dense = ney_dense_is_smaller(rows, b->cols, entries);
        b->stride = b->cols;
    } else if (b->dense && !ney_dense_is_smaller(rows, b->cols, entries + entries / 4)) {
        if (!make_sparse(b)) { /* the margin keeps it from changing back too soon */
            return false;
        }
    }
    if (!ney_grow(&b->env, &b->code, &b->label_cap, rows, sizeof *b->code) ||
        (b->weighted && !ney_grow(&b->env, &b->weight, &b->weight_cap, rows, sizeof *b->weight))) {
        return false;
    }
    if (b->dense) {
        const int64_t cells = rows * b->cols; /* never NULL, which would mean sparse */
        return ney_grow(&b->env, &b->value, &b->value_cap, cells > 0 ? cells : 1,
                        sizeof *b->value) &&
               widen(b, b->cols);
    }
    const int64_t capacity =
        entries > 0 ? entries : 1; /* so that there is an array even without entries */
    if (!ney_grow(&b->env, &b->value, &b->value_cap, capacity, sizeof *b->value) ||
        !ney_grow(&b->env, &b->index, &b->index_cap, capacity, sizeof *b->index) ||
        !ney_grow(&b->env, &b->start, &b->start_cap, rows + 1, sizeof *b->start)) {
        return false;
    }
    if (first) {
        b->start[0] = 0;
    }
    return true;
}

ney_status ney_builder_append(ney_builder *b, const ney_rows *pieces, int n, ney_error *err)
{
    placing p = {.builder = b, .pieces = pieces};
    int64_t rows = b->rows, entries = b->entries;
    bool weighted = b->weighted;

    for (int i = 0; i < n; i++) {
        p.first_row[i] = rows;
        p.first_entry[i] = entries;
        rows += pieces[i].n;
        entries += pieces[i].n_entries;
        weighted = weighted || pieces[i].weighted;
        b->cols = pieces[i].cols > b->cols ? pieces[i].cols : b->cols;
        if (pieces[i].noted) {
            b->noted = true;
            ney_text_add(&b->notes, pieces[i].notes.bytes, pieces[i].notes.length);
        }
    }
    if (rows == b->rows) {
        return NEY_OK;
    }
    if (b->notes.failed || (weighted && !b->weighted && !start_weights(b)) ||
        !reserve(b, rows, entries)) {
        return ney_no_memory(err, rows, "rows");
    }
    ney_parallel_for(&b->env, n, place, &p);
    b->rows = rows;
    b->entries = entries;
    return NEY_OK;
}

ney_status ney_builder_finish(ney_builder *b, int64_t cols, ney_data **out, ney_error *err)
{
    ney_data *d = ney_alloc_zeroed(&b->env, 1, sizeof *d);
    *out = NULL;
    if (!d) {
        return ney_no_memory(err, 1, "data set");
    }
    if (cols > b->cols) {
        b->cols = cols;
    }
    const bool dense_at_last = ney_dense_is_smaller(b->rows, b->cols, b->entries);
    /* Decided before columns are added: a model may have many more than the rows. */
    if ((b->rows == 0 && !reserve(b, 0, 0)) || (b->dense && !dense_at_last && !make_sparse(b)) ||
        (b->dense && !widen(b, b->cols))) {
        ney_release(&b->env, d);
        return ney_no_memory(err, b->rows, "rows");
    }
    ney_trim(&b->env, &b->value, &b->value_cap, b->dense ? b->rows * b->cols : b->entries,
             sizeof *b->value);
    ney_trim(&b->env, &b->index, &b->index_cap, b->dense ? 0 : b->entries, sizeof *b->index);
    ney_trim(&b->env, &b->start, &b->start_cap, b->dense ? 0 : b->rows + 1, sizeof *b->start);
    ney_trim(&b->env, &b->code, &b->label_cap, b->rows, sizeof *b->code);
    ney_trim(&b->env, &b->weight, &b->weight_cap, b->rows, sizeof *b->weight);
    d->env = b->env;
    d->value = b->value;
    d->index = b->index;
    d->start = b->start;
    d->label = b->code;
    d->weight = b->weight;
    d->notes = b->noted ? b->notes.bytes : NULL;
    d->n_notes = b->notes.length;
    if (b->dense) {
        ney_release(&b->env, b->start);
        ney_release(&b->env, b->index);
        d->start = NULL;
        d->index = NULL;
    }
    ney_data_refresh(d, b->rows, b->cols);
    *b = (ney_builder){.env = b->env}; /* what it held belongs to the data set now */
    if (!d->x.dense && dense_at_last && !ney_data_to_dense(d)) {
        const int64_t rows = d->x.rows;
        ney_data_free(d);
        return ney_no_memory(err, rows, "rows");
    }
    *out = d;
    return NEY_OK;
}
