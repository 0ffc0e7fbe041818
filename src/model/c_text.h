/* Pieces of a C99 source text: names, numbers, strings and arrays that no compiler warns of. */
#ifndef NEY_MODEL_C_TEXT_H
#define NEY_MODEL_C_TEXT_H

#include "base/text.h"

typedef struct ney_c_text {
    ney_text *text;
    const char *name; /* put wherever a line says '@' */
} ney_c_text;

/* Whether every name with this prefix is a C identifier that the language leaves to its users. */
bool ney_c_name_ok(const char *name);

void ney_c_put(const ney_c_text *c, const char *lines); /* '@' is the name */
void ney_c_int(const ney_c_text *c, int64_t value);
void ney_c_double(const ney_c_text *c, double value);

/* In quotes, with escapes that are valid in a comment, too. */
void ney_c_string(const ney_c_text *c, const char *words);

/* static const arrays; of no entries, one of a zero, since C99 has no empty ones. */
void ney_c_doubles(const ney_c_text *c, const char *array, const double *value, int64_t n);
void ney_c_floats(const ney_c_text *c, const char *array, const float *value, int64_t n);
void ney_c_longs(const ney_c_text *c, const char *array, const int64_t *value, int64_t n);
void ney_c_indices(const ney_c_text *c, const char *array, const int32_t *value, int64_t n);

/* NULL is written as 0. */
void ney_c_strings(const ney_c_text *c, const char *array, const char *const *value, int64_t n);

#endif
