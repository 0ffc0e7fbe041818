/* The normal distribution against its integral and against tables. */
#include "decide/normal.h"
#include "support/cmocka_all.h"

#include <math.h>

/* The integral of the density from 0 to x by Simpson's rule, in long double. */
static long double integral(long double x)
{
    enum { STEPS = 4000 };
    const long double root = 2.50662827463100050241576528481104525L, h = x / STEPS;
    long double sum = 0;
    for (int i = 0; i <= STEPS; i++) {
        const long double u = h * i;
        sum += expl(-u * u / 2) * (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2);
    }
    return sum * h / 3 / root;
}

static void test_cdf_is_the_integral(void **state)
{
    (void)state;
    for (double x = -6; x <= 6; x += 0.125) {
        const long double wanted = 0.5L + integral(x);
        if (fabsl((long double)ney_normal_cdf(x) - wanted) > 1e-15L) {
            fail_msg("cdf(%g) = %.17g, expected %.17Lg", x, ney_normal_cdf(x), wanted);
        }
    }
    assert_true(ney_normal_cdf(-(double)INFINITY) == 0 && ney_normal_cdf((double)INFINITY) == 1);
    assert_true(ney_normal_cdf(0) == 0.5);
    assert_true(ney_normal_cdf(-38) > 0); /* the far tail does not vanish early */
}

/* Digits of tables. */
static void test_quantile_of_tables(void **state)
{
    static const struct {
        double p, x;
    } cases[] = {
        {0.5, 0},
        {0.975, 1.9599639845400542355},
        {0.95, 1.6448536269514727148},
        {0.995, 2.5758293035489007610},
        {0.9, 1.2815515655446004005},
        {0.0005, -3.2905267314918948},
        {1e-9, -5.9978070150076868716},
        {1e-100, -21.273453560965324295},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double x = ney_normal_quantile(cases[i].p);
        if (fabs(x - cases[i].x) > 4e-15 * (1 + fabs(x))) {
            fail_msg("quantile(%g) = %.17g, expected %.17g", cases[i].p, x, cases[i].x);
        }
    }
}

static void test_quantile_undoes_cdf(void **state)
{
    (void)state;
    for (int e = -300; e < 0; e++) { /* the lower tail, where p keeps its digits */
        const double p = 0.37 * pow(10, e), back = ney_normal_cdf(ney_normal_quantile(p));
        if (fabs(back / p - 1) > 1e-12) { /* an error of x is multiplied by |x|, up to 37 */
            fail_msg("cdf(quantile(%g)) = %g", p, back);
        }
    }
    for (double p = 0.001; p < 1; p += 0.001) {
        assert_true(fabs(ney_normal_cdf(ney_normal_quantile(p)) - p) < 1e-15);
        assert_true(ney_normal_quantile(p) < ney_normal_quantile(p + 0.0005));
        assert_true(fabs(ney_normal_quantile(p) + ney_normal_quantile(1 - p)) < 1e-13);
    }
}

static void test_quantile_edges(void **state)
{
    (void)state;
    assert_true(ney_normal_quantile(0) == -(double)INFINITY);
    assert_true(ney_normal_quantile(1) == (double)INFINITY);
    assert_true(isnan(ney_normal_quantile(-0.1)));
    assert_true(isnan(ney_normal_quantile(1.1)));
    assert_true(isnan(ney_normal_quantile((double)NAN)));
    assert_true(fabs(ney_normal_quantile(5e-324) + 38.4674) < 1e-3); /* the smallest number */
    assert_true(isfinite(ney_normal_quantile(nextafter(1, 0))));
}

/* Against long double, and beyond its range against the asymptotic series
 * cdf(-z) = density(z) / z (1 - 1/z^2 + 3/z^4 - 15/z^6 + 105/z^8 - ...). */
static void test_log_cdf_and_ratio(void **state)
{
    const long double log_root_two_pi = 0.918938533204672741780329736405617640L;

    (void)state;
    for (double x = -100; x <= 12; x += 0.0625) {
        const long double wanted = logl(0.5L * erfcl(-(long double)x / sqrtl(2)));
        const long double density = -0.5L * x * x - log_root_two_pi;
        const double found = ney_normal_log_cdf(x), ratio = ney_normal_ratio(x);
        if (fabsl(found - wanted) > 1e-15L * (1 + fabsl(wanted)) &&
            fabsl(found / wanted - 1) > 1e-14L) {
            fail_msg("log_cdf(%g) = %.17g, expected %.17Lg", x, found, wanted);
        }
        if (x <= 0 && fabsl((long double)ratio / expl(wanted - density) - 1) > 2e-15L * (1 - x)) {
            fail_msg("ratio(%g) = %.17g, expected %.17Lg", x, ratio, expl(wanted - density));
        }
    }
    for (double z = 1e3; z < 1e20; z *= 10) {
        const double q = 1 / z / z, series = (1 - q * (1 - 3 * q * (1 - 5 * q))) / z;
        assert_true(fabs(ney_normal_ratio(-z) / series - 1) < 1e-15);
    }
    assert_true(ney_normal_log_cdf(40) <= 0 && ney_normal_log_cdf(40) > -1e-300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cdf_is_the_integral), cmocka_unit_test(test_quantile_of_tables),
        cmocka_unit_test(test_quantile_undoes_cdf), cmocka_unit_test(test_quantile_edges),
        cmocka_unit_test(test_log_cdf_and_ratio),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
