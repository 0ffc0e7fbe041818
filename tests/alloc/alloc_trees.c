/* Boosted trees with every request refused in turn and stops at every poll. */
#include "support/counting.h"
#include "support/share.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
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
    const counting *c = env->user;
    if (st == NEY_OK && c->stopped) {
        assert_int_equal(info.stop, NEY_STOP_CANCELLED);
    }
    ney_model_free(m);
    return st;
}

/* Some requests, each alone and with all later ones: a run is long, and most of its requests are
 * those of boosters, which the other runs refuse one by one. */
static void refuse_some(const ney_train_opts *o, int64_t n)
{
    counting c = {.refuse_at = -1, .stop_at = -1};
    ney_env env = counting_env(&c);
    assert_int_equal(use_train(o, &env, NULL), NEY_OK);
    const int64_t requests = c.requests;
    const int64_t times = test_share(n);
    for (int64_t k = 0; k < times; k++) {
        ney_error err = {0};
        c = (counting){.refuse_at = k * requests / times, .refuse_on = k % 2, .stop_at = -1};
        env = counting_env(&c);
        const ney_status st = use_train(o, &env, &err);
        assert_true(c.refused > 0 && (st == NEY_ENOMEM || st == NEY_OK));
        assert_int_equal(c.live, 0);
    }
}

static void test_every_refusal(void **state)
{
    static const char *const runs[] = {"lagrangian", "reject", "fdr"};
    (void)state;
    for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
        ney_train_opts o;
        int64_t n;
        const ney_param *const p = ney_train_params(&n);
        ney_error err = {0};
        ney_model *m;
        ney_params_init(p, n, &o);
        o.trees = 1;
        if (k == 1) {
            o.reject_cost = 0.2;
        } else if (k == 2) {
            o.max_fdr = "0.3";
        } else {
            o.max_fpr = 0.2;
            o.confidence = (double)NAN;
        }
        if (k == 0) {
            assert_int_equal(ney_params_set(p, n, &o, "method", runs[k], &err), NEY_OK);
        }
        if (ney_train(&m, NULL, training, &o, NULL, &err) != NEY_OK) {
            if (strstr(err.message, "needs libxgboost")) {
                skip();
            }
            fail_msg("%s", err.message);
        }
        ney_model_free(m);
        if (k == 1) {
            sweep_memory(runs[k], use_train, &o);
        } else {
            refuse_some(&o, k == 0 ? 200 : 16);
        }
        if (k < 2) {
            (void)sweep_polls(runs[k], use_train, &o, true);
        }
    }
}

int main(void)
{
    static float x[ROWS * 2];
    static int8_t label[ROWS];
    for (int i = 0; i < ROWS; i++) {
        label[i] = i % 2 ? 1 : -1;
        x[2 * i] = (float)(i % 7) + (float)label[i];
        x[2 * i + 1] = (float)(i % 11);
    }
    const ney_matrix rows = {.rows = ROWS, .cols = 2, .dense = x};
    if (ney_data_new(&training, NULL, &rows, label, NULL, NULL) != NEY_OK ||
        ney_data_prepare(training, NEY_SCALING_NONE, NULL, 0, NULL) != NEY_OK) {
        return 1;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_refusal)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ney_data_free(training);
    return failed;
}
