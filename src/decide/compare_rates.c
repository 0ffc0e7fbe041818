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
 * rows the interval still has positive length.
 *
 * Class 0 is the class whose error rate is matched ("bounded"), class 1 the one whose error rate is
 * compared ("free"). */
#include "decide/compare.h"
#include "decide/order.h"

#include <math.h>

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
    const double *const *score; /* of each method; borrowed, and so are the next two */
    const uint64_t *group;      /* NULL: each row is a unit */
    const bool *is_free;        /* whether a row is of the free class */
    double sign;                /* 1: scores of the free class are to be high */
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

static void rates_of_resample(const void *context, const uint32_t *weight, uint32_t *scratch,
                              double *value)
{
    const rate_comparison *c = context;
    uint32_t *const bounded = scratch, *const free_rows = scratch + c->n_bounded;
    const uint64_t more_bounded = (uint64_t)c->added[0] * weight[c->n_units];
    const uint64_t more_free = (uint64_t)c->added[1] * weight[c->n_units + 1];
    const uint64_t all = ney_compare_spread(weight, c->bounded_unit, c->n_bounded, bounded);
    const double n =
        (double)(ney_compare_spread(weight, c->free_unit, c->n_free, free_rows) + more_free);
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
                              const double *towards_bounded, const int32_t *place, ney_error *err)
{
    const bool *const is_free = c->is_free;
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

static ney_status rank_methods(rate_comparison *c, const ney_env *env, const int32_t *place,
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
            towards_bounded[i] = -c->sign * c->score[m][i];
        }
        st = rank_method(&c->method[m], c, env, towards_bounded, place, err);
    }
    ney_release(env, towards_bounded);
    return st;
}

/* Whether the rate's quantile lies among the bounded rows but for a probability of `tail`: beyond
 * all m units with probability (1 - max_rate)^m. Groups must be many enough for a bootstrap. */
static bool has_enough(double max_rate, const int64_t units[2], double tail, bool grouped)
{
    return pow(1 - max_rate, (double)units[0]) <= tail &&
           (!grouped || (units[0] >= NEY_COMPARE_GROUPS && units[1] >= NEY_COMPARE_GROUPS));
}

/* Places of rows within their class and units; `units` counts the units of either class. */
static ney_status sort_rows(rate_comparison *c, const ney_env *env, int32_t *place,
                            int64_t units[2], ney_error *err)
{
    int32_t *unit = ney_alloc(env, c->n, sizeof *unit);
    char *seen = ney_alloc_zeroed(env, c->n, 1);
    int64_t n[2] = {0, 0};

    c->bounded_unit = ney_alloc(env, c->n_bounded, sizeof *c->bounded_unit);
    c->free_unit = ney_alloc(env, c->n_free, sizeof *c->free_unit);
    ney_status st = unit && seen && c->bounded_unit && c->free_unit
                        ? ney_compare_units(env, c->group, c->n, unit, &c->n_units, err)
                        : ney_no_memory(err, c->n, "rows in units");
    for (int64_t i = 0; st == NEY_OK && i < c->n; i++) {
        const int k = c->is_free[i];
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
                                const ney_compare_opts *o, ney_error *err)
{
    int32_t *place = ney_alloc(env, c->n, sizeof *place);
    int64_t units[2] = {0, 0};
    ney_status st = place ? sort_rows(c, env, place, units, err) : ney_no_memory(err, c->n, "rows");

    if (st == NEY_OK && (st = rank_methods(c, env, place, err)) == NEY_OK) {
        const ney_bootstrap boot = {.n_resamples = o->resamples,
                                    .seed = o->seed,
                                    .n_units = c->n_units + 2,
                                    .n_values = 2 * (c->n_methods - 1),
                                    .n_scratch = c->n,
                                    .statistic = rates_of_resample,
                                    .context = c};
        const bool enough =
            has_enough(c->max_rate, units, (1 - o->confidence) / 2, c->group != NULL);
        c->added[0] = ney_compare_added_rows(c->n_bounded, units[0]);
        c->added[1] = ney_compare_added_rows(c->n_free, units[1]);
        rates_of_rows(c, out);
        for (int64_t m = 0; m < c->n_methods; m++) {
            ney_difference_unknown(&out[m], m > 0 ? 1 : 0);
            out[m].too_few = !enough;
        }
        st = enough ? ney_compare_bound(out, env, &boot, o->confidence, 1, err) : NEY_OK;
    }
    ney_release(env, place);
    return st;
}

ney_status ney_compare_rates(ney_difference *out, const ney_env *env, const ney_methods *methods,
                             ney_error_kind bounded, double max_rate, const ney_compare_opts *opts,
                             ney_error *err)
{
    NEY_REQUIRE(out && methods && methods->n >= 0 &&
                    ((methods->value && methods->label) || methods->n == 0),
                err);
    NEY_REQUIRE_RESERVED(methods, "ney_methods", err);
    const int64_t n = methods->n;
    const ney_env e = ney_env_of(env);
    const ney_compare_opts o = ney_compare_opts_or_default(opts);
    const double sign = bounded == NEY_FALSE_POSITIVES ? 1 : -1;
    rate_comparison c = {.n = n,
                         .n_methods = methods->n_methods,
                         .max_rate = max_rate,
                         .score = methods->value,
                         .group = methods->group,
                         .sign = sign};
    ney_status st = ney_compare_check(&o, c.n_methods, n, err);

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
        is_free[i] = (methods->label[i] > 0) == (sign > 0);
        c.n_free += is_free[i];
    }
    c.is_free = is_free;
    c.n_bounded = n - c.n_free;
    st = c.n_free > 0 && c.n_bounded > 0
             ? compare_rates(&c, out, &e, &o, err)
             : ney_fail(err, NEY_EINVAL, "all %lld rows are of one class, expected both",
                        (long long)n);
    release_rates(&c, &e);
    ney_release(&e, is_free);
    return st;
}
