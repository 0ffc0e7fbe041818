/* Numbers of 128 bits as two of 64: what a few exact computations need of them, also where the
 * compiler has no such type (32-bit machines). The portable functions are compiled everywhere, so
 * that tests can compare them with the compiler's. */
#ifndef NEY_BASE_WIDE_H
#define NEY_BASE_WIDE_H

#include <stdint.h>

typedef struct ney_wide {
    uint64_t high, low;
} ney_wide;

static inline ney_wide ney_wide_product_portable(uint64_t a, uint64_t b)
{
    const uint64_t a1 = a >> 32, a0 = (uint32_t)a, b1 = b >> 32, b0 = (uint32_t)b;
    const uint64_t low = a0 * b0;
    const uint64_t middle = a1 * b0 + (low >> 32);     /* at most (2^32 - 1) 2^32 */
    const uint64_t other = a0 * b1 + (uint32_t)middle; /* likewise */

    return (ney_wide){.high = a1 * b1 + (middle >> 32) + (other >> 32),
                      .low = other << 32 | (uint32_t)low};
}

/* (high 2^64 + low) / divisor for high < divisor, bit by bit. */
static inline uint64_t ney_wide_quotient_portable(ney_wide x, uint64_t divisor, uint64_t *rest)
{
    uint64_t left = x.high, quotient = x.low;

    for (int i = 0; i < 64; i++) {
        const uint64_t carry = left >> 63;
        left = left << 1 | quotient >> 63;
        quotient <<= 1;
        if (carry != 0 || left >= divisor) {
            left -= divisor;
            quotient |= 1;
        }
    }
    *rest = left;
    return quotient;
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 ney_uint128;

static inline ney_wide ney_wide_product(uint64_t a, uint64_t b)
{
    const ney_uint128 product = (ney_uint128)a * b;
    return (ney_wide){.high = (uint64_t)(product >> 64), .low = (uint64_t)product};
}

static inline uint64_t ney_wide_quotient(ney_wide x, uint64_t divisor, uint64_t *rest)
{
    const ney_uint128 dividend = (ney_uint128)x.high << 64 | x.low;
    *rest = (uint64_t)(dividend % divisor);
    return (uint64_t)(dividend / divisor);
}
#else
#define ney_wide_product ney_wide_product_portable
#define ney_wide_quotient ney_wide_quotient_portable
#endif

#endif
