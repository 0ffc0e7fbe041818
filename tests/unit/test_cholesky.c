/* A factor that grows and shrinks, against one computed afresh. */
#include "linalg/cholesky.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"

#include <math.h>
#include <string.h>

enum { MOST = 12, STRIDE = 15 };

/* k(i, j) of a definite matrix that needs no storage. */
static double entry(int64_t i, int64_t j)
{
    return exp(-0.1 * (double)((i - j) * (i - j))) + (i == j ? 0.5 : 0);
}

static void assert_factor(const double *l, const int64_t *id, int64_t n, const char *when)
{
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++) {
            double product = 0;
            for (int64_t k = 0; k <= j; k++) {
                product += l[i * STRIDE + k] * l[j * STRIDE + k];
            }
            if (fabs(product - entry(id[i], id[j])) > 1e-12) {
                fail_msg("%s: (%d, %d) is %g, expected %g", when, (int)i, (int)j, product,
                         entry(id[i], id[j]));
            }
        }
    }
}

static void test_append_and_remove(void **state)
{
    double l[MOST * STRIDE], k[MOST], room[2 * MOST];
    int64_t id[MOST], n = 0, next = 0;
    rnd r = rnd_new(3);
    (void)state;
    for (int step = 0; step < 400; step++) {
        if (n == 0 || (n < MOST && rnd_chance(&r, 0.6))) {
            for (int64_t j = 0; j < n; j++) {
                k[j] = entry(next, id[j]);
            }
            const double rest = ney_cholesky_append(l, STRIDE, n, k, entry(next, next), 1e-12);
            assert_true(rest > 0);
            id[n++] = next++;
            assert_factor(l, id, n, "after a row more");
        } else {
            const int64_t at = rnd_below(&r, n);
            ney_cholesky_remove(l, STRIDE, n, at, room);
            memmove(id + at, id + at + 1, (size_t)(n - at - 1) * sizeof *id);
            n--;
            assert_factor(l, id, n, "after a row less");
        }
    }
}

static void test_solve_within(void **state)
{
    double l[MOST * STRIDE], k[MOST], x[MOST];
    (void)state;
    for (int64_t n = 0; n < MOST; n++) {
        for (int64_t j = 0; j < n; j++) {
            k[j] = entry(n, j);
        }
        (void)ney_cholesky_append(l, STRIDE, n, k, entry(n, n), 1e-12);
    }
    for (int64_t i = 0; i < MOST; i++) {
        x[i] = (double)(i % 5) - 2;
    }
    ney_cholesky_solve_within(l, STRIDE, MOST, x);
    for (int64_t i = 0; i < MOST; i++) {
        double product = 0;
        for (int64_t j = 0; j < MOST; j++) {
            product += entry(i, j) * x[j];
        }
        assert_true(fabs(product - ((double)(i % 5) - 2)) < 1e-11);
    }
}

/* A row that depends on the others is kept apart from them by what it is given. */
static void test_dependent_row(void **state)
{
    double l[4 * 4] = {0}, k = 4;
    (void)state;
    assert_true(ney_cholesky_append(l, 4, 0, NULL, 4, 1e-6) == 4);
    assert_true(ney_cholesky_append(l, 4, 1, &k, 4, 1e-6) == 0);
    assert_true(l[4] == 2 && fabs(l[5] - 1e-3) < 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_append_and_remove),
        cmocka_unit_test(test_solve_within),
        cmocka_unit_test(test_dependent_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
