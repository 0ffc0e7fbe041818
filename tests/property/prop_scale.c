/* Scaling, judged by long double arithmetic on the numbers of the file. */
#include "data/data.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/same.h"
#include "support/share.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLS = 6 };

typedef struct table {
    int64_t rows;
    double *x; /* rows x COLS, as written */
    text words;
} table;

/* Plain, far from zero, constant, few values, tiny, huge columns. */
static table make(rnd *r, int64_t rows, bool svm, double density)
{
    table t = {.rows = rows, .x = malloc((size_t)(rows * COLS) * sizeof(double))};
    text_put(&t.words, svm ? "" : "label,a,b,c,d,e,f\n");
    for (int64_t i = 0; i < rows; i++) {
        text_put(&t.words, i % 2 ? "1" : "-1");
        for (int c = 0; c < COLS; c++) {
            const double u = rnd_unit(r) - 0.5;
            const double made[COLS] = {u, 1.6e9 + u, 42.125, u > 0, u * 1e-20, u * 1e20};
            char digits[40];
            const bool zero = svm && !rnd_chance(r, density);
            snprintf(digits, sizeof digits, "%.17g", zero ? 0 : (svm && c == 1 ? u : made[c]));
            t.x[i * COLS + c] = strtod(digits, NULL);
            if (!svm) {
                text_printf(&t.words, ",%s", digits);
            } else if (!zero) {
                text_printf(&t.words, " %d:%s", c + 1, digits);
            }
        }
        text_put(&t.words, svm ? " 300:0\n" : "\n");
    }
    return t;
}

static void table_free(table *t)
{
    free(t->x);
    text_free(&t->words);
}

/* The mid-rank of x in column c among the rows fitted on, by counting; between two values, on the
 * line between their ranks. */
static long double mid_rank(const table *t, const int64_t *fit, int64_t n_fit, int c, long double x)
{
    long double low = -INFINITY, high = INFINITY, n_below = 0, n_equal = 0;
    for (int64_t k = 0; k < n_fit; k++) {
        const long double v = t->x[fit[k] * COLS + c];
        n_below += v < x;
        n_equal += v == x;
        low = v < x && v > low ? v : low;
        high = v > x && v < high ? v : high;
    }
    if (n_equal > 0) {
        return (n_below + n_equal / 2) / (long double)n_fit;
    }
    if (isinf(low) || isinf(high)) {
        return mid_rank(t, fit, n_fit, c, isinf(low) ? high : low);
    }
    const long double a = mid_rank(t, fit, n_fit, c, low), b = mid_rank(t, fit, n_fit, c, high);
    return a + (b - a) * (x - low) / (high - low);
}

static long double wanted_rank(const table *t, const int64_t *fit, int64_t n_fit, int64_t i, int c,
                               bool centre)
{
    long double mean = 0, m2 = 0;
    for (int64_t k = 0; k < n_fit; k++) {
        mean += mid_rank(t, fit, n_fit, c, t->x[fit[k] * COLS + c]) / (long double)n_fit;
    }
    for (int64_t k = 0; k < n_fit; k++) {
        const long double apart = mid_rank(t, fit, n_fit, c, t->x[fit[k] * COLS + c]) - mean;
        m2 += apart * apart / (long double)n_fit;
    }
    const long double origin = centre ? mean : mid_rank(t, fit, n_fit, c, 0);
    return (mid_rank(t, fit, n_fit, c, t->x[i * COLS + c]) - origin) /
           (m2 > 1e-20L ? sqrtl(m2) : 1);
}

/* What column c of row i should be. */
static long double wanted(const table *t, const int64_t *fit, int64_t n_fit, int64_t i, int c,
                          ney_scaling scaling, bool centre)
{
    long double mean = 0, m2 = 0, low = INFINITY, high = -INFINITY;
    for (int64_t k = 0; k < n_fit; k++) {
        const long double x = t->x[fit[k] * COLS + c];
        mean += x / (long double)n_fit;
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    for (int64_t k = 0; k < n_fit; k++) {
        const long double apart = t->x[fit[k] * COLS + c] - mean;
        m2 += apart * apart;
    }
    const long double x = t->x[i * COLS + c], deviation = sqrtl(m2 / (long double)n_fit);
    if (scaling == NEY_SCALING_STANDARD) {
        return (x - (centre ? mean : 0)) / (low == high ? 1 : deviation);
    }
    if (scaling == NEY_SCALING_MINMAX) {
        return (x - (centre ? low : 0)) / (low == high ? 1 : high - low);
    }
    return x;
}

static void check(const table *t, const ney_data *d, const int64_t *fit, int64_t n_fit,
                  ney_scaling scaling, bool centre)
{
    for (int64_t i = 0; i < t->rows; i++) {
        long double length = 0;
        for (int c = 0; c < COLS; c++) {
            length += (long double)t->x[i * COLS + c] * t->x[i * COLS + c];
        }
        for (int c = 0; c < COLS; c++) {
            long double w = wanted(t, fit, n_fit, i, c, scaling, centre);
            if (scaling == NEY_SCALING_UNIT && length > 0) {
                w /= sqrtl(length);
            }
            if (scaling == NEY_SCALING_RANK) {
                w = wanted_rank(t, fit, n_fit, i, c, centre);
            }
            const long double found = cell(d, i, c);
            /* relative to the column's own scale, which is 1 when it is standard or minmax */
            const long double scale =
                fabsl(w) > 1
                    ? fabsl(w)
                    : (scaling == NEY_SCALING_NONE || scaling == NEY_SCALING_UNIT ? fabsl(w) : 1);
            /* with more values than 128, some are between knots of the ranks */
            const long double apart = scaling != NEY_SCALING_RANK ? 1e-6L
                                      : n_fit <= 100              ? 1e-5L
                                                                  : 0.04L;
            if (fabsl(found - w) > apart * scale + 1e-44L) {
                fail_msg("row %d column %d scaling %d: %.9Lg, expected %.9Lg", (int)i, c,
                         (int)scaling, found, w);
            }
        }
    }
}

static void one_round(rnd *r, bool svm, ney_scaling scaling)
{
    const int64_t rows = 20 + rnd_below(r, 300);
    table t = make(r, rows, svm, 0.5);
    int64_t *fit = malloc((size_t)rows * sizeof *fit), n_fit = 0;
    const bool part = rnd_chance(r, 0.5);
    for (int64_t i = 0; i < rows; i++) {
        if (!part || rnd_chance(r, 0.6) || i < 3) {
            fit[n_fit++] = i;
        }
    }
    ney_data *d = parse(t.words.bytes, NULL);
    assert_int_equal(ney_data_matrix(d)->dense == NULL, svm);
    assert_int_equal(ney_data_prepare(d, scaling, part ? fit : NULL, n_fit, NULL), NEY_OK);
    assert_int_equal(ney_data_matrix(d)->dense == NULL, svm); /* zeros stayed zeros */
    check(&t, d, fit, n_fit, scaling, !svm);
    ney_data *again = parse_with(t.words.bytes, NULL, ney_data_preprocessing(d));
    assert_same_data(d, again);
    assert_same_preprocessing(ney_data_preprocessing(d), ney_data_preprocessing(again));
    assert_int_equal(ney_data_prepare(d, scaling, NULL, 0, NULL), NEY_EINVAL);
    ney_data_free(again);
    ney_data_free(d);
    free(fit);
    table_free(&t);
}

static void agrees_with_long_double(void **state)
{
    rnd r = rnd_new(701);
    (void)state;
    for (int64_t round = test_share(15); round > 0; round--) {
        for (int scaling = NEY_SCALING_NONE; scaling <= NEY_SCALING_RANK; scaling++) {
            one_round(&r, false, (ney_scaling)scaling);
            one_round(&r, true, (ney_scaling)scaling);
        }
    }
}

/* 1.6e9 + noise: mean 0 and deviation 1 to 1e-7, and the order of all values kept. */
static void far_columns_keep_their_digits(void **state)
{
    rnd r = rnd_new(702);
    const int64_t rows = 20000;
    table t = make(&r, rows, false, 1);
    ney_data *d = parse(t.words.bytes, NULL);
    ney_column_summary columns[COLS];
    ney_data_summary summary;
    long double mean = 0, m2 = 0;
    (void)state;
    for (int64_t i = 0; i < rows; i++) {
        mean += t.x[i * COLS + 1] / (long double)rows;
    }
    for (int64_t i = 0; i < rows; i++) {
        m2 += (t.x[i * COLS + 1] - mean) * (t.x[i * COLS + 1] - mean);
    }
    const long double deviation = sqrtl(m2 / (long double)rows);
    assert_int_equal(ney_data_describe(d, &summary, columns, NULL), NEY_OK);
    assert_true(fabsl(columns[1].mean - mean) < 1e-7L * deviation + 3e-7L);
    assert_true(fabsl(columns[1].deviation - deviation) < 1e-7L * deviation);
    assert_int_equal(columns[1].nonzero, rows);
    assert_int_equal(ney_data_prepare(d, NEY_SCALING_STANDARD, NULL, 0, NULL), NEY_OK);
    assert_int_equal(ney_data_describe(d, &summary, columns, NULL), NEY_OK);
    assert_true(fabs(columns[1].mean) < 1e-7 && fabs(columns[1].deviation - 1) < 1e-7);
    assert_true(columns[2].low == 0 && columns[2].high == 0); /* constant: only shifted */
    ney_data_free(d);
    table_free(&t);
}

static void gaps_take_the_mean(void **state)
{
    ney_read_opts o = read_defaults();
    const char *words =
        "label,a,far,k\n1,1,1600000001,x\n-1,?,1600000002,y\n1,4,NA,\n-1,7,1600000006,x\n";
    const int64_t rows[] = {0, 1, 2}, none[] = {1};
    (void)state;
    o.missing = NEY_MISSING_MEAN;
    ney_data *d = parse(words, &o);
    assert_int_equal(ney_data_prepare(d, NEY_SCALING_NONE, rows, 3, NULL), NEY_OK);
    assert_true(cell(d, 1, 0) == 2.5f);
    assert_true(cell(d, 0, 0) == 1 && cell(d, 3, 0) == 7);
    assert_true(cell(d, 2, 1) == (float)1600000001.5);
    assert_true(cell(d, 0, 2) == 1 && cell(d, 1, 3) == 1 && cell(d, 2, 2) == 0);
    ney_data *again =
        parse_with(words, NULL, ney_data_preprocessing(d)); /* the preprocessing fills gaps */
    assert_same_data(d, again);
    ney_data_free(again);
    ney_data_free(d);
    d = parse(words, &o);
    assert_int_equal(ney_data_prepare(d, NEY_SCALING_STANDARD, NULL, 0, NULL), NEY_OK);
    assert_true(cell(d, 1, 0) == 0);                       /* the mean is the centre */
    assert_true(cell(d, 0, 2) == 1 && cell(d, 1, 2) == 0); /* categories are left alone */
    ney_data_free(d);
    ney_error err;
    d = parse(words, &o);
    assert_int_equal(ney_data_prepare(d, NEY_SCALING_STANDARD, none, 1, &err), NEY_EPARSE);
    assert_non_null(strstr(err.message, "column 'a' has no value"));
    assert_int_equal(ney_data_prepare(d, NEY_SCALING_STANDARD, NULL, 0, &err), NEY_OK);
    ney_data_free(d);
    const int64_t beyond[] = {0, 4};
    d = parse(words, &o);
    assert_int_equal(ney_data_prepare(d, NEY_SCALING_STANDARD, beyond, 2, &err), NEY_EINVAL);
    assert_int_equal(ney_data_prepare(d, (ney_scaling)9, NULL, 0, &err), NEY_EINVAL);
    ney_data_free(d);
}

/* Dense svmlight data are centred; the next file is too, though it be sparse. */
static void sparse_rows_follow_a_dense_model(void **state)
{
    ney_data *d = parse("1 1:1 2:2\n-1 1:3 2:5\n", NULL);
    (void)state;
    assert_int_equal(ney_data_prepare(d, NEY_SCALING_MINMAX, NULL, 0, NULL), NEY_OK);
    assert_true(cell(d, 0, 0) == 0 && cell(d, 1, 1) == 1);
    ney_data *e = parse_with("1\n-1\n1\n-1 2:5\n1\n", NULL, ney_data_preprocessing(d));
    assert_true(cell(e, 0, 0) == -0.5f && cell(e, 3, 1) == 1 && cell(e, 4, 1) == (float)(-2.0 / 3));
    ney_data_free(e);
    ney_data_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_long_double),
        cmocka_unit_test(far_columns_keep_their_digits),
        cmocka_unit_test(gaps_take_the_mean),
        cmocka_unit_test(sparse_rows_follow_a_dense_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
