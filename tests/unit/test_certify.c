/* Certificates: ranks and bounds against binomial sums, and every way to be refused one. */
#include "support/cmocka_all.h"
#include "support/ref_decide.h"

#include <neyman/experimental.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static ney_certificate certify(ney_error_kind kind, const double *score, int64_t n, double max_rate,
                               double delta)
{
    ney_certificate c;
    ney_error err = {0};
    if (ney_certify(&c, NULL, kind, score, n, max_rate, delta, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    return c;
}

/* Of the bytes of the scores, the least significant first. */
static uint64_t hash_little(const double *score, int64_t n)
{
    unsigned char *bytes = malloc((size_t)n * 8 + 1);
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &score[i], sizeof bits);
        for (int k = 0; k < 8; k++) {
            bytes[8 * i + k] = (unsigned char)(bits >> 8 * k);
        }
    }
    const uint64_t hash = XXH3_64bits(bytes, (size_t)n * 8);
    free(bytes);
    return hash;
}

/* ---- numbers of rows and mistakes */

static const double rates[] = {1e-3, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.999};
static const double deltas[] = {1e-6, 1e-3, 0.01, 0.05, 0.1, 0.3, 0.5};
enum { RATES = sizeof rates / sizeof *rates, DELTAS = sizeof deltas / sizeof *deltas };

static void check_rank(int64_t n, double a, double delta)
{
    long double slack;
    const int64_t k = ref_umbrella_rank(n, a, delta, &slack);
    const int64_t r = ney_mistakes_allowed(n, a, delta);
    if (slack > 1e-13L && n - r != k) { /* nearer, rounding may decide */
        fail_msg("%lld rows, rate %g, delta %g: rank %lld, expected %lld", (long long)n, a, delta,
                 (long long)(n - r), (long long)k);
    }
}

static void test_ranks_against_sums(void **state)
{
    (void)state;
    for (int i = 0; i < RATES; i++) {
        for (int j = 0; j < DELTAS; j++) {
            for (int64_t n = 0; n <= 1500; n += n < 130 ? 1 : 137) {
                check_rank(n, rates[i], deltas[j]);
            }
        }
    }
}

/* Exactly enough rows, and one less. */
static void test_rows_needed(void **state)
{
    (void)state;
    for (int i = 0; i < RATES; i++) {
        for (int j = 0; j < DELTAS; j++) {
            const int64_t n = (int64_t)ney_rows_needed(rates[i], deltas[j]);
            assert_true(n >= 1);
            if (ney_mistakes_allowed(n, rates[i], deltas[j]) != 0 ||
                ney_mistakes_allowed(n - 1, rates[i], deltas[j]) != -1) {
                fail_msg("rate %g, delta %g: %lld rows", rates[i], deltas[j], (long long)n);
            }
            assert_true(ney_tightest_rate(n, deltas[j]) <= rates[i] * (1 + 1e-12));
            assert_true(n == 1 || ney_tightest_rate(n - 1, deltas[j]) > rates[i] * (1 - 1e-12));
        }
    }
    assert_true(ney_rows_needed(0.05, 0.05) == 59);
    assert_true(ney_rows_needed(0.01, 0.05) == 299);
    assert_true(ney_rows_needed(0.5, 0.5) == 1);
    assert_true(ney_tightest_rate(0, 0.05) == 1);
}

/* Where (1 - A)^n is delta on paper, both functions must fall to the same side. */
static void test_rows_needed_at_equality(void **state)
{
    (void)state;
    for (int a = 1; a < 100; a++) {
        for (int n = 1; n < 60; n++) {
            const double rate = a / 100.0, delta = pow(1 - rate, n);
            if (delta <= 0 || delta > 0.5) {
                continue;
            }
            const int64_t needed = (int64_t)ney_rows_needed(rate, delta);
            assert_true(needed == n || needed == n + 1);
            if (ney_mistakes_allowed(needed, rate, delta) != 0 ||
                ney_mistakes_allowed(needed - 1, rate, delta) != -1) {
                fail_msg("rate %g, delta %g: %lld rows", rate, delta, (long long)needed);
            }
        }
    }
}

static void test_far_ends(void **state)
{
    (void)state;
    /* rates of one in a billion: the rows needed are no round-off of each other */
    const double n = ney_rows_needed(1e-9, 0.05);
    assert_true(fabs(n - 2995732272) < 5);
    assert_int_equal(ney_mistakes_allowed((int64_t)n, 1e-9, 0.05), 0);
    assert_int_equal(ney_mistakes_allowed((int64_t)n - 1, 1e-9, 0.05), -1);
    assert_true(ney_rows_needed(1e-300, 0.05) > 1e300);
    assert_true(ney_rows_needed(1 - 1e-16, 0.5) == 1);
    assert_int_equal(ney_mistakes_allowed(1000, 1e-300, 0.5), -1);
    assert_int_equal(ney_mistakes_allowed(1000, 0.5, 1e-300), 0);
    assert_int_equal(ney_mistakes_allowed(1000, 0.5, 1e-302), -1);
    assert_int_equal(ney_mistakes_allowed(INT64_C(10000000), 0.5, 0.5), 4999999);
}

/* ---- the threshold */

/* The threshold mistakes at most the mistakes allowed; one number further, it would mistake more.
 */
static void check_certificate(ney_error_kind kind, const double *score, int64_t n, double a,
                              double delta)
{
    const ney_certificate c = certify(kind, score, n, a, delta);
    const int64_t allowed = ney_mistakes_allowed(n, a, delta);
    const bool positives = kind == NEY_FALSE_NEGATIVES;
    int64_t misclassified = 0, further = 0, below = 0, not_above = 0;
    const double t = positives ? c.threshold : nextafter(c.threshold, -(double)INFINITY);
    for (int64_t i = 0; i < n; i++) {
        misclassified += positives ? score[i] < c.threshold : score[i] >= c.threshold;
        further += positives ? score[i] <= t : score[i] >= t;
        below += score[i] < t;
        not_above += score[i] <= t;
    }
    assert_true(c.kind == kind && c.max_rate == a && c.delta == delta && c.n == n);
    assert_int_equal(c.rank, positives ? allowed + 1 : n - allowed);
    assert_int_equal(c.misclassified, misclassified);
    assert_true(misclassified <= allowed && further > allowed);
    assert_true(below < c.rank && c.rank <= not_above); /* t is the rank-th smallest score */
    /* what the bound says: P(X <= allowed) = delta there */
    long double sum = 0;
    for (int64_t k = 0; k <= allowed; k++) {
        sum += ref_binomial(k, n, c.bound);
    }
    if (fabsl(sum / (long double)delta - 1) > 1e-9L || c.bound > a * (1 + 1e-12)) {
        fail_msg("bound %.17g of %lld rows at %g, delta %g: %.17Lg", c.bound, (long long)n, a,
                 delta, sum);
    }
    assert_true(c.hash == hash_little(score, n));
}

static void test_certificates(void **state)
{
    static double score[400];
    static int8_t label[400];
    rnd r = rnd_new(321);
    (void)state;
    for (int64_t round = 0; round < test_times(400); round++) {
        const double a = 0.02 + 0.9 * rnd_unit(&r), delta = 0.5 * (0.001 + 0.999 * rnd_unit(&r));
        const int64_t n = (int64_t)ney_rows_needed(a, delta) + rnd_below(&r, 30);
        if (n > 400) {
            continue;
        }
        random_scores(&r, score, label, n);
        for (int64_t i = 0; i < n; i++) { /* infinite ones are for the next test */
            score[i] = isinf(score[i]) ? 7 : score[i];
        }
        check_certificate(NEY_FALSE_POSITIVES, score, n, a, delta);
        check_certificate(NEY_FALSE_NEGATIVES, score, n, a, delta);
    }
}

static void test_one_row(void **state)
{
    const double score = 2.5;
    const ney_certificate fp = certify(NEY_FALSE_POSITIVES, &score, 1, 0.5, 0.5);
    const ney_certificate fn = certify(NEY_FALSE_NEGATIVES, &score, 1, 0.5, 0.5);
    (void)state;
    assert_true(fp.threshold == nextafter(2.5, 3) && fn.threshold == 2.5);
    assert_true(fp.rank == 1 && fn.rank == 1 && fp.misclassified == 0 && fn.misclassified == 0);
    assert_true(fabs(fp.bound - 0.5) < 1e-15);
}

/* Two mistakes of three rows are allowed at a rate of 0.9: T is the least score, whatever its sign.
 */
static void test_zeros_of_both_signs(void **state)
{
    const double score[2][3] = {{-0.0, 0.0, 1}, {0.0, -0.0, 1}};
    (void)state;
    assert_int_equal(ney_mistakes_allowed(3, 0.9, 0.3), 2);
    for (int i = 0; i < 2; i++) {
        const ney_certificate c = certify(NEY_FALSE_POSITIVES, score[i], 3, 0.9, 0.3);
        assert_true(c.threshold == nextafter(0, 1)); /* beyond both */
        assert_int_equal(c.misclassified, 1);
    }
}

static void test_infinite_scores(void **state)
{
    const double inf = (double)INFINITY;
    double score[59];
    ney_certificate c;
    ney_error err = {0};
    (void)state;
    for (int i = 0; i < 59; i++) {
        score[i] = -inf;
    }
    c = certify(NEY_FALSE_POSITIVES, score, 59, 0.05, 0.05);
    assert_true(c.threshold == -DBL_MAX); /* the next number above */
    assert_int_equal(c.misclassified, 0);
    c = certify(NEY_FALSE_NEGATIVES, score, 59, 0.05, 0.05);
    assert_true(c.threshold == -inf); /* all rows are positive, and none is missed */
    assert_int_equal(c.misclassified, 0);
    score[7] = DBL_MAX;
    c = certify(NEY_FALSE_POSITIVES, score, 59, 0.05, 0.05);
    assert_true(c.threshold == inf); /* only infinite scores are positive */
    score[7] = inf;
    assert_int_equal(ney_certify(&c, NULL, NEY_FALSE_POSITIVES, score, 59, 0.05, 0.05, &err),
                     NEY_EGOAL);
    assert_non_null(strstr(err.message, "infinite"));
    for (int i = 0; i < 59; i++) {
        score[i] = inf;
    }
    c = certify(NEY_FALSE_NEGATIVES, score, 59, 0.05, 0.05);
    assert_true(c.threshold == inf && c.misclassified == 0);
}

/* The order of the rows changes nothing but the hash. */
static void test_hash_is_of_the_order(void **state)
{
    const double a[] = {1, 2, 3}, b[] = {3, 2, 1};
    ney_certificate c = certify(NEY_FALSE_POSITIVES, a, 3, 0.7, 0.3);
    ney_certificate d = certify(NEY_FALSE_POSITIVES, b, 3, 0.7, 0.3);
    (void)state;
    assert_true(c.hash != d.hash);
    c.hash = d.hash;
    assert_true(c.threshold == d.threshold && c.misclassified == d.misclassified &&
                c.bound == d.bound);
}

/* ---- refusals */

static void test_too_few(void **state)
{
    double score[59] = {0};
    ney_certificate c;
    ney_error err = {0};
    (void)state;
    assert_int_equal(ney_certify(&c, NULL, NEY_FALSE_POSITIVES, score, 59, 0.05, 0.05, &err),
                     NEY_OK);
    assert_int_equal(ney_certify(&c, NULL, NEY_FALSE_POSITIVES, score, 58, 0.05, 0.05, &err),
                     NEY_EGOAL);
    assert_string_equal(err.message,
                        "58 negative rows cannot certify a rate of 0.05 with confidence 0.95: at "
                        "least 59 are needed; the tightest rate that these can certify is 0.05034");
    /* and it is so */
    assert_int_equal(ney_certify(&c, NULL, NEY_FALSE_POSITIVES, score, 58, 0.05034, 0.05, NULL),
                     NEY_OK);
    assert_int_equal(ney_certify(&c, NULL, NEY_FALSE_NEGATIVES, score, 0, 0.05, 0.05, &err),
                     NEY_EGOAL);
    assert_non_null(strstr(err.message, "0 positive rows"));
    assert_non_null(strstr(err.message, "can certify is 1"));
}

static void test_invalid(void **state)
{
    static const struct {
        const char *why;
        double max_rate, delta, score;
    } cases[] = {
        {"no rate", 0, 0.1, 1},
        {"certain to err", 1, 0.1, 1},
        {"negative rate", -0.1, 0.1, 1},
        {"rate is not a number", NAN, 0.1, 1},
        {"no doubt", 0.9, 0, 1},
        {"more doubt than a coin", 0.9, 0.51, 1},
        {"delta negative", 0.9, -1, 1},
        {"delta is not a number", 0.9, NAN, 1},
        {"a score is none", 0.9, 0.3, NAN},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double score[] = {1, cases[i].score, 3};
        ney_certificate c;
        ney_error err = {0};
        for (int kind = 0; kind < 2; kind++) {
            if (ney_certify(&c, NULL, (ney_error_kind)kind, score, 3, cases[i].max_rate,
                            cases[i].delta, &err) != NEY_EINVAL ||
                err.message[0] == '\0') {
                fail_msg("%s: '%s'", cases[i].why, err.message);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks_against_sums),
        cmocka_unit_test(test_rows_needed),
        cmocka_unit_test(test_rows_needed_at_equality),
        cmocka_unit_test(test_far_ends),
        cmocka_unit_test(test_certificates),
        cmocka_unit_test(test_one_row),
        cmocka_unit_test(test_zeros_of_both_signs),
        cmocka_unit_test(test_infinite_scores),
        cmocka_unit_test(test_hash_is_of_the_order),
        cmocka_unit_test(test_too_few),
        cmocka_unit_test(test_invalid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
