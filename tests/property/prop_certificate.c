/* Over many draws with known truth the certified rate is exceeded in at most a share delta of them.
 *
 * The tolerance throughout: a share seen in N draws may lie DEVIATIONS standard deviations of a
 * binomial share above what is allowed, sqrt(delta (1 - delta) / N) each; a right program fails one
 * such check in 30000. */
#include "support/cmocka_all.h"
#include "support/ref_decide.h"
#include "support/temp.h"

#include <neyman/experimental.h>

#include <math.h>
#include <stdio.h>

enum { DRAWS = 2000, MOST = 1200, VALUES = 10 };
#define DEVIATIONS 4.0

typedef enum shape { CONTINUOUS, TIED, CONSTANT, SHAPES } shape;

static const char *const shape_name[] = {"continuous", "ten values", "constant"};

/* The chances of the ten values 0..9, of 54: thin at both ends, where thresholds fall. */
static const int chance[VALUES] = {1, 3, 6, 8, 9, 9, 8, 6, 3, 1};

static double draw(rnd *r, shape s)
{
    if (s == CONSTANT) {
        return 3;
    }
    if (s == CONTINUOUS) {
        return rnd_unit(r);
    }
    int64_t k = rnd_below(r, 54);
    int v = 0;
    while (k >= chance[v]) {
        k -= chance[v++];
    }
    return v;
}

/* The truth: P(score >= t). */
static double at_least(shape s, double t)
{
    if (s == CONSTANT) {
        return 3 >= t;
    }
    if (s == CONTINUOUS) {
        return fmin(1, fmax(0, 1 - t));
    }
    double p = 0;
    for (int v = 0; v < VALUES; v++) {
        p += v >= t ? chance[v] / 54.0 : 0;
    }
    return p;
}

static double tolerance(double share, int64_t draws)
{
    return DEVIATIONS * sqrt(share * (1 - share) / (double)draws);
}

/* The share of draws whose true rate is above max_rate. */
static double violations(rnd *r, ney_error_kind kind, shape s, int64_t n, double max_rate,
                         double delta, int64_t draws)
{
    static double score[MOST];
    int64_t bad = 0;
    for (int64_t d = 0; d < draws; d++) {
        ney_certificate c;
        for (int64_t i = 0; i < n; i++) {
            score[i] = draw(r, s);
        }
        assert_int_equal(ney_certify(&c, NULL, kind, score, n, max_rate, delta, NULL), NEY_OK);
        const double hit = at_least(s, c.threshold);
        bad += (kind == NEY_FALSE_POSITIVES ? hit : 1 - hit) > max_rate + 1e-12;
    }
    return (double)bad / (double)draws;
}

/* What the share is on paper when there are no ties: P(Binomial(n, A) <= mistakes allowed). */
static double exact_share(int64_t n, double max_rate, double delta)
{
    const int64_t allowed = ney_mistakes_allowed(n, max_rate, delta);
    long double sum = 0;
    for (int64_t k = 0; k <= allowed; k++) {
        sum += ref_binomial(k, n, max_rate);
    }
    return (double)sum;
}

static void one_rate(ney_error_kind kind)
{
    static const struct {
        int64_t n;
        double max_rate, delta;
    } cases[] = {{59, 0.05, 0.05},
                 {100, 0.1, 0.1},
                 {200, 0.07, 0.1},
                 {500, 0.018, 0.05},
                 {1000, 0.1, 0.25}}; /* 0.018 and 0.07 lie just below 1/54 and 4/54 */
    const int64_t draws = test_times(DRAWS);
    rnd r = rnd_new(401 + (uint64_t)kind);
    print_message("%10s %5s %6s %6s  exceeded in (at most)\n", "scores", "n", "rate", "delta");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int s = 0; s < SHAPES; s++) {
            const double delta = cases[i].delta, allowed = delta + tolerance(delta, draws);
            const int64_t some = s == CONSTANT ? 20 : draws; /* all of its draws are alike */
            const double share =
                violations(&r, kind, (shape)s, cases[i].n, cases[i].max_rate, delta, some);
            print_message("%10s %5d %6g %6g  %.4f (%.4f)\n", shape_name[s], (int)cases[i].n,
                          cases[i].max_rate, delta, share, allowed);
            assert_true(share <= allowed);
            assert_true(s != CONSTANT || share == 0);
            if (s == CONTINUOUS) { /* and not less often than it should: no power is given away */
                const double exact = exact_share(cases[i].n, cases[i].max_rate, delta);
                assert_true(exact <= delta);
                assert_true(fabs(share - exact) <= tolerance(exact, draws));
            }
        }
    }
}

static void false_positives(void **state)
{
    (void)state;
    one_rate(NEY_FALSE_POSITIVES);
}

static void false_negatives(void **state)
{
    (void)state;
    one_rate(NEY_FALSE_NEGATIVES);
}

/* ---- both at once */

enum { EACH = 100 };

/* Thresholds from two certificates, each with its share of delta. */
static void certify_both(const double *negative, const double *positive, double rate, double delta,
                         double *low, double *high)
{
    const double share = 1 - sqrt(1 - delta);
    ney_certificate fpr, fnr;
    assert_int_equal(
        ney_certify(&fpr, NULL, NEY_FALSE_POSITIVES, negative, EACH, rate, share, NULL), NEY_OK);
    assert_int_equal(
        ney_certify(&fnr, NULL, NEY_FALSE_NEGATIVES, positive, EACH, rate, share, NULL), NEY_OK);
    *high = fpr.threshold;
    *low = fmin(fnr.threshold, fpr.threshold);
}

/* The same through a file. */
static void certify_file(const double *negative, const double *positive, double rate, double delta,
                         double *low, double *high)
{
    static text t;
    static const ney_env env = {.threads = 1};
    ney_certified c;
    ney_error err = {0};
    t.length = 0;
    for (int i = 0; i < EACH; i++) {
        text_printf(&t, "0\t%.17g\n1\t%.17g\n", negative[i], positive[i]);
    }
    if (ney_certify_file_with(&c, &env, temp_file("scores", t.bytes, t.length), NULL, rate, rate,
                              delta, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    *low = c.low;
    *high = c.high;
}

/* Positives score as negatives do, plus a shift. */
static bool two_sided_fails(rnd *r, shape s, double shift, double rate, double delta, bool filed)
{
    double negative[EACH], positive[EACH], low, high;
    for (int i = 0; i < EACH; i++) {
        negative[i] = draw(r, s);
        positive[i] = draw(r, s) + shift;
    }
    certify_both(negative, positive, rate, delta, &low, &high);
    if (filed) {
        double file_low, file_high;
        certify_file(negative, positive, rate, delta, &file_low, &file_high);
        assert_true(file_low == low && file_high == high);
    }
    const double fpr = at_least(s, high);
    const double fnr = 1 - at_least(s, nextafter(low - shift, -(double)INFINITY));
    return fpr > rate + 1e-9 || fnr > rate + 1e-9;
}

static void both_rates_at_once(void **state)
{
    static const double shift[SHAPES] = {0.25, 2, 1};
    const int64_t draws = test_times(DRAWS);
    rnd r = rnd_new(403);
    (void)state;
    for (int s = 0; s < SHAPES; s++) {
        const double delta = 0.1;
        int64_t bad = 0;
        const int64_t some = s == CONSTANT ? 20 : draws;
        for (int64_t d = 0; d < some; d++) {
            bad += two_sided_fails(&r, (shape)s, shift[s], 0.07, delta, d % 20 == 0);
        }
        const double share = (double)bad / (double)some;
        print_message("%10s, either of two: %.4f (%.4f)\n", shape_name[s], share,
                      delta + tolerance(delta, draws));
        assert_true(share <= delta + tolerance(delta, draws));
        if (s == CONTINUOUS) {
            const double one = exact_share(100, 0.07, 1 - sqrt(1 - delta));
            const double exact = 1 - (1 - one) * (1 - one);
            assert_true(fabs(share - exact) <= tolerance(exact, draws));
        }
    }
}

/* Whatever the order of the rows, and however they are spread over the real line. */
static void order_and_scale_do_not_matter(void **state)
{
    static double score[MOST], other[MOST];
    static int8_t label[MOST];
    rnd r = rnd_new(404);
    (void)state;
    for (int64_t round = 0; round < test_times(200); round++) {
        const int64_t n = 60 + rnd_below(&r, 500);
        random_scores(&r, score, label, n);
        for (int64_t i = 0; i < n; i++) {
            score[i] = fmin(fmax(score[i], -1000), 1000);
            other[i] = exp(score[i] / 4); /* keeps the order */
        }
        for (int64_t i = n - 1; i > 0; i--) {
            const int64_t k = rnd_below(&r, i + 1);
            const double swap = other[i];
            other[i] = other[k];
            other[k] = swap;
        }
        for (int kind = 0; kind < 2; kind++) {
            ney_certificate a, b;
            assert_int_equal(
                ney_certify(&a, NULL, (ney_error_kind)kind, score, n, 0.05, 0.05, NULL), NEY_OK);
            assert_int_equal(
                ney_certify(&b, NULL, (ney_error_kind)kind, other, n, 0.05, 0.05, NULL), NEY_OK);
            assert_true(a.rank == b.rank && a.bound == b.bound && a.n == b.n);
            assert_int_equal(a.misclassified, b.misclassified);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(false_positives),
        cmocka_unit_test(false_negatives),
        cmocka_unit_test(both_rates_at_once),
        cmocka_unit_test(order_and_scale_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
