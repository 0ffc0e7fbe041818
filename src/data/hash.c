#include "data/hash.h"

void ney_hash_rows(XXH3_state_t *h, const ney_matrix *x, const int8_t *label, const float *weight)
{
    const size_t rows = (size_t)x->rows;

    XXH3_64bits_update(h, &x->rows, sizeof x->rows);
    XXH3_64bits_update(h, &x->cols, sizeof x->cols);
    if (x->dense) {
        XXH3_64bits_update(h, x->dense, rows * (size_t)x->cols * sizeof *x->dense);
    } else {
        const int64_t first = x->start[0];
        const size_t stored = (size_t)(x->start[x->rows] - first);
        for (int64_t i = 0; i < x->rows; i++) { /* where the rows lie does not count */
            const int64_t length = x->start[i + 1] - x->start[i];
            XXH3_64bits_update(h, &length, sizeof length);
        }
        if (stored > 0) {
            XXH3_64bits_update(h, x->value + first, stored * sizeof *x->value);
            XXH3_64bits_update(h, x->index + first, stored * sizeof *x->index);
        }
    }
    if (label) {
        XXH3_64bits_update(h, label, rows * sizeof *label);
    }
    if (weight) {
        XXH3_64bits_update(h, weight, rows * sizeof *weight);
    }
}

ney_status ney_feed_hash(const ney_feed *f, uint64_t *hash, ney_error *err)
{
    XXH3_state_t *const h = XXH3_createState();
    ney_status st = h ? NEY_OK : ney_no_memory(err, 1, "hash");

    *hash = 0;
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
