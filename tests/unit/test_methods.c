/* The methods that Neyman-Pearson training is compared with, judged by enumeration. */
#include <neyman/experimental.h>

#include <math.h>
#include <string.h>

#include "linalg/tridiagonal.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"

enum { ROWS = 60, SMALL = 8 };

static ney_train_opts options(int method)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_params_init(p, n, &o);
    o.confidence = (double)NAN; /* the bound holds on the training rows */
    o.method = (ney_method)method;
    o.max_fpr = 0.1;
    return o;
}

/* Rows in the plane; the classes differ in mean and spread. */
static ney_data *plane(rnd *r, int n, float *x, int8_t *y, double shift)
{
    const ney_matrix m = {.rows = n, .cols = 2, .dense = x};
    ney_data *d;
    for (int i = 0; i < n; i++) {
        const double a = rnd_unit(r) + rnd_unit(r) - 1, b = rnd_unit(r) - 0.5;
        y[i] = i % 2 ? 1 : -1;
        x[2 * (size_t)i] = (float)(y[i] > 0 ? a + shift : 0.5 * a + 0.3 * b);
        x[2 * (size_t)i + 1] = (float)(y[i] > 0 ? b + 0.5 * a + 0.2 : b);
    }
    assert_int_equal(ney_data_new(&d, NULL, &m, y, NULL, NULL), NEY_OK);
    return d;
}

/* ---- generative */

static void moments(const float *x, const int8_t *y, int n, int sign, double mean[2], double s[3])
{
    double m = 0;
    memset(mean, 0, 2 * sizeof *mean);
    memset(s, 0, 3 * sizeof *s);
    for (int i = 0; i < n; i++) {
        if (y[i] == sign) {
            m++;
            mean[0] += x[2 * (size_t)i];
            mean[1] += x[2 * (size_t)i + 1];
        }
    }
    mean[0] /= m;
    mean[1] /= m;
    for (int i = 0; i < n; i++) {
        if (y[i] == sign) {
            const double a = x[2 * (size_t)i] - mean[0], b = x[2 * (size_t)i + 1] - mean[1];
            s[0] += a * a / m;
            s[1] += a * b / m;
            s[2] += b * b / m;
        }
    }
}

/* J of [GEN.1] in direction w, with what the ridge adds. */
static double value(const double w[2], const double *mp, const double *sp, const double *mn,
                    const double *sn, double ridge, double kappa, double *minus)
{
    const double norm = ridge * (w[0] * w[0] + w[1] * w[1]);
    const double mean = w[0] * (mp[0] - mn[0]) + w[1] * (mp[1] - mn[1]);
    const double plus =
        sqrt(w[0] * w[0] * sp[0] + 2 * w[0] * w[1] * sp[1] + w[1] * w[1] * sp[2] + norm);
    *minus = sqrt(w[0] * w[0] * sn[0] + 2 * w[0] * w[1] * sn[1] + w[1] * w[1] * sn[2] + norm);
    return (mean - kappa * *minus) / plus;
}

static void check_generative(rnd *r, int method, bool exchange, double shift)
{
    float x[2 * ROWS];
    int8_t y[ROWS];
    ney_data *d = plane(r, ROWS, x, y, shift);
    ney_train_opts o = options(method);
    ney_train_info info;
    ney_model *m;
    double mp[2], sp[3], mn[2], sn[3], minus, b, best = -INFINITY;
    const int sign = exchange ? -1 : 1;
    const bool normal = method == NEY_METHOD_GENERATIVE;
    o.C = 2;
    if (exchange) {
        o.max_fnr = o.max_fpr;
        o.max_fpr = NAN;
    }
    assert_int_equal(ney_train(&m, NULL, d, &o, &info, NULL), NEY_OK);
    moments(x, y, ROWS, sign, mp, sp);
    moments(x, y, ROWS, -sign, mn, sn);
    const double kappa = normal ? 1.2815515655446004 : 3, ridge = 1.0 / (2 * ROWS);
    for (int k = 0; k < 20000; k++) { /* every direction there is */
        const double w[2] = {cos(k * M_PI / 10000), sin(k * M_PI / 10000)};
        best = fmax(best, value(w, mp, sp, mn, sn, ridge, kappa, &minus));
    }
    const double *w = ney_model_weights(m, &b);
    const double own[2] = {sign * w[0], sign * w[1]};
    const double J = value(own, mp, sp, mn, sn, ridge, kappa, &minus);
    if (!(J >= best - 1e-6)) {
        fail_msg("method %d, exchange %d, shift %g: J = %.9g, the best direction has %.9g", method,
                 exchange, shift, J, best);
    }
    assert_true(fabs(sign * b + own[0] * mn[0] + own[1] * mn[1] + kappa * minus) < 1e-6);
    const double expected = normal ? 0.5 * erfc(J / sqrt(2)) : J > 0 ? 1 / (1 + J * J) : 1;
    assert_true(fabs(info.objective - expected) < 1e-6);
    ney_model_free(m);
    ney_data_free(d);
}

static void test_generative_is_the_best_direction(void **state)
{
    rnd r = rnd_new(51);
    (void)state;
    for (int k = 0; k < 10; k++) {
        for (int method = NEY_METHOD_GENERATIVE; method <= NEY_METHOD_CHEBYSHEV; method++) {
            check_generative(&r, method, k % 2 == 1, 1.5);
            check_generative(&r, method, k % 2 == 1, 0.05); /* not attainable: t < 0 */
        }
    }
}

/* With the kernel x'z, and no more landmarks than rows, the score is that of the linear method. */
static void test_generative_kernel_agrees(void **state)
{
    rnd r = rnd_new(52);
    float x[2 * ROWS];
    int8_t y[ROWS];
    ney_data *d = plane(&r, ROWS, x, y, 1);
    ney_train_opts o = options(NEY_METHOD_GENERATIVE);
    ney_model *a, *b;
    double fa[ROWS], fb[ROWS];
    (void)state;
    assert_int_equal(ney_train(&a, NULL, d, &o, NULL, NULL), NEY_OK);
    o.kernel = NEY_KERNEL_POLY;
    o.degree = 1;
    o.gamma = 1;
    assert_int_equal(ney_train(&b, NULL, d, &o, NULL, NULL), NEY_OK);
    assert_string_equal(ney_model_family(b), "kernel");
    assert_int_equal(ney_model_score(a, NULL, ney_data_matrix(d), fa, NULL), NEY_OK);
    assert_int_equal(ney_model_score(b, NULL, ney_data_matrix(d), fb, NULL), NEY_OK);
    double ab = 0, aa = 0, bb = 0, ma = 0, mb = 0;
    for (int i = 0; i < ROWS; i++) {
        ma += fa[i] / ROWS;
        mb += fb[i] / ROWS;
    }
    for (int i = 0; i < ROWS; i++) {
        ab += (fa[i] - ma) * (fb[i] - mb);
        aa += (fa[i] - ma) * (fa[i] - ma);
        bb += (fb[i] - mb) * (fb[i] - mb);
    }
    assert_true(ab / sqrt(aa * bb) > 0.9999);
    ney_model_free(a);
    ney_model_free(b);
    ney_data_free(d);
}

/* ---- tridiagonal matrices */

static void test_tridiagonal(void **state)
{
    enum { N = 7 };
    rnd r = rnd_new(53);
    (void)state;
    for (int run = 0; run < 50; run++) {
        double a[N * N], full[N * N], d[N], e[N], room[4 * N], c[N], y[N];
        for (int i = 0; i < N; i++) {
            c[i] = rnd_unit(&r) - 0.5;
            for (int j = 0; j <= i; j++) {
                full[i * N + j] = full[j * N + i] = rnd_chance(&r, 0.2) ? 0 : rnd_unit(&r) - 0.5;
            }
        }
        memcpy(a, full, sizeof a);
        ney_tridiagonal_reduce(a, N, d, e, room);
        /* (I + tA)^-1 c through T, and back through A */
        const double t = run % 2 ? 0.7 : -3.1;
        double q[N];
        memcpy(q, c, sizeof q);
        ney_tridiagonal_apply(a, N, false, q);
        ney_tridiagonal_solve(d, e, N, 1, t, q, y, room);
        ney_tridiagonal_apply(a, N, true, y);
        for (int i = 0; i < N; i++) {
            double sum = y[i], size = 1;
            for (int j = 0; j < N; j++) {
                sum += t * full[i * N + j] * y[j];
                size = fmax(size, fabs(y[j]));
            }
            assert_true(fabs(sum - c[i]) < 1e-10 * size);
        }
    }
}

/* ---- perf */

static double dot2(const double *w, const float *x)
{
    return w[0] * (double)x[0] + w[1] * (double)x[1];
}

/* The primal of [PERF.2] at w: all labellings with k positives are tried. */
static double primal(const double *w, const float *x, const int8_t *y, int sign, int k, double C)
{
    double worst = 0, n_free = 0;
    for (int i = 0; i < SMALL; i++) {
        n_free += sign * y[i] > 0;
    }
    for (int set = 0; set < 1 << SMALL; set++) {
        double sum = 0, right = 0;
        int size = 0;
        for (int i = 0; i < SMALL; i++) {
            const bool called = set >> i & 1, is = sign * y[i] > 0;
            size += called;
            right += called && is;
            sum += ((double)is - (double)called) * sign * dot2(w, &x[2 * (size_t)i]);
        }
        if (size == k) {
            worst = fmax(worst, 1 - right / fmin(k, n_free) - sum / n_free);
        }
    }
    return (w[0] * w[0] + w[1] * w[1]) / 2 + C * n_free * worst;
}

static void test_perf_is_optimal(void **state)
{
    rnd r = rnd_new(54);
    (void)state;
    for (int run = 0; run < 40; run++) {
        float x[2 * SMALL];
        int8_t y[SMALL];
        ney_data *d = plane(&r, SMALL, x, y, 0.4);
        ney_train_opts o = options(NEY_METHOD_PERF);
        ney_train_info info;
        ney_model *m;
        double b;
        const int sign = run % 2 ? -1 : 1;
        o.max_fpr = run % 2 ? NAN : 0.3;
        o.max_fnr = run % 2 ? 0.3 : NAN;
        o.at_k = run % 4 == 0 ? 0 : 2 + run % 5;
        o.C = pow(10, run % 3);
        o.tol = 1e-7;
        const int k = o.at_k ? (int)o.at_k : SMALL / 2;
        assert_int_equal(ney_train(&m, NULL, d, &o, &info, NULL), NEY_OK);
        assert_int_equal(info.stop, NEY_STOP_CONVERGED);
        const double *w = ney_model_weights(m, &b);
        const double at = primal(w, x, y, sign, k, o.C);
        assert_true(b == 0);
        assert_true(fabs(at - info.objective) < 1e-6 * (1 + at));
        assert_true(info.gap <= 1e-5 * o.C * SMALL);
        for (int t = 0; t < 200; t++) { /* and no neighbour is better */
            const double size = pow(10, -4 * rnd_unit(&r));
            const double near[2] = {w[0] + size * (rnd_unit(&r) - 0.5),
                                    w[1] + size * (rnd_unit(&r) - 0.5)};
            assert_true(primal(near, x, y, sign, k, o.C) >= at - 1e-5 * o.C * SMALL);
        }
        ney_model_free(m);
        ney_data_free(d);
    }
}

/* ---- convex */

/* The SVM at these costs, with a threshold of its own. */
static void test_convex_is_the_svm(void **state)
{
    rnd r = rnd_new(55);
    float x[2 * ROWS];
    int8_t y[ROWS];
    ney_data *d = plane(&r, ROWS, x, y, 0.6);
    ney_train_opts o = options(NEY_METHOD_CONVEX), svm = options(NEY_METHOD_AUTO);
    ney_train_info info;
    ney_model *a, *b;
    double fa[ROWS], fb[ROWS], low, high;
    (void)state;
    o.kernel = svm.kernel = NEY_KERNEL_RBF;
    o.cost_fp = svm.cost_fp = 3;
    svm.max_fpr = NAN;
    assert_int_equal(ney_train(&a, NULL, d, &o, &info, NULL), NEY_OK);
    assert_int_equal(ney_train(&b, NULL, d, &svm, NULL, NULL), NEY_OK);
    assert_int_equal(ney_model_score(a, NULL, ney_data_matrix(d), fa, NULL), NEY_OK);
    assert_int_equal(ney_model_score(b, NULL, ney_data_matrix(d), fb, NULL), NEY_OK);
    assert_memory_equal(fa, fb, sizeof fa);
    ney_model_thresholds(a, &low, &high);
    const ney_counts c = ney_count(fa, y, ROWS, low, high);
    assert_true(c.fp <= 3 && c.fp == info.counts.fp && c.fn == info.counts.fn); /* 0.1 of 30 */
    ney_model_free(a);
    ney_model_free(b);
    ney_data_free(d);
}

static void test_refusals(void **state)
{
    rnd r = rnd_new(56);
    float x[2 * SMALL];
    int8_t y[SMALL];
    ney_data *d = plane(&r, SMALL, x, y, 1);
    ney_model *m;
    (void)state;
    for (int method = NEY_METHOD_CONVEX; method <= NEY_METHOD_PERF; method++) {
        ney_train_opts o = options(method);
        o.max_fpr = NAN;
        assert_int_equal(ney_train(&m, NULL, d, &o, NULL, NULL), NEY_EINVAL);
        o = options(method);
        o.max_fnr = 0.1;
        assert_int_equal(ney_train(&m, NULL, d, &o, NULL, NULL), NEY_EINVAL);
    }
    ney_train_opts o = options(NEY_METHOD_PERF);
    o.kernel = NEY_KERNEL_RBF;
    assert_int_equal(ney_train(&m, NULL, d, &o, NULL, NULL), NEY_EINVAL);
    o = options(NEY_METHOD_GENERATIVE);
    o.max_fpr = 0;
    assert_int_equal(ney_train(&m, NULL, d, &o, NULL, NULL), NEY_EINVAL);
    o = options(NEY_METHOD_AUTO);
    o.cost_fp = 2;
    assert_int_equal(ney_train(&m, NULL, d, &o, NULL, NULL), NEY_EINVAL);
    ney_data_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generative_is_the_best_direction),
        cmocka_unit_test(test_generative_kernel_agrees),
        cmocka_unit_test(test_tridiagonal),
        cmocka_unit_test(test_perf_is_optimal),
        cmocka_unit_test(test_convex_is_the_svm),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
