/* Loops over vectors of double, both builds of them, against plain ones in long double. */
#include "linalg/solver_loops_isa.h"
#include "linalg/vector_isa.h"
#include "support/random_data.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 45 };

typedef struct build {
    double (*dot)(const double *, const double *, int64_t);
    void (*dot_pair)(const double *, const double *, const double *, int64_t, double[2]);
    void (*dot_pair_mixed)(const float *, const double *, const double *, int64_t, double[2]);
    void (*axpy)(double, const double *, double *, int64_t);
    void (*axpy_compensated)(double, const double *, int64_t, double *, double *);
    int64_t (*near)(const ney_near *, int64_t, int64_t *);
    void (*ramps)(const ney_ramps *, const double *, const double *, double, double, int64_t,
                  int64_t, ney_ramp_sums *);
} build;

static int n_builds(const build **all)
{
    static const build list[] = {
        {ney_vector_dot, ney_vector_dot_pair, ney_vector_dot_pair_mixed, ney_vector_axpy,
         ney_vector_axpy_compensated, ney_loop_near, ney_loop_ramps},
        {ney_vector_dot_plain, ney_vector_dot_pair_plain, ney_vector_dot_pair_mixed_plain,
         ney_vector_axpy_plain, ney_vector_axpy_compensated_plain, ney_loop_near_plain,
         ney_loop_ramps_plain},
        {ney_vector_dot_avx2, ney_vector_dot_pair_avx2, ney_vector_dot_pair_mixed_avx2,
         ney_vector_axpy_avx2, ney_vector_axpy_compensated_avx2, ney_loop_near_avx2,
         ney_loop_ramps_avx2}};
    *all = list;
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 3 : 2;
#else
    return 2;
#endif
}

static void fill(rnd *r, double *x, double size)
{
    for (int k = 0; k < MOST; k++) {
        x[k] = size * (2 * rnd_unit(r) - 1);
    }
}

static void test_sums(void **state)
{
    const build *b;
    double x[MOST], y[MOST], z[MOST];
    rnd r = rnd_new(1);
    (void)state;
    for (int k = n_builds(&b) - 1; k >= 0; k--) {
        for (int64_t n = 0; n <= MOST; n++) {
            long double one = 0, two = 0;
            double both[2], sum[MOST];
            float single[MOST];
            fill(&r, x, 1);
            fill(&r, y, 1);
            fill(&r, z, 1);
            for (int64_t i = 0; i < MOST; i++) { /* a float too */
                single[i] = (float)x[i];
                x[i] = (double)single[i];
            }
            for (int64_t i = 0; i < n; i++) {
                one += (long double)x[i] * y[i];
                two += (long double)x[i] * z[i];
            }
            b[k].dot_pair(x, y, z, n, both);
            assert_true(fabsl(b[k].dot(x, y, n) - one) < 1e-14L);
            assert_true(fabsl(both[0] - one) < 1e-14L && fabsl(both[1] - two) < 1e-14L);
            b[k].dot_pair_mixed(single, y, z, n, both);
            assert_true(fabsl(both[0] - one) < 1e-14L && fabsl(both[1] - two) < 1e-14L);
            memcpy(sum, y, sizeof sum);
            b[k].axpy(0.3, x, sum, n);
            for (int64_t i = 0; i < MOST; i++) {
                const double expected = i < n ? y[i] + 0.3 * x[i] : y[i];
                assert_true(fabs(sum[i] - expected) < 1e-15);
            }
        }
    }
}

/* Rows of all sizes come and go: what is left is what never left, to the last bit of two numbers.
 */
static void test_nothing_is_lost(void **state)
{
    const build *b;
    static double row[200][MOST];
    rnd r = rnd_new(2);
    (void)state;
    for (int k = n_builds(&b) - 1; k >= 0; k--) {
        double y[MOST] = {0}, rest[MOST] = {0};
        long double stays[MOST] = {0};
        for (int i = 0; i < 200; i++) {
            fill(&r, row[i], pow(10, 6 * rnd_unit(&r)));
            b[k].axpy_compensated(1, row[i], MOST, y, rest);
        }
        for (int i = 0; i < 200; i++) {
            if (i % 50 == 7) {
                for (int c = 0; c < MOST; c++) {
                    stays[c] += row[i][c];
                }
            } else {
                b[k].axpy_compensated(-1, row[i], MOST, y, rest);
            }
        }
        for (int c = 0; c < MOST; c++) {
            assert_true(fabsl(stays[c] - ((long double)y[c] + rest[c])) < 1e-13L);
            assert_true(y[c] + rest[c] == y[c]); /* the first holds all that fits there */
        }
    }
}

/* The loss of one row and its slope in the margin z, by its pieces. */
static void ramp_at(double z, double eta, double width, bool is_clipped, long double *loss,
                    long double *slope)
{
    if (z >= eta + width) {
        *loss = *slope = 0;
    } else if (z > eta - width) {
        const long double t = (long double)eta + width - z;
        *loss = t * t / (4 * (long double)width);
        *slope = -t / (2 * (long double)width);
    } else {
        *loss = (long double)eta - z;
        *slope = -1;
    }
    if (is_clipped) {
        *loss += (long double)z + eta;
        *slope += 1;
    }
}

static void test_ramps(void **state)
{
    const build *b;
    const double eta = 0.7;
    rnd r = rnd_new(4);
    (void)state;
    for (int k = n_builds(&b) - 1; k >= 0; k--) {
        for (int trial = 0; trial < 400; trial++) {
            double pull[MOST], fixed[MOST], f[MOST], change[MOST];
            long double loss[2] = {0}, slope[2] = {0}, along[2] = {0};
            const double width = eta * (trial % 3 == 0 ? 0.9 : 0.01);
            const double step = rnd_unit(&r), shift = rnd_unit(&r) - 0.5;
            const bool is_fixed = trial % 2;
            const int64_t begin = trial % 5, end = begin + trial % (MOST - 4);
            ney_ramp_sums sums;
            fill(&r, pull, 3);
            fill(&r, f, 3);
            fill(&r, change, 1);
            for (int64_t i = 0; i < MOST; i++) {
                fixed[i] = rnd_unit(&r) < 0.4;
            }
            for (int64_t i = begin; i < end; i++) {
                const int up = pull[i] > 0;
                const double score = f[i] + step * change[i] + shift, z = up ? score : -score;
                long double one, rise;
                ramp_at(z, eta, width, is_fixed ? fixed[i] != 0 : z < -eta, &one, &rise);
                loss[up] += fabs(pull[i]) * one;
                slope[up] += pull[i] * rise;
                along[up] += pull[i] * rise * change[i];
            }
            b[k].ramps(&(ney_ramps){pull, is_fixed ? fixed : NULL, eta, width}, f, change, step,
                       shift, begin, end, &sums);
            for (int up = 0; up < 2; up++) {
                assert_true(fabsl(sums.loss[up] - loss[up]) < 1e-12L);
                assert_true(fabsl(sums.slope[up] - slope[up]) < 1e-12L);
                assert_true(fabsl(sums.along[up] - along[up]) < 1e-12L);
            }
        }
    }
}

static void test_near(void **state)
{
    const build *b;
    double base[MOST], toward[MOST], at[MOST], reach[MOST], seen[MOST];
    rnd r = rnd_new(3);
    (void)state;
    for (int k = n_builds(&b) - 1; k >= 0; k--) {
        int64_t met = 0;
        for (int64_t t = 0; t < 400; t++) {
            const int64_t n = t % (MOST + 1);
            int64_t out[MOST], m = 0;
            fill(&r, at, 3);
            for (int i = 0; i < MOST; i++) {
                base[i] = rnd_chance(&r, 0.2) ? (double)INFINITY : rnd_chance(&r, 0.5) ? 1 : -1;
                toward[i] = isinf(base[i]) ? 0 : rnd_chance(&r, 0.5) ? 1 : -1;
                reach[i] = rnd_unit(&r);
                seen[i] = rnd_chance(&r, 0.1) ? -(double)INFINITY : 0.5 * rnd_unit(&r);
            }
            const ney_near q = {base, toward, at, reach, seen, 0.3, -0.2, 0.7, 0.5, rnd_unit(&r)};
            const int64_t found = b[k].near(&q, n, out);
            for (int64_t i = 0; i < n; i++) {
                const double room =
                    base[i] - toward[i] * (at[i] + 0.3) - reach[i] * (0.5 - seen[i]);
                const double way = (reach[i] * 0.7 - 0.2 * toward[i]) * q.ahead;
                if (!(room > 0 && room > way)) {
                    assert_true(m < found && out[m] == i);
                    m++;
                }
            }
            assert_int_equal(m, found);
            met += m;
        }
        assert_true(met > 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_nothing_is_lost),
        cmocka_unit_test(test_near),
        cmocka_unit_test(test_ramps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
