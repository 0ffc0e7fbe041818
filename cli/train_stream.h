/* Training on rows that memory need not hold: from a cache, which text becomes first. */
#ifndef CLI_TRAIN_STREAM_H
#define CLI_TRAIN_STREAM_H

#include "session.h"

/* Whether the rows of `path` would take more memory than the options allow, and the method can do
 * without. */
bool stream_wanted(const char *path, const ney_train_opts *opts);

/* The cache to learn from: `path` itself, or one made of its rows beside the model. */
ney_status stream_open(char **cache, session *s, const char *path, const char *model,
                       const ney_read_opts *read);

/* Remove what was made. */
void stream_close(char *cache, const char *path);

#endif
