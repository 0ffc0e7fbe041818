/* Intervals cover at least their level. Of rates this is computed, not drawn: the probability of
 * every count is summed over those whose interval holds the truth. */
#include "support/cmocka_all.h"
#include "support/ref_decide.h"

#include <neyman/neyman.h>

#include <math.h>

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

/* ---- the area's, which is approximate: near its level, by drawing */

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

/* Ten values with equal chances for the negatives, and shifted by two for the positives: the true
 * area is P(X + 2 > Y) + P(X + 2 = Y) / 2. Of 2000 draws at 95 % between 92.5 and 97.5 % must be
 * covered: DeLong's interval is off by a percent or so at this size, the drawing by half a percent.
 */
static void areas_are_covered(void **state)
{
    enum { DRAWS = 2000, EACH = 60 };
    rnd r = rnd_new(411);
    double truth = 0;
    int covered[2] = {0};
    (void)state;
    for (int x = 0; x < 10; x++) {
        for (int y = 0; y < 10; y++) {
            truth += (x + 2 > y ? 1 : x + 2 == y ? 0.5 : 0) / 100;
        }
    }
    for (int d = 0; d < DRAWS; d++) {
        double score[2 * EACH];
        int8_t label[2 * EACH];
        for (int kind = 0; kind < 2; kind++) {
            for (int i = 0; i < 2 * EACH; i++) {
                label[i] = i % 2 ? 1 : -1;
                score[i] = kind ? (double)rnd_below(&r, 10) + (i % 2 ? 2 : 0)
                                : normal(&r) + (i % 2 ? 1 : 0);
            }
            const ney_auc_result a = area(score, label, (int64_t)2 * EACH, 0.95);
            const double wanted = kind ? truth : 0.5 * erfc(-0.5); /* Phi(1 / sqrt 2) */
            covered[kind] += a.low <= wanted && wanted <= a.high;
        }
    }
    for (int kind = 0; kind < 2; kind++) {
        const double share = (double)covered[kind] / DRAWS;
        print_message("%s: %.4f of areas covered at 0.95\n", kind ? "ten values" : "continuous",
                      share);
        assert_true(share > 0.925 && share < 0.975);
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
        cmocka_unit_test(rates_are_covered),
        cmocka_unit_test(intervals_ascend),
        cmocka_unit_test(areas_are_covered),
        cmocka_unit_test(error_against_bootstrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
