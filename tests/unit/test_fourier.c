/* Random features: cosines and sines of products against libm's, in both builds; the map against
 * its formula and against the kernel it stands for. */
#include "kernel/fourier.h"
#include "linalg/fourier_features_isa.h"
#include "linalg/vector_isa.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 150, MOST_COLS = 9, COLS = 3, N = 2000, ROWS = 11 };

typedef void map(const ney_fourier_table *w, const ney_entries *row, int64_t n_rows, float *out);

/* Rows of few entries, frequencies that do not fill a slice, angles of some hundreds. */
static void compare(map *use, const char *name)
{
    static float frequency[MOST * MOST_COLS], table[3 * NEY_FOURIER_WIDE * MOST_COLS];
    static float x[ROWS * MOST_COLS], value[ROWS * MOST_COLS], out[ROWS * 2 * MOST + 1];
    static int32_t index[ROWS * MOST_COLS];
    rnd r = rnd_new(7);
    for (int64_t t = 0; t < test_times(100); t++) {
        const int64_t n = 1 + rnd_below(&r, MOST), cols = 1 + rnd_below(&r, MOST_COLS);
        const int64_t rows = 1 + rnd_below(&r, ROWS);
        const double reach = pow(10, 3 * rnd_unit(&r) - 1);
        const ney_matrix m = {.rows = rows, .cols = cols, .dense = x};
        ney_entries row[ROWS];
        for (int64_t k = 0; k < n * cols; k++) {
            frequency[k] = (float)(2 * rnd_unit(&r) - 1);
        }
        for (int64_t k = 0; k < rows * cols; k++) {
            x[k] = rnd_chance(&r, 0.5) ? 0 : (float)(reach * (2 * rnd_unit(&r) - 1));
        }
        for (int64_t i = 0; i < rows; i++) {
            row[i] = ney_entries_of(&m, i, cols, index + i * cols, value + i * cols);
        }
        assert_true(ney_fourier_table_size(n, cols) <= (int64_t)(sizeof table / sizeof *table));
        ney_fourier_table_fill(frequency, n, cols, table);
        const ney_fourier_table frequencies = {table, n, cols, (float)(0.1 + rnd_unit(&r))};
        out[rows * 2 * n] = 42;
        use(&frequencies, row, rows, out);
        assert_true(out[rows * 2 * n] == 42);
        for (int64_t i = 0; i < rows * n; i++) {
            const int64_t k = i % n, at = i / n * 2 * n + k;
            double angle = 0, size = 0;
            for (int64_t c = 0; c < cols; c++) {
                const double term = (double)frequency[k * cols + c] * (double)x[i / n * cols + c];
                angle += term;
                size += fabs(term);
            }
            const double slack =
                (double)frequencies.scale * (2e-6 + 3e-7 * size); /* rounding of it */
            if (fabs((double)out[at] - (double)frequencies.scale * cos(angle)) > slack ||
                fabs((double)out[at + n] - (double)frequencies.scale * sin(angle)) > slack) {
                fail_msg("%s: at %.9g: %.9g %.9g", name, angle, (double)out[at],
                         (double)out[at + n]);
            }
        }
    }
}

static void test_cosines_and_sines(void **state)
{
    (void)state;
    compare(ney_fourier_features_map, "chosen");
    compare(ney_fourier_features_map_plain, "plain");
}

/* Whatever the angle, a cosine is none above 1. */
static void test_angles_without_a_fraction_left(void **state)
{
    static float table[NEY_FOURIER_WIDE];
    static const float one[] = {1};
    static const int32_t zero[] = {0};
    const ney_entries row = {zero, one, 1};
    rnd r = rnd_new(10);
    (void)state;
    for (int i = 0; i < 4000; i++) {
        const double size = i % 2 ? 0x1p25 - 2e5 * rnd_unit(&r) : 1e6 * pow(10, 32 * rnd_unit(&r));
        const float far = (float)(3.141592653589793 * (rnd_chance(&r, 0.5) ? size : -size));
        float out[2], plain[2];
        ney_fourier_table_fill(&far, 1, 1, table);
        const ney_fourier_table frequencies = {table, 1, 1, 1};
        ney_fourier_features_map(&frequencies, &row, 1, out);
        ney_fourier_features_map_plain(&frequencies, &row, 1, plain);
        for (int k = 0; k < 2; k++) {
            if (!(fabsf(out[k]) <= 1.000001f && fabsf(plain[k]) <= 1.000001f)) {
                fail_msg("at %.9g: %.9g %.9g", (double)far, (double)out[k], (double)plain[k]);
            }
        }
    }
}

/* Columns beyond those wanted are left out; what is zero is no entry; dense and sparse agree. */
static void test_entries(void **state)
{
    static const float dense[] = {0, 2, 0, 3, 4}, value[] = {9, 2, 3, 4};
    static const int32_t index[] = {0, 1, 3, 4};
    static const int64_t start[] = {0, 1, 4}, counts[] = {0, 1, 1, 2, 3};
    const ney_matrix a = {.rows = 1, .cols = 5, .dense = dense};
    const ney_matrix b = {.rows = 2, .cols = 5, .start = start, .index = index, .value = value};
    float room[5];
    int32_t own[5];
    (void)state;
    for (int64_t cols = 1; cols <= 5; cols++) {
        const ney_entries p = ney_entries_of(&a, 0, cols, own, room);
        const ney_entries q = ney_entries_of(&b, 1, cols, NULL, NULL);
        assert_int_equal(p.n, counts[cols - 1]);
        assert_int_equal(q.n, p.n);
        assert_memory_equal(p.index, q.index, (size_t)p.n * sizeof *p.index);
        assert_memory_equal(p.value, q.value, (size_t)p.n * sizeof *p.value);
    }
}

static void compare_sums(double (*dot)(const float *, const float *, int64_t),
                         void (*add)(float, const float *, float *, int64_t))
{
    float a[MOST], b[MOST], sum[MOST];
    rnd r = rnd_new(9);
    for (int64_t n = 0; n < MOST; n++) {
        double product = 0;
        for (int64_t k = 0; k < MOST; k++) {
            a[k] = (float)(2 * rnd_unit(&r) - 1);
            b[k] = sum[k] = (float)(2 * rnd_unit(&r) - 1);
            product += k < n ? (double)a[k] * (double)b[k] : 0;
        }
        assert_true(fabs(dot(a, b, n) - product) < 1e-5);
        add(0.7f, a, sum, n);
        for (int64_t k = 0; k < MOST; k++) {
            const double want = (double)b[k] + (k < n ? 0.7 * (double)a[k] : 0);
            assert_true(fabs((double)sum[k] - want) < 1e-6);
        }
    }
}

static void test_sums_in_float(void **state)
{
    (void)state;
    compare_sums(ney_vector_dot_float, ney_vector_axpy_float);
    compare_sums(ney_vector_dot_float_plain, ney_vector_axpy_float_plain);
}

static void make(ney_fourier *f, double gamma, uint64_t seed)
{
    const ney_env env = ney_env_default();
    assert_int_equal(ney_fourier_init(f, &env, N, COLS, NULL), NEY_OK);
    ney_fourier_draw(f, gamma, seed);
}

static void test_the_map_is_its_formula_and_nears_the_kernel(void **state)
{
    static float x[ROWS * COLS], phi[ROWS * N];
    const ney_env env = ney_env_default();
    const ney_matrix m = {.rows = ROWS, .cols = COLS, .dense = x};
    const double gamma = 0.4;
    ney_row_at at[ROWS];
    ney_fourier f;
    rnd r = rnd_new(8);
    (void)state;
    make(&f, gamma, 3);
    void *room = ney_alloc(&env, ney_fourier_workspace(&f), 1);
    assert_non_null(room);
    for (int i = 0; i < ROWS * COLS; i++) {
        x[i] = (float)(2 * rnd_unit(&r) - 1);
        at[i / COLS] = (ney_row_at){&m, i / COLS};
    }
    ney_fourier_map(&f, at, ROWS, phi, room);
    for (int i = 0; i < ROWS; i++) {
        for (int d = 0; d < N / 2; d++) {
            double angle = 0;
            for (int c = 0; c < COLS; c++) {
                angle += (double)f.value[d * COLS + c] * (double)x[i * COLS + c];
            }
            assert_true(fabs((double)phi[i * N + d] - cos(angle) / sqrt(N / 2.0)) < 1e-5);
            assert_true(fabs((double)phi[i * N + N / 2 + d] - sin(angle) / sqrt(N / 2.0)) < 1e-5);
        }
        for (int j = 0; j < ROWS; j++) {
            double square = 0, product = 0;
            for (int c = 0; c < COLS; c++) {
                const double apart = (double)x[i * COLS + c] - (double)x[j * COLS + c];
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
    ney_release(&env, room);
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
        cmocka_unit_test(test_angles_without_a_fraction_left),
        cmocka_unit_test(test_entries),
        cmocka_unit_test(test_sums_in_float),
        cmocka_unit_test(test_the_map_is_its_formula_and_nears_the_kernel),
        cmocka_unit_test(test_draws_hang_on_their_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
