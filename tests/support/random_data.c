#include "support/random_data.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t environment(const char *name, uint64_t fallback)
{
    const char *given = getenv(name);
    return given && *given ? strtoull(given, NULL, 10) : fallback;
}

rnd rnd_new(uint64_t stream)
{
    rnd r = {(environment("NEY_TEST_SEED", 1) * 1000003u + stream) * 0x9e3779b97f4a7c15u | 1};
    for (int i = 0; i < 8; i++) {
        rnd_next(&r);
    }
    return r;
}

uint64_t rnd_next(rnd *r)
{
    r->state ^= r->state >> 12;
    r->state ^= r->state << 25;
    r->state ^= r->state >> 27;
    return r->state * 0x2545f4914f6cdd1du;
}

int64_t rnd_below(rnd *r, int64_t n)
{
    return (int64_t)((rnd_next(r) >> 1) % (uint64_t)n);
}

double rnd_unit(rnd *r)
{
    return (double)(rnd_next(r) >> 11) * 0x1p-53;
}

bool rnd_chance(rnd *r, double p)
{
    return rnd_unit(r) < p;
}

int64_t test_times(int64_t n)
{
    return n * (int64_t)environment("NEY_TEST_MULT", 1);
}

void text_bytes(text *t, const void *bytes, size_t n)
{
    if (t->length + n + 1 > t->cap) {
        t->cap = 2 * (t->length + n + 1);
        t->bytes = realloc(t->bytes, t->cap);
        if (!t->bytes) {
            abort();
        }
    }
    if (n > 0) {
        memcpy(t->bytes + t->length, bytes, n);
    }
    t->length += n;
    t->bytes[t->length] = '\0';
}

void text_put(text *t, const char *words)
{
    text_bytes(t, words, strlen(words));
}

void text_printf(text *t, const char *format, ...)
{
    char line[2048];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    text_bytes(t, line, (size_t)n);
}

void text_free(text *t)
{
    free(t->bytes);
    *t = (text){0};
}

static void put_digits(text *t, rnd *r, int n)
{
    for (int i = 0; i < n; i++) {
        const char digit = (char)('0' + rnd_below(r, 10));
        text_bytes(t, &digit, 1);
    }
}

void text_number(text *t, rnd *r, bool wide)
{
    if (rnd_chance(r, 0.4)) {
        text_put(t, rnd_chance(r, 0.5) ? "-" : (rnd_chance(r, 0.2) ? "+" : ""));
    }
    switch (rnd_below(r, 6)) {
    case 0:
        text_printf(t, "%d", (int)rnd_below(r, 3));
        break;
    case 1:
        put_digits(t, r, 1 + (int)rnd_below(r, 6));
        text_put(t, rnd_chance(r, 0.3) ? "." : "");
        break;
    case 2:
        text_put(t, ".");
        put_digits(t, r, 1 + (int)rnd_below(r, 20));
        break;
    case 3:
        put_digits(t, r, 1 + (int)rnd_below(r, wide ? 25 : 12));
        text_put(t, ".");
        put_digits(t, r, (int)rnd_below(r, 20));
        break;
    case 4:
        put_digits(t, r, 1);
        text_put(t, ".");
        put_digits(t, r, (int)rnd_below(r, 18));
        text_printf(t, "%c%d", rnd_chance(r, 0.5) ? 'e' : 'E',
                    (int)rnd_below(r, wide ? 640 : 80) - (wide ? 330 : 45));
        break;
    default:
        text_printf(t, "%.*f", (int)rnd_below(r, 9), rnd_unit(r) * 1000);
        break;
    }
}
