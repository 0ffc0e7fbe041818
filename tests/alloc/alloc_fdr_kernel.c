/* Training of kernels under a false-discovery rate with every request refused in turn. */
#include "alloc/fdr_data.h"

static void memory_of_rbf(void **state)
{
    ney_train_opts o = fdr_options();
    (void)state;
    o.kernel = NEY_KERNEL_RBF;
    sweep_memory("rbf", use_train, &o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_rbf),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
