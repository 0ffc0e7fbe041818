/* A text that grows. Failing to grow is remembered, so that a page of additions needs one check. */
#ifndef NEY_BASE_TEXT_H
#define NEY_BASE_TEXT_H

#include "base/env.h"

typedef struct ney_text {
    ney_env env;
    char *bytes; /* `length` bytes and a NUL once anything was added */
    int64_t length, cap;
    bool failed;        /* an addition found no memory; all later ones are ignored */
    bool has_nonfinite; /* a number was added that is infinite or NaN */
} ney_text;

void ney_text_init(ney_text *t, const ney_env *env);
void ney_text_deinit(ney_text *t);

void ney_text_add(ney_text *t, const char *bytes, int64_t length);
void ney_text_put(ney_text *t, const char *words); /* up to its NUL */
void ney_text_int(ney_text *t, int64_t value);
void ney_text_number(ney_text *t, double value);
void ney_text_float(ney_text *t, float value);
void ney_text_hex(ney_text *t, uint64_t value); /* NEY_HEX_DIGITS of them */

/* A space and the value: one field of a line. */
void ney_text_field_int(ney_text *t, int64_t value);
void ney_text_field_number(ney_text *t, double value);
void ney_text_field_float(ney_text *t, float value);
void ney_text_field_hex(ney_text *t, uint64_t value);
void ney_text_field_word(ney_text *t, const char *name); /* as ney_text_word() */

/* A line "KEY VALUE". */
void ney_text_line_int(ney_text *t, const char *key, int64_t value);
void ney_text_line_number(ney_text *t, const char *key, double value);
void ney_text_line_word(ney_text *t, const char *key, const char *name);

/* A name as one word: bytes that would end or hide it (space, control, '%', and an empty name)
 * are written as %XX. */
void ney_text_word(ney_text *t, const char *name);

/* Bytes of the UTF-8 character at `at`, 0 where there is none: overlong forms, surrogates and what
 * lies beyond U+10FFFF are not valid. The text ends with a NUL. */
int ney_utf8_length(const char *at);

/* Whether a word is in a list of words separated by single spaces; not in NULL. */
bool ney_is_listed(const char *list, const char *word);

/* A text as a JSON string, in its quotes. False where bytes were not UTF-8: U+FFFD stands for each
 * of them. */
bool ney_text_json(ney_text *t, const char *words);

#endif
