/* The first lines of a result, for a reader who needs no other line: what is promised, what it
 * costs, what to do next. JSON has the sentences as the array "headline". Every sentence has a line
 * in doc/claims.md. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "result.h"

/* The command that comes next, and behind it in parentheses what its operands are. For a person:
 * not part of JSON. */
void summary_next(const session *s, ney_result *root, const char *format, ...) PRINTF_LIKE(3, 4);

/* `word` as a shell reads it: in quotes where it needs them. */
enum { SHELL_WORD = 512 };
void shell_word(char text[SHELL_WORD], const char *word);

#endif
