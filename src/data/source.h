/* Bytes of a file, of standard input or of memory, decompressed on the way. */
#ifndef NEY_DATA_SOURCE_H
#define NEY_DATA_SOURCE_H

#include "base/env.h"

typedef struct ney_source ney_source;

/* path "-" is standard input. gzip and zstd are told by their first bytes. */
ney_status ney_source_open(ney_source **out, const ney_env *env, const char *path, ney_error *err);

/* Borrows the bytes. */
ney_status ney_source_view(ney_source **out, const ney_env *env, const char *name,
                           const void *bytes, int64_t n_bytes, ney_error *err);
void ney_source_close(ney_source *s);

/* From now on reading and peeking return as soon as some bytes have come: for a pipe whose writer
 * is slow. */
void ney_source_flow(ney_source *s);

/* Fill `room` bytes; *got is less only at the end, and 0 only there of a flowing source. */
ney_status ney_source_read(ney_source *s, char *to, int64_t room, int64_t *got, ney_error *err);

/* The first `want` bytes, or all where there are fewer, without taking them; of a flowing source at
 * least one more than at the last call. May be called again with a larger want; before the first
 * read. */
ney_status ney_source_peek(ney_source *s, int64_t want, const char **bytes, int64_t *n_bytes,
                           ney_error *err);

/* Read the bytes of a pipe into memory, so that it can be rewound; nothing to do for a file. Call
 * before the first read. */
ney_status ney_source_hold(ney_source *s, ney_error *err);

/* Back to the first byte. */
ney_status ney_source_rewind(ney_source *s, ney_error *err);

/* Whether the bytes are being unpacked; known once any were peeked at or read. */
bool ney_source_compressed(const ney_source *s);

const char *ney_source_name(const ney_source *s);

/* Bytes taken from the file so far, and its size (0 when not known), both as stored. */
int64_t ney_source_done(const ney_source *s);
int64_t ney_source_total(const ney_source *s);

#endif
