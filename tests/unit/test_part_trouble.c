/* Memory refused, or a stop, while rows are left out: the last requests and polls are in the part.
 */
#include "support/cmocka_all.h"
#include "support/counting.h"
#include "support/part_problem.h"
#include "support/random_qp.h"
#include "support/share.h"

#include <string.h>

static part_problem problem;

static ney_status solve_counted(part_solution *s, counting *c)
{
    const ney_qp_opts o = {.tol = 1e-3};
    const ney_env env = counting_env(c);
    ney_solver solver;
    memset(s, 0, sizeof *s);
    ney_status st = ney_solver_init(&solver, &env, &problem.matrix, &problem.kernel, 0, NULL);
    if (st == NEY_OK) {
        st = ney_solver_run(&solver, &problem.qp, &o, s->v, s->f, &s->info, NULL);
        ney_solver_deinit(&solver);
    }
    return st;
}

static void test_trouble_within_a_part(void **state)
{
    static part_solution s;
    counting full = {.refuse_at = -1, .stop_at = -1};
    (void)state;
    part_problem_make(&problem);
    assert_int_equal(solve_counted(&s, &full), NEY_OK);
    assert_int_equal(full.live, 0);
    const int64_t parts = s.info.parts, refusals = test_share(4);
    assert_true(parts > 0);
    for (int64_t k = 0; k < refusals; k++) {
        const int64_t back = 1 + 99 * k / refusals;
        counting c = {.refuse_at = full.requests - back, .stop_at = -1};
        assert_int_equal(solve_counted(&s, &c), NEY_ENOMEM);
        assert_int_equal(c.live, 0);
    }
    if (refusals < test_times(4)) { /* the stop is for the other builds: 6 s per solution here */
        return;
    }
    counting c = {.refuse_at = -1, .stop_at = full.polls - 5};
    assert_int_equal(solve_counted(&s, &c), NEY_OK);
    assert_int_equal(s.info.stop, NEY_STOP_CANCELLED);
    assert_int_equal(s.info.parts, parts);
    assert_feasible(&problem.qp, s.v, "stopped", 0);
    part_problem_check(&problem, &s, 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trouble_within_a_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
