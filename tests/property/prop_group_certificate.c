/* Certificates and intervals where the group is the unit: as a plain reference finds them, and true
 * as often as they say on simulated random effects, where those of rows are not. */
#include "support/claim.h"
#include "support/cmocka_all.h"
#include "support/ref_groups.h"

#include <neyman/experimental.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 1 << 15 };

static double score[MOST];
static uint64_t group[MOST];
static double hit[MOST];

static ney_certificate certify(ney_error_kind kind, int64_t n, double max_rate, double delta)
{
    const ney_labelled_scores rows = {.score = score, .group = group, .n = n};
    ney_certificate c;
    ney_error err = {0};
    if (ney_certify_groups(&c, NULL, kind, &rows, max_rate, delta, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    return c;
}

static void negate(int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        score[i] = -score[i];
    }
}

/* ---- against the reference */

static void check_one(rnd *r, int64_t groups, double max_rate, double delta)
{
    const random_effects e = {.effect = rnd_unit(r),
                              .groups = groups,
                              .most = 1 + rnd_below(r, 6),
                              .informative = rnd_chance(r, 0.5),
                              .step = rnd_chance(r, 0.5) ? 0.25 : 0};
    const int64_t n = draw_effects(r, &e, score, group);
    const bool draws = groups == n || (double)groups < 4.0 / 3 * ney_rows_needed(max_rate, delta);
    long double slack = 1;
    const double t = draws ? ref_group_draw(score, group, n, max_rate, delta)
                           : ref_group_bet(score, group, n, max_rate, delta, &slack);
    const ney_certificate c = certify(NEY_FALSE_POSITIVES, n, max_rate, delta);
    if (slack < 1e-10L) {
        return; /* rounding may decide */
    }
    int64_t above = 0, at_most = 0, at_least = 0;
    for (int64_t i = 0; i < n; i++) {
        above += score[i] > t;
        at_most += score[i] <= t;
        at_least += score[i] >= t;
    }
    assert_true(c.threshold == nextafter(t, (double)INFINITY));
    assert_int_equal(c.misclassified, above);
    assert_true(c.rank <= at_most && c.rank > n - at_least);
    assert_int_equal(c.n, n);
    assert_int_equal(c.n_groups, groups);
    assert_true(fabs(c.group_rate - ref_group_rate(score, group, n, t)) < 1e-12);
    assert_true(c.bound <= max_rate * (1 + 1e-9) && c.bound > c.group_rate);

    negate(n);
    const ney_certificate mirrored = certify(NEY_FALSE_NEGATIVES, n, max_rate, delta);
    assert_true(mirrored.threshold == -t);
    assert_int_equal(mirrored.misclassified, above);
    assert_true(mirrored.bound == c.bound && mirrored.group_rate == c.group_rate);
}

static void prop_reference_agrees(void **state)
{
    static const double rates[] = {0.3, 0.1, 0.05}, deltas[] = {0.05, 0.2};
    (void)state;
    for (int64_t k = 0; k < test_times(40); k++) {
        rnd r = rnd_new(100 + (uint64_t)k);
        const double a = rates[rnd_below(&r, 3)], delta = deltas[rnd_below(&r, 2)];
        const int64_t least = (int64_t)ney_rows_needed(a, delta);
        check_one(&r, least + rnd_below(&r, 2 * least), a, delta);
    }
}

/* With one row per group it is the rule for rows, to the last bit. */
static void prop_single_rows_are_rows(void **state)
{
    (void)state;
    for (int64_t k = 0; k < test_times(50); k++) {
        rnd r = rnd_new(200 + (uint64_t)k);
        const random_effects e = {.effect = 0.5, .groups = 60 + rnd_below(&r, 500), .most = 1};
        const int64_t n = draw_effects(&r, &e, score, group);
        ney_certificate rows;
        assert_int_equal(ney_certify(&rows, NULL, NEY_FALSE_POSITIVES, score, n, 0.05, 0.05, NULL),
                         NEY_OK);
        const ney_certificate c = certify(NEY_FALSE_POSITIVES, n, 0.05, 0.05);
        assert_true(c.threshold == rows.threshold && c.bound == rows.bound);
        assert_int_equal(c.misclassified, rows.misclassified);
        assert_int_equal(c.rank, rows.rank);
        assert_true(c.hash == rows.hash);
    }
}

/* Where bets decide, neither the order of rows nor the values of the keys matter. */
static void prop_order_of_rows(void **state)
{
    (void)state;
    for (int64_t k = 0; k < test_times(20); k++) {
        rnd r = rnd_new(300 + (uint64_t)k);
        const random_effects e = {.effect = 1, .groups = 150, .most = 5};
        const int64_t n = draw_effects(&r, &e, score, group);
        const ney_certificate before = certify(NEY_FALSE_POSITIVES, n, 0.05, 0.05);
        for (int64_t i = n - 1; i > 0; i--) {
            const int64_t j = rnd_below(&r, i + 1);
            const double s = score[i];
            const uint64_t g = group[i];
            score[i] = score[j];
            group[i] = group[j];
            score[j] = s;
            group[j] = g;
        }
        for (int64_t i = 0; i < n; i++) {
            group[i] *= UINT64_C(0x9e3779b97f4a7c15); /* odd: still one key per group */
        }
        const ney_certificate after = certify(NEY_FALSE_POSITIVES, n, 0.05, 0.05);
        assert_true(before.threshold == after.threshold &&
                    fabs(before.bound - after.bound) < 1e-12);
    }
}

static void test_refusals(void **state)
{
    ney_certificate c;
    ney_error err = {0};
    rnd r = rnd_new(1);
    const random_effects e = {.effect = 1, .groups = 22, .most = 50};
    const int64_t n = draw_effects(&r, &e, score, group);
    const ney_labelled_scores rows = {.score = score, .group = group, .n = n}, no_rows = {0};
    (void)state;
    assert_int_equal(ney_certify_groups(&c, NULL, NEY_FALSE_POSITIVES, &rows, 0.02, 0.05, &err),
                     NEY_EGOAL);
    assert_non_null(strstr(err.message, "at least 149 groups"));
    assert_non_null(strstr(err.message, "0.127"));
    assert_int_equal(ney_certify_groups(&c, NULL, NEY_FALSE_POSITIVES, &rows, 0.13, 0.05, &err),
                     NEY_OK);
    assert_int_equal(ney_certify_groups(&c, NULL, NEY_FALSE_POSITIVES, &rows, 0, 0.05, &err),
                     NEY_EINVAL);
    assert_int_equal(ney_certify_groups(&c, NULL, NEY_FALSE_POSITIVES, &rows, 0.1, 0.6, &err),
                     NEY_EINVAL);
    assert_int_equal(ney_certify_groups(&c, NULL, NEY_FALSE_POSITIVES, &no_rows, 0.1, 0.05, &err),
                     NEY_EGOAL);
    for (int64_t i = 0; i < n; i++) {
        score[i] = (double)INFINITY;
    }
    assert_int_equal(ney_certify_groups(&c, NULL, NEY_FALSE_POSITIVES, &rows, 0.2, 0.05, &err),
                     NEY_EGOAL);
    assert_int_equal(ney_certify_groups(&c, NULL, NEY_FALSE_NEGATIVES, &rows, 0.2, 0.05, &err),
                     NEY_OK);
    score[3] = (double)NAN;
    assert_int_equal(ney_certify_groups(&c, NULL, NEY_FALSE_POSITIVES, &rows, 0.2, 0.05, &err),
                     NEY_EINVAL);
}

/* ---- simulations with known truth */

/* How often the true mean over groups exceeds the bound. */
static int64_t violations(uint64_t stream, const random_effects *e, ney_error_kind kind,
                          double max_rate, double delta, int64_t draws)
{
    int64_t bad = 0;
    for (int64_t k = 0; k < draws; k++) {
        rnd r = rnd_new(stream + (uint64_t)k);
        const int64_t n = draw_effects(&r, e, score, group);
        if (kind == NEY_FALSE_NEGATIVES) {
            negate(n);
        }
        const ney_certificate c = certify(kind, n, max_rate, delta);
        const double t =
            kind == NEY_FALSE_POSITIVES ? nextafter(c.threshold, -(double)INFINITY) : -c.threshold;
        bad += effects_rate(e, t) > max_rate + 1e-12;
    }
    return bad;
}

static void prop_certificate_holds(void **state)
{
    static const struct {
        const char *name;
        random_effects e;
        ney_error_kind kind;
        double max_rate, delta;
    } c[] = {
        {"groups: bets, 150 groups of 1-8, strong effect",
         {1.5, 150, 8, false, 0},
         NEY_FALSE_POSITIVES,
         0.05,
         0.05},
        {"groups: bets, size grows with the rate",
         {1, 200, 10, true, 0},
         NEY_FALSE_POSITIVES,
         0.05,
         0.1},
        {"groups: bets, ties", {1, 150, 5, false, 0.25}, NEY_FALSE_NEGATIVES, 0.1, 0.1},
        {"groups: bets, 300 groups of 1-2", {3, 300, 2, false, 0}, NEY_FALSE_POSITIVES, 0.1, 0.2},
        {"groups: one row each drawn, 65 groups",
         {1, 65, 10, true, 0},
         NEY_FALSE_POSITIVES,
         0.05,
         0.05},
        {"groups: one row each drawn, ties",
         {1, 30, 10, false, 0.5},
         NEY_FALSE_NEGATIVES,
         0.1,
         0.1},
    };
    (void)state;
    for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
        const int64_t draws = test_times(500);
        claim_check(
            c[k].name,
            violations(1000000 * (k + 1), &c[k].e, c[k].kind, c[k].max_rate, c[k].delta, draws),
            draws, c[k].delta);
    }
}

/* What the row as the unit would do to the same rows: it claims as much, and is wrong far more
 * often. A test that did not see this could not see a group certificate that is one of rows. */
static void prop_rows_do_not_hold(void **state)
{
    const random_effects e = {1.5, 150, 1, false, 0};
    const double delta = 0.05;
    const int64_t draws = test_times(200), size = 20;
    int64_t bad = 0;
    (void)state;
    for (int64_t k = 0; k < draws; k++) {
        rnd r = rnd_new(9000000 + (uint64_t)k);
        ney_certificate c;
        int64_t n = 0;
        for (int64_t g = 0; g < e.groups; g++) {
            const double u = e.effect * rnd_normal(&r);
            for (int64_t i = 0; i < size; i++) {
                score[n++] = u + rnd_normal(&r);
            }
        }
        assert_int_equal(ney_certify(&c, NULL, NEY_FALSE_POSITIVES, score, n, 0.05, delta, NULL),
                         NEY_OK);
        bad += effects_rate(&e, nextafter(c.threshold, -(double)INFINITY)) > 0.05;
    }
    print_message("rows as units: %lld of %lld certificates are false, %g allowed\n",
                  (long long)bad, (long long)draws, delta);
    assert_true(claim_upper_tail(bad, draws, delta) < 1e-9L);
}

/* Intervals of a mean over groups: both ends. */
static void prop_interval_covers(void **state)
{
    static const double at[] = {2.5, 0.5, -1.5};
    (void)state;
    for (int k = 0; k < 3; k++) {
        const random_effects e = {1, k == 0 ? 200 : 40, 8, k != 1, 0};
        const int64_t draws = test_times(500);
        const double truth = effects_rate(&e, at[k]);
        int64_t missed = 0;
        double width = 0;
        char name[80];
        for (int64_t d = 0; d < draws; d++) {
            rnd r = rnd_new(20000000 + 100000 * (uint64_t)k + (uint64_t)d);
            const int64_t n = draw_effects(&r, &e, score, group);
            ney_group_mean rate;
            for (int64_t i = 0; i < n; i++) {
                hit[i] = score[i] > at[k];
            }
            assert_int_equal(ney_mean_of_groups(&rate, NULL, hit, group, n, 0.95, NULL), NEY_OK);
            assert_true(rate.low <= rate.mean && rate.mean <= rate.high);
            assert_true(fabs(rate.mean - ref_group_rate(score, group, n, at[k])) < 1e-12);
            missed += rate.low > truth || rate.high < truth;
            width += (rate.high - rate.low) / (double)draws;
        }
        snprintf(name, sizeof name, "groups: interval of a rate of %.3g, mean width %.3g", truth,
                 width);
        claim_check(name, missed, draws, 0.05);
    }
}

static void test_interval_ends(void **state)
{
    ney_group_mean r;
    (void)state;
    assert_int_equal(ney_mean_of_groups(&r, NULL, hit, group, 0, 0.95, NULL), NEY_OK);
    assert_true(isnan(r.mean) && r.low == 0 && r.high == 1 && r.n_groups == 0);
    for (int64_t i = 0; i < 100; i++) {
        group[i] = (uint64_t)i / 2;
        hit[i] = 0;
    }
    assert_int_equal(ney_mean_of_groups(&r, NULL, hit, group, 100, 0.95, NULL), NEY_OK);
    assert_int_equal(r.n_groups, 50);
    assert_true(r.mean == 0 && r.low < 1e-12 && r.high < 0.2 && r.high > 1 - pow(0.025, 1 / 50.0));
    for (int64_t i = 0; i < 100; i++) {
        hit[i] = 1;
    }
    assert_int_equal(ney_mean_of_groups(&r, NULL, hit, group, 100, 0.95, NULL), NEY_OK);
    assert_true(r.mean == 1 && r.high > 1 - 1e-12 && r.low > 0.8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_reference_agrees),  cmocka_unit_test(prop_single_rows_are_rows),
        cmocka_unit_test(prop_order_of_rows),     cmocka_unit_test(test_refusals),
        cmocka_unit_test(prop_certificate_holds), cmocka_unit_test(prop_rows_do_not_hold),
        cmocka_unit_test(prop_interval_covers),   cmocka_unit_test(test_interval_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
