/* Conformal p-values: counted as they are defined, kept by the model's file, and valid: over many
 * draws of everything, the set of classes that cannot be ruled out holds the true one as often as
 * promised, in either class. */
#include <neyman/experimental.h>

#include "support/cmocka_all.h"
#include "support/random_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLS = 2, MOST = 200 };

static double normal(rnd *r)
{
    return sqrt(-2 * log(1 - rnd_unit(r))) * cos(6.283185307179586 * rnd_unit(r));
}

/* A third of the rows positive; the classes overlap. */
static ney_data *clouds(rnd *r, int64_t n)
{
    float x[MOST * COLS];
    int8_t y[MOST];
    ney_data *d = NULL;
    for (int64_t i = 0; i < n; i++) {
        y[i] = i % 3 == 0 ? 1 : -1;
        x[i * COLS] = (float)(normal(r) + 0.8 * y[i]);
        x[i * COLS + 1] = (float)(normal(r) * (y[i] > 0 ? 1.5 : 1));
    }
    const ney_matrix m = {.rows = n, .cols = COLS, .dense = x};
    assert_int_equal(ney_data_new(&d, NULL, &m, y, NULL, NULL), NEY_OK);
    return d;
}

static ney_train_opts options(int64_t folds)
{
    int64_t n;
    const ney_param *params = ney_train_params(&n);
    ney_train_opts o;
    ney_params_init(params, n, &o);
    o.conformal = true;
    o.conformal_folds = folds;
    o.reject_cost = 0.2;
    return o;
}

/* Whoever counts by hand gets the same. */
static void prop_p_values_are_counted(void **state)
{
    (void)state;
    for (int64_t t = 1; t <= test_times(40); t++) {
        rnd r = rnd_new((uint64_t)t);
        double score[MOST], at[50], p[2][50], back_p[2][50];
        int8_t y[MOST];
        const int64_t n = 2 + rnd_below(&r, MOST - 2);
        int64_t n_pos, n_neg;
        char *bytes;
        size_t n_text;
        ney_data *d = clouds(&r, 30);
        ney_model *m, *back;
        ney_train_opts o = options(0);
        o.conformal = false;
        assert_int_equal(ney_train(&m, NULL, d, &o, NULL, NULL), NEY_OK);
        assert_false(ney_model_calibrated(m, &n_pos, &n_neg));
        assert_int_equal(ney_model_p_values(m, score, 1, p[1], p[0], NULL), NEY_EINVAL);
        for (int64_t i = 0; i < n; i++) {
            y[i] = i == 0 ? 1 : i == 1 ? -1 : rnd_chance(&r, 0.5) ? 1 : -1;
            score[i] = rnd_chance(&r, 0.5) ? (double)rnd_below(&r, 5) : rnd_unit(&r) * 5;
        }
        for (int k = 0; k < 50; k++) {
            at[k] = k < 20 ? (double)(k % 7) - 1 : rnd_unit(&r) * 7 - 1;
        }
        assert_int_equal(ney_model_calibrate(m, score, y, n, NULL), NEY_OK);
        assert_int_equal(ney_model_p_values(m, at, 50, p[1], p[0], NULL), NEY_OK);
        for (int k = 0; k < 50; k++) {
            double odd[2] = {1, 1}, all[2] = {1, 1};
            for (int64_t i = 0; i < n; i++) {
                all[y[i] > 0]++;
                odd[y[i] > 0] += y[i] > 0 ? score[i] <= at[k] : score[i] >= at[k];
            }
            assert_true(p[0][k] == odd[0] / all[0] && p[1][k] == odd[1] / all[1]);
        }
        assert_int_equal(ney_model_format(m, &bytes, &n_text, NULL), NEY_OK);
        assert_int_equal(ney_model_parse(&back, NULL, "memory", bytes, n_text, NULL), NEY_OK);
        assert_int_equal(ney_model_p_values(back, at, 50, back_p[1], back_p[0], NULL), NEY_OK);
        assert_memory_equal(p, back_p, sizeof p);
        ney_model_text_free(m, bytes);
        ney_model_free(back);
        ney_model_free(m);
        ney_data_free(d);
    }
}

/* Coverage of either class over many draws of training, calibration and test rows. */
static void coverage(int64_t folds, int64_t runs, double e, double share[2])
{
    enum { LEARN = 120, TEST = 60 };
    const ney_train_opts o = options(folds);
    ney_env env = ney_env_default();
    env.threads = 1;
    int64_t held[2] = {0, 0}, of[2] = {0, 0};
    for (int64_t t = 1; t <= runs; t++) {
        rnd r = rnd_new((uint64_t)(1000 + t));
        ney_data *d = clouds(&r, LEARN), *fresh = clouds(&r, TEST);
        const int8_t *y = ney_data_label(fresh);
        double score[TEST], p[2][TEST];
        ney_model *m;
        assert_int_equal(ney_train(&m, &env, d, &o, NULL, NULL), NEY_OK);
        assert_int_equal(ney_model_score(m, &env, ney_data_matrix(fresh), score, NULL), NEY_OK);
        assert_int_equal(ney_model_p_values(m, score, TEST, p[1], p[0], NULL), NEY_OK);
        for (int i = 0; i < TEST; i++) {
            of[y[i] > 0]++;
            held[y[i] > 0] += p[y[i] > 0][i] > e;
        }
        ney_model_free(m);
        ney_data_free(d);
        ney_data_free(fresh);
    }
    for (int c = 0; c < 2; c++) {
        share[c] = (double)held[c] / (double)of[c];
    }
}

/* 30 of 120 rows are held out: 10 positives, 20 negatives. The exact coverage at e is
 * 1 - floor(e (n + 1)) / (n + 1); the rows of a run share their calibration rows, so the noise is
 * that of a run: below 0.1 each. */
static void prop_sets_cover(void **state)
{
    const int64_t runs = test_times(500);
    const double noise = 4 * 0.1 / sqrt((double)runs), e = 0.2;
    double held_out[2], in_turns[2];
    (void)state;
    coverage(0, runs, e, held_out);
    coverage(5, runs, e, in_turns);
    print_message("held out: negatives %.4f positives %.4f; in turns: %.4f %.4f; promised %.2f\n",
                  held_out[0], held_out[1], in_turns[0], in_turns[1], 1 - e);
    for (int c = 0; c < 2; c++) {
        const double n = c == 1 ? 11 : 21, exact = 1 - floor(e * n) / n;
        assert_true(exact >= 1 - e && fabs(held_out[c] - exact) < noise);
        assert_true(in_turns[c] > 1 - e - 0.03);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_p_values_are_counted),
        cmocka_unit_test(prop_sets_cover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
