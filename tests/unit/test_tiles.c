/* Networks a tile at a time, both builds: against the formulas written down in double, one row
 * after the other. */
#include "base/rng.h"
#include "linalg/machine.h"
#include "linalg/tiles_isa.h"
#include "support/cmocka_all.h"

#include <math.h>
#include <string.h>

enum { MOST_COLS = 23, MOST_UNITS = 9, MOST = (MOST_COLS + 2) * MOST_UNITS + 1 };

typedef struct build {
    void (*forward)(const ney_tiles *, const float *, float *, float *);
    double (*loss)(const float *, double, bool, float *);
    void (*backward)(const ney_tiles *, const float *, float *, const float *, double *);
} build;

static const build builds[] = {
    {ney_tiles_forward, ney_tiles_loss, ney_tiles_backward},
    {ney_tiles_forward_plain, ney_tiles_loss_plain, ney_tiles_backward_plain},
    {ney_tiles_forward_avx2, ney_tiles_loss_avx2, ney_tiles_backward_avx2},
};

static int n_builds(void)
{
    return ney_has_avx2() ? 3 : 2;
}

typedef struct tile {
    int64_t cols, units, n; /* numbers of the network */
    float x[MOST_COLS * NEY_TILE], factor[NEY_TILE], w[MOST];
} tile;

static void make_tile(tile *t, int64_t cols, int64_t units, double size)
{
    ney_rng rng = {(uint64_t)(cols * 100 + units)};
    *t = (tile){.cols = cols, .units = units, .n = (cols + 2) * units + 1};
    for (int64_t i = 0; i < cols * NEY_TILE; i++) {
        t->x[i] = (float)(4 * ney_rng_unit(&rng) - 2);
    }
    for (int64_t i = 0; i < NEY_TILE; i++) {
        t->factor[i] = (float)(i % 7 == 0 ? 0 : 2 * ney_rng_unit(&rng) - 1);
    }
    for (int64_t i = 0; i < t->n; i++) {
        t->w[i] = (float)(size * (2 * ney_rng_unit(&rng) - 1));
    }
}

/* Score of row i, with the sum of loss and its gradient beside it. */
static double row_value(const tile *t, int64_t i, double eta, bool logistic, double *score,
                        double *gradient)
{
    const int64_t H = t->units;
    const float *const top = t->w + t->cols * H, *const bias = top + H;
    double f = (double)bias[H], unit[MOST_UNITS];
    for (int64_t h = 0; h < H; h++) {
        double z = (double)bias[h];
        for (int64_t c = 0; c < t->cols; c++) {
            z += (double)t->w[c * H + h] * (double)t->x[c * NEY_TILE + i];
        }
        unit[h] = tanh(z);
        f += (double)top[h] * unit[h];
    }
    const double a = fabs((double)t->factor[i]), y = t->factor[i] < 0 ? -1 : 1, z = y * f / eta;
    const double phi = 1 / (1 + exp(z));
    const double slope = -a * y / eta * (logistic ? phi : phi * (1 - phi));
    for (int64_t h = 0; h < H; h++) {
        const double back = slope * (double)top[h] * (1 - unit[h] * unit[h]);
        for (int64_t c = 0; c < t->cols; c++) {
            gradient[c * H + h] += back * (double)t->x[c * NEY_TILE + i];
        }
        gradient[t->cols * H + h] += slope * unit[h];
        gradient[(t->cols + 1) * H + h] += back;
    }
    gradient[(t->cols + 2) * H] += slope;
    *score = f;
    return a * (logistic ? log1p(exp(-z)) : phi);
}

static void check(const build *b, const tile *t, double eta, bool logistic, double tol)
{
    const ney_tiles l = {.cols = t->cols, .units = t->units, .w = t->w};
    float hidden[MOST_UNITS * NEY_TILE], f[NEY_TILE];
    double gradient[MOST] = {0}, right[MOST] = {0}, sum = 0, score, most = 0;
    b->forward(&l, t->x, hidden, f);
    for (int64_t i = 0; i < NEY_TILE; i++) {
        sum += row_value(t, i, eta, logistic, &score, right);
        assert_true(fabs((double)f[i] - score) <= tol * (1 + fabs(score)));
    }
    const double loss = b->loss(t->factor, eta, logistic, f);
    assert_true(fabs(loss - sum) <= tol * (1 + sum) / eta);
    gradient[0] = right[0]; /* what is there is added to */
    b->backward(&l, t->x, hidden, f, gradient);
    gradient[0] -= right[0];
    for (int64_t k = 0; k < t->n; k++) {
        most = fmax(most, fabs(right[k]));
    }
    for (int64_t k = 0; k < t->n; k++) {
        assert_true(fabs(gradient[k] - right[k]) <= tol * (1 + most) / eta);
    }
}

static void test_against_formulas(void **state)
{
    const int64_t cols[] = {1, 5, MOST_COLS}, units[] = {1, 3, 4, 5, MOST_UNITS};
    (void)state;
    for (int b = 0; b < n_builds(); b++) {
        for (int k = 0; k < 15; k++) {
            tile t;
            make_tile(&t, cols[k % 3], units[k / 3], 0.8);
            check(&builds[b], &t, 1, true, 2e-5);
            check(&builds[b], &t, 1, false, 2e-5);
            check(&builds[b], &t, 0.25, false, 2e-5);
        }
    }
}

/* Units far beyond where tanh bends, and scores far beyond what the exponential can hold. */
static void test_far_out(void **state)
{
    (void)state;
    for (int b = 0; b < n_builds(); b++) {
        tile t;
        make_tile(&t, 5, 4, 60);
        check(&builds[b], &t, 20, true, 1e-4);
        const ney_tiles l = {.cols = t.cols, .units = t.units, .w = t.w};
        float hidden[MOST_UNITS * NEY_TILE], f[NEY_TILE];
        double gradient[MOST] = {0};
        builds[b].forward(&l, t.x, hidden, f);
        for (int i = 0; i < NEY_TILE; i++) {
            f[i] *= 1e20f;
        }
        for (int logistic = 0; logistic < 2; logistic++) {
            float slope[NEY_TILE];
            memcpy(slope, f, sizeof f);
            assert_true(isfinite(builds[b].loss(t.factor, 1, logistic, slope)));
            builds[b].backward(&l, t.x, hidden, slope, gradient);
        }
        for (int64_t k = 0; k < t.n; k++) {
            assert_true(isfinite(gradient[k]));
        }
    }
}

/* Beyond where the exponential is nothing the logistic loss goes on as a line. */
static void test_loss_far_out(void **state)
{
    (void)state;
    for (int b = 0; b < n_builds(); b++) {
        float f[NEY_TILE], factor[NEY_TILE];
        double sum = 0;
        for (int i = 0; i < NEY_TILE; i++) {
            factor[i] = i % 2 ? 1 : -1;
            f[i] = 5 * (float)(i - 64);
            const double z = (double)(factor[i] * f[i]);
            sum += z < 0 ? log1p(exp(z)) - z : log1p(exp(-z));
        }
        assert_true(fabs(builds[b].loss(factor, 1, true, f) - sum) <= 1e-9 * sum);
    }
}

static void test_no_number_stays_none(void **state)
{
    (void)state;
    for (int b = 0; b < n_builds(); b++) {
        tile t;
        make_tile(&t, 5, 4, 1);
        t.w[0] = NAN;
        const ney_tiles l = {.cols = t.cols, .units = t.units, .w = t.w};
        float hidden[MOST_UNITS * NEY_TILE], f[NEY_TILE];
        builds[b].forward(&l, t.x, hidden, f);
        for (int i = 0; i < NEY_TILE; i++) {
            assert_true(isnan(f[i]));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_formulas), cmocka_unit_test(test_far_out),
        cmocka_unit_test(test_loss_far_out), cmocka_unit_test(test_no_number_stays_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
