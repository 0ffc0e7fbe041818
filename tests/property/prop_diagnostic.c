/* Diagnostic measures: by hand, their ranges against a grid over the rectangle, how often the range
 * contains the truth, and Holm's flags against their definition. */
#include <neyman/experimental.h>

#include "support/claim.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"

#include <math.h>

static void prop_measures_by_hand(void **state)
{
    (void)state;
    const ney_counts c = {.tp = 40, .fn = 10, .fp = 5, .tn = 45};
    const double expected[] = {40.0 / 45, 45.0 / 55,
                               8,         0.2 / 0.9,
                               80.0 / 95, (40.0 * 45 - 5 * 10) / sqrt(45.0 * 50 * 50 * 55)};
    for (int k = 0; k < NEY_MEASURES; k++) {
        const double value = ney_measure_of((ney_measure)k, &c, 0.5, 0.95).value;
        assert_true(fabs(value - expected[k]) < 1e-12);
    }
    assert_true(isnan(ney_measure_at(NEY_MEASURE_PPV, 0, 1, 0.5)));
    assert_true(isinf(ney_measure_at(NEY_MEASURE_LR_POSITIVE, 0.5, 1, 0.5)));
}

/* The extremes on a grid of the rectangle. */
static void search_grid(ney_measure m, const double se[2], const double sp[2], double prevalence,
                        double range[2])
{
    enum { STEPS = 60 };
    range[0] = (double)INFINITY;
    range[1] = -(double)INFINITY;
    for (int i = 0; i <= STEPS; i++) {
        for (int j = 0; j <= STEPS; j++) {
            const double a = se[0] + (se[1] - se[0]) * i / STEPS;
            const double b = sp[0] + (sp[1] - sp[0]) * j / STEPS;
            const double v = ney_measure_at(m, a, b, prevalence);
            if (!isnan(v)) {
                range[0] = fmin(range[0], v);
                range[1] = fmax(range[1], v);
            }
        }
    }
}

static bool same(double a, double b)
{
    return a == b || fabs(a - b) <= 1e-9 * (1 + fabs(a) + fabs(b));
}

static void prop_ranges_are_extremes(void **state)
{
    (void)state;
    for (int64_t t = 1; t <= test_times(150); t++) {
        rnd r = rnd_new((uint64_t)t);
        const int64_t n_pos = 1 + rnd_below(&r, 60), n_neg = 1 + rnd_below(&r, 60);
        ney_counts c = {.tp = rnd_below(&r, n_pos + 1), .tn = rnd_below(&r, n_neg + 1)};
        double se[2], sp[2], range[2];
        const double prevalence = 0.001 + 0.998 * rnd_unit(&r);
        c.fn = n_pos - c.tp;
        c.fp = n_neg - c.tn;
        c.rejected_pos = rnd_below(&r, 5);
        ney_interval(c.tp, n_pos, sqrt(0.95), &se[0], &se[1]);
        ney_interval(c.tn, n_neg, sqrt(0.95), &sp[0], &sp[1]);
        for (int k = 0; k < NEY_MEASURES; k++) {
            const ney_measure_range m = ney_measure_of((ney_measure)k, &c, prevalence, 0.95);
            search_grid((ney_measure)k, se, sp, prevalence, range);
            assert_true(same(m.low, range[0]) && same(m.high, range[1]));
            assert_true(isnan(m.value) || (m.value >= m.low && m.value <= m.high));
        }
    }
}

static int64_t draw_hits(rnd *r, int64_t n, double rate)
{
    int64_t hits = 0;
    for (int64_t i = 0; i < n; i++) {
        hits += rnd_unit(r) < rate;
    }
    return hits;
}

static void prop_ranges_cover(void **state)
{
    (void)state;
    const int64_t draws = test_times(3000);
    const double se = 0.8, sp = 0.95, prevalence = 0.1;
    int64_t missed[NEY_MEASURES] = {0};
    rnd r = rnd_new(5);
    for (int64_t t = 0; t < draws; t++) {
        ney_counts c = {.tp = draw_hits(&r, 40, se), .tn = draw_hits(&r, 120, sp)};
        c.fn = 40 - c.tp;
        c.fp = 120 - c.tn;
        for (int k = 0; k < NEY_MEASURES; k++) {
            const double truth = ney_measure_at((ney_measure)k, se, sp, prevalence);
            const ney_measure_range m = ney_measure_of((ney_measure)k, &c, prevalence, 0.95);
            missed[k] += truth < m.low || truth > m.high;
        }
    }
    for (int k = 0; k < NEY_MEASURES; k++) {
        claim_check("range over the joint Clopper-Pearson rectangle", missed[k], draws, 0.05);
    }
}

/* Flags by the definition: sorted p-values against level / (groups left), up to the first failure.
 */
static void prop_flags_are_holms(void **state)
{
    (void)state;
    enum { GROUPS = 6 };
    const int64_t draws = test_times(4000);
    int64_t any = 0;
    rnd r = rnd_new(6);
    for (int64_t t = 0; t < draws; t++) {
        int64_t hits[GROUPS], n[GROUPS];
        double p[GROUPS];
        uint8_t flag[GROUPS];
        bool false_flag = false;
        for (int k = 0; k < GROUPS; k++) {
            n[k] = 10 + 30 * k;
            hits[k] = draw_hits(&r, n[k], k < 4 ? 0.1 : 0.35);
        }
        ney_flag_subgroups(hits, n, GROUPS, 0.1, 0.05, p, flag);
        for (int k = 0; k < GROUPS; k++) {
            int rank = 0;
            bool all_before = true;
            for (int j = 0; j < GROUPS; j++) {
                rank += p[j] < p[k] || (p[j] == p[k] && j < k);
            }
            for (int j = 0; j < GROUPS; j++) {
                int before = 0;
                for (int i = 0; i < GROUPS; i++) {
                    before += p[i] < p[j] || (p[i] == p[j] && i < j);
                }
                all_before = all_before && (before > rank || p[j] * (GROUPS - before) <= 0.05);
            }
            assert_int_equal(flag[k], all_before);
            false_flag = false_flag || (k < 4 && flag[k]);
        }
        any += false_flag;
    }
    claim_check("a subgroup within the bound is flagged", any, draws, 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_measures_by_hand), cmocka_unit_test(prop_ranges_are_extremes),
        cmocka_unit_test(prop_ranges_cover), cmocka_unit_test(prop_flags_are_holms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
