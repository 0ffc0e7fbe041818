/* The block shuffle. An epoch visits the chunks of a feed in an order drawn at random, 128
 * at a time; the rows of such a window are visited in an order drawn at random. The rarer class is
 * visited several times in each window where it is much rarer, so that about half of all visits are
 * its own; weights make up for that (online.c). The order depends on seed, epoch and window alone.
 */
#ifndef NEY_LEARN_ONLINE_WINDOW_H
#define NEY_LEARN_ONLINE_WINDOW_H

#include "learn/online/parts.h"

enum { NEY_WINDOW_CHUNKS = 128 }; /* at most */

typedef struct ney_shuffle {
    const ney_feed *feed;
    const ney_parts *parts;
    uint64_t seed;
    int64_t visits[2];                /* of a row of each class in an epoch */
    int64_t window_chunks, n_windows; /* chunks of a window; windows of an epoch */
    int64_t *order;                   /* of the chunks, in the epoch last begun */
    int64_t epoch;
} ney_shuffle;

ney_status ney_shuffle_init(ney_shuffle *s, const ney_feed *f, const ney_parts *p, uint64_t seed,
                            ney_error *err);
void ney_shuffle_deinit(ney_shuffle *s);

/* Visits of an epoch. */
double ney_shuffle_visits(const ney_shuffle *s);

/* Draw the order of the chunks. */
void ney_shuffle_begin(ney_shuffle *s, int64_t epoch);

/* A window in memory: its rows, copied side by side in the order of their first visit. Training
 * reads it sequentially, except for rows visited again. */
typedef struct ney_window {
    ney_matrix x;
    int8_t *label;
    float *weight;
    int64_t *number; /* of each row in the feed */
    int64_t *visit;  /* rows, in the order of the visits; while it is loaded, their places: slot *
                        chunk rows + row there */
    int64_t n;       /* visits */
    ney_status status;
    ney_error error;
    /* while it is loaded */
    ney_chunk *chunk; /* NEY_WINDOW_CHUNKS slots */
    int64_t n_chunks;
    int64_t *met; /* of each place: its row in x; -1: not visited */
    /* what x consists of, and the capacities of all these */
    int64_t *start;
    int32_t *index;
    float *value;
    int64_t visit_capacity, row_capacity[4], met_capacity, index_capacity, value_capacity;
} ney_window;

ney_status ney_window_init(ney_window *w, const ney_env *env, ney_error *err);
void ney_window_deinit(ney_window *w, const ney_env *env);

/* Window k of the epoch begun; what fails is left in the window. On any thread. */
void ney_window_load(ney_window *w, const ney_shuffle *s, int64_t k);

#endif
