/* Leaving rows out for a while: a part holds what it should, and the end is as with all rows. */
#include "qp/part.h"

#include "qp/solver.h"
#include "support/cmocka_all.h"
#include "support/counting.h"
#include "support/random_qp.h"

#include <math.h>
#include <stdlib.h>
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

enum { ROWS = 5000, COLS = 4 };

static const ney_kernel rbf = {.kind = NEY_KERNEL_RBF, .gamma = 1};

static float x[ROWS * COLS];
static double low[ROWS], high[ROWS], slope[ROWS];

static ney_qp make_problem(double C)
{
    for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int c = 0; c < COLS; c++) {
            x[i * COLS + c] = (float)(1.5 * sin(1 + i * (c + 1.7) + 0.3 * c));
            sum += (double)x[i * COLS + c];
        }
        slope[i] = sum + 1.2 * sin(i * 12.9898) > 0.4 ? 1 : -1;
        low[i] = slope[i] > 0 ? 0 : -C;
        high[i] = slope[i] > 0 ? C : 0;
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
} solved;

static void solve(solved *s, int threads, const ney_qp *p, double tol, double budget)
{
    const ney_matrix m = {.rows = ROWS, .cols = COLS, .dense = x};
    const ney_qp_opts o = {.tol = tol};
    ney_env env = ney_env_default();
    ney_solver solver;
    env.threads = threads;
    memset(s, 0, sizeof *s);
    assert_int_equal(ney_solver_init(&solver, &env, &m, &rbf, budget, NULL), NEY_OK);
    assert_int_equal(ney_solver_run(&solver, p, &o, s->v, s->f, &s->info, NULL), NEY_OK);
    ney_solver_deinit(&solver);
    assert_feasible(p, s->v, "smo", 0);
    assert_int_equal(s->info.stop, NEY_STOP_CONVERGED);
    assert_true(s->info.violation <= tol);
}

/* A hard problem in little memory. */
static void test_exact_at_the_end(void **state)
{
    static solved all, part, threads;
    const ney_qp p = make_problem(100);
    const ney_matrix m = {.rows = ROWS, .cols = COLS, .dense = x};
    (void)state;
    solve(&all, 1, &p, 1e-3, 1e9);
    solve(&part, 1, &p, 1e-3, 0);
    solve(&threads, 3, &p, 1e-3, 0);
    assert_int_equal(all.info.parts, 0);
    assert_true(part.info.parts > 0);
    assert_true(4 * part.info.rounds <=
                5 * all.info.rounds); /* what the part found is taken over */
    assert_memory_equal(part.v, threads.v, sizeof part.v);
    assert_memory_equal(part.f, threads.f, sizeof part.f);
    assert_true(fabs(part.info.dual - all.info.dual) <= 1e-5 * all.info.dual);
    for (int64_t i = 0; i < ROWS; i += 100) {
        long double f = 0, size = 0;
        for (int64_t j = 0; j < ROWS; j++) {
            f += part.v[j] != 0 ? (long double)part.v[j] * ref_kernel(&m, i, j, &rbf) : 0;
            size += fabsl((long double)part.v[j]);
        }
        assert_true(fabsl(f - (long double)part.f[i]) < 1e-7L * size);
    }
}

static ney_status solve_counted(solved *s, counting *c, const ney_qp *p)
{
    const ney_matrix m = {.rows = ROWS, .cols = COLS, .dense = x};
    const ney_qp_opts o = {.tol = 1e-3};
    const ney_env env = counting_env(c);
    ney_solver solver;
    memset(s, 0, sizeof *s);
    ney_status st = ney_solver_init(&solver, &env, &m, &rbf, 0, NULL);
    if (st == NEY_OK) {
        st = ney_solver_run(&solver, p, &o, s->v, s->f, &s->info, NULL);
        ney_solver_deinit(&solver);
    }
    return st;
}

/* Memory refused, or a stop, while rows are left out: the last requests and polls are in the part.
 */
static void test_trouble_within_a_part(void **state)
{
    static solved s;
    const ney_qp p = make_problem(100);
    const ney_matrix m = {.rows = ROWS, .cols = COLS, .dense = x};
    counting full = {.refuse_at = -1, .stop_at = -1};
    (void)state;
    assert_int_equal(solve_counted(&s, &full, &p), NEY_OK);
    assert_int_equal(full.live, 0);
    const int64_t parts = s.info.parts;
    assert_true(parts > 0);
    for (int64_t back = 1; back <= 100; back += 33) {
        counting c = {.refuse_at = full.requests - back, .stop_at = -1};
        assert_int_equal(solve_counted(&s, &c, &p), NEY_ENOMEM);
        assert_int_equal(c.live, 0);
    }
    counting c = {.refuse_at = -1, .stop_at = full.polls - 5};
    assert_int_equal(solve_counted(&s, &c, &p), NEY_OK);
    assert_int_equal(s.info.stop, NEY_STOP_CANCELLED);
    assert_int_equal(s.info.parts, parts);
    assert_feasible(&p, s.v, "stopped", 0);
    for (int64_t i = 0; i < ROWS; i += 500) {
        long double f = 0, size = 0;
        for (int64_t j = 0; j < ROWS; j++) {
            f += s.v[j] != 0 ? (long double)s.v[j] * ref_kernel(&m, i, j, &rbf) : 0;
            size += fabsl((long double)s.v[j]);
        }
        assert_true(fabsl(f - (long double)s.f[i]) < 1e-7L * size);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_part_holds_its_rows),
        cmocka_unit_test(test_exact_at_the_end),
        cmocka_unit_test(test_trouble_within_a_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
