#include "kernel/rowcache.h"

#include "linalg/rows.h"

/* Values of slot_of for rows that have none. */
enum { NEVER_HELD = -1, GIVEN_UP = -2 };

static const double SLAB_BYTES = 1 << 24;  /* a few large pages */
static const double FIRST_BYTES = 1 << 26; /* taken without asking */

/* How many rows must be computed again to have cost what the memory of a slab costs. Computing
 * takes time in proportion to the nonzeros, and some for the exponential; memory takes always the
 * same, as much as a row of 40 nonzeros. */
static int64_t patience_for(const ney_gram *g, int64_t slab_rows)
{
    const double rows = g->x->rows > 0 ? (double)g->x->rows : 1;
    const double nonzeros = (double)ney_matrix_stored(g->x) / rows;
    return 1 + (int64_t)((40 + 20) / (nonzeros + 20) * (double)slab_rows);
}

ney_status ney_rowcache_init(ney_rowcache *c, ney_gram *gram, double budget_bytes, int64_t least,
                             ney_error *err)
{
    const int64_t n = gram->x->rows;
    const double row_bytes = (double)(n > 0 ? ney_gram_width(gram) : 1) * sizeof(float);
    const double fit = budget_bytes / row_bytes;

    *c = (ney_rowcache){.gram = gram, .newest = -1, .oldest = -1, .budget = budget_bytes};
    c->n_slots = fit >= (double)n ? n : (int64_t)fit;
    if (c->n_slots < least) {
        c->n_slots = least < n ? least : n;
    }
    c->n_open = (int64_t)(FIRST_BYTES / row_bytes);
    c->n_open = c->n_open < least ? least : c->n_open;
    c->n_open = c->n_open < c->n_slots ? c->n_open : c->n_slots;
    c->slab_rows = 1 + (int64_t)(SLAB_BYTES / row_bytes);
    c->patience = patience_for(gram, c->slab_rows);
    c->slab = ney_alloc_zeroed(&gram->env, c->n_slots / c->slab_rows + 1, sizeof *c->slab);
    c->slot = ney_alloc(&gram->env, c->n_slots, sizeof *c->slot);
    c->slot_of = ney_alloc(&gram->env, n, sizeof *c->slot_of);
    if (!c->slab || !c->slot || !c->slot_of) {
        ney_rowcache_deinit(c);
        return ney_no_memory(err, c->n_slots, "kernel rows");
    }
    for (int64_t i = 0; i < n; i++) {
        c->slot_of[i] = NEVER_HELD;
    }
    return NEY_OK;
}

static void release_slabs(ney_rowcache *c)
{
    for (int64_t k = 0; c->slab && k < c->n_slots / c->slab_rows + 1; k++) {
        ney_release(&c->gram->env, c->slab[k]);
        c->slab[k] = NULL;
    }
}

void ney_rowcache_clear(ney_rowcache *c)
{
    for (int64_t s = 0; s < c->n_taken; s++) {
        c->slot_of[c->slot[s].row] = GIVEN_UP;
    }
    c->n_taken = 0;
    c->newest = c->oldest = -1;
    release_slabs(c);
}

void ney_rowcache_deinit(ney_rowcache *c)
{
    const ney_env *env = &c->gram->env;
    release_slabs(c);
    ney_release(env, c->slab);
    ney_release(env, c->slot);
    ney_release(env, c->slot_of);
    c->slab = NULL;
    c->slot = NULL;
    c->slot_of = NULL;
}

static float *memory_of(const ney_rowcache *c, int64_t slot)
{
    return c->slab[slot / c->slab_rows] + slot % c->slab_rows * ney_gram_width(c->gram);
}

/* ---- the slots in the order of use */

static void unlink_slot(ney_rowcache *c, int64_t s)
{
    const int64_t newer = c->slot[s].newer, older = c->slot[s].older;
    *(newer >= 0 ? &c->slot[newer].older : &c->newest) = older;
    *(older >= 0 ? &c->slot[older].newer : &c->oldest) = newer;
}

static void make_newest(ney_rowcache *c, int64_t s)
{
    c->slot[s].newer = -1;
    c->slot[s].older = c->newest;
    *(c->newest >= 0 ? &c->slot[c->newest].newer : &c->oldest) = s;
    c->newest = s;
}

/* ---- rows */

/* A slot that was never used, its memory there; -1 without memory. */
static int64_t take_slot(ney_rowcache *c)
{
    const int64_t s = c->n_taken;
    /* the last slab may be smaller */
    const int64_t after = c->n_slots - s / c->slab_rows * c->slab_rows;
    const int64_t rows = after < c->slab_rows ? after : c->slab_rows;
    float **slab = &c->slab[s / c->slab_rows];
    if (!*slab &&
        !(*slab = ney_alloc(&c->gram->env, rows * ney_gram_width(c->gram), sizeof **slab))) {
        return -1;
    }
    c->n_taken++;
    return s;
}

/* Give row `i` a slot. */
static bool assign(ney_rowcache *c, int64_t i)
{
    int64_t s;
    c->again += c->slot_of[i] == GIVEN_UP;
    c->repeated += c->slot_of[i] == GIVEN_UP;
    if (c->again >= c->patience) {
        const int64_t left = c->n_slots - c->n_open;
        c->again = 0;
        c->n_open += left < c->slab_rows ? left : c->slab_rows;
    }
    if (c->n_taken < c->n_open) {
        if ((s = take_slot(c)) < 0) {
            return false;
        }
    } else {
        s = c->oldest;
        unlink_slot(c, s);
        c->slot_of[c->slot[s].row] = GIVEN_UP;
    }
    c->slot[s].row = i;
    c->slot_of[i] = s;
    make_newest(c, s);
    return true;
}

ney_status ney_rowcache_get(ney_rowcache *c, const int64_t *row, int64_t n_rows, const float **out,
                            ney_error *err)
{
    int64_t n_missing = 0;
    int64_t *missing = ney_alloc(&c->gram->env, n_rows, sizeof *missing);
    float **to = ney_alloc(&c->gram->env, n_rows, sizeof *to);
    bool fine = missing && to;

    for (int64_t k = 0; k < n_rows; k++) { /* first, so that none of them is overwritten */
        if (c->slot_of[row[k]] >= 0) {
            unlink_slot(c, c->slot_of[row[k]]);
            make_newest(c, c->slot_of[row[k]]);
        }
    }
    for (int64_t k = 0; k < n_rows && fine; k++) {
        if (c->slot_of[row[k]] < 0) {
            fine = assign(c, row[k]);
            if (fine) {
                missing[n_missing] = row[k];
                to[n_missing++] = memory_of(c, c->slot_of[row[k]]);
            }
        }
    }
    if (fine && n_missing > 0) {
        fine = c->view ? ney_row_view_get(c->view, missing, n_missing, to)
                       : ney_gram_rows(c->gram, missing, n_missing, to);
    }
    for (int64_t k = 0; k < n_rows && fine; k++) {
        out[k] = memory_of(c, c->slot_of[row[k]]);
    }
    ney_release(&c->gram->env, missing);
    ney_release(&c->gram->env, to);
    return fine ? NEY_OK : ney_no_memory(err, n_rows, "kernel rows");
}
