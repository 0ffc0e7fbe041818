/* The promise of a certified run, on a known truth: over repeated draws the true rate exceeds the
 * bound no more often than promised, and the bound is not bought by accepting nothing. */
#include "support/random_data.h"

#include <neyman/neyman.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { N_NEG = 60, N_POS = 40, ROWS = N_NEG + N_POS, FRESH = 4000 };

static const double RATE = 0.1, DELTA = 0.2;

static double normal(rnd *r)
{
    return sqrt(-2 * log(1 - rnd_unit(r))) * cos(6.283185307179586 * rnd_unit(r));
}

/* Negatives are N(0, I), positives N((1.5, 0), I). */
static void draw(rnd *r, float *row, bool positive)
{
    row[0] = (float)(normal(r) + (positive ? 1.5 : 0));
    row[1] = (float)normal(r);
}

/* @param max_fnr  NAN: false positives alone are bounded. */
static ney_model *train(rnd *r, int kernel, double max_fnr, uint64_t seed)
{
    float x[2 * ROWS];
    int8_t y[ROWS];
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_data *d = NULL;
    ney_model *m = NULL;
    for (int i = 0; i < ROWS; i++) {
        y[i] = i < N_NEG ? -1 : 1;
        draw(r, x + 2 * (size_t)i, y[i] > 0);
    }
    const ney_matrix matrix = {.rows = ROWS, .cols = 2, .dense = x};
    ney_params_init(p, n, &o);
    o.kernel = kernel;
    o.max_fpr = RATE;
    o.max_fnr = max_fnr;
    o.confidence = 1 - DELTA;
    o.seed = (int64_t)seed;
    assert_int_equal(ney_data_new(&d, NULL, &matrix, y, NULL, NULL), NEY_OK);
    assert_int_equal(ney_train(&m, NULL, d, &o, NULL, NULL), NEY_OK);
    ney_data_free(d);
    return m;
}

/* The share of fresh rows of a class that the model calls positive. */
static double share_positive(const ney_model *m, const float *fresh)
{
    static double score[FRESH];
    const ney_matrix x = {.rows = FRESH, .cols = 2, .dense = fresh};
    double low, high;
    int64_t hits = 0;
    assert_int_equal(ney_model_score(m, NULL, &x, score, NULL), NEY_OK);
    ney_model_thresholds(m, &low, &high);
    for (int i = 0; i < FRESH; i++) {
        hits += score[i] >= high;
    }
    return (double)hits / FRESH;
}

static void prop_promise_is_kept(void **state)
{
    static float fresh[2][2 * FRESH];
    const int64_t runs = test_times(200);
    rnd r = rnd_new(9100);
    (void)state;
    for (int i = 0; i < FRESH; i++) {
        draw(&r, fresh[0] + 2 * (size_t)i, false);
        draw(&r, fresh[1] + 2 * (size_t)i, true);
    }
    for (int kernel = NEY_KERNEL_LINEAR; kernel <= NEY_KERNEL_RBF; kernel++) {
        int64_t violated = 0;
        double found = 0;
        for (int64_t k = 0; k < runs; k++) {
            ney_model *m = train(&r, kernel, NAN, (uint64_t)k);
            violated += share_positive(m, fresh[0]) > RATE;
            found += share_positive(m, fresh[1]) / (double)runs;
            ney_model_free(m);
        }
        const double noise = 4 * sqrt(DELTA * (1 - DELTA) / (double)runs);
        print_message("kernel %d: %.3f of %lld runs violate the bound, %.3f found\n", kernel,
                      (double)violated / (double)runs, (long long)runs, found);
        assert_true((double)violated / (double)runs <= DELTA + noise);
        assert_true(violated > 0 && found > 0.15);
    }
}

/* Both rates at once: neither is violated, except with the probability promised for the pair. */
static void prop_both_promises_are_kept(void **state)
{
    static float fresh[2][2 * FRESH];
    const int64_t runs = test_times(200);
    int64_t violated = 0;
    double decided = 0;
    rnd r = rnd_new(9200);
    (void)state;
    for (int i = 0; i < FRESH; i++) {
        draw(&r, fresh[0] + 2 * (size_t)i, false);
        draw(&r, fresh[1] + 2 * (size_t)i, true);
    }
    for (int64_t k = 0; k < runs; k++) {
        ney_model *m = train(&r, NEY_KERNEL_LINEAR, 0.15, (uint64_t)k);
        double low, high;
        ney_model_thresholds(m, &low, &high);
        const double wrong = share_positive(m, fresh[0]), found = share_positive(m, fresh[1]);
        assert_int_equal(ney_model_set_thresholds(m, low, low, NULL), NEY_OK);
        const double missed = 1 - share_positive(m, fresh[1]);
        violated += wrong > RATE || missed > 0.15;
        decided += (found + missed) / (double)runs;
        ney_model_free(m);
    }
    const double noise = 4 * sqrt(DELTA * (1 - DELTA) / (double)runs);
    print_message("%.3f of %lld runs violate a bound, %.3f of the positives are decided\n",
                  (double)violated / (double)runs, (long long)runs, decided);
    assert_true((double)violated / (double)runs <= DELTA + noise);
    assert_true(violated > 0 && decided > 0.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_promise_is_kept),
        cmocka_unit_test(prop_both_promises_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
