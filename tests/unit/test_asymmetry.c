/* Training against testing asymmetry, judged by tests/reference/asymmetry.txt: values of 40 digits
 * that an independent program computed (tests/reference/asymmetry.py). */
#include "support/asymmetry_cases.h"
#include "support/cmocka_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ against the references */

/* |found - wanted| in units of wanted. */
static double relative(double found, double wanted)
{
    return wanted == 0 ? fabs(found) : fabs(found / wanted - 1);
}

typedef struct worst {
    double w, b, log_slope, log_rate;
} worst;

static void judge(const asymmetry_case *c, const asymmetry_at *at, ney_asymmetry *study,
                  worst *most)
{
    ney_asymmetry_point p;
    ney_error err;
    double w[8];

    assert_int_equal(ney_asymmetry_at(study, at->gamma, &p, w, &err), NEY_OK);
    for (int64_t i = 0; i < c->dims; i++) {
        const double error = relative(w[i], at->w[i]);
        most->w = fmax(most->w, error);
        if (!(error <= 1e-9)) {
            fail_msg("%s, gamma = %.17g: w[%d] = %.17g, expected %.17g", c->name, at->gamma, (int)i,
                     w[i], at->w[i]);
        }
    }
    most->b = fmax(most->b, relative(p.b, at->b));
    if (!(relative(p.b, at->b) <= 1e-9)) {
        fail_msg("%s, gamma = %.17g: b = %.17g, expected %.17g", c->name, at->gamma, p.b, at->b);
    }
    if (isnan(at->log_slope) != isnan(p.log_slope)) {
        fail_msg("%s, gamma = %.17g: log_slope = %g, expected %g", c->name, at->gamma, p.log_slope,
                 at->log_slope);
    }
    const double slope_error = isnan(at->log_slope) ? 0 : relative(p.log_slope, at->log_slope);
    most->log_slope = fmax(most->log_slope, slope_error);
    if (!(slope_error <= 1e-6)) {
        fail_msg("%s, gamma = %.17g: log_slope = %.17g, expected %.17g", c->name, at->gamma,
                 p.log_slope, at->log_slope);
    }
    /* A logarithm near 0 is of a rate near 1: an absolute error is a relative one of the rate. */
    const double rate_error = fmax(fabs(p.log_fpr - at->log_fpr) / (1 + fabs(at->log_fpr)),
                                   fabs(p.log_tpr - at->log_tpr) / (1 + fabs(at->log_tpr)));
    most->log_rate = fmax(most->log_rate, rate_error);
    if (!(rate_error <= 1e-9)) {
        fail_msg("%s, gamma = %.17g: log rates %.17g %.17g, expected %.17g %.17g", c->name,
                 at->gamma, p.log_fpr, p.log_tpr, at->log_fpr, at->log_tpr);
    }
}

static void test_references(void **state)
{
    asymmetry_cases all = asymmetry_cases_read();

    (void)state;
    assert_true(all.n >= 16);
    for (int i = 0; i < all.n; i++) {
        const asymmetry_case *c = &all.cases[i];
        ney_mixture *mixture = asymmetry_mixture(c);
        ney_asymmetry *study;
        ney_error err;
        worst most = {0, 0, 0, 0};
        assert_int_equal(ney_asymmetry_new(&study, NULL, mixture, c->loss, &err), NEY_OK);
        for (int k = 0; k < c->n_at; k++) {
            judge(c, &c->at[k], study, &most);
        }
        print_message("%-22s %-6s worst relative errors: w %.1e, b %.1e, log_slope %.1e, log rates "
                      "%.1e\n",
                      c->name, c->loss == NEY_LOSS_SQUARE ? "square" : "erf", most.w, most.b,
                      most.log_slope, most.log_rate);
        ney_asymmetry_free(study);
        ney_mixture_free(mixture);
    }
    asymmetry_cases_free(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
