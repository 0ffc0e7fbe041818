/* The weights of learn/online/sgd.c against plain ones: every vector kept whole, every step written
 * out, the gradient of a network by differences. */
#include "support/cmocka_all.h"

#include "learn/online/sgd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLS = 5, ROWS = 7, UNITS = 3, MOST = (COLS + 1) * UNITS + UNITS + 1 };

/* Rows with zeros among them, dense and sparse. */
static float dense[ROWS * COLS], value[ROWS * COLS];
static int64_t start[ROWS + 1];
static int32_t entry[ROWS * COLS];

static void make_rows(void)
{
    int64_t n = 0;
    for (int i = 0; i < ROWS; i++) {
        for (int c = 0; c < COLS; c++) {
            const float v = (i * 7 + c * 3) % 4 == 0 ? 0 : (float)((i * 5 + c * 11) % 9 - 4) / 4;
            dense[i * COLS + c] = v;
            if (v != 0) {
                entry[n] = c;
                value[n++] = v;
            }
        }
        start[i + 1] = n;
    }
}

static ney_matrix matrix(bool sparse)
{
    return sparse ? (ney_matrix){.rows = ROWS,
                                 .cols = COLS,
                                 .start = start,
                                 .index = entry,
                                 .value = value}
                  : (ney_matrix){.rows = ROWS, .cols = COLS, .dense = dense};
}

/* p: weights as in sgd.h, then intercepts. */
static double plain_score(const double *p, int units, const float *x)
{
    const int n = units ? (COLS + 1) * units : COLS;
    double f = p[n + units];
    if (!units) {
        for (int c = 0; c < COLS; c++) {
            f += p[c] * (double)x[c];
        }
        return f;
    }
    for (int k = 0; k < units; k++) {
        double sum = p[n + k];
        for (int c = 0; c < COLS; c++) {
            sum += p[c * units + k] * (double)x[c];
        }
        f += p[COLS * units + k] * tanh(sum);
    }
    return f;
}

static void plain_gradient(const double *p, int units, const float *x, double *g)
{
    const int all = (units ? (COLS + 1) * units : COLS) + units + 1;
    for (int k = 0; k < all; k++) {
        double q[MOST];
        memcpy(q, p, sizeof q);
        q[k] = p[k] + 1e-5;
        const double up = plain_score(q, units, x);
        q[k] = p[k] - 1e-5;
        g[k] = (up - plain_score(q, units, x)) / 2e-5;
    }
}

/* The sum of all w where those of `every` visits are the last of them, without the shrinking since.
 */
static void add_weights(double *sum, const double *p, int n, double shrink, int every, int count)
{
    static double whole[MOST];
    double times = 0;
    for (int i = 0; i <= (count - 1) % every; i++) {
        times += pow(1 - shrink, -i);
    }
    if (count == 1) {
        memset(whole, 0, sizeof whole);
    }
    for (int k = 0; k < n; k++) {
        const int since = (count - 1) % every + 1;
        sum[k] = whole[k] + times * p[k];
        whole[k] = since == every ? sum[k] : whole[k];
    }
}

static void run(int units, bool sparse, double shrink, int every)
{
    const int n = units ? (COLS + 1) * units : COLS, all = n + units + 1;
    const ney_matrix x = matrix(sparse);
    const ney_env env = ney_env_default();
    double p[MOST] = {0}, g[MOST], sum[MOST] = {0}, w[MOST];
    int count = 0;
    ney_sgd s;

    const ney_network shape = {.cols = COLS, .units = {units}};
    assert_int_equal(ney_sgd_init(&s, &env, &shape, NULL), NEY_OK);
    assert_int_equal(s.n + s.m, all);
    ney_sgd_begin(&s, 3, 2);
    s.every = every;
    ney_sgd_average(&s, p, p + n); /* nothing was averaged yet: the weights themselves */
    for (int t = 0; t < 400; t++) {
        const int row = (t * 5) % ROWS;
        const float *at = dense + (ptrdiff_t)row * COLS;
        const double delta = t % 3 == 0 ? 0 : 0.05 * cos(t);
        if (t == 150) {
            ney_sgd_restart(&s);
            memset(sum, 0, sizeof sum);
            count = 0;
        }
        const double f = plain_score(p, units, at);
        assert_true(fabs(ney_sgd_score(&s, &x, row) - f) <= 1e-6);
        plain_gradient(p, units, at, g);
        double square = 0;
        for (int k = 0; k < all; k++) {
            square += g[k] * g[k];
        }
        assert_true(fabs(ney_sgd_square(&s, &x, row) - square) <= 1e-5 * (1 + square));
        ney_sgd_step(&s, &x, row, shrink, delta);
        for (int k = 0; k < all; k++) {
            /* a network's gradient is that of the weights before they shrink */
            p[k] = (k < n ? 1 - shrink : 1) * p[k] + delta * g[k];
        }
        count++;
        add_weights(sum, p, n, shrink, every, count);
        for (int k = n; k < all; k++) {
            sum[k] += p[k];
        }
    }
    ney_sgd_average(&s, w, w + n);
    for (int k = 0; k < all; k++) {
        if (fabs(w[k] - sum[k] / count) > 1e-6) {
            fail_msg("%d units, shrink %g, number %d: %g, expected %g", units, shrink, k, w[k],
                     sum[k] / count);
        }
    }
    double norm = 0;
    for (int k = 0; k < n; k++) {
        norm += p[k] * p[k];
    }
    assert_true(fabs(ney_sgd_norm(&s) - norm) <= 1e-6);
    ney_sgd_deinit(&s);
}

static void test_steps_and_averages_are_the_plain_ones(void **state)
{
    (void)state;
    make_rows();
    for (int sparse = 0; sparse < 2; sparse++) {
        run(0, sparse != 0, 0.01, 1);
        run(0, sparse != 0, 0.5, 1); /* the scale runs out of digits and is taken over */
        run(UNITS, sparse != 0, 0.01, 1);
        run(UNITS, sparse != 0, 0.2, 1);
    }
}

static void test_sums_of_sparse_rows_may_wait(void **state)
{
    (void)state;
    make_rows();
    run(0, true, 0.01, 2);
    run(0, true, 0.01, 16);
    run(0, true, 0.01, 512); /* as long as the run: the last weights */
}

/* Sums wait where rows are a small part of the columns, and epochs long enough for 128 sums. */
static void test_where_sums_wait(void **state)
{
    static const struct {
        double entries, visits;
        int64_t every;
    } cases[] = {{10, 102400, 512}, {10, 102399, 1}, {10, 1e9, 512},
                 {1, 1e9, 4096},    {1000, 1e9, 8},  {0, 1e9, 4096}};
    (void)state;
    const ney_env env = ney_env_default();
    const ney_network shape = {.cols = 1000};
    ney_sgd s;
    assert_int_equal(ney_sgd_init(&s, &env, &shape, NULL), NEY_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ney_sgd_average_lazily(&s, cases[i].entries, cases[i].visits);
        assert_int_equal(s.every, cases[i].every);
    }
    ney_sgd_deinit(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps_and_averages_are_the_plain_ones),
        cmocka_unit_test(test_sums_of_sparse_rows_may_wait),
        cmocka_unit_test(test_where_sums_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
