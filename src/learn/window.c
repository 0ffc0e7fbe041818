#include "learn/window.h"

#include "base/rng.h"

#include <math.h>

/* One stream of random numbers for every epoch and window. */
static ney_rng stream(uint64_t seed, int64_t epoch, int64_t window)
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
    s->n_windows = (f->n_chunks + NEY_WINDOW_CHUNKS - 1) / NEY_WINDOW_CHUNKS;
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
    ney_rng rng = stream(s->seed, epoch, -1);
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

void ney_window_deinit(ney_window *w, const ney_env *env)
{
    if (w->chunk) {
        ney_window_release(w);
    }
    ney_release(env, w->chunk);
    ney_release(env, w->place);
    *w = (ney_window){0};
}

void ney_window_release(ney_window *w)
{
    for (int64_t k = 0; k < w->n_chunks; k++) {
        ney_chunk_release(&w->chunk[k]);
    }
    w->n_chunks = 0;
    w->n = 0;
}

/* The visits that the rows of one slot are due. */
static bool list_rows(ney_window *w, const ney_shuffle *s, int64_t slot)
{
    const ney_chunk *c = &w->chunk[slot];
    for (int64_t i = 0; i < c->x.rows; i++) {
        const int sign = c->label[i] > 0 ? 1 : -1;
        if (!ney_parts_learn(s->parts, c->first + i, sign)) {
            continue;
        }
        const int64_t visits = s->visits[sign > 0];
        if (!ney_grow(&s->feed->env, &w->place, &w->cap, w->n + visits, sizeof *w->place)) {
            return false;
        }
        for (int64_t k = 0; k < visits; k++) {
            w->place[w->n++] = slot * s->feed->chunk_rows + i;
        }
    }
    return true;
}

void ney_window_load(ney_window *w, const ney_shuffle *s, int64_t k)
{
    const int64_t first = k * NEY_WINDOW_CHUNKS, rest = s->feed->n_chunks - first;
    const int64_t n = rest < NEY_WINDOW_CHUNKS ? rest : NEY_WINDOW_CHUNKS;
    ney_rng rng = stream(s->seed, s->epoch, k);

    ney_window_release(w);
    w->status = NEY_OK;
    for (int64_t slot = 0; slot < n && w->status == NEY_OK; slot++) {
        w->status = ney_feed_chunk(s->feed, s->order[first + slot], &w->chunk[slot], &w->error);
        if (w->status != NEY_OK) {
            break;
        }
        w->n_chunks++;
        if (slot % 16 ==
            15) { /* chunks lie scattered, and each may bring some megabytes of pages */
            ney_feed_drop(s->feed);
        }
        if (!list_rows(w, s, slot)) {
            w->status = ney_no_memory(&w->error, w->n, "visits");
        }
    }
    ney_rng_shuffle(&rng, w->place, w->n);
}
