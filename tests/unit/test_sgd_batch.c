/* Mini-batches of learn/online/sgd_batch.c against a network written out here: scores, the products
 * of gradients and the step, gradients by differences; and products of matrices against sums. */
#include "support/cmocka_all.h"
#include "support/random_data.h"

#include "learn/online/sgd_batch.h"
#include "linalg/layer_isa.h"
#include "linalg/machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLS = 140, MOST_UNITS = 21, MOST_ROWS = 37, MOST = (MOST_COLS + 2) * MOST_UNITS + 1 };

typedef struct problem {
    int cols, units[2], rows;
    ney_activation activation;
    float dense[MOST_ROWS * MOST_COLS], value[MOST_ROWS * MOST_COLS];
    int64_t start[MOST_ROWS + 1];
    int32_t index[MOST_ROWS * MOST_COLS];
    double p[MOST]; /* weights layer after layer, then intercepts */
    double gradient[MOST_ROWS][MOST];
} problem;

static problem q;

/* Numbers of the last hidden layer, and of all layers. */
static int n_top(void)
{
    return q.units[1] ? q.units[1] : q.units[0];
}

static int n_units(void)
{
    return q.units[0] + q.units[1];
}

static int n_weights(void)
{
    return q.cols * q.units[0] + q.units[0] * q.units[1] + n_top();
}

static ney_network shape(void)
{
    return (ney_network){
        .cols = q.cols, .units = {q.units[0], q.units[1]}, .activation = q.activation};
}

#define TANH NEY_ACTIVATION_TANH
#define RELU NEY_ACTIVATION_RELU

typedef struct layers {
    int cols, first, second;
    ney_activation activation;
} layers;

static void make_problem(rnd *r, layers of, int rows)
{
    int64_t n = 0;
    q.cols = of.cols;
    q.units[0] = of.first;
    q.units[1] = of.second;
    q.activation = of.activation;
    q.rows = rows;
    for (int i = 0; i < rows; i++) {
        for (int c = 0; c < q.cols; c++) {
            const float v = rnd_chance(r, 0.5) ? 0 : (float)(2 * rnd_unit(r) - 1);
            q.dense[i * q.cols + c] = v;
            if (v != 0) {
                q.index[n] = c;
                q.value[n++] = v;
            }
        }
        q.start[i + 1] = n;
    }
    assert_true(n_weights() + n_units() + 1 <= MOST);
    for (int k = 0; k < n_weights() + n_units() + 1; k++) {
        q.p[k] = 2 * (2 * rnd_unit(r) - 1) / sqrt(k < q.cols * q.units[0] ? q.cols : 1);
    }
}

static double activated(double z)
{
    return q.activation == NEY_ACTIVATION_RELU ? fmax(0, z) : tanh(z);
}

static double plain_score(int row)
{
    const double *w = q.p, *b = q.p + n_weights();
    double a[MOST_UNITS], a2[MOST_UNITS], *top = a;
    for (int k = 0; k < q.units[0]; k++) {
        double sum = b[k];
        for (int c = 0; c < q.cols; c++) {
            sum += w[c * q.units[0] + k] * (double)q.dense[row * q.cols + c];
        }
        a[k] = activated(sum);
    }
    w += (ptrdiff_t)q.cols * q.units[0];
    b += q.units[0];
    for (int k = 0; k < q.units[1]; k++) {
        double sum = b[k];
        for (int c = 0; c < q.units[0]; c++) {
            sum += w[c * q.units[1] + k] * a[c];
        }
        a2[k] = activated(sum);
        top = a2;
    }
    w += (ptrdiff_t)q.units[0] * q.units[1];
    double f = b[q.units[1]];
    for (int k = 0; k < n_top(); k++) {
        f += w[k] * top[k];
    }
    return f;
}

static void plain_gradient(int row)
{
    const double small = 1e-6;
    for (int k = 0; k < n_weights() + n_units() + 1; k++) {
        const double keep = q.p[k];
        q.p[k] = keep + small;
        const double up = plain_score(row);
        q.p[k] = keep - small;
        q.gradient[row][k] = (up - plain_score(row)) / (2 * small);
        q.p[k] = keep;
    }
}

/* Fill a batch with rows first, first + 1, ..., call some of them live and judge what it finds. */
static int score_and_judge(rnd *r, ney_sgd_batch *b, const ney_sgd *s, const ney_matrix *x,
                           int first)
{
    int n = 0;
    while (first + n < q.rows && ney_sgd_batch_take(b, x, first + n)) {
        n++;
    }
    assert_int_equal(b->n, n);
    ney_sgd_batch_score(b, s);
    for (int i = 0; i < n; i++) {
        plain_gradient(first + i);
        assert_true(fabs(b->score[i] - plain_score(first + i)) <= 1e-9);
        if (rnd_chance(r, 0.8)) {
            b->live[b->n_live++] = i;
        }
    }
    ney_sgd_batch_relate(b, s);
    for (int i = 0; i < b->n_live; i++) {
        for (int j = i; j < b->n_live; j++) {
            double sum = 0;
            for (int k = 0; k < n_weights() + n_units() + 1; k++) {
                sum += q.gradient[first + b->live[i]][k] * q.gradient[first + b->live[j]][k];
            }
            if (fabs(b->gram[i * b->most + j] - sum) > 1e-5 * (1 + fabs(sum))) {
                fail_msg("%d units: product of rows %d and %d is %g, expected %g", n_units(), i, j,
                         b->gram[i * b->most + j], sum);
            }
        }
    }
    return n;
}

static void run(rnd *r, bool sparse, int most, double shrink)
{
    const int n = n_weights(), all = n + n_units() + 1;
    const ney_network network = shape();
    const ney_matrix x = {.rows = q.rows,
                          .cols = q.cols,
                          .dense = sparse ? NULL : q.dense,
                          .start = sparse ? q.start : NULL,
                          .index = sparse ? q.index : NULL,
                          .value = sparse ? q.value : NULL};
    const ney_env env = ney_env_default();
    static double sum[MOST], w[MOST];
    int count = 0;
    ney_sgd s;
    ney_sgd_batch b;
    memset(sum, 0, sizeof sum);
    assert_int_equal(ney_sgd_init(&s, &env, &network, NULL), NEY_OK);
    assert_int_equal(ney_sgd_batch_init(&b, &s, most, !sparse, NULL), NEY_OK);
    ney_sgd_set(&s, q.p, q.p + n);
    for (int t = 0; t < 3; t++) {
        for (int first = 0; first < q.rows; count++) {
            const int rows = score_and_judge(r, &b, &s, &x, first);
            assert_int_equal(rows, q.rows - first < most ? q.rows - first : most);
            for (int k = 0; k < n; k++) {
                q.p[k] *= 1 - shrink;
            }
            for (int i = 0; i < b.n_live; i++) {
                b.move[i] = rnd_chance(r, 0.3) ? 0 : 0.05 * (2 * rnd_unit(r) - 1);
                for (int k = 0; k < all; k++) {
                    q.p[k] += b.move[i] * q.gradient[first + b.live[i]][k];
                }
            }
            for (int k = 0; k < all; k++) {
                sum[k] += q.p[k];
            }
            ney_sgd_batch_step(&b, &s, shrink);
            assert_int_equal(b.n, 0);
            first += rows;
        }
    }
    ney_sgd_average(&s, w, w + n);
    for (int k = 0; k < all; k++) {
        if (fabs(w[k] - sum[k] / count) > 1e-7) {
            fail_msg("%d units, batches of %d, number %d: %g, expected %g", n_units(), most, k,
                     w[k], sum[k] / count);
        }
    }
    ney_sgd_batch_deinit(&b);
    ney_sgd_deinit(&s);
}

static void test_batches_are_the_plain_network(void **state)
{
    static const struct {
        layers of;
        int rows, most;
        double shrink;
    } cases[] = {{{3, 1, 0, TANH}, 5, 1, 0.01},  {{5, 3, 0, TANH}, 13, 4, 0.01},
                 {{2, 8, 0, TANH}, 9, 9, 0.9},   {{7, 9, 0, TANH}, 37, 32, 0},
                 {{140, 3, 0, TANH}, 7, 3, 0.1}, {{1, 21, 0, TANH}, 20, 17, 0.5},
                 {{4, 1, 1, TANH}, 6, 1, 0.01},  {{5, 3, 7, TANH}, 13, 4, 0.1},
                 {{6, 17, 5, TANH}, 20, 20, 0},  {{5, 6, 0, RELU}, 13, 4, 0.01},
                 {{7, 9, 4, RELU}, 20, 16, 0.02}};
    rnd r = rnd_new(31);
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        for (int sparse = 0; sparse < 2; sparse++) {
            make_problem(&r, cases[k].of, cases[k].rows);
            run(&r, sparse != 0, cases[k].most, cases[k].shrink);
        }
    }
}

/* One row at a time is what sgd.h does, and a batch of one row is no other step. */
static void test_a_batch_of_one_is_a_step_of_one(void **state)
{
    rnd r = rnd_new(32);
    const ney_env env = ney_env_default();
    static double one[MOST], other[MOST];
    (void)state;
    make_problem(&r, (layers){6, 5, 0, TANH}, 30);
    const ney_network network = shape();
    const ney_matrix x = {.rows = q.rows, .cols = q.cols, .dense = q.dense};
    ney_sgd s, t;
    ney_sgd_batch b;
    assert_int_equal(ney_sgd_init(&s, &env, &network, NULL), NEY_OK);
    assert_int_equal(ney_sgd_init(&t, &env, &network, NULL), NEY_OK);
    assert_int_equal(ney_sgd_batch_init(&b, &t, 1, true, NULL), NEY_OK);
    ney_sgd_begin(&s, 4, 3);
    ney_sgd_begin(&t, 4, 3);
    for (int i = 0; i < q.rows; i++) {
        assert_true(ney_sgd_batch_take(&b, &x, i));
        assert_false(ney_sgd_batch_take(&b, &x, i));
        ney_sgd_batch_score(&b, &t);
        assert_true(fabs(b.score[0] - ney_sgd_score(&s, &x, i)) < 1e-12);
        b.live[b.n_live++] = 0;
        ney_sgd_batch_relate(&b, &t);
        assert_true(fabs(b.gram[0] - ney_sgd_square(&s, &x, i)) < 1e-12 * b.gram[0]);
        b.move[0] = 0.1 * (rnd_unit(&r) - 0.5);
        ney_sgd_step(&s, &x, i, 0.01, b.move[0]);
        ney_sgd_batch_step(&b, &t, 0.01);
    }
    ney_sgd_average(&s, one, one + s.n);
    ney_sgd_average(&t, other, other + t.n);
    for (int k = 0; k < s.n + s.m; k++) {
        assert_true(fabs(one[k] - other[k]) < 1e-12);
    }
    ney_sgd_batch_deinit(&b);
    ney_sgd_deinit(&s);
    ney_sgd_deinit(&t);
}

/* Sparse rows with very many entries make smaller batches, but of one row at least. */
static void test_long_rows_make_small_batches(void **state)
{
    enum { LONG = 5000, FEW = 4 };
    static float value[FEW * LONG];
    static int32_t index[FEW * LONG];
    static const int64_t start[] = {0, LONG, LONG + 100, LONG + 200, 2 * LONG + 200};
    const ney_matrix x = {
        .rows = FEW, .cols = (int64_t)3 * LONG, .start = start, .index = index, .value = value};
    const ney_env env = ney_env_default();
    ney_sgd s;
    ney_sgd_batch b;
    (void)state;
    for (int row = 0; row < FEW; row++) {
        for (int64_t k = start[row]; k < start[row + 1]; k++) {
            index[k] = (int32_t)(k - start[row]) * 2;
            value[k] = 0.01f;
        }
    }
    const ney_network network = {.cols = x.cols, .units = {2}};
    assert_int_equal(ney_sgd_init(&s, &env, &network, NULL), NEY_OK);
    assert_int_equal(ney_sgd_batch_init(&b, &s, 8, false, NULL), NEY_OK);
    ney_sgd_begin(&s, 4, 0.5);
    assert_true(ney_sgd_batch_take(&b, &x, 0));
    assert_true(ney_sgd_batch_take(&b, &x, 1));
    assert_true(ney_sgd_batch_take(&b, &x, 2));
    assert_false(ney_sgd_batch_take(&b, &x, 3));
    ney_sgd_batch_score(&b, &s);
    for (int i = 0; i < 3; i++) {
        b.live[b.n_live++] = i;
    }
    ney_sgd_batch_relate(&b, &s);
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(b.score[i] - ney_sgd_score(&s, &x, i)) < 1e-12);
        assert_true(fabs(b.gram[i * 8 + i] - ney_sgd_square(&s, &x, i)) < 1e-9);
        b.move[i] = 0;
    }
    ney_sgd_batch_step(&b, &s, 0.5);
    assert_true(ney_sgd_batch_take(&b, &x, 3));
    ney_sgd_batch_score(&b, &s);
    assert_true(fabs(b.score[0] - ney_sgd_score(&s, &x, 3)) < 1e-12);
    ney_sgd_batch_deinit(&b);
    ney_sgd_deinit(&s);
}

/* What the machine chooses between. */
typedef struct build {
    void (*tanh)(double *, int64_t);
    void (*product)(ney_submatrix, ney_submatrix, int64_t, int64_t, int64_t, double *, int64_t);
    void (*sparse)(const int32_t *, const float *, int64_t, const double *, int64_t, double *);
    void (*spread)(const int32_t *, const float *, int64_t, const double *, int64_t, double *);
} build;

static const build builds[] = {
    {ney_layer_tanh, ney_layer_product, ney_layer_sparse, ney_layer_spread},
    {ney_layer_tanh_plain, ney_layer_product_plain, ney_layer_sparse_plain, ney_layer_spread_plain},
    {ney_layer_tanh_avx2, ney_layer_product_avx2, ney_layer_sparse_avx2, ney_layer_spread_avx2},
};

static int n_builds(void)
{
    return ney_has_avx2() ? 3 : 2;
}

static void check_tanh(const build *own)
{
    double v[7];
    for (double size = 1e-300; size < 1e300; size *= 1.37) {
        for (int k = 0; k < 7; k++) {
            v[k] = (k % 2 ? -1 : 1) * size * (1 + 0.1 * k);
        }
        own->tanh(v, 7);
        for (int k = 0; k < 7; k++) {
            const double expected = tanh((k % 2 ? -1 : 1) * size * (1 + 0.1 * k));
            if (fabs(v[k] - expected) > 4e-15 * fabs(expected)) {
                fail_msg("tanh of about %g is %.17g, expected %.17g", size, v[k], expected);
            }
        }
    }
}

static void test_tanh_is_that_of_the_library(void **state)
{
    (void)state;
    for (int k = 0; k < n_builds(); k++) {
        check_tanh(&builds[k]);
    }
}

static void check_products(const build *own)
{
    enum { SIZE = 300 };
    static double a[SIZE * 40], b[SIZE * 40], c[40 * 40], was[40 * 40];
    rnd r = rnd_new(33);
    for (int k = 0; k < SIZE * 40; k++) {
        a[k] = rnd_unit(&r) - 0.5;
        b[k] = rnd_unit(&r) - 0.5;
    }
    for (int64_t t = 0; t < test_times(60); t++) {
        const int64_t m = rnd_below(&r, 20), n = rnd_below(&r, 30), k = rnd_below(&r, SIZE);
        const bool turn_a = rnd_chance(&r, 0.5), turn_b = rnd_chance(&r, 0.5);
        const ney_submatrix left = {a, turn_a ? 1 : k, turn_a ? m : 1};
        const ney_submatrix right = {b, turn_b ? 1 : n, turn_b ? k : 1};
        for (int i = 0; i < 40 * 40; i++) {
            was[i] = c[i] = i % 7;
        }
        own->product(left, right, m, k, n, c, 40);
        for (int i = 0; i < 40 * 40; i++) {
            const int row = i / 40, col = i % 40;
            double sum = was[i];
            for (int64_t j = 0; row < m && col < n && j < k; j++) {
                sum += (turn_a ? a[j * m + row] : a[row * k + j]) *
                       (turn_b ? b[col * k + j] : b[j * n + col]);
            }
            assert_true(fabs(c[i] - sum) < 1e-12);
        }
    }
}

static void test_products_are_sums(void **state)
{
    (void)state;
    for (int k = 0; k < n_builds(); k++) {
        check_products(&builds[k]);
    }
}

/* One row of some entries against n columns, and the other way round. */
static void check_sparse(const build *own, rnd *r, int64_t n)
{
    enum { COLS = 9 };
    static const int32_t index[4] = {0, 3, 4, 8};
    const float value[4] = {0.5f, -2, 1.25f, 3};
    double b[COLS * 40], c[40], was[COLS * 40];
    for (int64_t k = 0; k < COLS * n; k++) {
        was[k] = b[k] = rnd_unit(r) - 0.5;
    }
    for (int64_t h = 0; h < n; h++) {
        c[h] = (double)h;
    }
    own->sparse(index, value, 4, b, n, c);
    for (int64_t h = 0; h < n; h++) {
        double sum = (double)h;
        for (int e = 0; e < 4; e++) {
            sum += (double)value[e] * b[index[e] * n + h];
        }
        assert_true(fabs(c[h] - sum) < 1e-13);
    }
    own->spread(index, value, 4, c, n, b);
    for (int e = 0; e < 4; e++) {
        for (int64_t h = 0; h < n; h++) {
            was[index[e] * n + h] += (double)value[e] * c[h];
        }
    }
    for (int64_t k = 0; k < COLS * n; k++) {
        assert_true(fabs(b[k] - was[k]) < 1e-12);
    }
}

static void test_sparse_products_are_sums(void **state)
{
    rnd r = rnd_new(35);
    (void)state;
    for (int k = 0; k < n_builds(); k++) {
        for (int64_t n = 1; n < 40; n++) {
            check_sparse(&builds[k], &r, n);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_batches_are_the_plain_network),
        cmocka_unit_test(test_a_batch_of_one_is_a_step_of_one),
        cmocka_unit_test(test_long_rows_make_small_batches),
        cmocka_unit_test(test_products_are_sums),
        cmocka_unit_test(test_sparse_products_are_sums),
        cmocka_unit_test(test_tanh_is_that_of_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
