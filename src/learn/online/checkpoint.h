/* The state of an online run in a file, so that another process can continue with the same result;
 * another number of processes can, too, from the same share of the epoch. */
#ifndef NEY_LEARN_ONLINE_CHECKPOINT_H
#define NEY_LEARN_ONLINE_CHECKPOINT_H

#include "base/env.h"

struct ney_online;

/* Checkpoints of a run: when, and how the last one went. */
typedef struct ney_checkpointing {
    uint64_t content; /* hash of the rows */
    double saved;     /* time of the last one */
    ney_status status;
    ney_error error;
    bool is_reported; /* that one could not be written */
} ney_checkpointing;

/* Whether a checkpoint may be written there: a file of another kind is not replaced. */
ney_status ney_checkpoint_check(const char *path, ney_error *err);

/* Whether it is time for one. */
bool ney_checkpoint_is_due(const struct ney_online *r);

/* Replaces an older one at once: whenever the process ends, one of the two is there and complete.
 * How it went is left in r->checkpoint. Of several processes, all of which call it, the first one
 * writes: what it writes does not depend on where the rows are. */
void ney_checkpoint_save(struct ney_online *r);

/* The bytes of a checkpoint in new memory, and the state from them: NEY_EFORMAT where a field is
 * out of range, whatever its checksum, and the run is as it was. */
ney_status ney_checkpoint_format(struct ney_online *r, char **bytes, int64_t *n, ney_error *err);
ney_status ney_checkpoint_parse(struct ney_online *r, const char *bytes, int64_t n, ney_error *err);

/* Continue from the checkpoint, if there is one.
 * @retval NEY_EFORMAT  it is damaged, or of other data or options. */
ney_status ney_checkpoint_read(struct ney_online *r, ney_error *err);

#endif
