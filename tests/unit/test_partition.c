/* The rows of a fit by use: each row has one use, the rows of a part are copied once however often
 * they are asked for, and all rows are the data themselves where nothing is held out. */
#include "support/cmocka_all.h"

#include "data/data.h"
#include "decide/probability.h"
#include "learn/learn.h"
#include "model/model.h"

#include <math.h>

enum { ROWS = 600 };

/* One feature: the number of the row, or values of which those of positives are larger. */
static ney_data *make_data(double shift)
{
    static float x[ROWS];
    static int8_t label[ROWS];
    ney_data *d;
    for (int i = 0; i < ROWS; i++) {
        x[i] = (float)(shift > 0 ? i % 11 / 5.0 + shift * (i % 3 == 0) : i);
        label[i] = (int8_t)(i % 3 == 0 ? 1 : -1);
    }
    const ney_matrix m = {.rows = ROWS, .cols = 1, .dense = x};
    assert_int_equal(ney_data_new(&d, NULL, &m, label, NULL, NULL), NEY_OK);
    return d;
}

static ney_train_opts options(void)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *const params = ney_train_params(&n);
    ney_params_init(params, n, &o);
    return o;
}

static void test_each_row_has_one_use(void **state)
{
    ney_data *const d = make_data(0);
    const ney_env env = ney_env_of(NULL);
    ney_train_opts o = options();
    ney_partition p;
    int seen[ROWS] = {0};
    int64_t rows[ROWS];
    (void)state;
    o.max_fpr = 0.1;
    o.conformal = true;
    o.calibrate = 0.1;
    const ney_request r = ney_request_of(&o);
    assert_int_equal(ney_partition_init(&p, &env, d, &r, NULL), NEY_OK);
    for (int part = 0; part < NEY_PARTS; part++) {
        const ney_data *taken, *again;
        const int64_t n = ney_partition_rows(&p, (ney_part)part, rows);
        assert_int_equal(ney_partition_take(&p, (ney_part)part, &taken, NULL), NEY_OK);
        assert_int_equal(ney_partition_take(&p, (ney_part)part, &again, NULL), NEY_OK);
        assert_ptr_equal(taken, again);
        assert_true(n > 0 && ney_data_matrix(taken)->rows == n);
        for (int64_t k = 0; k < n; k++) {
            assert_true(ney_data_matrix(taken)->dense[k] == (float)rows[k]);
            seen[rows[k]]++;
        }
    }
    for (int i = 0; i < ROWS; i++) {
        assert_int_equal(seen[i], 1);
    }
    ney_partition_deinit(&p);
    ney_data_free(d);
}

static void test_nothing_held_out_nothing_copied(void **state)
{
    ney_data *const d = make_data(0);
    const ney_env env = ney_env_of(NULL);
    const ney_train_opts o = options();
    const ney_request r = ney_request_of(&o);
    const ney_data *learned, *certify;
    ney_partition p;
    (void)state;
    assert_int_equal(ney_partition_init(&p, &env, d, &r, NULL), NEY_OK);
    assert_int_equal(ney_partition_take(&p, NEY_PART_LEARN, &learned, NULL), NEY_OK);
    assert_int_equal(ney_partition_take(&p, NEY_PART_CERTIFY, &certify, NULL), NEY_OK);
    assert_true(learned == d && certify == NULL);
    ney_partition_deinit(&p);
    ney_data_free(d);
}

/* Online training holds out the rows that it is given, not others that it draws. */
static void test_online_uses_the_partition(void **state)
{
    ney_data *const d = make_data(0);
    const ney_env env = ney_env_of(NULL);
    ney_train_opts o = options();
    ney_train_info info;
    ney_partition p;
    ney_model *m;
    (void)state;
    o.max_fpr = 0.1;
    o.method = NEY_METHOD_ONLINE;
    o.epochs = 1;
    const ney_request r = ney_request_of(&o);
    assert_int_equal(ney_partition_init(&p, &env, d, &r, NULL), NEY_OK);
    int64_t n = 0;
    for (int64_t i = 0; i < ROWS; i++) { /* another choice: the last negatives */
        n += p.part_of[i] == NEY_PART_CERTIFY;
        p.part_of[i] = NEY_PART_LEARN;
    }
    for (int64_t i = ROWS - 1, left = n; left > 0; i--) {
        if (ney_data_label(d)[i] < 0) {
            p.part_of[i] = NEY_PART_CERTIFY;
            left--;
        }
    }
    assert_int_equal(ney_train_partition(&m, &p, &o, &info, NULL), NEY_OK);
    double mean = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        mean += p.part_of[i] == NEY_PART_CERTIFY ? (double)i / (double)n : 0;
    }
    double intercept;
    const double *const w = ney_model_weights(m, &intercept);
    assert_true(fabs(info.held_mean - (w[0] * mean + intercept)) <
                1e-9 * (1 + fabs(info.held_mean)));
    ney_model_free(m);
    ney_partition_deinit(&p);
    ney_data_free(d);
}

/* Of the scores that calibrate a model. */
static double sum_of_scores(const ney_model *m)
{
    double sum = 0;
    for (int c = 0; c < 2; c++) {
        for (int64_t i = 0; i < m->calibration[c].n; i++) {
            sum += m->calibration[c].score[i];
        }
    }
    for (int64_t k = 0; m->probability && k < m->probability->n_knots; k++) {
        const ney_knot *const knot = &m->probability->knot[k];
        sum += knot->score * (double)(knot->neg + knot->pos);
    }
    return sum;
}

/* Folds that calibrate a mean of models score their rows by that mean: scores are linear. */
static void test_folds_calibrate_the_mean(void **state)
{
    const ney_env env = ney_env_of(NULL);
    (void)state;
    for (int folds = 0; folds < 2; folds++) { /* of probabilities, of p-values */
        ney_data *const d = make_data(1);
        ney_train_opts o[2] = {options(), options()};
        double sum[3];
        for (int k = 0; k < 2; k++) {
            *(folds ? &o[k].conformal_folds : &o[k].calibrate_folds) = 3;
            o[k].C = k ? 10 : 0.001;
        }
        for (int k = 0; k < 3; k++) { /* the last is the mean of the others */
            const ney_request r = ney_request_of(&o[0]);
            ney_partition p;
            ney_model *m;
            assert_int_equal(ney_partition_init(&p, &env, d, &r, NULL), NEY_OK);
            assert_int_equal(ney_train_mean(&m, &p, &o[k % 2], k < 2 ? 1 : 2, NULL, NULL), NEY_OK);
            sum[k] = sum_of_scores(m);
            ney_model_free(m);
            ney_partition_deinit(&p);
        }
        assert_true(fabs(sum[0] - sum[1]) > 0.1);
        assert_true(fabs(sum[2] - (sum[0] + sum[1]) / 2) < 1e-6);
        ney_data_free(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_row_has_one_use),
        cmocka_unit_test(test_nothing_held_out_nothing_copied),
        cmocka_unit_test(test_online_uses_the_partition),
        cmocka_unit_test(test_folds_calibrate_the_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
