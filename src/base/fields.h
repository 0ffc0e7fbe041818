/* Reading the text that ney_text writes: lines of words. */
#ifndef NEY_BASE_FIELDS_H
#define NEY_BASE_FIELDS_H

#include "base/env.h"

/* A place in a text; every reader below moves it on and keeps the first failure. */
typedef struct ney_fields {
    const ney_env *env;
    const char *file; /* what errors call the text */
    const char *at, *end;
    int64_t line;
    ney_error *err;
    ney_status status;
} ney_fields;

/* Start at the first line. The text must be followed by a NUL. */
void ney_fields_init(ney_fields *f, const ney_env *env, const char *file, const char *text,
                     int64_t length, ney_error *err);

/* Record a failure at the current line, unless one is recorded already. */
NEY_PRINTF(2, 3)
void ney_fields_fail(ney_fields *f, const char *format, ...);

/* The next line must begin with `key`; what follows on it is read next. */
void ney_fields_key(ney_fields *f, const char *key);

/* The first line must be `magic` and a version that is at most `newest`; `what` is "a model". */
void ney_fields_version(ney_fields *f, const char *magic, const char *what, int newest);

/* Whether the next line begins with `key`; nothing is moved. */
bool ney_fields_is(const ney_fields *f, const char *key);

/* The line must be at its end. */
void ney_fields_end(ney_fields *f);

/* The text must be at its end; `what` is "a model". */
void ney_fields_finish(ney_fields *f, const char *what);

/* Whether the line has nothing more. */
bool ney_fields_at_end(const ney_fields *f);

/* The next word; 0 (or NULL) after a failure. */
int64_t ney_fields_int(ney_fields *f, int64_t low, int64_t high);
double ney_fields_number(ney_fields *f);
char *ney_fields_word(ney_fields *f);   /* decoded, in new memory */
uint64_t ney_fields_hex(ney_fields *f); /* 16 hexadecimal digits, as ney_text_hex() writes them */

/* A whole line "KEY INTEGER". */
int64_t ney_fields_int_line(ney_fields *f, const char *key, int64_t low, int64_t high);

/* The next word must be one of the names: its position, 0 after a failure. */
int ney_fields_choice(ney_fields *f, const char *const *names, int n_names);

#endif
