/* Random features: cosines and sines against libm's, in both builds; the map against its formula
 * and against the kernel it stands for. */
#include "kernel/fourier.h"
#include "linalg/block_isa.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 37, COLS = 3, N = 2000, ROWS = 11 };

typedef void cossin(const float *x, int64_t n, float scale, float *cosine, float *sine);

static void compare(cossin *use, const char *name)
{
    rnd r = rnd_new(7);
    for (int64_t t = 0; t < test_times(300); t++) {
        const int64_t n = 1 + rnd_below(&r, MOST);
        const double reach = pow(10, 4 * rnd_unit(&r) - 1); /* up to 1000 */
        const float scale = (float)(0.1 + rnd_unit(&r));
        float x[MOST + 1], old[MOST + 1], s[MOST + 1];
        for (int64_t i = 0; i <= n; i++) {
            old[i] = x[i] = (float)(reach * (2 * rnd_unit(&r) - 1));
        }
        s[n] = 42;
        use(x, n, scale, x, s); /* in place */
        assert_true(x[n] == old[n] && s[n] == 42);
        for (int64_t i = 0; i < n; i++) {
            const double c = (double)scale * cos((double)old[i]);
            if (fabs((double)x[i] - c) > 2e-6 ||
                fabs((double)s[i] - (double)scale * sin((double)old[i])) > 2e-6) {
                fail_msg("%s: at %.9g of %lld: %.9g %.9g", name, (double)old[i], (long long)n,
                         (double)x[i], (double)s[i]);
            }
        }
    }
}

static void test_cosines_and_sines(void **state)
{
    (void)state;
    compare(ney_block_cossin, "chosen");
    compare(ney_block_cossin_plain, "plain");
}

static void make(ney_fourier *f, double gamma, uint64_t seed)
{
    const ney_env env = ney_env_default();
    assert_int_equal(ney_fourier_init(f, &env, N, COLS, NULL), NEY_OK);
    ney_fourier_draw(f, gamma, seed);
}

static void test_the_map_is_its_formula_and_nears_the_kernel(void **state)
{
    static float packed[NEY_LANES * COLS], phi[ROWS * N];
    const ney_env env = ney_env_default();
    const double gamma = 0.4;
    ney_fourier f;
    rnd r = rnd_new(8);
    (void)state;
    make(&f, gamma, 3);
    float *scratch = ney_alloc(&env, ney_fourier_scratch(&f), sizeof *scratch);
    assert_non_null(scratch);
    for (int i = 0; i < NEY_LANES * COLS; i++) {
        packed[i] = (float)(2 * rnd_unit(&r) - 1);
    }
    ney_fourier_map(&f, packed, ROWS, phi, scratch);
    for (int i = 0; i < ROWS; i++) {
        for (int d = 0; d < N / 2; d++) {
            double angle = 0;
            for (int c = 0; c < COLS; c++) {
                angle += (double)f.value[d * COLS + c] * (double)packed[c * NEY_LANES + i];
            }
            assert_true(fabs((double)phi[i * N + d] - cos(angle) / sqrt(N / 2.0)) < 1e-5);
            assert_true(fabs((double)phi[i * N + N / 2 + d] - sin(angle) / sqrt(N / 2.0)) < 1e-5);
        }
        for (int j = 0; j < ROWS; j++) {
            double square = 0, product = 0;
            for (int c = 0; c < COLS; c++) {
                const double apart =
                    (double)packed[c * NEY_LANES + i] - (double)packed[c * NEY_LANES + j];
                square += apart * apart;
            }
            for (int k = 0; k < N; k++) {
                product += (double)phi[i * N + k] * (double)phi[j * N + k];
            }
            /* four standard deviations of a mean of N / 2 cosines, and a little */
            assert_true(fabs(product - exp(-gamma * square)) < 4 / sqrt(N / 2.0) * 0.71 + 1e-3);
            assert_true(i != j || fabs(product - 1) < 1e-5);
        }
    }
    ney_release(&env, scratch);
    ney_fourier_deinit(&f, &env);
}

static void test_draws_hang_on_their_seed(void **state)
{
    const ney_env env = ney_env_default();
    ney_fourier a, b, c;
    double mean = 0, square = 0;
    (void)state;
    make(&a, 2, 5);
    make(&b, 2, 5);
    make(&c, 2, 6);
    const int n = N / 2 * COLS;
    assert_memory_equal(a.value, b.value, (size_t)n * sizeof *a.value);
    assert_true(a.value[0] != c.value[0]);
    for (int k = 0; k < n; k++) { /* N(0, 2 gamma) */
        mean += (double)a.value[k] / n;
        square += (double)a.value[k] * (double)a.value[k] / n;
    }
    assert_true(fabs(mean) < 0.2 && fabs(square - 4) < 0.5);
    ney_fourier_deinit(&a, &env);
    ney_fourier_deinit(&b, &env);
    ney_fourier_deinit(&c, &env);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cosines_and_sines),
        cmocka_unit_test(test_the_map_is_its_formula_and_nears_the_kernel),
        cmocka_unit_test(test_draws_hang_on_their_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
