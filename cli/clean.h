/* Text from files that is printed on a terminal or as JSON. */
#ifndef CLI_CLEAN_H
#define CLI_CLEAN_H

#include <stddef.h>

/* Length of the valid UTF-8 sequence at `text`, 0 when there is none: overlong forms, surrogates
 * and what lies beyond U+10FFFF are not valid. The text ends with a NUL. */
size_t utf8_length(const char *text);

/* Bytes that a terminal may take as a command, or that reorder what is read: control codes, also
 * U+0080 to U+009F, line and paragraph separators, marks of direction, and bytes that are no UTF-8.
 * 0: the character at `text` is harmless. */
size_t harmful_length(const char *text);

/* Bytes before the first harmful character that `except` does not list. */
size_t harmless_span(const char *text, const char *except);

/* `from` with every harmful character escaped: \n, \t, \x1B for a byte, \u202E for a character.
 * Cut, between characters, where `to` is too small. */
void escape_text(const char *from, char *to, size_t n_to);

/* Size of one escaped character, NUL included. */
enum { ESCAPE_TEXT = 8 };

/* The harmful character at `text`, escaped; returns its length there. */
size_t escape_one(const char *text, char to[ESCAPE_TEXT]);

#endif
