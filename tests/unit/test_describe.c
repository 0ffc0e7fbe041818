/* Looking data over, against brute force. */
#include "data/data.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/same.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool same_features(const ney_data *d, int64_t a, int64_t b)
{
    for (int64_t c = 0; c < ney_data_matrix(d)->cols; c++) {
        const float x = cell(d, a, c), y = cell(d, b, c);
        if (x != y && !(isnan(x) && isnan(y))) {
            return false;
        }
    }
    return true;
}

static void judge_rows(const ney_data *d, const ney_data_summary *s)
{
    const int64_t n = ney_data_matrix(d)->rows;
    const int8_t *label = ney_data_label(d);
    int64_t duplicates = 0, contradictory = 0, positives = 0;
    for (int64_t i = 0; i < n; i++) {
        bool first = true, both = false;
        for (int64_t j = 0; j < n; j++) {
            if (j != i && same_features(d, i, j)) {
                first = first && j > i;
                both = both || (label && label[i] != label[j]);
            }
        }
        duplicates += !first;
        contradictory += first && both;
        positives += label && label[i] > 0;
    }
    assert_int_equal(s->duplicate_rows, duplicates);
    assert_int_equal(s->contradictory_rows, contradictory);
    assert_int_equal(s->positives, positives);
    assert_int_equal(s->negatives, label ? n - positives : 0);
}

static void judge_columns(const ney_data *d, const ney_data_summary *s,
                          const ney_column_summary *columns)
{
    const ney_matrix *x = ney_data_matrix(d);
    int64_t constant = 0, stored = 0, missing = 0, infinite = 0;
    double lowest = INFINITY, highest = -INFINITY;
    for (int64_t c = 0; c < x->cols; c++) {
        double low = INFINITY, high = -INFINITY, sum = 0, squares = 0;
        int64_t nonzero = 0, gaps = 0, infinities = 0, n = 0;
        for (int64_t i = 0; i < x->rows; i++) {
            const double v = (double)cell(d, i, c);
            nonzero += v != 0;
            gaps += isnan(v);
            infinities += isinf(v) != 0;
            if (isfinite(v)) {
                low = v < low ? v : low;
                high = v > high ? v : high;
                sum += v;
                n++;
            }
        }
        for (int64_t i = 0; i < x->rows; i++) {
            const double v = (double)cell(d, i, c) - sum / (double)n;
            squares += isfinite(v) ? v * v : 0;
        }
        assert_int_equal(columns[c].nonzero, nonzero);
        assert_int_equal(columns[c].missing, gaps);
        assert_int_equal(columns[c].infinite, infinities);
        if (n == 0) {
            assert_true(isnan(columns[c].low) && isnan(columns[c].high) && isnan(columns[c].mean) &&
                        isnan(columns[c].deviation));
        } else {
            assert_true(columns[c].low == low && columns[c].high == high);
            assert_true(fabs(columns[c].mean - sum / (double)n) <= 1e-12 * (1 + fabs(sum)));
            assert_true(fabs(columns[c].deviation - sqrt(squares / (double)n)) <=
                        1e-9 * (1 + squares));
            constant += low == high && gaps + infinities == 0;
            lowest = low < lowest ? low : lowest;
            highest = high > highest ? high : highest;
        }
        stored += nonzero;
        missing += gaps;
        infinite += infinities;
    }
    assert_int_equal(s->constant_columns, constant);
    assert_int_equal(s->stored, stored);
    assert_int_equal(s->missing, missing);
    assert_int_equal(s->infinite, infinite);
    assert_true(lowest > highest ? isnan(s->low) : s->low == lowest && s->high == highest);
}

static void agrees_with_brute_force(void **state)
{
    rnd r = rnd_new(801);
    text t = {0};
    ney_read_opts o = read_defaults();
    (void)state;
    o.missing = NEY_MISSING_KEEP;
    o.format = NEY_FORMAT_SVMLIGHT;
    for (int64_t round = test_times(300); round > 0; round--) {
        const bool labels = rnd_chance(&r, 0.8), sparse = rnd_chance(&r, 0.5);
        const int64_t rows = 1 + rnd_below(&r, 30);
        const char *const values[] = {"1", "2", "-3", "nan", "inf"};
        t.length = 0;
        for (int64_t i = 0; i < rows; i++) {
            text_put(&t, labels ? (rnd_chance(&r, 0.5) ? "1" : "-1") : "");
            for (int c = 0; c < 3; c++) {
                if (rnd_chance(&r, 0.7) || (c == 2 && !labels)) {
                    text_printf(&t, " %d:%s", c + 1,
                                values[rnd_below(&r, rnd_chance(&r, 0.1) ? 5 : 2)]);
                }
            }
            text_put(&t, sparse ? " 40:0\n" : "\n");
        }
        ney_data *d = parse(t.bytes, &o);
        ney_data_summary s;
        ney_column_summary columns[40];
        assert_int_equal(ney_data_describe(d, &s, columns, NULL), NEY_OK);
        assert_int_equal(s.rows, rows);
        assert_int_equal(s.cols, ney_data_matrix(d)->cols);
        judge_rows(d, &s);
        judge_columns(d, &s, columns);
        ney_data_summary alone;
        assert_int_equal(ney_data_describe(d, &alone, NULL, NULL), NEY_OK);
        assert_int_equal(alone.stored, s.stored);
        ney_data_free(d);
    }
    text_free(&t);
}

/* Held less a shift, told as in the file. */
static void far_columns_are_told_as_they_are(void **state)
{
    ney_data *d = parse("label,a\n1,1600000001\n-1,1600000003\n1,1600000002\n", NULL);
    ney_data_summary s;
    ney_column_summary c;
    (void)state;
    assert_non_null(d->preprocessing->shift);
    assert_int_equal(ney_data_describe(d, &s, &c, NULL), NEY_OK);
    assert_true(c.low == 1600000001 && c.high == 1600000003 && c.mean == 1600000002);
    assert_int_equal(c.nonzero, 3);
    assert_true(fabs(c.deviation - sqrt(2.0 / 3)) < 1e-7);
    ney_data_free(d);
}

static void nothing_can_be_described(void **state)
{
    ney_data *all = parse("label,a\n1,2\n", NULL), *d = NULL;
    ney_data_summary s;
    (void)state;
    assert_int_equal(ney_data_take(&d, all, NULL, 0, NULL), NEY_OK);
    assert_int_equal(ney_data_describe(d, &s, NULL, NULL), NEY_OK);
    assert_int_equal(s.rows, 0);
    assert_int_equal(s.cols, 1);
    assert_true(isnan(s.low) && isnan(s.high));
    assert_int_equal(s.constant_columns, 0);
    ney_data_free(all);
    ney_data_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_brute_force),
        cmocka_unit_test(far_columns_are_told_as_they_are),
        cmocka_unit_test(nothing_can_be_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
