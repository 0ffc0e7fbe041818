#include "data/cache.h"

#include "base/file.h"
#include "base/little.h"
#include "base/parallel.h"
#include "data/apply_preprocessing.h"
#include "data/limits.h"
#include "data/scale.h"
#include "data/sniff.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

static ney_status damaged(const ney_cache *c, const char *what, ney_error *err)
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
            return damaged(c, "it was cut while it was read", err);
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
                           "is not a plain file, which a cache must be");
    }
    c->n_bytes = (int64_t)info.st_size;
    if (c->n_bytes < (int64_t)sizeof c->header_bytes) {
        return damaged(c, "shorter than its header", err);
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
        return damaged(c, "its table of blocks does not match its checksum", err);
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
        return ney_fail_at(err, NEY_EFORMAT, (ney_place){.file = c->path}, "is not a cache");
    }
    if (h->version > NEY_CACHE_VERSION) {
        return ney_fail_at(
            err, NEY_EFORMAT, (ney_place){.file = c->path},
            "is a cache of version %u, this program reads up to %d: use a newer neyman", h->version,
            NEY_CACHE_VERSION);
    }
    if (h->checksum != checksum) {
        return damaged(c, "its header does not match its checksum", err);
    }
    const int64_t most = c->n_bytes / (int64_t)sizeof *c->entry;
    if (h->header_bytes != sizeof *h || h->n_blocks < 0 || h->n_blocks > most ||
        h->preprocessing_bytes < 0 || h->preprocessing_bytes > c->n_bytes || h->tail_offset < 0 ||
        h->tail_offset % 8 != 0 || h->cols < 0 || h->cols > NEY_MOST_COLUMNS ||
        h->tail_offset > c->n_bytes - h->preprocessing_bytes ||
        (h->labelled && h->sign[0] * h->sign[1] != -1) ||
        h->n_blocks * (int64_t)sizeof *c->entry !=
            c->n_bytes - h->tail_offset - h->preprocessing_bytes) {
        return damaged(c, "its size is not what its header says", err);
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
            return damaged(c, "its table of blocks makes no sense", err);
        }
        rows += e->rows;
        entries += e->entries;
    }
    if (rows != h->rows || entries != h->entries) {
        return damaged(c, "its blocks do not add up", err);
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
        return damaged(c, "its preprocessing is of another number of columns", err);
    }
    return fields.status;
}

ney_status ney_cache_open(ney_cache **out, const ney_env *env, const char *path, ney_error *err)
{
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
    return c->header->rows;
}

int64_t ney_cache_cols(const ney_cache *c)
{
    return c->header->cols;
}

int64_t ney_cache_blocks(const ney_cache *c)
{
    return c->header->n_blocks;
}

const ney_preprocessing *ney_cache_preprocessing(const ney_cache *c)
{
    return c->preprocessing;
}

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

/* The bytes of block k, as the file has them, become numbers of this machine. A checksum tells
 * damage; what a block says must hold even where someone made it fit. */
static const char *check_block(const ney_cache *c, int64_t k, char *bytes, const ney_block *b)
{
    const ney_cache_entry *e = &c->entry[k];
    if (XXH3_64bits(bytes, (size_t)e->bytes) != e->checksum) {
        return "a block does not match its checksum";
    }
    ney_cache_order_block(e, bytes);
    for (int64_t i = 0; i < e->rows; i++) {
        if (c->header->labelled && (b->label[i] < 0 || b->label[i] > 1)) {
            return "a label is none";
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
        return damaged(c, fault, err);
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

/* What is wrong with a block; with status NEY_OK and no fault, nothing. */
typedef struct outcome {
    ney_status status; /* of reading it */
    const char *fault;
} outcome;

static ney_status tell_outcome(const ney_cache *c, outcome o, ney_error *err)
{
    if (o.status == NEY_ENOMEM) {
        return ney_no_memory(err, 1, "block of a cache");
    }
    if (o.status == NEY_EIO) {
        return ney_fail_at(err, NEY_EIO, (ney_place){.file = c->path}, "cannot be read");
    }
    return o.fault
               ? damaged(c, o.fault, err)
               : (o.status == NEY_OK ? NEY_OK : damaged(c, "it was cut while it was read", err));
}

enum { AT_ONCE = 4 }; /* blocks between two polls, and in memory */

typedef struct verifying {
    const ney_cache *cache;
    int64_t first;
    outcome of[AT_ONCE];
} verifying;

static void verify_block(void *context, int64_t i, int thread)
{
    verifying *v = context;
    char *bytes = NULL;
    int64_t cap = 0;
    ney_block b;
    (void)thread;
    outcome o = {.status = read_block(v->cache, v->first + i, &bytes, &cap, &b, NULL)};
    if (o.status == NEY_OK) {
        o.fault = check_block(v->cache, v->first + i, bytes, &b);
    }
    ney_release(&v->cache->env, bytes);
    v->of[i] = o;
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
            const ney_status st = tell_outcome(c, v.of[i], err);
            if (st != NEY_OK) {
                return st;
            }
        }
    }
    return NEY_OK;
}

/* ---- the whole cache as a data set */

typedef struct loading {
    const ney_cache *cache;
    ney_data *data;
    int64_t *first_entry; /* of each block */
    outcome *of;          /* each block */
} loading;

static void load_sparse(ney_data *d, const ney_block *b, int64_t entry)
{
    int64_t *start = d->start + b->first_row + 1;
    for (int64_t i = 0; i < b->x.rows; i++) {
        if (b->x.dense) {
            const float *row = b->x.dense + i * b->x.cols;
            for (int64_t c = 0; c < b->x.cols; c++) {
                if (row[c] != 0) {
                    d->index[entry] = (int32_t)c;
                    d->value[entry++] = row[c];
                }
            }
        } else {
            const int64_t from = b->x.start[i], n = b->x.start[i + 1] - from;
            memcpy(d->index + entry, b->x.index + from, (size_t)n * sizeof *d->index);
            memcpy(d->value + entry, b->x.value + from, (size_t)n * sizeof *d->value);
            entry += n;
        }
        start[i] = entry;
    }
}

static void load_dense(ney_data *d, const ney_block *b)
{
    for (int64_t i = 0; i < b->x.rows; i++) {
        float *row = d->value + (b->first_row + i) * d->x.cols;
        memset(row, 0, (size_t)d->x.cols * sizeof *row);
        if (b->x.dense) {
            memcpy(row, b->x.dense + i * b->x.cols, (size_t)b->x.cols * sizeof *row);
        } else {
            for (int64_t k = b->x.start[i]; k < b->x.start[i + 1]; k++) {
                row[b->x.index[k]] = b->x.value[k];
            }
        }
    }
}

/* Entries of a dense block that are not zero: the table's count must be right for them to fit. */
static bool counts_fit(const ney_block *b, int64_t entries)
{
    int64_t n = 0;
    for (int64_t k = 0; b->x.dense && k < b->x.rows * b->x.cols; k++) {
        n += b->x.dense[k] != 0;
    }
    return !b->x.dense || n == entries;
}

static void place_block(const loading *l, int64_t k, const ney_block *b)
{
    ney_data *d = l->data;
    for (int64_t i = 0; d->label && i < b->x.rows; i++) {
        d->label[b->first_row + i] = l->cache->header->sign[b->label[i]];
    }
    if (d->weight && b->weight) {
        memcpy(d->weight + b->first_row, b->weight, (size_t)b->x.rows * sizeof *b->weight);
    }
    if (d->x.dense) {
        load_dense(d, b);
    } else {
        load_sparse(d, b, l->first_entry[k]);
    }
}

static void load_block(void *context, int64_t k, int thread)
{
    loading *l = context;
    const ney_data *d = l->data;
    char *bytes = NULL;
    int64_t cap = 0;
    ney_block b;
    (void)thread;

    outcome o = {.status = read_block(l->cache, k, &bytes, &cap, &b, NULL)};
    if (o.status == NEY_OK) {
        o.fault = check_block(l->cache, k, bytes, &b);
    }
    if (o.status == NEY_OK && !o.fault && !d->x.dense &&
        !counts_fit(&b, l->cache->entry[k].entries)) {
        o.fault = "a block has another number of entries";
    }
    l->of[k] = o;
    if (o.status == NEY_OK && !o.fault) {
        place_block(l, k, &b);
    }
    ney_release(&l->cache->env, bytes);
}

static ney_status allocate(loading *l, const ney_env *env, ney_error *err)
{
    const ney_cache_header *h = l->cache->header;
    ney_data *d = l->data = ney_alloc_zeroed(env, 1, sizeof *d);
    const bool dense = ney_dense_is_smaller(h->rows, h->cols, h->entries);
    if (!d) {
        return ney_no_memory(err, 1, "data set");
    }
    d->env = *env;
    l->first_entry = ney_alloc(env, h->n_blocks, sizeof *l->first_entry);
    l->of = ney_alloc_zeroed(env, h->n_blocks, sizeof *l->of);
    d->value = ney_alloc(env, dense ? h->rows * h->cols : h->entries, sizeof *d->value);
    if (!dense) {
        d->start = ney_alloc(env, h->rows + 1, sizeof *d->start);
        d->index = ney_alloc(env, h->entries, sizeof *d->index);
    }
    d->label = h->labelled ? ney_alloc(env, h->rows, sizeof *d->label) : NULL;
    d->weight = h->weighted ? ney_alloc(env, h->rows, sizeof *d->weight) : NULL;
    if (!l->first_entry || !l->of || !d->value || (!dense && (!d->start || !d->index)) ||
        (h->labelled && !d->label) || (h->weighted && !d->weight)) {
        return ney_no_memory(err, h->rows, "rows");
    }
    if (!dense) {
        d->start[0] = 0;
    }
    ney_data_refresh(d, h->rows, h->cols);
    int64_t entry = 0;
    for (int64_t k = 0; k < h->n_blocks; k++) {
        l->first_entry[k] = entry;
        entry += l->cache->entry[k].entries;
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

static ney_status load_notes(const ney_cache *c, ney_data *d, ney_error *err)
{
    ney_text text;
    char *block = NULL;
    int64_t cap = 0;
    ney_status st = NEY_OK;
    ney_text_init(&text, &d->env);
    for (int64_t k = 0; k < c->header->n_blocks && st == NEY_OK; k++) {
        if ((st = ney_cache_notes(c, k, &block, &cap, err)) == NEY_OK) {
            ney_text_add(&text, block, c->entry[k].notes);
        }
    }
    ney_release(&d->env, block);
    int64_t lines = 0;
    bool nul = false;
    for (int64_t i = 0; i < text.length; i++) {
        lines += text.bytes[i] == '\n';
        nul = nul || text.bytes[i] == '\0';
    }
    d->notes = text.bytes;
    d->n_notes = text.length;
    if (st != NEY_OK) {
        return st;
    }
    if (text.failed) {
        return ney_no_memory(err, text.length, "bytes of notes");
    }
    if (nul || lines != d->x.rows || (lines > 0 && text.bytes[text.length - 1] != '\n')) {
        return damaged(c, "its notes are not one a row", err);
    }
    return NEY_OK;
}

static ney_status load(ney_cache *c, loading *l, ney_error *err)
{
    ney_status st = allocate(l, &c->env, err);
    if (st != NEY_OK) {
        return st;
    }
    ney_parallel_for(&c->env, c->header->n_blocks, load_block, l);
    for (int64_t k = 0; k < c->header->n_blocks; k++) {
        if ((st = tell_outcome(c, l->of[k], err)) != NEY_OK) {
            return st;
        }
    }
    if (c->header->noted && (st = load_notes(c, l->data, err)) != NEY_OK) {
        return st;
    }
    l->data->preprocessing = c->preprocessing;
    c->preprocessing = NULL;
    if (!c->header->labelled) {
        ney_fail_at(&l->data->no_label, NEY_EPARSE, (ney_place){.file = c->path}, "has no labels");
    }
    return NEY_OK;
}

ney_status ney_cache_choose_positive(const char *path, ney_preprocessing *r, const char *positive,
                                     bool *exchanged, ney_error *err)
{
    const ney_label wanted = ney_label_of(positive, (int)strlen(positive), 0);
    bool is[2] = {false, false};
    for (int i = 0; i < 2; i++) {
        const char *name = r->label[i];
        const ney_label own = ney_label_of(name ? name : "", name ? (int)strlen(name) : 0, 0);
        is[i] = name && ney_label_equal(&wanted, &own);
    }
    if (!is[0] && !is[1] && r->label[0] && r->label[1]) {
        return ney_fail_at(err, NEY_EPARSE, (ney_place){.file = path},
                           "has labels '%.40s' and '%.40s', expected '%.40s' among them as the "
                           "positive one",
                           r->label[0], r->label[1], positive);
    }
    const bool lone_other = !is[0] && !is[1] && r->label[1]; /* a single class, and not that one */
    *exchanged = is[0] || lone_other;
    if (*exchanged) {
        char *kept = r->label[0];
        r->label[0] = r->label[1];
        r->label[1] = kept;
    }
    return NEY_OK;
}

/* The column of that name is among the notes. */
static bool is_noted(const ney_data *d, const char *name)
{
    const char *at =
        d->notes && d->preprocessing->note_columns ? d->preprocessing->note_columns : "";
    for (size_t n; *at; at += n + (at[n] == '\t')) {
        n = strcspn(at, "\t");
        if (strlen(name) == n && memcmp(at, name, n) == 0) {
            return true;
        }
    }
    return false;
}

static ney_status name_note(ney_data *d, const char *option, const char *name, char **column,
                            const char *path, ney_error *err)
{
    char *copy;
    if (!name || (*column && strcmp(*column, name) == 0)) {
        return NEY_OK;
    }
    if (!is_noted(d, name)) {
        return ney_fail_at(err, NEY_EINVAL, (ney_place){.file = path},
                           "is a cache without the column '%.60s': name it under --%s of 'neyman "
                           "convert'",
                           name, option);
    }
    if (!(copy = ney_strdup(&d->preprocessing->env, name, strlen(name)))) {
        return ney_no_memory(err, 1, "column name");
    }
    ney_release(&d->preprocessing->env, *column);
    *column = copy;
    return NEY_OK;
}

static ney_status name_notes(ney_data *d, const ney_read_opts *opts, const char *path,
                             ney_error *err)
{
    const ney_status st = name_note(d, "id", opts->id, &d->preprocessing->id_column, path, err);
    return st == NEY_OK
               ? name_note(d, "group", opts->group, &d->preprocessing->group_column, path, err)
               : st;
}

/* What the options ask of data that no model's preprocessing is given for. */
static ney_status follow_opts(ney_data *d, const ney_read_opts *opts, const char *path,
                              ney_error *err)
{
    ney_preprocessing *r = d->preprocessing;
    if (opts->missing == NEY_MISSING_MEAN && !r->fill && !r->prepared &&
        !(r->fill = ney_alloc_zeroed(&d->env, r->cols, sizeof *r->fill))) {
        return ney_no_memory(err, r->cols, "columns to fill");
    }
    ney_status st = r->prepared ? ney_column_fit_remember(d, r->scaling, NULL, 0, err) : NEY_OK;
    if (st != NEY_OK || !opts->positive || !d->label) {
        return st;
    }
    bool exchanged = false;
    st = ney_cache_choose_positive(path, r, opts->positive, &exchanged, err);
    for (int64_t i = 0; exchanged && i < d->x.rows; i++) {
        d->label[i] = (int8_t)-d->label[i];
    }
    return st;
}

ney_status ney_cache_check_columns(const ney_cache *c, const ney_read_opts *opts,
                                   const ney_preprocessing *given, ney_error *err)
{
    return ney_check_columns(opts, c->header->cols, c->header->entries, given ? given->cols : 0,
                             (ney_place){.file = c->path}, err);
}

ney_status ney_cache_load(ney_data **out, const ney_env *env, const char *path,
                          const ney_read_opts *opts, const ney_preprocessing *given, ney_error *err)
{
    ney_cache *c;
    ney_status st = ney_cache_open(&c, env, path, err);
    *out = NULL;
    if (st != NEY_OK) {
        return st;
    }
    loading l = {.cache = c};
    st = ney_cache_check_columns(c, opts, given, err);
    if (st == NEY_OK && (st = load(c, &l, err)) == NEY_OK &&
        (st = name_notes(l.data, opts, path, err)) == NEY_OK) {
        st = given ? ney_error_in(
                         err, ney_preprocessing_apply(l.data, given, NEY_ORIGIN_CACHE, err), path)
                   : follow_opts(l.data, opts, path, err);
    }
    ney_release(&c->env, l.first_entry);
    ney_release(&c->env, l.of);
    ney_cache_close(c);
    if (st != NEY_OK) {
        ney_data_free(l.data);
        return st;
    }
    *out = l.data;
    return NEY_OK;
}
