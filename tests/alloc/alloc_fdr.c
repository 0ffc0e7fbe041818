/* Training under a false-discovery rate with every request refused in turn and stops at every poll;
 * and reading a model with folds. */
#include "support/counting.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 24 };

static ney_data *training;

static ney_status use_train(const void *what, const ney_env *env, ney_error *err)
{
    ney_model *m = (ney_model *)(uintptr_t)1;
    ney_train_info info;
    const ney_status st = ney_train(&m, env, training, what, &info, err);
    assert_true((st == NEY_OK) == (m != NULL));
    ney_model_free(m);
    return st;
}

static ney_status use_parse(const void *what, const ney_env *env, ney_error *err)
{
    ney_model *m = (ney_model *)(uintptr_t)1;
    double score[ROWS];
    int64_t known;
    ney_status st = ney_model_parse(&m, env, "m", what, strlen(what), err);
    assert_true((st == NEY_OK) == (m != NULL));
    if (st == NEY_OK) {
        st = ney_model_score_data(m, env, training, score, &known, err);
    }
    ney_model_free(m);
    return st;
}

static void memory_of_fdr(void **state)
{
    ney_train_opts o;
    int64_t n;
    ney_model *m = NULL;
    char *text;
    size_t n_text;
    const ney_param *p = ney_train_params(&n);
    (void)state;
    ney_params_init(p, n, &o);
    o.max_fdr = "0.2";
    sweep_memory("linear", use_train, &o);
    o.kernel = NEY_KERNEL_RBF;
    sweep_memory("rbf", use_train, &o);
    o.kernel = NEY_KERNEL_LINEAR;
    o.network = 2;
    o.max_iter = 2; /* what is refused does not hang on how long it goes on */
    sweep_memory("network", use_train, &o);
    assert_int_equal(ney_train(&m, NULL, training, &o, NULL, NULL), NEY_OK);
    assert_int_equal(ney_model_format(m, &text, &n_text, NULL), NEY_OK);
    sweep_memory("a model with folds", use_parse, text);
    ney_model_text_free(m, text);
    ney_model_free(m);
    o.method = NEY_METHOD_ONLINE;
    o.epochs = 1;
    sweep_memory("online", use_train, &o);
}

/* A run that is stopped gives the best model so far, or says that it was cancelled. */
static void stops_of_fdr(void **state)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    (void)state;
    ney_params_init(p, n, &o);
    o.max_fdr = "0.2";
    assert_true(sweep_polls("linear", use_train, &o, true) > 3);
    o.network = 2;
    o.max_iter = 2;
    assert_true(sweep_polls("network", use_train, &o, true) > 3);
    o.method = NEY_METHOD_ONLINE;
    o.max_iter = 0;
    o.epochs = 1;
    assert_true(sweep_polls("online", use_train, &o, true) > 3);
}

static int set_up(void **state)
{
    static float x[2 * ROWS];
    static int8_t y[ROWS];
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        y[i] = i % 2 == 0 ? 1 : -1;
        x[2 * (size_t)i] = (float)(sin(5.3 * i) + (i % 4 == 0 ? 2 : 0));
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
        cmocka_unit_test(memory_of_fdr),
        cmocka_unit_test(stops_of_fdr),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
