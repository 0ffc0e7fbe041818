/* The walk over a labelled text file that every reader makes: batch after batch, parsed on all
 * threads, merged in order. */
#ifndef NEY_DATA_BATCHES_H
#define NEY_DATA_BATCHES_H

#include "data/labels.h"
#include "data/lines.h"

typedef struct ney_batches {
    ney_lines *lines;
    ney_labels *labels;
    int64_t *lines_before; /* of the file, in batches that were taken */
    void (*parse)(void *context, ney_piece piece, int slot);
    ney_rows *(*rows)(void *context, int slot); /* what parse() left */
    void *context;
} ney_batches;

/* The next batch: *n pieces were parsed and their labels taken; 0 at the end. The earliest error in
 * the file is reported.
 * @retval NEY_ECANCELLED  poll, called once per batch, requested a stop. */
ney_status ney_batches_next(const ney_batches *b, int *n, ney_error *err);

#endif
