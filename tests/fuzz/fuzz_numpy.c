/* Any bytes as an array or an archive of arrays: a clean refusal, or data that keep their
 * invariants and survive a round trip through an archive. The checksums of an archive are repaired,
 * so that changed arrays are reached. */
#include "fuzz/table.h"

#include <zlib.h>

static uint32_t number_at(const uint8_t *b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Write the true checksum of every stored member that lies within the bytes into the directory. */
static void repair(uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i + 46 <= len; i++) {
        if (memcmp(bytes + i, "PK\x01\x02", 4) != 0) {
            continue;
        }
        const size_t at = number_at(bytes + i + 42), size = number_at(bytes + i + 20);
        if (at + 30 > len) {
            continue;
        }
        const size_t begin = at + 30 + (bytes[at + 26] | (size_t)bytes[at + 27] << 8) +
                             (bytes[at + 28] | (size_t)bytes[at + 29] << 8);
        if (begin > len || size > len - begin || bytes[i + 10] != 0) {
            continue;
        }
        const uint32_t crc = (uint32_t)crc32(0, bytes + begin, (unsigned)size);
        for (int k = 0; k < 4; k++) {
            bytes[i + 16 + (size_t)k] = (uint8_t)(crc >> 8 * k);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t len)
{
    const ney_env env = fuzz_env();
    ney_data *d = NULL;
    ney_error err = {0};
    if (len < 1) {
        return 0;
    }
    const uint8_t bits = input[0];
    uint8_t *const bytes = malloc(len);
    REQUIRE(bytes != NULL);
    memcpy(bytes, input + 1, len - 1);
    repair(bytes, len - 1);
    const bool archive = len > 2 && bytes[0] == 'P';
    ney_read_opts opts = fuzz_opts(bits & 3, archive ? NEY_FORMAT_NPZ : NEY_FORMAT_NPY);
    opts.label = bits & 4 ? "1" : NULL;
    opts.group = bits & 8 ? "2" : NULL;
    const ney_status st = ney_data_parse_with(&d, &env, "fuzz", bytes, len - 1, &opts, NULL, &err);
    if (st != NEY_OK) {
        require_refusal(st, d, &err);
        free(bytes);
        return 0;
    }
    require_data(d, (int)opts.missing);
    const ney_read_opts back = fuzz_opts(2, NEY_FORMAT_NPZ);
    check_round_trip(d, NEY_FORMAT_NPZ, &back);
    ney_data_free(d);
    free(bytes);
    return 0;
}
