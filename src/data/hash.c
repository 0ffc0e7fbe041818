#include "data/hash.h"

#include "base/little.h"

void ney_hash_rows(XXH3_state_t *h, const ney_matrix *x, const int8_t *label, const float *weight)
{
    ney_hash_numbers(h, &x->rows, 1, sizeof x->rows);
    ney_hash_numbers(h, &x->cols, 1, sizeof x->cols);
    if (x->dense) {
        ney_hash_numbers(h, x->dense, x->rows * x->cols, sizeof *x->dense);
    } else {
        const int64_t first = x->start[0];
        const int64_t stored = x->start[x->rows] - first;
        for (int64_t i = 0; i < x->rows; i++) { /* where the rows lie does not count */
            const int64_t length = x->start[i + 1] - x->start[i];
            ney_hash_numbers(h, &length, 1, sizeof length);
        }
        if (stored > 0) {
            ney_hash_numbers(h, x->value + first, stored, sizeof *x->value);
            ney_hash_numbers(h, x->index + first, stored, sizeof *x->index);
        }
    }
    if (label) {
        ney_hash_numbers(h, label, x->rows, sizeof *label);
    }
    if (weight) {
        ney_hash_numbers(h, weight, x->rows, sizeof *weight);
    }
}

/* Rows begin .. end - 1. */
static uint64_t hash_block(XXH3_state_t *h, const ney_data *d, int64_t begin, int64_t end)
{
    const ney_matrix x = {.rows = end - begin,
                          .cols = d->x.cols,
                          .dense = d->x.dense ? d->x.dense + begin * d->x.cols : NULL,
                          .start = d->x.start ? d->x.start + begin : NULL,
                          .index = d->x.index,
                          .value = d->x.value};
    XXH3_64bits_reset(h);
    ney_hash_rows(h, &x, d->label ? d->label + begin : NULL, d->weight ? d->weight + begin : NULL);
    return XXH3_64bits_digest(h);
}

/* The rows of all processes, block after block: the hash goes from rank to rank. */
static ney_status hash_blocks(const ney_feed *f, uint64_t *hash, ney_error *err)
{
    const ney_row_blocks *const b = f->blocks;
    const ney_comm *const comm = b->comm;
    const int rank = ney_comm_rank(comm), size = ney_comm_size(comm);
    XXH3_state_t *const h = XXH3_createState();
    uint64_t *const own = ney_alloc(&f->env, b->n, sizeof *own);
    const ney_status st =
        ney_comm_agree(comm, h && own ? NEY_OK : ney_no_memory(err, b->n, "hashes"), err);
    if (st == NEY_OK) {
        for (int64_t k = 0; k < b->n; k++) {
            own[k] = hash_block(h, f->data, b->begin[k], b->begin[k + 1]);
        }
        if (rank > 0) {
            comm->receive(comm->state, rank - 1, hash, (int64_t)sizeof *hash);
        }
        for (int64_t k = 0; k < b->n; k++) {
            *hash = XXH3_64bits_withSeed(&own[k], sizeof *own, *hash);
        }
        if (rank + 1 < size) {
            comm->send(comm->state, rank + 1, hash, (int64_t)sizeof *hash);
        }
        ney_comm_broadcast(comm, size - 1, hash, (int64_t)sizeof *hash);
    }
    XXH3_freeState(h);
    ney_release(&f->env, own);
    return st;
}

ney_status ney_feed_hash(const ney_feed *f, uint64_t *hash, ney_error *err)
{
    *hash = 0;
    if (f->blocks) {
        return hash_blocks(f, hash, err);
    }
    XXH3_state_t *const h = XXH3_createState();
    ney_status st = h ? NEY_OK : ney_no_memory(err, 1, "hash");
    if (st != NEY_OK) {
        return st;
    }
    XXH3_64bits_reset(h);
    for (int64_t k = 0; k < f->n_chunks && st == NEY_OK; k++) {
        ney_chunk c;
        if ((st = ney_feed_chunk(f, k, &c, err)) != NEY_OK) {
            break;
        }
        ney_hash_rows(h, &c.x, c.label, c.weight);
        ney_chunk_release(&c);
        if (!ney_poll(&f->env, "reading", (double)k, (double)f->n_chunks)) {
            st = ney_fail(err, NEY_ECANCELLED, "cancelled while reading");
        }
    }
    *hash = XXH3_64bits_digest(h);
    XXH3_freeState(h);
    return st;
}
