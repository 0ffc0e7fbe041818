/* Certified training with the linear kernel, on populations with known rates: the true rate exceeds
 * the bound no more often than stated, with ties, with weights, for either error. 300 draws show an
 * error rate of 0.13 where 0.05 is stated; those of `make test-long`, 6000, one of 0.07. */
#include "support/certified.h"
#include "support/cmocka_all.h"

#include <math.h>

static void fpr(ney_train_opts *o)
{
    o->max_fpr = 0.2;
    o->tol = 0.01;
}

static void fnr(ney_train_opts *o)
{
    o->max_fnr = 0.2;
    o->tol = 0.01;
}

static void convex(ney_train_opts *o)
{
    fpr(o);
    o->method = NEY_METHOD_CONVEX;
}

/* 29 of 40 rows: P(Binomial(29, 0.2) <= 1) = 0.013; 22: P(<= 1) = 0.048, close to what is stated.
 */
static void share(ney_train_opts *o)
{
    convex(o);
    o->holdout = 0.55;
}

static void certified_linear(void **state)
{
    static const certified_claim claims[] = {
        {"train --max-fpr 0.2, linear", fpr, 500, false, 40, 25, 300, 0.3},
        {"train --max-fnr 0.2, linear", fnr, 500, false, 25, 40, 300, 0.3},
        {"train --max-fpr 0.2, convex", convex, 500, false, 40, 25, 300, 0.3},
        {"train --max-fpr 0.2, level 0.048", share, 500, false, 40, 25, 300, 0.3},
        {"train --max-fpr 0.2, ties (8 points)", convex, 8, false, 40, 25, 300, 0.1},
        {"train --max-fpr 0.2, weights", convex, 500, true, 40, 25, 300, 0.3},
    };
    (void)state;
    for (size_t k = 0; k < sizeof claims / sizeof *claims; k++) {
        certified_check(&claims[k], 9100 + k, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(certified_linear)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
