/* Blocks of a cache: reading and verifying them. */
#include "base/parallel.h"
#include "data/cache.h"

#include <math.h>
#include <string.h>

#include <xxhash.h>

/* The parts of block k in its bytes, with codes for labels. */
static void find_parts(const ney_cache *c, int64_t k, const char *block, ney_block *b)
{
    const ney_cache_entry *e = &c->entry[k];
    ney_cache_layout layout, *const at = &layout;
    (void)ney_cache_lay_out(e, at);
    *b = (ney_block){.first_row = e->first_row, .x = {.rows = e->rows, .cols = e->cols}};
    if (e->dense) {
        b->x.dense = (const float *)(const void *)(block + at->value);
    } else {
        b->x.start = (const int64_t *)(const void *)(block + at->start);
        b->x.index = (const int32_t *)(const void *)(block + at->index);
        b->x.value = (const float *)(const void *)(block + at->value);
    }
    b->label = (const int8_t *)(block + at->code);
    b->weight = c->header->weighted ? (const float *)(const void *)(block + at->weight) : NULL;
}

/* Read block k into memory that is kept for the next. */
static ney_status read_block(const ney_cache *c, int64_t k, char **bytes, int64_t *cap,
                             ney_block *b, ney_error *err)
{
    const ney_cache_entry *e = &c->entry[k];
    if (!ney_grow(&c->env, bytes, cap, e->bytes > 0 ? e->bytes : 1, 1)) {
        return ney_no_memory(err, e->bytes, "bytes of a block");
    }
    find_parts(c, k, *bytes, b);
    return ney_cache_bytes(c, e->offset, *bytes, e->bytes, err);
}

/* The bytes of block k, as the file has them, become numbers of this machine. A checksum detects
 * damage; the content is checked even if the checksum matches, since a file may be crafted. */
static const char *check_block(const ney_cache *c, int64_t k, char *bytes, const ney_block *b)
{
    const ney_cache_entry *e = &c->entry[k];
    if (XXH3_64bits(bytes, (size_t)e->bytes) != e->checksum) {
        return "a block does not match its checksum";
    }
    ney_cache_order_block(e, bytes);
    for (int64_t i = 0; i < e->rows; i++) {
        if (c->header->labelled && (b->label[i] < 0 || b->label[i] > 1)) {
            return "a label code is neither 0 nor 1";
        }
        if (b->weight && !(b->weight[i] >= 0 && isfinite(b->weight[i]))) {
            return "a weight is not a number of 0 or more";
        }
    }
    if (!b->x.start) {
        return NULL;
    }
    if (b->x.start[0] != 0 || b->x.start[e->rows] != e->entries) {
        return "rows do not fill their block";
    }
    for (int64_t i = 0; i < e->rows; i++) {
        int64_t next = 0;
        if (b->x.start[i + 1] < b->x.start[i] || b->x.start[i + 1] > e->entries) {
            return "rows are out of order";
        }
        for (int64_t j = b->x.start[i]; j < b->x.start[i + 1]; j++) {
            if (b->x.index[j] < next || b->x.index[j] >= e->cols) {
                return "columns are out of order";
            }
            next = (int64_t)b->x.index[j] + 1;
        }
    }
    return NULL;
}

ney_status ney_cache_block(ney_cache *c, int64_t k, ney_block *block, ney_error *err)
{
    NEY_REQUIRE(c && block, err);
    const char *fault;

    if (k < 0 || k >= c->header->n_blocks) {
        return ney_fail(err, NEY_EINVAL, "block %lld, expected one from 0 to %lld", (long long)k,
                        (long long)c->header->n_blocks - 1);
    }
    const ney_status st = read_block(c, k, &c->block, &c->block_cap, block, err);
    if (st != NEY_OK) {
        return st;
    }
    if ((fault = check_block(c, k, c->block, block)) != NULL) {
        return ney_cache_damaged(c, fault, err);
    }
    if (!c->header->labelled) {
        block->label = NULL;
        return NEY_OK;
    }
    if (!ney_grow(&c->env, &c->label, &c->label_cap, block->x.rows, sizeof *c->label)) {
        return ney_no_memory(err, block->x.rows, "labels");
    }
    for (int64_t i = 0; i < block->x.rows; i++) {
        c->label[i] = c->header->sign[block->label[i]];
    }
    block->label = c->label;
    return NEY_OK;
}

ney_block_outcome ney_cache_read_block(const ney_cache *c, int64_t k, char **bytes, int64_t *cap,
                                       ney_block *b)
{
    ney_block_outcome o = {.status = read_block(c, k, bytes, cap, b, NULL)};
    if (o.status == NEY_OK) {
        o.fault = check_block(c, k, *bytes, b);
    }
    return o;
}

ney_status ney_cache_block_status(const ney_cache *c, ney_block_outcome o, ney_error *err)
{
    if (o.status == NEY_ENOMEM) {
        return ney_no_memory(err, 1, "block of a cache");
    }
    if (o.status == NEY_EIO) {
        return ney_fail_at(err, NEY_EIO, (ney_place){.file = c->path}, "cannot be read");
    }
    return o.fault ? ney_cache_damaged(c, o.fault, err)
                   : (o.status == NEY_OK
                          ? NEY_OK
                          : ney_cache_damaged(c, "it became shorter while it was read", err));
}

enum { AT_ONCE = 4 }; /* blocks between two polls, and in memory */

typedef struct verifying {
    const ney_cache *cache;
    int64_t first;
    ney_block_outcome of[AT_ONCE];
} verifying;

static void verify_block(void *context, int64_t i, int thread)
{
    verifying *v = context;
    char *bytes = NULL;
    int64_t cap = 0;
    ney_block b;
    (void)thread;
    v->of[i] = ney_cache_read_block(v->cache, v->first + i, &bytes, &cap, &b);
    ney_release(&v->cache->env, bytes);
}

ney_status ney_cache_verify(const ney_cache *c, ney_error *err)
{
    const int64_t n = c->header->n_blocks;
    verifying v = {.cache = c};
    for (; v.first < n; v.first += AT_ONCE) {
        const int64_t now = n - v.first < AT_ONCE ? n - v.first : AT_ONCE;
        if (!ney_poll(&c->env, "verifying", (double)v.first, (double)n)) {
            return ney_fail(err, NEY_ECANCELLED, "cancelled while verifying");
        }
        ney_parallel_for(&c->env, now, verify_block, &v);
        for (int64_t i = 0; i < now; i++) {
            const ney_status st = ney_cache_block_status(c, v.of[i], err);
            if (st != NEY_OK) {
                return st;
            }
        }
    }
    return NEY_OK;
}

ney_status ney_cache_notes(const ney_cache *c, int64_t k, char **notes, int64_t *cap,
                           ney_error *err)
{
    const ney_cache_entry *e = &c->entry[k];
    ney_cache_layout at;
    (void)ney_cache_lay_out(e, &at);
    if (!ney_grow(&c->env, notes, cap, e->notes + 1, 1)) {
        return ney_no_memory(err, e->notes, "bytes of notes");
    }
    return ney_cache_bytes(c, e->offset + at.notes, *notes, e->notes, err);
}
