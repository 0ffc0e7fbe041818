/* Training on rows that are read in blocks from a cache; text is converted to a cache first. */
#ifndef CLI_TRAIN_STREAM_H
#define CLI_TRAIN_STREAM_H

#include "session.h"

/* Whether the method is the online one, which keeps to --memory by itself. */
bool stream_trains_online(const ney_train_opts *opts);

/* Whether the rows of `path` would take more memory than the options allow, and the method can do
 * without. */
bool stream_wanted(const char *path, const ney_train_opts *opts);

/* A cache file of rows. */
typedef struct row_file {
    const char *name;
    char *path; /* of a file of our own, which is removed; NULL when the user's is used */
    int fd;     /* holds the lock on it */
} row_file;

/* The cache of training rows: `path` itself, or a temporary one made of its rows beside the model.
 */
ney_status stream_open(row_file *rows, session *s, const char *path, const char *model,
                       const ney_read_opts *read);

/* A cache of the rows of `in` in a file of our own, named as ney_output_open() names what is not
 * finished: what is left of it after kill -9 is removed by the next run that writes `beside`. */
ney_status row_file_new(row_file *rows, session *s, const char *in, const char *beside,
                        const ney_read_opts *read);

/* Remove what was made. */
void stream_close(row_file *rows);

/* Whether a file is a cache, by its first bytes. */
bool stream_is_cache(const char *path);

#endif
