/* The command table. A command is one file, cmd_<name>.c, which defines its row; the list below
 * makes it part of the program and gives its place in help. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "options.h"
#include "session.h"

typedef struct example {
    const char *what, *line;
} example;

typedef struct command {
    const char *name;
    const char *operands;    /* "MODEL DATA"; optional ones are in brackets, last; two in one pair
                                of brackets are given both or not at all */
    const char *required;    /* name of an option that must be given, or NULL */
    const char *group;       /* heading in the list of commands */
    const char *summary;     /* one line */
    const char *description; /* paragraphs, an empty line between them */
    const char *details;     /* further paragraphs, for the full page; or NULL */
    const char *everyday;    /* names of the options on the short page; NULL: all */
    example examples[7];     /* ends at one without a line */
    int exits[8];            /* exit codes to explain, besides 0; ends at 0 */
    const option_set *sets[MAX_SETS - 1]; /* besides the common ones; ends at NULL */
    const char *omit;         /* names of options of these sets that it does not read; or NULL */
    const option_rule *rules; /* ends at one without names; or NULL */
    bool distributed;         /* also a command of neyman-mpi: over the rows of all processes */
    int (*run)(session *s);   /* returns the exit code */
} command;

#define COMMAND_LIST(X)                                                                            \
    X(train)                                                                                       \
    X(tune)                                                                                        \
    X(compare)                                                                                     \
    X(cv)                                                                                          \
    X(update)                                                                                      \
    X(path)                                                                                        \
    X(roc)                                                                                         \
    X(pick)                                                                                        \
    X(asymmetry)                                                                                   \
    X(predict)                                                                                     \
    X(evaluate)                                                                                    \
    X(report)                                                                                      \
    X(card)                                                                                        \
    X(monitor)                                                                                     \
    X(certify)                                                                                     \
    X(plan)                                                                                        \
    X(qvalues)                                                                                     \
    X(info)                                                                                        \
    X(convert)                                                                                     \
    X(export)                                                                                      \
    X(help)

#define COMMAND_DECLARE(name) extern const command command_##name;
COMMAND_LIST(COMMAND_DECLARE)
#undef COMMAND_DECLARE

extern const command *const commands[]; /* ends at NULL */

const command *command_find(const char *name);
/* The error for an unknown command, with a suggestion. */
ney_error command_unknown(const char *name);
/* Set k of a command, the common one being the last; NULL after it. */
const option_set *command_set(const command *c, int k);
/* Whether a row of one of its sets is an option of the command. */
bool command_takes(const command *c, const option_set *set, const ney_param *row);
/* What an option of the command applies to; NULL where that is everything. */
const char *command_where(const command *c, const option_set *set, const ney_param *row);

#endif
