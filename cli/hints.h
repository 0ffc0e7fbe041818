/* What to use instead of the options and commands of LIBSVM, LIBLINEAR, scikit-learn, XGBoost,
 * Percolator and mokapot that a user may try. */
#ifndef CLI_HINTS_H
#define CLI_HINTS_H

#include <stdbool.h>
#include <stddef.h>

struct command;

enum { HINT_TEXT = 256 };

/* Advice for an option that the command does not have. `typed` begins with its dashes and has
 * `length` bytes; `value` is the word after it, or NULL. False where there is no advice. */
bool hint_for_option(const struct command *c, const char *typed, size_t length, const char *value,
                     char text[HINT_TEXT]);

/* The command to use instead of `name`; NULL where none is known. */
const char *hint_for_command(const char *name);

#endif
