/* Pieces of work on threads: each once, with a team and without, one inside another. */
#include "base/parallel.h"

#include "support/cmocka_all.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { PIECES = 1000, INNER = 20 };

typedef struct tally {
    const ney_env *env;
    atomic_int times[PIECES];
    atomic_int inner, at_once[NEY_MOST_HELPERS + 1];
    atomic_bool out_of_range;
} tally;

static void count_inner(void *context, int64_t i, int thread)
{
    tally *t = context;
    (void)i;
    (void)thread;
    atomic_fetch_add(&t->inner, 1);
}

/* No two pieces may have the same thread number at once, or they would share its memory. */
static void count(void *context, int64_t i, int thread)
{
    tally *t = context;
    if (thread < 0 || thread >= ney_threads(t->env) ||
        atomic_fetch_add(&t->at_once[thread], 1) != 0) {
        atomic_store(&t->out_of_range, true);
    }
    atomic_fetch_add(&t->times[i], 1);
    if (i % 100 == 0) {
        ney_parallel_for(t->env, INNER, count_inner, t);
    }
    atomic_fetch_sub(&t->at_once[thread], 1);
}

static void run(const ney_env *env, int64_t n)
{
    static tally t;
    memset(&t, 0, sizeof t);
    t.env = env;
    ney_parallel_for(env, n, count, &t);
    for (int64_t i = 0; i < PIECES; i++) {
        assert_int_equal(atomic_load(&t.times[i]), i < n);
    }
    assert_int_equal(atomic_load(&t.inner), (n + 99) / 100 * INNER);
    assert_false(atomic_load(&t.out_of_range));
}

static void test_each_piece_once(void **state)
{
    static const int64_t sizes[] = {0, 1, 2, 7, PIECES};
    (void)state;
    for (int threads = 1; threads <= 8; threads++) {
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            ney_env env = ney_env_default();
            ney_team team;
            env.threads = threads;
            run(&env, sizes[k]);
            ney_team_begin(&team, &env);
            for (int again = 0; again < 50; again++) { /* helpers awake, asleep, and late */
                run(&env, sizes[k]);
            }
            ney_team_end(&team);
        }
    }
}

/* The number of cores is a file of the system: a team reads it once, not for every job. */
static void test_cores_are_counted_once(void **state)
{
    ney_env env = ney_env_default();
    ney_team team;
    (void)state;
    assert_int_equal(env.threads, 0);
    ney_team_begin(&team, &env);
    assert_true(env.threads >= 1);
    assert_int_equal(env.threads, ney_threads(&env));
    ney_team_end(&team);
}

/* ---------------------------------------------------------------- pieces that fail */

enum { FAILING = 40 };

typedef struct trial {
    int64_t fails[3]; /* pieces that fail, the lowest last in time */
    atomic_int done;
} trial;

static ney_status fail_late(void *context, int64_t i, int thread, ney_error *err)
{
    trial *t = context;
    (void)thread;
    atomic_fetch_add(&t->done, 1);
    for (int k = 0; k < 3; k++) {
        if (t->fails[k] == i) {
            const struct timespec wait = {.tv_nsec = (3 - k) * 5000000L};
            nanosleep(&wait, NULL);
            snprintf(err->message, sizeof err->message, "piece %d", (int)i);
            return i % 2 ? NEY_ENOMEM : NEY_EINVAL;
        }
    }
    return NEY_OK;
}

/* The failure of the lowest piece is reported, though it comes last, whatever the threads. */
static void test_lowest_failure(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        ney_env env = ney_env_default();
        env.threads = threads;
        for (int64_t first = 0; first < 5; first++) {
            trial t = {.fails = {first, first + 1, first + 2}};
            ney_error err = {0};
            char expected[32];
            snprintf(expected, sizeof expected, "piece %d", (int)first);
            assert_int_equal(ney_parallel_try(&env, FAILING, fail_late, &t, &err),
                             first % 2 ? NEY_ENOMEM : NEY_EINVAL);
            assert_string_equal(err.message, expected);
            assert_true(atomic_load(&t.done) >= first + 1);
            assert_true(threads > 1 || atomic_load(&t.done) == first + 1);
            assert_int_equal(ney_parallel_try(&env, FAILING, fail_late, &t, NULL),
                             first % 2 ? NEY_ENOMEM : NEY_EINVAL);
        }
        trial none = {.fails = {-1, -1, -1}};
        assert_int_equal(ney_parallel_try(&env, FAILING, fail_late, &none, NULL), NEY_OK);
        assert_int_equal(atomic_load(&none.done), FAILING);
    }
}

static void test_how_many(void **state)
{
    ney_env env = ney_env_default();
    (void)state;
    assert_true(ney_threads(&env) >= 1);
    env.threads = 3;
    assert_int_equal(ney_threads(&env), 3);
    env.threads = 1 << 20;
    assert_int_equal(ney_threads(&env), NEY_MOST_HELPERS + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_piece_once),
        cmocka_unit_test(test_cores_are_counted_once),
        cmocka_unit_test(test_lowest_failure),
        cmocka_unit_test(test_how_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
