/* Comparing methods: rates by trying every threshold, limits in closed form where there is one,
 * Holm's correction by hand, whatever must not show in the result. */
#include <neyman/experimental.h>

#include "decide/bootstrap.h"
#include "support/cmocka_all.h"
#include "support/ref_decide.h"

#include <math.h>
#include <string.h>

enum { MOST = 400, METHODS = 3 };

typedef struct sample {
    double score[METHODS][MOST];
    const double *method[METHODS];
    int8_t label[MOST];
    int64_t n;
} sample;

static void point_at(sample *s)
{
    for (int m = 0; m < METHODS; m++) {
        s->method[m] = s->score[m];
    }
}

/* Normal enough; positives score higher, the more so the later the method. */
static void fill(sample *s, uint64_t seed, int64_t n, double step)
{
    rnd r = rnd_new(seed);
    s->n = n;
    for (int64_t i = 0; i < n; i++) {
        const double shared = rnd_unit(&r) + rnd_unit(&r);
        s->label[i] = i % 4 == 0 ? 1 : -1;
        for (int m = 0; m < METHODS; m++) {
            const double x = shared + rnd_unit(&r) + (s->label[i] > 0 ? 0.5 + 0.3 * m : 0);
            s->score[m][i] = step > 0 ? floor(x / step) : x;
        }
    }
    point_at(s);
}

static ney_methods methods_of(const sample *s, const uint64_t *group)
{
    return (ney_methods){
        .value = s->method, .n_methods = METHODS, .label = s->label, .group = group, .n = s->n};
}

static void compare(ney_difference *d, const sample *s, const uint64_t *group, ney_error_kind kind,
                    double rate, const ney_compare_opts *o)
{
    const ney_methods methods = methods_of(s, group);
    ney_error err;
    if (ney_compare_rates(d, NULL, &methods, kind, rate, o, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
}

/* The least rate of the other error over all thresholds that keep the rate. */
static double least_error(const ref_scores *s, ney_error_kind kind, double rate)
{
    const int64_t n_pos = ref_at_least(s, 1, -(double)INFINITY);
    const int64_t n_neg = ref_at_least(s, -1, -(double)INFINITY);
    double least = 1;
    for (int64_t k = -1; k < s->n; k++) {
        const double t = k < 0 ? (double)INFINITY : s->score[k];
        const bool above_all = k < 0;
        const int64_t tp = above_all ? 0 : ref_at_least(s, 1, t);
        const int64_t fp = above_all ? 0 : ref_at_least(s, -1, t);
        const double fn_rate = (double)(n_pos - tp) / (double)n_pos;
        const double fp_rate = (double)fp / (double)n_neg;
        if (kind == NEY_FALSE_POSITIVES && (double)fp <= rate * (double)n_neg) {
            least = fmin(least, fn_rate);
        }
        if (kind == NEY_FALSE_NEGATIVES && (double)(n_pos - tp) <= rate * (double)n_pos) {
            least = fmin(least, fp_rate);
        }
    }
    return least;
}

static void rates_by_every_threshold(void **state)
{
    static const double rates[] = {0, 0.03, 0.1, 0.5, 0.99, 1};
    const ney_compare_opts few = {.confidence = 0.95, .resamples = 3, .seed = 1};
    (void)state;
    for (int64_t t = 0; t < test_times(60); t++) {
        sample s;
        ney_difference d[METHODS];
        rnd r = rnd_new((uint64_t)t + 900);
        s.n = 2 + rnd_below(&r, 60);
        for (int m = METHODS - 1; m >= 0; m--) {
            random_scores(&r, s.score[m], s.label, s.n); /* the labels are those of the last call */
        }
        point_at(&s);
        for (int k = 0; k < 12; k++) {
            const ney_error_kind kind = k % 2 ? NEY_FALSE_NEGATIVES : NEY_FALSE_POSITIVES;
            compare(d, &s, NULL, kind, rates[k / 2], &few);
            for (int m = 0; m < METHODS; m++) {
                const ref_scores ref = {s.score[m], s.label, s.n};
                const double wanted = least_error(&ref, kind, rates[k / 2]);
                if (fabs(d[m].value - wanted) > 1e-12) {
                    fail_msg("draw %d, rate %g: %g, expected %g", (int)t, rates[k / 2], d[m].value,
                             wanted);
                }
                assert_true(fabs(d[m].difference - (d[m].value - d[0].value)) < 1e-15);
            }
        }
    }
}

static void assert_same(const ney_difference *a, const ney_difference *b)
{
    for (int m = 0; m < METHODS; m++) {
        assert_true(a[m].value == b[m].value && a[m].difference == b[m].difference);
        assert_true(a[m].low == b[m].low && a[m].high == b[m].high);
        assert_true(a[m].p_value == b[m].p_value && a[m].p_adjusted == b[m].p_adjusted);
        assert_int_equal(a[m].too_few, b[m].too_few);
    }
}

static void nothing_else_shows(void **state)
{
    const ney_compare_opts o = {.confidence = 0.95, .resamples = 299, .seed = 7},
                           other = {.confidence = 0.95, .resamples = 299, .seed = 8};
    static sample s, mirror, twice;
    static uint64_t own[MOST], pairs[MOST];
    ney_difference d[METHODS], e[METHODS];
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        fill(&s, 31, 180, kind ? 0.25 : 0);
        compare(d, &s, NULL, NEY_FALSE_POSITIVES, 0.1, &o);
        assert_false(d[1].too_few);
        assert_true(d[1].low < d[1].difference && d[1].difference < d[1].high);
        for (int threads = 1; threads <= 5; threads += 2) {
            const ney_env env = {.threads = threads};
            const ney_methods methods = methods_of(&s, NULL);
            assert_int_equal(
                ney_compare_rates(e, &env, &methods, NEY_FALSE_POSITIVES, 0.1, &o, NULL), NEY_OK);
            assert_same(d, e);
        }
        compare(e, &s, NULL, NEY_FALSE_POSITIVES, 0.1, &other);
        assert_true(d[1].low != e[1].low || d[1].high != e[1].high);
        for (int64_t i = 0; i < s.n; i++) { /* groups of one row; pairs of equal rows */
            own[i] = (uint64_t)i * 3;
            pairs[2 * i] = pairs[2 * i + 1] = (uint64_t)i;
            twice.label[2 * i] = twice.label[2 * i + 1] = s.label[i];
            mirror.label[i] = (int8_t)-s.label[i];
            for (int m = 0; m < METHODS; m++) {
                mirror.score[m][i] = -s.score[m][i];
                twice.score[m][2 * i] = twice.score[m][2 * i + 1] = s.score[m][i];
            }
        }
        point_at(&mirror);
        point_at(&twice);
        mirror.n = s.n;
        twice.n = 2 * s.n;
        compare(e, &mirror, NULL, NEY_FALSE_NEGATIVES, 0.1, &o);
        assert_same(d, e);
        compare(e, &s, own, NEY_FALSE_POSITIVES, 0.1, &o);
        assert_same(d, e);
        compare(e, &twice, pairs, NEY_FALSE_POSITIVES, 0.1, &o);
        assert_same(d, e);
        compare(e, &twice, NULL, NEY_FALSE_POSITIVES, 0.1, &o); /* rows believed independent */
        assert_true(e[2].high - e[2].low < 0.85 * (d[2].high - d[2].low));
    }
}

/* What a strict or a lax threshold is worth: all positives score between the largest and the second
 * largest negative, so that a method misses none of them or all. Nothing is misclassified by the
 * lax threshold iff the largest negative's weight is within the rate, which has probability
 * 1 - (1 - rate)^n; by the strict one iff its weight and that of the added row are. */
static void thresholds_vary(void **state)
{
    const ney_compare_opts o = {.confidence = 0.95, .resamples = 9999, .seed = 3};
    static sample s;
    ney_difference d[METHODS];
    (void)state;
    s.n = 120;
    for (int64_t i = 0; i < s.n; i++) {
        s.label[i] = i < 100 ? -1 : 1;
        s.score[0][i] = i < 100 ? (double)i : 98.5;
        s.score[1][i] = i < 100 ? (double)i : 200;
        s.score[2][i] = i < 100 ? (double)i : -1;
    }
    point_at(&s);
    compare(d, &s, NULL, NEY_FALSE_POSITIVES, 0.05, &o);
    assert_true(d[0].value == 0 && d[1].value == 0 && d[2].value == 1);
    /* P(the lax threshold misses the positives of method 0) = .95^100 = .0059; of the strict one,
     * P(w_0 + w_1 > .05 W) = .95^100 (1 + 100 .05 / .95) = .037, and P(w_0 > .05 W) = .0059. */
    assert_true(d[1].low < -0.9);
    assert_true(d[1].high < 0.2);
    assert_true(d[2].high > 0.99 && d[2].low < 0.1); /* the first may miss all as well */
    assert_false(d[0].too_few);
    s.method[0] = s.score[1]; /* no negative comes near */
    s.method[1] = s.score[0];
    compare(d, &s, NULL, NEY_FALSE_POSITIVES, 0.05, &o); /* the strict threshold of the other */
    assert_true(d[1].high > 0.9 && d[1].low > -0.2 && d[1].low < -0.1);
    compare(d, &s, NULL, NEY_FALSE_POSITIVES, 0.05, &o);
    assert_true(d[2].low > 0.6 && d[2].p_adjusted <= 0.03);
}

static void too_few_rows(void **state)
{
    static sample s;
    static uint64_t group[MOST];
    ney_difference d[METHODS];
    (void)state;
    fill(&s, 5, 96, 0); /* 72 negatives: (1 - .05)^72 = .0249 */
    compare(d, &s, NULL, NEY_FALSE_POSITIVES, 0.05, NULL);
    assert_false(d[1].too_few);
    compare(d, &s, NULL, NEY_FALSE_POSITIVES, 0.0499, NULL);
    assert_true(d[1].too_few && d[1].low == -1 && d[1].high == 1);
    assert_true(d[1].p_value == 1 && d[1].p_adjusted == 1);
    for (int64_t i = 0; i < s.n; i++) {
        group[i] = (uint64_t)i % 19;
    }
    compare(d, &s, group, NEY_FALSE_POSITIVES, 0.5, NULL);
    assert_true(d[1].too_few);
    for (int64_t i = 0; i < s.n; i++) {
        group[i] = (uint64_t)i % 21; /* rows of both classes in each */
    }
    compare(d, &s, group, NEY_FALSE_POSITIVES, 0.5, NULL);
    assert_false(d[1].too_few);
}

/* Of losses 0 and 1 against none, the upper limit is that of Clopper and Pearson. */
static void losses_like_rates(void **state)
{
    const ney_compare_opts o = {.confidence = 0.95, .resamples = 19999, .seed = 1};
    static double none[200], some[200];
    const double *const loss[] = {none, some};
    const ney_methods methods = {.value = loss, .n_methods = 2, .n = 200};
    (void)state;
    for (int hits = 0; hits <= 30; hits += 15) {
        ney_difference d[2];
        double low, high;
        for (int i = 0; i < 200; i++) {
            some[i] = i < hits ? 4 : 0;
        }
        assert_int_equal(ney_compare_losses(d, NULL, &methods, 4, &o, NULL), NEY_OK);
        ney_interval(hits, 200, 0.95, &low, &high);
        print_message("%d of 200: [%.5f, %.5f], Clopper and Pearson [%.5f, %.5f]\n", hits,
                      d[1].low / 4, d[1].high / 4, low, high);
        assert_true(fabs(d[1].high / 4 - high) < 0.03 * high);
        assert_true(d[1].low / 4 < low + 0.01 && d[1].low / 4 > low - 0.02);
        assert_true(fabs(d[1].difference - 4 * hits / 200.0) < 1e-12);
        assert_true(hits > 0 ? d[1].p_value < 0.001 : d[1].p_value > 0.9);
    }
}

static void holm_by_hand(void **state)
{
    const double p[] = {0.01, 0.04, 0.03, 0.005, 0.8}, tied[] = {0.02, 0.02};
    const double wanted[] = {0.04, 0.09, 0.09, 0.025, 0.8};
    double adjusted[5];
    (void)state;
    ney_holm(p, 5, adjusted);
    for (int k = 0; k < 5; k++) {
        assert_true(fabs(adjusted[k] - wanted[k]) < 1e-15);
    }
    ney_holm(tied, 2, adjusted);
    assert_true(adjusted[0] == 0.04 && adjusted[1] == 0.04);
}

static void limits_by_hand(void **state)
{
    double lower[] = {5, 1, 4, 2, 3, 9, 8, 7, 6}, upper[] = {15, 11, 14, 12, 13, 19, 18, 17, 16};
    const double below[] = {-1, -1, 1, 1, 1}, above[] = {-1, 0, 1, 1, 1};
    double low, high;
    (void)state;
    ney_percentile_limits(lower, upper, 9, 0.2, &low, &high); /* rank 2 of 10 */
    assert_true(low == 2 && high == 18);
    ney_percentile_limits(lower, upper, 9, 0.09, &low, &high);
    assert_true(isinf(low) && isinf(high));
    assert_true(ney_percentile_p_value(below, above, 5) == 1); /* 2 (1 + 2) / 6 */
    assert_true(fabs(ney_percentile_p_value(above + 2, above + 2, 3) - 0.5) < 1e-15);
}

static bool stop(void *context, const ney_progress *progress)
{
    (void)context;
    (void)progress;
    return false;
}

static void refusals(void **state)
{
    static sample s;
    ney_difference d[METHODS];
    ney_error err;
    const ney_env stopping = {.poll = stop};
    const ney_compare_opts sure = {.confidence = 1, .resamples = 10, .seed = 1},
                           none = {.confidence = 0.95, .resamples = 0, .seed = 1};
    (void)state;
    fill(&s, 1, 100, 0);
    const ney_methods methods = methods_of(&s, NULL);
    ney_methods one_method = methods, no_rows = methods, one_class = methods;
    one_method.n_methods = 1;
    no_rows.n = 0;
    one_class.n = 1;
#define REFUSED(of, rate, opts)                                                                    \
    assert_int_equal(ney_compare_rates(d, NULL, of, NEY_FALSE_POSITIVES, rate, opts, &err),        \
                     NEY_EINVAL)
    REFUSED(&one_method, 0.1, NULL);
    REFUSED(&no_rows, 0.1, NULL);
    REFUSED(&one_class, 0.1, NULL);
    REFUSED(&methods, -0.1, NULL);
    REFUSED(&methods, 1.1, NULL);
    REFUSED(&methods, (double)NAN, NULL);
    REFUSED(&methods, 0.1, &sure);
    REFUSED(&methods, 0.1, &none);
    assert_int_equal(
        ney_compare_rates(d, &stopping, &methods, NEY_FALSE_POSITIVES, 0.1, NULL, &err),
        NEY_ECANCELLED);
    assert_int_equal(ney_compare_losses(d, NULL, &methods, 1, NULL, &err),
                     NEY_EINVAL); /* a loss above 1 */
    assert_non_null(strstr(err.message, "expected 0 to 1"));
    s.score[2][7] = (double)NAN;
    REFUSED(&methods, 0.1, NULL);
    assert_non_null(strstr(err.message, "score 8 "));
    assert_int_equal(ney_compare_losses(d, NULL, &methods, 9, NULL, &err), NEY_EINVAL);
#undef REFUSED
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_by_every_threshold), cmocka_unit_test(nothing_else_shows),
        cmocka_unit_test(thresholds_vary),          cmocka_unit_test(too_few_rows),
        cmocka_unit_test(losses_like_rates),        cmocka_unit_test(holm_by_hand),
        cmocka_unit_test(limits_by_hand),           cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
