/* Tuning and the methods beside Neyman-Pearson, with every request refused in turn and stops at
 * every poll. */
#include "support/counting.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "support/cmocka_all.h"

enum { ROWS = 24 };

static ney_data *training;

static ney_train_opts options(int kernel, int method, double confidence)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_params_init(p, n, &o);
    o.kernel = (ney_kernel_kind)kernel;
    o.method = (ney_method)method;
    o.max_fpr = 0.3;
    o.confidence = confidence;
    return o;
}

static const char table_file[] = "alloc.tune.tsv";

static ney_status use_tune(const void *what, const ney_env *env, ney_error *err)
{
    const ney_train_opts *o = what;
    const ney_tune_opts t = {.grid = o->method == NEY_METHOD_CONVEX ? "C=0.1,1,10 cost-fp=2"
                                                                    : "C=0.1,10",
                             .folds = 2,
                             .average = 2,
                             .at = NAN,
                             .table = table_file};
    ney_model *m = (ney_model *)(uintptr_t)1;
    remove(table_file);
    const ney_status st = ney_tune(&m, env, training, NULL, what, &t, NULL, err);
    assert_true((st == NEY_OK) == (m != NULL));
    ney_model_free(m);
    return st;
}

static ney_status use_train(const void *what, const ney_env *env, ney_error *err)
{
    ney_model *m = (ney_model *)(uintptr_t)1;
    const ney_status st = ney_train(&m, env, training, what, NULL, err);
    assert_true((st == NEY_OK) == (m != NULL));
    ney_model_free(m);
    return st;
}

static void memory_of_tuning(void **state)
{
    ney_train_opts rbf = options(NEY_KERNEL_RBF, NEY_METHOD_CONVEX, NAN);
    const ney_train_opts linear = options(NEY_KERNEL_LINEAR, NEY_METHOD_ANNEALED, 0.8);
    const ney_train_opts both = options(NEY_KERNEL_LINEAR, NEY_METHOD_AUTO, NAN); /* two searches */
    (void)state;
    rbf.gamma = 0.5;
    sweep_memory("tune, linear, certified", use_tune, &linear);
    sweep_memory("tune, rbf, convex", use_tune, &rbf);
    assert_true(sweep_polls("tune, both methods", use_tune, &both, true) > 4);
    remove(table_file);
}

static void memory_of_methods(void **state)
{
    const ney_train_opts generative = options(NEY_KERNEL_LINEAR, NEY_METHOD_GENERATIVE, NAN);
    const ney_train_opts kernel = options(NEY_KERNEL_RBF, NEY_METHOD_GENERATIVE, NAN);
    const ney_train_opts perf = options(NEY_KERNEL_LINEAR, NEY_METHOD_PERF, NAN);
    (void)state;
    sweep_memory("generative, linear", use_train, &generative);
    sweep_memory("generative, rbf", use_train, &kernel);
    sweep_memory("perf", use_train, &perf);
    assert_true(sweep_polls("perf", use_train, &perf, true) > 2);
    assert_true(sweep_polls("generative", use_train, &generative, true) > 0);
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
        cmocka_unit_test(memory_of_tuning),
        cmocka_unit_test(memory_of_methods),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
