/* The band of a ROC curve contains the whole true curve with the stated confidence: normal scores,
 * whose curve is known, few and many rows. */
#include "plot/roc_band.h"
#include "support/claim.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/share.h"

#include <math.h>

static double normal(rnd *r)
{
    return sqrt(-2 * log(1 - rnd_unit(r))) * cos(6.283185307179586 * rnd_unit(r));
}

/* Scores N(0, 1) and N(1.5, 1): TPR at the threshold t, and FPR. */
static double upper(double t)
{
    return 0.5 * erfc(t / sqrt(2));
}

/* Whether the true curve is inside at all of many points. */
static bool is_inside(const roc_band *b)
{
    int64_t k = 0;
    for (double t = 6; t > -6; t -= 0.001) { /* FPR rises */
        const double fpr = upper(t), tpr = upper(t - 1.5);
        while (k + 2 < b->n && b->x[k + 1] < fpr) {
            k += 2; /* pairs are steps */
        }
        if (tpr < b->low[k] - 1e-12 || tpr > b->high[k] + 1e-12) {
            return false;
        }
    }
    return true;
}

static void check(const char *claim, int64_t n, double step, uint64_t stream)
{
    static double score[4000];
    static int8_t label[4000];
    const int64_t draws = test_share(300);
    int64_t misses = 0;
    rnd r = rnd_new(stream);
    for (int64_t d = 0; d < draws; d++) {
        ney_roc *roc = NULL;
        roc_band b;
        for (int64_t i = 0; i < n; i++) {
            label[i] = i % 3 ? -1 : 1;
            score[i] = normal(&r) + (label[i] > 0 ? 1.5 : 0);
            score[i] = step > 0 ? step * floor(score[i] / step) : score[i];
        }
        assert_int_equal(ney_roc_new(&roc, NULL, score, label, n, NULL), NEY_OK);
        assert_true(roc_band_init(&b, roc, 0.95));
        assert_true(b.n >= 2 && b.x[0] == 0 && b.x[b.n - 1] == 1);
        for (int64_t i = 1; i < b.n; i++) {
            assert_true(b.x[i] >= b.x[i - 1] && b.low[i] >= b.low[i - 1]);
            assert_true(b.high[i] >= b.high[i - 1] && b.low[i] <= b.high[i]);
        }
        double area = 0;
        for (int64_t i = 1; i < b.n; i++) {
            area += (b.x[i] - b.x[i - 1]) * (b.high[i] - b.low[i]);
        }
        assert_true(n < 4000 || area < 0.2); /* many rows, a narrow band */
        /* with ties the true curve is another one: only the shape of the band is checked */
        misses += step > 0 ? 0 : !is_inside(&b);
        roc_band_deinit(&b);
        ney_roc_free(roc);
    }
    if (step == 0) {
        claim_check(claim, misses, draws, 0.05);
    }
}

static void prop_the_true_curve_is_inside(void **state)
{
    (void)state;
    check("ROC band: 60 rows", 60, 0, 9601);
    check("ROC band: 4000 rows, thinned", 4000, 0, 9602);
    check("ROC band: ties", 500, 0.5, 9603);
}

/* One row of each class: all that is known is that the curve is in the unit square. */
static void prop_little_is_known_from_two_rows(void **state)
{
    static const double score[] = {0, 1};
    static const int8_t label[] = {-1, 1};
    ney_roc *roc = NULL;
    roc_band b;
    (void)state;
    assert_int_equal(ney_roc_new(&roc, NULL, score, label, 2, NULL), NEY_OK);
    assert_true(roc_band_init(&b, roc, 0.95));
    for (int64_t i = 0; i < b.n; i++) {
        assert_true(b.low[i] < 0.05 && b.high[i] > 0.95);
    }
    roc_band_deinit(&b);
    ney_roc_free(roc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_the_true_curve_is_inside),
        cmocka_unit_test(prop_little_is_known_from_two_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
