/* Tuning that searches on a part of the rows and compares on all, with every request refused in
 * turn. */
#define TABLE_FILE "alloc_parts.tune.tsv"
#define SEARCH_ROWS 3
#include "alloc/tune_use.h"

static void memory_of_parts(void **state)
{
    const ney_train_opts linear = options(NEY_KERNEL_LINEAR, NEY_METHOD_CONVEX, NAN);
    (void)state;
    sweep_memory("tune, linear, on a part of the rows", use_tune, &linear);
    remove(table_file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_parts),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
