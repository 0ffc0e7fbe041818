/* The inner loops, both builds of them: right to rounding, and the same bits wherever the work is
 * cut. */
#include "base/rng.h"
#include "linalg/block_isa.h"
#include "linalg/rows.h"
#include "linalg/solver_loops_isa.h"
#include "linalg/vector_isa.h"
#include "support/cmocka_all.h"
#include "support/kkt.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 45, COLS = 37 };

typedef struct build {
    const char *name;
    void (*products)(const ney_matrix *, int64_t, int64_t, const float *, float *);
    void (*products_fine)(const ney_matrix *, int64_t, int64_t, const float *, double *);
    void (*exp)(float *, int64_t);
    void (*exp_fine)(double *, int64_t);
    void (*exponents)(float *, int64_t, const float *, const float *, float);
    void (*unpack)(const float *, int64_t, int64_t, float *const *);
    void (*add)(const float *const *, const double *, int64_t, int64_t, int64_t, double *);
    int64_t (*highest)(const double *, const double *, int64_t, double *);
    int64_t (*step)(const ney_pair_step *, double *, double *);
    int64_t (*partner)(const double *, const double *, const double *, const float *, double,
                       double, int64_t);
    int64_t (*short_step)(const ney_slopes *, const float *, const float *, float, float *,
                          float *);
    int64_t (*short_partner)(const ney_slopes *, const float *, float, float);
} build;

/* How many builds this machine can run. */
static int n_builds(const build **all)
{
    static const build both[] = {
        {"chosen", ney_block_products, ney_block_products_fine, ney_block_exp, ney_block_exp_fine,
         ney_block_exponents, ney_block_unpack, ney_vector_add_rows, ney_loop_highest,
         ney_loop_step, ney_loop_partner, ney_loop_short_step, ney_loop_short_partner},
        {"plain", ney_block_products_plain, ney_block_products_fine_plain, ney_block_exp_plain,
         ney_block_exp_fine_plain, ney_block_exponents_plain, ney_block_unpack_plain,
         ney_vector_add_rows_plain, ney_loop_highest_plain, ney_loop_step_plain,
         ney_loop_partner_plain, ney_loop_short_step_plain, ney_loop_short_partner_plain},
        {"avx2", ney_block_products_avx2, ney_block_products_fine_avx2, ney_block_exp_avx2,
         ney_block_exp_fine_avx2, ney_block_exponents_avx2, ney_block_unpack_avx2,
         ney_vector_add_rows_avx2, ney_loop_highest_avx2, ney_loop_step_avx2, ney_loop_partner_avx2,
         ney_loop_short_step_avx2, ney_loop_short_partner_avx2},
    };
    *all = both;
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 3 : 2;
#else
    return 2;
#endif
}

typedef struct rows {
    float dense[ROWS * COLS], value[ROWS * COLS];
    int32_t index[ROWS * COLS];
    int64_t start[ROWS + 1];
    ney_matrix x[2]; /* the same rows, dense and sparse */
} rows;

static void make_rows(rows *r, int64_t cols)
{
    ney_rng rng = {(uint64_t)cols};
    int64_t k = 0;
    memset(r, 0, sizeof *r);
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t c = 0; c < cols; c++) {
            const float v = ney_rng_below(&rng, 3) == 0 ? 0 : (float)(2 * ney_rng_unit(&rng) - 1);
            r->dense[i * cols + c] = v;
            if (v != 0) {
                r->index[k] = (int32_t)c;
                r->value[k++] = v;
            }
        }
        r->start[i + 1] = k;
    }
    r->x[0] = (ney_matrix){.rows = ROWS, .cols = cols, .dense = r->dense};
    r->x[1] = (ney_matrix){
        .rows = ROWS, .cols = cols, .start = r->start, .index = r->index, .value = r->value};
}

static long double dot(const ney_matrix *x, int64_t i, int64_t j, long double *size)
{
    long double sum = 0;
    *size = 0;
    for (int64_t c = 0; c < x->cols; c++) {
        const long double t = (long double)kkt_entry(x, i, c) * (long double)kkt_entry(x, j, c);
        sum += t;
        *size += fabsl(t);
    }
    return sum;
}

static void check_products(const build *b, const ney_matrix *x, int64_t lanes)
{
    static float packed[COLS * NEY_LANES], whole[ROWS * NEY_LANES], part[ROWS * NEY_LANES];
    static double fine[ROWS * NEY_LANES];
    int64_t row[NEY_LANES];
    for (int64_t l = 0; l < lanes; l++) {
        row[l] = (l * 7 + 3) % ROWS;
    }
    ney_block_pack(x, row, lanes, packed);
    b->products(x, 0, ROWS, packed, whole);
    b->products_fine(x, 0, ROWS - 3, packed, fine);
    b->products_fine(x, ROWS - 3, 3, packed, fine + (int64_t)(ROWS - 3) * NEY_LANES);
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t l = 0; l < NEY_LANES; l++) {
            long double size = 0;
            const long double expected = l < lanes ? dot(x, i, row[l], &size) : 0;
            const long double error = fabsl((long double)whole[i * NEY_LANES + l] - expected);
            assert_true(error <= (long double)FLT_EPSILON * (long double)COLS * size);
            assert_true(fabsl((long double)fine[i * NEY_LANES + l] - expected) <=
                        (long double)DBL_EPSILON * (long double)COLS * size);
        }
    }
    for (int64_t first = 0; first < ROWS; first += 5) { /* five rows are never six at once */
        for (int64_t n = 1; first + n <= ROWS; n += 6) {
            b->products(x, first, n, packed, part);
            assert_memory_equal(part, whole + first * NEY_LANES,
                                (size_t)(n * NEY_LANES) * sizeof *part);
        }
    }
}

static void test_products(void **state)
{
    static rows r;
    const build *b;
    const int builds = n_builds(&b);
    (void)state;
    for (int k = 0; k < builds; k++) {
        for (int64_t cols = 0; cols <= COLS; cols = cols < 2 ? cols + 1 : cols + 35) {
            make_rows(&r, cols);
            check_products(&b[k], &r.x[0], NEY_LANES);
            check_products(&b[k], &r.x[0], 5);
            check_products(&b[k], &r.x[1], NEY_LANES);
            check_products(&b[k], &r.x[1], 1);
        }
    }
}

static void test_exp(void **state)
{
    enum { N = 100003 };
    static float x[N], y[N], tail[N];
    const build *b;
    const int builds = n_builds(&b);
    (void)state;
    for (int k = 0; k < builds; k++) {
        long double worst = 0;
        for (int64_t i = 0; i < N; i++) {
            x[i] = y[i] = (float)(-87.0 + 175.0 * (double)i / (N - 1));
        }
        b[k].exp(y, N);
        for (int64_t i = 0; i < N; i++) {
            const long double e = expl((long double)x[i]);
            worst = fmaxl(worst, fabsl((long double)y[i] - e) / e);
        }
        if (worst > 3e-7L) {
            fail_msg("%s: exp is wrong by %Lg", b[k].name, worst);
        }
        for (int64_t first = 0; first < 20; first++) { /* no place is computed otherwise */
            for (int64_t n = 0; n < 20; n++) {
                memcpy(tail, x + first, (size_t)n * sizeof *tail);
                b[k].exp(tail, n);
                assert_memory_equal(tail, y + first, (size_t)n * sizeof *tail);
            }
        }
        float edge[] = {0, -0.0F, -87.001F, -1e30F, -HUGE_VALF, 200};
        b[k].exp(edge, 6);
        assert_true(edge[0] == 1 && edge[1] == 1);
        assert_true(edge[2] == 0 && edge[3] == 0 && edge[4] == 0);
        assert_true(edge[5] > 1e38F);
    }
}

static void test_exp_fine(void **state)
{
    enum { N = 100003 };
    static double x[N], y[N];
    const build *b;
    const int builds = n_builds(&b);
    (void)state;
    for (int k = 0; k < builds; k++) {
        long double worst = 0;
        for (int64_t i = 0; i < N; i++) {
            x[i] = y[i] = -87.0 + 175.0 * (double)i / (N - 1);
        }
        b[k].exp_fine(y, N);
        for (int64_t i = 0; i < N; i++) {
            const long double e = expl((long double)x[i]);
            worst = fmaxl(worst, fabsl((long double)y[i] - e) / e);
        }
        if (worst > 1e-15L) {
            fail_msg("%s: exp is wrong by %Lg", b[k].name, worst);
        }
        double edge[] = {0, -0.0, -87.001, -1e300, -HUGE_VAL, 200, 1};
        b[k].exp_fine(edge, 7);
        assert_true(edge[0] == 1 && edge[1] == 1);
        assert_true(edge[2] == 0 && edge[3] == 0 && edge[4] == 0);
        assert_true(edge[5] > 1e38 && fabs(edge[6] - 2.718281828459045) < 1e-15);
    }
}

static void test_exponents_and_unpack(void **state)
{
    enum { N = 29 };
    float tile[N * NEY_LANES], own[N], norm[NEY_LANES], store[NEY_LANES][N + 1], *out[NEY_LANES];
    const build *b;
    const int builds = n_builds(&b);
    (void)state;
    for (int k = 0; k < builds; k++) {
        for (int i = 0; i < N; i++) {
            own[i] = (float)(0.01 * i);
            for (int l = 0; l < NEY_LANES; l++) {
                tile[i * NEY_LANES + l] = (float)sin(i * NEY_LANES + l);
                norm[l] = (float)(0.1 * l);
            }
        }
        b[k].exponents(tile, N, own, norm, 2);
        for (int64_t lanes = 1; lanes <= NEY_LANES; lanes += 5) {
            for (int l = 0; l < NEY_LANES; l++) {
                out[l] = store[l];
                memset(store[l], 0, sizeof store[l]);
            }
            b[k].unpack(tile, N, lanes, out);
            for (int64_t i = 0; i <= N; i++) {
                for (int64_t l = 0; l < NEY_LANES; l++) {
                    const double x = 2 * sin((double)(i * NEY_LANES + l));
                    const double e = fmin(0, x - 0.01 * (double)i - 0.1 * (double)l);
                    const double expected = l < lanes && i < N ? e : 0;
                    assert_true(fabs((double)store[l][i] - expected) < 1e-6);
                }
            }
        }
    }
}

static void test_add(void **state)
{
    enum { N = 301, MOST = 9 };
    static float store[MOST][N];
    static double f[N], cut[N], start[N], delta[MOST];
    const float *row[MOST];
    ney_rng r = {5};
    const build *b;
    const int builds = n_builds(&b);
    (void)state;
    for (int k = 0; k < MOST; k++) {
        row[k] = store[k];
        delta[k] = 2 * ney_rng_unit(&r) - 1;
        for (int i = 0; i < N; i++) {
            store[k][i] = (float)(2 * ney_rng_unit(&r) - 1);
            start[i] = ney_rng_unit(&r);
        }
    }
    for (int k = 0; k < builds; k++) {
        for (int64_t n_rows = 0; n_rows <= MOST; n_rows++) {
            memcpy(f, start, sizeof f);
            b[k].add(row, delta, n_rows, 0, N, f);
            for (int i = 0; i < N; i++) {
                long double expected = start[i];
                for (int64_t m = 0; m < n_rows; m++) {
                    expected += (long double)delta[m] * (long double)row[m][i];
                }
                assert_true(fabsl((long double)f[i] - expected) < 1e-14L);
            }
            for (int64_t piece = 1; piece < 40; piece += 3) {
                memcpy(cut, start, sizeof cut);
                for (int64_t first = 0; first < N; first += piece) {
                    b[k].add(row, delta, n_rows, first, first + piece < N ? piece : N - first, cut);
                }
                assert_memory_equal(cut, f, sizeof f);
            }
        }
    }
}

/* What block.h says, in its words; small whole numbers make ties. */
static void check_picks(const build *b, ney_rng *r, int64_t n)
{
    double up[40] = {0}, f[40] = {0}, own[40] = {0}, highest = 0, value = 0;
    float row[40] = {0};
    int64_t best = -1, partner = -1;
    double gain = 0;
    for (int64_t i = 0; i < n; i++) {
        up[i] = ney_rng_below(r, 4) == 0 ? -HUGE_VAL : (double)ney_rng_below(r, 3);
        f[i] = (double)ney_rng_below(r, 3);
        own[i] = (double)(1 + ney_rng_below(r, 2));
        row[i] = (float)(ney_rng_below(r, 3) - 1);
        if (up[i] - f[i] > (best < 0 ? -HUGE_VAL : highest)) {
            best = i;
            highest = up[i] - f[i];
        }
    }
    assert_int_equal(b->highest(up, f, n, &value), best);
    assert_true(best < 0 || value == highest);
    for (int64_t i = 0; i < n; i++) {
        up[i] = up[i] == -HUGE_VAL ? HUGE_VAL : up[i]; /* as slopes to the left */
        const double apart = 1 - (up[i] - f[i]);
        const double curve = fmax(2 + own[i] - 2 * (double)row[i], 1e-12);
        if (apart > 0 && apart * apart / curve > gain) {
            gain = apart * apart / curve;
            partner = i;
        }
    }
    assert_int_equal(b->partner(up, f, own, row, 2, 1, n), partner);
}

/* A step is an addition and two picks. */
static void check_step(const build *b, ney_rng *r, int64_t n)
{
    double up[40] = {0}, down[40] = {0}, f[40] = {0}, expected[40] = {0};
    double highest, lowest, highest_after, lowest_after;
    float row[40] = {0}, other[40] = {0};
    for (int64_t i = 0; i < n; i++) {
        up[i] = ney_rng_below(r, 4) == 0 ? -HUGE_VAL : (double)ney_rng_below(r, 3);
        down[i] = ney_rng_below(r, 4) == 0 ? HUGE_VAL : (double)ney_rng_below(r, 3);
        f[i] = (double)ney_rng_below(r, 3);
        row[i] = (float)(ney_rng_below(r, 5) - 2);
        other[i] = (float)(ney_rng_below(r, 5) - 2);
        expected[i] = f[i] + 0.5 * (double)(row[i] - other[i]);
    }
    const ney_pair_step s = {f, row, other, 0.5, up, down, n};
    const int64_t at = b->step(&s, &highest, &lowest);
    assert_memory_equal(f, expected, sizeof f);
    assert_int_equal(at, b->highest(up, f, n, &highest_after));
    (void)b->highest(f, down, n, &lowest_after);
    assert_true(n == 0 || (highest == highest_after && lowest == -lowest_after));
}

/* ---- the same in single precision */

enum { MOST_SLOPES = 60 };

typedef struct slopes {
    float g[MOST_SLOPES], rise[MOST_SLOPES], fall[MOST_SLOPES], own[MOST_SLOPES];
    float row[MOST_SLOPES], other[MOST_SLOPES];
} slopes;

static ney_slopes make_slopes(slopes *s, ney_rng *r, int64_t n)
{
    memset(s, 0, sizeof *s);
    for (int64_t i = 0; i < n; i++) {
        s->g[i] = (float)ney_rng_below(r, 4);
        s->rise[i] = ney_rng_below(r, 3) == 0 ? -HUGE_VALF : (float)ney_rng_below(r, 2);
        s->fall[i] = ney_rng_below(r, 3) == 0 ? HUGE_VALF : -(float)ney_rng_below(r, 2);
        s->own[i] = (float)(1 + ney_rng_below(r, 2));
        s->row[i] = (float)ney_rng_below(r, 3) - 1;
        s->other[i] = (float)ney_rng_below(r, 5) - 2;
    }
    return (ney_slopes){s->g, s->rise, s->fall, s->own, n};
}

static void check_short_partner(const build *b, ney_rng *r, int64_t n)
{
    slopes s;
    const ney_slopes q = make_slopes(&s, r, n);
    int64_t partner = -1;
    double gain = 0;
    for (int64_t i = 0; i < n; i++) {
        const double apart = 2 - (double)(s.g[i] + s.fall[i]);
        const double curve = fmax(2 + (double)s.own[i] - 2 * (double)s.row[i], 2e-12);
        if (apart > 1e-5 && apart * apart / curve > gain) {
            gain = apart * apart / curve;
            partner = i;
        }
    }
    assert_int_equal(b->short_partner(&q, s.row, 2, 2), partner);
    for (int64_t i = 0; i < n; i++) { /* no more apart than by rounding */
        s.g[i] = 2 - 5e-6f;
        s.fall[i] = i % 2 ? 0 : HUGE_VALF;
    }
    assert_int_equal(b->short_partner(&q, s.row, 2, 2), -1);
}

static void check_short_step(const build *b, ney_rng *r, int64_t n)
{
    slopes s, after;
    const ney_slopes q = make_slopes(&s, r, n);
    float highest, lowest, most = -HUGE_VALF, least = HUGE_VALF;
    int64_t best = -1;
    after = s;
    for (int64_t i = 0; i < n; i++) {
        after.g[i] = s.g[i] - 0.5f * (s.row[i] - s.other[i]);
        if (after.g[i] + s.rise[i] > most) {
            most = after.g[i] + s.rise[i];
            best = i;
        }
        least = fminf(least, after.g[i] + s.fall[i]);
    }
    assert_int_equal(b->short_step(&q, s.row, s.other, 0.5f, &highest, &lowest), best);
    assert_memory_equal(s.g, after.g, sizeof s.g);
    assert_true(highest == most && lowest == least);
}

static void test_picks(void **state)
{
    const build *b;
    const int builds = n_builds(&b);
    const double down[] = {4, 2, HUGE_VAL, 2, 3}, f[] = {0, 0, 0, 0, 0};
    double lowest;
    (void)state;
    for (int k = 0; k < builds; k++) {
        ney_rng r = {9};
        for (int t = 0; t < 3000; t++) {
            check_picks(&b[k], &r, t % 40);
            check_step(&b[k], &r, t % 40);
            check_short_partner(&b[k], &r, t % MOST_SLOPES);
            check_short_step(&b[k], &r, t % MOST_SLOPES);
        }
    }
    assert_int_equal(ney_loop_lowest(down, f, 5, &lowest), 1);
    assert_true(lowest == 2);
    assert_int_equal(ney_loop_lowest(down, f, 0, &lowest), -1);
}

/* Single rows: dense and sparse give the same bits. */
static void test_rows(void **state)
{
    static rows r;
    double v[COLS], sum[2][COLS] = {{0}};
    long double size;
    (void)state;
    make_rows(&r, COLS);
    for (int c = 0; c < COLS; c++) {
        v[c] = sin(c + 1);
    }
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t n = 0; n <= COLS; n += 12) {
            assert_true(ney_row_dot(&r.x[0], i, v, n) == ney_row_dot(&r.x[1], i, v, n));
        }
        const double square = ney_row_square(&r.x[0], i);
        assert_true(fabsl((long double)square - dot(&r.x[0], i, i, &size)) < 1e-14L * (1 + size));
        assert_true(square == ney_row_square(&r.x[1], i));
        ney_row_add(&r.x[0], i, v[i % COLS], sum[0]);
        ney_row_add(&r.x[1], i, v[i % COLS], sum[1]);
    }
    assert_memory_equal(sum[0], sum[1], sizeof sum[0]);
    assert_int_equal(ney_matrix_stored(&r.x[0]), ROWS * COLS);
    assert_int_equal(ney_matrix_stored(&r.x[1]), r.start[ROWS]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products), cmocka_unit_test(test_exp),
        cmocka_unit_test(test_exp_fine), cmocka_unit_test(test_exponents_and_unpack),
        cmocka_unit_test(test_add),      cmocka_unit_test(test_picks),
        cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
