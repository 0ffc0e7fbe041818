/* SHA-256 (FIPS 180-4) of a file: what sha256sum prints, so that a reader can check which data a
 * report is about. */
#include "report.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct sha256 {
    uint32_t h[8];
    uint8_t block[64];
    uint64_t length;
} sha256;

static const uint32_t round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate(uint32_t x, int bits)
{
    return x >> bits | x << (32 - bits);
}

static void compress(sha256 *s)
{
    uint32_t w[64], v[8];

    for (int i = 0; i < 16; i++) {
        const uint8_t *b = s->block + (ptrdiff_t)4 * i;
        w[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    }
    for (int i = 16; i < 64; i++) {
        const uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
    memcpy(v, s->h, sizeof v);
    for (int i = 0; i < 64; i++) {
        const uint32_t e = v[4], a = v[0];
        const uint32_t t1 = v[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
                            ((e & v[5]) ^ (~e & v[6])) + round_constant[i] + w[i];
        const uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
                            ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++) {
        s->h[i] += v[i];
    }
}

static void add_bytes(sha256 *s, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        s->block[s->length++ % 64] = bytes[i];
        if (s->length % 64 == 0) {
            compress(s);
        }
    }
}

static void finish(sha256 *s, char hex[65])
{
    const uint64_t bits = 8 * s->length;
    uint8_t tail[8];

    add_bytes(s, (const uint8_t *)"\x80", 1);
    while (s->length % 64 != 56) {
        add_bytes(s, (const uint8_t *)"", 1);
    }
    for (int i = 0; i < 8; i++) {
        tail[i] = (uint8_t)(bits >> (56 - 8 * i));
    }
    add_bytes(s, tail, sizeof tail);
    for (int i = 0; i < 8; i++) {
        snprintf(hex + (ptrdiff_t)8 * i, 9, "%08x", (unsigned)s->h[i]);
    }
}

void report_hash_file(const char *path, char hex[65])
{
    sha256 s = {.h = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                      0x1f83d9ab, 0x5be0cd19}};
    static uint8_t buffer[1 << 16];
    struct stat there;
    size_t n;

    hex[0] = '\0';
    if (stat(path, &there) != 0 || !S_ISREG(there.st_mode)) {
        return;
    }
    FILE *file = fopen(path, "rb");
    if (!file) {
        return;
    }
    while ((n = fread(buffer, 1, sizeof buffer, file)) > 0) {
        add_bytes(&s, buffer, n);
    }
    if (!ferror(file)) {
        finish(&s, hex);
    }
    fclose(file);
}
