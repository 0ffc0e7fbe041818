/* Opening a cache: its header, its table of blocks and its preprocessing, all verified. */
#include "data/cache.h"

#include "base/file.h"
#include "base/little.h"
#include "data/limits.h"
#include "data/sniff.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

ney_status ney_cache_damaged(const ney_cache *c, const char *what, ney_error *err)
{
    return ney_fail_at(err, NEY_EFORMAT, (ney_place){.file = c->path},
                       "the cache is damaged (%s): make it again with neyman convert", what);
}

static ney_status fail_open(const char *path, int code, ney_error *err)
{
    char reason[128] = "";
    (void)strerror_r(code, reason, sizeof reason);
    return ney_fail_at(err, NEY_EIO, (ney_place){.file = path}, "cannot be opened: %s", reason);
}

ney_status ney_cache_bytes(const ney_cache *c, int64_t offset, void *to, int64_t n, ney_error *err)
{
    char *at = to;
    while (n > 0) {
        const ssize_t got = pread(c->fd, at, n < (1 << 30) ? (size_t)n : 1 << 30, (off_t)offset);
        if (got == 0) {
            return ney_cache_damaged(c, "it became shorter while it was read", err);
        }
        if (got < 0 && errno != EINTR) {
            return ney_fail_io(err, c->path, "cannot be read");
        }
        if (got > 0) {
            at += got;
            offset += got;
            n -= got;
        }
    }
    return NEY_OK;
}

ney_status ney_cache_numbers(const ney_cache *c, int64_t offset, void *to, int64_t n, int size,
                             ney_error *err)
{
    const ney_status st = ney_cache_bytes(c, offset, to, n * size, err);
    if (st == NEY_OK) {
        ney_order_bytes(to, n, size);
    }
    return st;
}

/* Bytes are read, never mapped: a file that is cut by another process while it is used is an error
 * then, not a signal. */
static ney_status open_file(ney_cache *c, ney_error *err)
{
    struct stat info;
    c->fd = ney_file_open(&c->env, c->path, O_RDONLY);
    if (c->fd < 0) {
        return fail_open(c->path, errno, err);
    }
    if (fstat(c->fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        return ney_fail_at(err, NEY_EIO, (ney_place){.file = c->path},
                           "is not a regular file, expected a cache file");
    }
    c->n_bytes = (int64_t)info.st_size;
    if (c->n_bytes < (int64_t)sizeof c->header_bytes) {
        return ney_cache_damaged(c, "shorter than its header", err);
    }
    c->header = &c->header_bytes;
    return ney_cache_bytes(c, 0, &c->header_bytes, sizeof c->header_bytes, err);
}

/* The table of blocks and the text of the preprocessing. */
static ney_status read_tail(ney_cache *c, ney_error *err)
{
    const ney_cache_header *h = c->header;
    const int64_t n = c->n_bytes - h->tail_offset;
    c->tail = ney_alloc(&c->env, n > 0 ? n : 1, 1);
    if (!c->tail) {
        return ney_no_memory(err, n, "bytes of a table of blocks");
    }
    const ney_status st = ney_cache_bytes(c, h->tail_offset, c->tail, n, err);
    if (st != NEY_OK) {
        return st;
    }
    if (h->tail_checksum != XXH3_64bits(c->tail, (size_t)n)) {
        return ney_cache_damaged(c, "its table of blocks does not match its checksum", err);
    }
    c->entry = (ney_cache_entry *)(void *)c->tail;
    ney_cache_order_table(c->entry, h->n_blocks);
    return NEY_OK;
}

static ney_status check_header(ney_cache *c, ney_error *err)
{
    const ney_cache_header *h = c->header;
    const uint64_t checksum = XXH3_64bits(h, offsetof(ney_cache_header, checksum));
    ney_cache_order_header(&c->header_bytes);
    if (memcmp(h->magic, NEY_CACHE_MAGIC, sizeof h->magic) != 0) {
        return ney_fail_at(err, NEY_EFORMAT, (ney_place){.file = c->path},
                           "is not a cache, expected a file written by neyman convert");
    }
    if (h->version > NEY_CACHE_VERSION) {
        return ney_fail_at(
            err, NEY_EFORMAT, (ney_place){.file = c->path},
            "is a cache of version %u, this program reads up to %d: use a newer neyman", h->version,
            NEY_CACHE_VERSION);
    }
    if (h->checksum != checksum) {
        return ney_cache_damaged(c, "its header does not match its checksum", err);
    }
    const int64_t most = c->n_bytes / (int64_t)sizeof *c->entry;
    if (h->header_bytes != sizeof *h || h->n_blocks < 0 || h->n_blocks > most ||
        h->preprocessing_bytes < 0 || h->preprocessing_bytes > c->n_bytes || h->tail_offset < 0 ||
        h->tail_offset % 8 != 0 || h->cols < 0 || h->cols > NEY_MOST_COLUMNS ||
        h->tail_offset > c->n_bytes - h->preprocessing_bytes ||
        (h->labelled && h->sign[0] * h->sign[1] != -1) ||
        h->n_blocks * (int64_t)sizeof *c->entry !=
            c->n_bytes - h->tail_offset - h->preprocessing_bytes) {
        return ney_cache_damaged(c, "its size differs from that in its header", err);
    }
    return NEY_OK;
}

/* Every block lies in the file, has the size of its parts, and follows the one before. */
static ney_status check_table(ney_cache *c, ney_error *err)
{
    const ney_cache_header *h = c->header;
    int64_t rows = 0, entries = 0;
    for (int64_t k = 0; k < h->n_blocks; k++) {
        const ney_cache_entry *e = &c->entry[k];
        ney_cache_layout at;
        if (!ney_cache_lay_out(e, &at) || at.bytes != e->bytes || e->offset < 0 ||
            e->offset % 64 != 0 || e->offset > h->tail_offset - e->bytes || e->first_row != rows ||
            e->cols > h->cols || e->rows == 0 || (e->dense && e->entries > e->rows * e->cols)) {
            return ney_cache_damaged(c, "its table of blocks is inconsistent", err);
        }
        rows += e->rows;
        entries += e->entries;
    }
    if (rows != h->rows || entries != h->entries) {
        return ney_cache_damaged(c, "its blocks do not add up", err);
    }
    return NEY_OK;
}

static ney_status read_preprocessing(ney_cache *c, ney_error *err)
{
    const char *text =
        c->tail + c->n_bytes - c->header->tail_offset - c->header->preprocessing_bytes;
    char *copy =
        ney_strdup(&c->env, text, (size_t)c->header->preprocessing_bytes); /* ends in NUL */
    ney_fields fields;
    if (!copy) {
        return ney_no_memory(err, c->header->preprocessing_bytes, "bytes of preprocessing");
    }
    ney_fields_init(&fields, &c->env, c->path, copy, c->header->preprocessing_bytes, err);
    c->preprocessing = ney_preprocessing_parse(&fields);
    ney_release(&c->env, copy);
    if (fields.status == NEY_OK && c->preprocessing->cols != c->header->cols) {
        return ney_cache_damaged(c, "its preprocessing has another number of columns", err);
    }
    return fields.status;
}

ney_status ney_cache_open(ney_cache **out, const ney_env *env, const char *path, ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out && path, err);
    const ney_env e = ney_env_of(env);
    ney_cache *c = ney_alloc_zeroed(&e, 1, sizeof *c);
    ney_status st;

    *out = NULL;
    if (!c) {
        return ney_no_memory(err, 1, "cache");
    }
    c->env = e;
    c->fd = -1;
    if (!(c->path = ney_strdup(&e, path, strlen(path)))) {
        st = ney_no_memory(err, 1, "path");
    } else if ((st = open_file(c, err)) == NEY_OK && (st = check_header(c, err)) == NEY_OK &&
               (st = read_tail(c, err)) == NEY_OK && (st = check_table(c, err)) == NEY_OK) {
        st = read_preprocessing(c, err);
    }
    if (st != NEY_OK) {
        ney_cache_close(c);
        return st;
    }
    *out = c;
    return NEY_OK;
}

void ney_cache_close(ney_cache *c)
{
    if (!c) {
        return;
    }
    const ney_env env = c->env;
    if (c->fd >= 0) {
        close(c->fd);
    }
    ney_preprocessing_free(c->preprocessing);
    ney_release_all(&env, c->label, c->block, c->tail, c->path, c);
}

int64_t ney_cache_rows(const ney_cache *c)
{
    if (!c) {
        return 0;
    }
    return c->header->rows;
}

int64_t ney_cache_cols(const ney_cache *c)
{
    if (!c) {
        return 0;
    }
    return c->header->cols;
}

int64_t ney_cache_blocks(const ney_cache *c)
{
    if (!c) {
        return 0;
    }
    return c->header->n_blocks;
}

const ney_preprocessing *ney_cache_preprocessing(const ney_cache *c)
{
    if (!c) {
        return NULL;
    }
    return c->preprocessing;
}
