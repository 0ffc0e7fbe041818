/* Any bytes as an array or an archive of arrays: a clean refusal, or data that keep their
 * invariants and survive a round trip through an archive. The checksums of an archive are repaired,
 * so that changed arrays are reached. */
#include "data/npy_stream.h"
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

/* Rows of a window; -1 after a refusal. */
static int64_t next_rows(ney_npy_stream *s)
{
    ney_data *d = NULL;
    ney_error err = {0};
    const ney_status st = ney_npy_stream_next(s, &d, &err);
    if (st != NEY_OK) {
        require_refusal(st, d, &err);
        return -1;
    }
    const int64_t rows = d ? d->x.rows : 0;
    if (d) {
        d->preprocessing = NULL; /* the stream's */
        ney_data_free(d);
    }
    return rows;
}

/* Window by window the same rows as all at once, or a refusal of both. */
static void check_windows(const ney_env *env, const uint8_t *bytes, size_t len,
                          const ney_read_opts *opts, const ney_preprocessing *given, int64_t rows)
{
    ney_source *source = NULL;
    ney_npy_stream *s = NULL;
    const char *first;
    int64_t n = 0, got = 0;
    ney_error err = {0};
    REQUIRE(ney_source_view(&source, env, "fuzz", bytes, (int64_t)len, NULL) == NEY_OK);
    REQUIRE(ney_source_peek(source, 1, &first, &n, NULL) == NEY_OK);
    if (ney_npy_stream_open(&s, env, source, opts->format, opts, given, &err) != NEY_OK || !s) {
        REQUIRE(s == NULL && (err.code == NEY_OK || rows < 0));
        ney_source_close(source);
        return;
    }
    for (n = 0; (got = next_rows(s)) > 0; n += got) {
    }
    REQUIRE(got < 0 ? rows < 0 : n == rows);
    ney_npy_stream_close(s);
}

/* The same file, read for a model that was trained on it. */
static void check_with_model(const ney_env *env, const uint8_t *bytes, size_t len,
                             const ney_read_opts *opts, ney_data *d)
{
    ney_data *all = NULL;
    if (ney_data_prepare(d, NEY_SCALING_NONE, NULL, 0, NULL) != NEY_OK) {
        return;
    }
    const ney_preprocessing *const given = ney_data_preprocessing(d);
    ney_read_opts for_model = *opts;
    for_model.missing = NEY_MISSING_ERROR; /* the model says what becomes of missing cells */
    const ney_status st =
        ney_data_parse_with(&all, env, "fuzz", bytes, len, &for_model, given, NULL);
    check_windows(env, bytes, len, &for_model, given,
                  st == NEY_OK ? ney_data_matrix(all)->rows : -1);
    ney_data_free(all);
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
    check_with_model(&env, bytes, len - 1, &opts, d);
    ney_data_free(d);
    free(bytes);
    return 0;
}
