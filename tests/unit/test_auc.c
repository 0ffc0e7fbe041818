/* The area under the curve against counting all pairs, and the order it is built on. */
#include "base/rng.h"
#include "decide/order.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static double auc_by_pairs(const double *score, const int8_t *label, int64_t n)
{
    double wins = 0, pairs = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            if (label[i] > 0 && label[j] < 0) {
                pairs++;
                wins += score[i] > score[j] ? 1 : score[i] == score[j] ? 0.5 : 0;
            }
        }
    }
    return wins / pairs;
}

static void test_auc_counts_pairs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        ney_rng r = {seed};
        double score[200], auc;
        int8_t label[200];
        const int64_t n = 2 + ney_rng_below(&r, 199), distinct = 1 + ney_rng_below(&r, 60);
        for (int64_t i = 0; i < n; i++) {
            score[i] = (double)ney_rng_below(&r, distinct) - 7;
            label[i] = ney_rng_below(&r, 3) == 0 ? 1 : -1;
        }
        label[0] = 1;
        label[1] = -1;
        assert_int_equal(ney_auc(NULL, score, label, n, &auc, NULL), NEY_OK);
        if (!(fabs(auc - auc_by_pairs(score, label, n)) < 1e-15)) {
            fail_msg("seed %d: %.17g", (int)seed, auc);
        }
    }
}

static void test_auc_edges(void **state)
{
    static const struct {
        const char *why;
        int64_t n;
        double score[4];
        int8_t label[4];
        double auc;
    } cases[] = {
        {"no rows", 0, {0}, {0}, NAN},
        {"positives only", 2, {1, 2}, {1, 1}, NAN},
        {"negatives only", 2, {1, 2}, {-1, -1}, NAN},
        {"perfect", 4, {1, 2, 3, 4}, {-1, -1, 1, 1}, 1},
        {"upside down", 4, {4, 3, 2, 1}, {-1, -1, 1, 1}, 0},
        {"all tied", 4, {5, 5, 5, 5}, {-1, 1, -1, 1}, 0.5},
        {"infinite scores have an order", 4, {-INFINITY, 0, 0, INFINITY}, {-1, -1, 1, 1}, 0.875},
        {"zeros of both signs tie", 2, {-0.0, 0.0}, {-1, 1}, 0.5},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double auc = -1;
        assert_int_equal(ney_auc(NULL, cases[i].score, cases[i].label, cases[i].n, &auc, NULL),
                         NEY_OK);
        if (!(isnan(cases[i].auc) ? isnan(auc) : auc == cases[i].auc)) {
            fail_msg("%s: %g", cases[i].why, auc);
        }
    }
}

static void test_auc_refuses_nan(void **state)
{
    const double score[] = {1, NAN, 2};
    const int8_t label[] = {1, -1, 1};
    double auc = 0;
    ney_error err = {0};
    (void)state;
    assert_int_equal(ney_auc(NULL, score, label, 3, &auc, &err), NEY_EINVAL);
    assert_string_equal(err.message, "score 2 is not a number");
    assert_true(isnan(auc));
}

static void test_order_is_stable(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        static ney_ranked item[1000], spare[1000];
        ney_rng r = {seed};
        const int64_t n = ney_rng_below(&r, 1001), distinct = 1 + ney_rng_below(&r, 2000);
        double sum = 0;
        for (int64_t i = 0; i < n; i++) {
            item[i] = (ney_ranked){.score = (double)ney_rng_below(&r, distinct), .row = i};
            sum += item[i].score * (double)(i + 1);
        }
        ney_order(item, spare, n);
        for (int64_t i = 0; i < n; i++) {
            sum -= item[i].score * (double)(item[i].row + 1);
            if (i > 0 && (item[i].score < item[i - 1].score ||
                          (item[i].score == item[i - 1].score && item[i].row <= item[i - 1].row))) {
                fail_msg("seed %d: item %d is out of order", (int)seed, (int)i);
            }
        }
        assert_true(sum == 0);
    }
}

static void test_counts(void **state)
{
    const double score[] = {2, 1, 0.5, 0, -1, 2, 1, 0.5, 0, -1, NAN};
    const int8_t label[] = {1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1};
    (void)state;
    ney_counts c = ney_count(score, label, 11, 0, 1);
    assert_int_equal(c.tp, 2);
    assert_int_equal(c.fp, 2);
    assert_int_equal(c.fn, 1); /* a score equal to the lower threshold is not below it */
    assert_int_equal(c.tn, 1);
    assert_int_equal(c.rejected_pos, 2);
    assert_int_equal(c.rejected_neg, 3); /* what is no number is not decided */
    c = ney_count(score, label, 10, 0.5, 0.5);
    assert_int_equal(c.tp, 3);
    assert_int_equal(c.fn, 2);
    assert_int_equal(c.rejected_pos + c.rejected_neg, 0);
    c = ney_count(score, label, 0, 0, 0);
    assert_int_equal(c.tp + c.fp + c.tn + c.fn + c.rejected_pos + c.rejected_neg, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_auc_counts_pairs), cmocka_unit_test(test_auc_edges),
        cmocka_unit_test(test_auc_refuses_nan),  cmocka_unit_test(test_order_is_stable),
        cmocka_unit_test(test_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
