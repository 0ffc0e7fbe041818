/* What outcomes cost, and the rejection band that costs least.
 *
 * The cost of row i is 0, fn, fp, reject_fn or reject_fp. With the distinct values sorted,
 * 0 < c_1 < c_2 < ..., its mean is
 *
 *     sum_k (c_k - c_(k-1)) P(cost >= c_k)                                                [COST.1]
 *
 * and every probability there is a rate with an exact interval: at 1 - (1 - confidence) / m each, m
 * of them hold all together. */
#include "decide/order.h"

#include <math.h>

enum { OUTCOMES = 4 }; /* that may cost something */

typedef struct outcome {
    double cost;
    int64_t n;
} outcome;

bool ney_rejection_pays(const ney_costs *costs)
{
    if (!costs) {
        return false;
    }
    return costs->reject_fn / costs->fn + costs->reject_fp / costs->fp < 1;
}

static int64_t count_all(const ney_counts *c)
{
    return c->tp + c->fp + c->tn + c->fn + c->rejected_pos + c->rejected_neg;
}

double ney_cost(const ney_counts *counts, const ney_costs *costs)
{
    if (!counts || !costs) {
        return (double)NAN;
    }
    const double total = costs->fn * (double)counts->fn + costs->fp * (double)counts->fp +
                         costs->reject_fn * (double)counts->rejected_pos +
                         costs->reject_fp * (double)counts->rejected_neg;
    return total / (double)count_all(counts);
}

/* The outcomes in the order of rising cost. */
static void sort_outcomes(outcome *o)
{
    for (int i = 1; i < OUTCOMES; i++) {
        for (int k = i; k > 0 && o[k].cost < o[k - 1].cost; k--) {
            const outcome t = o[k];
            o[k] = o[k - 1];
            o[k - 1] = t;
        }
    }
}

void ney_cost_interval(const ney_counts *counts, const ney_costs *costs, double confidence,
                       double *low, double *high)
{
    if (!counts || !costs || !low || !high) {
        return;
    }
    outcome o[OUTCOMES] = {{costs->fn, counts->fn},
                           {costs->fp, counts->fp},
                           {costs->reject_fn, counts->rejected_pos},
                           {costs->reject_fp, counts->rejected_neg}};
    const int64_t n = count_all(counts);
    int64_t at_least = counts->fn + counts->fp + counts->rejected_pos + counts->rejected_neg;
    int steps = 0;

    sort_outcomes(o);
    for (int k = 0; k < OUTCOMES; k++) {
        steps += o[k].cost > (k > 0 ? o[k - 1].cost : 0);
    }
    *low = *high = 0;
    for (int k = 0; k < OUTCOMES; k++) {
        const double step = o[k].cost - (k > 0 ? o[k - 1].cost : 0);
        double from, to;
        if (step > 0) {
            ney_interval(at_least, n, 1 - (1 - confidence) / steps, &from, &to);
            *low += step * from;
            *high += step * to;
        }
        at_least -= o[k].n;
    }
}

/* ---- the best band */

/* A threshold between two neighbours in the order, above the first and at most the second. */
static double threshold_between(const ney_ranked *item, int64_t n, int64_t k)
{
    if (n == 0) {
        return 0;
    }
    if (k == 0) {
        return item[0].score;
    }
    if (k == n) {
        return nextafter(item[n - 1].score, (double)INFINITY);
    }
    const double middle = item[k - 1].score / 2 + item[k].score / 2;
    return middle > item[k - 1].score ? middle : item[k].score;
}

/* The total cost of calling the first j rows of the order negative, the rows from k on positive and
 * those between rejected is a function of j, a function of k and a constant:
 *
 *     below(j) = (fn - reject_fn) positives before j - reject_fp negatives before j
 *     above(k) = (fp - reject_fp) negatives from k on - reject_fn positives from k on     [COST.2]
 *
 * so that one pass finds the best j <= k for all k. */
static void best_places(const ney_ranked *item, const int8_t *label, int64_t n, const ney_costs *c,
                        int64_t place[2])
{
    const bool pays = ney_rejection_pays(c);
    int64_t pos = 0, neg = 0, total_pos = 0, best_j = 0;
    double least_below = 0, least = (double)INFINITY;

    for (int64_t i = 0; i < n; i++) {
        total_pos += label[i] > 0;
    }
    for (int64_t k = 0; k <= n; k++) {
        if (k == 0 || k == n || item[k - 1].score < item[k].score) { /* ties stay together */
            const double below = (c->fn - c->reject_fn) * (double)pos - c->reject_fp * (double)neg;
            const double above = (c->fp - c->reject_fp) * (double)(n - total_pos - neg) -
                                 c->reject_fn * (double)(total_pos - pos);
            if (!pays || below <= least_below) {
                least_below = below;
                best_j = k;
            }
            if (least_below + above < least) {
                least = least_below + above;
                place[0] = best_j;
                place[1] = k;
            }
        }
        if (k < n) {
            const bool positive = label[item[k].row] > 0;
            pos += positive;
            neg += !positive;
        }
    }
}

ney_status ney_best_band(const ney_env *env, const ney_labelled_scores *rows,
                         const ney_costs *costs, double *low, double *high, double *cost,
                         ney_error *err)
{
    NEY_REQUIRE(rows && rows->n >= 0 && ((rows->score && rows->label) || rows->n == 0) && costs &&
                    low && high,
                err);
    NEY_REQUIRE_RESERVED(rows, "ney_labelled_scores", err);
    const ney_env e = ney_env_of(env);
    const int64_t n = rows->n;
    int64_t place[2] = {0, 0};
    ney_ranked *item;
    const ney_status st = ney_order_new(&item, &e, rows->score, n, err);
    if (st != NEY_OK) {
        return st;
    }
    best_places(item, rows->label, n, costs, place);
    *low = threshold_between(item, n, place[0]);
    *high = threshold_between(item, n, place[1]);
    if (cost) {
        const ney_counts c = ney_count(rows->score, rows->label, n, *low, *high);
        *cost = ney_cost(&c, costs);
    }
    ney_release(&e, item);
    return NEY_OK;
}
