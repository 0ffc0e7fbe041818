/* Columns at scales from 1e-8 to 1e10 beside each other, offsets of a million times the spread,
 * repeated rows, contradictory labels: every breakpoint of a path is the optimum, or the path says
 * how far from it. The checker shares nothing with the tracer: it takes the weights and the
 * intercept of each model, and computes margins and the shortest subgradient in long double. */
#include "support/random_data.h"

#include <neyman/experimental.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_ROWS = 60, MOST_COLS = 4 };

typedef struct problem {
    int64_t n, cols;
    float x[MOST_ROWS * MOST_COLS];
    int8_t label[MOST_ROWS];
    double cost; /* both costs, where the line ends */
} problem;

static void make_problem(problem *p, rnd *r)
{
    const bool coarse = rnd_chance(r, 0.5), common = rnd_chance(r, 0.3);
    double scale[MOST_COLS], offset[MOST_COLS];
    p->n = 10 + rnd_below(r, MOST_ROWS - 9);
    p->cols = 1 + rnd_below(r, MOST_COLS);
    for (int64_t c = 0; c < p->cols; c++) {
        scale[c] = common && c > 0 ? scale[0] : pow(10, 18 * rnd_unit(r) - 8);
        offset[c] = rnd_chance(r, 0.3) ? pow(10, 6 * rnd_unit(r)) : 0;
    }
    for (int64_t i = 0; i < p->n; i++) {
        p->label[i] = i < 2 ? (int8_t)(2 * i - 1) : rnd_chance(r, 0.4) ? 1 : -1;
        for (int64_t c = 0; c < p->cols; c++) {
            const double u = 4 * rnd_unit(r) - 2 + 0.5 * p->label[i];
            p->x[i * p->cols + c] = (float)(((coarse ? round(u) : u) + offset[c]) * scale[c]);
        }
        if (i > 0 && rnd_chance(r, 0.2)) { /* an earlier row again, with whatever label */
            memcpy(p->x + i * p->cols, p->x + rnd_below(r, i) * p->cols,
                   (size_t)p->cols * sizeof *p->x);
        }
    }
    p->cost = pow(10, 4 * rnd_unit(r) - 2);
}

static ney_data *data_of(const problem *p)
{
    ney_data *d = NULL;
    const ney_matrix x = {.rows = p->n, .cols = p->cols, .dense = p->x};
    assert_int_equal(ney_data_new(&d, NULL, &x, p->label, NULL, NULL), NEY_OK);
    return d;
}

/* 1/2 |w|^2 + sum C_i max(0, 1 - z_i) */
static long double primal(const problem *p, const long double *w, long double b, ney_cost_pair c)
{
    long double sum = 0;
    for (int64_t k = 0; k < p->cols; k++) {
        sum += 0.5L * w[k] * w[k];
    }
    for (int64_t i = 0; i < p->n; i++) {
        long double z = b;
        for (int64_t k = 0; k < p->cols; k++) {
            z += w[k] * (long double)p->x[i * p->cols + k];
        }
        z *= p->label[i];
        sum += (p->label[i] > 0 ? c.plus : c.minus) * fmaxl(0, 1 - z);
    }
    return sum;
}

/* Rows in coordinates in which scores of the order 1 have weights of the order 1, about their mean:
 * u_i = y_i ((x_i - mean) / spread, 1), and the derivative of |w|^2 / 2 likewise. */
typedef struct scaled {
    long double u[MOST_ROWS][MOST_COLS + 1], w[MOST_COLS + 1], z[MOST_ROWS];
    long double mean[MOST_COLS], spread[MOST_COLS];
    long double largest; /* of the terms of a score */
} scaled;

static void scale_rows(const problem *p, const double *w, double b, scaled *s)
{
    s->largest = 1 + fabs(b);
    for (int64_t i = 0; i < p->n; i++) {
        s->z[i] = b;
        for (int64_t k = 0; k < p->cols; k++) {
            s->largest = fmaxl(s->largest, fabsl(w[k] * (long double)p->x[i * p->cols + k]));
            s->z[i] += (long double)w[k] * (long double)p->x[i * p->cols + k];
        }
        s->z[i] *= p->label[i];
        s->u[i][p->cols] = p->label[i];
    }
    s->w[p->cols] = 0;
    for (int64_t k = 0; k < p->cols; k++) {
        long double mean = 0, spread = 0;
        for (int64_t i = 0; i < p->n; i++) {
            mean += (long double)p->x[i * p->cols + k] / p->n;
        }
        for (int64_t i = 0; i < p->n; i++) {
            spread = fmaxl(spread, fabsl((long double)p->x[i * p->cols + k] - mean));
        }
        s->mean[k] = mean;
        s->spread[k] = spread;
        s->w[k] = spread > 0 ? w[k] / spread : 0;
        for (int64_t i = 0; i < p->n; i++) {
            const long double x = (long double)p->x[i * p->cols + k] - mean;
            s->u[i][k] = spread > 0 ? p->label[i] * x / spread : 0;
        }
    }
}

/* By how much the objective falls along the direction against the subgradient g, at most, over the
 * sum of all costs. */
static long double fall(const problem *p, const double *w, double b, ney_cost_pair c,
                        const scaled *s, const long double *g, long double costs)
{
    long double from[MOST_COLS], most = 0;
    for (int64_t k = 0; k < p->cols; k++) {
        from[k] = w[k];
    }
    const long double before = primal(p, from, b, c);
    for (int e = -40; e <= 8; e++) {
        long double to[MOST_COLS], shift = b - powl(10, e / 4.0L) * g[p->cols] / costs;
        for (int64_t k = 0; k < p->cols; k++) {
            const long double step =
                s->spread[k] > 0 ? powl(10, e / 4.0L) * g[k] / costs / s->spread[k] : 0;
            to[k] = from[k] - step;
            shift += step * s->mean[k];
        }
        most = fmaxl(most, before - primal(p, to, shift, c));
    }
    return most / costs;
}

/* What the shortest subgradient w - sum a_i u_i of the objective, 0 at the optimum and nowhere
 * else, leads down to. Rows left of the margin have a = C, right of it 0, and those on it, to
 * within the residual that the path states, what makes it shortest, one after
 * the other. */
static long double descent(const problem *p, const double *w, double b, ney_cost_pair c,
                           long double residual)
{
    static scaled s;
    long double g[MOST_COLS + 1], a[MOST_ROWS] = {0}, costs = 0;
    scale_rows(p, w, b, &s);
    const long double near = fmaxl(1e-13L * s.largest, 4 * residual);
    memcpy(g, s.w, sizeof g);
    for (int64_t i = 0; i < p->n; i++) {
        const long double cost = p->label[i] > 0 ? c.plus : c.minus;
        costs += cost;
        a[i] = s.z[i] < 1 - near ? cost : 0;
        for (int64_t k = 0; k <= p->cols; k++) {
            g[k] -= a[i] * s.u[i][k];
        }
    }
    int64_t margin[MOST_ROWS], m = 0;
    for (int64_t i = 0; i < p->n; i++) {
        if (fabsl(s.z[i] - 1) <= near) {
            margin[m++] = i;
        }
    }
    long double moved = costs;
    for (int sweep = 0; sweep < 100000 && moved > 1e-12L * costs; sweep++) {
        moved = 0;
        for (int64_t at = 0; at < m; at++) {
            const int64_t i = margin[at];
            const long double cost = p->label[i] > 0 ? c.plus : c.minus;
            long double along = 0, length = 0;
            for (int64_t k = 0; k <= p->cols; k++) {
                along += g[k] * s.u[i][k];
                length += s.u[i][k] * s.u[i][k];
            }
            const long double next = fminl(cost, fmaxl(0, a[i] + along / length));
            for (int64_t k = 0; k <= p->cols; k++) {
                g[k] -= (next - a[i]) * s.u[i][k];
            }
            moved = fmaxl(moved, fabsl(next - a[i]));
            a[i] = next;
        }
    }
    return fall(p, w, b, c, &s, g, costs);
}

static double metadata_number(const ney_model *m, const char *name)
{
    const char *key, *words;
    double value;
    for (int64_t k = 0; ney_model_metadata(m, NEY_METADATA_SUMMARY, k, &key, &value, &words); k++) {
        if (!words && strcmp(key, name) == 0) {
            return value;
        }
    }
    return (double)NAN;
}

/* A point, by its model alone: it is stationary, and the objective that the path states is the
 * primal value of these weights. */
static void check_point(const problem *p, ney_path *path, const ney_path_point *point, int64_t seed)
{
    ney_model *m = NULL;
    ney_error err;
    if (ney_path_model(&m, path, point->c, &err) != NEY_OK) {
        fail_msg("seed %lld: %s", (long long)seed, err.message);
    }
    double b;
    const double *w = ney_model_weights(m, &b);
    assert_true(metadata_number(m, "kkt_residual") <= NEY_PATH_RESIDUAL);
    assert_true(metadata_number(m, "converged") == 1);
    const long double down = descent(p, w, b, point->c, (long double)point->kkt_residual);
    long double exact[MOST_COLS];
    for (int64_t k = 0; k < p->cols; k++) {
        exact[k] = w[k];
    }
    const long double value = primal(p, exact, b, point->c);
    const long double costs = (long double)(point->c.plus + point->c.minus) * p->n;
    if (down > 1e-7L || fabsl(value - point->objective) > 1e-6L * costs) {
        fail_msg(
            "seed %lld at C %g of %g: descent %Lg, objective %.15g, primal %.15Lg, residual %g",
            (long long)seed, point->c.plus, p->cost, down, point->objective, value,
            point->kkt_residual);
    }
    ney_model_free(m);
}

static void prop_any_scale_is_solved(void **state)
{
    const int64_t runs = test_times(60);
    double worst = 0;
    int64_t points = 0, unsolved = 0;
    (void)state;
    for (int64_t seed = 1; seed <= runs; seed++) {
        problem p;
        rnd r = rnd_new((uint64_t)seed);
        ney_path *path = NULL;
        ney_error err;
        int64_t n;
        make_problem(&p, &r);
        ney_data *d = data_of(&p);
        assert_int_equal(ney_path_new_with(&path, NULL, d, NULL, NULL), NEY_OK);
        const ney_cost_pair to = {p.cost, p.cost};
        if (ney_path_follow(path, (ney_cost_pair){0, 0}, to, NULL, &err) != NEY_OK) {
            fail_msg("seed %lld: %s", (long long)seed, err.message);
        }
        const ney_path_point *point = ney_path_points(path, 0, &n);
        const bool solved = ney_path_residual(path) <= NEY_PATH_RESIDUAL;
        unsolved += !solved;
        worst = solved ? fmax(worst, ney_path_residual(path)) : worst;
        for (int64_t k = 1; solved && k < n; k += 1 + n / 12) {
            check_point(&p, path, &point[k], seed);
            points++;
        }
        if (solved) {
            check_point(&p, path, &point[n - 1], seed);
        }
        ney_path_free(path);
        ney_data_free(d);
    }
    print_message("%d points, worst residual %g, %d of %d paths unsolved, and say so\n",
                  (int)points, worst, (int)unsolved, (int)runs);
    assert_true(100 * unsolved <= runs); /* columns 1e18 apart, beyond 33 digits of products */
}

/* Columns about 3 whose numbers minus their mean are not float numbers: rows on the margin have
 * z = 1 to the digits of double, not of float. */
static void prop_shifts_are_exact(void **state)
{
    int64_t on_margin = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        problem p = {.n = MOST_ROWS, .cols = 2};
        rnd r = rnd_new(seed);
        ney_path *path = NULL;
        ney_model *m = NULL;
        double b;
        for (int64_t i = 0; i < p.n; i++) {
            p.label[i] = rnd_chance(&r, 0.4) ? 1 : -1;
            for (int64_t c = 0; c < p.cols; c++) {
                p.x[i * p.cols + c] = (float)(3 + 4 * rnd_unit(&r) - 2 + 0.5 * p.label[i]);
            }
        }
        ney_data *d = data_of(&p);
        const ney_cost_pair to = {1, 1};
        assert_int_equal(ney_path_new_with(&path, NULL, d, NULL, NULL), NEY_OK);
        assert_int_equal(ney_path_follow(path, (ney_cost_pair){0, 0}, to, NULL, NULL), NEY_OK);
        assert_int_equal(ney_path_model(&m, path, to, NULL), NEY_OK);
        const double *const w = ney_model_weights(m, &b);
        for (int64_t i = 0; i < p.n; i++) {
            const float *const x = p.x + i * p.cols;
            const long double z =
                p.label[i] * ((long double)b + (long double)w[0] * x[0] + (long double)w[1] * x[1]);
            on_margin += fabsl(z - 1) < 1e-11L;
            assert_true(fabsl(z - 1) < 1e-11L || fabsl(z - 1) > 1e-6L);
        }
        ney_model_free(m);
        ney_path_free(path);
        ney_data_free(d);
    }
    assert_true(on_margin >= 20);
}

static bool count_polls(void *user, const ney_progress *progress)
{
    *(int64_t *)user += strcmp(progress->stage, "following the path") == 0;
    return true;
}

/* Large costs: rounding leaves a residual that no second walk makes smaller. A point of a line is
 * taken up by its active set, without following any line. */
static void prop_points_are_restored(void **state)
{
    int64_t polls = 0, n, points = 0;
    double largest = 0;
    const ney_env env = {.user = &polls, .poll = count_polls};
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        problem p = {.n = MOST_ROWS, .cols = MOST_COLS};
        rnd r = rnd_new(seed);
        ney_path *path = NULL;
        for (int64_t i = 0; i < p.n; i++) {
            p.label[i] = rnd_chance(&r, 0.4) ? 1 : -1;
            for (int64_t c = 0; c < p.cols; c++) {
                p.x[i * p.cols + c] = (float)(4 * rnd_unit(&r) - 2 + 0.5 * p.label[i]);
            }
        }
        ney_data *d = data_of(&p);
        assert_int_equal(ney_path_new_with(&path, &env, d, NULL, NULL), NEY_OK);
        const ney_cost_pair to = {1e7, 1e7};
        assert_int_equal(ney_path_follow(path, (ney_cost_pair){0, 0}, to, NULL, NULL), NEY_OK);
        assert_true(polls > 0);
        polls = 0;
        const ney_path_point *point = ney_path_points(path, 0, &n);
        for (int64_t k = n / 2; k < n; k++) {
            ney_model *m = NULL;
            assert_int_equal(ney_path_model(&m, path, point[k].c, NULL), NEY_OK);
            assert_true(metadata_number(m, "kkt_residual") <= NEY_PATH_RESIDUAL / 10);
            largest = fmax(largest, metadata_number(m, "kkt_residual"));
            ney_model_free(m);
            points++;
        }
        assert_int_equal(polls, 0);
        ney_path_free(path);
        ney_data_free(d);
    }
    print_message("%d points, residual up to %g\n", (int)points, largest);
    assert_true(largest > 1e-8);
}

/* A kernel in double leaves scores of coefficients at 1e14 nothing: the path says so. */
static void prop_what_cannot_be_solved_is_reported(void **state)
{
    problem p;
    rnd r = rnd_new(7);
    ney_train_opts o;
    ney_path *path = NULL;
    ney_model *m = NULL;
    int64_t n_params;
    (void)state;
    make_problem(&p, &r);
    for (int64_t i = 0; i < p.n * p.cols; i++) { /* few values: contradictory labels */
        p.x[i] = (float)rnd_below(&r, 3);
    }
    ney_data *d = data_of(&p);
    const ney_param *params = ney_train_params(&n_params);
    ney_params_init(params, n_params, &o);
    o.kernel = NEY_KERNEL_RBF;
    o.gamma = 1;
    const ney_cost_pair to = {1e14, 1e14};
    assert_int_equal(ney_path_new_with(&path, NULL, d, &o, NULL), NEY_OK);
    assert_int_equal(ney_path_follow(path, (ney_cost_pair){0, 0}, to, NULL, NULL), NEY_OK);
    assert_true(ney_path_residual(path) > NEY_PATH_RESIDUAL);
    assert_int_equal(ney_path_model(&m, path, to, NULL), NEY_OK);
    assert_true(metadata_number(m, "converged") == 0);
    ney_model_free(m);
    ney_path_free(path);
    ney_data_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_any_scale_is_solved),
        cmocka_unit_test(prop_shifts_are_exact),
        cmocka_unit_test(prop_points_are_restored),
        cmocka_unit_test(prop_what_cannot_be_solved_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
