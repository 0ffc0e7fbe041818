/* The choice of --scale auto against correlations of single rows. */
#include "data/column_map.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 400 };

typedef struct row {
    float x;
    bool positive;
} row;

static int by_value(const void *a, const void *b)
{
    const row *x = a, *y = b;
    return (x->x > y->x) - (x->x < y->x);
}

static double reference_correlation(const double *x, const row *r, int n)
{
    double mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
    for (int i = 0; i < n; i++) {
        mx += x[i] / n;
        my += r[i].positive / (double)n;
    }
    for (int i = 0; i < n; i++) {
        xx += (x[i] - mx) * (x[i] - mx);
        yy += (r[i].positive - my) * (r[i].positive - my);
        xy += (x[i] - mx) * (r[i].positive - my);
    }
    return xx > 0 && yy > 0 ? fabs(xy) / sqrt(xx * yy) : 0;
}

/* Rows sorted by value; every value is different. */
static ney_column_map reference_choice(const row *r, int n)
{
    static double x[3][ROWS];
    const double median = (double)r[(n - 1) / 2].x;
    const double s = ((double)r[3 * (n - 1) / 4].x - (double)r[(n - 1) / 4].x) / 1.3489795003921634;
    for (int i = 0; i < n; i++) {
        x[0][i] = (double)r[i].x;
        x[1][i] = asinh(((double)r[i].x - median) / s);
        x[2][i] = i;
    }
    const double plain = reference_correlation(x[0], r, n) + 0.25 / sqrt(n);
    const double curved = reference_correlation(x[1], r, n),
                 rank = reference_correlation(x[2], r, n);
    return curved > plain ? (rank > curved ? NEY_MAP_RANK : NEY_MAP_ASINH)
                          : (rank > plain ? NEY_MAP_RANK : NEY_MAP_STANDARD);
}

static double normal(rnd *r)
{
    return sqrt(-2 * log(1 - rnd_unit(r))) * cos(6.283185307179586 * rnd_unit(r));
}

static void test_against_rows(void **state)
{
    (void)state;
    int chosen[3] = {0, 0, 0};
    for (uint64_t seed = 1; seed <= 200; seed++) {
        static row r[ROWS];
        static ney_value_run run[ROWS];
        rnd g = rnd_new(seed);
        const int tail = (int)rnd_below(&g, 3), cause = (int)rnd_below(&g, 3);
        for (int i = 0; i < ROWS; i++) {
            const double z = normal(&g);
            const double x = tail == 0 ? z : tail == 1 ? exp(1.5 * z) : z * z * z;
            const double score = cause == 0 ? x / 4 : cause == 1 ? asinh(x) : z;
            r[i] = (row){(float)x, rnd_unit(&g) < 1 / (1 + exp(-2 * score))};
        }
        qsort(r, ROWS, sizeof *r, by_value);
        for (int i = 0; i < ROWS; i++) {
            run[i] = (ney_value_run){r[i].x, 1, r[i].positive};
        }
        const ney_column_map map = ney_column_map_choose(run, ROWS);
        assert_int_equal(map, reference_choice(r, ROWS));
        chosen[map]++;
    }
    for (int map = 0; map < 3; map++) {
        assert_true(chosen[map] >= 20);
    }
}

/* Equal values have one rank, in the middle of theirs: {1: 6 of 10 positive, 2: 4 of 4, 100: 5 of
 * 6}. Correlations .129, .130 (asinh) and .284 (ranks), and a margin of .056. */
static void test_ties(void **state)
{
    (void)state;
    const ney_value_run run[] = {{1, 10, 6}, {2, 4, 4}, {100, 6, 5}};
    assert_int_equal(ney_column_map_choose(run, 3), NEY_MAP_RANK);
}

static void test_left_alone(void **state)
{
    (void)state;
    const ney_value_run two[] = {{0, 50, 0}, {1000, 50, 50}};
    const ney_value_run one[] = {{3, 50, 20}};
    const ney_value_run unlabelled[] = {{0, 50, 0}, {1, 20, 0}, {1000, 5, 0}};
    const ney_value_run positives[] = {{0, 50, 50}, {1, 20, 20}, {1000, 5, 5}};
    assert_int_equal(ney_column_map_choose(two, 2), NEY_MAP_STANDARD);
    assert_int_equal(ney_column_map_choose(one, 1), NEY_MAP_STANDARD);
    assert_int_equal(ney_column_map_choose(unlabelled, 3), NEY_MAP_STANDARD);
    assert_int_equal(ney_column_map_choose(positives, 3), NEY_MAP_STANDARD);
}

/* Of two columns, the second needs a map; also by a sample of rows, and of chosen rows only. */
static void test_count(void **state)
{
    (void)state;
    enum { N = 6000 };
    static float x[2 * N];
    static int8_t label[N];
    static int64_t rows[N];
    rnd g = rnd_new(3);
    for (int i = 0; i < N; i++) {
        const double z = normal(&g);
        label[i] = rnd_unit(&g) < 1 / (1 + exp(-2 * z)) ? 1 : -1;
        x[2 * i] = (float)z;
        x[2 * i + 1] = i < N / 2 ? (float)exp(2 * z) : (float)z;
        rows[i] = N / 2 + i;
    }
    const ney_matrix m = {.rows = N, .cols = 2, .dense = x};
    ney_data *d = NULL;
    int64_t n = -1;
    assert_int_equal(ney_data_new(&d, NULL, &m, label, NULL, NULL), NEY_OK);
    assert_int_equal(ney_column_map_count(&n, d, NULL, N / 2, NULL), NEY_OK);
    assert_int_equal(n, 1);
    assert_int_equal(ney_column_map_count(&n, d, NULL, N, NULL), NEY_OK);
    assert_int_equal(n, 1);
    assert_int_equal(ney_column_map_count(&n, d, rows, N / 2, NULL), NEY_OK);
    assert_int_equal(n, 0);
    assert_int_equal(ney_column_map_count(&n, d, NULL, 99, NULL), NEY_OK);
    assert_int_equal(n, 0);
    ney_data_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_rows), cmocka_unit_test(test_ties),
        cmocka_unit_test(test_left_alone), cmocka_unit_test(test_count)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
