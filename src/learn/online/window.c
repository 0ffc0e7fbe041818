#include "learn/online/window.h"

#include "base/rng.h"

#include <math.h>
#include <string.h>

/* Smaller windows are nearer to the processor; of few chunks, larger ones mix the rows better. */
enum { MANY_CHUNKS = 1024 };

/* One stream of random numbers for every epoch and window. */
static ney_rng random_stream(uint64_t seed, int64_t epoch, int64_t window)
{
    ney_rng rng = {seed};
    rng.state = ney_rng_next(&rng) + (uint64_t)epoch;
    rng.state = ney_rng_next(&rng) + (uint64_t)window;
    return rng;
}

ney_status ney_shuffle_init(ney_shuffle *s, const ney_feed *f, const ney_parts *p, uint64_t seed,
                            ney_error *err)
{
    const double ratio = (double)p->learn[0] / (double)p->learn[1];
    *s = (ney_shuffle){.feed = f, .parts = p, .seed = seed, .epoch = -1};
    s->window_chunks = f->n_chunks < MANY_CHUNKS ? NEY_WINDOW_CHUNKS : NEY_WINDOW_CHUNKS / 2;
    s->n_windows = (f->n_chunks + s->window_chunks - 1) / s->window_chunks;
    s->visits[0] = ratio < 1 ? (int64_t)floor(1 / ratio + 0.5) : 1;
    s->visits[1] = ratio > 1 ? (int64_t)floor(ratio + 0.5) : 1;
    s->order = ney_alloc(&f->env, f->n_chunks, sizeof *s->order);
    return s->order ? NEY_OK : ney_no_memory(err, f->n_chunks, "chunks");
}

void ney_shuffle_deinit(ney_shuffle *s)
{
    if (s->feed) {
        ney_release(&s->feed->env, s->order);
    }
    s->order = NULL;
}

double ney_shuffle_visits(const ney_shuffle *s)
{
    return (double)s->visits[0] * (double)s->parts->learn[0] +
           (double)s->visits[1] * (double)s->parts->learn[1];
}

void ney_shuffle_begin(ney_shuffle *s, int64_t epoch)
{
    ney_rng rng = random_stream(s->seed, epoch, -1);
    for (int64_t k = 0; k < s->feed->n_chunks; k++) {
        s->order[k] = k;
    }
    ney_rng_shuffle(&rng, s->order, s->feed->n_chunks);
    s->epoch = epoch;
}

ney_status ney_window_init(ney_window *w, const ney_env *env, ney_error *err)
{
    *w = (ney_window){.chunk = ney_alloc_zeroed(env, NEY_WINDOW_CHUNKS, sizeof *w->chunk)};
    return w->chunk ? NEY_OK : ney_no_memory(err, NEY_WINDOW_CHUNKS, "chunks");
}

static void release_chunks(ney_window *w)
{
    for (int64_t k = 0; k < w->n_chunks; k++) {
        ney_chunk_release(&w->chunk[k]);
    }
    w->n_chunks = 0;
}

void ney_window_deinit(ney_window *w, const ney_env *env)
{
    void *const block[] = {w->chunk, w->label, w->weight, w->visit, w->number,
                           w->met,   w->start, w->index,  w->value};
    release_chunks(w);
    for (size_t k = 0; k < sizeof block / sizeof *block; k++) {
        ney_release(env, block[k]);
    }
    *w = (ney_window){0};
}

/* The visits that the rows of one slot are due, by their places. */
static bool list_rows(ney_window *w, const ney_shuffle *s, int64_t slot)
{
    const ney_chunk *c = &w->chunk[slot];
    for (int64_t i = 0; i < c->x.rows; i++) {
        const int sign = c->label[i] > 0 ? 1 : -1;
        if (!ney_parts_learn(s->parts, c->first + i, sign)) {
            continue;
        }
        const int64_t visits = s->visits[sign > 0];
        if (!ney_grow(&s->feed->env, &w->visit, &w->visit_capacity, w->n + visits,
                      sizeof *w->visit)) {
            return false;
        }
        for (int64_t k = 0; k < visits; k++) {
            w->visit[w->n++] = slot * s->feed->chunk_rows + i;
        }
    }
    return true;
}

/* Number the rows by their first visits: from here on visits name rows by these numbers. */
static bool number_rows(ney_window *w, const ney_feed *f)
{
    const int64_t places = w->n_chunks * f->chunk_rows;
    const ney_env *env = &f->env;
    if (!ney_grow(env, &w->met, &w->met_capacity, places, sizeof *w->met)) {
        return false;
    }
    if (places > 0) {
        memset(w->met, -1, (size_t)places * sizeof *w->met);
    }
    w->x = (ney_matrix){.cols = f->cols};
    for (int64_t k = 0; k < w->n; k++) {
        int64_t *const met = &w->met[w->visit[k]];
        if (*met < 0) {
            *met = w->x.rows++;
        }
        w->visit[k] = *met;
    }
    return true;
}

/* All rows of the window's chunks that are visited, from one end of each chunk to the other: memory
 * is read several times as fast as in the order of the visits. `to` is the row in x. */
typedef void with_row(ney_window *w, const ney_chunk *c, int64_t row, int64_t to);

static inline __attribute__((always_inline)) void for_rows(ney_window *w, const ney_feed *f,
                                                           with_row *visit)
{
    for (int64_t slot = 0; slot < w->n_chunks; slot++) {
        const int64_t *const met = w->met + slot * f->chunk_rows;
        for (int64_t row = 0; row < w->chunk[slot].x.rows; row++) {
            if (met[row] >= 0) {
                visit(w, &w->chunk[slot], row, met[row]);
            }
        }
    }
}

static void copy_label(ney_window *w, const ney_chunk *c, int64_t row, int64_t to)
{
    w->number[to] = c->first + row;
    w->label[to] = c->label[row];
    w->weight[to] = c->weight ? c->weight[row] : 1;
    w->start[to + 1] = c->x.dense ? c->x.cols : c->x.start[row + 1] - c->x.start[row];
}

/* Copy labels, weights and lengths; returns the number of entries, -1 without memory. */
static int64_t copy_labels(ney_window *w, const ney_feed *f)
{
    const ney_env *env = &f->env;
    const int64_t n = w->x.rows;
    if (!ney_grow(env, &w->number, &w->row_capacity[0], n, sizeof *w->number) ||
        !ney_grow(env, &w->label, &w->row_capacity[1], n, sizeof *w->label) ||
        !ney_grow(env, &w->weight, &w->row_capacity[2], n, sizeof *w->weight) ||
        !ney_grow(env, &w->start, &w->row_capacity[3], n + 1, sizeof *w->start)) {
        return -1;
    }
    w->start[0] = 0;
    for_rows(w, f, copy_label);
    for (int64_t i = 0; i < n; i++) {
        w->start[i + 1] += w->start[i];
    }
    return w->start[n];
}

static void copy_row(ney_window *w, const ney_chunk *c, int64_t row, int64_t to)
{
    const ney_matrix *const x = &c->x;
    const int64_t n = w->start[to + 1] - w->start[to];
    memcpy(w->value + w->start[to], x->dense ? x->dense + row * x->cols : x->value + x->start[row],
           (size_t)n * sizeof *w->value);
    if (!x->dense) {
        memcpy(w->index + w->start[to], x->index + x->start[row], (size_t)n * sizeof *w->index);
    }
}

static bool copy_rows(ney_window *w, const ney_feed *f)
{
    const int64_t entries = copy_labels(w, f);
    const bool dense = w->n_chunks > 0 && w->chunk[0].x.dense;
    /* one more: without columns there are no entries, and a matrix still has its arrays */
    if (entries < 0 ||
        !ney_grow(&f->env, &w->value, &w->value_capacity, entries + 1, sizeof *w->value) ||
        (!dense &&
         !ney_grow(&f->env, &w->index, &w->index_capacity, entries + 1, sizeof *w->index))) {
        return false;
    }
    for_rows(w, f, copy_row);
    w->x = (ney_matrix){.rows = w->x.rows,
                        .cols = f->cols,
                        .dense = dense ? w->value : NULL,
                        .start = dense ? NULL : w->start,
                        .index = dense ? NULL : w->index,
                        .value = dense ? NULL : w->value};
    return true;
}

void ney_window_load(ney_window *w, const ney_shuffle *s, int64_t k)
{
    const int64_t first = k * s->window_chunks, rest = s->feed->n_chunks - first;
    const int64_t n = rest < s->window_chunks ? rest : s->window_chunks;
    ney_rng rng = random_stream(s->seed, s->epoch, k);

    w->n = 0;
    w->status = NEY_OK;
    for (int64_t slot = 0; slot < n && w->status == NEY_OK; slot++) {
        w->status = ney_feed_chunk(s->feed, s->order[first + slot], &w->chunk[slot], &w->error);
        if (w->status != NEY_OK) {
            break;
        }
        w->n_chunks++;
        if (!list_rows(w, s, slot)) {
            w->status = ney_no_memory(&w->error, w->n, "visits");
        }
    }
    if (w->status == NEY_OK) {
        ney_rng_shuffle(&rng, w->visit, w->n);
        if (!number_rows(w, s->feed) || !copy_rows(w, s->feed)) {
            w->status = ney_no_memory(&w->error, w->n, "visits");
        }
    }
    release_chunks(w);
}
