/* The methods beside Neyman-Pearson with every request refused in turn and stops at every poll. */
#include "alloc/rate_data.h"

static ney_status use_train(const void *what, const ney_env *env, ney_error *err)
{
    ney_model *m = (ney_model *)(uintptr_t)1;
    const ney_status st = ney_train(&m, env, training, what, NULL, err);
    assert_true((st == NEY_OK) == (m != NULL));
    ney_model_free(m);
    return st;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_methods),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
