/* Online learning on random and on degenerate data: what is told is what the model does, the bound
 * is kept to the last row, lambda brings the rate to where it is allowed, and what is learned comes
 * near to the best there is. Judged by sums written out here. */
#include "support/cmocka_all.h"
#include "support/random_data.h"

#include <neyman/experimental.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_ROWS = 6000, COLS = 2 };

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

/* Two round clouds, `apart` from each other along the diagonal. */
static void clouds(rnd *r, int64_t n, double share, double apart, bool weighted)
{
    kept.n = n;
    for (int64_t i = 0; i < n; i++) {
        kept.y[i] = i == 0 || (i > 1 && rnd_chance(r, share)) ? 1 : -1;
        kept.weight[i] = weighted ? (float)(0.5 + rnd_unit(r)) : 1;
        for (int c = 0; c < COLS; c++) {
            kept.x[i * COLS + c] = (float)(normal(r) + (kept.y[i] > 0 ? apart / sqrt(2) : 0));
        }
    }
    const ney_matrix m = {.rows = n, .cols = COLS, .dense = kept.x};
    assert_int_equal(
        ney_data_new(&kept.data, NULL, &m, kept.y, weighted ? kept.weight : NULL, NULL), NEY_OK);
}

static ney_train_opts options(void)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_params_init(p, n, &o);
    o.confidence = (double)NAN; /* the bound holds on the training rows */
    o.method = NEY_METHOD_ONLINE;
    return o;
}

/* ---- what is told */

typedef struct judged {
    long double loss[2], weight[2], norm; /* of negatives and positives */
    int64_t wrong[2], n[2];
} judged;

static judged judge(const ney_model *m, const ney_train_opts *o)
{
    judged j = {0};
    double b, low, high;
    const double *w = ney_model_weights(m, &b);
    assert_non_null(w);
    ney_model_thresholds(m, &low, &high);
    for (int c = 0; c < COLS; c++) {
        j.norm += (long double)w[c] * (long double)w[c];
    }
    for (int64_t i = 0; i < kept.n; i++) {
        long double f = (long double)b;
        double plain = b; /* as a decision is made */
        for (int c = 0; c < COLS; c++) {
            f += (long double)w[c] * (long double)kept.x[i * COLS + c];
        }
        assert_int_equal(
            ney_model_score(m, NULL,
                            &(ney_matrix){.rows = 1, .cols = COLS, .dense = kept.x + i * COLS},
                            &plain, NULL),
            NEY_OK);
        assert_true(fabsl(f - (long double)plain) < 1e-9L * (1 + fabsl(f)));
        const int side = kept.y[i] > 0;
        const long double z = kept.y[i] * f / (long double)o->eta;
        const long double ramp = fminl(1, fmaxl(0, (1 - z) / 2));
        j.loss[side] +=
            (long double)kept.weight[i] * (o->loss == NEY_LOSS_RAMP ? ramp : 1 / (1 + expl(z)));
        j.weight[side] += (long double)kept.weight[i];
        j.wrong[side] += (plain >= high) != (kept.y[i] > 0);
        j.n[side]++;
    }
    return j;
}

static void prop_what_is_told_is_what_the_model_does(void **state)
{
    static const double rates[] = {0, 1e-9, 0.01, 0.1, 0.3, 0.7, 0.999999, 1};
    rnd r = rnd_new(21);
    (void)state;
    for (int64_t t = 0; t < test_times(60); t++) {
        ney_train_opts o = options();
        ney_train_info info;
        ney_model *m;
        const bool fpr = rnd_chance(&r, 0.5);
        const double rate = rates[rnd_below(&r, 8)];
        clouds(&r, 20 + rnd_below(&r, 300), 0.05 + 0.9 * rnd_unit(&r), 3 * rnd_unit(&r),
               rnd_chance(&r, 0.5));
        *(fpr ? &o.max_fpr : &o.max_fnr) = rate;
        o.C = pow(10, 3 * rnd_unit(&r) - 2);
        o.eta = 0.2 + rnd_unit(&r);
        o.loss = rnd_chance(&r, 0.5) ? NEY_LOSS_RAMP : NEY_LOSS_SIGMOID;
        o.epochs = 1 + rnd_below(&r, 4);
        o.seed = t;
        assert_int_equal(ney_train(&m, NULL, kept.data, &o, &info, NULL), NEY_OK);
        const judged j = judge(m, &o);
        const int side = fpr ? 0 : 1;
        const double allowed = fmax(rate, 0.5 / (double)j.n[side]);
        const double most = floor(rate * (double)j.n[side] * (1 + 1e-12));
        const long double P = j.loss[side] / j.weight[side], Q = j.loss[!side] / j.weight[!side];
        const long double objective =
            j.norm / 2 + (long double)o.C * j.weight[!side] *
                             (Q + (long double)info.lambda * (P - (long double)allowed));
        /* the rarer class is visited about as often as the other */
        const int64_t rare = j.n[0] < j.n[1] ? 0 : 1;
        const int64_t visits =
            j.n[!rare] + j.n[rare] * llround((double)j.n[!rare] / (double)j.n[rare]);
        assert_int_equal(info.iterations, o.epochs * visits);
        /* no ties among clouds: exactly as many as the rate allows are misclassified */
        if ((double)j.wrong[side] != most || info.counts.fp != j.wrong[0] ||
            info.counts.fn != j.wrong[1] || info.steps != o.epochs ||
            fabsl((fpr ? info.ramp_fpr : info.ramp_fnr) - P) > 1e-6L ||
            fabsl((fpr ? info.ramp_fnr : info.ramp_fpr) - Q) > 1e-6L ||
            fabsl(info.objective - objective) > 1e-6L * (1 + fabsl(objective))) {
            fail_msg("run %lld: %lld of %lld at rate %g, objective %g and %Lg, P %g and %Lg",
                     (long long)t, (long long)j.wrong[side], (long long)j.n[side], rate,
                     info.objective, objective, fpr ? info.ramp_fpr : info.ramp_fnr, P);
        }
        ney_model_free(m);
        ney_data_free(kept.data);
    }
}

/* ---- what is learned */

static double upper_normal(double z) /* P(N > z) */
{
    return 0.5 * erfc(z / sqrt(2));
}

/* The multiplier means the same in both methods: about the slope of the curve where the rate is the
 * one allowed. */
static double batch_lambda(const ney_train_opts *online)
{
    ney_train_opts o = *online;
    ney_train_info info;
    ney_model *m;
    o.method = NEY_METHOD_ANNEALED;
    o.loss = NEY_LOSS_RAMP;
    assert_int_equal(ney_train(&m, NULL, kept.data, &o, &info, NULL), NEY_OK);
    ney_model_free(m);
    return info.lambda;
}

/* Clouds at a distance d: with P_fa = A no score function has less than P_nd = 1 - P(N > z - d), z
 * that with P(N > z) = A. */
static double least_misses(double rate, double apart)
{
    double low = -10, high = 10;
    for (int k = 0; k < 80; k++) {
        const double middle = 0.5 * (low + high);
        *(upper_normal(middle) > rate ? &low : &high) = middle;
    }
    return 1 - upper_normal(low - apart);
}

static void prop_the_best_is_near_and_lambda_holds_the_rate(void **state)
{
    static const struct {
        double rate, share;
        int loss;
    } cases[] = {{0.1, 0.5, NEY_LOSS_RAMP},     {0.03, 0.5, NEY_LOSS_RAMP},
                 {0.01, 0.5, NEY_LOSS_RAMP},    {0.05, 0.02, NEY_LOSS_RAMP},
                 {0.05, 0.95, NEY_LOSS_RAMP},   {0.03, 0.5, NEY_LOSS_SIGMOID},
                 {0.05, 0.05, NEY_LOSS_SIGMOID}};
    rnd r = rnd_new(22);
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double apart = 3;
        ney_train_opts o = options();
        ney_train_info info;
        ney_model *m;
        double b;
        clouds(&r, MOST_ROWS, cases[k].share, apart, false);
        o.max_fpr = cases[k].rate;
        o.loss = (ney_loss)cases[k].loss;
        o.eta = 0.5;
        assert_int_equal(ney_train(&m, NULL, kept.data, &o, &info, NULL), NEY_OK);
        assert_int_equal(info.stop, NEY_STOP_CHECKS);
        const double *w = ney_model_weights(m, &b);
        const double slant = (w[0] + w[1]) / sqrt(2 * (w[0] * w[0] + w[1] * w[1]));
        const double fnr = (double)info.counts.fn / (double)(info.counts.fn + info.counts.tp);
        const double best = least_misses(cases[k].rate, apart);
        const double n_pos = MOST_ROWS * cases[k].share;
        const double n_neg = MOST_ROWS * (1 - cases[k].share);
        /* the rate itself is known to some rows, which moves the threshold along the curve */
        const double off = 4 * sqrt(cases[k].rate / n_neg);
        const double worst =
            least_misses(fmax(cases[k].rate - off, 1e-4), apart) + 3 * sqrt(0.25 / n_pos);
        const double other = batch_lambda(&o);
        if (info.lambda > 2.5 * other || info.lambda < other / 2.5) {
            fail_msg("case %d: lambda %g, the batch method's %g", (int)k, info.lambda, other);
        }
        if (fnr > worst || slant < 0.97 || info.ramp_fpr > 1.6 * cases[k].rate ||
            info.ramp_fpr < 0.4 * cases[k].rate) {
            fail_msg("case %d: fnr %g, best %g; direction %g; loss %g, allowed %g; lambda %g",
                     (int)k, fnr, best, slant, info.ramp_fpr, cases[k].rate, info.lambda);
        }
        ney_model_free(m);
        ney_data_free(kept.data);
    }
}

/* ---- degenerate data */

static ney_status use(int64_t n, const float *x, const int8_t *y, int family, double rate,
                      ney_train_info *info)
{
    const ney_matrix m = {.rows = n, .cols = 1, .dense = x};
    ney_train_opts o = options();
    ney_data *d = NULL;
    ney_model *model = NULL;
    ney_error err = {0};
    o.max_fpr = rate;
    o.network[0] = family == 1 ? 3 : 0;
    o.features = family == 2 ? 6 : 0;
    assert_int_equal(ney_data_new(&d, NULL, &m, y, NULL, NULL), NEY_OK);
    const ney_status st = ney_train(&model, NULL, d, &o, info, &err);
    assert_true((st == NEY_OK) == (model != NULL));
    assert_true(st == NEY_OK || err.message[0] != '\0');
    if (model) {
        double low, high, score;
        ney_model_thresholds(model, &low, &high);
        assert_true(!isnan(low) && low == high);
        for (int64_t i = 0; i < n; i++) {
            const ney_matrix one = {.rows = 1, .cols = 1, .dense = x + i};
            assert_int_equal(ney_model_score(model, NULL, &one, &score, NULL), NEY_OK);
            assert_true(isfinite(score));
        }
    }
    ney_model_free(model);
    ney_data_free(d);
    return st;
}

static void prop_degenerate_data_are_refused_or_kept_within_the_bound(void **state)
{
    enum { FEW = 40 };
    static const float sizes[] = {0, 1e-30f, 1, 1e30f, FLT_MAX / 4};
    static const double rates[] = {0, 1e-12, 0.25, 1 - 1e-12, 1};
    float x[FEW];
    int8_t y[FEW];
    (void)state;
    for (int family = 0; family < 3; family++) {
        ney_train_info info;
        for (int i = 0; i < FEW; i++) {
            x[i] = (float)i;
            y[i] = 1;
        }
        assert_int_equal(use(0, x, y, family, 0.1, &info), NEY_EINVAL);
        assert_int_equal(use(1, x, y, family, 0.1, &info), NEY_EINVAL);
        assert_int_equal(use(FEW, x, y, family, 0.1, &info), NEY_EINVAL);
        y[0] = -1;
        assert_int_equal(use(2, x, y, family, 0.1, &info), NEY_OK);
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            for (int i = 0; i < FEW; i++) { /* with size 0 a constant column */
                y[i] = (int8_t)(i % 3 ? -1 : 1);
                x[i] = sizes[k] * (float)((i * 7) % 5 - 2 + y[i]) / 4;
            }
            for (size_t a = 0; a < sizeof rates / sizeof *rates; a++) {
                assert_int_equal(use(FEW, x, y, family, rates[a], &info), NEY_OK);
                assert_true((double)info.counts.fp <=
                            rates[a] * (double)(info.counts.fp + info.counts.tn));
                assert_true(isfinite(info.lambda) && info.lambda > 0);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_what_is_told_is_what_the_model_does),
        cmocka_unit_test(prop_the_best_is_near_and_lambda_holds_the_rate),
        cmocka_unit_test(prop_degenerate_data_are_refused_or_kept_within_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
