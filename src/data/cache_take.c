/* Some rows of a cache as a data set. */
#include "data/cache.h"

#include <string.h>

/* The block that holds a row. */
static int64_t block_of(const ney_cache *c, int64_t row)
{
    int64_t low = 0, high = c->header->n_blocks;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (c->entry[middle].first_row <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Entries of rows begin .. end - 1 of a block that are stored in sparse rows. */
static int64_t count_entries(const ney_block *b, int64_t begin, int64_t end)
{
    if (!b->x.dense) {
        return b->x.start[end] - b->x.start[begin];
    }
    int64_t n = 0;
    for (int64_t k = begin * b->x.cols; k < end * b->x.cols; k++) {
        n += b->x.dense[k] != 0;
    }
    return n;
}

static void copy_dense(ney_data *d, int64_t to, const ney_block *b, int64_t row)
{
    float *out = d->value + to * d->x.cols;
    memset(out, 0, (size_t)d->x.cols * sizeof *out);
    if (b->x.dense) {
        memcpy(out, b->x.dense + row * b->x.cols, (size_t)b->x.cols * sizeof *out);
        return;
    }
    for (int64_t k = b->x.start[row]; k < b->x.start[row + 1]; k++) {
        out[b->x.index[k]] = b->x.value[k];
    }
}

static void copy_sparse(ney_data *d, int64_t to, const ney_block *b, int64_t row)
{
    int64_t at = d->start[to];
    if (b->x.dense) {
        const float *in = b->x.dense + row * b->x.cols;
        for (int64_t j = 0; j < b->x.cols; j++) {
            if (in[j] != 0) {
                d->index[at] = (int32_t)j;
                d->value[at++] = in[j];
            }
        }
    } else {
        const int64_t from = b->x.start[row], n = b->x.start[row + 1] - from;
        memcpy(d->index + at, b->x.index + from, (size_t)n * sizeof *d->index);
        memcpy(d->value + at, b->x.value + from, (size_t)n * sizeof *d->value);
        at += n;
    }
    d->start[to + 1] = at;
}

static ney_status allocate(ney_data *d, const ney_cache *c, int64_t n, int64_t entries, bool dense,
                           ney_error *err)
{
    const ney_cache_header *h = c->header;
    d->value = ney_alloc(&d->env, dense ? n * h->cols : entries, sizeof *d->value);
    d->start = dense ? NULL : ney_alloc_zeroed(&d->env, n + 1, sizeof *d->start);
    d->index = dense ? NULL : ney_alloc(&d->env, entries, sizeof *d->index);
    d->label = h->labelled ? ney_alloc(&d->env, n, sizeof *d->label) : NULL;
    d->weight = h->weighted ? ney_alloc(&d->env, n, sizeof *d->weight) : NULL;
    if (!d->value || (!dense && (!d->start || !d->index)) || (h->labelled && !d->label) ||
        (h->weighted && !d->weight)) {
        return ney_no_memory(err, n, "rows of a cache");
    }
    ney_data_refresh(d, n, h->cols);
    return NEY_OK;
}

static void copy_row(ney_data *d, int64_t to, const ney_cache *c, const ney_block *b, int64_t row)
{
    if (d->x.dense) {
        copy_dense(d, to, b, row);
    } else {
        copy_sparse(d, to, b, row);
    }
    if (d->label) {
        d->label[to] = c->header->sign[b->label[row]];
    }
    if (d->weight) {
        d->weight[to] = b->weight[row];
    }
}

ney_status ney_cache_take(ney_data **out, const ney_cache *c, int64_t first, int64_t n, bool dense,
                          ney_error *err)
{
    ney_data *d = ney_alloc_zeroed(&c->env, 1, sizeof *d);
    int64_t entries = 0;
    ney_block b;

    *out = NULL;
    if (!d) {
        return ney_no_memory(err, 1, "data set");
    }
    d->env = c->env;
    for (int pass = dense ? 1 : 0; pass < 2; pass++) { /* count, then copy */
        if (pass == 1) {
            const ney_status st = allocate(d, c, n, entries, dense, err);
            if (st != NEY_OK) {
                ney_data_free(d);
                return st;
            }
        }
        for (int64_t done = 0, k = block_of(c, first); done < n; k++) {
            ney_cache_view(c, k, &b);
            const int64_t begin = first + done - b.first_row;
            const int64_t rest = b.first_row + b.x.rows - (first + done);
            const int64_t m = n - done < rest ? n - done : rest;
            entries += pass == 0 ? count_entries(&b, begin, begin + m) : 0;
            for (int64_t i = 0; pass == 1 && i < m; i++) {
                copy_row(d, done + i, c, &b, begin + i);
            }
            done += m;
        }
    }
    *out = d;
    return NEY_OK;
}
