/* NumPy files: an array, or an archive of arrays, stored. */
#include "base/file.h"
#include "base/little.h"
#include "base/number.h"
#include "base/text.h"
#include "data/npy_read.h"

#include <stdio.h>
#include <string.h>

#include <zlib.h>

/* An array while it is collected or written. */
typedef struct writer {
    ney_env env;
    const ney_data *data;
    ney_outfile file;
    ney_text array;     /* the array that is next */
    ney_text directory; /* of the archive so far */
    int64_t n_members;
    ney_error *err;
} writer;

/* ---- arrays */

/* Magic, version 1 and the header, padded to 64 bytes as NumPy does. */
static void begin_array(writer *w, const char *type, const char *shape)
{
    char header[160];
    const int n = snprintf(header, sizeof header,
                           "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", type, shape);
    const int total = (10 + n + 1 + 63) / 64 * 64, length = total - 10;
    const char size[] = {1, 0, (char)(length & 255), (char)(length >> 8)};
    w->array.length = 0;
    ney_text_put(&w->array, "\x93NUMPY");
    ney_text_add(&w->array, size, sizeof size);
    ney_text_add(&w->array, header, n);
    for (int k = n; k < length - 1; k++) {
        ney_text_add(&w->array, " ", 1);
    }
    ney_text_add(&w->array, "\n", 1);
}

static void begin_list(writer *w, const char *type, int64_t n)
{
    char shape[48];
    snprintf(shape, sizeof shape, "(%lld,)", (long long)n);
    begin_array(w, type, shape);
}

/* Numbers of this machine, in the byte order of files. */
static void add_numbers(writer *w, const void *numbers, int64_t n, int size)
{
    const int64_t begin = w->array.length;
    ney_text_add(&w->array, numbers, n * size);
    if (!w->array.failed && n > 0) {
        ney_order_bytes(w->array.bytes + begin, n, size);
    }
}

/* Bytes that are not UTF-8 are taken for Latin-1. */
static void add_text32(writer *w, const char *text, int64_t length)
{
    const unsigned char *p = (const unsigned char *)text;
    int64_t n = 0;
    for (; *p && n < length; n++) {
        const int bytes = ney_utf8_length((const char *)p), more = bytes > 1 ? bytes - 1 : 0;
        uint32_t c = more == 0 ? *p : *p & (uint32_t)(0x3F >> more);
        p++;
        for (int k = 0; k < more; k++) {
            c = c << 6 | (*p++ & 63);
        }
        add_numbers(w, &c, 1, 4);
    }
    for (const uint32_t zero = 0; n < length; n++) {
        add_numbers(w, &zero, 1, 4);
    }
}

/* ---- the archive */

static void put_number(ney_text *t, uint64_t x, int bytes)
{
    for (int k = 0; k < bytes; k++) {
        const char b = (char)(x >> 8 * k & 255);
        ney_text_add(t, &b, 1);
    }
}

/* What a member's own header and its entry in the directory share. */
static void put_member(ney_text *t, uint32_t crc, int64_t size, size_t name)
{
    put_number(t, 20, 2); /* version needed */
    put_number(t, 0, 2);  /* flags */
    put_number(t, 0, 2);  /* stored */
    put_number(t, 0, 2);  /* time: none, so that equal data give equal bytes */
    put_number(t, 0x21, 2);
    put_number(t, crc, 4);
    put_number(t, (uint64_t)size, 4);
    put_number(t, (uint64_t)size, 4);
    put_number(t, name, 2);
    put_number(t, 0, 2);
}

static uint32_t crc_of(const char *bytes, int64_t n)
{
    enum { STEP = 1 << 30 };
    uLong crc = crc32(0, NULL, 0);
    for (int64_t at = 0; at < n; at += STEP) {
        crc = crc32(crc, (const unsigned char *)bytes + at,
                    (unsigned)(n - at < STEP ? n - at : STEP));
    }
    return (uint32_t)crc;
}

static ney_status end_member(writer *w, const char *array)
{
    char name[64];
    ney_text header;
    const int64_t offset = w->file.written, size = w->array.length;
    const int n = snprintf(name, sizeof name, "%s.npy", array);
    if (w->array.failed) {
        return ney_no_memory(w->err, size, "bytes of an array");
    }
    if (size > UINT32_MAX - 1 || offset > (int64_t)UINT32_MAX - 1 - size) {
        return ney_fail(w->err, NEY_EINVAL,
                        "an archive of more than 4 GB is not written: convert to a cache (.ney)");
    }
    const uint32_t crc = crc_of(w->array.bytes, size);
    ney_text_init(&header, &w->env);
    ney_text_add(&header, "PK\x03\x04", 4);
    put_member(&header, crc, size, (size_t)n);
    ney_text_add(&header, name, n);
    ney_text_add(&w->directory, "PK\x01\x02\x14\x00", 6);
    put_member(&w->directory, crc, size, (size_t)n);
    put_number(&w->directory, 0, 2 + 2 + 2); /* comment, disk, kind of file */
    put_number(&w->directory, 0, 4);
    put_number(&w->directory, (uint64_t)offset, 4);
    ney_text_add(&w->directory, name, n);
    w->n_members++;
    ney_status st = header.failed
                        ? ney_no_memory(w->err, 1, "header")
                        : ney_outfile_write(&w->file, header.bytes, header.length, w->err);
    if (st == NEY_OK) {
        st = ney_outfile_write(&w->file, w->array.bytes, size, w->err);
    }
    ney_text_deinit(&header);
    return st;
}

static ney_status end_archive(writer *w)
{
    const int64_t offset = w->file.written, bytes = w->directory.length;
    ney_text_add(&w->directory, "PK\x05\x06\0\0\0\0", 8);
    put_number(&w->directory, (uint64_t)w->n_members, 2);
    put_number(&w->directory, (uint64_t)w->n_members, 2);
    put_number(&w->directory, (uint64_t)bytes, 4);
    put_number(&w->directory, (uint64_t)offset, 4);
    put_number(&w->directory, 0, 2);
    return w->directory.failed
               ? ney_no_memory(w->err, bytes, "directory of an archive")
               : ney_outfile_write(&w->file, w->directory.bytes, w->directory.length, w->err);
}

/* ---- features */

/* A column held less a constant needs the digits of a double. */
static bool needs_double(const ney_data *d)
{
    return d->preprocessing->shift && !d->preprocessing->prepared;
}

static void begin_dense(writer *w)
{
    char shape[64];
    snprintf(shape, sizeof shape, "(%lld, %lld)", (long long)w->data->x.rows,
             (long long)w->data->x.cols);
    begin_array(w, needs_double(w->data) ? "<f8" : "<f4", shape);
}

static void add_dense_row(writer *w, int64_t row)
{
    const ney_data *const d = w->data;
    int64_t k = d->start ? d->start[row] : 0;
    for (int64_t c = 0; c < d->x.cols; c++) {
        float stored = 0;
        if (!d->start) {
            stored = d->value[row * d->x.cols + c];
        } else if (k < d->start[row + 1] && d->index[k] == c) {
            stored = d->value[k++];
        }
        const double number = ney_data_number(d, c, stored);
        if (needs_double(d)) {
            add_numbers(w, &number, 1, sizeof number);
        } else {
            add_numbers(w, &stored, 1, sizeof stored);
        }
    }
}

static ney_status write_sparse(writer *w)
{
    const ney_data *const d = w->data;
    const int64_t entries = d->start[d->x.rows], shape[2] = {d->x.rows, d->x.cols};
    ney_status st;
    begin_list(w, "<f4", entries);
    add_numbers(w, d->value, entries, sizeof *d->value);
    if ((st = end_member(w, "data")) != NEY_OK) {
        return st;
    }
    begin_list(w, "<i4", entries);
    add_numbers(w, d->index, entries, sizeof *d->index);
    if ((st = end_member(w, "indices")) != NEY_OK) {
        return st;
    }
    begin_list(w, "<i8", d->x.rows + 1);
    add_numbers(w, d->start, d->x.rows + 1, sizeof *d->start);
    if ((st = end_member(w, "indptr")) != NEY_OK) {
        return st;
    }
    begin_list(w, "<i8", 2);
    add_numbers(w, shape, 2, sizeof *shape);
    if ((st = end_member(w, "shape")) != NEY_OK) {
        return st;
    }
    begin_array(w, "|S3", "()");
    ney_text_put(&w->array, "csr");
    return end_member(w, "format");
}

static ney_status write_features(writer *w)
{
    if (w->data->start && !needs_double(w->data)) {
        return write_sparse(w);
    }
    begin_dense(w);
    for (int64_t r = 0; r < w->data->x.rows; r++) {
        add_dense_row(w, r);
    }
    return end_member(w, "X");
}

/* ---- labels, weights, names */

static ney_status write_labels(writer *w)
{
    const ney_data *const d = w->data;
    const char *const name[2] = {ney_preprocessing_label(d->preprocessing, -1),
                                 ney_preprocessing_label(d->preprocessing, 1)};
    double number[2] = {-1, 1};
    bool numbers = true;
    size_t longest = 1;
    char type[32] = "<f8";
    for (int k = 0; k < 2; k++) {
        numbers =
            numbers && (!name[k][0] || ney_number_parse(name[k], strlen(name[k]), &number[k]));
        longest = strlen(name[k]) > longest ? strlen(name[k]) : longest;
    }
    if (!numbers) {
        snprintf(type, sizeof type, "<U%zu", longest);
    }
    begin_list(w, type, d->x.rows);
    for (int64_t i = 0; i < d->x.rows; i++) {
        const int k = d->label[i] > 0;
        if (numbers) {
            add_numbers(w, &number[k], 1, sizeof number[k]);
        } else {
            add_text32(w, name[k], (int64_t)longest);
        }
    }
    return end_member(w, "y");
}

static ney_status write_names(writer *w)
{
    enum { NAME_BYTES = 256 };
    const ney_data *const d = w->data;
    size_t longest = 1;
    char name[NAME_BYTES], type[32];
    for (int64_t c = 0; c < d->x.cols; c++) {
        ney_preprocessing_feature(d->preprocessing, c, name, sizeof name);
        longest = strlen(name) > longest ? strlen(name) : longest;
    }
    snprintf(type, sizeof type, "<U%zu", longest);
    begin_list(w, type, d->x.cols);
    for (int64_t c = 0; c < d->x.cols; c++) {
        ney_preprocessing_feature(d->preprocessing, c, name, sizeof name);
        add_text32(w, name, (int64_t)longest);
    }
    return end_member(w, "names");
}

static ney_status write_archive(writer *w)
{
    const ney_data *const d = w->data;
    ney_status st = write_features(w);
    if (st == NEY_OK && d->label) {
        st = write_labels(w);
    }
    if (st == NEY_OK && d->weight) {
        begin_list(w, "<f4", d->x.rows);
        add_numbers(w, d->weight, d->x.rows, sizeof *d->weight);
        st = end_member(w, "weight");
    }
    if (st == NEY_OK && d->preprocessing->input && !d->start) {
        st = write_names(w);
    }
    return st == NEY_OK ? end_archive(w) : st;
}

/* Row after row: an array has no checksum before it. */
static ney_status write_array(writer *w)
{
    enum { BLOCK_BYTES = 1 << 20 };
    const int64_t rows = w->data->x.rows;
    ney_status st = NEY_OK;
    begin_dense(w);
    for (int64_t r = 0; r <= rows && st == NEY_OK; r++) {
        if (r < rows) {
            add_dense_row(w, r);
        }
        if (w->array.length < BLOCK_BYTES && r < rows) {
            continue;
        }
        st = w->array.failed ? ney_no_memory(w->err, rows, "rows")
                             : ney_outfile_write(&w->file, w->array.bytes, w->array.length, w->err);
        w->array.length = 0;
        if (st == NEY_OK && !ney_poll(&w->env, "writing", (double)r, (double)rows)) {
            st = ney_fail(w->err, NEY_ECANCELLED, "cancelled while writing");
        }
    }
    return st;
}

ney_status ney_numpy_write(const ney_data *data, const ney_env *env, const char *path,
                           ney_format format, ney_error *err)
{
    writer w = {.env = *env, .data = data, .err = err};
    ney_status st = ney_outfile_open(&w.file, env, path, err);
    if (st != NEY_OK) {
        return st;
    }
    ney_text_init(&w.array, env);
    ney_text_init(&w.directory, env);
    if (format == NEY_FORMAT_NPY && (data->label || data->weight || data->preprocessing->input)) {
        ney_log(env, NEY_LOG_WARNING,
                "%s: an array holds the features alone: labels, weights and names are written to "
                ".npz",
                path);
    }
    st = format == NEY_FORMAT_NPY ? write_array(&w) : write_archive(&w);
    if (st == NEY_OK) {
        st = ney_outfile_commit(&w.file, err);
    }
    ney_outfile_discard(&w.file);
    ney_text_deinit(&w.array);
    ney_text_deinit(&w.directory);
    return st;
}
