/* Tuning of a linear model with every request refused in turn. */
#define TABLE_FILE "alloc.tune.tsv"
#include "alloc/tune_use.h"

static void memory_of_linear(void **state)
{
    const ney_train_opts linear = options(NEY_KERNEL_LINEAR, NEY_METHOD_ANNEALED, 0.8);
    (void)state;
    sweep_memory("tune, linear, certified", use_tune, &linear);
    remove(table_file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_linear),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
