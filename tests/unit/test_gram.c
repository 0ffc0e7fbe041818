/* Kernel rows against long double, and the same bits for any number of threads. */
#include "kernel/gram.h"

#include "support/cmocka_all.h"
#include "support/ref_qp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 9001, COLS = 6, ASKED = 21 }; /* several tasks, tiles and groups, none of them full */

typedef struct rows {
    float dense[ROWS * COLS], value[ROWS * COLS];
    int32_t index[ROWS * COLS];
    int64_t start[ROWS + 1];
} rows;

/* Rows around `centre`, with zeros and duplicates. */
static rows *make_rows(double centre)
{
    rows *r = calloc(1, sizeof *r);
    int64_t k = 0;
    assert_non_null(r);
    for (int i = 0; i < ROWS; i++) {
        for (int c = 0; c < COLS; c++) {
            const int from = i % 10 == 0 ? i / 2 : i;
            const double x = (from + c) % 5 == 0 ? 0 : centre + sin(from * (c + 1.3));
            r->dense[i * COLS + c] = (float)x;
            if ((float)x != 0) {
                r->index[k] = c;
                r->value[k++] = (float)x;
            }
        }
        r->start[i + 1] = k;
    }
    return r;
}

static ney_matrix matrix_of(const rows *r, bool sparse)
{
    if (sparse) {
        return (ney_matrix){
            .rows = ROWS, .cols = COLS, .start = r->start, .index = r->index, .value = r->value};
    }
    return (ney_matrix){.rows = ROWS, .cols = COLS, .dense = r->dense};
}

enum { NUMBERS = 2 * ASKED * ROWS };

/* One entry, and how far it may be from the truth: the fine one from double on. */
static void check_entry(const ney_matrix *x, const ney_kernel *kernel, const int64_t at[2],
                        const float *row, bool fine)
{
    const long double expected = ref_kernel(x, at[0], at[1], kernel);
    const bool grows = kernel->kind == NEY_KERNEL_LINEAR || kernel->kind == NEY_KERNEL_POLY;
    const long double size = grows ? ref_kernel(x, at[0], at[0], kernel) : 1;
    const long double rest = fine ? (long double)row[ROWS + at[1]] : 0;
    const long double error = fabsl((long double)row[at[1]] + rest - expected);
    if (error > (fine ? 1e-13L : 4e-6L) * fmaxl(size, fabsl(expected))) {
        fail_msg("kernel %d: (%lld, %lld) is %g + %Lg, not %Lg", kernel->kind, (long long)at[0],
                 (long long)at[1], (double)row[at[1]], rest, expected);
    }
}

/* NUMBERS numbers, to be freed. */
static float *compute(const ney_matrix *x, const ney_kernel *kernel, bool fine, int threads)
{
    int64_t row[ASKED];
    float *out[ASKED], *all = calloc(NUMBERS, sizeof(float));
    ney_env env = ney_env_default();
    ney_gram g;
    env.threads = threads;
    for (int k = 0; k < ASKED; k++) {
        row[k] = (k * 431 + 10) % ROWS;
        out[k] = all + (int64_t)k * 2 * ROWS;
    }
    assert_int_equal(ney_gram_init(&g, &env, x, kernel, fine, NULL), NEY_OK);
    assert_true(ney_gram_rows(&g, row, ASKED, out));
    assert_int_equal(g.computed, ASKED);
    for (int k = 0; k < ASKED; k++) {
        const double own = ney_gram_diagonal(&g, row[k]);
        assert_true(fabs(own - (double)out[k][row[k]]) <= 1e-5 * fabs(own));
        for (int64_t i = 0; i < ROWS; i += 97) {
            check_entry(x, kernel, (const int64_t[]){row[k], i}, out[k], fine);
        }
    }
    ney_gram_deinit(&g);
    return all;
}

static const ney_kernel kernels[] = {
    {.kind = NEY_KERNEL_LINEAR},
    {.kind = NEY_KERNEL_RBF, .gamma = 0.7},
    {.kind = NEY_KERNEL_POLY, .gamma = 0.5, .coef0 = 1, .degree = 3},
    {.kind = NEY_KERNEL_SIGMOID, .gamma = 0.3, .coef0 = -0.2},
};

static void test_four_kernels(void **state)
{
    rows *r = make_rows(0);
    (void)state;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        for (int way = 0; way < 4; way++) {
            const bool sparse = way % 2, fine = way / 2;
            const ney_matrix x = matrix_of(r, sparse);
            float *one = compute(&x, &kernels[k], fine, 1);
            for (int threads = 2; threads <= 5; threads += 3) {
                float *more = compute(&x, &kernels[k], fine, threads);
                assert_memory_equal(one, more, sizeof(float) * NUMBERS);
                free(more);
            }
            free(one);
        }
    }
    free(r);
}

/* Far from zero the norms are a million times the distances, and float alone would lose them. */
static void test_rbf_of_long_rows(void **state)
{
    rows *r = make_rows(1000);
    (void)state;
    for (int way = 0; way < 4; way++) {
        const ney_matrix x = matrix_of(r, way % 2);
        free(compute(&x, &kernels[1], way / 2, 2));
    }
    free(r);
}

/* Norms that burst a float: equal rows are equal all the same. */
static void test_rbf_of_huge_rows(void **state)
{
    static const float x[] = {1e30F, 2e30F, 1e30F, 2e30F, -1e30F, 2e30F};
    const ney_matrix m = {.rows = 3, .cols = 2, .dense = x};
    const ney_env env = ney_env_default();
    const int64_t row[] = {0};
    float out[3], *to[] = {out};
    ney_gram g;
    (void)state;
    assert_int_equal(ney_gram_init(&g, &env, &m, &kernels[1], false, NULL), NEY_OK);
    assert_true(ney_gram_rows(&g, row, 1, to));
    assert_true(out[0] == 1 && out[1] == 1 && out[2] == 0);
    ney_gram_deinit(&g);
}

static void test_no_rows(void **state)
{
    const ney_matrix x = {.rows = 0, .cols = 3};
    const ney_env env = ney_env_default();
    ney_gram g;
    (void)state;
    assert_int_equal(ney_gram_init(&g, &env, &x, &kernels[1], false, NULL), NEY_OK);
    assert_true(ney_gram_rows(&g, NULL, 0, NULL));
    ney_gram_deinit(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_four_kernels),
        cmocka_unit_test(test_rbf_of_long_rows),
        cmocka_unit_test(test_rbf_of_huge_rows),
        cmocka_unit_test(test_no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
