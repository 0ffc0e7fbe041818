/* Memory, errors, random numbers, threads: the small things of src/base. */
#include "base/env.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "support/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void sizes_that_are_none_are_refused(void **state)
{
    const ney_env env = ney_env_of(NULL);
    int64_t cap = 0;
    char *block = NULL;
    (void)state;
    assert_null(ney_alloc(&env, INT64_MAX, 8));
    assert_null(ney_alloc(&env, -1, 1));
    assert_false(ney_grow(&env, &block, &cap, INT64_MAX, 16));
    assert_null(block);
    assert_int_equal(cap, 0);
    void *empty = ney_alloc(&env, 0, 8);
    assert_non_null(empty);
    ney_release(&env, empty);
    ney_release(&env, NULL);
    assert_true(ney_grow(&env, &block, &cap, 10, 4));
    assert_true(cap >= 10);
    memset(block, 1, 40);
    assert_true(ney_grow(&env, &block, &cap, 11, 4));
    assert_true(cap >= 15); /* by half at least */
    ney_trim(&env, &block, &cap, 3, 4);
    assert_int_equal(cap, 3);
    ney_release(&env, block);
}

static void errors_keep_their_place(void **state)
{
    ney_error err;
    char path[600];
    (void)state;
    memset(path, 'x', sizeof path);
    memcpy(path + sizeof path - 5, ".csv", 5);
    assert_int_equal(ney_fail_at(&err, NEY_EPARSE, (ney_place){path, 7, 3}, "found %d", 5),
                     NEY_EPARSE);
    assert_string_equal(err.message, "found 5");
    assert_int_equal(err.line, 7);
    assert_int_equal(err.column, 3);
    assert_int_equal(strlen(err.file), sizeof err.file - 1);
    assert_string_equal(err.file + strlen(err.file) - 4, ".csv");
    assert_memory_equal(err.file, "...x", 4);
    ney_fail(&err, NEY_EINVAL, "%s", path);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
    assert_string_equal(err.file, "");
    ney_error_in(&err, NEY_EINVAL, "late");
    assert_string_equal(err.file, "late");
    ney_error_in(&err, NEY_EINVAL, "later");
    assert_string_equal(err.file, "late");
    assert_int_equal(ney_fail(NULL, NEY_EIO, "nobody listens"), NEY_EIO);
    assert_string_equal(ney_status_text(NEY_EPARSE), "malformed input");
    assert_string_equal(ney_status_text((ney_status)77), "unknown status");
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", NEY_VERSION_MAJOR, NEY_VERSION_MINOR,
             NEY_VERSION_PATCH);
    assert_string_equal(ney_version(), version);
}

/* splitmix64 from seed 1234567, as its authors print it. */
static void random_numbers_are_the_known_ones(void **state)
{
    ney_rng r = {1234567};
    (void)state;
    assert_true(ney_rng_next(&r) == UINT64_C(6457827717110365317));
    assert_true(ney_rng_next(&r) == UINT64_C(3203168211198807973));
    assert_true(ney_rng_next(&r) == UINT64_C(9817491932198370423));
}

static void random_numbers_are_spread_evenly(void **state)
{
    ney_rng r = {5};
    int64_t count[7] = {0}, items[50];
    (void)state;
    for (int i = 0; i < 70000; i++) {
        const int64_t k = ney_rng_below(&r, 7);
        assert_in_range(k, 0, 6);
        count[k]++;
        const double u = ney_rng_unit(&r);
        assert_true(u >= 0 && u < 1);
        assert_int_equal(ney_rng_below(&r, 1), 0);
        assert_true(ney_rng_below(&r, INT64_MAX) >= 0);
    }
    for (int k = 0; k < 7; k++) {
        assert_in_range(count[k], 9600, 10400); /* more than four standard deviations */
    }
    bool seen[50] = {false};
    for (int i = 0; i < 50; i++) {
        items[i] = i;
    }
    ney_rng_shuffle(&r, items, 50);
    int moved = 0;
    for (int i = 0; i < 50; i++) {
        assert_false(seen[items[i]]);
        seen[items[i]] = true;
        moved += items[i] != i;
    }
    assert_true(moved > 30);
    ney_rng_shuffle(&r, items, 0);
}

static void mark(void *context, int64_t i, int thread)
{
    int *times = context;
    assert_true(thread >= 0 && thread < 16);
    times[i]++;
}

static void every_piece_of_work_is_done_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 16; threads *= 2) {
        int times[1000] = {0};
        ney_env env = ney_env_of(NULL);
        env.threads = threads;
        ney_parallel_for(&env, 1000, mark, times);
        ney_parallel_for(&env, 0, mark, times);
        for (int i = 0; i < 1000; i++) {
            assert_int_equal(times[i], 1);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_are_none_are_refused),
        cmocka_unit_test(errors_keep_their_place),
        cmocka_unit_test(random_numbers_are_the_known_ones),
        cmocka_unit_test(random_numbers_are_spread_evenly),
        cmocka_unit_test(every_piece_of_work_is_done_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
