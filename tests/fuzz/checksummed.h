/* Bytes as a text whose last line holds a checksum: half of the inputs get one that fits. */
#ifndef TESTS_FUZZ_CHECKSUMMED_H
#define TESTS_FUZZ_CHECKSUMMED_H

#include "fuzz/fuzz.h"

#include <xxhash.h>

/* Replace (or add) the last line by one with the right checksum. The room suffices. */
static inline size_t fix_end(char *text, size_t len)
{
    size_t body = len;
    while (body > 0 && text[body - 1] == '\n') {
        body--;
    }
    while (body > 0 && text[body - 1] != '\n') {
        body--;
    }
    if (len - body < 4 || memcmp(text + body, "end ", 4) != 0) {
        body = len;
    }
    return body + (size_t)snprintf(text + body, 32, "end %016llx\n",
                                   (unsigned long long)XXH3_64bits(text, body));
}

/* The text behind the first byte, which tells whether to fix its end; nothing readable follows it.
 */
static inline char *sealed_text(const uint8_t *bytes, size_t len, size_t *n_text)
{
    char *text = malloc(len + 32);
    REQUIRE(text != NULL);
    *n_text = len - 1;
    memcpy(text, bytes + 1, *n_text);
    if (bytes[0] & 1) {
        *n_text = fix_end(text, *n_text);
    }
    char *exact = malloc(*n_text ? *n_text : 1);
    REQUIRE(exact != NULL);
    memcpy(exact, text, *n_text);
    free(text);
    return exact;
}

#endif
