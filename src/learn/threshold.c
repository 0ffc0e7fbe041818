/* Of n scores of the bounded class, k = the most with k / n <= A may lie on the wrong side. So the
 * threshold is beyond the (k + 1)-th from that side, and at or before the next score of any row:
 * no row changes sides between the two. In between it is 0 if that is there, the score at which the
 * learner decides, else the middle. */
#include "learn/threshold.h"

#include "decide/order.h"
#include "learn/shared.h"

#include <math.h>

int64_t ney_threshold_allowed(int64_t n, double rate)
{
    int64_t k = (int64_t)fmin((double)n, floor(rate * (double)n));
    k += k < n && (double)(k + 1) / (double)n <= rate;
    k -= k > 0 && (double)k / (double)n > rate;
    return k;
}

/* A threshold with floor < T <= ceiling. */
static double threshold_above(double floor, double ceiling)
{
    if (floor < 0 && ceiling >= 0) {
        return 0;
    }
    if (isinf(ceiling)) {
        return nextafter(floor, (double)INFINITY);
    }
    const double middle = isinf(floor) ? ceiling : floor / 2 + ceiling / 2;
    return middle > floor ? middle : ceiling;
}

/* The (k + 1)-th score of the class from its wrong side, -inf and +inf where all may be there. */
static int64_t last_allowed(const ney_ranked *item, int64_t n, const int8_t *label, int sign,
                            int64_t k)
{
    int64_t seen = 0;
    for (int64_t j = 0; j < n; j++) {
        const int64_t at = sign < 0 ? n - 1 - j : j;
        seen += label[item[at].row] == sign;
        if (seen == k + 1) {
            return at;
        }
    }
    return sign < 0 ? -1 : n;
}

static double find_threshold(const ney_ranked *item, int64_t n, const int8_t *label,
                             ney_error_kind kind, int64_t k)
{
    const int sign = kind == NEY_FALSE_POSITIVES ? -1 : 1;
    const int64_t at = last_allowed(item, n, label, sign, k);
    if (sign < 0) { /* above item[at] */
        int64_t above = at + 1;
        while (at >= 0 && above < n && item[above].score <= item[at].score) {
            above++;
        }
        return threshold_above(at < 0 ? -(double)INFINITY : item[at].score,
                               above < n ? item[above].score : (double)INFINITY);
    }
    int64_t below = at - 1; /* at most item[at] */
    while (at < n && below >= 0 && item[below].score >= item[at].score) {
        below--;
    }
    return threshold_above(below < 0 ? -(double)INFINITY : item[below].score,
                           at < n ? item[at].score : (double)INFINITY);
}

double ney_threshold_between(int sign, double floor, double ceiling)
{
    if (sign > 0) {
        return threshold_above(floor, ceiling);
    }
    return threshold_above(-ceiling, -floor);
}

/* The same over the rows of all processes. */
static double find_shared(const ney_task *t, const double *score, ney_error_kind kind, double rate)
{
    const int bounded = kind == NEY_FALSE_POSITIVES ? -1 : 1, sign = -bounded;
    const int64_t of_class = bounded < 0 ? t->n_neg : t->n_pos;
    const int64_t k = ney_threshold_allowed(of_class, rate);
    const double at = k < of_class ? ney_shared_kth_largest(t->blocks, score, t->label, t->x->rows,
                                                            bounded, sign, k + 1)
                                   : -(double)INFINITY;
    double next = (double)INFINITY; /* the score of any row that comes after `at` */
    for (int64_t i = 0; i < t->x->rows; i++) {
        next = sign * score[i] > at ? fmin(next, sign * score[i]) : next;
    }
    ney_comm_minimum(ney_blocks_comm(t->blocks), &next, 1);
    return sign > 0 ? threshold_above(at, next) : threshold_above(-next, -at);
}

ney_status ney_threshold_set(ney_model *m, const ney_task *t, ney_error_kind kind, double rate,
                             ney_counts *counts, ney_error *err)
{
    const int64_t n = t->x->rows;
    ney_env env = t->env;
    ney_ranked *item = NULL;
    double *score = ney_alloc(&env, n, sizeof *score);
    ney_status st = score ? NEY_OK : ney_no_memory(err, n, "scores");
    env.poll = NULL; /* a run that was stopped still gets its threshold */
    if (st == NEY_OK) {
        st = ney_model_score(m, &env, t->x, score, err);
    }
    st = ney_shared_agree(t->blocks, st, err);
    if (st == NEY_OK && t->blocks) {
        const double threshold = find_shared(t, score, kind, rate);
        st = ney_model_set_thresholds(m, threshold, threshold, err);
        *counts = ney_count(score, t->label, n, threshold, threshold);
        ney_shared_counts(t->blocks, counts);
    } else if (st == NEY_OK && (st = ney_order_new(&item, &env, score, n, err)) == NEY_OK) {
        const int64_t k =
            ney_threshold_allowed(kind == NEY_FALSE_POSITIVES ? t->n_neg : t->n_pos, rate);
        const double threshold = find_threshold(item, n, t->label, kind, k);
        st = ney_model_set_thresholds(m, threshold, threshold, err);
        *counts = ney_count(score, t->label, n, threshold, threshold);
    }
    ney_release(&env, item);
    ney_release(&env, score);
    return st;
}
