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

static const int64_t *all_rows(void)
{
    static int64_t row[ROWS];
    for (int64_t i = 0; i < ROWS; i++) {
        row[i] = i;
    }
    return row;
}

static ney_status use_parse(const void *what, const ney_env *env, ney_error *err)
{
    ney_data *d = (ney_data *)(uintptr_t)1;
    ney_read_opts o;
    int64_t n;
    const ney_param *p = ney_read_params(&n);
    ney_params_init(p, n, &o);
    o.group = "g";
    ney_status st = ney_data_parse_with(&d, env, "table", what, strlen(what), &o, NULL, err);
    assert_true((st == NEY_OK) == (d != NULL));
    uint64_t group[4] = {0};
    if (st == NEY_OK && (st = ney_data_groups(d, group, err)) == NEY_OK) {
        assert_true(group[0] == group[1] && group[1] != group[2] && group[2] != group[3]);
    }
    ney_data_free(d);
    return st;
}

static ney_train_opts options(int kernel, int method, double confidence)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_params_init(p, n, &o);
    o.kernel = (ney_kernel_kind)kernel;
    o.method = (ney_method)method;
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

/* Whole groups held out: certified, calibrated, online, and their columns read from a table. */
static void memory_of_groups(void **state)
{
    ney_train_opts certified = options(NEY_KERNEL_LINEAR, NEY_METHOD_CONVEX, 0.6);
    ney_train_opts online = options(NEY_KERNEL_LINEAR, NEY_METHOD_ONLINE, 0.6);
    ney_train_opts sets = options(NEY_KERNEL_LINEAR, NEY_METHOD_AUTO, NAN);
    uint64_t group[ROWS];
    ney_data *const rows = training;
    (void)state;
    online.epochs = 1;
    sets.max_fpr = NAN;
    sets.conformal = true;
    assert_int_equal(ney_data_take(&training, rows, all_rows(), ROWS, NULL), NEY_OK);
    for (int i = 0; i < ROWS; i++) {
        group[i] = (uint64_t)i / 2;
    }
    assert_int_equal(ney_data_set_groups(training, group, NULL), NEY_OK);
    sweep_memory("certified, groups", use_train, &certified);
    sweep_memory("online, groups", use_train, &online);
    sweep_memory("conformal, groups", use_train, &sets);
    sweep_memory("a table with groups", use_parse, "g,y,x\n1,0,2\n1,1,3\n\"2\tb\",0,4\n2,1,5\n");
    ney_data_free(training);
    training = rows;
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
        cmocka_unit_test(memory_of_groups),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
