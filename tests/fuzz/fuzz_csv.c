/* Any bytes as CSV or TSV: a clean refusal, or data that keep their invariants, survive a round
 * trip, and have the same features when they are read again through their own preprocessing. */
#include "fuzz/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    if (len < 2) {
        return 0;
    }
    const ney_read_opts opts = fuzz_opts(bytes[0], bytes[1] & 4 ? NEY_FORMAT_TSV : NEY_FORMAT_CSV);
    fuzz_table(bytes + 2, len - 2, &opts, (ney_scaling)(bytes[1] & 3));
    return 0;
}
