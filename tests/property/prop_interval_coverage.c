/* Intervals cover at least their level. Of rates this is computed, not drawn: the probability of
 * every count is summed over those whose interval holds the truth. */
#include "support/claim.h"
#include "support/cmocka_all.h"
#include "support/ref_decide.h"

#include <neyman/experimental.h>

#include <math.h>
#include <stdio.h>

enum { MOST = 150 };

/* The probabilities that the rate p lies below and above the interval of what is seen. */
static void check_rate(int64_t n, double p, double confidence, const long double *probability)
{
    const long double tail = (1 - (long double)confidence) / 2;
    long double below = 0, above = 0;
    for (int64_t k = 0; k <= n; k++) {
        double low, high;
        ney_interval(k, n, confidence, &low, &high);
        below += p < low ? probability[k] : 0;
        above += p > high ? probability[k] : 0;
    }
    if (below > tail * (1 + 1e-9L) || above > tail * (1 + 1e-9L)) { /* each side keeps its share */
        fail_msg("n %d, rate %g, level %g: missed by %Lg and %Lg", (int)n, p, confidence, below,
                 above);
    }
}

static void rates_are_covered(void **state)
{
    static const int64_t n[] = {1, 2, 3, 5, 10, 20, 37, MOST};
    static const double confidence[] = {0.5, 0.8, 0.95, 0.99, 0.9999};
    long double probability[MOST + 1];
    (void)state;
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        for (int g = 1; g < 100; g++) {
            const double p = g / 100.0;
            for (int64_t k = 0; k <= n[i]; k++) {
                probability[k] = ref_binomial(k, n[i], p);
            }
            for (size_t c = 0; c < sizeof confidence / sizeof *confidence; c++) {
                check_rate(n[i], p, confidence[c], probability);
            }
        }
    }
}

/* More hits, higher rates. */
static void intervals_ascend(void **state)
{
    double low = -1, high = -1;
    (void)state;
    for (int64_t k = 0; k <= MOST; k++) {
        double next_low, next_high;
        ney_interval(k, MOST, 0.95, &next_low, &next_high);
        assert_true(next_low > low && next_high > high);
        low = next_low;
        high = next_high;
    }
}

/* ---- the area's, which is approximate, and the cost's, which is not: by drawing */

static double normal(rnd *r)
{
    double sum = -6; /* twelve uniform numbers are near enough */
    for (int i = 0; i < 12; i++) {
        sum += rnd_unit(r);
    }
    return sum;
}

static ney_auc_result area(const double *score, const int8_t *label, int64_t n, double confidence)
{
    ney_roc *roc;
    assert_int_equal(ney_roc_new(&roc, NULL, score, label, n, NULL), NEY_OK);
    const ney_auc_result a = ney_roc_auc(roc, confidence);
    ney_roc_free(roc);
    return a;
}

/* Normal scores of deviation 1, positives shifted; or ten values with equal chances, positives
 * shifted by two values, whose area is P(X + 2 > Y) + P(X + 2 = Y) / 2. */
typedef struct area_scene {
    int64_t n_pos, n_neg;
    double shift; /* 0: ten values */
} area_scene;

static double true_area(const area_scene *a)
{
    double sum = 0;
    for (int x = 0; x < 10; x++) {
        for (int y = 0; y < 10; y++) {
            sum += (x + 2 > y ? 1 : x + 2 == y ? 0.5 : 0) / 100;
        }
    }
    return a->shift > 0 ? 0.5 * erfc(-a->shift / 2) : sum; /* Phi(shift / sqrt 2) */
}

static double exact_normal(rnd *r)
{
    return sqrt(-2 * log(1 - rnd_unit(r))) * cos(6.283185307179586 * rnd_unit(r));
}

static void areas_are_covered(void **state)
{
    static const area_scene scenes[] = {{5, 5, 1},       {10, 10, 2.33},  {20, 20, 0.3},
                                        {20, 20, 3.29},  {20, 200, 2.33}, {20, 200, 3.29},
                                        {200, 20, 3.29}, {60, 60, 1},     {60, 60, 3.29},
                                        {60, 60, 4.4},   {60, 60, 0},     {15, 300, 0}};
    (void)state;
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        const area_scene *a = &scenes[k];
        const double truth = true_area(a);
        const int64_t draws = test_times(400), n = a->n_pos + a->n_neg;
        rnd r = rnd_new(411 + k);
        double score[400];
        int8_t label[400];
        int64_t missed = 0;
        char claim[128];
        for (int64_t d = 0; d < draws; d++) {
            for (int64_t i = 0; i < n; i++) {
                const bool positive = i < a->n_pos;
                label[i] = positive ? 1 : -1;
                score[i] = a->shift > 0 ? exact_normal(&r) + (positive ? a->shift : 0)
                                        : (double)rnd_below(&r, 10) + (positive ? 2 : 0);
            }
            const ney_auc_result found = area(score, label, n, 0.95);
            missed += !(found.low <= truth && truth <= found.high);
        }
        snprintf(claim, sizeof claim, "interval of the area %.4f%s, %d and %d rows", truth,
                 a->shift > 0 ? "" : " of ten values", (int)a->n_pos, (int)a->n_neg);
        claim_check(claim, missed, draws, 0.05);
    }
}

/* The mean cost of outcomes with stated probabilities. */
static void costs_are_covered(void **state)
{
    static const double p[][4] = {{0.02, 0.1, 0, 0}, {0.001, 0.05, 0, 0}, {0.05, 0.05, 0.1, 0.2}};
    const ney_costs costs = {.fn = 20, .fp = 1, .reject_fn = 2, .reject_fp = 0.5};
    (void)state;
    for (size_t k = 0; k < sizeof p / sizeof *p; k++) {
        const int64_t draws = test_times(1000), n = 150;
        const double truth = 20 * p[k][0] + p[k][1] + 2 * p[k][2] + 0.5 * p[k][3];
        rnd r = rnd_new(500 + k);
        int64_t missed = 0;
        char claim[128];
        for (int64_t d = 0; d < draws; d++) {
            ney_counts c = {.tp = n};
            double low, high;
            for (int64_t i = 0; i < n; i++) {
                double u = rnd_unit(&r);
                int64_t *const at[] = {&c.fn, &c.fp, &c.rejected_pos, &c.rejected_neg};
                for (int o = 0; o < 4; o++) {
                    if (u >= 0 && u < p[k][o]) {
                        ++*at[o];
                        c.tp--;
                    }
                    u -= p[k][o];
                }
            }
            ney_cost_interval(&c, &costs, 0.95, &low, &high);
            missed += !(low <= truth && truth <= high);
        }
        snprintf(claim, sizeof claim, "interval of the mean cost %.3f, 150 rows", truth);
        claim_check(claim, missed, draws, 0.05);
    }
}

/* DeLong's error is what drawing rows of the sample again finds, to a tenth. */
static void error_against_bootstrap(void **state)
{
    enum { N = 400, AGAIN = 3000 };
    static double score[N], drawn[N];
    static int8_t label[N], drawn_label[N];
    rnd r = rnd_new(412);
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        for (int i = 0; i < N; i++) { /* one in four is positive */
            label[i] = i % 4 == 0 ? 1 : -1;
            score[i] = normal(&r) + (label[i] > 0 ? 1.2 : 0);
            score[i] = kind ? floor(score[i] * 2) : score[i];
        }
        const ney_auc_result a = area(score, label, N, 0.95);
        double sum = 0, squares = 0;
        for (int d = 0; d < AGAIN; d++) {
            for (int i = 0; i < N; i++) { /* from the same class */
                const int64_t from = label[i] > 0 ? 4 * rnd_below(&r, N / 4)
                                                  : 4 * rnd_below(&r, N / 4) + 1 + rnd_below(&r, 3);
                drawn[i] = score[from];
                drawn_label[i] = label[from];
                assert_int_equal(label[from], label[i]);
            }
            const double b = area(drawn, drawn_label, N, 0.95).auc;
            sum += b / AGAIN;
            squares += b * b / AGAIN;
        }
        const double spread = sqrt(squares - sum * sum);
        print_message("error %.5f, of drawing again %.5f\n", a.error, spread);
        assert_true(fabs(a.error / spread - 1) < 0.1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_covered),       cmocka_unit_test(intervals_ascend),
        cmocka_unit_test(areas_are_covered),       cmocka_unit_test(costs_are_covered),
        cmocka_unit_test(error_against_bootstrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
