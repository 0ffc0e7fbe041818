/* A text file that appears whole or not at all: written beside its place and renamed. Standard
 * output ("-"), pipes and devices are written directly. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdio.h>

#include "session.h"

typedef struct output {
    FILE *file;
    const char *name; /* as the user gave it; borrowed */
    char *path;       /* where it is to appear, links resolved; NULL when written directly */
    char *beside;     /* its name until then */
} output;

/* Whether the output goes to standard output: NULL, "-", or a name of the very file that stdout is,
 * such as /dev/stdout, which must never be renamed over. */
bool output_is_stdout(const char *path);

/* Refuse early what could not be written at the end: NEY_EIO when the folder of `path` is not
 * there or not ours to write to. */
ney_status output_check(const char *path, ney_error *err);

ney_status output_open(output *out, const char *path, ney_error *err);
/* Flush, sync and rename; on failure the file is given up. */
ney_status output_commit(output *out, ney_error *err);
/* Remove what was written. Harmless after output_commit() and on a zeroed struct. */
void output_give_up(output *out);

#endif
