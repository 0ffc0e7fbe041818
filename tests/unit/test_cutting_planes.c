/* Weights of planes are optimal by the conditions of [PLANE.1], however dependent the planes are.
 */
#include "learn/baseline/cutting_planes.h"

#include "linalg/vector.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"

#include <math.h>
#include <stdlib.h>

enum { COLS = 4, MOST = 30 };

/* Planes of which some are copies, combinations or nothing at all, a few added at a time. */
static void check(rnd *r, ney_planes *p, double budget, double tol)
{
    static double psi[MOST][COLS];
    p->n = 1;
    p->weight[0] = budget;
    p->loss[0] = p->gram[0] = 0;
    while (p->n < MOST) {
        for (int64_t more = 1 + (int64_t)(4 * rnd_unit(r)); more > 0 && p->n < MOST; more--) {
            const int64_t i = p->n++;
            const bool copy = i > 2 && rnd_chance(r, 0.3);
            for (int c = 0; c < COLS; c++) {
                psi[i][c] = copy ? (psi[i - 1][c] + psi[i - 2][c]) / 2
                                 : (rnd_chance(r, 0.1) ? 0 : rnd_unit(r) - 0.3);
            }
            p->loss[i] = rnd_unit(r);
            p->weight[i] = 0;
            for (int64_t j = 0; j <= i; j++) {
                const double g = j == 0 ? 0 : ney_dot(psi[i], psi[j], COLS);
                p->gram[i * NEY_MOST_PLANES + j] = p->gram[j * NEY_MOST_PLANES + i] = g;
            }
        }
        ney_planes_solve(p, tol, INT64_MAX);
        double w[COLS] = {0}, sum = 0, most = -INFINITY, least = INFINITY;
        for (int64_t i = 0; i < p->n; i++) {
            assert_true(p->weight[i] >= 0);
            sum += p->weight[i];
            for (int c = 0; c < COLS && i > 0; c++) {
                w[c] += p->weight[i] * psi[i][c];
            }
        }
        for (int64_t i = 0; i < p->n; i++) {
            const double g = i == 0 ? 0 : p->loss[i] - ney_dot(psi[i], w, COLS);
            most = fmax(most, g);
            least = p->weight[i] > 0 ? fmin(least, g) : least;
        }
        assert_true(fabs(sum - budget) <= 1e-9 * budget);
        assert_true(most - least <= tol + 1e-9 * budget);
    }
}

static void test_conditions_hold(void **state)
{
    static double gram[NEY_MOST_PLANES * MOST], vectors[3 * NEY_MOST_PLANES];
    rnd r = rnd_new(71);
    ney_planes p = {.gram = gram,
                    .loss = vectors,
                    .weight = vectors + NEY_MOST_PLANES,
                    .gradient = vectors + (ptrdiff_t)2 * NEY_MOST_PLANES,
                    .workspace = malloc((size_t)ney_planes_workspace() * sizeof(double))};
    (void)state;
    for (int64_t k = 0; k < test_times(100); k++) {
        check(&r, &p, pow(10, 4 * rnd_unit(&r) - 1), 1e-6);
    }
    assert_true(p.moves < test_times(100) * MOST * 20); /* it does not creep */
    free(p.workspace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conditions_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
