/* Differences in mean loss of several methods from the first one, on the same rows. */
#include "decide/compare.h"

typedef struct loss_comparison {
    const double *const *loss;
    int64_t n, n_methods, n_units, added;
    const int32_t *unit;
    double largest;
} loss_comparison;

static void losses_of_resample(const void *context, const uint32_t *weight, uint32_t *scratch,
                               double *value)
{
    const loss_comparison *c = context;
    const double more = (double)c->added * weight[c->n_units];
    const double n = (double)ney_compare_spread(weight, c->unit, c->n, scratch) + more;

    for (int64_t m = 1; m < c->n_methods; m++) {
        const double *const a = c->loss[0], *const b = c->loss[m];
        double sum = 0;
        for (int64_t i = 0; i < c->n; i++) {
            sum += scratch[i] * (b[i] - a[i]);
        }
        value[2 * m - 2] = (sum - more * c->largest) / n;
        value[2 * m - 1] = (sum + more * c->largest) / n;
    }
}

static ney_status check_losses(const loss_comparison *c, ney_error *err)
{
    for (int64_t m = 0; m < c->n_methods; m++) {
        for (int64_t i = 0; i < c->n; i++) {
            if (!(c->loss[m][i] >= 0 && c->loss[m][i] <= c->largest)) {
                return ney_fail(err, NEY_EINVAL, "loss %lld of method %lld is %g, expected 0 to %g",
                                (long long)i + 1, (long long)m + 1, c->loss[m][i], c->largest);
            }
        }
    }
    return NEY_OK;
}

static void mean_losses(const loss_comparison *c, ney_difference *out)
{
    for (int64_t m = 0; m < c->n_methods; m++) {
        double sum = 0;
        for (int64_t i = 0; i < c->n; i++) {
            sum += c->loss[m][i];
        }
        out[m] = (ney_difference){.value = sum / (double)c->n};
        out[m].difference = out[m].value - out[0].value;
        ney_difference_unknown(&out[m], m > 0 ? c->largest : 0);
    }
}

ney_status ney_compare_losses(ney_difference *out, const ney_env *env, const ney_methods *methods,
                              double largest, const ney_compare_opts *opts, ney_error *err)
{
    NEY_REQUIRE(out && methods && methods->n >= 0 && (methods->value || methods->n == 0), err);
    NEY_REQUIRE_RESERVED(methods, "ney_methods", err);
    const int64_t n = methods->n, n_methods = methods->n_methods;
    const ney_env e = ney_env_of(env);
    const ney_compare_opts o = ney_compare_opts_or_default(opts);
    loss_comparison c = {
        .loss = methods->value, .n = n, .n_methods = n_methods, .largest = largest};
    ney_status st = ney_compare_check(&o, n_methods, n, err);

    if (st != NEY_OK || (st = check_losses(&c, err)) != NEY_OK) {
        return st;
    }
    int32_t *unit = ney_alloc(&e, n, sizeof *unit);
    st = unit ? ney_compare_units(&e, methods->group, n, unit, &c.n_units, err)
              : ney_no_memory(err, n, "rows in units");
    if (st == NEY_OK) {
        const ney_bootstrap boot = {.n_resamples = o.resamples,
                                    .seed = o.seed,
                                    .n_units = c.n_units + 1,
                                    .n_values = 2 * (n_methods - 1),
                                    .n_scratch = n,
                                    .statistic = losses_of_resample,
                                    .context = &c};
        c.unit = unit;
        c.added = ney_compare_added_rows(n, c.n_units);
        mean_losses(&c, out);
        if (methods->group && c.n_units < NEY_COMPARE_GROUPS) {
            for (int64_t m = 0; m < n_methods; m++) {
                out[m].too_few = true;
            }
        } else {
            st = ney_compare_bound(out, &e, &boot, o.confidence, largest, err);
        }
    }
    ney_release(&e, unit);
    return st;
}
