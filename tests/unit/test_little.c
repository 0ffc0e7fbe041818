/* The byte order of files: little-endian on every machine. */
#include "base/little.h"
#include "data/hash.h"
#include "support/cmocka_all.h"

#include <string.h>

static void reverses_each_number(void **state)
{
    char bytes[] = "abcdefgh12345678";
    (void)state;
    ney_reverse_bytes(bytes, 4, 4);
    assert_string_equal(bytes, "dcbahgfe43218765");
    ney_reverse_bytes(bytes, 2, 8);
    assert_string_equal(bytes, "efghabcd56781234");
    ney_reverse_bytes(bytes, 16, 1);
    ney_reverse_bytes(bytes, 0, 8);
    assert_string_equal(bytes, "efghabcd56781234");
}

static void orders_numbers_as_files_have_them(void **state)
{
    static const unsigned char expected[] = {1, 0, 0, 0, 4, 3, 2, 1, 0, 0, 128, 63};
    uint32_t number[3] = {1, 0x01020304};
    const float one = 1;
    (void)state;
    memcpy(&number[2], &one, sizeof one);
    ney_order_bytes(number, 3, sizeof *number);
    assert_memory_equal(number, expected, sizeof expected);
}

/* Longer than one buffer of the function, so that its seams are crossed. */
static void hashes_reversed_numbers_piece_by_piece(void **state)
{
    enum { N = 1300 };
    static uint64_t number[N];
    XXH3_state_t *const h = XXH3_createState();
    (void)state;
    for (int size = 1; size <= 8; size *= 2) {
        for (uint64_t k = 0; k < N; k++) {
            number[k] = (k + 1) * UINT64_C(0x9e3779b97f4a7c15);
        }
        XXH3_64bits_reset(h);
        ney_hash_reversed(h, number, N, size);
        const uint64_t found = XXH3_64bits_digest(h);
        ney_reverse_bytes(number, N, size);
        assert_int_equal(found, XXH3_64bits(number, (size_t)(N * size)));
    }
    XXH3_freeState(h);
}

/* What tune tables and certificates keep must not depend on the machine. */
static void hash_of_rows_is_the_same_everywhere(void **state)
{
    static const float value[] = {1, -2.5f, 3};
    static const int32_t index[] = {0, 4, 1000};
    static const int64_t start[] = {0, 2, 3};
    static const int8_t label[] = {1, -1};
    static const float weight[] = {1, 0.5f};
    const ney_matrix x = {.rows = 2, .cols = 1001, .start = start, .index = index, .value = value};
    /* rows, cols, the length of each row, values, columns, labels, weights */
    static const unsigned char bytes[] = {
        2, 0, 0, 0, 0, 0, 0, 0, 0xe9, 3, 0, 0, 0,   0,   0, 0, 2,   0,    0, 0, 0,  0,
        0, 0, 1, 0, 0, 0, 0, 0, 0,    0, 0, 0, 128, 63,  0, 0, 32,  0xc0, 0, 0, 64, 64,
        0, 0, 0, 0, 4, 0, 0, 0, 0xe8, 3, 0, 0, 1,   255, 0, 0, 128, 63,   0, 0, 0,  63};
    XXH3_state_t *const h = XXH3_createState();
    (void)state;
    XXH3_64bits_reset(h);
    ney_hash_rows(h, &x, label, weight);
    assert_int_equal(XXH3_64bits_digest(h), XXH3_64bits(bytes, sizeof bytes));
    XXH3_freeState(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reverses_each_number),
        cmocka_unit_test(orders_numbers_as_files_have_them),
        cmocka_unit_test(hashes_reversed_numbers_piece_by_piece),
        cmocka_unit_test(hash_of_rows_is_the_same_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
