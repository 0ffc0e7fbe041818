/* Rows in chunks of a fixed number, ready to be learned from, whether they lie in memory or in a
 * cache that memory need not hold. Both give the same rows to the last bit. */
#ifndef NEY_DATA_FEED_H
#define NEY_DATA_FEED_H

#include "data/cache.h"
#include "data/row_sketch.h"

typedef struct ney_feed {
    ney_env env;
    const ney_data *data; /* borrowed; or else */
    ney_cache *cache;     /* borrowed */
    const ney_preprocessing *preprocessing;
    ney_preprocessing *own; /* of a cache: its preprocessing, prepared by ney_feed_prepare() */
    bool exchanged;         /* of a cache: the positive class is not that of the file */
    bool dense;
    bool labelled;
    ney_scaling scaling; /* of a cache: what ney_feed_prepare() is to fit */
    int64_t rows, cols;
    const ney_row_blocks
        *blocks;                 /* of the data: rows of this process among those of all; or NULL */
    int64_t first_row, all_rows; /* this process's first row among those of all, and all */
    double row_entries;          /* of a row, on average over all */
    int64_t chunk_rows, n_chunks; /* rows per chunk, fewer in the last; number of chunks */
} ney_feed;

/* Consecutive rows. */
typedef struct ney_chunk {
    int64_t first;
    ney_matrix x;
    const int8_t *label;
    const float *weight; /* NULL when all are 1 */
    ney_data *own;       /* of a cache: where they are */
} ney_chunk;

void ney_feed_of_data(ney_feed *f, const ney_env *env, const ney_data *data);

/* Every block of the cache is verified. Of the options, positive and missing count. */
ney_status ney_feed_of_cache(ney_feed *f, const ney_env *env, ney_cache *cache,
                             const ney_read_opts *opts, ney_error *err);

/* Fit filling and scaling of a cache on the rows that `chosen` (NULL: all) names, in two passes. */
ney_status ney_feed_prepare(ney_feed *f, bool (*chosen)(const void *context, int64_t row),
                            const void *context, ney_error *err);
void ney_feed_deinit(ney_feed *f);

/* Chunk k into *c, which ney_chunk_release() frees. On any thread. */
ney_status ney_feed_chunk(const ney_feed *f, int64_t k, ney_chunk *c, ney_error *err);
void ney_chunk_release(ney_chunk *c);

/* Every row's sign and weight, in order. */
ney_status ney_feed_labels(const ney_feed *f,
                           void (*visit)(void *context, int64_t row, int sign, double weight),
                           void *context, ney_error *err);

/* A key for every row, equal within a group, as by ney_data_groups(), in new memory; NULL where
 * there are no groups. */
ney_status ney_feed_groups(const ney_feed *f, uint64_t **group, ney_error *err);

/* The rows that `chosen` names as a data set, with a copy of the preprocessing. All rows are read,
 * and added to a sketch, unless that is NULL. */
ney_status ney_feed_gather(ney_data **out, const ney_feed *f,
                           bool (*chosen)(const void *context, int64_t row, int sign),
                           const void *context, ney_row_sketch *sketch, ney_error *err);

#endif
