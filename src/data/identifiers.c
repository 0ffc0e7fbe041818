#include "data/identifiers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <xxhash.h>

enum { FEWEST_VALUES = 10 };

static const char *const units[] = {
    "patient", "subject", "person", "participant", "user",      "account",  "card",   "customer",
    "client",  "record",  "device", "specimen",    "household", "spectrum", "animal", "donor"};

/* The name is one of these units, or one of them and "id", with any characters between. */
static bool is_unit(const char *name, size_t length)
{
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        if (strlen(units[k]) == length && strncasecmp(name, units[k], length) == 0) {
            return true;
        }
    }
    return false;
}

/* "id" is a separate word: "id", "user_id", "user id", "userId", "USERID" behind a unit. */
bool ney_names_identifier(const char *name)
{
    const size_t n = strlen(name);
    if (is_unit(name, n) || strcasecmp(name, "id") == 0) {
        return true;
    }
    if (n < 3 || strcasecmp(name + n - 2, "id") != 0) {
        return false;
    }
    const char before = name[n - 3];
    const bool parted = !isalnum((unsigned char)before);
    const bool camel = islower((unsigned char)before) && name[n - 2] == 'I';
    return parted || camel || is_unit(name, n - 2);
}

void ney_keys_add(ney_keys *k, const char *text, int length)
{
    if (k->failed || !ney_grow(&k->env, &k->key, &k->cap, k->n + 1, sizeof *k->key)) {
        k->failed = true;
        return;
    }
    k->key[k->n++] = XXH3_64bits(text, (size_t)length);
}

void ney_keys_join(ney_keys *k, const ney_keys *more)
{
    if (k->failed || more->failed ||
        !ney_grow(&k->env, &k->key, &k->cap, k->n + more->n, sizeof *k->key)) {
        k->failed = true;
        return;
    }
    if (more->n > 0) {
        memcpy(k->key + k->n, more->key, (size_t)more->n * sizeof *k->key);
    }
    k->n += more->n;
}

void ney_keys_deinit(ney_keys *k)
{
    ney_release(&k->env, k->key);
    *k = (ney_keys){.env = k->env};
}

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int64_t count_values(ney_keys *k)
{
    int64_t values = 0;
    if (k->failed || k->n == 0) {
        return 0;
    }
    qsort(k->key, (size_t)k->n, sizeof *k->key, by_value);
    for (int64_t i = 0; i < k->n; i++) {
        values += i == 0 || k->key[i] != k->key[i - 1];
    }
    return values;
}

bool ney_keys_differ(ney_keys *k)
{
    enum { FEWEST_ROWS = 20 }; /* of fewer, distinct values say little */
    return k->n >= FEWEST_ROWS && count_values(k) == k->n;
}

bool ney_keys_repeat(ney_keys *k)
{
    const int64_t values = count_values(k);
    return values >= FEWEST_VALUES && 2 * k->n >= 3 * values;
}
