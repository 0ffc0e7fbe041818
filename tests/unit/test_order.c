/* The order of scores, and the few largest of many. */
#include "decide/k_largest.h"
#include "decide/order.h"
#include "support/cmocka_all.h"
#include "support/ref_decide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 2000 };

static int by_score_and_row(const void *a, const void *b)
{
    const ney_ranked *x = a, *y = b;
    if (x->score != y->score) {
        return x->score < y->score ? -1 : 1;
    }
    return (x->row > y->row) - (x->row < y->row);
}

/* Bits at random: every sign and exponent, infinities, zeros of both signs, few or many ties. */
static double any_score(rnd *r, int64_t kind)
{
    static const double odd[] = {INFINITY, -INFINITY, 0.0,     -0.0,
                                 5e-324,   -5e-324,   1.7e308, -1.7e308};
    if (kind == 0 || rnd_chance(r, 0.1)) {
        return odd[rnd_below(r, 8)];
    }
    if (kind == 1) {
        return (double)rnd_below(r, 9) - 4;
    }
    return ldexp(rnd_unit(r) - 0.5, (int)rnd_below(r, 2000) - 1000);
}

/* Sizes around the one where the way of sorting changes. */
static void test_order_against_qsort(void **state)
{
    static const int64_t sizes[] = {0, 1, 2, 3, 100, 255, 256, 257, 1000, MOST};
    static ney_ranked item[MOST], spare[MOST], wanted[MOST];
    rnd r = rnd_new(301);
    (void)state;
    for (int64_t round = 0; round < test_times(30); round++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            const int64_t n = sizes[s];
            for (int64_t i = 0; i < n; i++) {
                item[i] = wanted[i] = (ney_ranked){any_score(&r, round % 3), i};
            }
            ney_order(item, spare, n);
            qsort(wanted, (size_t)n, sizeof *wanted, by_score_and_row);
            for (int64_t i = 0; i < n; i++) {
                assert_true(item[i].score == wanted[i].score); /* -0 may stand where 0 does */
                assert_int_equal(item[i].row, wanted[i].row);
            }
        }
    }
}

static int by_rank(const void *a, const void *b)
{
    const ney_ranked *x = a, *y = b;
    if (x->score != y->score) {
        return x->score > y->score ? -1 : 1;
    }
    return (x->row > y->row) - (x->row < y->row);
}

/* Also so many that parts are sorted and merged on all threads: for any number of threads, the best
 * first and equal ones as they stood. */
static void test_rank_against_qsort(void **state)
{
    static const int64_t sizes[] = {0, 1, 7, 300, (1 << 17) - 1, 1 << 17, 200003};
    enum { LARGEST = 200003 };
    ney_ranked *const item = malloc(2 * LARGEST * sizeof *item), *const wanted = item + LARGEST;
    rnd r = rnd_new(302);
    (void)state;
    assert_non_null(item);
    for (int64_t round = 0; round < 3; round++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            const ney_env env = {.threads = (int)(s % 3) + 1};
            const int64_t n = sizes[s];
            for (int64_t i = 0; i < n; i++) {
                item[i] = wanted[i] = (ney_ranked){any_score(&r, round), i};
            }
            assert_int_equal(ney_rank(&env, item, n, NULL), NEY_OK);
            qsort(wanted, (size_t)n, sizeof *wanted, by_rank);
            for (int64_t i = 0; i < n; i++) {
                assert_true(item[i].score == wanted[i].score && item[i].row == wanted[i].row);
                assert_int_equal(signbit(item[i].score), signbit(wanted[i].score));
            }
        }
    }
    item[1].score = (double)NAN;
    ney_error err;
    assert_int_equal(ney_rank(NULL, item, 3, &err), NEY_EINVAL);
    assert_non_null(strstr(err.message, "score 2 is not a number"));
    free(item);
}

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Scores as whole numbers: the same order, and the same scores back, but that -0 becomes 0. */
static void test_keys_against_qsort(void **state)
{
    static const int64_t sizes[] = {0, 1, 2, 255, 256, 257, MOST};
    static uint64_t key[MOST], spare[MOST];
    static double score[MOST];
    rnd r = rnd_new(303);
    (void)state;
    for (int64_t round = 0; round < test_times(30); round++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            const int64_t n = sizes[s];
            for (int64_t i = 0; i < n; i++) {
                score[i] = any_score(&r, round % 3) + 0.0;
                key[i] = ney_score_key(i % 2 || score[i] != 0 ? score[i] : -0.0);
            }
            ney_order_keys(key, spare, n);
            qsort(score, (size_t)n, sizeof *score, rising);
            for (int64_t i = 0; i < n; i++) {
                const double back = ney_score_of_key(key[i]);
                assert_memory_equal(&back, &score[i], sizeof back);
            }
        }
    }
}

/* All digits of all items the same: no pass has anything to do. */
static void test_order_of_one_value(void **state)
{
    static ney_ranked item[MOST], spare[MOST];
    (void)state;
    for (int64_t i = 0; i < MOST; i++) {
        item[i] = (ney_ranked){i % 2 ? 0.0 : -0.0, i};
    }
    ney_order(item, spare, MOST);
    for (int64_t i = 0; i < MOST; i++) {
        assert_int_equal(item[i].row, i);
    }
}

static void test_order_new(void **state)
{
    const ney_env env = ney_env_of(NULL);
    const double score[] = {2, -1, INFINITY, NAN};
    ney_ranked *item = NULL;
    ney_error err = {0};
    (void)state;
    assert_int_equal(ney_order_new(&item, &env, score, 3, NULL), NEY_OK);
    assert_int_equal(item[0].row, 1);
    assert_int_equal(item[1].row, 0);
    assert_int_equal(item[2].row, 2);
    ney_release(&env, item);
    assert_int_equal(ney_order_new(&item, &env, score, 4, &err), NEY_EINVAL);
    assert_null(item);
    assert_string_equal(err.message, "score 4 is not a number");
    assert_int_equal(ney_order_new(&item, &env, score, 0, NULL), NEY_OK);
    assert_non_null(item);
    ney_release(&env, item);
}

static int falling(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static void test_top_against_sorting(void **state)
{
    const ney_env env = ney_env_of(NULL);
    static double value[500];
    rnd r = rnd_new(302);
    (void)state;
    for (int64_t round = 0; round < test_times(300); round++) {
        const int64_t n = 1 + rnd_below(&r, 500), room = 1 + rnd_below(&r, n + 5);
        ney_k_largest top;
        assert_true(ney_k_largest_init(&top, &env, room));
        for (int64_t i = 0; i < n; i++) {
            value[i] = any_score(&r, round % 3);
            ney_k_largest_add(&top, value[i]);
        }
        qsort(value, (size_t)n, sizeof *value, falling);
        const double least = value[(room < n ? room : n) - 1];
        int64_t above = 0;
        for (int64_t i = 0; i < n; i++) {
            above += value[i] > least;
        }
        assert_true(ney_k_largest_least(&top) == least);
        assert_int_equal(ney_k_largest_above(&top, least), above);
        ney_k_largest_deinit(&top, &env);
    }
}

/* So many that they are sorted in parts and merged: still by score, equal ones by row, on any
 * number of threads. */
static void test_many_are_merged_in_order(void **state)
{
    (void)state;
    enum { N = 300001 };
    double *score = malloc(N * sizeof *score);
    uint64_t seed = 7;
    assert_non_null(score);
    for (int64_t i = 0; i < N; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        score[i] =
            (double)(seed >> 33) / 0x1p31 < 0.5 ? (double)(seed >> 60) - 8 : (double)(seed >> 11);
    }
    for (int threads = 1; threads <= 5; threads += 2) {
        ney_env env = ney_env_default();
        ney_ranked *item = NULL;
        env.threads = threads;
        assert_int_equal(ney_order_new(&item, &env, score, N, NULL), NEY_OK);
        for (int64_t i = 0; i < N; i++) {
            assert_true(item[i].score == score[item[i].row]);
            if (i > 0 && !(item[i - 1].score < item[i].score ||
                           (item[i - 1].score == item[i].score && item[i - 1].row < item[i].row))) {
                fail_msg("%d threads: item %d is out of order", threads, (int)i);
            }
        }
        ney_release(&env, item);
    }
    free(score);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_are_merged_in_order), cmocka_unit_test(test_order_against_qsort),
        cmocka_unit_test(test_rank_against_qsort),       cmocka_unit_test(test_keys_against_qsort),
        cmocka_unit_test(test_order_of_one_value),       cmocka_unit_test(test_order_new),
        cmocka_unit_test(test_top_against_sorting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
