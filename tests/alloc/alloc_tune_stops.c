/* Tuning of a kernel with every request refused in turn; tuning that is stopped at every poll. */
#define TABLE_FILE "alloc.tune_stops.tsv"
#include "alloc/tune_use.h"

static void memory_of_rbf(void **state)
{
    ney_train_opts rbf = options(NEY_KERNEL_RBF, NEY_METHOD_CONVEX, NAN);
    (void)state;
    rbf.gamma = 0.5;
    sweep_memory("tune, rbf, convex", use_tune, &rbf);
    remove(table_file);
}

static void stops_of_tuning(void **state)
{
    const ney_train_opts both = options(NEY_KERNEL_LINEAR, NEY_METHOD_AUTO, NAN); /* two searches */
    (void)state;
    assert_true(sweep_polls("tune, both methods", use_tune, &both, true) > 4);
    remove(table_file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_rbf),
        cmocka_unit_test(stops_of_tuning),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
