/* Weights files of Percolator, with memory refused at every request. */
#include "support/counting.h"

#include <neyman/experimental.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char weights[] = "# comment\nalpha\tbeta\tm0\n1\t2\t3\n0.5\t-1\t2\n"
                              "alpha\tbeta\tm0\n1\t2\t3\n1.5\t1\t0\n";

static ney_status use_weights(const void *what, const ney_env *env, ney_error *err)
{
    static const char path[] = "alloc_percolator.txt";
    ney_model *m = NULL;
    (void)what;
    ney_status st = ney_model_parse(&m, env, "weights", weights, strlen(weights), err);
    assert_true((st == NEY_OK) == (m != NULL));
    if (st == NEY_OK) {
        double intercept;
        const double *const w = ney_model_weights(m, &intercept);
        assert_true(w[0] == 1 && w[1] == 0 && intercept == 1);
        st = ney_model_export_percolator(m, path, err);
    }
    ney_model_free(m);
    unlink(path);
    return st;
}

static void memory_of_weights(void **state)
{
    (void)state;
    sweep_memory("weights", use_weights, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_of_weights)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
