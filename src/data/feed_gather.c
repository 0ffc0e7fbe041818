/* A few rows of a feed, gathered into memory. */
#include "data/feed.h"

#include <string.h>

/* Of one block of a cache. */
static ney_status visit_block(const ney_feed *f, int64_t k,
                              void (*visit)(void *context, int64_t row, int sign, double weight),
                              void *context, ney_error *err)
{
    const ney_cache_entry *const e = &f->cache->entry[k];
    int8_t *const sign = ney_alloc(&f->env, e->rows, sizeof *sign);
    float *const weight = ney_alloc(&f->env, e->rows, sizeof *weight);
    const ney_status st = sign && weight ? ney_cache_labels(f->cache, k, sign, weight, err)
                                         : ney_no_memory(err, e->rows, "labels of a cache");
    for (int64_t i = 0; st == NEY_OK && i < e->rows; i++) {
        visit(context, e->first_row + i, f->exchanged ? -sign[i] : sign[i], (double)weight[i]);
    }
    ney_release(&f->env, sign);
    ney_release(&f->env, weight);
    return st;
}

ney_status ney_feed_labels(const ney_feed *f,
                           void (*visit)(void *context, int64_t row, int sign, double weight),
                           void *context, ney_error *err)
{
    ney_status st = NEY_OK;
    for (int64_t i = 0; f->data && i < f->rows; i++) {
        visit(context, i, f->data->label[i], f->data->weight ? (double)f->data->weight[i] : 1);
    }
    for (int64_t k = 0; f->cache && st == NEY_OK && k < ney_cache_blocks(f->cache); k++) {
        st = visit_block(f, k, visit, context, err);
    }
    return st;
}

/* ---- groups */

/* One block, whose notes are read like those of a data set. */
static ney_status block_groups(const ney_feed *f, int64_t k, char **notes, int64_t *cap,
                               uint64_t *group, ney_error *err)
{
    const ney_cache_entry *const e = &f->cache->entry[k];
    int64_t lines = 0;
    const ney_status st = ney_cache_notes(f->cache, k, notes, cap, err);

    if (st != NEY_OK) {
        return st;
    }
    for (int64_t i = 0; i < e->notes; i++) {
        lines += (*notes)[i] == '\n';
    }
    if (lines != e->rows || (lines > 0 && (*notes)[e->notes - 1] != '\n')) {
        return ney_fail_at(
            err, NEY_EFORMAT, (ney_place){.file = f->cache->path},
            "is damaged (columns that are not features): make it again with neyman convert");
    }
    const ney_data view = {.env = f->env,
                           .x = {.rows = e->rows},
                           .notes = *notes,
                           .n_notes = e->notes,
                           .preprocessing = (ney_preprocessing *)(uintptr_t)f->preprocessing};
    return ney_data_groups(&view, group + e->first_row, err);
}

ney_status ney_feed_groups(const ney_feed *f, uint64_t **group, ney_error *err)
{
    const bool has = f->data ? ney_data_group_column(f->data) != NULL
                             : f->cache->header->noted && f->preprocessing->group_column;
    ney_status st = NEY_OK;

    *group = NULL;
    if (!has) {
        return NEY_OK;
    }
    if (!(*group = ney_alloc(&f->env, f->rows, sizeof **group))) {
        return ney_no_memory(err, f->rows, "groups of rows");
    }
    if (f->data) {
        return ney_data_groups(f->data, *group, err);
    }
    char *notes = NULL;
    int64_t cap = 0;
    for (int64_t k = 0; k < ney_cache_blocks(f->cache) && st == NEY_OK; k++) {
        st = block_groups(f, k, &notes, &cap, *group, err);
    }
    ney_release(&f->env, notes);
    return st;
}

typedef struct gathering {
    ney_data *data;
    int64_t rows, entries;
    int64_t value_cap, index_cap, start_cap, label_cap, weight_cap, number_cap;
    int64_t *number; /* of each row in the feed, where it has blocks */
} gathering;

static bool reserve_rows(gathering *g, const ney_chunk *c, int64_t entries)
{
    ney_data *d = g->data;
    const int64_t rows = g->rows + 1;
    const int64_t need = g->entries + entries + 1; /* without columns, too, there are arrays */
    return ney_grow(&d->env, &d->value, &g->value_cap, need, sizeof *d->value) &&
           (c->x.dense ||
            (ney_grow(&d->env, &d->index, &g->index_cap, need, sizeof *d->index) &&
             ney_grow(&d->env, &d->start, &g->start_cap, rows + 1, sizeof *d->start))) &&
           ney_grow(&d->env, &d->label, &g->label_cap, rows, sizeof *d->label) &&
           (!c->weight || ney_grow(&d->env, &d->weight, &g->weight_cap, rows, sizeof *d->weight));
}

static bool add_row(gathering *g, const ney_chunk *c, int64_t i, bool numbered)
{
    ney_data *d = g->data;
    const ney_matrix *x = &c->x;
    const int64_t from = x->dense ? i * x->cols : x->start[i];
    const int64_t n = x->dense ? x->cols : x->start[i + 1] - from;
    if (!reserve_rows(g, c, n) || (numbered && !ney_grow(&d->env, &g->number, &g->number_cap,
                                                         g->rows + 1, sizeof *g->number))) {
        return false;
    }
    if (numbered) {
        g->number[g->rows] = c->first + i;
    }
    memcpy(d->value + g->entries, (x->dense ? x->dense : x->value) + from,
           (size_t)n * sizeof *d->value);
    if (!x->dense) {
        memcpy(d->index + g->entries, x->index + from, (size_t)n * sizeof *d->index);
        d->start[g->rows] = g->entries;
        d->start[g->rows + 1] = g->entries + n;
    }
    d->label[g->rows] = c->label[i];
    if (c->weight) {
        d->weight[g->rows] = c->weight[i];
    }
    g->entries += n;
    g->rows++;
    return true;
}

static ney_status gather(gathering *g, const ney_feed *f,
                         bool (*chosen)(const void *context, int64_t row, int sign),
                         const void *context, ney_row_sketch *sketch, ney_error *err)
{
    ney_status st = NEY_OK;
    for (int64_t k = 0; k < f->n_chunks && st == NEY_OK; k++) {
        ney_chunk c;
        if (!ney_poll(&f->env, "gathering", (double)k, (double)f->n_chunks)) {
            return ney_fail(err, NEY_ECANCELLED, "cancelled while gathering");
        }
        if ((st = ney_feed_chunk(f, k, &c, err)) != NEY_OK) {
            return st;
        }
        if (sketch) {
            ney_row_sketch_add(sketch, &c.x);
        }
        for (int64_t i = 0; i < c.x.rows && st == NEY_OK; i++) {
            if (chosen(context, c.first + i, c.label[i]) && !add_row(g, &c, i, f->blocks)) {
                st = ney_no_memory(err, g->rows + 1, "rows to keep");
            }
        }
        ney_chunk_release(&c);
    }
    return st;
}

/* The blocks of the rows gathered; all processes call it. */
static ney_status share_blocks(gathering *g, const ney_feed *f, ney_status st, ney_error *err)
{
    if (f->blocks && (st = ney_comm_agree(f->blocks->comm, st, err)) == NEY_OK) {
        st = ney_row_blocks_take(&g->data->blocks, f->blocks, g->number, g->rows, err);
    }
    ney_release(&f->env, g->number);
    return st;
}

ney_status ney_feed_gather(ney_data **out, const ney_feed *f,
                           bool (*chosen)(const void *context, int64_t row, int sign),
                           const void *context, ney_row_sketch *sketch, ney_error *err)
{
    gathering g = {.data = ney_alloc_zeroed(&f->env, 1, sizeof *g.data)};
    ney_status st;

    *out = NULL;
    if (!g.data) {
        return ney_no_memory(err, 1, "data set");
    }
    g.data->env = f->env;
    if (!f->dense && !ney_grow(&f->env, &g.data->start, &g.start_cap, 1, sizeof *g.data->start)) {
        st = ney_no_memory(err, 1, "rows to keep");
    } else if ((st = ney_preprocessing_copy(&g.data->preprocessing, &f->env, f->preprocessing,
                                            err)) == NEY_OK) {
        if (!f->dense) {
            g.data->start[0] = 0;
        }
        st = gather(&g, f, chosen, context, sketch, err);
    }
    st = share_blocks(&g, f, st, err);
    if (st != NEY_OK) {
        ney_data_free(g.data);
        return st;
    }
    ney_data_refresh(g.data, g.rows, f->cols);
    *out = g.data;
    return NEY_OK;
}
