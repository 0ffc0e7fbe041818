/* Training under a false-discovery rate that is stopped at every poll: it gives the best model so
 * far, or says that it was cancelled. */
#include "alloc/fdr_data.h"

static void stops_of_fdr(void **state)
{
    ney_train_opts o = fdr_options();
    (void)state;
    assert_true(sweep_polls("linear", use_train, &o, true) > 3);
    o.network[0] = 2;
    o.max_iter = 2;
    assert_true(sweep_polls("network", use_train, &o, true) > 3);
    o.method = NEY_METHOD_ONLINE;
    o.max_iter = 0;
    o.epochs = 1;
    assert_true(sweep_polls("online", use_train, &o, true) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops_of_fdr),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
