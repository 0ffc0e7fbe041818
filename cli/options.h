/* Options as tables. A set is a table of ney_param rows and the struct they fill; a command has a
 * few sets. Parsing, defaults, bounds, help, suggestions, completion and manual pages are derived
 * from the rows. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <neyman/experimental.h>

#define COUNT(array) ((int64_t)(sizeof(array) / sizeof *(array)))

#if defined(__GNUC__)
#define PRINTF_LIKE(at, first) __attribute__((format(printf, at, first)))
#else
#define PRINTF_LIKE(at, first)
#endif

enum { MAX_SETS = 9, MAX_OPERANDS = 4, MAX_ROWS = 64, MAX_PAIRS = 8 };

/* A heading of help and the names of the options under it, separated by spaces. */
typedef struct option_topic {
    const char *title, *names;
} option_topic;

typedef struct option_set {
    const char *title;          /* heading in help of the rows that no topic names */
    const option_topic *topics; /* ends at one without a title; NULL: none */
    const ney_param *(*from)(int64_t *n_params); /* rows of the library, or */
    const ney_param *rows;                       /* rows of the program */
    int64_t n_rows;
    size_t bytes;     /* of the options struct */
    const char *only; /* names of the rows that this set takes, separated by spaces; NULL: all, */
    const char *omit; /* but these; NULL: none */
    const char *(*where)(const char *name); /* what a row of the library applies to; or NULL */
} option_set;

/* What every command takes. */
typedef struct common_opts {
    bool json, quiet, verbose, help;
    int64_t threads;
    bool log_time;
    double log_every; /* seconds */
} common_opts;

extern const option_set common_options;
extern const option_set read_options;

/* Files of targets, in the place of DATA. */
extern const option_set target_options;

/* All rows of a set; command_takes() says which of them a command has. */
const ney_param *set_rows(const option_set *set, int64_t *n_rows);

/* Whether `list`, words separated by spaces, has the word of `length` bytes at `word`. */
bool word_in(const char *list, const char *word, size_t length);
/* Copy word `k` (from 0) of a list; false when there are fewer. */
bool word_at(const char *list, int k, char *word, size_t n_word);

/* One or two sizes as they are typed: "64" or "64,32". */
void sizes_text(const int64_t *size, char *text, size_t n_text);

struct command;
struct invocation;

/* Options of a command that act only with some others: any value but the default is refused where
 * `acts` says no. */
typedef struct option_rule {
    const char *names; /* separated by spaces */
    bool (*acts)(const struct invocation *call);
    const char *where; /* what they apply to */
} option_rule;

/* A parsed command line. */
typedef struct invocation {
    const struct command *command;
    const char *operands[MAX_OPERANDS]; /* operands.h */
    int n_operands;
    const char **words; /* owned: those of the operands */
    int n_words;
    char *list;               /* owned: several files as one operand */
    void *opts[MAX_SETS];     /* the filled structs, in the order of the command's sets */
    uint64_t given[MAX_SETS]; /* bit r: row r was named on the command line */
    char pair[MAX_PAIRS][64]; /* values of two words, such as those of --at C+ C- */
    int n_pairs;
    char *joined[MAX_PAIRS]; /* owned: lists that were given in several parts */
    int n_joined;
} invocation;

/* Parse a command line; argv[0] is the first word after the command's name. On failure the message
 * is one sentence for the user. Stops early, with success, at --help.
 * invocation_deinit() is due in either case. */
ney_status invocation_parse(invocation *call, const struct command *command, int argc, char **argv,
                            ney_error *err);
void invocation_deinit(invocation *call);

/* A message about the command line; returns NEY_EINVAL. */
ney_status usage_error(ney_error *err, const char *format, ...) PRINTF_LIKE(2, 3);

/* Where an option of a command is. */
typedef struct option_place {
    const ney_param *row;
    int set;        /* of the command */
    int64_t index;  /* of the row in the set */
    char typed[64]; /* as on the command line: "--tol" or "-C" */
} option_place;

/* Find an option by the `length` bytes of its long name, or by its letter when `name` is NULL. */
bool option_find(const struct command *c, const char *name, size_t length, char letter,
                 option_place *found);
/* The filled struct of one of the command's sets. */
const void *options_of(const invocation *call, const option_set *set);
/* The same, to be changed by the command. */
void *options_edit(const invocation *call, const option_set *set);
/* The two numbers of an option of two words; false, with a message, where they are not numbers. A
 * row whose `arg` is two words takes two values: its text holds both, separated by a space or a
 * comma. */
bool option_pair(const char *text, const char *name, double value[2], ney_error *err);
/* Whether an option was named on the command line, whatever its value. */
bool option_given(const invocation *call, const char *name);
/* What separates the items of an option that is a list and may be given several times; NULL: not a
 * list. */
const char *option_separator(const ney_param *row);

#endif
