#include "decide/compare.h"

#include "base/grouping.h"

#include <math.h>

ney_compare_opts ney_compare_opts_or_default(const ney_compare_opts *opts)
{
    return opts ? *opts : (ney_compare_opts){.confidence = 0.95, .resamples = 2999, .seed = 1};
}

ney_status ney_compare_check(const ney_compare_opts *o, int64_t n_methods, int64_t n,
                             ney_error *err)
{
    if (n_methods < 2) {
        return ney_fail(err, NEY_EINVAL, "%lld methods to compare, expected 2 or more",
                        (long long)n_methods);
    }
    if (n < 1 || n > INT32_MAX - 2) {
        return ney_fail(err, NEY_EINVAL, "%lld rows to compare methods on, expected 1 to %d",
                        (long long)n, INT32_MAX - 2);
    }
    if (!(o->confidence > 0 && o->confidence < 1)) {
        return ney_fail(err, NEY_EINVAL, "a confidence of %g, expected one between 0 and 1",
                        o->confidence);
    }
    if (o->resamples < 1) {
        return ney_fail(err, NEY_EINVAL, "%lld resamples, expected 1 or more",
                        (long long)o->resamples);
    }
    return NEY_CHECK_RESERVED(o, "ney_compare_opts", err);
}

ney_status ney_compare_units(const ney_env *env, const uint64_t *group, int64_t n, int32_t *unit,
                             int64_t *n_units, ney_error *err)
{
    ney_grouping g;
    ney_status st = NEY_OK;

    if (!group) {
        for (int64_t i = 0; i < n; i++) {
            unit[i] = (int32_t)i;
        }
        *n_units = n;
        return NEY_OK;
    }
    if ((st = ney_grouping_init(&g, env, group, n, err)) == NEY_OK) {
        for (int64_t k = 0; k < g.n; k++) {
            for (int64_t i = g.begin[k]; i < g.begin[k + 1]; i++) {
                unit[g.row[i]] = (int32_t)k;
            }
        }
        *n_units = g.n;
    }
    ney_grouping_deinit(&g);
    return st;
}

void ney_difference_unknown(ney_difference *d, double largest)
{
    d->low = -largest;
    d->high = largest;
    d->p_value = d->p_adjusted = 1;
}

ney_status ney_compare_bound(ney_difference *out, const ney_env *env, const ney_bootstrap *boot,
                             double confidence, double largest, ney_error *err)
{
    const int64_t n = boot->n_resamples, pairs = boot->n_values / 2;
    double *value = ney_alloc(env, boot->n_values * n, sizeof *value);
    double *p = ney_alloc(env, 2 * pairs, sizeof *p);
    ney_status st = value && p ? ney_bootstrap_run(boot, env, value, err)
                               : ney_no_memory(err, boot->n_values * n, "resamples");

    for (int64_t k = 0; k < pairs && st == NEY_OK; k++) {
        double *lower = value + 2 * k * n, *upper = lower + n;
        ney_difference *d = &out[k + 1];
        ney_percentile_limits(lower, upper, n, (1 - confidence) / 2, &d->low, &d->high);
        d->low = fmax(d->low, -largest);
        d->high = fmin(d->high, largest);
        d->p_value = p[k] = ney_percentile_p_value(lower, upper, n);
    }
    if (st == NEY_OK) {
        ney_holm(p, pairs, p + pairs);
        for (int64_t k = 0; k < pairs; k++) {
            out[k + 1].p_adjusted = p[pairs + k];
        }
    }
    ney_release(env, value);
    ney_release(env, p);
    return st;
}

uint64_t ney_compare_spread(const uint32_t *weight, const int32_t *unit, int64_t n, uint32_t *to)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += to[i] = weight[unit[i]];
    }
    return sum;
}

int64_t ney_compare_added_rows(int64_t n_rows, int64_t n_units)
{
    return (n_rows + n_units - 1) / n_units;
}
