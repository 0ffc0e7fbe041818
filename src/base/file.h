/* Files that appear whole or not at all. */
#ifndef NEY_BASE_FILE_H
#define NEY_BASE_FILE_H

#include "base/text.h"

/* A file being written beside its final place. "-" is standard output; pipes and devices, which
 * cannot be replaced, are written directly. */
typedef struct ney_outfile {
    ney_env env;
    char *path;      /* where it is to end */
    char *temporary; /* where it is now; NULL when written directly */
    int fd;          /* -1 when not open */
    bool is_flushed; /* all that was written is on disk */
    int64_t written;
} ney_outfile;

/* As open() with O_CLOEXEC, but env.poll is asked while a named pipe has no other end: open()
 * itself would wait there, and not return for a signal that came just before. -1 with errno,
 * ECANCELED where poll asked for a stop. A pipe opened for reading is waited for when it is read.
 */
int ney_file_open(const ney_env *env, const char *path, int flags);

/* After a failure there is nothing to discard. */
ney_status ney_outfile_open(ney_outfile *f, const ney_env *env, const char *path, ney_error *err);
ney_status ney_outfile_write(ney_outfile *f, const void *bytes, int64_t n_bytes, ney_error *err);

/* Overwrite bytes at an offset already written; not for pipes. */
ney_status ney_outfile_rewrite(ney_outfile *f, int64_t offset, const void *bytes, int64_t n_bytes,
                               ney_error *err);

/* Flush to disk: of several files, all before the first is committed, so that a full disk leaves
 * the old ones. */
ney_status ney_outfile_flush(ney_outfile *f, ney_error *err);

/* Flush to disk and move to the final place. On failure the file is discarded. */
ney_status ney_outfile_commit(ney_outfile *f, ney_error *err);

/* Remove what was written; harmless after commit, and on a zeroed struct with fd -1. */
void ney_outfile_discard(ney_outfile *f);

/* Whether the first n bytes of a file are those of such a file: none, `begin` or, where
 * writing was cut short, at least 8 bytes of it. */
bool ney_begins_with(const char *bytes, int64_t n, const char *begin);

/* Whether a file that the program keeps for itself (a checkpoint, a table of results) may be
 * written at `path`: nothing is there yet, or a regular file, not a symbolic link, that begins with
 * `begin` or is empty or cut. NEY_EFORMAT or NEY_EIO otherwise: no other file is ever truncated or
 * replaced. */
ney_status ney_own_file_check(const char *path, const char *begin, ney_error *err);

/* NEY_EFORMAT: the file was not written by this library. */
ney_status ney_fail_foreign(ney_error *err, const char *path);

/* NEY_EIO with the reason in errno: "PATH: what: reason"; NEY_ECANCELLED for ECANCELED. */
ney_status ney_fail_io(ney_error *err, const char *path, const char *what);

/* All of a file at once. */
ney_status ney_file_write(const ney_env *env, const char *path, const void *bytes, int64_t n_bytes,
                          ney_error *err);

/* Append what is left to read from a descriptor; `path` is for messages. Stops early where the text
 * begins with none of `begins`, see ney_file_read(). */
ney_status ney_fd_read(int fd, const char *path, const char *const *begins, ney_text *text,
                       ney_error *err);

/* The whole of a file (or "-") into new memory, followed by a NUL. Of a file that begins with none
 * of `begins` (ended by NULL; NULL: any will do) only the first bytes: it is of another kind, and
 * may be huge. */
ney_status ney_file_read(char **bytes, int64_t *n_bytes, const ney_env *env, const char *path,
                         const char *const *begins, ney_error *err);

#endif
