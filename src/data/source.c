#include "data/source.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>

#ifdef NEY_FUZZING
enum { INPUT_BYTES = 1 << 8 };
#else
enum { INPUT_BYTES = 1 << 18 };
#endif

typedef enum codec { CODEC_UNKNOWN, CODEC_NONE, CODEC_GZIP, CODEC_ZSTD } codec;

struct ney_source {
    ney_env env;
    char *name;
    int fd;                      /* -1 for memory */
    const unsigned char *memory; /* all of it, when fd is -1 */
    char *held;                  /* the same memory when it is ours */
    int64_t memory_bytes, done, total;
    int64_t begin; /* where reading began: standard input may be a file half read */
    codec codec;
    unsigned char *input;        /* INPUT_BYTES of the file, still compressed */
    int64_t input_at, input_end; /* what of it is unread */
    bool live;                   /* a pipe, a terminal or a socket: bytes come when they come */
    bool flowing;                /* do not wait for more than some bytes */
    bool member_open;            /* inside a gzip member or zstd frame */
    bool held_plain;             /* `held` is what came out of the decoder */
    char *peeked;                /* decoded already, to be read first */
    int64_t peeked_at, peeked_end, peeked_cap;
    z_stream gzip;
    bool gzip_ready;
    ZSTD_DCtx *zstd;
};

static ney_status fail_here(const ney_source *s, ney_status code, const char *what, ney_error *err)
{
    return ney_fail_at(err, code, (ney_place){.file = s->name}, "%s", what);
}

static ney_status new_source(ney_source **out, const ney_env *env, const char *name, ney_error *err)
{
    ney_source *s = ney_alloc_zeroed(env, 1, sizeof *s);
    *out = NULL;
    if (!s) {
        return ney_no_memory(err, 1, "input");
    }
    s->env = *env;
    s->fd = -1;
    s->name = ney_strdup(env, name, strlen(name));
    s->input = ney_alloc(env, INPUT_BYTES, 1);
    if (!s->name || !s->input) {
        ney_source_close(s);
        return ney_no_memory(err, INPUT_BYTES, "bytes of input");
    }
    *out = s;
    return NEY_OK;
}

ney_status ney_source_open(ney_source **out, const ney_env *env, const char *path, ney_error *err)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    struct stat info;
    ney_source *s;
    ney_status st = new_source(&s, env, is_stdin ? "standard input" : path, err);

    *out = NULL;
    if (st != NEY_OK) {
        return st;
    }
    s->fd = is_stdin ? dup(STDIN_FILENO) : ney_file_open(env, path, O_RDONLY);
    if (s->fd < 0 || fstat(s->fd, &info) != 0) {
        st = ney_fail_io(err, s->name, "cannot be opened");
    } else if (S_ISDIR(info.st_mode)) {
        st = fail_here(s, NEY_EIO, "is a folder, expected a file", err);
    }
    if (st != NEY_OK) {
        ney_source_close(s);
        return st;
    }
    const off_t begin = lseek(s->fd, 0, SEEK_CUR);
    s->begin = begin > 0 ? (int64_t)begin : 0;
    s->live = !S_ISREG(info.st_mode);
    s->total = s->live ? 0 : (int64_t)info.st_size - s->begin;
    *out = s;
    return NEY_OK;
}

ney_status ney_source_view(ney_source **out, const ney_env *env, const char *name,
                           const void *bytes, int64_t n_bytes, ney_error *err)
{
    const ney_status st = new_source(out, env, name, err);
    if (st == NEY_OK) {
        (*out)->memory = bytes;
        (*out)->memory_bytes = (*out)->total = n_bytes;
    }
    return st;
}

static void close_codec(ney_source *s)
{
    if (s->gzip_ready) {
        inflateEnd(&s->gzip);
        s->gzip_ready = false;
    }
    ZSTD_freeDCtx(s->zstd);
    s->zstd = NULL;
    s->codec = CODEC_UNKNOWN;
    s->member_open = false;
    s->input_at = s->input_end = 0;
}

void ney_source_close(ney_source *s)
{
    if (!s) {
        return;
    }
    const ney_env env = s->env;
    close_codec(s);
    if (s->fd >= 0) {
        close(s->fd);
    }
    ney_release_all(&env, s->held, s->peeked, s->input, s->name, s);
}

/* A pipe may keep us waiting for ever: look up now and then whether we should still wait. */
static ney_status wait_for_bytes(const ney_source *s, ney_error *err)
{
    struct pollfd fd = {.fd = s->fd, .events = POLLIN};
    while (s->total == 0 && poll(&fd, 1, 100) <= 0) {
        if (!ney_poll(&s->env, "waiting for input", (double)s->done, 0)) {
            return ney_fail(err, NEY_ECANCELLED, "cancelled while reading");
        }
    }
    return NEY_OK;
}

/* The next bytes as stored; *got is 0 at the end only. */
static ney_status raw_read(ney_source *s, void *to, int64_t capacity, int64_t *got, ney_error *err)
{
    if (s->fd < 0) {
        const int64_t left = s->memory_bytes - s->done;
        *got = left < capacity ? left : capacity;
        if (*got > 0) {
            memcpy(to, s->memory + s->done, (size_t)*got);
        }
    } else {
        const ney_status st = wait_for_bytes(s, err);
        if (st != NEY_OK) {
            return st;
        }
        ssize_t n;
        do {
            n = read(s->fd, to, (size_t)capacity);
        } while (n < 0 && errno == EINTR);
        if (n < 0) {
            return ney_fail_io(err, s->name, "reading failed");
        }
        *got = n;
    }
    s->done += *got;
    return NEY_OK;
}

/* Make sure that unread input is there; input_at == input_end afterwards means the end. */
static ney_status refill(ney_source *s, ney_error *err)
{
    if (s->input_at < s->input_end) {
        return NEY_OK;
    }
    s->input_at = 0;
    s->input_end = 0;
    return raw_read(s, s->input, INPUT_BYTES, &s->input_end, err);
}

static void *gzip_alloc(void *opaque, unsigned items, unsigned bytes)
{
    return ney_alloc(opaque, items, bytes);
}

static void gzip_free(void *opaque, void *block)
{
    ney_release(opaque, block);
}

/* A pipe may hand over its first bytes one by one: gather enough to tell the compression. */
static ney_status detect(ney_source *s, ney_error *err)
{
    static const unsigned char gzip_magic[] = {0x1f, 0x8b}, zstd_magic[] = {0x28, 0xb5, 0x2f, 0xfd};
    while (s->input_end < 4) {
        int64_t got;
        const ney_status st =
            raw_read(s, s->input + s->input_end, INPUT_BYTES - s->input_end, &got, err);
        if (st != NEY_OK) {
            return st;
        }
        if (got == 0) {
            break;
        }
        s->input_end += got;
    }
    s->codec = CODEC_NONE;
    if (s->input_end >= 2 && memcmp(s->input, gzip_magic, 2) == 0) {
        s->codec = CODEC_GZIP;
        s->gzip = (z_stream){.zalloc = gzip_alloc, .zfree = gzip_free, .opaque = &s->env};
        if (inflateInit2(&s->gzip, 15 + 16) != Z_OK) {
            return ney_no_memory(err, 1, "gzip decoder");
        }
        s->gzip_ready = true;
    } else if (s->input_end >= 4 && memcmp(s->input, zstd_magic, 4) == 0) {
        s->codec = CODEC_ZSTD;
        s->zstd = ZSTD_createDCtx();
        if (!s->zstd) {
            return ney_no_memory(err, 1, "zstd decoder");
        }
    }
    return NEY_OK;
}

/* One call of the decoder: consumes input, produces up to `capacity` bytes. */
static ney_status gunzip(ney_source *s, char *to, int64_t capacity, int64_t *got, ney_error *err)
{
    const unsigned piece = capacity < (1 << 30) ? (unsigned)capacity : 1u << 30;
    if (!s->member_open) {
        if (inflateReset(&s->gzip) != Z_OK) {
            return fail_here(s, NEY_EPARSE, "the gzip decoder failed", err);
        }
        s->member_open = true;
    }
    s->gzip.next_in = s->input + s->input_at;
    s->gzip.avail_in = (unsigned)(s->input_end - s->input_at);
    s->gzip.next_out = (unsigned char *)to;
    s->gzip.avail_out = piece;
    const int code = inflate(&s->gzip, Z_NO_FLUSH);
    s->input_at = s->input_end - (int64_t)s->gzip.avail_in;
    *got = (int64_t)piece - (int64_t)s->gzip.avail_out;
    if (code == Z_STREAM_END) {
        s->member_open = false; /* another member may follow, as after `cat a.gz b.gz` */
    } else if (code == Z_MEM_ERROR) {
        return ney_no_memory(err, 1, "gzip decoder");
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
        return fail_here(s, NEY_EPARSE, "damaged gzip data: the file is not as it was written",
                         err);
    }
    return NEY_OK;
}

static ney_status unzstd(ney_source *s, char *to, int64_t capacity, int64_t *got, ney_error *err)
{
    ZSTD_inBuffer in = {s->input, (size_t)s->input_end, (size_t)s->input_at};
    ZSTD_outBuffer out = {to, (size_t)capacity, 0};
    const size_t left = ZSTD_decompressStream(s->zstd, &out, &in);
    if (ZSTD_isError(left)) {
        return ney_fail_at(err, NEY_EPARSE, (ney_place){.file = s->name}, "damaged zstd data: %s",
                           ZSTD_getErrorName(left));
    }
    s->input_at = (int64_t)in.pos;
    s->member_open = left != 0;
    *got = (int64_t)out.pos;
    return NEY_OK;
}

static ney_status decode(ney_source *s, char *to, int64_t capacity, int64_t *got, ney_error *err)
{
    ney_status st = NEY_OK;
    *got = 0;
    while (*got == 0 && st == NEY_OK) {
        if ((st = refill(s, err)) != NEY_OK) {
            return st;
        }
        if (s->input_at == s->input_end) {
            if (s->member_open) {
                return fail_here(s, NEY_EPARSE,
                                 "the compressed data end early: the file is truncated", err);
            }
            return NEY_OK;
        }
        st = s->codec == CODEC_GZIP ? gunzip(s, to, capacity, got, err)
                                    : unzstd(s, to, capacity, got, err);
    }
    return st;
}

/* Some bytes, 0 at the end only. */
static ney_status read_some(ney_source *s, char *to, int64_t capacity, int64_t *got, ney_error *err)
{
    if (s->codec == CODEC_UNKNOWN) {
        const ney_status st = detect(s, err);
        if (st != NEY_OK) {
            return st;
        }
    }
    if (s->codec != CODEC_NONE) {
        return decode(s, to, capacity, got, err);
    }
    const int64_t left = s->input_end - s->input_at; /* what detect() took */
    if (left > 0) {
        *got = left < capacity ? left : capacity;
        memcpy(to, s->input + s->input_at, (size_t)*got);
        s->input_at += *got;
        return NEY_OK;
    }
    return raw_read(s, to, capacity < (1 << 30) ? capacity : 1 << 30, got, err);
}

bool ney_source_is_live(const ney_source *s)
{
    return s->live;
}

void ney_source_flow(ney_source *s)
{
    s->flowing = true;
}

bool ney_source_is_flowing(const ney_source *s)
{
    return s->flowing;
}

int64_t ney_source_ready(const ney_source *s)
{
    return s->flowing ? s->peeked_end : 0;
}

/* Whether more bytes can be read without waiting. A decoder may take bytes and give none. */
static bool has_more(const ney_source *s)
{
    struct pollfd fd = {.fd = s->fd, .events = POLLIN};
    return s->codec == CODEC_NONE && (s->fd < 0 || poll(&fd, 1, 0) > 0);
}

ney_status ney_source_read(ney_source *s, char *to, int64_t capacity, int64_t *got, ney_error *err)
{
    const int64_t ready = s->peeked_end - s->peeked_at;
    *got = ready < capacity ? ready : capacity;
    if (*got > 0) {
        memcpy(to, s->peeked + s->peeked_at, (size_t)*got);
        s->peeked_at += *got;
    }
    while (*got < capacity && (!s->flowing || *got == 0 || has_more(s))) {
        int64_t n = 0;
        const ney_status st = read_some(s, to + *got, capacity - *got, &n, err);
        if (st != NEY_OK) {
            return st;
        }
        if (n == 0) {
            break;
        }
        *got += n;
    }
    return NEY_OK;
}

ney_status ney_source_peek(ney_source *s, int64_t want, const char **bytes, int64_t *n_bytes,
                           ney_error *err)
{
    if (!ney_grow(&s->env, &s->peeked, &s->peeked_cap, want, 1)) {
        return ney_no_memory(err, want, "bytes of input");
    }
    while (s->peeked_end < want) {
        int64_t got = 0;
        const ney_status st =
            read_some(s, s->peeked + s->peeked_end, want - s->peeked_end, &got, err);
        if (st != NEY_OK) {
            return st;
        }
        s->peeked_end += got;
        if (got == 0 || s->flowing) {
            break;
        }
    }
    *bytes = s->peeked;
    *n_bytes = s->peeked_end;
    return NEY_OK;
}

ney_status ney_source_rewind(ney_source *s, ney_error *err)
{
    close_codec(s);
    s->done = s->peeked_at = s->peeked_end = 0;
    s->codec = s->held_plain ? CODEC_NONE : CODEC_UNKNOWN;
    if (s->fd >= 0 && lseek(s->fd, (off_t)s->begin, SEEK_SET) < 0) {
        return fail_here(s, NEY_EIO, "cannot be read a second time", err);
    }
    return NEY_OK;
}

ney_status ney_source_hold(ney_source *s, ney_error *err)
{
    if (s->fd < 0 || lseek(s->fd, 0, SEEK_CUR) >= 0) {
        return NEY_OK;
    }
    int64_t cap = 0, length = 0, got = 1;
    while (got > 0) {
        if (!ney_grow(&s->env, &s->held, &cap, length + INPUT_BYTES, 1)) {
            return ney_no_memory(err, length + INPUT_BYTES, "bytes of input");
        }
        const ney_status st = ney_source_read(s, s->held + length, cap - length, &got, err);
        if (st != NEY_OK) {
            return st;
        }
        length += got;
    }
    close(s->fd);
    s->fd = -1;
    s->held_plain = true;
    s->memory = (unsigned char *)s->held;
    s->memory_bytes = s->total = length;
    return ney_source_rewind(s, err);
}

bool ney_source_compressed(const ney_source *s)
{
    return s->codec == CODEC_GZIP || s->codec == CODEC_ZSTD;
}

const char *ney_source_name(const ney_source *s)
{
    return s->name;
}

bool ney_source_has_places(const ney_source *s)
{
    return s->codec == CODEC_NONE && (s->fd < 0 || !s->live);
}

ney_status ney_source_read_at(const ney_source *s, int64_t place, void *to, int64_t n,
                              ney_error *err)
{
    if (place < 0 || n < 0 || n > s->total || place > s->total - n) {
        return fail_here(s, NEY_EFORMAT, "ends before its content does: it is cut short", err);
    }
    if (s->fd < 0) {
        memcpy(to, s->memory + place, (size_t)n);
        return NEY_OK;
    }
    for (int64_t done = 0; done < n;) {
        const ssize_t got =
            pread(s->fd, (char *)to + done, (size_t)(n - done), (off_t)(s->begin + place + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return ney_fail_io(err, s->name, "cannot be read");
        }
        if (got == 0) {
            return fail_here(s, NEY_EFORMAT, "has become shorter while it was read", err);
        }
        done += got;
    }
    return NEY_OK;
}

int64_t ney_source_done(const ney_source *s)
{
    return s->done;
}

int64_t ney_source_total(const ney_source *s)
{
    return s->total;
}
