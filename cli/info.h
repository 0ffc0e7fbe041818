/* What neyman info says about a data file. */
#ifndef CLI_INFO_H
#define CLI_INFO_H

#include "session.h"

/* A data file, and what the library made of it. */
typedef struct info_file {
    const char *path; /* in messages */
    char *bytes;      /* of a pipe; NULL: the file is read again */
    size_t n_bytes;
    ney_read_opts opts;
    ney_data *data;        /* NULL: it is refused, for the reason in session.err */
    const char *container; /* "cache", "npy" or "npz"; NULL: text */
    bool all_columns;      /* every column, with more figures */
} info_file;

/* Print the description. A file that is refused is described as far as it can be; where nothing can
 * be said the reason is reported. Returns the exit code. */
int info_report_data(session *s, const info_file *f);

#endif
