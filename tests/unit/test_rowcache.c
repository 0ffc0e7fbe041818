/* A cache of any size gives the rows that were asked for, in no more memory than it says. */
#include "kernel/rowcache.h"

#include "base/rng.h"
#include "support/cmocka_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 500, COLS = 4, MOST = 16 };

static const ney_kernel rbf = {.kind = NEY_KERNEL_RBF, .gamma = 0.5};

typedef struct meter {
    size_t most; /* bytes in one request */
} meter;

static void *metered(void *user, void *block, size_t bytes)
{
    meter *m = user;
    m->most = bytes > m->most ? bytes : m->most;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, bytes);
}

static ney_matrix make_rows(void)
{
    static float x[ROWS * COLS];
    for (int i = 0; i < ROWS * COLS; i++) {
        x[i] = (float)sin(i * 1.7);
    }
    return (ney_matrix){.rows = ROWS, .cols = COLS, .dense = x};
}

/* Random requests; every row of every answer is compared. Returns the rows that were computed. */
static int64_t use_cache(double budget, int64_t least, int64_t expected_slots)
{
    static float truth[ROWS][ROWS];
    const ney_matrix x = make_rows();
    ney_env env = ney_env_default();
    ney_gram g;
    ney_rowcache c;
    ney_rng r = {3};
    int64_t all[ROWS];
    float *to[ROWS];

    assert_int_equal(ney_gram_init(&g, &env, &x, &rbf, false, NULL), NEY_OK);
    for (int64_t i = 0; i < ROWS; i++) {
        all[i] = i;
        to[i] = truth[i];
    }
    assert_true(ney_gram_rows(&g, all, ROWS, to));
    g.computed = 0;
    assert_int_equal(ney_rowcache_init(&c, &g, budget, least, NULL), NEY_OK);
    assert_int_equal(c.n_slots, expected_slots);
    for (int t = 0; t < 300; t++) {
        const float *out[MOST];
        const int64_t n = 1 + ney_rng_below(&r, MOST);
        ney_rng_shuffle(&r, all, ROWS);
        assert_int_equal(ney_rowcache_get(&c, all, n, out, NULL), NEY_OK);
        for (int64_t k = 0; k < n; k++) {
            assert_memory_equal(out[k], truth[all[k]], sizeof truth[0]);
            for (int64_t j = 0; j < k; j++) {
                assert_ptr_not_equal(out[k], out[j]);
            }
        }
    }
    const int64_t computed = g.computed;
    ney_rowcache_deinit(&c);
    ney_gram_deinit(&g);
    return computed;
}

static void test_any_budget_gives_the_same_rows(void **state)
{
    const double row_bytes = ROWS * sizeof(float);
    (void)state;
    const int64_t least = use_cache(0, MOST, MOST);
    const int64_t some = use_cache(100.5 * row_bytes, MOST, 100);
    const int64_t full = use_cache(1e12, MOST, ROWS);
    assert_true(full <= ROWS); /* every row once */
    assert_true(some < least && full < some);
    (void)use_cache(1, (int64_t)2 * ROWS, ROWS);
}

/* What was asked for last is kept, and nothing beyond the slots is ever taken. */
static void test_oldest_goes_first(void **state)
{
    const ney_matrix x = make_rows();
    ney_env env = ney_env_default();
    meter m = {0};
    const float *out[3];
    ney_gram g;
    ney_rowcache c;
    (void)state;
    env.user = &m;
    env.resize = metered;
    assert_int_equal(ney_gram_init(&g, &env, &x, &rbf, false, NULL), NEY_OK);
    m.most = 0;
    assert_int_equal(ney_rowcache_init(&c, &g, 0, 3, NULL), NEY_OK);
    static const int64_t asked[][2] = {{0, 3}, {1, 0}, {1, 3}, {4, 3}, {0, 1}};
    static const int64_t computed[] = {2, 3, 3, 4, 5};
    for (int t = 0; t < 5; t++) {
        assert_int_equal(ney_rowcache_get(&c, asked[t], 2, out, NULL), NEY_OK);
        assert_int_equal(g.computed, computed[t]);
    }
    assert_true(m.most <= (size_t)3 * ROWS * sizeof(float));
    ney_rowcache_deinit(&c);
    ney_gram_deinit(&g);
}

/* Rows that are asked for once need no more memory than at first; rows that come back get it, all
 * of it in the end, and then none is computed again. */
static void test_memory_is_earned(void **state)
{
    enum { MANY = 5000, BLOCK = 100 }; /* rows of 20 kB, 100 MB in all */
    static float x[MANY];
    const ney_matrix m = {.rows = MANY, .cols = 1, .dense = x};
    const ney_env env = ney_env_default();
    ney_gram g;
    ney_rowcache c;
    int64_t first = 0, before = 0;
    (void)state;
    assert_int_equal(ney_gram_init(&g, &env, &m, &rbf, false, NULL), NEY_OK);
    assert_int_equal(ney_rowcache_init(&c, &g, 1e9, BLOCK, NULL), NEY_OK);
    for (int pass = 0; pass < 12; pass++) {
        for (int64_t at = 0; at < MANY; at += BLOCK) {
            int64_t row[BLOCK];
            const float *out[BLOCK];
            for (int64_t k = 0; k < BLOCK; k++) {
                row[k] = at + k;
            }
            before = g.computed;
            assert_int_equal(ney_rowcache_get(&c, row, BLOCK, out, NULL), NEY_OK);
        }
        first = pass == 0 ? c.n_taken : first;
    }
    assert_true(first * MANY * (int64_t)sizeof(float) <= 1 << 26);
    assert_int_equal(c.n_taken, MANY);
    assert_int_equal(g.computed, before);
    ney_rowcache_deinit(&c);
    ney_gram_deinit(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_budget_gives_the_same_rows),
        cmocka_unit_test(test_oldest_goes_first),
        cmocka_unit_test(test_memory_is_earned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
