/* The ROC curve as counts, and the curves that follow from it. */
#include "base/wide.h"
#include "decide/normal.h"
#include "decide/order.h"

#include <math.h>

typedef struct roc_object {
    ney_roc roc; /* first, so that the public pointer is this object's */
    ney_env env;
    double *threshold;
    int64_t *tp, *fp;
} roc_object;

/* ---- making it */

/* The scores of either class in ascending order, as keys: the negatives' and the positives'. */
typedef struct two_lists {
    uint64_t *key[2];
    int64_t n[2];
} two_lists;

static ney_status sort_classes(two_lists *l, const ney_env *env, const double *score,
                               const int8_t *label, int64_t n, ney_error *err)
{
    int64_t at[2] = {0, 0};

    *l = (two_lists){{NULL, NULL}, {0, 0}};
    for (int64_t i = 0; i < n; i++) {
        if (isnan(score[i])) {
            return ney_fail(err, NEY_EINVAL, "score %lld is not a number", (long long)i + 1);
        }
        l->n[1] += label[i] > 0;
    }
    l->n[0] = n - l->n[1];
    const int64_t larger = l->n[0] > l->n[1] ? l->n[0] : l->n[1];
    uint64_t *spare = ney_alloc(env, larger, sizeof *spare);
    l->key[0] = ney_alloc(env, l->n[0], sizeof *l->key[0]);
    l->key[1] = ney_alloc(env, l->n[1], sizeof *l->key[1]);
    if (!spare || !l->key[0] || !l->key[1]) {
        ney_release(env, spare);
        return ney_no_memory(err, n, "scores in order");
    }
    for (int64_t i = 0; i < n; i++) {
        const int c = label[i] > 0;
        l->key[c][at[c]++] = ney_score_key(score[i]);
    }
    ney_order_keys(l->key[0], spare, l->n[0]);
    ney_order_keys(l->key[1], spare, l->n[1]);
    ney_release(env, spare);
    return NEY_OK;
}

static void release_lists(two_lists *l, const ney_env *env)
{
    ney_release(env, l->key[0]);
    ney_release(env, l->key[1]);
}

/* From the highest score down: take all rows of the next distinct score off both lists, whose
 * lengths stand in `left`. False when nothing is left. */
static bool next_score(const two_lists *l, int64_t left[2], uint64_t *key)
{
    if (left[0] == 0 && left[1] == 0) {
        return false;
    }
    const uint64_t a = left[0] > 0 ? l->key[0][left[0] - 1] : 0;
    const uint64_t b = left[1] > 0 ? l->key[1][left[1] - 1] : 0; /* no score has the key 0 */
    *key = a > b ? a : b;
    for (int c = 0; c < 2; c++) {
        while (left[c] > 0 && l->key[c][left[c] - 1] == *key) {
            left[c]--;
        }
    }
    return true;
}

static int64_t count_distinct(const two_lists *l)
{
    int64_t left[2] = {l->n[0], l->n[1]}, distinct = 0;
    for (uint64_t key; next_score(l, left, &key);) {
        distinct++;
    }
    return distinct;
}

/* Each group of equal scores is one point. */
static void fill_points(roc_object *o, const two_lists *l)
{
    int64_t left[2] = {l->n[0], l->n[1]}, k = 0;
    o->threshold[0] = (double)INFINITY;
    o->tp[0] = o->fp[0] = 0;
    for (uint64_t key; next_score(l, left, &key);) {
        k++;
        o->threshold[k] = ney_score_of_key(key);
        o->fp[k] = l->n[0] - left[0];
        o->tp[k] = l->n[1] - left[1];
    }
    o->roc = (ney_roc){.n_points = k + 1,
                       .n_pos = l->n[1],
                       .n_neg = l->n[0],
                       .threshold = o->threshold,
                       .tp = o->tp,
                       .fp = o->fp};
}

ney_status ney_roc_new(ney_roc **out, const ney_env *env, const double *score, const int8_t *label,
                       int64_t n, ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(n >= 0 && out && (score || n == 0) && (label || n == 0), err);
    const ney_env e = ney_env_of(env);
    two_lists lists;
    ney_status st = sort_classes(&lists, &e, score, label, n, err);

    *out = NULL;
    if (st == NEY_OK) {
        const int64_t capacity = count_distinct(&lists) + 1;
        roc_object *o = ney_alloc_zeroed(&e, 1, sizeof *o);
        if (o) {
            o->env = e;
            o->threshold = ney_alloc(&e, capacity, sizeof *o->threshold);
            o->tp = ney_alloc(&e, capacity, sizeof *o->tp);
            o->fp = ney_alloc(&e, capacity, sizeof *o->fp);
        }
        if (!o || !o->threshold || !o->tp || !o->fp) {
            ney_roc_free(o ? &o->roc : NULL);
            st = ney_no_memory(err, capacity, "points of a curve");
        } else {
            fill_points(o, &lists);
            *out = &o->roc;
        }
    }
    release_lists(&lists, &e);
    return st;
}

void ney_roc_free(ney_roc *roc)
{
    if (!roc) {
        return;
    }
    roc_object *o = (roc_object *)roc;
    const ney_env env = o->env;
    ney_release(&env, o->threshold);
    ney_release(&env, o->tp);
    ney_release(&env, o->fp);
    ney_release(&env, o);
}

/* ---- areas */

/* No variance at all does not mean certainty: it means that every pair of a positive and a negative
 * had the same outcome (all in order, all in reverse, or all tied). Among `pairs` of them that
 * share no row the outcome was never another, which has an exact interval. */
static void widen_degenerate(ney_auc_result *r, int64_t pairs, double confidence)
{
    double none, other;
    ney_interval(0, pairs, confidence, &none, &other);
    r->low = r->auc - other * r->auc;
    r->high = r->auc + other * (1 - r->auc);
}

/* [CURVE.6]: the variance of the area at theta if scores were exponential (Hanley and McNeil 1982),
 * both class sizes replaced by their mean in the terms of order 1 / n (Newcombe 2006, method 5). */
static double model_variance(double theta, double m, double n)
{
    const double more = (m + n) / 2 - 1, square = theta * theta;
    const double pairs = theta / (2 - theta) - square + 2 * square / (1 + theta) - square;
    return (theta * (1 - theta) + more * pairs) / (m * n);
}

/* From the area outwards to `end`: the last theta with |area - theta| <= z deviations at theta. */
static double newcombe_limit(double area, double end, double m, double n, double z)
{
    double inside = area, outside = end;
    for (int k = 0; k < 60; k++) {
        const double theta = (inside + outside) / 2, apart = (area - theta) / z;
        *(apart * apart <= model_variance(theta, m, n) ? &inside : &outside) = theta;
    }
    return outside;
}

/* Neither interval alone is right for all areas: DeLong's on the logit scale misses up to twice its
 * share where one class has few rows and the area is near 1, Newcombe's depends on a model. The
 * limits farther out are taken. */
static void set_limits(ney_auc_result *r, double m, double n, double confidence)
{
    const double z = ney_normal_quantile(0.5 + confidence / 2);
    if (r->error > 0) {
        const double spread = r->auc * (1 - r->auc);
        const double logit = log(r->auc / (1 - r->auc)), away = z * r->error / spread;
        r->low = 1 / (1 + exp(away - logit));
        r->high = 1 / (1 + exp(-away - logit));
    } else {
        widen_degenerate(r, (int64_t)fmin(m, n), confidence);
    }
    if (z > 0) {
        r->low = fmin(r->low, newcombe_limit(r->auc, 0, m, n, z));
        r->high = fmax(r->high, newcombe_limit(r->auc, 1, m, n, z));
    }
}

/* DeLong, DeLong and Clarke-Pearson (1988). With V_i the share of negatives below positive i, and
 * W_j the share of positives above negative j (ties by halves), both have mean AUC, and
 *
 *     var(AUC) = var(V) / n+ + var(W) / n-.
 */
ney_auc_result ney_roc_auc(const ney_roc *roc, double confidence)
{
    if (!roc) {
        return (ney_auc_result){0};
    }
    const double m = (double)roc->n_pos, n = (double)roc->n_neg;
    ney_auc_result r = {(double)NAN, (double)NAN, (double)NAN, (double)NAN};
    double twice = 0, v = 0, w = 0;

    if (roc->n_pos == 0 || roc->n_neg == 0) {
        return r;
    }
    for (int64_t k = 1; k < roc->n_points; k++) {
        twice += (double)(roc->tp[k] - roc->tp[k - 1]) *
                 (double)(2 * roc->n_neg - roc->fp[k] - roc->fp[k - 1]);
    }
    r.auc = twice / 2 / (m * n);
    for (int64_t k = 1; k < roc->n_points; k++) {
        const double below = (double)(2 * roc->n_neg - roc->fp[k] - roc->fp[k - 1]) / (2 * n);
        const double above = (double)(roc->tp[k] + roc->tp[k - 1]) / (2 * m);
        v += (double)(roc->tp[k] - roc->tp[k - 1]) * (below - r.auc) * (below - r.auc);
        w += (double)(roc->fp[k] - roc->fp[k - 1]) * (above - r.auc) * (above - r.auc);
    }
    if (roc->n_pos > 1 && roc->n_neg > 1) {
        r.error = sqrt(v / (m - 1) / m + w / (n - 1) / n);
        set_limits(&r, m, n, confidence);
    }
    return r;
}

double ney_roc_partial_auc(const ney_roc *roc, double max_fpr)
{
    if (!roc) {
        return (double)NAN;
    }
    const double m = (double)roc->n_pos, n = (double)roc->n_neg;
    double area = 0;
    if (roc->n_pos == 0 || roc->n_neg == 0 || !(max_fpr >= 0)) {
        return (double)NAN;
    }
    for (int64_t k = 1; k < roc->n_points; k++) {
        const double x0 = (double)roc->fp[k - 1] / n, x1 = (double)roc->fp[k] / n;
        const double y0 = (double)roc->tp[k - 1] / m, y1 = (double)roc->tp[k] / m;
        if (x0 >= max_fpr) {
            break;
        }
        const double x = fmin(x1, max_fpr);
        const double y = x1 > x0 ? y0 + (y1 - y0) * (x - x0) / (x1 - x0) : y1;
        area += (x - x0) * (y0 + y) / 2;
    }
    return area;
}

/* ---- hull, operating points, cost curve */

/* Andrew's chain, on whole numbers: c is on or below the line from a to b when the turn from ab to
 * ac is not to the left. */
static bool turns_right(const ney_roc *roc, int64_t a, int64_t b, int64_t c)
{
    const ney_wide right =
        ney_wide_product((uint64_t)(roc->tp[b] - roc->tp[a]), (uint64_t)(roc->fp[c] - roc->fp[a]));
    const ney_wide left =
        ney_wide_product((uint64_t)(roc->fp[b] - roc->fp[a]), (uint64_t)(roc->tp[c] - roc->tp[a]));
    return left.high < right.high || (left.high == right.high && left.low < right.low);
}

int64_t ney_roc_hull(const ney_roc *roc, int64_t *point)
{
    if (!roc || !point) {
        return 0;
    }
    int64_t n = 0;
    for (int64_t k = 0; k < roc->n_points; k++) {
        while (n >= 2 && !turns_right(roc, point[n - 2], point[n - 1], k)) {
            n--;
        }
        point[n++] = k;
    }
    return n;
}

ney_operating_point ney_roc_at(const ney_roc *roc, int64_t k)
{
    if (!roc || k < 0 || k >= roc->n_points) {
        const double none = (double)NAN;
        return (ney_operating_point){none, none, none, none, none, none};
    }
    const double fp = (double)roc->fp[k], tp = (double)roc->tp[k];
    const double fpr = fp / (double)roc->n_neg, tpr = tp / (double)roc->n_pos;
    const double fnr = (double)(roc->n_pos - roc->tp[k]) / (double)roc->n_pos; /* all its digits */
    return (ney_operating_point){.threshold = roc->threshold[k],
                                 .fpr = fpr,
                                 .tpr = tpr,
                                 .precision = k == 0 ? 1 : tp / (tp + fp),
                                 .probit_fpr = ney_normal_quantile(fpr),
                                 .probit_fnr = ney_normal_quantile(fnr)};
}

/* At share s, point k costs fnr_k s + fpr_k (1 - s). Along the hull two neighbours cost the same at
 * s / (1 - s) = (fpr_b - fpr_a) / (fnr_a - fnr_b), which ascends. */
int64_t ney_roc_cost_curve(const ney_roc *roc, ney_cost_point *curve, int64_t *hull)
{
    if (!roc || !curve || !hull) {
        return 0;
    }
    const int64_t n = ney_roc_hull(roc, hull);
    int64_t at = 0;
    curve[at++] = (ney_cost_point){.share = 0, .cost = 0, .point = hull[0]};
    for (int64_t i = 1; i < n; i++) {
        const ney_operating_point a = ney_roc_at(roc, hull[i - 1]), b = ney_roc_at(roc, hull[i]);
        const double rise = b.fpr - a.fpr, fall = b.tpr - a.tpr;
        const double share = rise / (rise + fall);
        curve[at++] = (ney_cost_point){
            .share = share, .cost = (1 - b.tpr) * share + b.fpr * (1 - share), .point = hull[i]};
    }
    curve[at++] = (ney_cost_point){.share = 1, .cost = 0, .point = hull[n - 1]};
    return at;
}
