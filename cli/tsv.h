/* Tables as TSV, CSV or JSON lines, fast enough for millions of lines. Text that holds a delimiter,
 * a quote or the end of a line stands in quotes, quotes within doubled, as readers of CSV know it.
 * A JSON line is an object whose keys are the names of the header. */
#ifndef CLI_TSV_H
#define CLI_TSV_H

#include "output.h"

typedef enum table_format { FORMAT_TSV, FORMAT_CSV, FORMAT_JSON_LINES } table_format;

enum { TSV_COLUMNS = 64 };

/* A number as text. */
typedef struct number_text {
    double value;
    size_t length; /* 0: none yet */
    char text[32];
} number_text;

typedef struct tsv {
    output out;
    table_format format;
    int digits; /* of numbers that are not counts; 0: the fewest that read back as the same bits */
    int cell;   /* cells of the line so far */
    const char *key[TSV_COLUMNS];  /* of JSON lines; borrowed */
    number_text last[TSV_COLUMNS]; /* of each column: values often repeat from line to line */
    int64_t lines;
} tsv;

/* CSV for names that end in .csv, JSON lines for .jsonl and .ndjson, otherwise TSV; each also with
 * .gz or another ending behind. */
table_format table_format_of(const char *path);

/* `columns` are words separated by spaces: the header; "" for none. The format is TSV, and numbers
 * are exact, unless the caller then sets others. */
ney_status tsv_open(tsv *t, const char *path, const char *columns, ney_error *err);

/* The header: a line of names or, for JSON lines, the keys, which must remain valid. */
void tsv_header(tsv *t, const char *const *names, int n);

/* One more cell of the line. */
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
