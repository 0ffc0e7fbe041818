/* The byte order of files and of numbers that are hashed into files: little-endian, on every
 * machine. */
#ifndef NEY_BASE_LITTLE_H
#define NEY_BASE_LITTLE_H

#include <stdint.h>

#include <xxhash.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { NEY_IS_LITTLE_ENDIAN = 1 };
#else
enum { NEY_IS_LITTLE_ENDIAN = 0 };
#endif

/* Reverse the bytes of each of n numbers of `size` bytes. */
void ney_reverse_bytes(void *numbers, int64_t n, int size);

/* From the machine's byte order to that of files, or back. */
static inline void ney_order_bytes(void *numbers, int64_t n, int size)
{
    if (!NEY_IS_LITTLE_ENDIAN) {
        ney_reverse_bytes(numbers, n, size);
    }
}

/* Hash n numbers of `size` bytes, 8 at most: the same hash on every machine. */
void ney_hash_numbers(XXH3_state_t *h, const void *numbers, int64_t n, int size);

/* The same, with reversed bytes. */
void ney_hash_reversed(XXH3_state_t *h, const void *numbers, int64_t n, int size);

#endif
