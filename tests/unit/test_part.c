/* Leaving rows out for a while: a part holds what it should, and the end is as with all rows. */
#include "qp/part.h"

#include "support/cmocka_all.h"
#include "support/part_problem.h"
#include "support/random_qp.h"
#include "support/share.h"

#include <math.h>
#include <string.h>

static void test_part_holds_its_rows(void **state)
{
    static random_qp q;
    const ney_env env = ney_env_default();
    (void)state;
    for (int64_t t = 1; t <= 40; t++) {
        ney_rng r = {(uint64_t)t};
        random_qp_make(&q, &r, -1, 1);
        const ney_matrix x = random_qp_matrix(&q, t % 2 == 0);
        const ney_qp p = random_qp_problem(&q);
        bool in[QP_ROWS];
        int64_t k = 0;
        ney_part part;
        for (int64_t i = 0; i < q.rows; i++) {
            in[i] = ney_rng_below(&r, 3) > 0;
        }
        assert_int_equal(ney_part_init(&part, &env, &x, &p, in, NULL), NEY_OK);
        ney_part_load(&part, q.first, q.slope_low);
        for (int64_t i = 0; i < q.rows; i++) {
            if (in[i]) {
                assert_int_equal(part.row[k], i);
                assert_true(part.p.low[k] == q.low[i] && part.p.middle[k] == q.middle[i]);
                assert_true(part.p.high[k] == q.high[i] && part.p.slope_low[k] == q.slope_low[i]);
                assert_true(part.p.slope_high[k] == q.slope_high[i]);
                assert_true(part.v[k] == q.first[i] && part.f[k] == q.slope_low[i]);
                const ney_kernel linear = {.kind = NEY_KERNEL_LINEAR};
                for (int64_t a = 0; a <= k; a++) {
                    assert_true(ref_kernel(&part.x, k, a, &linear) ==
                                ref_kernel(&x, i, part.row[a], &linear));
                }
                k++;
            }
        }
        assert_int_equal(part.p.n, k);
        assert_int_equal(part.x.rows, k);
        ney_part_deinit(&part);
    }
}

static part_problem problem;

static void solve(part_solution *s, int threads, double budget)
{
    const double tol = 1e-3;
    const ney_qp_opts o = {.tol = tol};
    ney_env env = ney_env_default();
    ney_solver solver;
    env.threads = threads;
    memset(s, 0, sizeof *s);
    assert_int_equal(ney_solver_init(&solver, &env, &problem.matrix, &problem.kernel, budget, NULL),
                     NEY_OK);
    assert_int_equal(ney_solver_run(&solver, &problem.qp, &o, s->v, s->f, &s->info, NULL), NEY_OK);
    ney_solver_deinit(&solver);
    assert_feasible(&problem.qp, s->v, "smo", 0);
    assert_int_equal(s->info.stop, NEY_STOP_CONVERGED);
    assert_true(s->info.violation <= tol);
}

/* A hard problem in little memory. Under a sanitizer one number of threads. */
static void test_exact_at_the_end(void **state)
{
    static part_solution all, part, threads;
    (void)state;
    part_problem_make(&problem);
    solve(&all, 1, 1e9);
    solve(&part, 3, 0);
    assert_int_equal(all.info.parts, 0);
    assert_true(part.info.parts > 0);
    assert_true(4 * part.info.rounds <=
                5 * all.info.rounds); /* what the part found is taken over */
    if (test_share(4) == test_times(4)) {
        solve(&threads, 1, 0);
        assert_memory_equal(part.v, threads.v, sizeof part.v);
        assert_memory_equal(part.f, threads.f, sizeof part.f);
    }
    assert_true(fabs(part.info.dual - all.info.dual) <= 1e-5 * all.info.dual);
    part_problem_check(&problem, &part, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_part_holds_its_rows),
        cmocka_unit_test(test_exact_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
