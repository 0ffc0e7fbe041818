/* An archive of arrays (.npz): a zip file whose members are named ARRAY.npy, stored or deflated. */
#ifndef NEY_DATA_NPZ_H
#define NEY_DATA_NPZ_H

#include "data/source.h"

typedef struct ney_npz_member {
    char name[64]; /* without .npy; "" where it is no array */
    int method;
    uint32_t crc;
    int64_t packed, size, offset; /* bytes; of the member's own header in the file */
} ney_npz_member;

typedef struct ney_npz {
    ney_env env;
    const char *file;
    const unsigned char *bytes; /* borrowed; NULL: of the source */
    const ney_source *source;   /* borrowed */
    unsigned char *scratch;     /* for a record of the source */
    int64_t n_bytes;
    ney_npz_member *member;
    int64_t n, cap;
} ney_npz;

/* Read the directory. ney_npz_close() is due in either case.
 * @retval NEY_EFORMAT  the message has the byte, what was found and what was expected. */
ney_status ney_npz_open(ney_npz *z, const ney_env *env, const char *file, const void *bytes,
                        int64_t n_bytes, ney_error *err);
void ney_npz_close(ney_npz *z);

/* The same of a source that has places; its members are read by ney_npz_stream. */
ney_status ney_npz_open_source(ney_npz *z, const ney_env *env, const ney_source *source,
                               ney_error *err);

/* The member of that name; NULL: none. */
const ney_npz_member *ney_npz_find(const ney_npz *z, const char *name);

/* The bytes of a member: *own is memory to be released, or NULL where they lie in the file. */
ney_status ney_npz_unpack(const ney_npz *z, const ney_npz_member *m, const void **bytes, void **own,
                          ney_error *err);

/* The first `n` bytes of a member, of at most as many as it has. */
ney_status ney_npz_unpack_first(const ney_npz *z, const ney_npz_member *m, void *to, int64_t n,
                                ney_error *err);

/* A member that is read in order. */
typedef struct ney_npz_stream ney_npz_stream;

ney_status ney_npz_stream_open(ney_npz_stream **out, const ney_npz *z, const ney_npz_member *m,
                               ney_error *err);
void ney_npz_stream_close(ney_npz_stream *s);

/* Exactly the next `n` bytes. The checksum is compared when the last are read. */
ney_status ney_npz_stream_read(ney_npz_stream *s, void *to, int64_t n, ney_error *err);

/* Bytes that are left. */
int64_t ney_npz_stream_left(const ney_npz_stream *s);

/* ---- for npz_stream.c */

/* Where the bytes of a member begin; what makes no sense is refused. */
ney_status ney_npz_content(const ney_npz *z, const ney_npz_member *m, int64_t *at, ney_error *err);
ney_status ney_npz_fail_member(const ney_npz *z, const ney_npz_member *m, int64_t at,
                               const char *what, ney_error *err);

#endif
