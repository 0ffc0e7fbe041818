#include "base/options.h"
#include "data/cache.h"

#include "base/little.h"
#include "data/npy_read.h"
#include "data/reader.h"
#include "data/sniff.h"

#include <assert.h>
#include <string.h>

#include <xxhash.h>

enum { ALIGNMENT = 64 };

static int64_t aligned(int64_t bytes, int64_t to)
{
    return (bytes + to - 1) / to * to;
}

bool ney_cache_lay_out(const ney_cache_entry *e, ney_cache_layout *at)
{
    const int64_t most = INT64_MAX / 64;
    if (e->rows < 0 || e->cols < 0 || e->entries < 0 || e->notes < 0 || e->rows > most ||
        e->cols > NEY_MOST_COLUMNS || e->entries > most || e->notes > most ||
        (e->dense && e->cols > 0 && e->rows > most / e->cols)) {
        return false;
    }
    const int64_t values = e->dense ? e->rows * e->cols : e->entries;
    at->code = 0;
    at->weight = aligned(e->rows, 8);
    at->start = at->weight + aligned(4 * e->rows, 8);
    at->index = at->start + (e->dense ? 0 : 8 * (e->rows + 1));
    at->value = at->index + aligned(e->dense ? 0 : 4 * e->entries, 8);
    at->notes = at->value + aligned(4 * values, 8);
    at->bytes = aligned(at->notes + e->notes, ALIGNMENT);
    return true;
}

void ney_cache_order_header(ney_cache_header *h)
{
    ney_order_bytes(&h->version, 1, sizeof h->version);
    ney_order_bytes(&h->header_bytes, 1, sizeof h->header_bytes);
    int64_t *const count[] = {&h->rows,     &h->cols,        &h->entries,
                              &h->n_blocks, &h->tail_offset, &h->preprocessing_bytes};
    for (size_t k = 0; k < sizeof count / sizeof *count; k++) {
        ney_order_bytes(count[k], 1, sizeof *count[k]);
    }
    ney_order_bytes(&h->tail_checksum, 1, sizeof h->tail_checksum);
    ney_order_bytes(&h->checksum, 1, sizeof h->checksum);
}

void ney_cache_order_table(ney_cache_entry *e, int64_t n)
{
    static_assert(sizeof *e == 9 * sizeof(int64_t), "an entry is nine numbers of 64 bits");
    ney_order_bytes(e, 9 * n, sizeof(int64_t));
}

void ney_cache_order_block(const ney_cache_entry *e, char *block)
{
    ney_cache_layout at;
    (void)ney_cache_lay_out(e, &at);
    ney_order_bytes(block + at.weight, e->rows, 4);
    if (!e->dense) {
        ney_order_bytes(block + at.start, e->rows + 1, 8);
        ney_order_bytes(block + at.index, e->entries, 4);
    }
    ney_order_bytes(block + at.value, e->dense ? e->rows * e->cols : e->entries, 4);
}

ney_status ney_cache_writer_open(ney_cache_writer *w, const ney_env *env, const char *path,
                                 ney_error *err)
{
    static const char nothing[ALIGNMENT * 2];
    static_assert(sizeof(ney_cache_header) <= sizeof nothing, "blocks begin behind the header");
    *w = (ney_cache_writer){.env = *env};
    ney_status st = ney_outfile_open(&w->file, env, path, err);
    if (st == NEY_OK && !w->file.temporary) {
        st = ney_fail_at(err, NEY_EIO, (ney_place){.file = path},
                         "a cache cannot be written to a pipe or device, expected a file name");
    }
    if (st == NEY_OK) {
        st = ney_outfile_write(&w->file, nothing, sizeof nothing, err);
    }
    return st;
}

void ney_cache_writer_deinit(ney_cache_writer *w)
{
    ney_outfile_discard(&w->file);
    ney_release(&w->env, w->entry);
    ney_release(&w->env, w->block);
    w->entry = NULL;
    w->block = NULL;
}

/* The totals of the pieces. */
static ney_cache_entry measure(const ney_rows *pieces, int n)
{
    ney_cache_entry e = {0};
    for (int i = 0; i < n; i++) {
        e.rows += pieces[i].n;
        e.entries += pieces[i].n_entries;
        e.cols = pieces[i].cols > e.cols ? pieces[i].cols : e.cols;
        e.notes += pieces[i].noted ? pieces[i].notes.length : 0;
    }
    e.dense = ney_dense_is_smaller(e.rows, e.cols, e.entries);
    return e;
}

static void copy_features(char *block, const ney_cache_layout *at, const ney_cache_entry *e,
                          const ney_rows *in, int64_t row, int64_t entry)
{
    float *value = (float *)(void *)(block + at->value);
    if (e->dense) {
        for (int64_t i = 0, k = 0; i < in->n; i++) {
            for (; k < in->end[i]; k++) {
                value[(row + i) * e->cols + in->index[k]] = in->value[k];
            }
        }
        return;
    }
    int64_t *start = (int64_t *)(void *)(block + at->start);
    int32_t *index = (int32_t *)(void *)(block + at->index);
    for (int64_t i = 0; i < in->n; i++) {
        start[row + i + 1] = entry + in->end[i];
    }
    if (in->n_entries > 0) {
        memcpy(index + entry, in->index, (size_t)in->n_entries * sizeof *index);
        memcpy(value + entry, in->value, (size_t)in->n_entries * sizeof *value);
    }
}

static void fill_block(char *block, const ney_cache_layout *at, const ney_cache_entry *e,
                       const ney_rows *pieces, int n)
{
    int64_t row = 0, entry = 0, notes = 0;
    memset(block, 0, (size_t)at->bytes);
    for (int i = 0; i < n; i++) {
        const ney_rows *in = &pieces[i];
        if (in->n == 0) {
            continue;
        }
        memcpy(block + at->code + row, in->code, (size_t)in->n);
        memcpy(block + at->weight + row * 4, in->weight, (size_t)in->n * sizeof *in->weight);
        copy_features(block, at, e, in, row, entry);
        if (in->noted) {
            memcpy(block + at->notes + notes, in->notes.bytes, (size_t)in->notes.length);
            notes += in->notes.length;
        }
        row += in->n;
        entry += in->n_entries;
    }
}

ney_status ney_cache_writer_append(ney_cache_writer *w, const ney_rows *pieces, int n,
                                   ney_error *err)
{
    ney_cache_entry e = measure(pieces, n);
    ney_cache_header *h = &w->header;
    ney_cache_layout at;
    if (e.rows == 0) {
        return NEY_OK;
    }
    /* Weights are always kept, 1 where there are none: a later block may have them. */
    if (!ney_cache_lay_out(&e, &at) || !ney_grow(&w->env, &w->block, &w->block_cap, at.bytes, 1) ||
        !ney_grow(&w->env, &w->entry, &w->entry_cap, h->n_blocks + 1, sizeof *w->entry)) {
        return ney_no_memory(err, e.rows, "rows of a block");
    }
    fill_block(w->block, &at, &e, pieces, n);
    ney_cache_order_block(&e, w->block);
    e.offset = w->file.written;
    e.bytes = at.bytes;
    e.first_row = h->rows;
    e.checksum = XXH3_64bits(w->block, (size_t)at.bytes);
    w->entry[h->n_blocks++] = e;
    h->rows += e.rows;
    h->entries += e.entries;
    h->cols = e.cols > h->cols ? e.cols : h->cols;
    for (int i = 0; i < n; i++) {
        h->weighted = h->weighted || pieces[i].weighted;
        h->noted = h->noted || pieces[i].noted;
    }
    return ney_outfile_write(&w->file, w->block, at.bytes, err);
}

ney_status ney_cache_writer_flush(ney_cache_writer *w, const ney_preprocessing *preprocessing,
                                  const int8_t sign[2], ney_error *err)
{
    ney_cache_header *h = &w->header;
    ney_text tail;
    ney_status st;

    ney_text_init(&tail, &w->env);
    const int64_t table_bytes = h->n_blocks * (int64_t)sizeof *w->entry;
    if (table_bytes > 0) {
        ney_cache_order_table(w->entry, h->n_blocks);
        ney_text_add(&tail, (const char *)w->entry, table_bytes);
    }
    ney_preprocessing_format(preprocessing, &tail);
    if (tail.failed) {
        st = ney_no_memory(err, tail.length, "bytes of preprocessing");
        goto done;
    }
    memcpy(h->magic, NEY_CACHE_MAGIC, sizeof h->magic);
    h->version = NEY_CACHE_VERSION;
    h->header_bytes = sizeof *h;
    h->cols = preprocessing->cols > h->cols ? preprocessing->cols : h->cols;
    h->tail_offset = w->file.written;
    h->preprocessing_bytes = tail.length - table_bytes;
    h->labelled = sign[0] != 0;
    h->sign[0] = sign[0];
    h->sign[1] = sign[1];
    h->tail_checksum = XXH3_64bits(tail.bytes, (size_t)tail.length);
    ney_cache_order_header(h);
    h->checksum = XXH3_64bits(h, offsetof(ney_cache_header, checksum));
    ney_order_bytes(&h->checksum, 1, sizeof h->checksum);
    if ((st = ney_outfile_write(&w->file, tail.bytes, tail.length, err)) == NEY_OK &&
        (st = ney_outfile_rewrite(&w->file, 0, h, sizeof *h, err)) == NEY_OK) {
        st = ney_outfile_flush(&w->file, err);
    }

done:
    ney_text_deinit(&tail);
    return st;
}

ney_status ney_cache_writer_finish(ney_cache_writer *w, const ney_preprocessing *preprocessing,
                                   const int8_t sign[2], ney_error *err)
{
    const ney_status st = ney_cache_writer_flush(w, preprocessing, sign, err);
    return st == NEY_OK ? ney_outfile_commit(&w->file, err) : st;
}

/* Arrays are read whole. */
static ney_status build_from_arrays(const ney_env *env, ney_source *source, ney_format format,
                                    const char *out, const ney_read_opts *opts, ney_error *err)
{
    ney_data *d = NULL;
    ney_status st = ney_numpy_read(&d, env, source, format, opts, NULL, err);
    if (st == NEY_OK) {
        st = ney_data_write(d, env, out, NEY_FORMAT_CACHE, err);
    }
    ney_data_free(d);
    return st;
}

ney_status ney_cache_build_with(const ney_env *env, const char *in, const char *out,
                                const ney_read_opts *opts, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    const ney_read_opts o = ney_read_opts_or_default(opts);
    ney_cache_writer w = {.env = e, .file = {.fd = -1}};
    ney_files *files = NULL;
    ney_reader *r = NULL;
    ney_rows *pieces;
    ney_format format;
    ney_error problem;
    ney_status st;
    int8_t sign[2];
    int n = 1;

    if ((st = ney_open_input(&files, &format, &e, in, &o, false, err)) != NEY_OK) {
        return st;
    }
    if (format == NEY_FORMAT_CACHE) {
        ney_files_close(files);
        return ney_fail_at(err, NEY_EINVAL, (ney_place){.file = in}, "is a cache already: copy it");
    }
    if (ney_format_is_numpy(format)) {
        return build_from_arrays(&e, ney_files_take(files), format, out, &o, err);
    }
    if ((st = ney_reader_new(&r, &e, files, format, &o, NULL, err)) != NEY_OK ||
        (st = ney_cache_writer_open(&w, &e, out, err)) != NEY_OK) {
        goto done;
    }
    while (n > 0 && st == NEY_OK) {
        if ((st = ney_reader_next(r, &pieces, &n, err)) == NEY_OK) {
            st = ney_cache_writer_append(&w, pieces, n, err);
        }
    }
    if (st == NEY_OK && (st = ney_reader_finish(r, w.header.cols, sign, &problem, err)) == NEY_OK) {
        st = ney_cache_writer_finish(&w, r->preprocessing, sign, err);
    }

done:
    ney_cache_writer_deinit(&w);
    ney_reader_free(r);
    return st;
}

ney_status ney_cache_build(const ney_env *env, const char *in, const char *out,
                           const ney_options *options, ney_error *err)
{
    NEY_REQUIRE(in && out, err);
    return ney_cache_build_with(env, in, out, ney_options_values(options, ney_read_params), err);
}
