/* What `tune` prints as the loss of a point, where the grid has one: the mean over folds estimates
 * the loss of a model trained on the rows of all folds but one. Scaling that held-out rows have a
 * part in makes it optimistic, most in few rows with many columns and heavy tails. The truth:
 * models trained and scaled on other draws of that many rows, on new rows. */
#include "data/scale.h"
#include "data/split_prepared.h"
#include "support/random_data.h"
#include "support/share.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROWS = 48, FOLDS = 4, NEW_ROWS = 400, MOST_COLS = 24, N_ESTIMATED = 3 };

typedef struct setting {
    const char *name;
    int64_t cols;
    double shift; /* of the class means in the first two columns */
    bool heavy;   /* tails of all columns but these */
    ney_scaling scaling;
} setting;

static const setting settings[] = {
    {"4 columns, standard", 4, 0.8, false, NEY_SCALING_STANDARD},
    {"24 columns, heavy tails, standard", 24, 1, true, NEY_SCALING_STANDARD},
    {"24 columns, heavy tails, minmax", 24, 1, true, NEY_SCALING_MINMAX},
    {"24 columns, heavy tails, rank", 24, 1, true, NEY_SCALING_RANK},
    {"24 columns, heavy tails, asinh", 24, 1, true, NEY_SCALING_ASINH},
    {"24 columns, heavy tails, auto", 24, 1, true, NEY_SCALING_AUTO},
};

static double normal(rnd *r)
{
    const double u = 1 - rnd_unit(r), v = rnd_unit(r);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

static ney_data *draw(const setting *s, int64_t n, rnd *r)
{
    static float x[NEW_ROWS * MOST_COLS];
    static int8_t label[NEW_ROWS];
    ney_data *d = NULL;
    for (int64_t i = 0; i < n; i++) {
        label[i] = i % 2 ? 1 : -1;
        for (int64_t c = 0; c < s->cols; c++) {
            const double z = normal(r);
            x[i * s->cols + c] = (float)(c < 2      ? z + s->shift / 2 * label[i]
                                         : s->heavy ? z * z * z
                                                    : z);
        }
    }
    const ney_matrix m = {.rows = n, .cols = s->cols, .dense = x};
    assert_int_equal(ney_data_new(&d, NULL, &m, label, NULL, NULL), NEY_OK);
    return d;
}

static ney_train_opts plain_options(void)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *params = ney_train_params(&n);
    ney_params_init(params, n, &o);
    return o;
}

/* The loss that tuning states for the only point of its grid. */
static double stated(const setting *s, rnd *r)
{
    ney_data *d = draw(s, ROWS, r);
    ney_train_opts o = plain_options();
    ney_tune_opts t;
    ney_tune_info info;
    ney_model *m = NULL;
    int64_t n;
    const ney_param *params = ney_tune_params(&n);
    ney_params_init(params, n, &t);
    t.grid = "C=1";
    t.folds = FOLDS;
    t.refine = 0;
    o.seed = 1 + rnd_below(r, 1000000);
    assert_int_equal(ney_data_prepare(d, s->scaling, NULL, 0, NULL), NEY_OK);
    assert_int_equal(ney_tune(&m, NULL, d, NULL, &o, &t, &info, NULL), NEY_OK);
    ney_model_free(m);
    ney_data_free(d);
    return info.loss;
}

/* The share of new rows that a model errs on which was trained on as many rows as a fold leaves. */
static double true_loss(const setting *s, rnd *r)
{
    ney_data *d = draw(s, ROWS - ROWS / FOLDS, r), *raw = draw(s, NEW_ROWS, r), *other = NULL;
    const ney_train_opts o = plain_options();
    ney_train_info info;
    ney_model *m = NULL;
    double score[NEW_ROWS], errors = 0;
    assert_int_equal(ney_data_prepare(d, s->scaling, NULL, 0, NULL), NEY_OK);
    assert_int_equal(ney_data_copy_prepared(&other, raw, d, s->scaling, NULL), NEY_OK);
    assert_int_equal(ney_train(&m, NULL, d, &o, &info, NULL), NEY_OK);
    assert_int_equal(ney_model_score(m, NULL, ney_data_matrix(other), score, NULL), NEY_OK);
    for (int64_t i = 0; i < NEW_ROWS; i++) {
        errors += (score[i] >= 0) != (ney_data_label(other)[i] > 0);
    }
    ney_model_free(m);
    ney_data_free(other);
    ney_data_free(raw);
    ney_data_free(d);
    return errors / NEW_ROWS;
}

static void prop_fold_loss_estimates_new_rows(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_ESTIMATED; k++) {
        const int64_t draws = test_share(200);
        double sum[2] = {0, 0}, squares = 0;
        for (int64_t i = 0; i < draws; i++) {
            rnd r = rnd_new((uint64_t)(1000 * k + 17) * 100003 + (uint64_t)i);
            const double seen = stated(&settings[k], &r), truth = true_loss(&settings[k], &r);
            sum[0] += seen;
            sum[1] += truth;
            squares += (seen - truth) * (seen - truth);
        }
        const double n = (double)draws, bias = (sum[0] - sum[1]) / n;
        const double error = sqrt((squares / n - bias * bias) / n);
        print_message("%s: stated %.4f, true %.4f, difference %.4f +- %.4f\n", settings[k].name,
                      sum[0] / n, sum[1] / n, bias, error);
        assert_true(fabs(bias) <= 0.01 + 3 * error);
    }
}

/* The threshold of a tuned model without a certificate: over many draws the true FPR is the bound
 * on average, though the same rows chose among points. Classes are normal with unit covariance: the
 * FPR of a linear model is exact. Each draw has 61 rows of the bounded class, so that a threshold
 * at the next larger row would have a mean of 4/62 or more instead of 0.05. */
static double true_fpr(const ney_model *m, int64_t cols, double shift)
{
    float x[MOST_COLS * (MOST_COLS + 1)] = {0};
    double score[MOST_COLS + 1], squares = 0, mean, low, high;
    for (int64_t c = 0; c < cols; c++) {
        x[(c + 1) * cols + c] = 1;
    }
    const ney_matrix units = {.rows = cols + 1, .cols = cols, .dense = x};
    assert_int_equal(ney_model_score(m, NULL, &units, score, NULL), NEY_OK);
    mean = score[0];
    for (int64_t c = 0; c < cols; c++) {
        const double w = score[c + 1] - score[0];
        squares += w * w;
        mean -= c < 2 ? w * shift / 2 : 0;
    }
    ney_model_thresholds(m, &low, &high);
    return erfc((high - mean) / sqrt(2 * squares)) / 2;
}

static void prop_threshold_keeps_the_rate_on_average(void **state)
{
    enum { N = 122 };
    const setting s = {"8 columns", 8, 2, false, NEY_SCALING_NONE};
    const int64_t draws = test_share(150);
    double sum = 0, squares = 0;
    (void)state;
    for (int64_t i = 0; i < draws; i++) {
        rnd r = rnd_new(977 + 31 * (uint64_t)i);
        ney_data *d = draw(&s, N, &r);
        ney_train_opts o = plain_options();
        ney_tune_opts t;
        ney_tune_info info;
        ney_model *m = NULL;
        int64_t n;
        const ney_param *params = ney_tune_params(&n);
        ney_params_init(params, n, &t);
        t.grid = "C=0.001:10:5 cost-fp=0.3,3";
        t.refine = 0;
        t.no_extend = true;
        t.average = 1;
        o.method = NEY_METHOD_CONVEX;
        o.max_fpr = 0.05;
        o.confidence = (double)NAN;
        o.seed = 1 + rnd_below(&r, 1000000);
        assert_int_equal(ney_tune(&m, NULL, d, NULL, &o, &t, &info, NULL), NEY_OK);
        assert_true(info.calibrated);
        const double fpr = true_fpr(m, s.cols, s.shift);
        sum += fpr;
        squares += fpr * fpr;
        ney_model_free(m);
        ney_data_free(d);
    }
    const double n = (double)draws, mean = sum / n, error = sqrt((squares / n - mean * mean) / n);
    print_message("true FPR of thresholds for 0.05: %.4f +- %.4f\n", mean, error);
    assert_true(fabs(mean - 0.05) <= 0.002 + 3 * error);
}

/* Rows of a fold, scaled again, are what they would be if they had been scaled by its rows. */
static void prop_scaling_again_is_scaling(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        rnd r = rnd_new(k + 1);
        ney_data *raw = draw(&settings[k], ROWS, &r), *all = NULL, *part[2][2];
        int64_t rows[2][ROWS], n[2] = {0, 0};
        bool changed;
        for (int64_t i = 0; i < ROWS; i++) {
            const int at = rnd_chance(&r, 0.3);
            rows[at][n[at]++] = i;
        }
        assert_int_equal(ney_data_copy_prepared(&all, raw, NULL, settings[k].scaling, NULL), 0);
        assert_int_equal(ney_data_prepare(raw, settings[k].scaling, rows[0], n[0], NULL), 0);
        for (int at = 0; at < 2; at++) {
            assert_int_equal(ney_data_take(&part[0][at], all, rows[at], n[at], NULL), NEY_OK);
            assert_int_equal(ney_data_take(&part[1][at], raw, rows[at], n[at], NULL), NEY_OK);
        }
        assert_int_equal(ney_scale_again(part[0][0], part[0][1], &changed, NULL), NEY_OK);
        assert_true(changed);
        for (int at = 0; at < 2; at++) {
            const float *a = ney_data_matrix(part[0][at])->dense;
            const float *b = ney_data_matrix(part[1][at])->dense;
            for (int64_t i = 0; i < n[at] * settings[k].cols; i++) {
                /* a row that is not fitted on is interpolated between two ranks, a step apart */
                const float apart =
                    settings[k].scaling == NEY_SCALING_RANK ? 4 / (float)n[0] : 2e-6f;
                assert_true(fabsf(a[i] - b[i]) <= apart * (1 + fabsf(b[i])));
            }
            ney_data_free(part[0][at]);
            ney_data_free(part[1][at]);
        }
        ney_data_free(all);
        ney_data_free(raw);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_threshold_keeps_the_rate_on_average),
        cmocka_unit_test(prop_scaling_again_is_scaling),
        cmocka_unit_test(prop_fold_loss_estimates_new_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
