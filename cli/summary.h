/* The first lines of a result, for a reader who needs no other line: what is promised, what it
 * costs, what to do next. JSON has the sentences as the array "headline". Every sentence has a line
 * in doc/claims.md. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "result.h"

/* Append a sentence. */
void summary_add(ney_result *root, const char *format, ...) PRINTF_LIKE(2, 3);

/* The command that comes next, and behind it in parentheses what its operands are. For a person:
 * not part of JSON. */
void summary_next(const session *s, ney_result *root, const char *format, ...) PRINTF_LIKE(3, 4);

/* `word` as a shell reads it: in quotes where it needs them. */
enum { SHELL_WORD = 512 };
void shell_word(char text[SHELL_WORD], const char *word);

/* " ('spam')"; "" for a class without a name. */
enum { CLASS_NAME = 96 };
void class_name(char text[CLASS_NAME], const char *name);

/* A share of one class among rows: "Detects 61 % of positives ('spam') <rows>." */
typedef struct class_share {
    const char *verb;     /* "Detects" */
    const char *outcome;  /* " as positive", or "" */
    bool positive;        /* the class */
    const char *name;     /* of the class; NULL or "": none */
    double share;         /* NAN: no row of the class, no sentence */
    const double *bounds; /* its 95 % interval; NULL: none */
    const char *rows;     /* ", training rows (optimistic)", or "" */
} class_share;

void summary_share(ney_result *root, const class_share *of);

#endif
