/* The operands of a command. One whose name ends in "..." may be several files, which are read as
 * one: its text has a name on each line, as the library takes it. */
#ifndef CLI_OPERANDS_H
#define CLI_OPERANDS_H

#include "options.h"

/* The name of operand k without brackets and dots; false when there are fewer. */
bool operand_name(const struct command *c, int k, char *name, size_t n_name);

/* Add a word of the command line. */
ney_status operands_add(invocation *call, const char *word, ney_error *err);

/* After the last word: give the words to the operands.
 * @retval NEY_EINVAL  there are too many, too few, or two of them are standard input. */
ney_status operands_assign(invocation *call, ney_error *err);

enum { PATH_TITLE = 256 };

/* What messages call the files of a path: its name, or the first "and 2 more". */
const char *path_title(const char *path, char title[PATH_TITLE]);

#endif
