#include "data/npy_stream.h"

#include "data/npy_rows.h"
#include "data/npy_window.h"

#include <string.h>

struct ney_npy_stream {
    ney_numpy n;
    ney_read_opts opts;
    ney_npy_window window;
    ney_source *source;     /* NULL until the stream has taken it over */
    ney_preprocessing *own; /* of the stored cells */
    ney_array_map map;
};

void ney_npy_stream_close(ney_npy_stream *s)
{
    if (s) {
        const ney_env env = s->n.env;
        ney_array_map_deinit(&s->map);
        ney_npy_window_deinit(&s->window);
        ney_numpy_deinit(&s->n);
        ney_preprocessing_free(s->own);
        ney_source_close(s->source);
        ney_release(&env, s);
    }
}

ney_preprocessing *ney_npy_stream_preprocessing(const ney_npy_stream *s)
{
    return s->own;
}

/* What the columns are, and how they become the model's. */
static ney_status open_columns(ney_npy_stream *s, ney_error *err)
{
    ney_numpy *const n = &s->n;
    const ney_env *const env = &n->env;
    const ney_format format = n->in.sparse ? NEY_FORMAT_SVMLIGHT : NEY_FORMAT_CSV;
    int64_t start = 0;
    ney_status st;
    if ((st = ney_numpy_open(n, err)) != NEY_OK ||
        (st = ney_preprocessing_new(&s->own, env, format, err)) != NEY_OK) {
        return st;
    }
    s->own->cols = ney_preprocessing_stored(n->given);
    if (!ney_table_name_notes(&n->table, s->own)) {
        return ney_no_memory(err, s->own->cols, "column names");
    }
    ney_array none = ney_numpy_array(n);
    none.rows = 0;
    none.start = n->in.sparse ? &start : NULL;
    if ((st = ney_array_check(&none, err)) == NEY_OK) {
        st = ney_array_map_init(&s->map, env, &none, n->given, err);
    }
    s->map.shift = n->given->shift;
    return ney_numpy_error(n, st, err);
}

ney_status ney_npy_stream_open(ney_npy_stream **out, const ney_env *env, ney_source *source,
                               ney_format format, const ney_read_opts *opts,
                               const ney_preprocessing *given, ney_error *err)
{
    bool in_order = false;
    *out = NULL;
    ney_npy_stream *const s = ney_alloc_zeroed(env, 1, sizeof *s);
    if (!s) {
        return ney_no_memory(err, 1, "stream of rows");
    }
    s->opts = *opts;
    s->map.env = *env;
    ney_numpy_init(&s->n, env, &s->opts, given);
    s->n.in.file = ney_source_name(source);
    ney_status st = ney_npy_window_open(&s->window, &s->n.in, source, format, &in_order, err);
    if (st == NEY_OK && in_order && (st = open_columns(s, err)) == NEY_OK &&
        (st = ney_npy_window_begin(&s->window, err)) == NEY_OK) {
        s->source = source;
        *out = s;
        return NEY_OK;
    }
    ney_npy_stream_close(s);
    return st;
}

static void *copy_of(const ney_env *env, const void *from, int64_t n, size_t size)
{
    void *const to = ney_alloc(env, n + 1, size);
    if (to && n > 0) {
        memcpy(to, from, (size_t)n * size);
    }
    return to;
}

/* Codes of the rows become signs: a model's labels are negative, positive. */
static ney_status add_labels(const ney_numpy *n, ney_data *d, ney_error *err)
{
    const ney_rows *const r = &n->rows;
    const int64_t rows = d->x.rows;
    d->label = copy_of(&d->env, r->code, rows, sizeof *d->label);
    d->weight = r->weighted ? copy_of(&d->env, r->weight, rows, sizeof *d->weight) : NULL;
    d->notes = r->noted ? copy_of(&d->env, r->notes.bytes, r->notes.length, 1) : NULL;
    d->n_notes = d->notes ? r->notes.length : 0;
    if (!d->label || (r->weighted && !d->weight) || (r->noted && !d->notes)) {
        return ney_no_memory(err, rows, "rows");
    }
    for (int64_t i = 0; i < rows; i++) {
        d->label[i] = (int8_t)(d->label[i] < 0 ? 0 : d->label[i] > 0 ? 1 : -1);
    }
    return NEY_OK;
}

ney_status ney_npy_stream_next(ney_npy_stream *s, ney_data **out, ney_error *err)
{
    ney_numpy *const n = &s->n;
    ney_data *d = NULL;
    *out = NULL;
    ney_status st = ney_npy_window_next(&s->window, err);
    const int64_t rows = n->in.rows;
    if (st != NEY_OK || rows == 0) {
        return st;
    }
    s->map.rows_before = n->rows_before;
    if ((st = ney_numpy_take(n, err)) == NEY_OK) {
        const ney_array x = ney_numpy_array(n);
        st = ney_numpy_error(n, ney_array_take(&d, &x, &s->map, 0, rows, err), err);
    }
    if (st == NEY_OK && (st = add_labels(n, d, err)) == NEY_OK) {
        d->preprocessing = s->own;
        *out = d;
        d = NULL;
    }
    ney_data_free(d);
    n->rows_before += rows;
    return st;
}

ney_status ney_npy_stream_finish(ney_npy_stream *s, ney_error *no_label, ney_error *err)
{
    int8_t sign[2];
    return ney_numpy_finish_labels(&s->n, s->own, sign, no_label, err);
}
