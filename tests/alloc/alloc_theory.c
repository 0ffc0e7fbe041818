/* Mixtures, curves of asymmetries and fits with every request refused in turn and stops at every
 * poll. */
#include "support/cmocka_all.h"
#include "support/counting.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static const double mean_pos[] = {1, 0.5}, mean_neg[] = {-0.5, 0.2}, mean_far[] = {-3, 1};
static const double cov_pos[] = {1, 0.3, 0.3, 2}, cov_neg[] = {1.5, -0.4, -0.4, 0.7};

static ney_status make_mixture(ney_mixture **out, const ney_env *env, ney_error *err)
{
    const ney_gaussian pos = {1, mean_pos, cov_pos};
    const ney_gaussian neg[2] = {{0.6, mean_neg, cov_neg}, {0.4, mean_far, cov_pos}};
    const ney_mixture_parts parts = {.dims = 2,
                                     .p_pos = 0.4,
                                     .positive = &pos,
                                     .n_positive = 1,
                                     .negative = neg,
                                     .n_negative = 2};

    return ney_mixture_new(out, env, &parts, err);
}

static ney_status use_study(const void *what, const ney_env *env, ney_error *err)
{
    ney_mixture *mixture = (ney_mixture *)(uintptr_t)1;
    ney_asymmetry *study = NULL;
    ney_status st = make_mixture(&mixture, env, err);

    assert_true((st == NEY_OK) == (mixture != NULL));
    if (st == NEY_OK) {
        st = ney_asymmetry_new(&study, env, mixture, *(const ney_theory_loss *)what, err);
        assert_true((st == NEY_OK) == (study != NULL));
    }
    if (st == NEY_OK) {
        ney_asymmetry_point point;
        ney_asymmetry_answer answer;
        double w[2];
        st = ney_asymmetry_at(study, 0.1, &point, w, err);
        assert_int_equal(st, NEY_OK);
        st = ney_asymmetry_for(study, 0.1, &answer, err);
    }
    ney_asymmetry_free(study);
    ney_mixture_free(mixture);
    return st;
}

static void memory_of_studies(void **state)
{
    static const ney_theory_loss losses[] = {NEY_LOSS_SQUARE, NEY_LOSS_ERF, NEY_LOSS_HINGE};

    (void)state;
    sweep_memory("square", use_study, &losses[0]);
    sweep_memory("erf", use_study, &losses[1]);
    sweep_memory("hinge", use_study, &losses[2]);
    assert_true(sweep_polls("square", use_study, &losses[0], false) > 100);
}

enum { ROWS = 60 };

static ney_data *rows_of_two_classes(void)
{
    static float x[2 * ROWS];
    static int8_t y[ROWS];
    ney_data *data;

    for (int i = 0; i < ROWS; i++) {
        y[i] = i % 3 == 0 ? 1 : -1;
        x[2 * (size_t)i] = (float)(sin(5.3 * i) + 0.7 * y[i]);
        x[2 * (size_t)i + 1] = (float)cos(3.1 * i);
    }
    const ney_matrix m = {.rows = ROWS, .cols = 2, .dense = x};
    assert_int_equal(ney_data_new(&data, NULL, &m, y, NULL, NULL), NEY_OK);
    return data;
}

static ney_status use_fit(const void *what, const ney_env *env, ney_error *err)
{
    ney_mixture *mixture = (ney_mixture *)(uintptr_t)1;
    const ney_status st = ney_mixture_fit_with(&mixture, env, what, NULL, err);

    assert_true((st == NEY_OK) == (mixture != NULL));
    ney_mixture_free(mixture);
    return st;
}

static ney_status use_sample(const void *what, const ney_env *env, ney_error *err)
{
    static const double gamma[2] = {0.3, 0.6};
    const ney_asymmetry_grid grid = {.gamma = gamma, .n_gammas = 2, .n_splits = 2};
    double fpr[4], tpr[4];
    ney_train_opts opts;
    int64_t n;
    const ney_param *params = ney_train_params(&n);

    ney_params_init(params, n, &opts);
    return ney_asymmetry_sample_with(env, what, &opts, NEY_SCALING_STANDARD, &grid, fpr, tpr, err);
}

static void memory_of_data(void **state)
{
    ney_data *data = rows_of_two_classes();

    (void)state;
    sweep_memory("fit", use_fit, data);
    assert_true(sweep_polls("fit", use_fit, data, false) > 2);
    sweep_memory("sample", use_sample, data);
    assert_true(sweep_polls("sample", use_sample, data, false) > 2);
    ney_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_studies),
        cmocka_unit_test(memory_of_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
