#include "kernel/rowcache.h"

/* A few large pages. */
static const double SLAB_BYTES = 1 << 24;

ney_status ney_rowcache_init(ney_rowcache *c, ney_gram *gram, double budget_bytes, int64_t least,
                             ney_error *err)
{
    const int64_t n = gram->x->rows;
    const double row_bytes = (double)(n > 0 ? n : 1) * sizeof(float);
    const double fit = budget_bytes / row_bytes;

    *c = (ney_rowcache){.gram = gram};
    c->n_slots = fit >= (double)n ? n : (int64_t)fit;
    if (c->n_slots < least) {
        c->n_slots = least < n ? least : n;
    }
    c->slab_rows = 1 + (int64_t)(SLAB_BYTES / row_bytes);
    c->slab = ney_alloc_zeroed(&gram->env, c->n_slots / c->slab_rows + 1, sizeof *c->slab);
    c->row_of = ney_alloc(&gram->env, c->n_slots, sizeof *c->row_of);
    c->used = ney_alloc_zeroed(&gram->env, c->n_slots, sizeof *c->used);
    c->slot_of = ney_alloc(&gram->env, n, sizeof *c->slot_of);
    if (!c->slab || !c->row_of || !c->used || !c->slot_of) {
        ney_rowcache_deinit(c);
        return ney_no_memory(err, c->n_slots, "kernel rows");
    }
    for (int64_t s = 0; s < c->n_slots; s++) {
        c->row_of[s] = -1;
    }
    for (int64_t i = 0; i < n; i++) {
        c->slot_of[i] = -1;
    }
    return NEY_OK;
}

void ney_rowcache_deinit(ney_rowcache *c)
{
    const ney_env *env = &c->gram->env;
    for (int64_t k = 0; c->slab && k < c->n_slots / c->slab_rows + 1; k++) {
        ney_release(env, c->slab[k]);
    }
    ney_release(env, c->slab);
    ney_release(env, c->row_of);
    ney_release(env, c->used);
    ney_release(env, c->slot_of);
    c->slab = NULL;
    c->row_of = c->used = c->slot_of = NULL;
}

/* The slot to be overwritten: a free one, or the one not asked for the longest. */
static int64_t oldest(const ney_rowcache *c, int64_t from)
{
    int64_t best = -1;
    for (int64_t s = 0; s < c->n_slots; s++) {
        const int64_t at = (from + s) % c->n_slots;
        if (c->row_of[at] < 0) {
            return at;
        }
        if (best < 0 || c->used[at] < c->used[best]) {
            best = at;
        }
    }
    return best;
}

static float *memory_of(const ney_rowcache *c, int64_t slot)
{
    return c->slab[slot / c->slab_rows] + slot % c->slab_rows * c->gram->x->rows;
}

/* Give row `i` a slot of its own. */
static bool assign(ney_rowcache *c, int64_t i, int64_t *from)
{
    const int64_t s = oldest(c, *from);
    /* the last slab may be smaller */
    const int64_t after = c->n_slots - s / c->slab_rows * c->slab_rows;
    const int64_t rows = after < c->slab_rows ? after : c->slab_rows;
    float **slab = &c->slab[s / c->slab_rows];
    if (!*slab && !(*slab = ney_alloc(&c->gram->env, rows * c->gram->x->rows, sizeof **slab))) {
        return false;
    }
    if (c->row_of[s] >= 0) {
        c->slot_of[c->row_of[s]] = -1;
    }
    c->row_of[s] = i;
    c->slot_of[i] = s;
    c->used[s] = c->clock;
    *from = s + 1;
    return true;
}

ney_status ney_rowcache_get(ney_rowcache *c, const int64_t *row, int64_t n_rows, const float **out,
                            ney_error *err)
{
    int64_t n_missing = 0, from = 0;
    int64_t *missing = ney_alloc(&c->gram->env, n_rows, sizeof *missing);
    float **to = ney_alloc(&c->gram->env, n_rows, sizeof *to);
    bool fine = missing && to;

    c->clock++;
    for (int64_t k = 0; k < n_rows; k++) { /* first, so that none of them is overwritten */
        if (c->slot_of[row[k]] >= 0) {
            c->used[c->slot_of[row[k]]] = c->clock;
        }
    }
    for (int64_t k = 0; k < n_rows && fine; k++) {
        if (c->slot_of[row[k]] < 0) {
            fine = assign(c, row[k], &from);
            if (fine) {
                missing[n_missing] = row[k];
                to[n_missing++] = memory_of(c, c->slot_of[row[k]]);
            }
        }
    }
    if (fine && n_missing > 0) {
        fine = ney_gram_rows(c->gram, missing, n_missing, to);
    }
    for (int64_t k = 0; k < n_rows && fine; k++) {
        out[k] = memory_of(c, c->slot_of[row[k]]);
    }
    ney_release(&c->gram->env, missing);
    ney_release(&c->gram->env, to);
    return fine ? NEY_OK : ney_no_memory(err, n_rows, "kernel rows");
}
