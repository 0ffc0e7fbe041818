/* Online training with costs, on random and on degenerate data: what is reported is what the model
 * does, by sums written out here, and the objective is near that of the batch solver, which is the
 * least one. */
#include "support/cmocka_all.h"
#include "support/random_data.h"

#include <neyman/experimental.h>

#include <float.h>
#include <math.h>

enum { MOST_ROWS = 3000, COLS = 3 };

typedef struct rows {
    float x[MOST_ROWS * COLS], weight[MOST_ROWS];
    int8_t y[MOST_ROWS];
    int64_t n;
    ney_data *data;
} rows;

static rows kept;

static double normal(rnd *r)
{
    return sqrt(-2 * log(1 - rnd_unit(r))) * cos(6.283185307179586 * rnd_unit(r));
}

static void draw_rows(rnd *r, int64_t n, double share, bool weighted)
{
    const double apart = 2 * rnd_unit(r);
    kept.n = n;
    for (int64_t i = 0; i < n; i++) {
        kept.y[i] = i == 0 || (i > 1 && rnd_chance(r, share)) ? 1 : -1;
        kept.weight[i] = weighted ? (float)(0.5 + rnd_unit(r)) : 1;
        for (int c = 0; c < COLS; c++) {
            kept.x[i * COLS + c] = (float)(normal(r) + (kept.y[i] > 0 && c < 2 ? apart : 0));
        }
    }
    const ney_matrix m = {.rows = n, .cols = COLS, .dense = kept.x};
    assert_int_equal(
        ney_data_new(&kept.data, NULL, &m, kept.y, weighted ? kept.weight : NULL, NULL), NEY_OK);
}

static ney_train_opts options(rnd *r, bool rejects)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_params_init(p, n, &o);
    o.method = NEY_METHOD_ONLINE;
    o.cost_fn = pow(10, 3 * rnd_unit(r) - 1.5);
    o.cost_fp = pow(10, 2 * rnd_unit(r) - 1);
    o.reject_cost = rejects ? (0.1 + 0.3 * rnd_unit(r)) * fmin(o.cost_fn, o.cost_fp) : (double)NAN;
    o.C = pow(10, 6 * rnd_unit(r) - 4);
    return o;
}

/* The loss of a row of label y and score f, as doc/math writes it. */
static long double row_loss(const ney_train_opts *o, int y, long double f)
{
    const long double fn = o->cost_fn, fp = o->cost_fp, r = o->reject_cost, z = y * f;
    if (isnan(o->reject_cost)) {
        return (y > 0 ? fn : fp) * fmaxl(0, 1 - z);
    }
    const long double high = (fp - r) / fp, low = r / fn; /* P+ and P- with one cost of rejection */
    const long double h_high = -high * logl(high) - (1 - high) * logl(1 - high);
    const long double h_low = -low * logl(low) - (1 - low) * logl(1 - low);
    const long double rho = (h_low - h_high) / (high - low);
    const long double tau = y > 0 ? h_high / (1 - high) : h_low / low;
    return (y > 0 ? 1 - high : low) * fmaxl(0, tau - z) + (high - low) * fmaxl(0, y * rho - z);
}

/* The objective of a linear model, and its errors at its own thresholds. */
static long double objective_of(const ney_model *m, const ney_train_opts *o, ney_counts *c)
{
    double b, low, high;
    const double *const w = ney_model_weights(m, &b);
    long double sum = 0, norm = 0;
    *c = (ney_counts){0};
    ney_model_thresholds(m, &low, &high);
    for (int k = 0; k < COLS; k++) {
        norm += (long double)w[k] * (long double)w[k];
    }
    for (int64_t i = 0; i < kept.n; i++) {
        long double f = (long double)b;
        for (int k = 0; k < COLS; k++) {
            f += (long double)w[k] * (long double)kept.x[i * COLS + k];
        }
        sum += (long double)kept.weight[i] * row_loss(o, kept.y[i], f);
        c->fp += kept.y[i] < 0 && (double)f >= high;
        c->fn += kept.y[i] > 0 && (double)f < low;
        c->rejected_pos += kept.y[i] > 0 && (double)f < high && (double)f >= low;
        c->rejected_neg += kept.y[i] < 0 && (double)f < high && (double)f >= low;
    }
    return norm / 2 + (long double)o->C * sum;
}

static double batch_optimum(const ney_train_opts *online)
{
    ney_train_opts o = *online;
    ney_train_info info;
    ney_model *m;
    o.method = NEY_METHOD_AUTO;
    o.tol = 1e-6;
    o.epochs = 0;
    o.seed = 1;
    assert_int_equal(ney_train(&m, NULL, kept.data, &o, &info, NULL), NEY_OK);
    ney_model_free(m);
    return info.objective;
}

/* Costs up to 1000 times apart, C from 1e-4 to 100, classes 40 times apart. Of 2000 runs 4 were
 * more than 10 % above the least objective, none more than 22 %, and the mean was 1.0016. */
static void prop_the_objective_is_that_of_the_model_and_near_the_least(void **state)
{
    rnd r = rnd_new(31);
    const int64_t runs = test_times(120);
    double total[2] = {0, 0}; /* of runs with a small C, and of the others */
    int64_t far = 0, n[2] = {0, 0};
    (void)state;
    for (int64_t t = 0; t < runs; t++) {
        ney_train_opts o = options(&r, t % 2 == 1);
        ney_train_info info;
        ney_model *m;
        ney_counts c;
        ney_error err = {0};
        draw_rows(&r, 100 + rnd_below(&r, MOST_ROWS - 100), 0.025 + 0.9 * rnd_unit(&r), t % 3 == 0);
        o.seed = t;
        if (ney_train(&m, NULL, kept.data, &o, &info, &err) != NEY_OK) {
            fail_msg("run %lld: %s", (long long)t, err.message);
        }
        const long double objective = objective_of(m, &o, &c);
        const double least = batch_optimum(&o), ratio = info.objective / least;
        if (fabsl(info.objective - objective) > 1e-6L * objective || info.counts.fp != c.fp ||
            info.counts.fn != c.fn || info.counts.rejected_pos != c.rejected_pos ||
            info.counts.rejected_neg != c.rejected_neg || !isnan(info.lambda) ||
            info.stop == NEY_STOP_CONVERGED) {
            fail_msg("run %lld: objective %g and %Lg, %lld and %lld false positives", (long long)t,
                     info.objective, objective, (long long)info.counts.fp, (long long)c.fp);
        }
        if (ratio < 1 - 1e-6 || ratio > 2) {
            fail_msg("run %lld: objective %g, the least is %g; C %g, costs %g and %g, rejection %g",
                     (long long)t, info.objective, least, o.C, o.cost_fn, o.cost_fp, o.reject_cost);
        }
        total[o.C > 0.01] += ratio;
        n[o.C > 0.01]++;
        far += ratio > 1.1;
        ney_model_free(m);
        ney_data_free(kept.data);
    }
    print_message("objective over the least, on average: %.5f for C up to 0.01, %.5f beyond\n",
                  total[0] / (double)n[0], total[1] / (double)n[1]);
    assert_true(total[0] < 1.0012 * (double)n[0] && total[1] < 1.01 * (double)n[1]);
    assert_true(far <= 3 + runs / 100);
}

/* ---- degenerate data */

static ney_status use(int64_t n, const float *x, const int8_t *y, int family, bool rejects)
{
    const ney_matrix all = {.rows = n, .cols = 1, .dense = x};
    rnd r = rnd_new(32);
    ney_train_opts o = options(&r, rejects);
    ney_data *d = NULL;
    ney_model *m = NULL;
    ney_train_info info;
    ney_error err = {0};
    o.network[0] = family == 1 ? 3 : 0;
    o.features = family == 2 ? 6 : 0;
    assert_int_equal(ney_data_new(&d, NULL, &all, y, NULL, NULL), NEY_OK);
    const ney_status st = ney_train(&m, NULL, d, &o, &info, &err);
    assert_true((st == NEY_OK) == (m != NULL));
    assert_true(st == NEY_OK ? isfinite(info.objective) : err.message[0] != '\0');
    for (int64_t i = 0; m && i < n; i++) {
        const ney_matrix one = {.rows = 1, .cols = 1, .dense = x + i};
        double score;
        assert_int_equal(ney_model_score(m, NULL, &one, &score, NULL), NEY_OK);
        assert_true(isfinite(score));
    }
    ney_model_free(m);
    ney_data_free(d);
    return st;
}

static void prop_degenerate_data_are_refused_or_learned(void **state)
{
    enum { FEW = 40 };
    static const float sizes[] = {0, 1e-30f, 1, 1e30f, FLT_MAX / 4};
    float x[FEW];
    int8_t y[FEW];
    (void)state;
    for (int family = 0; family < 3; family++) {
        for (int rejects = 0; rejects < 2; rejects++) {
            for (int i = 0; i < FEW; i++) {
                x[i] = (float)i;
                y[i] = 1;
            }
            assert_int_equal(use(0, x, y, family, rejects), NEY_EINVAL);
            assert_int_equal(use(1, x, y, family, rejects), NEY_EINVAL);
            assert_int_equal(use(FEW, x, y, family, rejects), NEY_EINVAL);
            y[0] = -1;
            assert_int_equal(use(2, x, y, family, rejects), NEY_OK);
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
                for (int i = 0; i < FEW; i++) { /* with size 0 a constant column */
                    y[i] = (int8_t)(i % 3 ? -1 : 1);
                    x[i] = sizes[k] * (float)((i * 7) % 5 - 2 + y[i]) / 4;
                }
                assert_int_equal(use(FEW, x, y, family, rejects), NEY_OK);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_the_objective_is_that_of_the_model_and_near_the_least),
        cmocka_unit_test(prop_degenerate_data_are_refused_or_learned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
