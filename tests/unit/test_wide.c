/* Numbers of 128 bits: the portable functions against the definition. */
#include "base/wide.h"
#include "support/cmocka_all.h"

/* splitmix64, with some numbers at the edges of 64 bits. */
static uint64_t draw(uint64_t *state)
{
    static const uint64_t edge[] = {
        0, 1, 2, UINT32_MAX, UINT64_C(1) << 32, UINT64_C(1) << 63, UINT64_MAX - 1, UINT64_MAX};
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return z % 4 == 0 ? edge[(z >> 8) % (sizeof edge / sizeof *edge)] : z >> (z >> 2) % 64;
}

/* x + y modulo 2^128. */
static ney_wide add(ney_wide x, ney_wide y)
{
    const uint64_t low = x.low + y.low;
    return (ney_wide){.high = x.high + y.high + (low < x.low), .low = low};
}

/* a b, a bit of b at a time. */
static ney_wide multiply_slowly(uint64_t a, uint64_t b)
{
    ney_wide sum = {0, 0};
    for (int i = 63; i >= 0; i--) {
        sum = add(sum, sum);
        if (b >> i & 1) {
            sum = add(sum, (ney_wide){.high = 0, .low = a});
        }
    }
    return sum;
}

static void assert_same(ney_wide x, ney_wide y)
{
    assert_int_equal(x.high, y.high);
    assert_int_equal(x.low, y.low);
}

static void test_product(void **unused)
{
    uint64_t state = 1;
    (void)unused;
    for (int i = 0; i < 20000; i++) {
        const uint64_t a = draw(&state), b = draw(&state);
        const ney_wide wanted = multiply_slowly(a, b);
        assert_same(ney_wide_product_portable(a, b), wanted);
        assert_same(ney_wide_product(a, b), wanted);
    }
}

/* quotient * divisor + rest is the dividend, and the rest is below the divisor. */
static void test_quotient(void **unused)
{
    uint64_t state = 2;
    (void)unused;
    for (int i = 0; i < 20000; i++) {
        const uint64_t divisor = draw(&state) | 1;
        const ney_wide x = {.high = draw(&state) % divisor, .low = draw(&state)};
        uint64_t rest, other_rest;
        const uint64_t quotient = ney_wide_quotient_portable(x, divisor, &rest);
        assert_true(rest < divisor);
        assert_same(add(multiply_slowly(quotient, divisor), (ney_wide){.high = 0, .low = rest}), x);
        assert_int_equal(ney_wide_quotient(x, divisor, &other_rest), quotient);
        assert_int_equal(other_rest, rest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_product),
        cmocka_unit_test(test_quotient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
