/* Paths with every request for memory refused in turn, and stops at every poll. */
#include "support/counting.h"
#include "support/temp.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { ROWS = 14 };

static ney_data *training;

static ney_status use_path(const void *what, const ney_env *env, ney_error *err)
{
    ney_path *p = (ney_path *)(uintptr_t)1;
    ney_model *m = NULL;
    ney_status st = ney_path_new_with(&p, env, training, what, err);
    assert_true((st == NEY_OK) == (p != NULL));
    if (st == NEY_OK &&
        (st = ney_path_follow(p, (ney_cost_pair){0, 0}, (ney_cost_pair){3, 4}, NULL, err)) ==
            NEY_OK &&
        (st = ney_path_follow(p, (ney_cost_pair){1.5, 2}, (ney_cost_pair){3.5, 0}, NULL, err)) ==
            NEY_OK) {
        st = ney_path_model(&m, p, (ney_cost_pair){3, 0.5}, err);
        assert_true((st == NEY_OK) == (m != NULL));
    }
    ney_model_free(m);
    ney_path_free(p);
    return st;
}

static ney_status use_file(const void *what, const ney_env *env, ney_error *err)
{
    ney_path *p = (ney_path *)(uintptr_t)1;
    ney_model *m = NULL;
    ney_status st = ney_path_read(&p, env, what, err);
    assert_true((st == NEY_OK) == (p != NULL));
    if (st == NEY_OK && (st = ney_path_write(p, temp_path("again.path"), err)) == NEY_OK) {
        st = ney_path_model(&m, p, (ney_cost_pair){1, 1}, err);
    }
    ney_model_free(m);
    ney_path_free(p);
    return st;
}

static ney_train_opts options(int kernel, double cache)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_params_init(p, n, &o);
    o.kernel = (ney_kernel_kind)kernel;
    o.gamma = kernel == NEY_KERNEL_LINEAR ? o.gamma : 1;
    o.cache = cache;
    return o;
}

static void memory_of_paths(void **state)
{
    (void)state;
    const ney_train_opts kept = options(NEY_KERNEL_RBF, 10), fresh = options(NEY_KERNEL_POLY, 1e-6);
    sweep_memory("rows kept", use_path, &kept);
    sweep_memory("rows when asked for", use_path, &fresh);
    assert_true(sweep_polls("rows kept", use_path, &kept, false) > 10);
}

static void memory_of_files(void **state)
{
    (void)state;
    const ney_train_opts o = options(NEY_KERNEL_RBF, 10);
    ney_path *p = NULL;
    const ney_choice choice = {{1, 1}, 0.5, 0.1, 0.9};
    assert_int_equal(ney_path_new_with(&p, NULL, training, &o, NULL), NEY_OK);
    assert_int_equal(ney_path_follow(p, (ney_cost_pair){0, 0}, (ney_cost_pair){2, 2}, NULL, NULL),
                     NEY_OK);
    assert_int_equal(ney_path_set_choices(p, &choice, 1, 0.5, NULL), NEY_OK);
    assert_int_equal(ney_path_write(p, temp_path("a.path"), NULL), NEY_OK);
    ney_path_free(p);
    sweep_memory("file", use_file, temp_path("a.path"));
}

/* An exploration asks for memory some thousand times: every 41st refusal will do. */
static void memory_of_exploration(void **state)
{
    (void)state;
    ney_explore_opts with_valid, with_splits;
    int64_t n;
    const ney_param *params = ney_explore_params(&n);
    ney_params_init(params, n, &with_valid);
    with_valid.regular = 0;
    with_valid.scaling = NEY_SCALING_STANDARD;
    with_splits = with_valid;
    with_splits.splits = 2;
    for (int64_t at = 0;; at += 41) {
        counting c = {.refuse_at = at, .refuse_on = at % 2 == 0, .stop_at = -1};
        const ney_env env = counting_env(&c);
        const ney_train_opts o = options(NEY_KERNEL_LINEAR, 10);
        ney_exploration *found = (ney_exploration *)(uintptr_t)1;
        ney_error err = {0};
        const ney_status st = at % 3 == 0 ? ney_explore_with(&found, &env, training, training,
                                                             training, &o, &with_valid, &err)
                                          : ney_explore_with(&found, &env, training, NULL, training,
                                                             &o, &with_splits, &err);
        assert_true((st == NEY_OK) == (found != NULL));
        ney_exploration_free(found);
        assert_int_equal(c.live, 0);
        if (c.refused == 0) {
            if (st != NEY_OK) {
                fail_msg("%s", err.message);
            }
            if (at % 3 != 0) {
                break;
            }
        }
        assert_true(st == NEY_ENOMEM ||
                    st == NEY_OK); /* what is only a convenience is done without */
    }
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
        cmocka_unit_test(memory_of_paths),
        cmocka_unit_test(memory_of_files),
        cmocka_unit_test(memory_of_exploration),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
