/* Bytes of a file, of standard input or of memory, decompressed on the way. */
#ifndef NEY_DATA_SOURCE_H
#define NEY_DATA_SOURCE_H

#include "base/env.h"

typedef struct ney_source ney_source;

/* path "-" is standard input. gzip and zstd are recognised by their first bytes. */
ney_status ney_source_open(ney_source **out, const ney_env *env, const char *path, ney_error *err);

/* Borrows the bytes. */
ney_status ney_source_view(ney_source **out, const ney_env *env, const char *name,
                           const void *bytes, int64_t n_bytes, ney_error *err);
void ney_source_close(ney_source *s);

/* Whether the bytes come from a pipe, a terminal or a socket. */
bool ney_source_is_live(const ney_source *s);

/* From now on reading and peeking return what has come, and wait only for the first byte: for a
 * pipe whose writer is slow. */
void ney_source_flow(ney_source *s);
bool ney_source_is_flowing(const ney_source *s);

/* Fill `capacity` bytes; *got is less only at the end, or of a flowing source where more would have
 * to be waited for; it is 0 at the end only. */
ney_status ney_source_read(ney_source *s, char *to, int64_t capacity, int64_t *got, ney_error *err);

/* The first `want` bytes, or all where there are fewer, without taking them; of a flowing source at
 * least one more than at the last call. May be called again with a larger want; before the first
 * read. */
ney_status ney_source_peek(ney_source *s, int64_t want, const char **bytes, int64_t *n_bytes,
                           ney_error *err);

/* Bytes of a flowing source that were peeked at and not read; 0 of others. */
int64_t ney_source_ready(const ney_source *s);

/* Read the bytes of a pipe into memory, so that it can be rewound; nothing to do for a file. Call
 * before the first read. */
ney_status ney_source_hold(ney_source *s, ney_error *err);

/* Back to the first byte. */
ney_status ney_source_rewind(ney_source *s, ney_error *err);

/* Whether bytes can be read from any place: a file or memory that is not compressed; known once any
 * were peeked at or read. */
bool ney_source_has_places(const ney_source *s);

/* Exactly `n` bytes from a place of such a source, wherever it is read otherwise. NEY_EFORMAT where
 * they reach beyond its end. */
ney_status ney_source_read_at(const ney_source *s, int64_t place, void *to, int64_t n,
                              ney_error *err);

/* Whether the bytes are being unpacked; known once any were peeked at or read. */
bool ney_source_compressed(const ney_source *s);

const char *ney_source_name(const ney_source *s);

/* Bytes taken from the file so far, and its size (0 when not known), both as stored. */
int64_t ney_source_done(const ney_source *s);
int64_t ney_source_total(const ney_source *s);

#endif
