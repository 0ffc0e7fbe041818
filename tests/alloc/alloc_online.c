/* Online training with every request refused in turn and stops at every poll. */
#include "support/counting.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 40 };

static ney_data *training, *sparse, *fresh;
static const char cache[] = "alloc_online.ney";

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

static ney_status use_sparse(const void *what, const ney_env *env, ney_error *err)
{
    ney_model *m = (ney_model *)(uintptr_t)1;
    const ney_status st = ney_train(&m, env, sparse, what, NULL, err);
    assert_true((st == NEY_OK) == (m != NULL));
    ney_model_free(m);
    return st;
}

static ney_status use_cache(const void *what, const ney_env *env, ney_error *err)
{
    ney_model *m = (ney_model *)(uintptr_t)1;
    const ney_status st =
        ney_train_cache(&m, env, cache, NULL, NEY_SCALING_STANDARD, what, NULL, err);
    assert_true((st == NEY_OK) == (m != NULL));
    ney_model_free(m);
    return st;
}

static ney_status use_update(const void *what, const ney_env *env, ney_error *err)
{
    ney_model *m = (ney_model *)(uintptr_t)1;
    const ney_status st = ney_update(&m, env, what, fresh, NULL, NULL, err);
    assert_true((st == NEY_OK) == (m != NULL));
    ney_model_free(m);
    return st;
}

/* Rows compared with those of a model, which gets some more. */
static ney_status use_reuse(const void *what, const ney_env *env, ney_error *err)
{
    const ney_model *const given = what;
    ney_model *m = NULL;
    ney_data *rows = NULL;
    ney_reuse reuse;
    char *text = NULL;
    size_t n;
    int8_t seen[ROWS];
    assert_int_equal(ney_model_format(given, &text, &n, NULL), NEY_OK);
    ney_status st = ney_model_parse(&m, env, "given", text, n, err);
    if (st == NEY_OK &&
        (st = ney_data_new(&rows, env, ney_data_matrix(fresh), ney_data_label(fresh), NULL, err)) ==
            NEY_OK &&
        (st = ney_model_find_reuse(m, rows, seen, &reuse, err)) == NEY_OK &&
        (st = ney_model_add_training_rows(m, rows, err)) == NEY_OK) {
        st = ney_data_find_reuse(training, rows, &reuse, err);
    }
    ney_model_text_free(given, text);
    ney_data_free(rows);
    ney_model_free(m);
    return st;
}

static ney_train_opts options(int64_t network, int64_t features, double confidence)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_params_init(p, n, &o);
    o.method = NEY_METHOD_ONLINE;
    o.max_fpr = 0.2;
    o.epochs = 2;
    o.network[0] = network;
    o.features = features;
    o.confidence = confidence;
    return o;
}

static void memory_of_online(void **state)
{
    const ney_train_opts linear = options(0, 0, NAN), network = options(3, 0, NAN);
    const ney_train_opts features = options(0, 8, 0.9);
    ney_train_opts resumed = linear;
    ney_model *m = NULL;
    (void)state;
    sweep_memory("linear", use_train, &linear);
    sweep_memory("network", use_train, &network);
    sweep_memory("network, sparse rows", use_sparse, &network);
    sweep_memory("features, certified", use_train, &features);
    sweep_memory("from a cache", use_cache, &features);
    assert_true(sweep_polls("linear", use_train, &linear, true) > 2);
    resumed.checkpoint = "alloc_online.point";
    sweep_memory("with a checkpoint", use_train, &resumed);
    resumed.resume = true; /* from the end of the last run */
    sweep_memory("resumed", use_train, &resumed);
    remove(resumed.checkpoint);
    assert_int_equal(ney_train(&m, NULL, training, &network, NULL, NULL), NEY_OK);
    sweep_memory("learning on", use_update, m);
    sweep_memory("rows used in training", use_reuse, m);
    ney_model_free(m);
    assert_int_equal(ney_train(&m, NULL, training, &features, NULL, NULL), NEY_OK);
    sweep_memory("learning on", use_update, m);
    ney_model_free(m);
}

static int set_up(void **state)
{
    enum { APART = 9 }; /* columns from one entry to the next */
    static float x[2 * ROWS], moved[2 * ROWS];
    static int8_t y[ROWS];
    static int32_t index[ROWS];
    static int64_t start[ROWS + 1];
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        y[i] = i % 3 == 0 ? 1 : -1;
        x[2 * (size_t)i] = (float)(sin(5.3 * i) + 0.7 * y[i]);
        x[2 * (size_t)i + 1] = (float)cos(3.1 * i);
        moved[2 * (size_t)i] = x[2 * (size_t)i] + 0.01F;
        moved[2 * (size_t)i + 1] = x[2 * (size_t)i + 1];
        index[i] = i % 5 * APART;
        start[i + 1] = i + 1;
    }
    const ney_matrix m = {.rows = ROWS, .cols = 2, .dense = x};
    const ney_matrix few = {
        .rows = ROWS, .cols = (int64_t)5 * APART, .start = start, .index = index, .value = x};
    const ney_matrix other = {.rows = ROWS, .cols = 2, .dense = moved};
    return ney_data_new(&training, NULL, &m, y, NULL, NULL) == NEY_OK &&
                   ney_data_new(&fresh, NULL, &other, y, NULL, NULL) == NEY_OK &&
                   ney_data_new(&sparse, NULL, &few, y, NULL, NULL) == NEY_OK &&
                   ney_data_write(training, NULL, cache, NEY_FORMAT_CACHE, NULL) == NEY_OK
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    (void)state;
    ney_data_free(training);
    ney_data_free(sparse);
    ney_data_free(fresh);
    remove(cache);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_online),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
