/* A member of an archive, read in order. */
#include "data/npz.h"

#include <zlib.h>

enum { INPUT_BYTES = 1 << 16 };

struct ney_npz_stream {
    const ney_npz *z;
    const ney_npz_member *m;
    int64_t at, packed, left; /* place in the file, bytes left there, bytes left to give out */
    uLong crc;
    unsigned char *input; /* of a deflated member */
    z_stream inflate;
    bool is_open, has_ended; /* of inflate */
};

static ney_status fail(const ney_npz_stream *s, const char *what, ney_error *err)
{
    return ney_npz_fail_member(s->z, s->m, s->at, what, err);
}

ney_status ney_npz_stream_open(ney_npz_stream **out, const ney_npz *z, const ney_npz_member *m,
                               ney_error *err)
{
    const ney_env *const env = &z->env;
    *out = NULL;
    ney_npz_stream *const s = ney_alloc_zeroed(env, 1, sizeof *s);
    if (!s) {
        return ney_no_memory(err, 1, "stream of an array");
    }
    *s = (ney_npz_stream){.z = z, .m = m, .packed = m->packed, .left = m->size};
    s->crc = crc32(0, NULL, 0);
    ney_status st = ney_npz_content(z, m, &s->at, err);
    if (st == NEY_OK && m->method == 8) {
        s->input = ney_alloc(env, INPUT_BYTES, 1);
        s->is_open = s->input && inflateInit2(&s->inflate, -15) == Z_OK;
        st = s->is_open ? NEY_OK : ney_no_memory(err, INPUT_BYTES, "bytes of an array");
    }
    if (st != NEY_OK) {
        ney_npz_stream_close(s);
        return st;
    }
    *out = s;
    return NEY_OK;
}

void ney_npz_stream_close(ney_npz_stream *s)
{
    if (s) {
        const ney_env env = s->z->env;
        if (s->is_open) {
            inflateEnd(&s->inflate);
        }
        ney_release(&env, s->input);
        ney_release(&env, s);
    }
}

int64_t ney_npz_stream_left(const ney_npz_stream *s)
{
    return s->left;
}

static ney_status refill(ney_npz_stream *s, ney_error *err)
{
    const int64_t n = s->packed < INPUT_BYTES ? s->packed : INPUT_BYTES;
    const ney_status st = ney_source_read_at(s->z->source, s->at, s->input, n, err);
    s->at += n;
    s->packed -= n;
    s->inflate.next_in = s->input;
    s->inflate.avail_in = (unsigned)n;
    return st;
}

/* At most 2^30 bytes at a time. */
static ney_status unpack(ney_npz_stream *s, unsigned char *to, int64_t n, ney_error *err)
{
    s->inflate.next_out = to;
    s->inflate.avail_out = (unsigned)n;
    while (s->inflate.avail_out > 0) {
        ney_status st = NEY_OK;
        if (s->inflate.avail_in == 0 && (st = refill(s, err)) != NEY_OK) {
            return st;
        }
        const int state = inflate(&s->inflate, Z_NO_FLUSH);
        s->has_ended = state == Z_STREAM_END;
        if (state != Z_OK && (state != Z_STREAM_END || s->inflate.avail_out > 0)) {
            return fail(s, "cannot be unpacked to its bytes", err);
        }
    }
    return NEY_OK;
}

/* After the last byte: the deflated stream ends here too. */
static ney_status unpack_end(ney_npz_stream *s, ney_error *err)
{
    unsigned char beyond;
    s->inflate.next_out = &beyond;
    s->inflate.avail_out = 1;
    while (!s->has_ended && s->inflate.avail_out > 0) {
        ney_status st = NEY_OK;
        if (s->inflate.avail_in == 0 && (st = refill(s, err)) != NEY_OK) {
            return st;
        }
        const int state = inflate(&s->inflate, Z_NO_FLUSH);
        s->has_ended = state == Z_STREAM_END;
        if (state != Z_OK && state != Z_STREAM_END) {
            break;
        }
    }
    return s->has_ended && s->inflate.avail_out > 0
               ? NEY_OK
               : fail(s, "cannot be unpacked to its bytes", err);
}

static ney_status check_end(ney_npz_stream *s, ney_error *err)
{
    const ney_status st = s->m->method == 8 ? unpack_end(s, err) : NEY_OK;
    return st != NEY_OK                    ? st
           : (uint32_t)s->crc == s->m->crc ? NEY_OK
                                           : fail(s, "is damaged: its checksum is wrong", err);
}

ney_status ney_npz_stream_read(ney_npz_stream *s, void *to, int64_t n, ney_error *err)
{
    enum { STEP = 1 << 30 };
    if (n > s->left) {
        return fail(s, "has fewer values than its shape says", err);
    }
    for (int64_t done = 0; done < n;) {
        const int64_t step = n - done < STEP ? n - done : STEP;
        unsigned char *const part = (unsigned char *)to + done;
        ney_status st;
        if (s->m->method == 8) {
            st = unpack(s, part, step, err);
        } else {
            st = ney_source_read_at(s->z->source, s->at, part, step, err);
            s->at += step;
        }
        if (st != NEY_OK) {
            return st;
        }
        s->crc = crc32(s->crc, part, (unsigned)step);
        done += step;
    }
    const bool was_left = s->left > 0;
    s->left -= n;
    return was_left && s->left == 0 ? check_end(s, err) : NEY_OK;
}
