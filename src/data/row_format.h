/* Rows of a data set as text: svmlight, CSV, TSV and PIN. */
#ifndef NEY_DATA_ROW_FORMAT_H
#define NEY_DATA_ROW_FORMAT_H

#include "base/text.h"
#include "data/data.h"

typedef struct ney_row_format {
    const ney_data *data; /* borrowed */
    ney_format format;    /* of text */
    ney_notes *notes;     /* of data with ids or groups, unless the format is PIN; else NULL */
    int64_t column[2];    /* ids and groups among them; -1: none */
} ney_row_format;

/* NEY_EINVAL: the format cannot hold a label or group of the data. ney_row_format_deinit() is due
 * in either case. */
ney_status ney_row_format_init(ney_row_format *w, const ney_data *d, ney_format format,
                               const char *path, ney_error *err);
void ney_row_format_deinit(ney_row_format *w);

/* The notes of row 0 where rows are written with those of a PIN file, else NULL. */
const char *ney_row_format_notes(const ney_row_format *w);

/* The header, if the format has one. */
void ney_row_format_header(const ney_row_format *w, ney_text *t);

/* Row i. *note: its notes (see above), moved on to those of row i + 1. */
void ney_row_format_row(const ney_row_format *w, int64_t i, const char **note, ney_text *t);

#endif
