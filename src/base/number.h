/* Numbers as text, the same under every locale. */
#ifndef NEY_BASE_NUMBER_H
#define NEY_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Read a decimal number (sign, digits, point, exponent; or inf, infinity, nan in any case) at
 * `at`, correctly rounded. Returns the byte after it, NULL when there is none.
 * The text must go on, after the number, with a byte that cannot belong to one, such as the
 * newline or NUL that ends it, and NEY_NUMBER_PAD more readable bytes: digits are looked at eight
 * at a time. Text that ends sooner is for ney_number_parse(). */
enum { NEY_NUMBER_PAD = 8 };
const char *ney_number_scan(const char *at, double *value);

/* Append the decimal digits at p to *m, which wraps round beyond 19 of them, and return the byte
 * after them. The text must be as for ney_number_scan(). */
static inline const char *ney_digits_scan(const char *p, uint64_t *m);

/* The same for text of known length that is a number as a whole, spaces around it apart. */
bool ney_number_parse(const char *text, size_t length, double *value);

/* A decimal integer, sign allowed, the whole of the text. False also when it exceeds 64 bits. */
bool ney_integer_parse(const char *text, size_t length, int64_t *value);

#define NEY_NUMBER_SIZE 32

/* Write an integer and a NUL. Returns its length. */
int ney_integer_format(int64_t value, char out[NEY_NUMBER_SIZE]);

/* Write the shortest decimal that reads back as the same double, and a NUL. Returns its length. */
int ney_number_format(double value, char out[NEY_NUMBER_SIZE]);

/* The same for a float: the shortest that reads back as the same float. */
int ney_number_format_float(float value, char out[NEY_NUMBER_SIZE]);

enum { NEY_HEX_DIGITS = 16 };

/* Write 16 hexadecimal digits, lower case, and a NUL. */
void ney_hex_format(uint64_t value, char out[NEY_HEX_DIGITS + 1]);

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__

/* Eight digits at a time: a loop over single digits would mispredict its end for every number.
 *
 * A byte is a digit iff neither b + 0x46 nor b - 0x30 has its top bit set. The n digits found are
 * moved to the top of the word, as if zeros stood before them; then pairs, fours and eights are
 * joined by one multiplication each. Borrows and carries only reach bytes behind the first that is
 * no digit. */
static inline const char *ney_digits_scan(const char *p, uint64_t *m)
{
    static const uint64_t power[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    for (;;) {
        uint64_t word;
        memcpy(&word, p, sizeof word);
        const uint64_t others =
            ((word + 0x4646464646464646u) | (word - 0x3030303030303030u)) & 0x8080808080808080u;
        const int n = others ? __builtin_ctzll(others) / 8 : 8;
        if (n == 0) {
            return p;
        }
        word = (word - 0x3030303030303030u) << (64 - 8 * n);
        word = word * 10 + (word >> 8);
        word = (((word & 0x000000ff000000ffu) * (100 + (UINT64_C(1000000) << 32))) +
                (((word >> 16) & 0x000000ff000000ffu) * (1 + (UINT64_C(10000) << 32)))) >>
               32;
        *m = *m * power[n] + word;
        p += n;
        if (n < 8) {
            return p;
        }
    }
}

#else

static inline const char *ney_digits_scan(const char *p, uint64_t *m)
{
    for (; (unsigned)(*p - '0') <= 9; p++) {
        *m = 10 * *m + (uint64_t)(*p - '0');
    }
    return p;
}

#endif

#endif
