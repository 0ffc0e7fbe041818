/* Both linear solvers as a whole: reproducible, stoppable, restartable. Every test runs twice: with
 * few columns (Newton steps) and with empty ones added (coordinate descent). */
#include "base/parallel.h"
#include "linalg/rows.h"
#include "qp/dcd.h"
#include "qp/linear.h"
#include "support/cmocka_all.h"
#include "support/random_qp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3000, COLS = 6, WIDE = QP_WIDE }; /* several blocks of rows */

static const bool narrow = false, wide = true; /* the states of a test */

static float x[ROWS * COLS];
static double low[ROWS], high[ROWS], slope[ROWS];
static int32_t column[ROWS * COLS];
static int64_t start[ROWS + 1];

static ney_qp make_problem(double C)
{
    for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int c = 0; c < COLS; c++) {
            column[i * COLS + c] = c;
            x[i * COLS + c] = (float)sin(1 + i * (c + 1.7) + 0.3 * c);
            sum += (double)x[i * COLS + c];
        }
        start[i + 1] = (int64_t)(i + 1) * COLS;
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
    double v[ROWS], f[ROWS], w[WIDE];
    ney_qp_info info;
} solved;

/* Whatever stops it: a feasible point, w = X'v, f = Xw, and a true certificate. */
static void solve(solved *s, const ney_env *env, const ney_qp *p, const ney_qp_opts *o,
                  bool is_wide)
{
    const ney_matrix few = {.rows = ROWS, .cols = COLS, .dense = x};
    const ney_matrix many = {
        .rows = ROWS, .cols = WIDE, .start = start, .index = column, .value = x};
    const ney_matrix m = is_wide ? many : few;
    ney_env with_team = *env;
    ney_team team;
    long double w[COLS] = {0}, square = 0, gain = 0, loss = 0;
    ney_team_begin(&team, &with_team);
    ney_linear_qp q = {.env = with_team, .x = &m, .p = p, .o = o, .v = s->v, .f = s->f, .w = s->w};
    assert_int_equal(ney_linear_solve(&q, &s->info, NULL), NEY_OK);
    ney_team_end(&team);
    assert_feasible(p, s->v, "linear", 0);
    for (int i = 0; i < ROWS; i++) {
        for (int c = 0; c < COLS; c++) {
            w[c] += (long double)s->v[i] * (long double)x[i * COLS + c];
        }
        gain += (long double)s->v[i] * (long double)slope[i];
    }
    for (int c = 0; c < COLS; c++) {
        assert_true(fabsl(w[c] - (long double)s->w[c]) < 1e-10L * (1 + fabsl(w[c])));
        square += w[c] * w[c];
    }
    for (int i = 0; i < ROWS; i++) {
        const double score = ney_row_dot(&m, i, s->w, COLS) + s->info.intercept;
        assert_true(fabs(score - s->info.intercept - s->f[i]) < 1e-12 * (1 + fabs(s->f[i])));
        loss += (high[i] - low[i]) * fmax(0, 1 - slope[i] * score);
    }
    assert_true(fabsl(gain - square / 2 - s->info.dual) < 1e-10L * (1 + gain));
    assert_true(fabsl(square / 2 + loss - s->info.primal) < 1e-10L * (1 + loss));
    assert_true(s->info.dual <= s->info.primal * (1 + 1e-14));
}

static void test_threads_leave_no_trace(void **state)
{
    static solved first, other;
    const ney_qp p = make_problem(1);
    const ney_qp_opts o = {.tol = 1e-4};
    ney_env env = ney_env_default();
    const bool is_wide = *(const bool *)*state;
    env.threads = 1;
    memset(&first, 0, sizeof first);
    solve(&first, &env, &p, &o, is_wide);
    assert_int_equal(first.info.stop, NEY_STOP_CONVERGED);
    for (int threads = 2; threads <= 5; threads++) {
        env.threads = threads;
        memset(&other, 0, sizeof other);
        solve(&other, &env, &p, &o, is_wide);
        assert_memory_equal(first.v, other.v, sizeof first.v);
        assert_memory_equal(first.w, other.w, sizeof first.w);
        assert_true(first.info.intercept == other.info.intercept);
    }
}

static void test_warm_start(void **state)
{
    static solved cold, warm;
    ney_qp p = make_problem(1);
    const ney_qp_opts o = {.tol = 1e-6};
    const ney_env env = ney_env_default();
    const bool is_wide = *(const bool *)*state;
    memset(&cold, 0, sizeof cold);
    solve(&cold, &env, &p, &o, is_wide);
    p = make_problem(0.9);
    memcpy(&warm, &cold, sizeof warm);
    solve(&warm, &env, &p, &o, is_wide);
    memset(&cold, 0, sizeof cold);
    solve(&cold, &env, &p, &o, is_wide);
    assert_true(fabs(warm.info.dual - cold.info.dual) <= 1e-6 * cold.info.dual);
    assert_int_equal(warm.info.stop, NEY_STOP_CONVERGED);
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
    ney_env env = ney_env_default();
    int polls = 0;
    const bool is_wide = *(const bool *)*state;
    memset(&s, 0, sizeof s);
    solve(&s, &env, &p, &(ney_qp_opts){.tol = 1e-9, .max_iter = 3}, is_wide);
    assert_int_equal(s.info.stop, NEY_STOP_ITERATIONS);
    assert_int_equal(s.info.iterations, 3);
    memset(&s, 0, sizeof s);
    solve(&s, &env, &p, &(ney_qp_opts){.tol = 1e-9, .max_time = 1e-9}, is_wide);
    assert_int_equal(s.info.stop, NEY_STOP_TIME);
    env.user = &polls;
    env.poll = stop_at_second;
    memset(&s, 0, sizeof s);
    solve(&s, &env, &p, &(ney_qp_opts){.tol = 1e-9}, is_wide);
    assert_int_equal(s.info.stop, NEY_STOP_CANCELLED);
}

static bool count_polls(void *user, const ney_progress *progress)
{
    assert_true(progress->done == (double)++*(int *)user);
    return true;
}

/* Coordinate descent makes as many passes as it reports and is allowed; where those before it have
 * used all, none. */
static void test_passes_are_counted(void **state)
{
    static solved s;
    const ney_qp p = make_problem(10);
    ney_env env = ney_env_default();
    int polls = 0;
    (void)state;
    env.user = &polls;
    env.poll = count_polls;
    for (int most = 1; most <= 4; most++) {
        polls = 0;
        memset(&s, 0, sizeof s);
        solve(&s, &env, &p, &(ney_qp_opts){.tol = 1e-9, .max_iter = 10 + most, .spent = 10}, wide);
        assert_int_equal(s.info.stop, NEY_STOP_ITERATIONS);
        assert_int_equal(s.info.iterations, most);
        assert_int_equal(polls, most);
    }
    polls = 0;
    memset(&s, 0, sizeof s);
    solve(&s, &env, &p, &(ney_qp_opts){.tol = 1e-9, .max_iter = 10, .spent = 10}, wide);
    assert_int_equal(s.info.stop, NEY_STOP_ITERATIONS);
    assert_int_equal(s.info.iterations, 0);
    assert_int_equal(polls, 0);
    for (int i = 0; i < ROWS; i++) {
        assert_true(s.v[i] == 0);
    }
    memset(&s, 0, sizeof s);
    solve(&s, &env, &p, &(ney_qp_opts){.tol = 1e300}, wide); /* one pass meets this */
    assert_int_equal(s.info.stop, NEY_STOP_CONVERGED);
    assert_int_equal(s.info.iterations, 1);
}

/* Rows left out of a pass may be the only ones that can bring the sum to zero; small boxes need a
 * large penalty; and a rounded sum must not push variables off their bounds. Each of these once
 * kept a run from its end. */
static void test_few_passes_are_enough(void **state)
{
    static random_qp q;
    ney_env env = ney_env_default();
    const ney_qp_opts o = {.tol = 1e-6, .max_iter = 2000000};
    const bool is_wide = *(const bool *)*state;
    env.threads = 1;
    for (int64_t t = 1; t <= 300; t++) {
        double v[QP_ROWS], f[QP_ROWS], w[QP_WIDE];
        ney_rng r = {(uint64_t)t};
        ney_qp_info info;
        random_qp_make(&q, &r, t % 2 ? -1 : -6, t % 2 ? 1 : -4);
        const ney_matrix m = is_wide ? random_qp_wide(&q) : random_qp_matrix(&q, t % 3 == 0);
        const ney_qp p = random_qp_problem(&q);
        memcpy(v, q.first, sizeof v);
        ney_linear_qp problem = {.env = env, .x = &m, .p = &p, .o = &o, .v = v, .f = f, .w = w};
        assert_int_equal(ney_linear_solve(&problem, &info, NULL), NEY_OK);
        if (info.stop != NEY_STOP_CONVERGED) {
            fail_msg("seed %lld: stop %d after %lld passes", (long long)t, (int)info.stop,
                     (long long)info.iterations);
        }
    }
}

/* Boxes that differ by factors of 1000 and nearly parallel columns: some dozen Newton steps, where
 * coordinate descent needs 200,000 passes. */
static void test_hard_costs(void **state)
{
    static solved s;
    ney_qp p = make_problem(100);
    const ney_env env = ney_env_default();
    const bool is_wide = *(const bool *)*state;
    for (int i = 0; i < ROWS; i++) {
        float *const row = x + (int64_t)i * COLS;
        row[1] = row[0] + 1e-2f * row[1];
        low[i] *= i % 3 == 0 ? 1e-3 : 1;
        high[i] *= i % 5 == 0 ? 1e-3 : 1;
    }
    memset(&s, 0, sizeof s);
    solve(&s, &env, &p, &(ney_qp_opts){.tol = 1e-3}, is_wide);
    assert_int_equal(s.info.stop, NEY_STOP_CONVERGED);
    assert_true(s.info.iterations < 200);
    assert_true(s.info.primal - s.info.dual < 1e-4 * s.info.primal);
}

/* Pairs of opposite labels that differ little, each by another amount: one coordinate at a time
 * needs 600 passes, pairs solved at once 180. Some boxes bind, some do not. */
static void test_nearly_equal_rows(void **state)
{
    enum { PAIRS = WIDE / 2, N = 2 * PAIRS };
    static float value[2 * N];
    static double v[N], f[N], w[WIDE], box[N];
    const ney_env env = ney_env_default();
    const ney_qp_opts o = {.tol = 1e-6};
    ney_qp_info info;
    (void)state;
    for (int i = 0; i < N; i++) {
        const int pair = i / 2;
        slope[i] = i % 2 ? -1 : 1;
        box[i] = i % 14 < 2 ? 5 : 2000;
        low[i] = i % 2 ? -box[i] : 0;
        high[i] = i % 2 ? 0 : box[i];
        start[i + 1] = 2 * (int64_t)(i + 1);
        column[2 * i] = pair;
        column[2 * i + 1] = PAIRS + pair;
        value[2 * i] = 1;
        value[2 * i + 1] = (float)(slope[i] * (0.025 + 0.2 * fabs(sin(pair))));
    }
    const ney_matrix m = {.rows = N, .cols = WIDE, .start = start, .index = column, .value = value};
    const ney_qp p = {
        .n = N, .low = low, .middle = high, .high = high, .slope_low = slope, .slope_high = slope};
    ney_linear_qp q = {.env = env, .x = &m, .p = &p, .o = &o, .v = v, .f = f, .w = w};
    assert_int_equal(ney_linear_solve(&q, &info, NULL), NEY_OK);
    assert_int_equal(info.stop, NEY_STOP_CONVERGED);
    assert_feasible(&p, v, "pairs", 0);
    for (int i = 0; i < N; i++) { /* of symmetric pairs, each by itself: w = (0, s), s = margin */
        const double d = 0.025 + 0.2 * fabs(sin(i / 2));
        const double best = fmin(box[i], 1 / (2 * d * d));
        assert_true(fabs(fabs(v[i]) - best) <= 1e-3 * best);
    }
    assert_true(info.iterations < 250);
}

/* Four rows are a block: afterwards none of them can gain, whatever bounds were met on the way. */
static void test_a_block_is_solved(void **state)
{
    enum { N = 4, FEW = 3 };
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        ney_rng r = {seed};
        float rows[N * FEW];
        double v[N], f[N], w[FEW] = {0};
        int64_t active[N];
        ney_dcd_item item[N];
        const ney_matrix m = {.rows = N, .cols = FEW, .dense = rows};
        const ney_qp p = {.n = N};
        ney_linear_qp q = {.env = ney_env_default(), .x = &m, .p = &p, .v = v, .f = f, .w = w};
        ney_dcd d = {.q = &q, .item = item, .active = active, .n_active = N, .rho = 0.5};
        for (int k = 0; k < N * FEW; k++) {
            rows[k] = (float)(ney_rng_unit(&r) - 0.3);
        }
        for (int i = 0; i < N; i++) {
            const double size = 0.2 + 2 * ney_rng_unit(&r);
            const bool up = i % 2;
            active[i] = i;
            item[i] = (ney_dcd_item){.low = up ? 0 : -size,
                                     .middle = up ? size : 0,
                                     .high = up ? size : 0,
                                     .slope_low = up ? 1 : -1,
                                     .slope_high = up ? 1 : -1,
                                     .curve = ney_row_square(&m, i) + d.rho};
        }
        assert_true(ney_dcd_solve_block(&d, 1e-9));
        for (int i = 0; i < N; i++) {
            const ney_qp own = ney_dcd_alone(&item[i]);
            const double level = ney_row_dot(&m, i, w, FEW) + d.rho * d.sum;
            assert_true(item[i].v >= item[i].low && item[i].v <= item[i].high);
            assert_true(ney_qp_up(&own, 0, item[i].v) - level < 1e-8);
            assert_true(ney_qp_down(&own, 0, item[i].v) - level > -1e-8);
        }
    }
}

static void test_impossible_tolerance_ends(void **state)
{
    static random_qp q;
    ney_env env = ney_env_default();
    const ney_qp_opts o = {.tol = 1e-300};
    int given_up = 0;
    const bool is_wide = *(const bool *)*state;
    env.threads = 1;
    for (int64_t t = 1; t <= 30; t++) {
        double v[QP_ROWS], f[QP_ROWS], w[QP_WIDE];
        ney_rng r = {(uint64_t)t};
        ney_qp_info info;
        random_qp_make(&q, &r, -1, 1);
        const ney_matrix m = is_wide ? random_qp_wide(&q) : random_qp_matrix(&q, false);
        const ney_qp p = random_qp_problem(&q);
        memcpy(v, q.first, sizeof v);
        ney_linear_qp problem = {.env = env, .x = &m, .p = &p, .o = &o, .v = v, .f = f, .w = w};
        assert_int_equal(ney_linear_solve(&problem, &info, NULL), NEY_OK);
        assert_true(info.stop == NEY_STOP_CONVERGED || info.stop == NEY_STOP_PRECISION);
        assert_feasible(&p, v, "linear", t);
        given_up += info.stop == NEY_STOP_PRECISION;
    }
    assert_true(given_up > 0);
}

int main(void)
{
#define TWICE(test)                                                                                \
    cmocka_unit_test_prestate(test, (void *)(uintptr_t)&narrow),                                   \
        cmocka_unit_test_prestate(test, (void *)(uintptr_t)&wide)
    const struct CMUnitTest tests[] = {
        TWICE(test_threads_leave_no_trace),
        TWICE(test_warm_start),
        TWICE(test_stops),
        TWICE(test_few_passes_are_enough),
        TWICE(test_impossible_tolerance_ends),
        cmocka_unit_test(test_passes_are_counted),
        cmocka_unit_test(test_nearly_equal_rows),
        cmocka_unit_test(test_a_block_is_solved),
        cmocka_unit_test_prestate(test_hard_costs, (void *)(uintptr_t)&narrow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
