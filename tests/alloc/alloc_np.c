/* Neyman-Pearson training with every request refused in turn and stops at every poll. */
#include "support/counting.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 40 };

static ney_data *training;

static ney_status use_train(const void *what, const ney_env *env, ney_error *err)
{
    ney_model *m = (ney_model *)(uintptr_t)1;
    ney_train_info info;
    const ney_status st = ney_train(&m, env, training, what, &info, err);
    assert_true((st == NEY_OK) == (m != NULL));
    const counting *c = env->user;
    if (st == NEY_OK && c->stopped) { /* a stop gives the best model so far, and says so */
        assert_int_equal(info.stop, NEY_STOP_CANCELLED);
    }
    ney_model_free(m);
    return st;
}

static ney_train_opts options(int kernel, int method, double confidence)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_params_init(p, n, &o);
    o.kernel = kernel;
    o.method = method;
    o.max_fpr = 0.2;
    o.confidence = confidence;
    return o;
}

static void memory_of_np(void **state)
{
    const ney_train_opts annealed = options(NEY_KERNEL_LINEAR, NEY_METHOD_ANNEALED, NAN);
    const ney_train_opts uzawa = options(NEY_KERNEL_RBF, NEY_METHOD_UZAWA, NAN);
    const ney_train_opts certified = options(NEY_KERNEL_RBF, NEY_METHOD_AUTO, 0.9);
    (void)state;
    sweep_memory("annealed, linear", use_train, &annealed);
    sweep_memory("uzawa, rbf", use_train, &uzawa);
    sweep_memory("certified, rbf", use_train, &certified);
    assert_true(sweep_polls("annealed, linear", use_train, &annealed, true) > 2);
    assert_true(sweep_polls("certified, rbf", use_train, &certified, true) > 2);
}

static int set_up(void **state)
{
    static float x[2 * ROWS];
    static int8_t y[ROWS];
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        y[i] = i % 3 == 0 ? 1 : -1;
        x[2 * (size_t)i] = (float)(sin(5.3 * i) + 0.7 * y[i]);
        x[2 * (size_t)i + 1] = (float)cos(3.1 * i);
    }
    const ney_matrix m = {.rows = ROWS, .cols = 2, .dense = x};
    return ney_data_new(&training, NULL, &m, y, NULL, NULL) == NEY_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    ney_data_free(training);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_np),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
