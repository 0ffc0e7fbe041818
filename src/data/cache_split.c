/* The rows of a cache as several caches, for processes that each read some of them. */
#include "data/cache.h"
#include "data/hash.h"
#include "data/limits.h"
#include "data/shards.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Memory for rows on their way, of all shards together, and the least of one. */
enum { SPLIT_BYTES = 1 << 26, SHARD_BYTES = 1 << 16 };

typedef struct shard {
    ney_cache_writer writer;
    ney_rows rows; /* not written yet */
    char *name;
    bool is_new; /* there was no file of this name */
} shard;

typedef struct splitting {
    ney_env env;
    ney_cache *cache;
    shard *shard;
    int64_t n, opened;
    int64_t most_bytes; /* of the rows of one shard in memory */
} splitting;

static ney_status open_shards(splitting *s, const char *pattern, ney_error *err)
{
    ney_status st = NEY_OK;
    for (; s->opened < s->n && st == NEY_OK; s->opened++) {
        shard *const to = &s->shard[s->opened];
        ney_rows_init(&to->rows, &s->env);
        to->writer = (ney_cache_writer){.env = s->env, .file = {.fd = -1}};
        to->name = ney_numbered_name(&s->env, pattern, s->opened);
        st = to->name ? ney_cache_writer_open(&to->writer, &s->env, to->name, err)
                      : ney_no_memory(err, 1, "name of a file");
    }
    return st;
}

static ney_status write_rows(shard *to, ney_error *err)
{
    const ney_status st = to->rows.notes.failed
                              ? ney_no_memory(err, to->rows.n, "notes")
                              : ney_cache_writer_append(&to->writer, &to->rows, 1, err);
    ney_rows_clear(&to->rows);
    return st;
}

static ney_status add_row(const splitting *s, shard *to, const ney_data *d, int64_t row,
                          const char *note, int64_t n_note, ney_error *err)
{
    if (!ney_rows_add_data(&to->rows, d, row, row + 1)) {
        return ney_no_memory(err, to->rows.n, "rows");
    }
    if (d->notes) {
        to->rows.noted = true;
        ney_text_add(&to->rows.notes, note, n_note);
    }
    const int64_t bytes = 8 * to->rows.n_entries + 16 * to->rows.n + to->rows.notes.length;
    return bytes < s->most_bytes ? NEY_OK : write_rows(to, err);
}

/* Rows of a group go to one shard; without groups, shards hold consecutive rows. */
static int64_t shard_of(const splitting *s, const uint64_t *group, int64_t row, int64_t of_all)
{
    if (group) {
        uint64_t mixed = group[row] ^ (group[row] >> 32);
        mixed *= UINT64_C(0x9E3779B97F4A7C15);
        return (int64_t)((mixed >> 32) % (uint64_t)s->n);
    }
    /* the k with n k / shards <= of_all < n (k + 1) / shards, as a product that fits */
    const int64_t rows = s->cache->header->rows;
    const int64_t part = rows / s->n, rest = rows % s->n; /* the first `rest` have one more */
    return of_all < rest * (part + 1) ? of_all / (part + 1)
                                      : rest + (of_all - rest * (part + 1)) / part;
}

static ney_status split_block(const splitting *s, ney_data *d, int64_t first, ney_error *err)
{
    const int64_t rows = d->x.rows;
    const bool grouped = s->cache->preprocessing->group_column != NULL;
    uint64_t *const group = grouped ? ney_alloc(&s->env, rows, sizeof *group) : NULL;
    const char *note = d->notes;
    ney_status st = grouped && !group ? ney_no_memory(err, rows, "groups") : NEY_OK;
    if (st == NEY_OK && grouped) {
        st = ney_data_groups(d, group, err);
    }
    for (int64_t i = 0; i < rows && st == NEY_OK; i++) {
        const int64_t n_note = note ? (int64_t)strcspn(note, "\n") + 1 : 0;
        st = add_row(s, &s->shard[shard_of(s, group, i, first + i)], d, i, note, n_note, err);
        note = note ? note + n_note : NULL;
    }
    ney_release(&s->env, group);
    return st;
}

static ney_status split_blocks(const splitting *s, ney_error *err)
{
    const ney_cache *const c = s->cache;
    ney_status st = NEY_OK;
    for (int64_t k = 0; k < c->header->n_blocks && st == NEY_OK; k++) {
        ney_data *d = NULL;
        if (!ney_poll(&s->env, "writing", (double)k, (double)c->header->n_blocks)) {
            return ney_fail(err, NEY_ECANCELLED, "cancelled while writing");
        }
        if ((st = ney_cache_load_blocks(&d, c, k, 1, err)) == NEY_OK) {
            d->preprocessing = c->preprocessing;
            st = split_block(s, d, c->entry[k].first_row, err);
            d->preprocessing = NULL;
        }
        ney_data_free(d);
    }
    for (int64_t k = 0; k < s->n && st == NEY_OK; k++) {
        st = write_rows(&s->shard[k], err);
    }
    return st;
}

/* All shards or none: once all are on disk, only a rename can fail. Then those that were not there
 * before are removed again; one that took the place of another file stays. */
static ney_status finish_shards(const splitting *s, ney_error *err)
{
    const bool labelled = s->cache->header->labelled;
    const int8_t sign[2] = {(int8_t)(labelled ? -1 : 0), (int8_t)(labelled ? 1 : 0)};
    ney_status st = NEY_OK;
    int64_t k = 0;
    for (int64_t i = 0; i < s->n && st == NEY_OK; i++) {
        st = ney_cache_writer_flush(&s->shard[i].writer, s->cache->preprocessing, sign, err);
    }
    for (; k < s->n && st == NEY_OK; k++) {
        s->shard[k].is_new = access(s->shard[k].name, F_OK) != 0;
        st = ney_outfile_commit(&s->shard[k].writer.file, err);
    }
    for (int64_t done = 0; st != NEY_OK && done + 1 < k; done++) {
        if (s->shard[done].is_new) {
            remove(s->shard[done].name);
        }
    }
    return st;
}

ney_status ney_cache_split(const ney_env *env, const char *in, const char *pattern, int64_t n,
                           ney_error *err)
{
    splitting s = {.env = ney_env_of(env), .n = n};
    NEY_REQUIRE(in && pattern && n > 0, err);
    char *const first = ney_numbered_name(&s.env, pattern, 0);
    ney_release(&s.env, first);
    if (!first) {
        return ney_fail_at(err, NEY_EINVAL, (ney_place){.file = pattern},
                           "expected a number such as %%04d in the name, for the shard");
    }
    s.most_bytes = SPLIT_BYTES / n > SHARD_BYTES ? SPLIT_BYTES / n : SHARD_BYTES;
    ney_status st = ney_cache_open(&s.cache, &s.env, in, err);
    if (st == NEY_OK && s.cache->header->rows < n) {
        st = ney_fail_at(err, NEY_EINVAL, (ney_place){.file = in},
                         "has %lld rows, expected one at least for each of %lld shards",
                         (long long)s.cache->header->rows, (long long)n);
    }
    if (st == NEY_OK) {
        s.shard = ney_alloc_zeroed(&s.env, n, sizeof *s.shard);
        st = s.shard ? NEY_OK : ney_no_memory(err, n, "shards");
    }
    if (st == NEY_OK && (st = open_shards(&s, pattern, err)) == NEY_OK &&
        (st = split_blocks(&s, err)) == NEY_OK) {
        st = finish_shards(&s, err);
    }
    for (int64_t k = 0; k < s.opened; k++) {
        ney_cache_writer_deinit(&s.shard[k].writer);
        ney_rows_deinit(&s.shard[k].rows);
        ney_release(&s.env, s.shard[k].name);
    }
    ney_release(&s.env, s.shard);
    ney_cache_close(s.cache);
    return st;
}
