/* Numbers as text, the same under every locale. */
#ifndef NEY_BASE_NUMBER_H
#define NEY_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Read a decimal number (sign, digits, point, exponent; or inf, infinity, nan in any case) at
 * `at`, correctly rounded. Returns the byte after it, NULL when there is none.
 * The text must go on, after the number, with a byte that cannot belong to one, such as the
 * newline or NUL that ends it: nothing else stops the scan. */
const char *ney_number_scan(const char *at, double *value);

/* The same for text of known length that is a number as a whole, spaces around it apart. */
bool ney_number_parse(const char *text, size_t length, double *value);

/* A decimal integer, sign allowed, the whole of the text. False also when it exceeds 64 bits. */
bool ney_integer_parse(const char *text, size_t length, int64_t *value);

#define NEY_NUMBER_ROOM 32

/* Write the shortest decimal that reads back as the same double, and a NUL. Returns its length. */
int ney_number_format(double value, char out[NEY_NUMBER_ROOM]);

/* The same for a float: the shortest that reads back as the same float. */
int ney_number_format_float(float value, char out[NEY_NUMBER_ROOM]);

#endif
