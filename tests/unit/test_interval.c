/* Exact intervals, judged by sums of binomial probabilities in long double. */
#include <neyman/experimental.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* P(X >= k) for X binomial(n, x): summed from the larger terms down, on whichever side is short. */
static long double tail_at_least(int64_t k, int64_t n, long double x)
{
    if (x <= 0) {
        return k <= 0;
    }
    if (x >= 1) {
        return 1;
    }
    const long double odds = x / (1 - x), mean = (long double)n * x;
    const bool is_upper = (long double)k > mean;
    int64_t j = is_upper ? k : k - 1;
    if (j < 0) {
        return 1;
    }
    long double term = expl(lgammal((long double)n + 1) - lgammal((long double)j + 1) -
                            lgammal((long double)(n - j) + 1) + (long double)j * logl(x) +
                            (long double)(n - j) * log1pl(-x));
    long double sum = 0;
    while (j >= 0 && j <= n && term > 1e-25L * sum) {
        sum += term;
        if (is_upper) {
            term *= odds * (long double)(n - j) / (long double)(j + 1);
            j++;
        } else {
            term *= (long double)j / ((long double)(n - j + 1) * odds);
            j--;
        }
    }
    return is_upper ? sum : 1 - sum;
}

/* The limit must bracket the root within `within`. */
static bool is_lower_limit(double low, int64_t k, int64_t n, long double tail, long double within)
{
    return tail_at_least(k, n, (long double)low - within) <= tail &&
           tail_at_least(k, n, (long double)low + within) >= tail;
}

static void check_one(int64_t k, int64_t n, double confidence)
{
    double low, high;
    const long double tail = (1 - (long double)confidence) / 2;
    ney_interval(k, n, confidence, &low, &high);
    const double rate = (double)k / (double)n;
    if (!(low >= 0 && low <= rate && rate <= high && high <= 1) || (k == 0) != (low == 0) ||
        (k == n) != (high == 1)) {
        fail_msg("%lld of %lld: [%.17g, %.17g]", (long long)k, (long long)n, low, high);
    }
    if (k > 0 && !is_lower_limit(low, k, n, tail, fminl(1e-10L, 1e-9L * (long double)low))) {
        fail_msg("%lld of %lld: low %.17g", (long long)k, (long long)n, low);
    }
    if (k < n) {
        /* P(X <= k) at high is the tail: the same statement with hits and misses exchanged. */
        const long double miss = 1 - (long double)high;
        if (tail_at_least(n - k, n, miss - 1e-10L) > tail ||
            tail_at_least(n - k, n, miss + 1e-10L) < tail) {
            fail_msg("%lld of %lld: high %.17g", (long long)k, (long long)n, high);
        }
    }
}

static void test_interval_against_sums(void **state)
{
    static const double confidence[] = {0.5, 0.95, 0.999, 1 - 1e-12};
    (void)state;
    for (size_t c = 0; c < sizeof confidence / sizeof *confidence; c++) {
        for (int64_t n = 1; n <= 40; n++) {
            for (int64_t k = 0; k <= n; k++) {
                check_one(k, n, confidence[c]);
            }
        }
    }
}

static void test_interval_of_large_samples(void **state)
{
    static const int64_t n[] = {1000, 123456, 10000000, 1000000000};
    (void)state;
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        const int64_t hits[] = {0,           1,        2,        17,
                                n[i] / 1000, n[i] / 3, n[i] / 2, n[i] - n[i] / 100,
                                n[i] - 2,    n[i] - 1, n[i]};
        for (size_t k = 0; k < sizeof hits / sizeof *hits; k++) {
            check_one(hits[k], n[i], 0.95);
            check_one(hits[k], n[i], 0.99999);
        }
    }
}

/* Found in tables of Clopper-Pearson limits. */
static void test_interval_of_ten(void **state)
{
    static const struct {
        int64_t hits;
        double low, high;
    } cases[] = {{0, 0, 0.3084971}, {1, 0.0025286, 0.4450161}, {5, 0.1870860, 0.8129140}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double low, high;
        ney_interval(cases[i].hits, 10, 0.95, &low, &high);
        assert_true(fabs(low - cases[i].low) < 1e-7 && fabs(high - cases[i].high) < 1e-7);
    }
}

static void test_interval_edges(void **state)
{
    static const struct {
        const char *why;
        int64_t hits, n;
        double confidence, low, high;
    } cases[] = {
        {"nothing seen", 0, 0, 0.95, 0, 1},
        {"negative count", 1, -3, 0.95, 0, 1},
        {"certainty", 3, 10, 1, 0, 1},
        {"more than certainty", 3, 10, 2, 0, 1},
        {"not a number", 3, 10, NAN, 0, 1},
        {"one miss", 0, 1, 0.9, 0, 0.95},
        {"one hit", 1, 1, 0.9, 0.05, 1},
        {"hits beyond n count as n", 5, 1, 0.9, 0.05, 1},
        {"hits below zero count as none", -5, 1, 0.9, 0, 0.95},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double low, high;
        ney_interval(cases[i].hits, cases[i].n, cases[i].confidence, &low, &high);
        if (fabs(low - cases[i].low) > 1e-14 || fabs(high - cases[i].high) > 1e-14) {
            fail_msg("%s: [%g, %g]", cases[i].why, low, high);
        }
    }
    double low, high, low_zero, high_zero;
    ney_interval(3, 10, 0, &low_zero, &high_zero);
    ney_interval(3, 10, -1, &low, &high);
    assert_true(low == low_zero && high == high_zero && low <= high);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interval_against_sums),
        cmocka_unit_test(test_interval_of_large_samples),
        cmocka_unit_test(test_interval_of_ten),
        cmocka_unit_test(test_interval_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
