#include "data/npz.h"

#include <stdio.h>
#include <string.h>

#include <zlib.h>

enum {
    LOCAL_BYTES = 30,
    CENTRAL_BYTES = 46,
    END_BYTES = 22,
    END64_BYTES = 56,
    LOCATOR_BYTES = 20,
    MOST_MEMBERS = 1 << 16
};

NEY_PRINTF(4, 5)
static ney_status fail(const ney_npz *z, int64_t byte, ney_error *err, const char *format, ...)
{
    char what[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return ney_fail_at(err, NEY_EFORMAT, (ney_place){.file = z->file}, "byte %lld: %s",
                       (long long)byte, what);
}

static uint64_t number_at(const unsigned char *b, int n)
{
    uint64_t x = 0;
    for (int i = n - 1; i >= 0; i--) {
        x = x << 8 | b[i];
    }
    return x;
}

/* Name, extra field and what is before them, each of at most 2^16 bytes. */
enum { SCRATCH_BYTES = CENTRAL_BYTES + 2 * 0xFFFF };

/* `n` bytes from a place on, until the next call; NULL: not in the file. */
static const unsigned char *bytes_at(const ney_npz *z, int64_t at, int64_t n)
{
    if (at < 0 || n > SCRATCH_BYTES || n > z->n_bytes || at > z->n_bytes - n) {
        return NULL;
    }
    if (z->bytes) {
        return z->bytes + at;
    }
    return ney_source_read_at(z->source, at, z->scratch, n, NULL) == NEY_OK ? z->scratch : NULL;
}

static bool is_mark(const ney_npz *z, int64_t at, const char *mark)
{
    const unsigned char *const b = bytes_at(z, at, 4);
    return b && memcmp(b, mark, 4) == 0;
}

/* ---- the directory */

typedef struct directory {
    int64_t offset, bytes, n;
} directory;

/* In files beyond 4 GB the end has a second record, whose place stands before it. */
static void use_end64(const ney_npz *z, int64_t end, directory *d)
{
    const int64_t locator = end - LOCATOR_BYTES;
    if (!is_mark(z, locator, "PK\x06\x07")) {
        return;
    }
    const unsigned char *b = bytes_at(z, locator, LOCATOR_BYTES);
    const int64_t place = b ? (int64_t)number_at(b + 8, 8) : -1;
    if (!is_mark(z, place, "PK\x06\x06") || !(b = bytes_at(z, place, END64_BYTES))) {
        return;
    }
    d->n = (int64_t)number_at(b + 32, 8);
    d->bytes = (int64_t)number_at(b + 40, 8);
    d->offset = (int64_t)number_at(b + 48, 8);
}

static ney_status find_directory(const ney_npz *z, directory *d, ney_error *err)
{
    int64_t end = z->n_bytes - END_BYTES;
    const int64_t first = end > 0xFFFF ? end - 0xFFFF : 0;
    while (end >= first && !is_mark(z, end, "PK\x05\x06")) {
        end--;
    }
    if (end < first) {
        return fail(z, z->n_bytes, err, "the archive has no directory at its end: it is cut short");
    }
    const unsigned char *const b = bytes_at(z, end, END_BYTES);
    if (!b) {
        return fail(z, end, err, "the end of the archive's directory cannot be read");
    }
    *d = (directory){.n = (int64_t)number_at(b + 10, 2),
                     .bytes = (int64_t)number_at(b + 12, 4),
                     .offset = (int64_t)number_at(b + 16, 4)};
    use_end64(z, end, d);
    if (d->n < 0 || d->n > MOST_MEMBERS || d->offset < 0 || d->bytes < 0 || d->offset > end ||
        d->bytes > end - d->offset) {
        return fail(z, end, err, "the archive's directory lies outside of the file");
    }
    return NEY_OK;
}

/* Sizes of 64 bits follow those of 32 that are all ones, in their order. */
static void use_extra64(const unsigned char *extra, int64_t n, ney_npz_member *m)
{
    int64_t *const fields[] = {&m->size, &m->packed, &m->offset};
    while (n >= 4) {
        const int64_t id = (int64_t)number_at(extra, 2), length = (int64_t)number_at(extra + 2, 2);
        if (length > n - 4) {
            return;
        }
        for (int64_t k = 0, at = 4; id == 1 && k < 3 && at + 8 <= 4 + length; k++) {
            if (*fields[k] == 0xFFFFFFFF) {
                *fields[k] = (int64_t)number_at(extra + at, 8);
                at += 8;
            }
        }
        extra += 4 + length;
        n -= 4 + length;
    }
}

static void name_member(ney_npz_member *m, const unsigned char *name, int64_t length)
{
    const int64_t n = length - 4;
    m->name[0] = '\0';
    if (n > 0 && n < (int64_t)sizeof m->name && memcmp(name + n, ".npy", 4) == 0 &&
        !memchr(name, '\0', (size_t)n)) {
        memcpy(m->name, name, (size_t)n);
        m->name[n] = '\0';
    }
}

static ney_status read_member(ney_npz *z, int64_t *at, int64_t end, ney_error *err)
{
    const unsigned char *b = NULL;
    if (end - *at < CENTRAL_BYTES || !is_mark(z, *at, "PK\x01\x02") ||
        !(b = bytes_at(z, *at, CENTRAL_BYTES))) {
        return fail(z, *at, err, "expected an entry of the archive's directory");
    }
    const int64_t name = (int64_t)number_at(b + 28, 2), extra = (int64_t)number_at(b + 30, 2);
    const int64_t comment = (int64_t)number_at(b + 32, 2);
    if (name + extra + comment > end - *at - CENTRAL_BYTES ||
        !(b = bytes_at(z, *at, CENTRAL_BYTES + name + extra))) {
        return fail(z, *at, err, "an entry of the archive's directory is cut short");
    }
    if (!ney_grow(&z->env, &z->member, &z->cap, z->n + 1, sizeof *z->member)) {
        return ney_no_memory(err, z->n + 1, "members of an archive");
    }
    ney_npz_member *const m = &z->member[z->n];
    *m = (ney_npz_member){.method = (int)number_at(b + 10, 2),
                          .crc = (uint32_t)number_at(b + 16, 4),
                          .packed = (int64_t)number_at(b + 20, 4),
                          .size = (int64_t)number_at(b + 24, 4),
                          .offset = (int64_t)number_at(b + 42, 4)};
    use_extra64(b + CENTRAL_BYTES + name, extra, m);
    name_member(m, b + CENTRAL_BYTES, name);
    if ((number_at(b + 8, 2) & 1) != 0) {
        return fail(z, *at, err, "the archive is encrypted, expected one without a password");
    }
    if (m->name[0] && ney_npz_find(z, m->name)) {
        return fail(z, *at, err, "the archive has two arrays '%s'", m->name);
    }
    z->n++;
    *at += CENTRAL_BYTES + name + extra + comment;
    return NEY_OK;
}

static ney_status read_directory(ney_npz *z, ney_error *err)
{
    directory d = {0};
    ney_status st = find_directory(z, &d, err);
    int64_t at = d.offset;
    for (int64_t k = 0; st == NEY_OK && k < d.n; k++) {
        st = read_member(z, &at, d.offset + d.bytes, err);
    }
    return st;
}

ney_status ney_npz_open(ney_npz *z, const ney_env *env, const char *file, const void *bytes,
                        int64_t n_bytes, ney_error *err)
{
    *z = (ney_npz){.env = *env, .file = file, .bytes = bytes, .n_bytes = n_bytes};
    return read_directory(z, err);
}

ney_status ney_npz_open_source(ney_npz *z, const ney_env *env, const ney_source *source,
                               ney_error *err)
{
    *z = (ney_npz){.env = *env,
                   .file = ney_source_name(source),
                   .source = source,
                   .n_bytes = ney_source_total(source)};
    if (!(z->scratch = ney_alloc(env, SCRATCH_BYTES, 1))) {
        return ney_no_memory(err, SCRATCH_BYTES, "bytes of an archive");
    }
    return read_directory(z, err);
}

void ney_npz_close(ney_npz *z)
{
    ney_release(&z->env, z->member);
    ney_release(&z->env, z->scratch);
    z->member = NULL;
    z->scratch = NULL;
    z->n = 0;
}

const ney_npz_member *ney_npz_find(const ney_npz *z, const char *name)
{
    for (int64_t k = 0; k < z->n; k++) {
        if (strcmp(z->member[k].name, name) == 0) {
            return &z->member[k];
        }
    }
    return NULL;
}

/* ---- members */

/* Deflate; all bytes, as many as the directory says and no more, or the first of them. */
static bool inflate_bytes(const unsigned char *from, int64_t packed, unsigned char *to,
                          int64_t size, bool all)
{
    enum { STEP = 1 << 30 };
    z_stream s = {0};
    int state = Z_OK;
    if (inflateInit2(&s, -15) != Z_OK) {
        return false;
    }
    unsigned char beyond;
    int64_t in = 0, out = 0;
    while (state == Z_OK && (all || out < size)) {
        const int64_t n_in = packed - in < STEP ? packed - in : STEP;
        const int64_t n_out = size - out < STEP ? size - out : STEP;
        s.next_in = (unsigned char *)(uintptr_t)(from + in);
        s.avail_in = (unsigned)n_in;
        s.next_out = n_out > 0 ? to + out : &beyond;
        s.avail_out = n_out > 0 ? (unsigned)n_out : 1;
        state = inflate(&s, Z_NO_FLUSH);
        in += n_in - (int64_t)s.avail_in;
        if (n_out > 0) {
            out += n_out - (int64_t)s.avail_out;
        } else if (s.avail_out == 0) {
            break; /* more than there should be */
        }
    }
    inflateEnd(&s);
    return out == size && (!all || state == Z_STREAM_END);
}

static uint32_t crc_of(const unsigned char *bytes, int64_t n)
{
    enum { STEP = 1 << 30 };
    uLong crc = crc32(0, NULL, 0);
    for (int64_t at = 0; at < n; at += STEP) {
        crc = crc32(crc, bytes + at, (unsigned)(n - at < STEP ? n - at : STEP));
    }
    return (uint32_t)crc;
}

/* Where the bytes of a member begin; -1: outside of the file. */
static int64_t content_of(const ney_npz *z, const ney_npz_member *m)
{
    const unsigned char *b = NULL;
    if (!is_mark(z, m->offset, "PK\x03\x04") || !(b = bytes_at(z, m->offset, LOCAL_BYTES))) {
        return -1;
    }
    const int64_t at =
        m->offset + LOCAL_BYTES + (int64_t)number_at(b + 26, 2) + (int64_t)number_at(b + 28, 2);
    return m->packed < 0 || m->size < 0 || at > z->n_bytes || m->packed > z->n_bytes - at ? -1 : at;
}

ney_status ney_npz_fail_member(const ney_npz *z, const ney_npz_member *m, int64_t at,
                               const char *what, ney_error *err)
{
    return fail(z, at, err, "array '%s' %s", m->name, what);
}

ney_status ney_npz_content(const ney_npz *z, const ney_npz_member *m, int64_t *at, ney_error *err)
{
    enum { MOST_RATIO = 1033 }; /* of deflate */
    *at = content_of(z, m);
    if (*at < 0) {
        return ney_npz_fail_member(z, m, m->offset, "lies outside of the file", err);
    }
    if (m->method != 0 && m->method != 8) {
        return fail(z, m->offset, err,
                    "array '%s' is compressed by method %d, expected stored or deflated", m->name,
                    m->method);
    }
    if (m->method == 0 ? m->size != m->packed : m->size / MOST_RATIO > m->packed + 1) {
        return fail(z, m->offset, err,
                    "array '%s' of %lld bytes takes %lld in the file, which no "
                    "archive can have",
                    m->name, (long long)m->size, (long long)m->packed);
    }
    return NEY_OK;
}

static ney_status fail_unpacking(const ney_npz *z, const ney_npz_member *m, int64_t at,
                                 ney_error *err)
{
    return fail(z, at, err, "array '%s' cannot be unpacked to its %lld bytes", m->name,
                (long long)m->size);
}

ney_status ney_npz_unpack_first(const ney_npz *z, const ney_npz_member *m, void *to, int64_t n,
                                ney_error *err)
{
    int64_t at;
    ney_status st = ney_npz_content(z, m, &at, err);
    if (st == NEY_OK && m->method == 0) {
        memcpy(to, z->bytes + at, (size_t)n);
    } else if (st == NEY_OK && !inflate_bytes(z->bytes + at, m->packed, to, n, false)) {
        st = fail_unpacking(z, m, at, err);
    }
    return st;
}

ney_status ney_npz_unpack(const ney_npz *z, const ney_npz_member *m, const void **bytes, void **own,
                          ney_error *err)
{
    int64_t at;
    const ney_status st = ney_npz_content(z, m, &at, err);
    *own = NULL;
    if (st != NEY_OK) {
        return st;
    }
    *bytes = z->bytes + at;
    if (m->method == 8) {
        unsigned char *const to = ney_alloc(&z->env, m->size + 1, 1);
        if (!to) {
            return ney_no_memory(err, m->size, "bytes of an array");
        }
        *own = to;
        *bytes = to;
        if (!inflate_bytes(z->bytes + at, m->packed, to, m->size, true)) {
            return fail_unpacking(z, m, at, err);
        }
    }
    return crc_of(*bytes, m->size) == m->crc
               ? NEY_OK
               : ney_npz_fail_member(z, m, at, "is damaged: its checksum is wrong", err);
}
