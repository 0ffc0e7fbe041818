/* Kernel rows that were computed once and are kept, as many as a budget allows. */
#ifndef NEY_KERNEL_ROWCACHE_H
#define NEY_KERNEL_ROWCACHE_H

#include "kernel/gram.h"

typedef struct ney_rowcache {
    ney_gram *gram;    /* borrowed */
    int64_t n_slots;   /* rows that can be held */
    int64_t slab_rows; /* rows whose memory is taken at once */
    float **slab;      /* taken when one of its slots is first used */
    int64_t *row_of;   /* of each slot; -1: free */
    int64_t *slot_of;  /* of each row; -1: not held */
    int64_t *used;     /* when each slot was last asked for */
    int64_t clock;
} ney_rowcache;

/* At least `least` rows are held whatever the budget. */
ney_status ney_rowcache_init(ney_rowcache *c, ney_gram *gram, double budget_bytes, int64_t least,
                             ney_error *err);
void ney_rowcache_deinit(ney_rowcache *c);

/* out[k] = the row row[k] of the kernel matrix; valid until the next call. No row may be asked for
 * twice in one call, and at most as many as the cache holds at least. */
ney_status ney_rowcache_get(ney_rowcache *c, const int64_t *row, int64_t n_rows, const float **out,
                            ney_error *err);

#endif
