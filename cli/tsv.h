/* Tables as TSV, fast enough for millions of lines. Text that holds a tab, a quote or the end of a
 * line stands in quotes, quotes within doubled, as readers of CSV know it. */
#ifndef CLI_TSV_H
#define CLI_TSV_H

#include "output.h"

typedef struct tsv {
    output out;
    bool begun; /* the line has a cell */
    int64_t lines;
} tsv;

/* `columns` are words separated by spaces: the header; "" for none. */
ney_status tsv_open(tsv *t, const char *path, const char *columns, ney_error *err);

/* One more cell of the line; a number in 17 digits, which read back as the same bits. */
void tsv_real(tsv *t, double value);
void tsv_int(tsv *t, int64_t value);
void tsv_text(tsv *t, const char *text);
/* Bytes without quoting; they must have no tab or line end. */
void tsv_plain(tsv *t, const char *bytes, int64_t length);

/* End the line. False if writing failed or the user interrupts. */
bool tsv_end(tsv *t);

/* After a failure elsewhere: no file appears, but the lines so far go to standard output. */
void tsv_break_off(tsv *t);

/* The file appears, unless the user interrupted. */
ney_status tsv_close(tsv *t, ney_error *err);

#endif
