/* Text that comes from files, on its way to a terminal or into JSON. */
#ifndef CLI_CLEAN_H
#define CLI_CLEAN_H

#include <stddef.h>

/* Length of the valid UTF-8 sequence at `text`, 0 when there is none: overlong forms, surrogates
 * and what lies beyond U+10FFFF are not valid. The text ends with a NUL. */
size_t utf8_length(const char *text);

/* Put ? for every byte that could move the cursor or worse: control codes, also those of two bytes
 * (U+0080 to U+009F), and bytes that are no UTF-8. */
void clean_text(char *text);

#endif
