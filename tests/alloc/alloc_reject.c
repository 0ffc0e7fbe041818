/* Learning to reject, both solvers, certificates of both rates and p-values: every request refused
 * in turn, stops at every poll. */
#include "support/counting.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 60 };

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

/* What the decisions cost, from scores. */
static ney_status use_band(const void *what, const ney_env *env, ney_error *err)
{
    static const double score[] = {1, 2, 3, 4, 2.5, 0.5};
    static const int8_t label[] = {-1, -1, 1, 1, -1, 1};
    const ney_labelled_scores rows = {.score = score, .label = label, .n = 6};
    ney_risk_point curve[6];
    int64_t n;
    double low, high, cost;
    const ney_status st =
        ney_best_band(env, &rows, (const ney_costs *)what, &low, &high, &cost, err);
    return st == NEY_OK ? ney_band_coverage(env, &rows, 1, 2, 3, curve, &n, err) : st;
}

static ney_train_opts options(int kernel, int method)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_params_init(p, n, &o);
    o.kernel = (ney_kernel_kind)kernel;
    o.method = (ney_method)method;
    o.reject_cost = 0.2;
    return o;
}

static void memory_of_rejection(void **state)
{
    const ney_costs costs = {1, 2, 0.2, 0.3};
    const ney_train_opts linear = options(NEY_KERNEL_LINEAR, NEY_METHOD_AUTO);
    const ney_train_opts exact_linear = options(NEY_KERNEL_LINEAR, NEY_METHOD_ACTIVESET);
    const ney_train_opts exact = options(NEY_KERNEL_RBF, NEY_METHOD_ACTIVESET);
    ney_train_opts bounded = options(NEY_KERNEL_LINEAR, NEY_METHOD_AUTO);
    ney_train_opts held_out = options(NEY_KERNEL_LINEAR, NEY_METHOD_AUTO);
    ney_train_opts in_turns = options(NEY_KERNEL_RBF, NEY_METHOD_AUTO);
    (void)state;
    bounded.max_fpr = bounded.max_fnr = 0.2;
    bounded.confidence = 0.8;
    held_out.conformal = true;
    in_turns.conformal_folds = 3;
    sweep_memory("double hinge, linear", use_train, &linear);
    sweep_memory("double hinge, exact", use_train, &exact);
    sweep_memory("double hinge, exact, linear", use_train, &exact_linear);
    sweep_memory("both rates bounded", use_train, &bounded);
    sweep_memory("p-values, held out", use_train, &held_out);
    sweep_memory("p-values, in turns", use_train, &in_turns);
    sweep_memory("band", use_band, &costs);
    assert_true(sweep_polls("double hinge, exact", use_train, &exact, true) > 2);
    assert_true(sweep_polls("p-values, in turns", use_train, &in_turns, true) > 2);
}

static int set_up(void **state)
{
    static float x[2 * ROWS];
    static int8_t y[ROWS];
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        y[i] = i % 2 ? 1 : -1;
        x[2 * (size_t)i] = (float)((i * 7) % 11) / 11 + (i % 2 ? 0.3F : 0);
        x[2 * (size_t)i + 1] = (float)((i * 5) % 13) / 13;
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_of_rejection)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
