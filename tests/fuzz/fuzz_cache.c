/* Any bytes as a cache file: a clean refusal, or a cache whose blocks are refused or keep their
 * invariants. Half of the inputs get fitting checksums first, so that what lies behind them is
 * reached: a checksum tells damage, not malice. */
#include "fuzz/fuzz.h"

#include "base/little.h"
#include "data/cache.h"

#include <xxhash.h>

/* Make every checksum fit that lies within the file. */
static void fix_checksums(uint8_t *file, size_t len)
{
    ney_cache_header h;
    ney_cache_entry e;
    if (len < sizeof h) {
        return;
    }
    memcpy(&h, file, sizeof h);
    ney_cache_order_header(&h);
    if (h.tail_offset >= 0 && h.tail_offset <= (int64_t)len) {
        uint8_t *tail = file + h.tail_offset;
        const size_t n_tail = len - (size_t)h.tail_offset;
        for (size_t k = 0; k < 8 && (k + 1) * sizeof e <= n_tail && (int64_t)k < h.n_blocks; k++) {
            memcpy(&e, tail + k * sizeof e, sizeof e);
            ney_cache_order_table(&e, 1);
            if (e.offset >= 0 && e.bytes >= 0 && e.bytes <= (int64_t)len &&
                e.offset <= (int64_t)len - e.bytes) {
                e.checksum = XXH3_64bits(file + e.offset, (size_t)e.bytes);
                ney_cache_order_table(&e, 1);
                memcpy(tail + k * sizeof e, &e, sizeof e);
            }
        }
        h.tail_checksum = XXH3_64bits(tail, n_tail);
    }
    ney_cache_order_header(&h);
    h.checksum = XXH3_64bits(&h, offsetof(ney_cache_header, checksum));
    ney_order_bytes(&h.checksum, 1, sizeof h.checksum);
    memcpy(file, &h, sizeof h);
}

static void save(const char *path, const uint8_t *bytes, size_t len)
{
    FILE *f = fopen(path, "wb");
    REQUIRE(f != NULL);
    REQUIRE(fwrite(bytes, 1, len, f) == len);
    REQUIRE(fclose(f) == 0);
}

/* Returns whether every block was accepted. */
static bool walk(ney_cache *c)
{
    int64_t rows = 0;
    bool sound = true;
    for (int64_t k = 0; k < ney_cache_blocks(c); k++) {
        ney_block b;
        ney_error err = {0};
        const ney_status st = ney_cache_block(c, k, &b, &err);
        if (st != NEY_OK) {
            require_refusal(st, NULL, &err);
            sound = false;
            continue;
        }
        require_matrix(&b.x, NEY_MISSING_KEEP);
        REQUIRE(b.x.cols <= ney_cache_cols(c));
        for (int64_t i = 0; i < b.x.rows; i++) {
            REQUIRE(!b.label || b.label[i] == 1 || b.label[i] == -1);
            REQUIRE(!b.weight || (b.weight[i] >= 0 && isfinite(b.weight[i])));
        }
        REQUIRE(b.first_row == rows || !sound);
        rows = b.first_row + b.x.rows;
    }
    REQUIRE(!sound || rows == ney_cache_rows(c));
    return sound;
}

/* Everything that can be done with the data afterwards. */
static void use(ney_data *d)
{
    static const ney_format formats[] = {NEY_FORMAT_SVMLIGHT, NEY_FORMAT_PIN, NEY_FORMAT_CSV};
    char path[128];
    const ney_env env = fuzz_env();
    const ney_matrix *x = ney_data_matrix(d);
    ney_data_summary summary;
    ney_data *part = NULL;
    const int64_t first[] = {0};

    require_matrix(x, NEY_MISSING_KEEP);
    if (x->cols > 10000) { /* a table of so many columns is only slow */
        return;
    }
    (void)!ney_data_describe(d, &summary, NULL, NULL);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        (void)!ney_data_write(d, &env, fuzz_path(path, "a.txt"), formats[i], NULL);
    }
    if (x->rows > 0) {
        (void)!ney_data_take(&part, d, first, 1, NULL);
        ney_data_free(part);
    }
    (void)!ney_data_prepare(d, NEY_SCALING_STANDARD, NULL, 0, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    char path[128];
    const ney_env env = fuzz_env();
    ney_cache *c = NULL;
    ney_data *d = NULL;
    ney_error err = {0};

    if (len < 1) {
        return 0;
    }
    uint8_t *file = malloc(len);
    REQUIRE(file != NULL);
    memcpy(file, bytes + 1, len - 1);
    if (bytes[0] & 1) {
        fix_checksums(file, len - 1);
    }
    save(fuzz_path(path, "a.ney"), file, len - 1);
    free(file);

    ney_status st = ney_cache_open(&c, &env, path, &err);
    bool sound = false;
    if (st != NEY_OK) {
        require_refusal(st, c, &err);
    } else {
        sound = walk(c);
        ney_cache_close(c);
    }
    const ney_read_opts opts = fuzz_opts(0, NEY_FORMAT_CACHE);
    st = ney_data_read_with(&d, &env, path, &opts, NULL, &err);
    if (st != NEY_OK) {
        require_refusal(st, d, &err);
        return 0;
    }
    REQUIRE(sound);
    use(d);
    ney_data_free(d);
    return 0;
}
