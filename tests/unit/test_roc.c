/* Curves worked out on paper, and what they do where there is little to say. */
#include "support/cmocka_all.h"

#include <neyman/experimental.h>

#include <math.h>

/* Scores 4 3 3 2 1 1, labels + + - - + -: the points are (0,0) (0,1) (1,2) (2,2) (3,3). */
static const double six[] = {4, 3, 3, 2, 1, 1};
static const int8_t six_label[] = {1, 1, -1, -1, 1, -1};

static ney_roc *roc_of(const double *score, const int8_t *label, int64_t n)
{
    ney_roc *roc = NULL;
    assert_int_equal(ney_roc_new(&roc, NULL, score, label, n, NULL), NEY_OK);
    assert_non_null(roc);
    return roc;
}

static void close_to(double value, double wanted)
{
    if (!(fabs(value - wanted) < 1e-15)) {
        fail_msg("%.17g, expected %.17g", value, wanted);
    }
}

static void test_points(void **state)
{
    static const double threshold[] = {INFINITY, 4, 3, 2, 1};
    static const int64_t tp[] = {0, 1, 2, 2, 3}, fp[] = {0, 0, 1, 2, 3};
    ney_roc *roc = roc_of(six, six_label, 6);
    (void)state;
    assert_int_equal(roc->n_points, 5);
    assert_int_equal(roc->n_pos, 3);
    assert_int_equal(roc->n_neg, 3);
    assert_memory_equal(roc->threshold, threshold, sizeof threshold);
    assert_memory_equal(roc->tp, tp, sizeof tp);
    assert_memory_equal(roc->fp, fp, sizeof fp);
    ney_roc_free(roc);
}

/* With three rows of either class. The limit on the logit scale, where Newcombe's is not farther
 * out: the theta whose distance from the area is z deviations, with the variance (theta (1 - theta)
 * + 2 (theta / (2 - theta) + 2 theta^2 / (1 + theta) - 2 theta^2)) / 9. */
static void check_limit(double limit, double auc, double error, int side)
{
    const double z = 1.9599639845400542, t = limit;
    const double logit = log(auc / (1 - auc)) + side * z * error / (auc * (1 - auc));
    const double variance = (t * (1 - t) + 2 * (t / (2 - t) + 2 * t * t / (1 + t) - 2 * t * t)) / 9;
    const double deviations = fabs(auc - t) / sqrt(variance);
    const double on_logit_scale = 1 / (1 + exp(-logit));
    assert_true(side * (limit - on_logit_scale) >= -1e-12 && deviations >= z - 1e-9);
    assert_true(fabs(limit - on_logit_scale) < 1e-12 || fabs(deviations - z) < 1e-9);
}

/* Pairs: 4 beats 3, 3 beats 2 and a half, 1 beats a half: 6/9. V = 1, 5/6, 1/6 of the positives and
 * W = 1/2, 2/3, 5/6 (for 3, 2, 1 the shares of positives above) of the negatives. */
static void test_areas(void **state)
{
    ney_roc *roc = roc_of(six, six_label, 6);
    const double auc = 2.0 / 3;
    (void)state;
    const double v = pow(1 - auc, 2) + pow(5.0 / 6 - auc, 2) + pow(1.0 / 6 - auc, 2);
    const double w = pow(0.5 - auc, 2) + 0 + pow(5.0 / 6 - auc, 2);
    const ney_auc_result r = ney_roc_auc(roc, 0.95);
    close_to(r.auc, auc);
    close_to(r.error, sqrt(v / 2 / 3 + w / 2 / 3));
    check_limit(r.low, auc, r.error, -1);
    check_limit(r.high, auc, r.error, 1);
    close_to(ney_roc_partial_auc(roc, 1), auc);
    close_to(ney_roc_partial_auc(roc, 2), auc);
    close_to(ney_roc_partial_auc(roc, 0), 0);
    close_to(ney_roc_partial_auc(roc, 1.0 / 3), 1.0 / 6); /* a trapeze of heights 1/3 and 2/3 */
    close_to(ney_roc_partial_auc(roc, 1.0 / 6), (1.0 / 3 + 1.0 / 2) / 2 / 6);
    close_to(ney_roc_partial_auc(roc, 2.0 / 3), 1.0 / 6 + 2.0 / 9);
    assert_true(isnan(ney_roc_partial_auc(roc, (double)NAN)));
    assert_true(isnan(ney_roc_partial_auc(roc, -0.5)));
    ney_roc_free(roc);
}

static void test_wider_confidence(void **state)
{
    ney_roc *roc = roc_of(six, six_label, 6);
    const ney_auc_result none = ney_roc_auc(roc, 0), half = ney_roc_auc(roc, 0.5);
    const ney_auc_result all = ney_roc_auc(roc, 1);
    (void)state;
    close_to(none.low, none.auc);
    close_to(none.high, none.auc);
    assert_true(half.low < half.auc && half.auc < half.high && half.low > 0 && half.high < 1);
    assert_true(all.low == 0 && all.high == 1);
    ney_roc_free(roc);
}

static void test_operating_points(void **state)
{
    ney_roc *roc = roc_of(six, six_label, 6);
    (void)state;
    const ney_operating_point none = ney_roc_at(roc, 0), some = ney_roc_at(roc, 2);
    const ney_operating_point all = ney_roc_at(roc, 4);
    assert_true(none.threshold == (double)INFINITY && none.precision == 1);
    assert_true(none.fpr == 0 && none.tpr == 0);
    assert_true(none.probit_fpr == -(double)INFINITY && none.probit_fnr == (double)INFINITY);
    close_to(some.threshold, 3);
    close_to(some.fpr, 1.0 / 3);
    close_to(some.tpr, 2.0 / 3);
    close_to(some.precision, 2.0 / 3);
    close_to(some.probit_fpr, -0.43072729929545750); /* the probit of 1/3, of tables */
    close_to(some.probit_fnr, -0.43072729929545750);
    close_to(all.precision, 0.5);
    assert_true(all.fpr == 1 && all.tpr == 1);
    ney_roc_free(roc);
}

/* (1,2) lies above the line from (0,1) to (3,3), (2,2) below. */
static void test_hull_and_costs(void **state)
{
    ney_roc *roc = roc_of(six, six_label, 6);
    int64_t point[5];
    ney_cost_point curve[6];
    (void)state;
    assert_int_equal(ney_roc_hull(roc, point), 4);
    static const int64_t on[] = {0, 1, 2, 4};
    assert_memory_equal(point, on, sizeof on);
    assert_int_equal(ney_roc_cost_curve(roc, curve, point), 5);
    static const double share[] = {0, 0, 0.5, 2.0 / 3, 1}, cost[] = {0, 0, 1.0 / 3, 1.0 / 3, 0};
    static const int64_t who[] = {0, 1, 2, 4, 4};
    for (int i = 0; i < 5; i++) {
        close_to(curve[i].share, share[i]);
        close_to(curve[i].cost, cost[i]);
        assert_int_equal(curve[i].point, who[i]);
    }
    ney_roc_free(roc);
}

static void test_points_on_a_line_are_left_out(void **state)
{
    const double score[] = {4, 4, 3, 3, 2, 2, 1, 1};
    const int8_t label[] = {1, -1, 1, -1, 1, -1, 1, -1};
    int64_t point[5];
    ney_roc *roc = roc_of(score, label, 8);
    (void)state;
    assert_int_equal(ney_roc_hull(roc, point), 2);
    assert_int_equal(point[0], 0);
    assert_int_equal(point[1], 4);
    ney_roc_free(roc);
}

/* Little to say, but nothing wrong: no rows, a class that is missing, one row a class, all tied. */
static void test_edges(void **state)
{
    static const struct {
        const char *why;
        int64_t n, points;
        double score[3];
        int8_t label[3];
        double auc;
    } cases[] = {
        {"no rows", 0, 1, {0}, {0}, NAN},
        {"one row", 1, 2, {7}, {1}, NAN},
        {"positives alone", 3, 3, {1, 2, 2}, {1, 1, 1}, NAN},
        {"negatives alone", 3, 3, {1, 2, 2}, {-1, -1, -1}, NAN},
        {"one row a class", 2, 3, {1, 2}, {-1, 1}, 1},
        {"one positive", 3, 2, {5, 5, 5}, {-1, 1, -1}, 0.5},
        {"infinite", 3, 4, {INFINITY, -INFINITY, 0}, {1, -1, -1}, 1},
        {"zeros of both signs", 3, 2, {0.0, -0.0, 0.0}, {1, -1, -1}, 0.5},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ney_roc *roc = roc_of(cases[i].score, cases[i].label, cases[i].n);
        int64_t point[4];
        ney_cost_point curve[5];
        const ney_auc_result r = ney_roc_auc(roc, 0.95);
        if (roc->n_points != cases[i].points ||
            !(isnan(cases[i].auc) ? isnan(r.auc) : r.auc == cases[i].auc) || !isnan(r.error) ||
            !isnan(r.low) || !isnan(r.high) ||
            isnan(r.auc) != isnan(ney_roc_partial_auc(roc, 0.5))) {
            fail_msg("%s: %lld points, auc %g", cases[i].why, (long long)roc->n_points, r.auc);
        }
        const int64_t on = ney_roc_hull(roc, point);
        assert_true(on >= 1 && on <= roc->n_points);
        assert_int_equal(point[0], 0);
        assert_int_equal(point[on - 1], roc->n_points - 1);
        assert_int_equal(ney_roc_cost_curve(roc, curve, point), on + 1);
        ney_roc_free(roc);
    }
    ney_roc_free(NULL);
}

/* All in order: as many pairs that share no row as the smaller class has rows. */
static void test_perfect_order(void **state)
{
    enum { POS = 5, NEG = 100 };
    double score[POS + NEG], none, other;
    int8_t label[POS + NEG];
    (void)state;
    for (int i = 0; i < POS + NEG; i++) {
        score[i] = i;
        label[i] = (int8_t)(i < NEG ? -1 : 1);
    }
    ney_roc *roc = roc_of(score, label, POS + NEG);
    const ney_auc_result r = ney_roc_auc(roc, 0.95);
    ney_interval(0, POS, 0.95, &none, &other);
    assert_true(r.auc == 1 && r.high == 1);
    assert_true(fabs(r.low - (1 - other)) < 1e-12);
    ney_roc_free(roc);
}

static void test_roc_refuses_nan(void **state)
{
    const double score[] = {1, 2, NAN};
    const int8_t label[] = {1, -1, 1};
    ney_roc *roc = (ney_roc *)(uintptr_t)1;
    ney_error err = {0};
    (void)state;
    assert_int_equal(ney_roc_new(&roc, NULL, score, label, 3, &err), NEY_EINVAL);
    assert_null(roc);
    assert_string_equal(err.message, "score 3 is not a number");
}

static void test_risk_coverage(void **state)
{
    const double score[] = {2, 1, 0.25, 0, -0.25, -1, -3, INFINITY};
    const int8_t label[] = {1, -1, 1, -1, 1, -1, 1, 1};
    static const ney_risk_point wanted[] = {{INFINITY, 1, 0}, {3, 2, 1},    {2, 3, 1},
                                            {1, 5, 2},        {0.25, 7, 3}, {0, 8, 4}};
    ney_risk_point curve[8];
    int64_t n;
    (void)state;
    assert_int_equal(ney_risk_coverage(NULL, score, label, 8, 0, curve, &n, NULL), NEY_OK);
    assert_int_equal(n, 6);
    for (int64_t i = 0; i < n; i++) {
        assert_true(curve[i].distance == wanted[i].distance);
        assert_int_equal(curve[i].covered, wanted[i].covered);
        assert_int_equal(curve[i].errors, wanted[i].errors);
    }
    /* a threshold that is infinite itself: the infinite score is at no distance from it */
    assert_int_equal(ney_risk_coverage(NULL, score, label, 8, (double)INFINITY, curve, &n, NULL),
                     NEY_OK);
    assert_int_equal(n, 2);
    assert_int_equal(curve[0].covered, 7);
    assert_int_equal(curve[1].errors, 4);
    assert_int_equal(ney_risk_coverage(NULL, score, label, 0, 0, curve, &n, NULL), NEY_OK);
    assert_int_equal(n, 0);
}

static void test_risk_refuses_nan(void **state)
{
    const double score[] = {1, NAN};
    const int8_t label[] = {1, -1};
    ney_risk_point curve[2];
    int64_t n = 7;
    ney_error err = {0};
    (void)state;
    assert_int_equal(ney_risk_coverage(NULL, score, label, 2, 0, curve, &n, &err), NEY_EINVAL);
    assert_int_equal(n, 0);
    assert_string_equal(err.message, "score 2 is not a number");
}

static void test_risk_refuses_a_threshold_that_is_none(void **state)
{
    const double score[] = {1, 2};
    const int8_t label[] = {1, -1};
    ney_risk_point curve[2];
    int64_t n = 7;
    ney_error err = {0};
    (void)state;
    assert_int_equal(ney_risk_coverage(NULL, score, label, 2, (double)NAN, curve, &n, &err),
                     NEY_EINVAL);
    assert_int_equal(n, 0);
    assert_string_equal(err.message, "the threshold is not a number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_points),
        cmocka_unit_test(test_areas),
        cmocka_unit_test(test_wider_confidence),
        cmocka_unit_test(test_operating_points),
        cmocka_unit_test(test_hull_and_costs),
        cmocka_unit_test(test_points_on_a_line_are_left_out),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_perfect_order),
        cmocka_unit_test(test_roc_refuses_nan),
        cmocka_unit_test(test_risk_coverage),
        cmocka_unit_test(test_risk_refuses_nan),
        cmocka_unit_test(test_risk_refuses_a_threshold_that_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
