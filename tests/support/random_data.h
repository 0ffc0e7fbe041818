/* Seeded random numbers and growing texts for tests; no code shared with src/. */
#ifndef TEST_RANDOM_DATA_H
#define TEST_RANDOM_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A generator (xorshift64*) whose stream depends on `stream` and on NEY_TEST_SEED. */
typedef struct rnd {
    uint64_t state;
} rnd;

rnd rnd_new(uint64_t stream);
uint64_t rnd_next(rnd *r);
int64_t rnd_below(rnd *r, int64_t n);
double rnd_unit(rnd *r);
bool rnd_chance(rnd *r, double p);

/* `n` times NEY_TEST_MULT (default 1). */
int64_t test_times(int64_t n);

/* A text that grows, always ended by a NUL. */
typedef struct text {
    char *bytes;
    size_t length, cap;
} text;

void text_put(text *t, const char *words);
void text_bytes(text *t, const void *bytes, size_t n);
void text_printf(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_free(text *t);

/* A decimal number as data files may hold it: whole, fixed, long, with exponent, tiny, huge. It
 * fits a float unless `wide`. */
void text_number(text *t, rnd *r, bool wide);

#endif
