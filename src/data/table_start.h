/* The beginning of a text: the bytes that tell its format, the first line and the delimiter. */
#ifndef NEY_DATA_TABLE_START_H
#define NEY_DATA_TABLE_START_H

#include "data/lines.h"

#include <neyman/experimental/data.h>

/* The bytes that tell the format, after blank lines: of a flowing source no more than its first
 * line. */
ney_status ney_sniffed_bytes(ney_source *source, const ney_read_opts *opts, const char **bytes,
                             int64_t *n_bytes, ney_error *err);

/* The first line that is not empty, and whether the rows behind it begin with a field that it does
 * not name (ney_rows_are_named(); not decided for a stream, whose rows may not have arrived).
 */
ney_status ney_table_first_line(ney_lines *lines, const char **line, int64_t *length,
                                bool *rows_are_named, ney_error *err);

/* What separates the fields; '\0' where none are quoted. */
ney_status ney_table_delimiter(ney_source *source, ney_format format, const ney_read_opts *opts,
                               char *delimiter, ney_error *err);

#endif
