/* A hash of what rows hold: features, labels, weights and their order. */
#ifndef NEY_DATA_HASH_H
#define NEY_DATA_HASH_H

#include "data/feed.h"

#include <xxhash.h>

/* Add rows. The storage counts: dense and sparse rows have different hashes. */
void ney_hash_rows(XXH3_state_t *h, const ney_matrix *x, const int8_t *label, const float *weight);

/* All rows of a feed, in one pass. */
ney_status ney_feed_hash(const ney_feed *f, uint64_t *hash, ney_error *err);

#endif
