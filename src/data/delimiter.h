/* What separates the fields of a table. */
#ifndef NEY_DATA_DELIMITER_H
#define NEY_DATA_DELIMITER_H

#include "base/error.h"

/* The delimiter of a text whose first bytes these are, of which the last line may be cut: the one
 * of tab, comma, semicolon and bar, and space if `or_space`, that cuts the first line into most
 * fields and the lines after it into as many, where a semicolon comes before a comma; where none
 * does that, the one that cuts the first line into most; a comma if none cuts it. A line "sep=;"
 * in front decides. */
char ney_find_delimiter(const char *bytes, int64_t n_bytes, bool or_space);

/* Whether the lines behind a header, two at least and as many as are looked at, have one field more
 * than it, and first fields that differ: the names of the rows, as write.table() of R writes them.
 * The text may end within a line. */
bool ney_rows_are_named(const char *header, const char *end, char delimiter);

/* A first line that states the delimiter, "sep=;", as spreadsheets write and read it: its length
 * without the newline, which must be there; 0 for any other line. */
int64_t ney_delimiter_line(const char *bytes, const char *end, char *delimiter);

/* Past an order mark, blank lines and a line that states the delimiter: where a table's first line
 * begins. */
const char *ney_table_begin(const char *bytes, const char *end);

/* The character that an option names: itself, or "tab", "space", "comma", "semicolon", "pipe".
 * @retval NEY_EINVAL  anything else. */
ney_status ney_delimiter_of_option(const char *name, char *delimiter, ney_error *err);

#endif
