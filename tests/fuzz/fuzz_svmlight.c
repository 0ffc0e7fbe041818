/* Any bytes as svmlight text: a clean refusal, or data that keep their invariants, survive a round
 * trip through text and cache, and come out the same when read again through their own
 * preprocessing. */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const ney_env env = fuzz_env();
    ney_data *d = NULL;
    ney_error err = {0};

    if (len < 1) {
        return 0;
    }
    ney_read_opts opts = fuzz_opts(bytes[0] & 15, NEY_FORMAT_SVMLIGHT);
    ney_status st = ney_data_parse_with(&d, &env, "fuzz", bytes + 1, len - 1, &opts, NULL, &err);
    if (st != NEY_OK) {
        require_refusal(st, d, &err);
        check_profile(bytes + 1, len - 1, &opts, NULL);
        return 0;
    }
    require_data(d, (int)opts.missing);
    check_profile(bytes + 1, len - 1, &opts, d);

    ney_read_opts back = opts; /* what is written counts from 1 */
    back.zero_based = false;
    back.missing = NEY_MISSING_KEEP;
    ney_data *e = fuzz_round_trip(d, NEY_FORMAT_SVMLIGHT, &back);
    if (e) {
        require_same_entries(ney_data_matrix(d), ney_data_matrix(e));
        ney_data_free(e);
    }
    back.format = NEY_FORMAT_CACHE;
    e = fuzz_round_trip(d, NEY_FORMAT_CACHE, &back);
    if (e) {
        require_same_entries(ney_data_matrix(d), ney_data_matrix(e));
        REQUIRE(ney_data_matrix(d)->cols == ney_data_matrix(e)->cols);
        ney_data_free(e);
    }
    if (opts.missing != NEY_MISSING_KEEP) {
        check_again(bytes + 1, len - 1, &opts, d, (ney_scaling)(bytes[0] >> 4 & 3));
    }
    ney_data_free(d);
    return 0;
}
