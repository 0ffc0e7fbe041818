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
