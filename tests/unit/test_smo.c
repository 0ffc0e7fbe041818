/* The kernel solver as a whole: reproducible, stoppable, restartable. */
#include "qp/solver.h"

#include "support/cmocka_all.h"
#include "support/random_qp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 1500, COLS = 5 }; /* more than a working set */

static const ney_kernel rbf = {.kind = NEY_KERNEL_RBF, .gamma = 0.5};

static float x[ROWS * COLS];
static double low[ROWS], high[ROWS], slope[ROWS];

static ney_matrix matrix(void)
{
    return (ney_matrix){.rows = ROWS, .cols = COLS, .dense = x};
}

/* Noisy hinge losses, positives three times as dear. */
static ney_qp make_problem(double C)
{
    for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int c = 0; c < COLS; c++) {
            x[i * COLS + c] = (float)sin(1 + i * (c + 1.7) + 0.3 * c);
            sum += (double)x[i * COLS + c];
        }
        slope[i] = sum + sin(i * 12.9898) > 0.4 ? 1 : -1;
        low[i] = slope[i] > 0 ? 0 : -C;
        high[i] = slope[i] > 0 ? 3 * C : 0;
    }
    return (ney_qp){.n = ROWS,
                    .low = low,
                    .middle = high,
                    .high = high,
                    .slope_low = slope,
                    .slope_high = slope};
}

typedef struct solved {
    double v[ROWS], f[ROWS];
    ney_qp_info info;
    int64_t computed;
} solved;

static void solve_within(solved *s, const ney_env *env, const ney_qp *p, const ney_qp_opts *o,
                         double budget)
{
    const ney_matrix m = matrix();
    ney_solver solver;
    assert_int_equal(ney_solver_init(&solver, env, &m, &rbf, budget, NULL), NEY_OK);
    assert_int_equal(ney_solver_run(&solver, p, o, s->v, s->f, &s->info, NULL), NEY_OK);
    s->computed = solver.gram.computed;
    ney_solver_deinit(&solver);
    assert_feasible(p, s->v, "smo", 0);
}

static void solve(solved *s, const ney_env *env, const ney_qp *p, const ney_qp_opts *o)
{
    solve_within(s, env, p, o, 1e9);
}

/* As long as no rows are left out for want of memory (test_part.c), not even the cache shows. */
static void test_threads_and_cache_leave_no_trace(void **state)
{
    static solved first, other;
    const ney_qp p = make_problem(10);
    const ney_qp_opts o = {.tol = 1e-3};
    ney_env env = ney_env_default();
    (void)state;
    env.threads = 1;
    memset(&first, 0, sizeof first);
    solve(&first, &env, &p, &o);
    assert_int_equal(first.info.stop, NEY_STOP_CONVERGED);
    assert_true(first.computed <= ROWS); /* all rows fit: none twice */
    static const double budget[] = {1e9, 0, 4e6, 0};
    static const int threads[] = {5, 1, 2, 3};
    for (int k = 0; k < 4; k++) {
        memset(&other, 0, sizeof other);
        env.threads = threads[k];
        solve_within(&other, &env, &p, &o, budget[k]);
        assert_memory_equal(first.v, other.v, sizeof first.v);
        assert_memory_equal(first.f, other.f, sizeof first.f);
        assert_true(first.info.intercept == other.info.intercept);
        assert_int_equal(first.info.iterations, other.info.iterations);
    }
}

/* Primal and dual from v and the data alone, in long double. */
static void test_gap_recomputed(void **state)
{
    static solved s;
    static long double f[ROWS];
    const ney_matrix m = matrix();
    const ney_qp p = make_problem(1);
    const ney_qp_opts o = {.tol = 1e-3};
    const ney_env env = ney_env_default();
    long double quadratic = 0, gain = 0, loss = 0;
    (void)state;
    memset(&s, 0, sizeof s);
    solve(&s, &env, &p, &o);
    for (int j = 0; j < ROWS; j++) {
        for (int i = 0; s.v[j] != 0 && i < ROWS; i++) {
            f[i] += (long double)s.v[j] * ref_kernel(&m, i, j, &rbf);
        }
    }
    for (int i = 0; i < ROWS; i++) {
        quadratic += (long double)s.v[i] * f[i];
        gain += (long double)s.v[i] * (long double)slope[i];
        loss += (slope[i] > 0 ? 3 : 1) * fmaxl(0, 1 - slope[i] * (f[i] + s.info.intercept));
        assert_true(fabsl(f[i] - (long double)s.f[i]) < 1e-4L);
    }
    const long double dual = gain - quadratic / 2, primal = quadratic / 2 + loss;
    assert_true(dual <= primal && primal - dual < 1e-3L * primal);
    assert_true(fabsl(dual - s.info.dual) < 1e-5L * dual);
    assert_true(fabsl(primal - s.info.primal) < 1e-5L * primal);
}

/* From its own answer there is nothing to do; from a near one, less than from nothing. */
static void test_warm_start(void **state)
{
    static solved cold, warm;
    ney_qp p = make_problem(10);
    const ney_qp_opts o = {.tol = 1e-3};
    const ney_env env = ney_env_default();
    (void)state;
    memset(&cold, 0, sizeof cold);
    solve(&cold, &env, &p, &o);
    memcpy(&warm, &cold, sizeof warm);
    solve(&warm, &env, &p, &o);
    assert_true(warm.info.iterations <= cold.info.iterations / 20);
    assert_true(fabs(warm.info.dual - cold.info.dual) <= 1e-5 * cold.info.dual);
    p = make_problem(9); /* boxes that the point does not fit */
    memcpy(&warm, &cold, sizeof warm);
    solve(&warm, &env, &p, &o);
    memset(&cold, 0, sizeof cold);
    solve(&cold, &env, &p, &o);
    assert_true(warm.info.iterations < cold.info.iterations);
    assert_true(fabs(warm.info.dual - cold.info.dual) <= 1e-3 * cold.info.dual);
}

/* One problem after another: what is known of the point before is not computed again, and what is
 * carried on stays true. */
static void test_the_next_problem_begins_where_the_last_ended(void **state)
{
    static solved s;
    const ney_matrix m = matrix();
    const ney_qp_opts o = {.tol = 1e-3};
    const ney_env env = ney_env_default();
    ney_solver solver;
    ney_qp p = make_problem(10);
    (void)state;
    memset(&s, 0, sizeof s);
    assert_int_equal(ney_solver_init(&solver, &env, &m, &rbf, 0, NULL), NEY_OK);
    assert_int_equal(ney_solver_run(&solver, &p, &o, s.v, s.f, &s.info, NULL), NEY_OK);
    const int64_t computed = solver.gram.computed;
    assert_int_equal(ney_solver_run(&solver, &p, &o, s.v, s.f, &s.info, NULL), NEY_OK);
    assert_int_equal(solver.gram.computed, computed); /* nothing changed */
    assert_int_equal(s.info.iterations, 0);
    for (int k = 0; k < 30; k++) {
        p = make_problem(10 - 0.1 * k);
        assert_int_equal(ney_solver_run(&solver, &p, &o, s.v, s.f, &s.info, NULL), NEY_OK);
        assert_int_equal(s.info.stop, NEY_STOP_CONVERGED);
        assert_feasible(&p, s.v, "smo", k);
    }
    for (int64_t i = 0; i < ROWS; i += 10) {
        long double f = 0;
        for (int64_t j = 0; j < ROWS; j++) {
            f += s.v[j] != 0 ? (long double)s.v[j] * ref_kernel(&m, i, j, &rbf) : 0;
        }
        assert_true(fabsl(f - (long double)s.f[i]) < 1e-3L);
    }
    memset(s.v, 0, sizeof s.v); /* from elsewhere: from nothing */
    assert_int_equal(ney_solver_run(&solver, &p, &o, s.v, s.f, &s.info, NULL), NEY_OK);
    static solved fresh;
    memset(&fresh, 0, sizeof fresh);
    solve(&fresh, &env, &p, &o);
    assert_true(fabs(s.info.dual - fresh.info.dual) <= 1e-4 * fresh.info.dual);
    ney_solver_deinit(&solver);
}

/* One solver, tolerances by turns: rows of the right kind each time, and the bits of a new one. */
static void test_tolerance_may_change(void **state)
{
    static solved fresh, next;
    const ney_matrix m = matrix();
    const ney_qp p = make_problem(1);
    const ney_env env = ney_env_default();
    static const double tol[] = {1e-3, 1e-7, 1e-7, 1e-2};
    ney_solver solver;
    (void)state;
    assert_int_equal(ney_solver_init(&solver, &env, &m, &rbf, 1e9, NULL), NEY_OK);
    for (int k = 0; k < 4; k++) {
        const ney_qp_opts o = {.tol = tol[k]};
        const int64_t before = k == 2 ? solver.gram.computed : 0;
        memset(&next, 0, sizeof next);
        memset(&fresh, 0, sizeof fresh);
        assert_int_equal(ney_solver_run(&solver, &p, &o, next.v, next.f, &next.info, NULL), NEY_OK);
        solve(&fresh, &env, &p, &o);
        assert_int_equal(next.info.stop, NEY_STOP_CONVERGED);
        assert_true(next.info.violation <= tol[k]);
        assert_memory_equal(next.v, fresh.v, sizeof next.v);
        assert_true(k != 2 || solver.gram.computed == before); /* the rows of the run before */
        for (int64_t i = 0; tol[k] < 1e-5 && i < ROWS; i += 50) {
            long double f = 0;
            for (int64_t j = 0; j < ROWS; j++) {
                f += (long double)next.v[j] * ref_kernel(&m, i, j, &rbf);
            }
            assert_true(fabsl(f - (long double)next.f[i]) < 1e-11L);
        }
    }
    ney_solver_deinit(&solver);
}

static bool stop_at_second(void *user, const ney_progress *progress)
{
    assert_string_equal(progress->stage, "training");
    return ++*(int *)user < 2;
}

static void test_stops(void **state)
{
    static solved s;
    const ney_qp p = make_problem(10);
    ney_qp_opts o = {.tol = 1e-3, .max_iter = 7};
    ney_env env = ney_env_default();
    int polls = 0;
    (void)state;
    memset(&s, 0, sizeof s);
    solve(&s, &env, &p, &o);
    assert_int_equal(s.info.stop, NEY_STOP_ITERATIONS);
    assert_int_equal(s.info.iterations, 7);
    assert_true(s.info.dual > 0 && s.info.dual <= s.info.primal && isfinite(s.info.primal));

    o = (ney_qp_opts){.tol = 1e-3, .max_time = 1e-9};
    memset(&s, 0, sizeof s);
    solve(&s, &env, &p, &o);
    assert_int_equal(s.info.stop, NEY_STOP_TIME);

    env.user = &polls;
    env.poll = stop_at_second;
    o.max_time = 0;
    memset(&s, 0, sizeof s);
    solve(&s, &env, &p, &o);
    assert_int_equal(s.info.stop, NEY_STOP_CANCELLED);
    assert_true(s.info.dual > 0 && s.info.dual <= s.info.primal);
}

/* A starting point whose f takes many kernel rows is given up at a limit. */
static void test_a_distant_start_can_be_stopped(void **state)
{
    static solved s;
    const ney_qp p = make_problem(10);
    const ney_qp_opts o = {.tol = 1e-3};
    ney_env env = ney_env_default();
    int polls = 0;
    (void)state;
    env.user = &polls;
    env.poll = stop_at_second;
    for (int i = 0; i < ROWS; i++) {
        s.v[i] = (low[i] + high[i]) / 2;
    }
    solve(&s, &env, &p, &o);
    assert_int_equal(s.info.stop, NEY_STOP_CANCELLED);
    assert_int_equal(polls, 2);
    assert_true(s.computed < ROWS);
    assert_true(s.info.dual == 0 && s.info.primal > 0);
    for (int i = 0; i < ROWS; i++) {
        assert_true(s.v[i] == 0 && s.f[i] == 0);
    }
}

static void test_impossible_tolerance_ends(void **state)
{
    static random_qp q;
    const ney_env env = ney_env_default();
    const ney_qp_opts o = {.tol = 1e-300};
    int given_up = 0;
    (void)state;
    for (int64_t t = 1; t <= 30; t++) {
        double v[QP_ROWS], f[QP_ROWS];
        ney_rng r = {(uint64_t)t};
        ney_qp_info info;
        ney_solver solver;
        random_qp_make(&q, &r, -1, 1);
        const ney_matrix m = random_qp_matrix(&q, false);
        const ney_qp p = random_qp_problem(&q);
        memcpy(v, q.first, sizeof v);
        assert_int_equal(ney_solver_init(&solver, &env, &m, &rbf, 1e6, NULL), NEY_OK);
        assert_int_equal(ney_solver_run(&solver, &p, &o, v, f, &info, NULL), NEY_OK);
        ney_solver_deinit(&solver);
        assert_true(info.stop == NEY_STOP_CONVERGED || info.stop == NEY_STOP_PRECISION);
        assert_true(info.violation < 1e-9);
        given_up += info.stop == NEY_STOP_PRECISION;
        assert_feasible(&p, v, "smo", t);
    }
    assert_true(given_up > 0);
}

static void test_no_point_in_the_box(void **state)
{
    const double above[] = {1, 1}, top[] = {2, 2}, flat[] = {0, 0};
    const float one[] = {1, 2};
    const ney_matrix m = {.rows = 2, .cols = 1, .dense = one};
    const ney_qp p = {
        .n = 2, .low = above, .middle = top, .high = top, .slope_low = flat, .slope_high = flat};
    const ney_qp_opts o = {.tol = 1e-3};
    const ney_env env = ney_env_default();
    double v[2] = {0}, f[2];
    ney_qp_info info;
    ney_error err = {0};
    ney_solver solver;
    (void)state;
    assert_int_equal(ney_solver_init(&solver, &env, &m, &rbf, 0, NULL), NEY_OK);
    assert_int_equal(ney_solver_run(&solver, &p, &o, v, f, &info, &err), NEY_EINVAL);
    assert_non_null(strstr(err.message, "equality"));
    ney_solver_deinit(&solver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_and_cache_leave_no_trace),
        cmocka_unit_test(test_gap_recomputed),
        cmocka_unit_test(test_warm_start),
        cmocka_unit_test(test_the_next_problem_begins_where_the_last_ended),
        cmocka_unit_test(test_tolerance_may_change),
        cmocka_unit_test(test_stops),
        cmocka_unit_test(test_a_distant_start_can_be_stopped),
        cmocka_unit_test(test_impossible_tolerance_ends),
        cmocka_unit_test(test_no_point_in_the_box),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
