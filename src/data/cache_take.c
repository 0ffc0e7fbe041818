/* Some rows of a cache as a data set. */
#include "data/cache.h"

#include <math.h>
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

/* ---- some rows of one block, in memory */

typedef struct portion {
    ney_env env;
    ney_matrix x;
    int64_t *start;
    int32_t *index;
    float *value;
    int64_t start_cap, index_cap, value_cap;
} portion;

static void portion_deinit(portion *p)
{
    ney_release(&p->env, p->start);
    ney_release(&p->env, p->index);
    ney_release(&p->env, p->value);
}

/* The file may have changed since it was verified: what is read here is checked again. */
static ney_status fail_changed(const ney_cache *c, ney_error *err)
{
    return ney_fail_at(err, NEY_EFORMAT, (ney_place){.file = c->path},
                       "the cache has changed since it was opened: start again");
}

static bool starts_fit(const portion *p, int64_t m, int64_t entries)
{
    for (int64_t i = 0; i < m; i++) {
        if (p->start[i] < 0 || p->start[i + 1] < p->start[i]) {
            return false;
        }
    }
    return p->start[m] <= entries;
}

static bool columns_fit(const portion *p, int64_t m, int64_t cols)
{
    for (int64_t i = 0; i < m; i++) {
        int64_t next = 0;
        for (int64_t k = p->start[i]; k < p->start[i + 1]; k++) {
            if (p->index[k] < next || p->index[k] >= cols) {
                return false;
            }
            next = (int64_t)p->index[k] + 1;
        }
    }
    return true;
}

static ney_status read_sparse(portion *p, const ney_cache *c, const ney_cache_entry *e,
                              const ney_cache_layout *at, int64_t begin, int64_t m, ney_error *err)
{
    ney_status st;
    if (!ney_grow(&p->env, &p->start, &p->start_cap, m + 1, sizeof *p->start)) {
        return ney_no_memory(err, m, "rows of a cache");
    }
    if ((st = ney_cache_numbers(c, e->offset + at->start + 8 * begin, p->start, m + 1, 8, err)) !=
        NEY_OK) {
        return st;
    }
    if (!starts_fit(p, m, e->entries)) {
        return fail_changed(c, err);
    }
    const int64_t first = p->start[0], n = p->start[m] - first, capacity = n > 0 ? n : 1;
    if (!ney_grow(&p->env, &p->index, &p->index_cap, capacity, sizeof *p->index) ||
        !ney_grow(&p->env, &p->value, &p->value_cap, capacity, sizeof *p->value)) {
        return ney_no_memory(err, n, "entries of a cache");
    }
    if ((st = ney_cache_numbers(c, e->offset + at->index + 4 * first, p->index, n, 4, err)) !=
            NEY_OK ||
        (st = ney_cache_numbers(c, e->offset + at->value + 4 * first, p->value, n, 4, err)) !=
            NEY_OK) {
        return st;
    }
    for (int64_t i = 0; i <= m; i++) {
        p->start[i] -= first;
    }
    p->x = (ney_matrix){
        .rows = m, .cols = e->cols, .start = p->start, .index = p->index, .value = p->value};
    return columns_fit(p, m, e->cols) ? NEY_OK : fail_changed(c, err);
}

/* Rows begin .. begin + m - 1 of block k. */
static ney_status read_portion(portion *p, const ney_cache *c, int64_t k, int64_t begin, int64_t m,
                               ney_error *err)
{
    const ney_cache_entry *e = &c->entry[k];
    ney_cache_layout at;
    (void)ney_cache_lay_out(e, &at);
    if (!e->dense) {
        return read_sparse(p, c, e, &at, begin, m, err);
    }
    const int64_t cells = m * e->cols;
    if (!ney_grow(&p->env, &p->value, &p->value_cap, cells > 0 ? cells : 1, sizeof *p->value)) {
        return ney_no_memory(err, cells, "cells of a cache");
    }
    p->x = (ney_matrix){.rows = m, .cols = e->cols, .dense = p->value};
    return ney_cache_numbers(c, e->offset + at.value + 4 * begin * e->cols, p->value, cells, 4,
                             err);
}

static ney_status read_labels(const ney_cache *c, int64_t k, int64_t begin, int64_t m, int8_t *sign,
                              float *weight, ney_error *err)
{
    const ney_cache_entry *e = &c->entry[k];
    ney_cache_layout at;
    ney_status st = NEY_OK;
    (void)ney_cache_lay_out(e, &at);
    if (sign && (st = ney_cache_bytes(c, e->offset + at.code + begin, sign, m, err)) != NEY_OK) {
        return st;
    }
    if (weight && c->header->weighted) {
        st = ney_cache_numbers(c, e->offset + at.weight + 4 * begin, weight, m, 4, err);
    }
    for (int64_t i = 0; st == NEY_OK && i < m; i++) {
        if (sign && (sign[i] < 0 || sign[i] > 1)) {
            return fail_changed(c, err);
        }
        if (sign) {
            sign[i] = c->header->sign[sign[i]];
        }
        if (weight && !c->header->weighted) {
            weight[i] = 1;
        } else if (weight && !(weight[i] >= 0 && isfinite(weight[i]))) {
            return fail_changed(c, err);
        }
    }
    return st;
}

ney_status ney_cache_labels(const ney_cache *c, int64_t k, int8_t *sign, float *weight,
                            ney_error *err)
{
    return read_labels(c, k, 0, c->entry[k].rows, sign, weight, err);
}

/* ---- rows of any blocks as a data set */

/* Entries that are stored in sparse rows. */
static int64_t count_entries(const ney_matrix *x)
{
    if (!x->dense) {
        return x->start[x->rows];
    }
    int64_t n = 0;
    for (int64_t k = 0; k < x->rows * x->cols; k++) {
        n += x->dense[k] != 0;
    }
    return n;
}

static void copy_dense(float *out, int64_t cols, const ney_matrix *x, int64_t row)
{
    memset(out, 0, (size_t)cols * sizeof *out);
    if (x->dense) {
        memcpy(out, x->dense + row * x->cols, (size_t)x->cols * sizeof *out);
        return;
    }
    for (int64_t k = x->start[row]; k < x->start[row + 1]; k++) {
        out[x->index[k]] = x->value[k];
    }
}

static void copy_sparse(ney_data *d, int64_t to, const ney_matrix *x, int64_t row)
{
    int64_t at = d->start[to];
    if (x->dense) {
        const float *in = x->dense + row * x->cols;
        for (int64_t j = 0; j < x->cols; j++) {
            if (in[j] != 0) {
                d->index[at] = (int32_t)j;
                d->value[at++] = in[j];
            }
        }
    } else {
        const int64_t from = x->start[row], n = x->start[row + 1] - from;
        memcpy(d->index + at, x->index + from, (size_t)n * sizeof *d->index);
        memcpy(d->value + at, x->value + from, (size_t)n * sizeof *d->value);
        at += n;
    }
    d->start[to + 1] = at;
}

/* The data set being filled. */
typedef struct taking {
    ney_data *data;
    bool dense;
    int64_t cols, value_cap, index_cap;
} taking;

static ney_status allocate(taking *t, const ney_cache *c, int64_t n, ney_error *err)
{
    const ney_cache_header *h = c->header;
    ney_data *const d = t->data;
    const int64_t cells = t->dense ? n * h->cols : 1; /* never NULL, which would mean sparse */
    d->start = t->dense ? NULL : ney_alloc_zeroed(&d->env, n + 1, sizeof *d->start);
    d->label = h->labelled ? ney_alloc(&d->env, n, sizeof *d->label) : NULL;
    d->weight = h->weighted ? ney_alloc(&d->env, n, sizeof *d->weight) : NULL;
    if (!ney_grow(&d->env, &d->value, &t->value_cap, cells > 0 ? cells : 1, sizeof *d->value) ||
        (!t->dense &&
         (!d->start || !ney_grow(&d->env, &d->index, &t->index_cap, 1, sizeof *d->index))) ||
        (h->labelled && !d->label) || (h->weighted && !d->weight)) {
        return ney_no_memory(err, n, "rows of a cache");
    }
    return NEY_OK;
}

/* Rows of a portion, from row `to` on. */
static ney_status place(taking *t, int64_t to, const ney_matrix *x, ney_error *err)
{
    ney_data *const d = t->data;
    if (!t->dense) {
        const int64_t need = d->start[to] + count_entries(x);
        if (!ney_grow(&d->env, &d->index, &t->index_cap, need, sizeof *d->index) ||
            !ney_grow(&d->env, &d->value, &t->value_cap, need, sizeof *d->value)) {
            return ney_no_memory(err, need, "entries of a cache");
        }
    }
    for (int64_t i = 0; i < x->rows; i++) {
        if (t->dense) {
            copy_dense(d->value + (to + i) * t->cols, t->cols, x, i);
        } else {
            copy_sparse(d, to + i, x, i);
        }
    }
    return NEY_OK;
}

ney_status ney_cache_take(ney_data **out, const ney_cache *c, int64_t first, int64_t n, bool dense,
                          ney_error *err)
{
    ney_data *d = ney_alloc_zeroed(&c->env, 1, sizeof *d);
    taking t = {.data = d, .dense = dense, .cols = c->header->cols};
    portion p = {.env = c->env};

    *out = NULL;
    if (!d) {
        return ney_no_memory(err, 1, "data set");
    }
    d->env = c->env;
    ney_status st = allocate(&t, c, n, err);
    for (int64_t done = 0, k = block_of(c, first); st == NEY_OK && done < n; k++) {
        const ney_cache_entry *e = &c->entry[k];
        const int64_t begin = first + done - e->first_row, rest = e->rows - begin;
        const int64_t m = n - done < rest ? n - done : rest;
        if ((st = read_portion(&p, c, k, begin, m, err)) == NEY_OK &&
            (st = read_labels(c, k, begin, m, d->label ? d->label + done : NULL,
                              d->weight ? d->weight + done : NULL, err)) == NEY_OK) {
            st = place(&t, done, &p.x, err);
        }
        done += m;
    }
    portion_deinit(&p);
    if (st != NEY_OK) {
        ney_data_free(d);
        return st;
    }
    ney_data_refresh(d, n, c->header->cols);
    *out = d;
    return NEY_OK;
}
