#include "data/feed.h"

#include "data/column_values.h"
#include "data/quantile_fit.h"
#include "data/scale.h"

#include <math.h>
#include <string.h>

enum {
    CHUNK_BYTES = 1 << 16,
    MOST_ROWS = 512 /* of a chunk */
};

/* A power of two, so that small changes of the row size do not change it. */
static void cut(ney_feed *f, double row_bytes)
{
    f->chunk_rows = MOST_ROWS;
    while (f->chunk_rows > 1 && (double)f->chunk_rows * row_bytes > (double)CHUNK_BYTES) {
        f->chunk_rows /= 2;
    }
    f->n_chunks = (f->rows + f->chunk_rows - 1) / f->chunk_rows;
}

static double bytes_of_row(const ney_feed *f, int64_t entries)
{
    return f->dense ? 4.0 * (double)f->cols : 8.0 * (double)entries / (double)(f->all_rows + 1);
}

void ney_feed_of_data(ney_feed *f, const ney_env *env, const ney_data *data)
{
    *f = (ney_feed){.env = *env,
                    .data = data,
                    .preprocessing = data->preprocessing,
                    .dense = data->x.dense != NULL,
                    .labelled = data->label != NULL,
                    .rows = data->x.rows,
                    .cols = data->x.cols,
                    .blocks = data->blocks,
                    .first_row = data->blocks ? data->blocks->first_row : 0,
                    .all_rows = data->blocks ? data->blocks->rows : data->x.rows};
    /* a cache does not hold the indicators of missing cells */
    const int64_t stored = ney_preprocessing_stored(data->preprocessing);
    int64_t entries = 0;
    for (int64_t k = 0; !f->dense && k < data->x.start[f->rows]; k++) {
        entries += data->x.index[k] < stored;
    }
    ney_comm_add_counts(ney_blocks_comm(f->blocks), &entries, 1);
    f->row_entries = f->dense ? (double)f->cols : (double)entries / (double)(f->all_rows + 1);
    cut(f, bytes_of_row(f, entries));
}

ney_status ney_feed_of_cache(ney_feed *f, const ney_env *env, ney_cache *cache,
                             const ney_read_opts *opts, ney_error *err)
{
    const ney_cache_header *h = cache->header;
    ney_status st;

    *f = (ney_feed){.env = *env,
                    .cache = cache,
                    .dense = ney_dense_is_smaller(h->rows, h->cols, h->entries),
                    .labelled = h->labelled,
                    .rows = h->rows,
                    .cols = h->cols,
                    .all_rows = h->rows};
    if ((st = ney_cache_check_columns(cache, opts, NULL, err)) != NEY_OK ||
        (st = ney_preprocessing_copy(&f->own, env, cache->preprocessing, err)) != NEY_OK ||
        (st = ney_cache_verify(cache, err)) != NEY_OK) {
        return st;
    }
    f->preprocessing = f->own;
    f->row_entries = f->dense ? (double)f->cols : (double)h->entries / (double)(f->all_rows + 1);
    if (f->own->prepared) {
        return ney_fail_at(err, NEY_EPARSE, (ney_place){.file = cache->path},
                           "was scaled before it was written: use the file it came from");
    }
    if (opts->missing != NEY_MISSING_KEEP && opts->missing != NEY_MISSING_ERROR &&
        !ney_preprocessing_set_missing(f->own, opts->missing)) {
        return ney_no_memory(err, f->cols, "columns to fill");
    }
    cut(f, bytes_of_row(f, h->entries));
    return opts->positive
               ? ney_cache_choose_positive(cache->path, f->own, opts->positive, &f->exchanged, err)
               : NEY_OK;
}

void ney_feed_deinit(ney_feed *f)
{
    ney_preprocessing_free(f->own);
    f->own = NULL;
}

static int64_t rows_of_chunk(const ney_feed *f, int64_t k)
{
    const int64_t rest = f->rows - k * f->chunk_rows;
    return rest < f->chunk_rows ? rest : f->chunk_rows;
}

static ney_status take_chunk(const ney_feed *f, int64_t k, ney_data **out, ney_error *err)
{
    const ney_status st =
        ney_cache_take(out, f->cache, k * f->chunk_rows, rows_of_chunk(f, k), f->dense, err);
    for (int64_t i = 0; st == NEY_OK && f->exchanged && i < (*out)->x.rows; i++) {
        (*out)->label[i] = (int8_t) - (*out)->label[i];
    }
    return st;
}

/* The chunk borrows the feed's preprocessing for a moment; work inside it is one thread's. */
static ney_status scale_chunk(const ney_feed *f, ney_data *d, ney_error *err)
{
    d->env.threads = 1;
    d->preprocessing = f->own;
    const ney_status st = ney_scale_apply(d, err);
    d->preprocessing = NULL;
    return st;
}

ney_status ney_feed_chunk(const ney_feed *f, int64_t k, ney_chunk *c, ney_error *err)
{
    *c = (ney_chunk){.first = k * f->chunk_rows};
    if (f->data) {
        const ney_matrix *x = &f->data->x;
        c->x = (ney_matrix){.rows = rows_of_chunk(f, k),
                            .cols = x->cols,
                            .dense = x->dense ? x->dense + c->first * x->cols : NULL,
                            .start = x->start ? x->start + c->first : NULL,
                            .index = x->index,
                            .value = x->value};
        c->label = f->data->label ? f->data->label + c->first : NULL;
        c->weight = f->data->weight ? f->data->weight + c->first : NULL;
        return NEY_OK;
    }
    ney_status st = take_chunk(f, k, &c->own, err);
    if (st == NEY_OK && f->own->prepared) {
        st = scale_chunk(f, c->own, err);
    }
    if (st != NEY_OK) {
        ney_chunk_release(c);
        return st;
    }
    c->x = c->own->x;
    c->label = c->own->label;
    c->weight = c->own->weight;
    return NEY_OK;
}

void ney_chunk_release(ney_chunk *c)
{
    ney_data_free(c->own);
    *c = (ney_chunk){0};
}

/* ---- filling and scaling */

typedef void take_in(ney_column_fit *s, const ney_data *d, const int64_t *rows, int64_t n_rows);

static ney_status visit_chunks(ney_feed *f, bool (*chosen)(const void *context, int64_t row),
                               const void *context, ney_column_fit *fit, int64_t *rows,
                               take_in *visit, ney_error *err)
{
    for (int64_t k = 0; k < f->n_chunks; k++) {
        ney_data *d;
        int64_t n = 0;
        ney_status st = take_chunk(f, k, &d, err);
        if (st != NEY_OK) {
            return st;
        }
        for (int64_t i = 0; i < d->x.rows; i++) {
            if (!chosen || chosen(context, k * f->chunk_rows + i)) {
                rows[n++] = i;
            }
        }
        if (ney_column_fit_matters(f->own, f->scaling)) {
            visit(fit, d, rows, n);
        }
        st = visit == ney_column_fit_values
                 ? ney_data_check_cells(
                       d, f->own, (ney_place){.file = f->cache->path, .line = k * f->chunk_rows},
                       NEY_FILL_GAPS, err)
                 : NEY_OK;
        ney_data_free(d);
        if (st != NEY_OK) {
            return st;
        }
        if (!ney_poll(&f->env, "scaling", (double)k, (double)f->n_chunks)) {
            return ney_fail(err, NEY_ECANCELLED, "cancelled while scaling");
        }
    }
    return NEY_OK;
}

/* Every step-th of the rows that `chosen` names. */
typedef struct row_sample {
    bool *is_sampled;
    int64_t n_chosen;
} row_sample;

static bool is_sampled(const void *context, int64_t row, int sign)
{
    (void)sign;
    return ((const row_sample *)context)->is_sampled[row];
}

static bool draw_sample(row_sample *s, const ney_feed *f,
                        bool (*chosen)(const void *context, int64_t row), const void *context)
{
    int64_t n = 0;
    s->n_chosen = 0;
    if (!(s->is_sampled = ney_alloc_zeroed(&f->env, f->rows, sizeof *s->is_sampled))) {
        return false;
    }
    for (int64_t i = 0; i < f->rows; i++) {
        s->n_chosen += !chosen || chosen(context, i);
    }
    for (int64_t i = 0; i < f->rows; i++) {
        if (!chosen || chosen(context, i)) {
            s->is_sampled[i] = n++ % ney_quantile_step(s->n_chosen) == 0;
        }
    }
    return true;
}

/* Ranks and medians, of the rows that data in memory would be sampled to. */
static ney_status fit_quantiles(ney_feed *f, bool (*chosen)(const void *context, int64_t row),
                                const void *context, ney_error *err)
{
    row_sample sample;
    ney_data *d = NULL;
    if (!draw_sample(&sample, f, chosen, context)) {
        return ney_no_memory(err, f->rows, "rows to sample");
    }
    f->own->prepared = false; /* the cells themselves, not the features */
    ney_status st = ney_feed_gather(&d, f, is_sampled, &sample, NULL, err);
    if (st == NEY_OK) {
        st = ney_quantile_fit(f->own, d, NULL, d->x.rows, ney_may_centre(f->own, f->dense), err);
    }
    f->own->prepared = true;
    ney_data_free(d);
    ney_release(&f->env, sample.is_sampled);
    return st;
}

ney_status ney_feed_prepare(ney_feed *f, bool (*chosen)(const void *context, int64_t row),
                            const void *context, ney_error *err)
{
    const ney_scaling scaling = f->scaling;
    ney_column_fit fit;
    int64_t *rows = ney_alloc(&f->env, f->chunk_rows, sizeof *rows);
    ney_status st;

    if (!ney_column_fit_init(&fit, &f->env, f->cols) || !rows) {
        st = ney_no_memory(err, f->cols, "columns");
        goto done;
    }
    if ((st = visit_chunks(f, chosen, context, &fit, rows, ney_column_fit_values, err)) != NEY_OK) {
        goto done;
    }
    ney_column_fit_means(&fit);
    if (ney_scaling_has_squares(scaling) &&
        (st = visit_chunks(f, chosen, context, &fit, rows, ney_column_fit_squares, err)) !=
            NEY_OK) {
        goto done;
    }
    st = ney_column_fit_finish(&fit, f->own, f->dense, scaling, &f->env, err);
    if (st == NEY_OK && ney_quantile_fit_matters(f->own, scaling)) {
        st = fit_quantiles(f, chosen, context, err);
    }
    if (st == NEY_OK && (st = ney_column_fit_indicators(&fit, f->own, err)) == NEY_OK &&
        f->cols < f->own->cols) {
        f->cols = f->own->cols;
        cut(f, bytes_of_row(f, f->cache->header->entries));
    }
    if (st == NEY_OK && !f->dense && ney_scale_moves_zero(f->own)) { /* as data in memory do then */
        f->dense = true;
        cut(f, bytes_of_row(f, 0));
    }

done:
    ney_column_fit_deinit(&fit, &f->env);
    ney_release(&f->env, rows);
    return st;
}
