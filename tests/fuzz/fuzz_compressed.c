/* Any bytes as a file of unknown format, most often one that says it is gzip or zstd: a clean
 * refusal, or data that keep their invariants and that a second reading gives again. */
#include "fuzz/fuzz.h"

#ifdef NEY_FUZZ_MUTATORS
#include "fuzz/packed.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return mutate_packed(data, size, max_size, seed);
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const ney_env env = fuzz_env();
    ney_data *a = NULL, *b = NULL;
    ney_error err = {0};

    if (len < 1) {
        return 0;
    }
    const ney_read_opts opts = fuzz_opts(bytes[0], NEY_FORMAT_AUTO);
    ney_status st = ney_data_parse_with(&a, &env, "fuzz", bytes + 1, len - 1, &opts, NULL, &err);
    if (st != NEY_OK) {
        require_refusal(st, a, &err);
        return 0;
    }
    require_data(a, (int)opts.missing);
    st = ney_data_parse_with(&b, &env, "fuzz", bytes + 1, len - 1, &opts, NULL, &err);
    REQUIRE(st == NEY_OK);
    require_same_entries(ney_data_matrix(a), ney_data_matrix(b));
    require_same_rows(a, b);
    ney_data_free(a);
    ney_data_free(b);
    return 0;
}
