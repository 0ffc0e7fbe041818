/* What separates the fields of a table. */
#ifndef NEY_DATA_DELIMITER_H
#define NEY_DATA_DELIMITER_H

#include "base/error.h"

/* The delimiter of a text whose first bytes these are, of which the last line may be cut: the one
 * of tab, comma, semicolon and bar, and space if `or_space`, that cuts the first line into most
 * fields and the lines after it into as many, where a semicolon comes before a comma; where none
 * does that, the one that cuts the first line into most. A comma where there is none. */
char ney_find_delimiter(const char *bytes, int64_t n_bytes, bool or_space);

/* The character that an option names: itself, or "tab", "space", "comma", "semicolon", "pipe";
 * '\0' for anything else. */
char ney_named_delimiter(const char *name);

#endif
