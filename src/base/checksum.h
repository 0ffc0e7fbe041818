/* Text files with a version and a checksum. The first line is a keyword and the version, the last
 * "end " and the XXH3 checksum (64 bits, 16 hexadecimal digits) of all bytes before it. */
#ifndef NEY_BASE_CHECKSUM_H
#define NEY_BASE_CHECKSUM_H

#include "base/fields.h"
#include "base/text.h"

/* Append the last line to a text that is otherwise complete. */
void ney_checksum_append(ney_text *t);

/* Read the first line (see ney_fields_version()), compare the checksum and end the fields before
 * the last line. `f` is at the beginning of the text. */
void ney_checksum_begin(ney_fields *f, const char *magic, const char *what, int newest);

#endif
