/* Kernel rows that were computed once and are kept, as many as a budget allows.
 *
 * Memory that was never touched costs more than it seems: the system clears it page by page, which
 * takes as long as computing the row that goes there, or longer. So the cache begins small,
 * overwrites the least recently used row, and takes more memory only when evicted rows were
 * computed again, at about the cost that the memory would have had. */
#ifndef NEY_KERNEL_ROWCACHE_H
#define NEY_KERNEL_ROWCACHE_H

#include "kernel/shared_rows.h"

typedef struct ney_rowcache_slot {
    int64_t row;          /* -1: free */
    int64_t newer, older; /* neighbours in the order of use; -1: none */
} ney_rowcache_slot;

typedef struct ney_rowcache {
    ney_gram *gram;     /* borrowed */
    ney_row_view *view; /* where rows are taken from instead; NULL: nowhere. Borrowed */
    int64_t n_slots;    /* rows that can be held */
    int64_t n_open;     /* those that may be used now */
    int64_t n_taken;    /* those that were used already, the first ones */
    int64_t slab_rows;  /* rows allocated at once */
    float **slab;       /* taken when one of its slots is first used */
    ney_rowcache_slot *slot;
    int64_t newest, oldest; /* slots; -1: none taken */
    int64_t *slot_of;       /* of each row; or one of the two below */
    double budget;          /* bytes */
    int64_t repeated;       /* rows computed once more, since the beginning */
    int64_t again;          /* rows computed once more since the last slab was opened */
    int64_t patience;       /* how many of them open the next one */
} ney_rowcache;

/* At least `least` rows are held whatever the budget. */
ney_status ney_rowcache_init(ney_rowcache *c, ney_gram *gram, double budget_bytes, int64_t least,
                             ney_error *err);
void ney_rowcache_deinit(ney_rowcache *c);

/* Discard all rows and free their memory. */
void ney_rowcache_clear(ney_rowcache *c);

/* out[k] = the row row[k] of the kernel matrix; valid until the next call. No row may be asked for
 * twice in one call, and at most as many as the cache holds at least. */
ney_status ney_rowcache_get(ney_rowcache *c, const int64_t *row, int64_t n_rows, const float **out,
                            ney_error *err);

#endif
