/* Differences of several methods from the first one on the same test rows.
 *
 * At a matched rate each method's threshold is a quantile of the scores of the same test rows, so
 * that the threshold's variance is part of the difference's: every resample sets the thresholds
 * anew, with the same weights for all methods. With n rows of the bounded class in the order
 * x_1 >= x_2 >= ... of misclassification, the probability of scoring at least x_j is distributed as
 * (w_1 + ... + w_j) / (w_0 + ... + w_n), and that of scoring above x_j at most as
 * (w_0 + w_1 + ... + w_(j-1)) over the same, w being independent exponential numbers: the weights
 * of the rows, and w_0 of one row more. The threshold is thus just above the first x_j where the
 * sum of weights exceeds max_rate, or with w_0 counted just above that one.        [COMPARE.1]
 *
 * Each resample gives the difference twice: at its lower limit, with the other method's threshold
 * as lax and the first one's as strict as [COMPARE.1] allows and one row more that the first method
 * alone misclassifies, and at its upper limit with the roles exchanged. Where methods agree on all
 * rows the interval has a length all the same.
 *
 * Class 0 is the class whose error rate is matched ("bounded"), class 1 the one whose error rate is
 * compared ("free"). */
#include "base/grouping.h"
#include "decide/bootstrap.h"
#include "decide/order.h"

#include <math.h>

enum { FEWEST_GROUPS = 20 };

static const ney_compare_opts defaults = {.confidence = 0.95, .resamples = 2999, .seed = 1};

static ney_status check_opts(const ney_compare_opts *o, int64_t n_methods, int64_t n,
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
    return NEY_OK;
}

/* ------------------------------------------------------------------ units: rows, or groups */

/* The unit of each row. */
static ney_status number_units(const ney_env *env, const uint64_t *group, int64_t n, int32_t *unit,
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

/* ------------------------------------------------------------------ from resamples to intervals */

/* Nothing can be said: every difference is possible. */
static void allow_all(ney_difference *d, double largest)
{
    d->low = -largest;
    d->high = largest;
    d->p_value = d->p_adjusted = 1;
}

/* Bootstrap; value 2 (k - 1) of a resample is the lower difference of method k, the next one the
 * upper. */
static ney_status bound_differences(ney_difference *out, const ney_env *env,
                                    const ney_bootstrap *boot, double confidence, double largest,
                                    ney_error *err)
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

/* ------------------------------------------------------------------ rates at a matched rate */

/* The scores of one method as ranks. */
typedef struct ranked_method {
    int32_t *row;  /* bounded rows, the first to be misclassified first */
    int32_t *rank; /* of each free row: the bounded rows that it does not score beyond, never a part
                      of those of equal score. It is classified correctly iff the threshold comes
                      after `rank` of them or more */
} ranked_method;

typedef struct rate_comparison {
    int64_t n, n_bounded, n_free, n_methods, n_units;
    double max_rate;
    int64_t added[2];                  /* rows that an added unit of either class stands for */
    int32_t *bounded_unit, *free_unit; /* of the rows of either class in the order of the data */
    ranked_method *method;
} rate_comparison;

static void release_rates(rate_comparison *c, const ney_env *env)
{
    for (int64_t m = 0; c->method && m < c->n_methods; m++) {
        ney_release(env, c->method[m].row);
        ney_release(env, c->method[m].rank);
    }
    ney_release(env, c->method);
    ney_release(env, c->bounded_unit);
    ney_release(env, c->free_unit);
}

/* Walk on from row *j, before which rows weigh *sum, while the sum stays within the budget. Returns
 * the row that breaks it: the threshold is just above its score. */
static int32_t walk_to_budget(const rate_comparison *c, const ranked_method *r,
                              const uint32_t *weight, double budget, int64_t *j, uint64_t *sum)
{
    while (*j < c->n_bounded && (double)(*sum + weight[r->row[*j]]) <= budget) {
        *sum += weight[r->row[(*j)++]];
    }
    return (int32_t)*j;
}

/* The strict and the lax threshold of [COMPARE.1], as the bounded rows that they are just above;
 * -1: beyond all rows. */
static void matched_places(const rate_comparison *c, const ranked_method *r, const uint32_t *weight,
                           uint64_t added, double budget, int32_t place[2])
{
    int64_t j = 0;
    uint64_t sum = 0;
    const double left = budget - (double)added;

    place[0] = left >= 0 ? walk_to_budget(c, r, weight, left, &j, &sum) : -1;
    place[1] = walk_to_budget(c, r, weight, budget, &j, &sum);
}

static uint64_t weigh_misclassified(const int32_t *rank, const uint32_t *weight, int64_t n,
                                    int32_t place)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += rank[i] > place ? weight[i] : 0;
    }
    return sum;
}

/* The weights of rows from those of their units; returns the sum. */
static uint64_t spread_weights(const uint32_t *weight, const int32_t *unit, int64_t n, uint32_t *to)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += to[i] = weight[unit[i]];
    }
    return sum;
}

static void rates_of_resample(const void *context, const uint32_t *weight, uint32_t *scratch,
                              double *value)
{
    const rate_comparison *c = context;
    uint32_t *const bounded = scratch, *const free_rows = scratch + c->n_bounded;
    const uint64_t more_bounded = (uint64_t)c->added[0] * weight[c->n_units];
    const uint64_t more_free = (uint64_t)c->added[1] * weight[c->n_units + 1];
    const uint64_t all = spread_weights(weight, c->bounded_unit, c->n_bounded, bounded);
    const double n =
        (double)(spread_weights(weight, c->free_unit, c->n_free, free_rows) + more_free);
    const double budget = c->max_rate * (double)(all + more_bounded);
    double first[2] = {0, 0};

    for (int64_t m = 0; m < c->n_methods; m++) {
        const ranked_method *r = &c->method[m];
        int32_t place[2];
        double sum[2]; /* at the strict threshold, at the lax one */
        matched_places(c, r, bounded, more_bounded, budget, place);
        for (int k = 0; k < 2; k++) {
            sum[k] = (double)weigh_misclassified(r->rank, free_rows, c->n_free, place[k]);
        }
        if (m == 0) {
            first[0] = sum[0];
            first[1] = sum[1];
        } else {
            value[2 * m - 2] = (sum[1] - first[0] - (double)more_free) / n;
            value[2 * m - 1] = (sum[0] - first[1] + (double)more_free) / n;
        }
    }
}

/* Rates on the rows themselves: at most max_rate of the bounded rows are misclassified. */
static void rates_of_rows(const rate_comparison *c, ney_difference *out)
{
    const double budget = c->max_rate * (double)c->n_bounded;

    for (int64_t m = 0; m < c->n_methods; m++) {
        const ranked_method *r = &c->method[m];
        int64_t place = 0, misclassified = 0;
        while (place < c->n_bounded && (double)(place + 1) <= budget) {
            place++;
        }
        for (int64_t i = 0; i < c->n_free; i++) {
            misclassified += r->rank[i] > place;
        }
        out[m] = (ney_difference){.value = (double)misclassified / (double)c->n_free};
        out[m].difference = out[m].value - out[0].value;
    }
}

static ney_status rank_method(ranked_method *r, const rate_comparison *c, const ney_env *env,
                              const double *towards_bounded, const int32_t *place,
                              const bool *is_free, ney_error *err)
{
    ney_ranked *item = NULL;
    int32_t seen = 0;

    r->row = ney_alloc(env, c->n_bounded, sizeof *r->row);
    r->rank = ney_alloc(env, c->n_free, sizeof *r->rank);
    if (!r->row || !r->rank) {
        return ney_no_memory(err, c->n, "ranks");
    }
    const ney_status st = ney_order_new(&item, env, towards_bounded, c->n, err);
    for (int64_t i = 0, end; st == NEY_OK && i < c->n; i = end) {
        for (end = i; end < c->n && item[end].score == item[i].score; end++) {
            if (!is_free[item[end].row]) {
                r->row[seen++] = place[item[end].row];
            }
        }
        for (int64_t k = i; k < end; k++) {
            if (is_free[item[k].row]) {
                r->rank[place[item[k].row]] = seen;
            }
        }
    }
    ney_release(env, item);
    return st;
}

static ney_status rank_methods(rate_comparison *c, const ney_env *env, const double *const *score,
                               const int32_t *place, const bool *is_free, double sign,
                               ney_error *err)
{
    double *towards_bounded = ney_alloc(env, c->n, sizeof *towards_bounded);
    ney_status st = NEY_OK;

    c->method = ney_alloc_zeroed(env, c->n_methods, sizeof *c->method);
    if (!towards_bounded || !c->method) {
        st = ney_no_memory(err, c->n, "ranks");
    }
    for (int64_t m = 0; m < c->n_methods && st == NEY_OK; m++) {
        for (int64_t i = 0; i < c->n; i++) {
            towards_bounded[i] = -sign * score[m][i];
        }
        st = rank_method(&c->method[m], c, env, towards_bounded, place, is_free, err);
    }
    ney_release(env, towards_bounded);
    return st;
}

/* Rows of a class that an added unit stands for: as many as the class has in a unit, on average. */
static int64_t rows_of_added(int64_t n_rows, int64_t n_units)
{
    return (n_rows + n_units - 1) / n_units;
}

/* Whether the rate's quantile lies among the bounded rows but for a probability of `tail`: beyond
 * all m units with probability (1 - max_rate)^m. Groups must be many enough for a bootstrap. */
static bool has_enough(double max_rate, const int64_t units[2], double tail, bool grouped)
{
    return pow(1 - max_rate, (double)units[0]) <= tail &&
           (!grouped || (units[0] >= FEWEST_GROUPS && units[1] >= FEWEST_GROUPS));
}

/* Places of rows within their class and units; `units` counts the units of either class. */
static ney_status sort_rows(rate_comparison *c, const ney_env *env, const uint64_t *group,
                            const bool *is_free, int32_t *place, int64_t units[2], ney_error *err)
{
    int32_t *unit = ney_alloc(env, c->n, sizeof *unit);
    char *seen = ney_alloc_zeroed(env, c->n, 1);
    int64_t n[2] = {0, 0};

    c->bounded_unit = ney_alloc(env, c->n_bounded, sizeof *c->bounded_unit);
    c->free_unit = ney_alloc(env, c->n_free, sizeof *c->free_unit);
    ney_status st = unit && seen && c->bounded_unit && c->free_unit
                        ? number_units(env, group, c->n, unit, &c->n_units, err)
                        : ney_no_memory(err, c->n, "rows in units");
    for (int64_t i = 0; st == NEY_OK && i < c->n; i++) {
        const int k = is_free[i];
        (k ? c->free_unit : c->bounded_unit)[n[k]] = unit[i];
        place[i] = (int32_t)n[k]++;
        units[k] += !(seen[unit[i]] & (1 << k));
        seen[unit[i]] = (char)(seen[unit[i]] | (1 << k));
    }
    ney_release(env, unit);
    ney_release(env, seen);
    return st;
}

static ney_status compare_rates(rate_comparison *c, ney_difference *out, const ney_env *env,
                                const double *const *score, const uint64_t *group,
                                const bool *is_free, double sign, const ney_compare_opts *o,
                                ney_error *err)
{
    int32_t *place = ney_alloc(env, c->n, sizeof *place);
    int64_t units[2] = {0, 0};
    ney_status st = place ? sort_rows(c, env, group, is_free, place, units, err)
                          : ney_no_memory(err, c->n, "rows");

    if (st == NEY_OK && (st = rank_methods(c, env, score, place, is_free, sign, err)) == NEY_OK) {
        const ney_bootstrap boot = {.n_resamples = o->resamples,
                                    .seed = o->seed,
                                    .n_units = c->n_units + 2,
                                    .n_values = 2 * (c->n_methods - 1),
                                    .n_scratch = c->n,
                                    .statistic = rates_of_resample,
                                    .context = c};
        const bool enough = has_enough(c->max_rate, units, (1 - o->confidence) / 2, group != NULL);
        c->added[0] = rows_of_added(c->n_bounded, units[0]);
        c->added[1] = rows_of_added(c->n_free, units[1]);
        rates_of_rows(c, out);
        for (int64_t m = 0; m < c->n_methods; m++) {
            allow_all(&out[m], m > 0 ? 1 : 0);
            out[m].too_few = !enough;
        }
        st = enough ? bound_differences(out, env, &boot, o->confidence, 1, err) : NEY_OK;
    }
    ney_release(env, place);
    return st;
}

ney_status ney_compare_rates(ney_difference *out, const ney_env *env, const double *const *score,
                             int64_t n_methods, const int8_t *label, const uint64_t *group,
                             int64_t n, ney_error_kind bounded, double max_rate,
                             const ney_compare_opts *opts, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    const ney_compare_opts o = opts ? *opts : defaults;
    const double sign = bounded == NEY_FALSE_POSITIVES ? 1 : -1;
    rate_comparison c = {.n = n, .n_methods = n_methods, .max_rate = max_rate};
    ney_status st = check_opts(&o, n_methods, n, err);

    if (st != NEY_OK) {
        return st;
    }
    if (!(max_rate >= 0 && max_rate <= 1)) {
        return ney_fail(err, NEY_EINVAL, "a rate of %g, expected one from 0 to 1", max_rate);
    }
    bool *is_free = ney_alloc(&e, n, sizeof *is_free);
    if (!is_free) {
        return ney_no_memory(err, n, "classes");
    }
    for (int64_t i = 0; i < n; i++) {
        is_free[i] = (label[i] > 0) == (sign > 0);
        c.n_free += is_free[i];
    }
    c.n_bounded = n - c.n_free;
    st = c.n_free > 0 && c.n_bounded > 0
             ? compare_rates(&c, out, &e, score, group, is_free, sign, &o, err)
             : ney_fail(err, NEY_EINVAL, "all %lld rows are of one class, expected both",
                        (long long)n);
    release_rates(&c, &e);
    ney_release(&e, is_free);
    return st;
}

/* ------------------------------------------------------------------ mean losses */

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
    const double n = (double)spread_weights(weight, c->unit, c->n, scratch) + more;

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

static ney_status check_losses(const double *const *loss, int64_t n_methods, int64_t n,
                               double largest, ney_error *err)
{
    for (int64_t m = 0; m < n_methods; m++) {
        for (int64_t i = 0; i < n; i++) {
            if (!(loss[m][i] >= 0 && loss[m][i] <= largest)) {
                return ney_fail(err, NEY_EINVAL, "loss %lld of method %lld is %g, expected 0 to %g",
                                (long long)i + 1, (long long)m + 1, loss[m][i], largest);
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
        allow_all(&out[m], m > 0 ? c->largest : 0);
    }
}

ney_status ney_compare_losses(ney_difference *out, const ney_env *env, const double *const *loss,
                              int64_t n_methods, const uint64_t *group, int64_t n, double largest,
                              const ney_compare_opts *opts, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    const ney_compare_opts o = opts ? *opts : defaults;
    loss_comparison c = {.loss = loss, .n = n, .n_methods = n_methods, .largest = largest};
    ney_status st = check_opts(&o, n_methods, n, err);

    if (st != NEY_OK || (st = check_losses(loss, n_methods, n, largest, err)) != NEY_OK) {
        return st;
    }
    int32_t *unit = ney_alloc(&e, n, sizeof *unit);
    st = unit ? number_units(&e, group, n, unit, &c.n_units, err)
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
        c.added = rows_of_added(n, c.n_units);
        mean_losses(&c, out);
        if (group && c.n_units < FEWEST_GROUPS) {
            for (int64_t m = 0; m < n_methods; m++) {
                out[m].too_few = true;
            }
        } else {
            st = bound_differences(out, &e, &boot, o.confidence, largest, err);
        }
    }
    ney_release(&e, unit);
    return st;
}
