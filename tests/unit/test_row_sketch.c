/* The sketch of rows against one that keeps all hashes, and the test for reused rows against sums
 * over all outcomes. */
#include "data/row_hash.h"
#include "data/row_sketch.h"
#include "decide/reuse.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- hashes */

/* Equal features have one hash in either storage; a cell, its column and its sign count. */
static void test_hashes(void **state)
{
    static const float rows[] = {1, 0,       2, /**/ 1, -0.0F,  2, /**/ 0, 1,
                                 2, /**/ -1, 0, 2,      /**/ 0, 0, 0};
    static const float value[] = {1, 2, 1, 0, 2, 1, 2, -1, 2};
    static const int64_t start[] = {0, 2, 5, 7, 9, 9};
    static const int32_t index[] = {0, 2, 0, 1, 2, 1, 2, 0, 2};
    const ney_matrix dense = {.rows = 5, .cols = 3, .dense = rows};
    const ney_matrix sparse = {
        .rows = 5, .cols = 3, .start = start, .index = index, .value = value};
    (void)state;
    for (int64_t i = 0; i < 5; i++) {
        assert_true(ney_row_hash(&dense, i) == ney_row_hash(&sparse, i));
        for (int64_t k = 0; k < i; k++) {
            assert_int_equal(ney_row_hash(&dense, i) == ney_row_hash(&dense, k), i == 1 && k == 0);
        }
    }
}

/* ---------------------------------------------------------------- sketches */

static int by_hash(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Every hash sorted: the first distinct ones with their counts, and the next one as the cut. */
static void check_sketch(const ney_row_sketch *s, const ney_matrix *x)
{
    uint64_t *all = calloc((size_t)x->rows + 1, sizeof *all);
    int64_t n = 0;
    assert_non_null(all);
    for (int64_t i = 0; i < x->rows; i++) {
        all[i] = ney_row_hash(x, i);
    }
    qsort(all, (size_t)x->rows, sizeof *all, by_hash);
    assert_int_equal(s->rows, x->rows);
    int64_t end;
    for (int64_t i = 0; i < x->rows; i = end) {
        for (end = i; end < x->rows && all[end] == all[i]; end++) {
        }
        if (n == NEY_SKETCH_MOST) {
            assert_true(s->cut == all[i]);
            assert_int_equal(ney_row_sketch_count(s, all[i]), 0);
            break;
        }
        assert_true(n < s->n && s->entry[n].hash == all[i]);
        assert_int_equal(s->entry[n].count, end - i);
        assert_int_equal(ney_row_sketch_count(s, all[i]), end - i);
        n++;
    }
    assert_int_equal(s->n, n);
    assert_true(n == NEY_SKETCH_MOST || s->cut == NEY_SKETCH_ALL);
    free(all);
}

/* Rows of few or many values; all at once, in pieces, in another order, and merged from two. */
static void test_sketches(void **state)
{
    static const struct {
        int64_t rows, values;
    } cases[] = {{1, 1},        {300, 300},     {5000, 4096},     {20000, 3},
                 {20000, 4000}, {30000, 20000}, {60000, 1000000}, {17000, 5000}};
    const ney_env env = ney_env_default();
    rnd r = rnd_new(4100);
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const int64_t rows = cases[k].rows;
        float *value = malloc((size_t)rows * sizeof *value);
        assert_non_null(value);
        for (int64_t i = 0; i < rows; i++) {
            value[i] = (float)rnd_below(&r, cases[k].values);
        }
        const ney_matrix x = {.rows = rows, .cols = 1, .dense = value};
        ney_row_sketch once, pieces, part, merged;
        ney_row_sketch_init(&once, &env);
        ney_row_sketch_init(&pieces, &env);
        ney_row_sketch_init(&part, &env);
        ney_row_sketch_init(&merged, &env);
        ney_row_sketch_add(&once, &x);
        assert_int_equal(ney_row_sketch_sort(&once, NULL), NEY_OK);
        check_sketch(&once, &x);
        const int64_t half = rows / 2;
        const ney_matrix tail = {.rows = rows - half, .cols = 1, .dense = value + half};
        const ney_matrix head = {.rows = half, .cols = 1, .dense = value};
        ney_row_sketch_add(&pieces, &tail);
        ney_row_sketch_add(&pieces, &head);
        assert_int_equal(ney_row_sketch_sort(&pieces, NULL), NEY_OK);
        check_sketch(&pieces, &x);
        ney_row_sketch_add(&part, &head);
        assert_int_equal(ney_row_sketch_sort(&part, NULL), NEY_OK);
        for (int first = 0; first < 2; first++) { /* rows before or behind the other sketch */
            ney_row_sketch_deinit(&merged);
            ney_row_sketch_init(&merged, &env);
            if (first) {
                ney_row_sketch_add(&merged, &tail);
            }
            ney_row_sketch_merge(&merged, &part);
            if (!first) {
                ney_row_sketch_add(&merged, &tail);
            }
            assert_int_equal(ney_row_sketch_sort(&merged, NULL), NEY_OK);
            check_sketch(&merged, &x);
        }
        ney_row_sketch_deinit(&once);
        ney_row_sketch_deinit(&pieces);
        ney_row_sketch_deinit(&part);
        ney_row_sketch_deinit(&merged);
        free(value);
    }
}

/* A sketch that says nothing of large hashes, as another version might write it, keeps its cut. */
static void test_cut_of_a_small_sketch(void **state)
{
    static float value[1000];
    const ney_env env = ney_env_default();
    const ney_matrix x = {.rows = 1000, .cols = 1, .dense = value};
    const ney_row_sketch small = {.env = env, .rows = 7, .cut = UINT64_C(1) << 62};
    (void)state;
    for (int i = 0; i < 1000; i++) {
        value[i] = (float)i;
    }
    for (int first = 0; first < 2; first++) {
        ney_row_sketch s;
        ney_row_sketch_init(&s, &env);
        if (first) {
            ney_row_sketch_add(&s, &x);
        }
        ney_row_sketch_merge(&s, &small);
        if (!first) {
            ney_row_sketch_add(&s, &x);
        }
        assert_int_equal(ney_row_sketch_sort(&s, NULL), NEY_OK);
        assert_true(s.cut == small.cut && s.rows == 1007);
        assert_true(s.n > 200 && s.n < 300 && s.entry[s.n - 1].hash < small.cut);
        ney_row_sketch_deinit(&s);
    }
}

/* ---------------------------------------------------------------- the test */

/* The mean of M over all outcomes of up to three values of one m whose rows are new with the given
 * shares. */
static double mean_of(int m, const double *share, int n, ney_reuse_table *t)
{
    double sum = 0;
    if (n == 0) {
        return exp(ney_reuse_log_evidence(t));
    }
    for (int b = 0; b <= m; b++) {
        double chance = 1;
        for (int i = 1; i <= b; i++) {
            chance *= share[0] * (m - b + i) / i;
        }
        ney_reuse_table with = *t;
        ney_reuse_add(&with, m - b, b);
        sum += chance * pow(1 - share[0], m - b) * mean_of(m, share + 1, n - 1, &with);
    }
    return sum;
}

/* [REUSE.1]: whatever the share of new rows, one for each value, the mean is at most 1. */
static void test_martingale(void **state)
{
    static const double shares[] = {1e-9, 0.01, 0.2, 0.5, 0.8, 0.99};
    enum { N = sizeof shares / sizeof *shares };
    (void)state;
    for (int m = 2; m <= NEY_REUSE_MOST; m++) {
        const int values = m == 2 ? 3 : m < 5 ? 2 : 1;
        double most = 0;
        for (int i = 0; i < (m == 2 ? N * N * N : m < 5 ? N * N : N); i++) {
            const double share[] = {shares[i % N], shares[i / N % N], shares[i / N / N]};
            ney_reuse_table t = {0};
            most = fmax(most, mean_of(m, share, values, &t));
        }
        assert_true(most <= 1 + 1e-12);
        assert_true(most > 0.9);
    }
}

/* Values by how often they occur on either side. */
static void test_table(void **state)
{
    static const int64_t pairs[][2] = {{1, 0}, {0, 1}, {1, 1},         {2, 0},
                                       {0, 2}, {2, 1}, {1, 2},         {8, 1},
                                       {9, 1}, {0, 0}, {1, INT64_MAX}, {INT64_MAX, 1}};
    static const int64_t expected[NEY_REUSE_MOST + 1][3] = {
        [2] = {1, 1, 1}, [3] = {0, 1, 1}, [9] = {0, 1, 0}};
    ney_reuse_table t = {0};
    (void)state;
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        ney_reuse_add(&t, pairs[k][0], pairs[k][1]);
    }
    assert_memory_equal(t.values, expected, sizeof expected);
}

/* Without a shared value there is no evidence; values that come again make it grow by nearly log 2
 * each, however often they were used. */
static void test_evidence(void **state)
{
    (void)state;
    for (int m = 2; m <= NEY_REUSE_MOST; m++) {
        ney_reuse_table t = {0};
        assert_true(fabs(ney_reuse_log_evidence(&t)) < 1e-12);
        for (int64_t n = 1; n <= 1000; n++) {
            ney_reuse_add(&t, m - 1, 1);
            const double evidence = ney_reuse_log_evidence(&t);
            assert_true(evidence <= (double)n * log(2));
            assert_true(evidence >= (double)n * log(1.999) - log(8 * 169));
        }
        for (int64_t n = 0; n < 1000; n++) {
            ney_reuse_add(&t, m, 0);
            ney_reuse_add(&t, 0, m);
        }
        assert_true(ney_reuse_log_evidence(&t) < 0);
    }
}

/* The level 1e-6, times the chance that Poisson numbers of rows are those there are. */
static void test_needed(void **state)
{
    (void)state;
    for (int64_t n = 1; n < 100000; n *= 3) {
        for (int64_t m = 1; m < 100000; m *= 7) {
            const double poisson_n = (double)n * log((double)n) - (double)n - lgamma((double)n + 1);
            const double poisson_m = (double)m * log((double)m) - (double)m - lgamma((double)m + 1);
            const double least = log(1e6) - poisson_n - poisson_m;
            const double needed = ney_reuse_log_needed(n, m);
            assert_true(needed >= least - 1e-6 && needed < least + 0.01);
        }
    }
    assert_true(isfinite(ney_reuse_log_needed(0, 0)));
    assert_true(isfinite(ney_reuse_log_needed(INT64_MAX, INT64_MAX)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hashes),   cmocka_unit_test(test_cut_of_a_small_sketch),
        cmocka_unit_test(test_sketches), cmocka_unit_test(test_martingale),
        cmocka_unit_test(test_table),    cmocka_unit_test(test_evidence),
        cmocka_unit_test(test_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
