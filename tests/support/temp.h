/* Files for one test program, in a folder that goes when it ends. */
#ifndef TEST_TEMP_H
#define TEST_TEMP_H

#include <stdbool.h>
#include <stddef.h>

/* The path of `name` in the folder; a few are valid at a time. */
const char *temp_path(const char *name);

/* Write a file there; its path. */
const char *temp_file(const char *name, const void *bytes, size_t n);
const char *temp_text(const char *name, const char *words);

/* The bytes of a file, to be freed; NULL when there is none. */
char *slurp(const char *path, size_t *n);

/* Number of entries in the folder. */
int temp_count(void);

/* Compressed copies, to be freed. */
char *gzip_of(const void *bytes, size_t n, size_t *n_out);
char *zstd_of(const void *bytes, size_t n, bool checksum, size_t *n_out);

/* A pipe that a child process feeds with the bytes, `chunk` at a time; the path to read it from,
 * good until temp_pipe_end(). */
const char *temp_pipe(const void *bytes, size_t n, size_t chunk);
void temp_pipe_end(void);

/* Where real data may be; NULL when it is not there. */
const char *shared_file(const char *name);

#endif
