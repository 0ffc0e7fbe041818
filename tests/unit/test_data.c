/* Data sets from arrays, rows taken from them, and splits. */
#include "data/data.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/same.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const float dense[] = {1, 0, 2, 0, 0, 3};
static const int64_t start[] = {0, 2, 3};
static const int32_t index_of[] = {0, 2, 2};
static const float value[] = {1, 2, 3};
static const int8_t label[] = {1, -1};
static const float weight[] = {0.5f, 2};

static void arrays_are_copied(void **state)
{
    const ney_matrix a = {2, 3, dense, NULL, NULL, NULL}, b = {2, 3, NULL, start, index_of, value};
    ney_data *d, *e;
    (void)state;
    assert_int_equal(ney_data_new(&d, NULL, &a, label, weight, NULL), NEY_OK);
    assert_int_equal(ney_data_new(&e, NULL, &b, label, NULL, NULL), NEY_OK);
    for (int64_t i = 0; i < 6; i++) {
        assert_true(cell(d, i / 3, i % 3) == dense[i] && cell(e, i / 3, i % 3) == dense[i]);
    }
    assert_true(ney_data_weight(d)[1] == 2 && !ney_data_weight(e));
    assert_string_equal(ney_preprocessing_label(ney_data_preprocessing(d), 1), "1");
    assert_string_equal(ney_preprocessing_label(ney_data_preprocessing(d), -1), "-1");
    assert_true(ney_data_to_dense(e));
    assert_memory_equal(ney_data_matrix(e)->dense, dense, sizeof dense);
    assert_true(ney_data_set_cols(e, 5));
    assert_true(cell(e, 1, 2) == 3 && cell(e, 1, 4) == 0);
    assert_true(ney_data_set_cols(e, 1));
    assert_true(cell(e, 0, 0) == 1 && cell(e, 1, 0) == 0);
    ney_data_free(d);
    ney_data_free(e);
    const int64_t nothing[] = {0, 0, 0};
    const ney_matrix empty = {2, 3, NULL, nothing, NULL, NULL};
    assert_int_equal(ney_data_new(&d, NULL, &empty, label, NULL, NULL), NEY_OK);
    assert_true(cell(d, 1, 2) == 0);
    ney_data_free(d);
    ney_data_free(NULL);
}

static void expect_invalid(const ney_matrix *x, const int8_t *y, const float *w, const char *part)
{
    ney_data *d;
    ney_error err;
    assert_int_equal(ney_data_new(&d, NULL, x, y, w, &err), NEY_EINVAL);
    assert_null(d);
    assert_non_null(strstr(err.message, part));
}

static void bad_arrays_are_refused(void **state)
{
    const ney_matrix good = {2, 3, dense, NULL, NULL, NULL};
    const float infinite[] = {1, 2, 3, 4, 5, INFINITY}, negative[] = {1, -1}, none[] = {1, NAN};
    const int8_t zero[] = {1, 0};
    const int32_t same[] = {2, 2, 2}, beyond[] = {0, 3, 2}, below[] = {-1, 2, 2};
    const int64_t back[] = {0, 2, 1};
    (void)state;
    expect_invalid(&good, zero, NULL, "label 0");
    expect_invalid(&good, label, negative, "weight");
    expect_invalid(&good, label, none, "weight");
    expect_invalid(&(ney_matrix){2, 3, infinite, NULL, NULL, NULL}, label, NULL, "a finite number");
    expect_invalid(&(ney_matrix){2, 3, NULL, start, same, value}, label, NULL, "ascending");
    expect_invalid(&(ney_matrix){2, 3, NULL, start, beyond, value}, label, NULL, "below 3");
    expect_invalid(&(ney_matrix){2, 3, NULL, start, below, value}, label, NULL, "column -1");
    expect_invalid(&(ney_matrix){2, 3, NULL, back, index_of, value}, label, NULL, "ends before");
    expect_invalid(&(ney_matrix){-1, 3, dense, NULL, NULL, NULL}, label, NULL, "-1 rows");
    expect_invalid(&(ney_matrix){2, 3, NULL, NULL, NULL, NULL}, label, NULL, "no values");
}

static void rows_are_taken_in_order(void **state)
{
    const int64_t rows[] = {2, 0, 2}, bad[] = {0, 3};
    ney_error err;
    static const char *const texts[] = {
        "1 cost:2 1:1 9:2\n-1 2:5\n1 3:7\n", "label,a,b\n1,2,3\n-1,4,0\n1,6,7\n",
        "SpecId\tLabel\tf\tPeptide\tProteins\na\t1\t1\tP\tQ\tR\nb\t-1\t2\tS\tT\nc\t1\t3\tU\tV\n"};
    (void)state;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        ney_data *d = parse(texts[k], NULL), *taken;
        assert_int_equal(ney_data_take(&taken, d, rows, 3, &err), NEY_OK);
        for (int64_t i = 0; i < 3; i++) {
            for (int64_t c = 0; c < ney_data_matrix(d)->cols; c++) {
                assert_true(cell(taken, i, c) == cell(d, rows[i], c));
            }
            assert_int_equal(ney_data_label(taken)[i], ney_data_label(d)[rows[i]]);
            assert_true(!ney_data_weight(d) ||
                        ney_data_weight(taken)[i] == ney_data_weight(d)[rows[i]]);
        }
        assert_same_preprocessing(ney_data_preprocessing(d), ney_data_preprocessing(taken));
        if (d->notes) {
            assert_string_equal(taken->notes, "c\tU\tV\na\tP\tQ\tR\nc\tU\tV\n");
        }
        ney_data_free(taken);
        assert_int_equal(ney_data_take(&taken, d, bad, 2, &err), NEY_EINVAL);
        assert_int_equal(ney_data_take(&taken, d, NULL, 0, &err), NEY_OK);
        assert_int_equal(ney_data_matrix(taken)->rows, 0);
        ney_data_free(taken);
        ney_data_free(d);
    }
}

/* ---- splits */

static ney_data *labelled(int64_t n, int64_t positives, bool labels)
{
    text t = {0};
    for (int64_t i = 0; i < n; i++) {
        text_printf(&t, "%s1:%d\n", labels ? (i < positives ? "1 " : "-1 ") : "", (int)i + 1);
    }
    ney_data *d = parse(t.bytes, NULL);
    text_free(&t);
    return d;
}

static void shares_are_kept_by_class(void **state)
{
    rnd r = rnd_new(501);
    (void)state;
    for (int64_t round = test_times(200); round > 0; round--) {
        const int64_t n = 2 + rnd_below(&r, 200), positives = 1 + rnd_below(&r, n - 1);
        const bool labels = rnd_chance(&r, 0.8);
        const int parts = 1 + (int)rnd_below(&r, 6);
        double share[6], total = 0;
        for (int j = 0; j < parts; j++) {
            total += share[j] = 0.01 + rnd_unit(&r);
        }
        ney_data *d = labelled(n, positives, labels);
        int *part = malloc((size_t)n * sizeof *part), *again = malloc((size_t)n * sizeof *part);
        const uint64_t seed = rnd_next(&r);
        assert_int_equal(ney_data_split(d, share, parts, seed, part, NULL), NEY_OK);
        assert_int_equal(ney_data_split(d, share, parts, seed, again, NULL), NEY_OK);
        assert_memory_equal(part, again, (size_t)n * sizeof *part);
        for (int side = 0; side < 2; side++) {
            const int64_t size = labels ? (side ? positives : n - positives) : (side ? n : 0);
            for (int j = 0; j < parts; j++) {
                int64_t count = 0;
                for (int64_t i = 0; i < n; i++) {
                    assert_in_range(part[i], 0, parts - 1);
                    count += part[i] == j && (!labels || (i < positives) == side);
                }
                count = labels || side ? count : 0;
                assert_true(fabs((double)count - share[j] / total * (double)size) <= 1 + 1e-9);
            }
        }
        free(part);
        free(again);
        ney_data_free(d);
    }
}

static void seeds_differ(void **state)
{
    ney_data *d = labelled(100, 50, true);
    const double share[] = {1, 1}, bad[] = {1, 0}, nan[] = {NAN, 1}, huge[] = {INFINITY, 1};
    int a[100], b[100], in_first = 0;
    ney_error err;
    (void)state;
    assert_int_equal(ney_data_split(d, share, 2, 1, a, &err), NEY_OK);
    assert_int_equal(ney_data_split(d, share, 2, 2, b, &err), NEY_OK);
    assert_memory_not_equal(a, b, sizeof a);
    for (int i = 0; i < 25; i++) { /* shuffled: not the first half of the rows */
        in_first += a[i] == 0;
    }
    assert_in_range(in_first, 4, 21);
    assert_int_equal(ney_data_split(d, bad, 2, 1, a, &err), NEY_EINVAL);
    assert_int_equal(ney_data_split(d, nan, 2, 1, a, &err), NEY_EINVAL);
    assert_int_equal(ney_data_split(d, huge, 2, 1, a, &err), NEY_EINVAL);
    assert_int_equal(ney_data_split(d, share, 0, 1, a, &err), NEY_EINVAL);
    ney_data_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_copied),
        cmocka_unit_test(bad_arrays_are_refused),
        cmocka_unit_test(rows_are_taken_in_order),
        cmocka_unit_test(shares_are_kept_by_class),
        cmocka_unit_test(seeds_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
