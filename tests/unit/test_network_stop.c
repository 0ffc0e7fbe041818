/* When a network stops: the merit of its best weights is the mean of the other class's rate over
 * the distribution of the rate that the certified threshold will have, on rows that are neither
 * trained on nor held out; against that mean by quadrature, from scores and labels alone. */
#include "support/cmocka_all.h"
#include "support/random_data.h"

#include "learn/online/online.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 1200, COLS = 3 };

static float x[ROWS * COLS];
static int8_t y[ROWS];
static float weight[ROWS];

static ney_train_opts options(const char *bound, bool certify)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *const params = ney_train_params(&n);
    ney_params_init(params, n, &o);
    assert_int_equal(ney_params_set(params, n, &o, bound, "0.2", NULL), NEY_OK);
    o.method = NEY_METHOD_ONLINE;
    o.network[0] = 5;
    o.network[1] = 3;
    o.epochs = 6;
    o.confidence = certify ? 0.9 : (double)NAN;
    return o;
}

/* The share of a class on the wrong side of a threshold that leaves `rate` of the bounded class
 * there: straight lines between the points of the ROC curve, found by counting. */
static double other_rate(const double *s, const int8_t *label, int64_t n, int bounded, double rate)
{
    double P = 0, Q = 1; /* of the threshold beyond all scores */
    double level = (double)INFINITY;
    for (;;) {
        double next = -(double)INFINITY, wrong = 0, all = 0, missed = 0, free = 0;
        for (int64_t i = 0; i < n; i++) { /* a higher score is wrong for the bounded class */
            const double f = -bounded * s[i];
            next = f < level && f > next ? f : next;
        }
        if (isinf(next)) {
            return Q;
        }
        for (int64_t i = 0; i < n; i++) {
            const bool above = -bounded * s[i] >= next;
            all += label[i] == bounded;
            free += label[i] != bounded;
            wrong += label[i] == bounded && above;
            missed += label[i] != bounded && !above;
        }
        if (wrong / all > rate) {
            return Q + (missed / free - Q) * (rate - P) / (wrong / all - P);
        }
        P = wrong / all;
        Q = missed / free;
        level = next;
    }
}

/* P(Binomial(m, p) <= k) */
static double below(int64_t m, double p, int64_t k)
{
    double sum = 0;
    for (int64_t i = 0; i <= k; i++) {
        sum += exp(lgamma((double)m + 1) - lgamma((double)i + 1) - lgamma((double)(m - i) + 1) +
                   (double)i * log(p) + (double)(m - i) * log1p(-p));
    }
    return sum;
}

static double plain_merit(const double *s, const int8_t *label, int64_t n, int bounded, int64_t m,
                          bool certify)
{
    enum { CELLS = 300 };
    int64_t k = 0; /* how many of m may be wrong, and one more */
    while (certify ? below(m, 0.2, k) <= 0.1 : (double)(k + 1) / (double)(m + 1) <= 0.2) {
        k++;
    }
    k = certify || k == 0 ? k + (k == 0) : k;
    double sum = 0, weights = 0;
    for (int j = 0; j < CELLS; j++) { /* the density of Beta(k, m + 1 - k) */
        const double u = (j + 0.5) * 0.5 / CELLS;
        const double density =
            exp((double)(k - 1) * log(u) + (double)(m - k) * log1p(-u) - lgamma((double)k) -
                lgamma((double)(m + 1 - k)) + lgamma((double)m + 1));
        sum += density * other_rate(s, label, n, bounded, u);
        weights += density;
    }
    return sum / weights;
}

static void run(const char *bound, int bounded, bool certify, bool weighted)
{
    const ney_env env = ney_env_default();
    const ney_matrix m = {.rows = ROWS, .cols = COLS, .dense = x};
    const ney_train_opts o = options(bound, certify);
    double s[ROWS];
    ney_online r;
    ney_feed feed;
    ney_data *data;
    ney_model *best;
    assert_int_equal(ney_data_new(&data, NULL, &m, y, weighted ? weight : NULL, NULL), NEY_OK);
    ney_feed_of_data(&feed, &env, data);
    assert_int_equal(ney_online_init(&r, &(ney_online_rows){.feed = &feed}, &o, NULL), NEY_OK);
    assert_int_equal(ney_online_run(&r, NULL), NEY_OK);
    const ney_validation *const v = &r.validation;
    assert_int_equal(ney_online_model(&r, v->best_w, v->best_b, 1, &best, NULL), NEY_OK);
    assert_int_equal(ney_model_score(best, NULL, ney_data_matrix(v->data), s, NULL), NEY_OK);
    const int64_t n = ney_data_matrix(v->data)->rows;
    const int side = bounded > 0;
    for (int64_t i = 0; i < n; i++) {
        s[i] *= r.problem.sign; /* training exchanges the signs where positives are bounded */
    }
    assert_true(n > 150 && n + r.parts.n_held + r.parts.learn[0] + r.parts.learn[1] == ROWS);
    assert_true(certify == (r.parts.n_held > 0));
    const double merit = plain_merit(s, ney_data_label(v->data), n, bounded,
                                     certify ? r.parts.held_of[side] : r.parts.all[side], certify);
    if (weighted) { /* the loss, which is no rate */
        assert_true(fabs(r.state.best_merit - merit) > 1e-3);
    } else if (fabs(r.state.best_merit - merit) > 2e-3) {
        fail_msg("%s: merit %g, expected %g", bound, r.state.best_merit, merit);
    }
    ney_model_free(best);
    ney_online_deinit(&r);
    ney_data_free(data);
}

static void test_the_merit_is_the_expected_rate(void **state)
{
    rnd random = rnd_new(51);
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        y[i] = rnd_chance(&random, 0.4) ? 1 : -1;
        weight[i] = rnd_chance(&random, 0.5) ? 1 : 2;
        for (int c = 0; c < COLS; c++) {
            x[i * COLS + c] = (float)(2 * rnd_unit(&random) - 1 + (c == 0 ? 0.5 * y[i] : 0));
        }
    }
    run("max-fpr", -1, true, false);
    run("max-fpr", -1, false, false);
    run("max-fnr", 1, true, false);
    run("max-fnr", 1, false, false);
    run("max-fpr", -1, true, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_merit_is_the_expected_rate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
