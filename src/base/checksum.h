/* The last line of a text file of ours: "end " and the XXH3 checksum (64 bits, 16 hexadecimal
 * digits) of all bytes before it. */
#ifndef NEY_BASE_CHECKSUM_H
#define NEY_BASE_CHECKSUM_H

#include "base/fields.h"
#include "base/text.h"

/* Write it. */
void ney_checksum_append(ney_text *t);

/* Check it against `text`, the beginning of what the fields are read from, before anything else is
 * read; the fields end there from then on. */
void ney_checksum_verify(ney_fields *f, const char *text);

#endif
