#include "base/little.h"

#include <string.h>

void ney_reverse_bytes(void *numbers, int64_t n, int size)
{
    for (char *at = numbers; n > 0; n--, at += size) {
        for (int low = 0, high = size - 1; low < high; low++, high--) {
            const char byte = at[low];
            at[low] = at[high];
            at[high] = byte;
        }
    }
}

void ney_hash_reversed(XXH3_state_t *h, const void *numbers, int64_t n, int size)
{
    enum { AT_ONCE = 512 };
    char copy[AT_ONCE * 8];
    const char *at = numbers;
    while (n > 0) {
        const int64_t now = n < AT_ONCE ? n : AT_ONCE;
        memcpy(copy, at, (size_t)(now * size));
        ney_reverse_bytes(copy, now, size);
        XXH3_64bits_update(h, copy, (size_t)(now * size));
        at += now * size;
        n -= now;
    }
}

void ney_hash_numbers(XXH3_state_t *h, const void *numbers, int64_t n, int size)
{
    if (NEY_IS_LITTLE_ENDIAN) {
        XXH3_64bits_update(h, numbers, (size_t)n * (size_t)size);
    } else {
        ney_hash_reversed(h, numbers, n, size);
    }
}
