/* Fewer repeats under a sanitizer, for tests that would take too long there. */
#ifndef TEST_SHARE_H
#define TEST_SHARE_H

#include "support/random_data.h"

#include <stdlib.h>

/* test_times(n) / NEY_TEST_SHARE, at least 1; tests/CMakeLists.txt sets the share. Only where a
 * check is as sure with fewer repeats. */
static inline int64_t test_share(int64_t n)
{
    const char *share = getenv("NEY_TEST_SHARE");
    const int64_t times = test_times(n) / (share && *share ? strtoll(share, NULL, 10) : 1);
    return times > 0 ? times : 1;
}

#endif
