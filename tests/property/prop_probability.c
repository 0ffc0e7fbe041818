/* Probabilities: isotonic and Venn-Abers values against pool-adjacent-violators on every row,
 * Platt's fit against its own optimality condition, the model file, and the validity of Venn-Abers
 * over many draws of everything. */
#include <neyman/experimental.h>

#include "support/claim.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 60 };

typedef struct row {
    double score;
    double y;
} row;

static int by_score(const void *a, const void *b)
{
    const double x = ((const row *)a)->score, y = ((const row *)b)->score;
    return (x > y) - (x < y);
}

/* The isotonic fit at `at`, which is a score of one of the rows: pools of equal scores, merged
 * while they are out of order. */
static double pool_adjacent(const row *rows, int n, double at)
{
    row sorted[MOST + 1];
    double mean[MOST + 1], weight[MOST + 1], last[MOST + 1];
    int m = 0;
    memcpy(sorted, rows, (size_t)n * sizeof *rows);
    qsort(sorted, (size_t)n, sizeof *sorted, by_score);
    for (int i = 0; i < n; i++) {
        if (m > 0 && last[m - 1] == sorted[i].score) {
            mean[m - 1] = (mean[m - 1] * weight[m - 1] + sorted[i].y) / (weight[m - 1] + 1);
            weight[m - 1]++;
        } else {
            mean[m] = sorted[i].y;
            weight[m] = 1;
            last[m++] = sorted[i].score;
        }
    }
    for (bool merged = true; merged;) {
        merged = false;
        for (int k = 0; k + 1 < m; k++) {
            if (mean[k] > mean[k + 1]) {
                mean[k] = (mean[k] * weight[k] + mean[k + 1] * weight[k + 1]) /
                          (weight[k] + weight[k + 1]);
                weight[k] += weight[k + 1];
                last[k] = last[k + 1];
                memmove(&mean[k + 1], &mean[k + 2], (size_t)(m - k - 2) * sizeof *mean);
                memmove(&weight[k + 1], &weight[k + 2], (size_t)(m - k - 2) * sizeof *weight);
                memmove(&last[k + 1], &last[k + 2], (size_t)(m - k - 2) * sizeof *last);
                m--;
                merged = true;
                k = m;
            }
        }
    }
    for (int k = 0; k < m; k++) {
        if (at <= last[k]) {
            return mean[k];
        }
    }
    return (double)NAN;
}

/* Scores with many ties or none, of both classes or one. */
static int draw_rows(rnd *r, row *rows, double *score, int8_t *label)
{
    const int n = 1 + (int)rnd_below(r, MOST);
    const int levels = 1 + (int)rnd_below(r, 40);
    const double bias = rnd_unit(r) * 1.4 - 0.2;
    for (int i = 0; i < n; i++) {
        score[i] = levels < 30 ? (double)rnd_below(r, levels) - 5 : rnd_unit(r) * 1e300;
        const double lean = levels < 30 ? (score[i] + 5) / levels : score[i] / 1e300;
        label[i] = rnd_unit(r) < (lean + bias) / 2 ? 1 : -1;
        rows[i] = (row){score[i], label[i] > 0};
    }
    return n;
}

static void check_interval(const ney_calibrator *c, row *rows, int n, double at)
{
    double low, high;
    ney_calibrator_interval(c, at, &low, &high);
    rows[n] = (row){at, 0};
    assert_true(fabs(low - pool_adjacent(rows, n + 1, at)) < 1e-12);
    rows[n].y = 1;
    assert_true(fabs(high - pool_adjacent(rows, n + 1, at)) < 1e-12);
    assert_true(low >= 0 && low < 1 && high > 0 && high <= 1 && low <= high);
    const double p = ney_calibrator_probability(c, NEY_PROBABILITY_VENN_ABERS, at);
    assert_true(p >= low && p <= high);
}

static void prop_fits_are_isotonic_regressions(void **state)
{
    (void)state;
    for (int64_t t = 1; t <= test_times(2000); t++) {
        rnd r = rnd_new((uint64_t)t);
        row rows[MOST + 1];
        double score[MOST];
        int8_t label[MOST];
        const int n = draw_rows(&r, rows, score, label);
        ney_calibrator *c = NULL;
        assert_int_equal(ney_calibrator_new(&c, NULL, score, label, n, NULL), NEY_OK);
        for (int k = 0; k < 5; k++) {
            const double at = score[rnd_below(&r, n)];
            const double fit = ney_calibrator_probability(c, NEY_PROBABILITY_ISOTONIC, at);
            assert_true(fabs(fit - pool_adjacent(rows, n, at)) < 1e-12);
            check_interval(c, rows, n, at);
            check_interval(c, rows, n, at + 0.5);
            check_interval(c, rows, n, -1e301);
            check_interval(c, rows, n, 1e301);
        }
        ney_calibrator_free(c);
    }
}

/* Between scores the isotonic fit is linear, beyond them constant. */
static void prop_isotonic_interpolates(void **state)
{
    (void)state;
    const double score[] = {0, 0, 4, 4};
    const int8_t label[] = {-1, -1, 1, -1};
    ney_calibrator *c = NULL;
    assert_int_equal(ney_calibrator_new(&c, NULL, score, label, 4, NULL), NEY_OK);
    assert_true(ney_calibrator_probability(c, NEY_PROBABILITY_ISOTONIC, 1) == 0.125);
    assert_true(ney_calibrator_probability(c, NEY_PROBABILITY_ISOTONIC, -9) == 0);
    assert_true(ney_calibrator_probability(c, NEY_PROBABILITY_ISOTONIC, 9) == 0.5);
    ney_calibrator_free(c);
}

/* At Platt's optimum the residuals sum to 0, and so do residuals times scores. */
static void prop_platt_is_optimal(void **state)
{
    (void)state;
    for (int64_t t = 1; t <= test_times(300); t++) {
        rnd r = rnd_new(9000 + (uint64_t)t);
        row rows[MOST + 1];
        double score[MOST], n_pos = 0, sum = 0, moment = 0, size = 0;
        int8_t label[MOST];
        const int n = draw_rows(&r, rows, score, label);
        ney_calibrator *c = NULL;
        assert_int_equal(ney_calibrator_new(&c, NULL, score, label, n, NULL), NEY_OK);
        for (int i = 0; i < n; i++) {
            n_pos += label[i] > 0;
            size = fmax(size, fabs(score[i]));
        }
        for (int i = 0; i < n; i++) {
            const double y = label[i] > 0 ? (n_pos + 1) / (n_pos + 2) : 1 / (n - n_pos + 2);
            const double d = y - ney_calibrator_probability(c, NEY_PROBABILITY_PLATT, score[i]);
            sum += d;
            moment += d * (size > 0 ? score[i] / size : 0);
        }
        assert_true(fabs(sum) < 1e-6 * n && fabs(moment) < 1e-6 * n);
        ney_calibrator_free(c);
    }
}

static void prop_bad_scores_are_refused(void **state)
{
    (void)state;
    const double score[] = {0, (double)INFINITY, (double)NAN};
    const int8_t label[] = {1, -1, 1};
    ney_calibrator *c = NULL;
    assert_int_equal(ney_calibrator_new(&c, NULL, score, label, 0, NULL), NEY_EINVAL);
    assert_int_equal(ney_calibrator_new(&c, NULL, score, label, 2, NULL), NEY_EINVAL);
    assert_int_equal(ney_calibrator_new(&c, NULL, score + 2, label, 1, NULL), NEY_EINVAL);
    assert_null(c);
}

/* Brier score, log loss and bins by hand. */
static void prop_quality_is_counted(void **state)
{
    (void)state;
    const double p[] = {0.25, 1, 0, 0.95};
    const int8_t label[] = {1, 1, -1, -1};
    ney_reliability_bin bin[10];
    const ney_probability_score q = ney_score_probabilities(p, label, 4, 10, bin);
    assert_true(fabs(q.brier - (0.75 * 0.75 + 0.95 * 0.95) / 4) < 1e-15);
    assert_true(fabs(q.log_loss + (log(0.25) + log(0.05)) / 4) < 1e-12);
    assert_true(bin[2].n == 1 && bin[2].n_pos == 1 && bin[2].sum == 0.25);
    assert_true(bin[9].n == 2 && bin[9].n_pos == 1 && bin[0].n == 1 && bin[5].n == 0);
    assert_true(isnan(ney_score_probabilities(p, label, 0, 0, NULL).brier));
}

/* A model whose probabilities survive its file. */
static void prop_file_keeps_probabilities(void **state)
{
    (void)state;
    for (int64_t t = 1; t <= test_times(30); t++) {
        rnd r = rnd_new(500 + (uint64_t)t);
        row rows[MOST + 1];
        double score[MOST];
        int8_t label[MOST];
        const int n = draw_rows(&r, rows, score, label);
        const float x[] = {1, 2};
        const int8_t y[] = {1, -1};
        const double w[] = {1};
        const ney_matrix m = {.rows = 2, .cols = 1, .dense = x};
        ney_data *d = NULL;
        ney_model *model = NULL, *back = NULL;
        char *bytes = NULL;
        size_t n_text;
        int64_t n_pos, n_neg;
        ney_calibration_kind kind;
        assert_int_equal(ney_data_new(&d, NULL, &m, y, NULL, NULL), NEY_OK);
        assert_int_equal(ney_model_new_linear(&model, NULL, ney_data_preprocessing(d), w, 0, NULL),
                         NEY_OK);
        assert_null(ney_model_calibrator(model));
        assert_int_equal(
            ney_model_set_probabilities(model, score, label, n, NEY_CALIBRATION_OUT_OF_FOLD, NULL),
            NEY_OK);
        assert_int_equal(ney_model_format(model, &bytes, &n_text, NULL), NEY_OK);
        assert_int_equal(ney_model_parse(&back, NULL, "m", bytes, n_text, NULL), NEY_OK);
        assert_true(ney_model_probability_rows(back, &n_pos, &n_neg, &kind));
        assert_true(kind == NEY_CALIBRATION_OUT_OF_FOLD && n_pos + n_neg == n);
        for (int k = 0; k < 10; k++) {
            const double at = score[rnd_below(&r, n)] * 1.01;
            for (int method = 0; method < 3; method++) {
                assert_true(ney_calibrator_probability(ney_model_calibrator(model),
                                                       (ney_probability_method)method, at) ==
                            ney_calibrator_probability(ney_model_calibrator(back),
                                                       (ney_probability_method)method, at));
            }
        }
        ney_model_text_free(model, bytes);
        ney_model_free(model);
        ney_model_free(back);
        ney_data_free(d);
    }
}

/* One draw: calibration rows and a new row from one distribution. The probability that belongs to
 * the label of the new row is *of_label. */
static void draw_world(rnd *r, double *low, double *high, double *of_label, bool *positive)
{
    enum { ROWS = 40 };
    double score[ROWS + 1];
    int8_t label[ROWS + 1];
    ney_calibrator *c = NULL;
    for (int i = 0; i <= ROWS; i++) {
        label[i] = rnd_unit(r) < 0.3 ? 1 : -1;
        score[i] = floor(8 * (rnd_unit(r) + (label[i] > 0 ? 0.35 : 0)));
    }
    assert_int_equal(ney_calibrator_new(&c, NULL, score, label, ROWS, NULL), NEY_OK);
    ney_calibrator_interval(c, score[ROWS], low, high);
    *positive = label[ROWS] > 0;
    *of_label = *positive ? *high : *low;
    ney_calibrator_free(c);
}

/* P_Y of the true label is perfectly calibrated: E(Y | P_Y) = P_Y, so that the mean of p_low is at
 * most the frequency of positives and the mean of p_high at least, in all and on either side of a
 * level of P_Y. */
static void prop_venn_abers_is_valid(void **state)
{
    (void)state;
    const int64_t draws = test_times(20000);
    double *value[4];
    rnd r = rnd_new(77);
    for (int k = 0; k < 4; k++) {
        assert_non_null(value[k] = malloc((size_t)draws * sizeof *value[k]));
    }
    for (int64_t t = 0; t < draws; t++) {
        double low, high, own;
        bool positive;
        draw_world(&r, &low, &high, &own, &positive);
        value[0][t] = (1 + low - positive) / 2;
        value[1][t] = (1 + positive - high) / 2;
        value[2][t] = (1 + (own > 0.4 ? own - positive : 0)) / 2;
        value[3][t] = (1 + (own > 0.4 ? positive - own : 0)) / 2;
    }
    claim_check_mean("Venn-Abers: mean p_low at most the frequency", value[0], draws, 0.5);
    claim_check_mean("Venn-Abers: mean p_high at least the frequency", value[1], draws, 0.5);
    claim_check_mean("Venn-Abers: P of the label is not above the frequency", value[2], draws, 0.5);
    claim_check_mean("Venn-Abers: P of the label is not below the frequency", value[3], draws, 0.5);
    for (int k = 0; k < 4; k++) {
        free(value[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(prop_fits_are_isotonic_regressions),
                                       cmocka_unit_test(prop_isotonic_interpolates),
                                       cmocka_unit_test(prop_platt_is_optimal),
                                       cmocka_unit_test(prop_bad_scores_are_refused),
                                       cmocka_unit_test(prop_quality_is_counted),
                                       cmocka_unit_test(prop_file_keeps_probabilities),
                                       cmocka_unit_test(prop_venn_abers_is_valid)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
