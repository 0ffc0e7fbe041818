/* The file of a long test: read at the start, replaced as a whole, used by one process at a time.
 */
#ifndef NEY_BASE_STATE_FILE_H
#define NEY_BASE_STATE_FILE_H

#include "base/fields.h"
#include "base/lock.h"
#include "base/text.h"

typedef struct ney_state_file {
    char *path; /* NULL: not open */
    ney_lock lock;
} ney_state_file;

/* Lock the file, and read it where it exists: *text is then its bytes and a NUL, for the caller to
 * release, else NULL. `magic` is its first word.
 * @retval NEY_EIO  another process uses it, or it cannot be read. */
ney_status ney_state_file_open(ney_state_file *s, const ney_env *env, const char *path,
                               const char *magic, char **text, int64_t *n_text, ney_error *err);

/* Replace the file by a text; NEY_EINVAL where none is open. */
ney_status ney_state_file_write(const ney_state_file *s, const ney_env *env, const ney_text *text,
                                ney_error *err);

/* Release lock and path; `s` may be zeroed. */
void ney_state_file_close(ney_state_file *s, const ney_env *env);

/* The next lines must be those of `lines`, byte for byte. `what[k]` says of what a file is whose
 * line k differs, such as "of another model". */
void ney_state_file_match(ney_fields *f, const ney_text *lines, const char *const *what);

#endif
