/* Tables of numbers as TSV, fast enough for millions of lines: a line is put together in memory
 * and handed over whole. */
#ifndef CLI_TSV_H
#define CLI_TSV_H

#include "output.h"

enum { TSV_LINE = 2048 };

typedef struct tsv {
    output out;
    char line[TSV_LINE]; /* longer ones are cut; names are the only cells without a bound */
    size_t used;
    int64_t lines;
} tsv;

/* `columns` are words separated by spaces: the header. */
ney_status tsv_open(tsv *t, const char *path, const char *columns, ney_error *err);

/* One more cell of the line; a number in 17 digits, which read back as the same bits. */
void tsv_real(tsv *t, double value);
void tsv_int(tsv *t, int64_t value);
void tsv_text(tsv *t, const char *text);

/* End the line. False when there is no use in going on: writing failed, or the user interrupts. */
bool tsv_end(tsv *t);

/* The file appears, unless the user interrupted. */
ney_status tsv_close(tsv *t, ney_error *err);

#endif
