/* A file that grows line by line. Each line is written at once, so that a killed program loses at
 * most the line being written; an incomplete line is cut off when the file is opened again. One
 * program at a time: the file is locked. */
#ifndef NEY_BASE_JOURNAL_H
#define NEY_BASE_JOURNAL_H

#include "base/env.h"

typedef struct ney_journal {
    ney_env env;
    char *path;
    int fd;     /* -1 when not open */
    char *text; /* what the file held when it was opened, whole lines and a NUL */
    int64_t length;
} ney_journal;

/* Open or create; a file that is there is empty or begins with `begin` (ney_own_file_check()).
 * ney_journal_close() is due in either case. */
ney_status ney_journal_open(ney_journal *j, const ney_env *env, const char *path, const char *begin,
                            ney_error *err);
void ney_journal_close(ney_journal *j);

/* Empty the file. */
ney_status ney_journal_clear(ney_journal *j, ney_error *err);

/* Add a line, its newline included. */
ney_status ney_journal_add(ney_journal *j, const char *line, int64_t length, ney_error *err);

#endif
