/* Mutations of what compressed bytes hold: unpack, change, pack again, so that checksums fit. */
#ifndef TESTS_FUZZ_PACKED_H
#define TESTS_FUZZ_PACKED_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <zlib.h>
#include <zstd.h>

/* Of libFuzzer, which has no header. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

enum { PLAIN_BYTES = 1 << 14 };

/* The bytes that a gzip or zstd file holds, at most PLAIN_BYTES; 0 where it is none. */
static size_t unpack(const uint8_t *packed, size_t n, uint8_t plain[PLAIN_BYTES])
{
    if (n >= 4 && memcmp(packed, "\x28\xb5\x2f\xfd", 4) == 0) {
        const size_t got = ZSTD_decompress(plain, PLAIN_BYTES, packed, n);
        return ZSTD_isError(got) ? 0 : got;
    }
    z_stream z = {0};
    if (n < 2 || memcmp(packed, "\x1f\x8b", 2) != 0 || inflateInit2(&z, 15 + 16) != Z_OK) {
        return 0;
    }
    z.next_in = (uint8_t *)(uintptr_t)packed;
    z.avail_in = (unsigned)n;
    z.next_out = plain;
    z.avail_out = PLAIN_BYTES;
    (void)inflate(&z, Z_FINISH); /* of a file that was cut, what there is */
    inflateEnd(&z);
    return PLAIN_BYTES - z.avail_out;
}

static size_t pack_gzip(const uint8_t *plain, size_t n, uint8_t *packed, size_t room)
{
    z_stream z = {0};
    if (deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        return 0;
    }
    z.next_in = (uint8_t *)(uintptr_t)plain;
    z.avail_in = (unsigned)n;
    z.next_out = packed;
    z.avail_out = (unsigned)room;
    const bool whole = deflate(&z, Z_FINISH) == Z_STREAM_END;
    deflateEnd(&z);
    return whole ? room - z.avail_out : 0;
}

static size_t pack(const uint8_t *plain, size_t n, bool zstd, uint8_t *packed, size_t room)
{
    if (!zstd) {
        return pack_gzip(plain, n, packed, room);
    }
    const size_t got = ZSTD_compress(packed, room, plain, n, 1);
    return ZSTD_isError(got) ? 0 : got;
}

/* Change the bytes behind the first, half of the time inside of their compression. */
static size_t mutate_packed(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static uint8_t plain[PLAIN_BYTES];
    const size_t n = size > 1 && seed % 2 == 0 ? unpack(data + 1, size - 1, plain) : 0;
    if (n == 0) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    const size_t changed = LLVMFuzzerMutate(plain, n, PLAIN_BYTES);
    const size_t got = pack(plain, changed, seed % 4 == 0, data + 1, max_size - 1);
    return got > 0 ? 1 + got : LLVMFuzzerMutate(data, size, max_size);
}

#endif
