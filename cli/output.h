/* Buffered output to a file that is written completely or not at all. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "session.h"

#include <stdio.h>

typedef struct output {
    ney_output *to;
    FILE *spool; /* instead: a file without a name */
    char *buffer;
    size_t used;
    bool to_stdout;
    bool unread;       /* standard output is a closed pipe: no error */
    ney_status status; /* of the first write that failed */
    ney_error err;
} output;

/* Whether the output goes to standard output; NULL, for no file named, does. */
bool output_is_stdout(const char *path);

/* Check early that the file can be written, by creating and removing it. */
ney_status output_check(const char *path, ney_error *err);

/* Refuse `what` on standard output beside a result as JSON; returns the exit code. */
int output_check_json(session *s, const char *path, const char *what);

ney_status output_open(output *out, const char *path, ney_error *err);
/* Into a file without a name, for output_join(). */
ney_status output_open_spool(output *out, ney_error *err);
/* Failures are kept for output_commit(); false after a failure. */
bool output_put(output *out, const void *bytes, size_t n_bytes);
/* Write what was put; otherwise as output_put(). */
bool output_flush(output *out);
/* Write everything and rename the file; on failure it is removed. */
ney_status output_commit(output *out, ney_error *err);
/* Of several processes, which all call it: what the others have put into their spools follows what
 * the first has put into its output, in the order of ranks. Failures are kept for output_commit().
 */
void output_join(output *out);
/* Remove what was written. Harmless after output_commit() and on a zeroed struct. */
void output_give_up(output *out);

#endif
