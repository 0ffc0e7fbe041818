/* Online training without a multiplier, for costs and for two bounded rates, with every request
 * refused in turn and stops at every poll. */
#include "support/counting.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { ROWS = 30 };

static ney_data *rows[2]; /* to train on, and to learn on from */
static const char cache[] = "alloc_online_costs.ney";

static ney_status check(ney_status st, ney_model *m)
{
    assert_true((st == NEY_OK) == (m != NULL));
    ney_model_free(m);
    return st;
}

static ney_status use_train(const void *what, const ney_env *env, ney_error *err)
{
    ney_model *m = (ney_model *)(uintptr_t)1;
    const ney_status st = ney_train(&m, env, rows[0], what, NULL, err);
    return check(st, m);
}

static ney_status use_cache(const void *what, const ney_env *env, ney_error *err)
{
    ney_model *m = (ney_model *)(uintptr_t)1;
    const ney_status st = ney_train_cache(&m, env, cache, NULL, NEY_SCALING_NONE, what, NULL, err);
    return check(st, m);
}

static ney_status use_update(const void *what, const ney_env *env, ney_error *err)
{
    ney_model *m = (ney_model *)(uintptr_t)1;
    const ney_status st = ney_update(&m, env, what, rows[1], NULL, NULL, err);
    return check(st, m);
}

static ney_train_opts options(double max_rate, double confidence)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_params_init(p, n, &o);
    o.method = NEY_METHOD_ONLINE;
    o.epochs = 1;
    o.cost_fn = 3;
    o.max_fpr = o.max_fnr = max_rate;
    o.confidence = confidence;
    return o;
}

static void memory_of_costs(void **state)
{
    const ney_train_opts costs = options((double)NAN, 0.95), both = options(0.4, 0.8);
    ney_model *m = NULL;
    (void)state;
    sweep_memory("costs", use_train, &costs);
    sweep_memory("both rates", use_train, &both);
    sweep_memory("both rates from a cache", use_cache, &both);
    assert_true(sweep_polls("costs", use_train, &costs, true) > 1);
    assert_int_equal(ney_train(&m, NULL, rows[0], &both, NULL, NULL), NEY_OK);
    sweep_memory("both rates, learning on", use_update, m);
    ney_model_free(m);
}

static int set_up(void **state)
{
    float x[ROWS];
    int8_t y[ROWS];
    (void)state;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < ROWS; i++) {
            y[i] = i % 2 ? 1 : -1;
            x[i] = (float)(sin(5.3 * i) + 0.7 * y[i] + 0.01 * k);
        }
        const ney_matrix m = {.rows = ROWS, .cols = 1, .dense = x};
        if (ney_data_new(&rows[k], NULL, &m, y, NULL, NULL) != NEY_OK) {
            return -1;
        }
    }
    return ney_data_write(rows[0], NULL, cache, NEY_FORMAT_CACHE, NULL) == NEY_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    ney_data_free(rows[0]);
    ney_data_free(rows[1]);
    remove(cache);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_costs),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
