/* Comparing methods whose true rates are known: the interval of the difference holds the truth at
 * least as often as it says, and a difference is claimed where there is none in at most one of
 * twenty comparisons, over all methods together. */
#include <neyman/experimental.h>

#include "support/claim.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_METHODS = 4, MOST_ROWS = 1400 };

typedef struct scene {
    const char *name;
    double alpha;
    int64_t n_bounded, n_free; /* rows of either class */
    int64_t n_methods;
    double shift[MOST_METHODS]; /* of the free class */
    double shared;              /* share of the variance that methods have in common */
    double grid;                /* scores are multiples of it; 0: continuous */
    int64_t n_groups;           /* 0: rows are independent */
    bool fnr;                   /* bound false negatives instead */
} scene;

static double normal(rnd *r)
{
    return sqrt(-2 * log(1 - rnd_unit(r))) * cos(6.283185307179586 * rnd_unit(r));
}

static double normal_cdf(double x)
{
    return 0.5 * erfc(-x / sqrt(2));
}

/* The x that is exceeded with probability alpha. */
static double exceeded(double alpha)
{
    double low = -10, high = 10;
    for (int i = 0; i < 100; i++) {
        const double x = (low + high) / 2;
        *(normal_cdf(-x) > alpha ? &low : &high) = x;
    }
    return high;
}

/* Bounded scores are standard normal, free ones shifted; on a grid both are rounded down, and the
 * threshold is the lowest grid point that keeps the rate. */
static double true_rate(const scene *s, double shift)
{
    const double t = exceeded(s->alpha);
    return normal_cdf((s->grid > 0 ? ceil(t / s->grid - 1e-9) * s->grid : t) - shift);
}

typedef struct rows {
    double score[MOST_METHODS][MOST_ROWS];
    const double *method[MOST_METHODS];
    int8_t label[MOST_ROWS];
    uint64_t group[MOST_ROWS];
    int64_t n;
} rows;

static void draw(rows *to, const scene *s, rnd *r)
{
    enum { MOST_GROUPS = 100 };
    static const double in_group =
        0.3; /* share of the variance that rows of a group have in common */
    double effect[MOST_GROUPS][MOST_METHODS];
    to->n = s->n_bounded + s->n_free;
    for (int64_t g = 0; g < s->n_groups; g++) {
        const double common = normal(r);
        for (int64_t m = 0; m < s->n_methods; m++) {
            effect[g][m] = sqrt(s->shared) * common + sqrt(1 - s->shared) * normal(r);
        }
    }
    for (int64_t i = 0; i < to->n; i++) {
        const bool is_free = i >= s->n_bounded;
        const double common = normal(r);
        to->label[i] = is_free != s->fnr ? 1 : -1;
        to->group[i] = s->n_groups > 0 ? (uint64_t)rnd_below(r, s->n_groups) : 0;
        for (int64_t m = 0; m < s->n_methods; m++) {
            double x = sqrt(s->shared) * common + sqrt(1 - s->shared) * normal(r);
            if (s->n_groups > 0) {
                x = sqrt(1 - in_group) * x + sqrt(in_group) * effect[to->group[i]][m];
            }
            x += is_free ? s->shift[m] : 0;
            x = s->grid > 0 ? floor(x / s->grid) * s->grid : x;
            to->score[m][i] = s->fnr ? -x : x;
            to->method[m] = to->score[m];
        }
    }
}

typedef struct tally {
    int64_t draws, missed, claimed, n_null; /* of intervals; of families without a difference */
} tally;

static void run_scene(const scene *s, tally *all)
{
    static rows d;
    const int64_t draws = test_times(s->n_bounded > 900 ? 25 : 50);
    rnd r = rnd_new((uint64_t)s->n_bounded * 7919 + (uint64_t)s->n_methods + (uint64_t)s->name[0]);
    tally here = {0};
    bool same = true;
    char claim[128];
    for (int64_t m = 1; m < s->n_methods; m++) {
        same &= s->shift[m] == s->shift[0];
    }
    for (int64_t t = 0; t < draws; t++) {
        const ney_compare_opts o = {.confidence = 0.95, .resamples = 399, .seed = (uint64_t)t};
        ney_difference out[MOST_METHODS];
        bool claimed = false;
        draw(&d, s, &r);
        const ney_methods methods = {.value = d.method,
                                     .n_methods = s->n_methods,
                                     .label = d.label,
                                     .group = s->n_groups > 0 ? d.group : NULL,
                                     .n = d.n};
        assert_int_equal(ney_compare_rates(out, NULL, &methods,
                                           s->fnr ? NEY_FALSE_NEGATIVES : NEY_FALSE_POSITIVES,
                                           s->alpha, &o, NULL),
                         NEY_OK);
        for (int64_t m = 1; m < s->n_methods; m++) {
            const double truth = true_rate(s, s->shift[m]) - true_rate(s, s->shift[0]);
            here.missed += !(out[m].low <= truth && truth <= out[m].high);
            here.draws++;
            claimed |= out[m].p_adjusted <= 0.05;
        }
        here.claimed += same && claimed;
        here.n_null += same;
    }
    snprintf(claim, sizeof claim, "compare: interval of the difference, %s", s->name);
    claim_check(claim, here.missed, here.draws, 0.05);
    if (same) {
        snprintf(claim, sizeof claim, "compare: a difference claimed where there is none, %s",
                 s->name);
        claim_check(claim, here.claimed, here.n_null, 0.05);
    }
    all->draws += here.draws;
    all->missed += here.missed;
    all->claimed += here.claimed;
    all->n_null += here.n_null;
}

static void rates_at_a_matched_rate(void **state)
{
    /* clang-format off */
    static const scene scenes[] = {
        /* name                            alpha n-    n+   methods shifts             shared grid groups fnr */
        {"1.4 allowed",                    0.05, 28,   100, 2,      {1, 2},            0.5,   0,   0,     false},
        {"3.7 allowed",                    0.05, 74,   300, 2,      {2.5, 4},          0.5,   0,   0,     false},
        {"5 allowed",                      0.05, 100,  300, 2,      {2.5, 4},          0,     0,   0,     false},
        {"5 allowed, ties",                0.05, 100,  300, 2,      {2.5, 4},          0.9,   0.5, 0,     false},
        {"5 allowed, few positives",       0.05, 100,  20,  2,      {1, 1.7},          0.5,   0,   0,     false},
        {"5 allowed, equal, ties",         0.05, 100,  300, 2,      {2.5, 2.5},        0,     0.5, 0,     false},
        {"10 allowed, four equal methods", 0.1,  100,  100, 4,      {2, 2, 2, 2},      0.5,   0,   0,     false},
        {"10 allowed, FNR bounded",        0.1,  100,  200, 2,      {1, 2.5},          0.5,   0,   0,     true},
        {"20 allowed, FNR bounded, ties",  0.1,  200,  100, 3,      {1, 1, 1},         0.5,   0.5, 0,     true},
        {"20 allowed",                     0.02, 1000, 200, 2,      {3, 4},            0.9,   0,   0,     false},
        {"50 allowed, four equal methods", 0.05, 1000, 300, 4,      {2, 2, 2, 2},      0.9,   0,   0,     false},
        {"50 allowed, four methods",       0.05, 1000, 300, 4,      {2, 2.5, 1, 3},    0.9,   0,   0,     false},
        {"50 allowed, ties",               0.05, 1000, 300, 2,      {1, 2},            0.5,   0.3, 0,     false},
        {"groups, 40 of 15 rows",          0.1,  400,  200, 2,      {1.5, 2.5},        0.5,   0,   40,    false},
        {"groups, 40, equal",              0.1,  400,  200, 3,      {1.5, 1.5, 1.5},   0.5,   0,   40,    false},
        {"groups, 22 of 27 rows",          0.2,  400,  200, 2,      {1, 2},            0.5,   0,   22,    true},
    };
    /* clang-format on */
    tally all = {0};
    (void)state;
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        run_scene(&scenes[k], &all);
    }
    claim_check("compare: interval of the difference at a matched rate, all together", all.missed,
                all.draws, 0.05);
    claim_check("compare: a difference claimed where there is none, all together", all.claimed,
                all.n_null, 0.05);
}

/* Costs: each row is misclassified by neither method, by the first, by the second, or by both, with
 * stated probabilities; a miss costs 20 times a false alarm, and is rare. */
static void mean_costs(void **state)
{
    static const struct {
        const char *name;
        int64_t n;
        double p_miss[2], p_alarm[2]; /* of the first method alone, of the second alone */
    } scenes[] = {{"rare misses", 100, {0.01, 0.005}, {0.1, 0.05}},
                  {"equal", 300, {0.01, 0.01}, {0.1, 0.1}},
                  {"none of the first", 200, {0, 0.01}, {0, 0.02}},
                  {"one side", 1000, {0.002, 0}, {0.01, 0.05}}};
    static double loss[2][1000];
    const double *const both[] = {loss[0], loss[1]};
    (void)state;
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        const double truth = 20 * (scenes[k].p_miss[1] - scenes[k].p_miss[0]) +
                             (scenes[k].p_alarm[1] - scenes[k].p_alarm[0]);
        const int64_t draws = test_times(60);
        int64_t missed = 0;
        rnd r = rnd_new(60 + k);
        char claim[128];
        for (int64_t t = 0; t < draws; t++) {
            const ney_compare_opts o = {.confidence = 0.95, .resamples = 399, .seed = (uint64_t)t};
            ney_difference d[2];
            for (int64_t i = 0; i < scenes[k].n; i++) {
                double u = rnd_unit(&r);
                loss[0][i] = loss[1][i] = rnd_chance(&r, 0.05) ? 20 : 0; /* shared */
                for (int m = 0; m < 2; m++) {
                    const double cost[2] = {20, 1},
                                 p[2] = {scenes[k].p_miss[m], scenes[k].p_alarm[m]};
                    for (int c = 0; c < 2; c++) {
                        if (u >= 0 && u < p[c]) {
                            loss[m][i] = cost[c];
                            loss[1 - m][i] = 0;
                        }
                        u -= p[c];
                    }
                }
            }
            const ney_methods methods = {.value = both, .n_methods = 2, .n = scenes[k].n};
            assert_int_equal(ney_compare_losses(d, NULL, &methods, 20, &o, NULL), NEY_OK);
            missed += !(d[1].low <= truth && truth <= d[1].high);
        }
        snprintf(claim, sizeof claim, "compare: interval of the cost difference, %s",
                 scenes[k].name);
        claim_check(claim, missed, draws, 0.05);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_at_a_matched_rate),
        cmocka_unit_test(mean_costs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
