#include "select/criterion.h"

#include "decide/roc_walk.h"
#include "learn/fdr/fdr.h"
#include "learn/holdout.h"

#include <math.h>

const char *ney_criterion_text(ney_criterion criterion)
{
    static const char *const text[] = {
        [NEY_CRITERION_AUTO] = "auto",       [NEY_CRITERION_RATE] = "rate",
        [NEY_CRITERION_COST] = "cost",       [NEY_CRITERION_AUC] = "auc",
        [NEY_CRITERION_PAUC] = "pauc",       [NEY_CRITERION_DISCOVERIES] = "discoveries",
        [NEY_CRITERION_REJECTS] = "rejects", [NEY_CRITERION_EXPECTED] = "expected",
    };
    const size_t at = (size_t)criterion;
    return at < sizeof text / sizeof *text ? text[at] : "unknown";
}

static bool is_of_rate(ney_criterion criterion)
{
    return criterion == NEY_CRITERION_RATE || criterion == NEY_CRITERION_EXPECTED;
}

ney_status ney_rule_init(ney_rule *r, const ney_train_opts *o, const ney_tune_opts *t,
                         ney_error *err)
{
    const ney_request q = ney_request_of(o);
    const bool bounds_fpr = ney_request_bounds(&q, NEY_FALSE_POSITIVES);
    const bool bounds_fnr = ney_request_bounds(&q, NEY_FALSE_NEGATIVES);
    *r = (ney_rule){
        .criterion = t->criterion == NEY_CRITERION_AUTO ? q.goal->criterion : t->criterion,
        .bounds_fnr = bounds_fnr,
        .rate = q.rate,
        .delta = ney_request_certifies(&q) ? ney_holdout_delta(&q, false) : (double)NAN,
        .max_fpr = q.max_rate[NEY_FALSE_POSITIVES],
        .max_fnr = q.max_rate[NEY_FALSE_NEGATIVES],
        .band = q.goal->band ? q.goal->band(&q, o)
                             : (ney_band){.costs = {.fn = q.costs.fn, .fp = q.costs.fp}}};
    if (is_of_rate(r->criterion) && !bounds_fpr && !bounds_fnr) {
        return ney_fail(err, NEY_EINVAL, "criterion = %s needs a bounded rate: max-fpr or max-fnr",
                        ney_criterion_text(r->criterion));
    }
    if (r->criterion == NEY_CRITERION_REJECTS && !(bounds_fpr && bounds_fnr)) {
        return ney_fail(err, NEY_EINVAL, "criterion = rejects needs max-fpr and max-fnr");
    }
    if (r->criterion == NEY_CRITERION_PAUC || r->criterion == NEY_CRITERION_DISCOVERIES) {
        const bool area = r->criterion == NEY_CRITERION_PAUC;
        r->rate = !isnan(t->at) ? t->at : area && bounds_fpr ? r->max_fpr : area ? 0.1 : 0.01;
    }
    if (q.kind == NEY_GOAL_FDR) {
        ney_fdr f;
        const ney_status st = ney_fdr_of(&f, o, err);
        r->rate = st == NEY_OK && isnan(t->at) ? f.q[0] : r->rate;
        r->estimate = f.estimate;
        return st;
    }
    return NEY_OK;
}

/* The least of max(0, P - A) / A + Q along the curve, straight between its points: at one of them,
 * or where P is A. *last is the last point with P <= A. */
static double least_penalised(const ney_roc_walk *w, double A, int64_t *last)
{
    const int64_t n = w->roc->n_points;
    double least = (double)INFINITY;
    *last = 0;
    for (int64_t k = 0; k < n; k++) {
        const double P = ney_walk_bounded_rate(w, k), excess = fmax(0, P - A);
        if (P <= A) {
            *last = k;
        }
        least =
            fmin(least, (excess > 0 ? excess / A : 0) + ney_walk_other_rate(w, k)); /* A = 0: inf */
    }
    if (*last + 1 < n) {
        const double P0 = ney_walk_bounded_rate(w, *last), P1 = ney_walk_bounded_rate(w, *last + 1);
        const double Q0 = ney_walk_other_rate(w, *last), Q1 = ney_walk_other_rate(w, *last + 1);
        least = fmin(least, Q0 + (Q1 - Q0) * (A - P0) / (P1 - P0));
    }
    return least;
}

/* The threshold at which the last point of the walk that keeps the rate stands. Where every row may
 * be called positive, or none is, any finite number beyond the scores says the same. */
static double threshold_at(const ney_roc_walk *w, int64_t k)
{
    const ney_roc *c = w->roc;
    const int64_t j = ney_walk_point(w, k);
    if (j == 0) {
        return c->n_points > 1 ? nextafter(c->threshold[1], (double)INFINITY) : 0;
    }
    return c->threshold[j];
}

/* The share of rows that neither threshold of two can decide: the lower one keeps the rate of false
 * negatives, the upper one that of false positives. */
static double share_rejected(const ney_rule *r, const ney_roc *roc, double *low, double *high)
{
    const ney_roc_walk down = {roc, false}, up = {roc, true};
    const int64_t n = roc->n_points;
    int64_t last_high = 0, last_low = 0;
    for (int64_t k = 0; k < n; k++) {
        last_high = ney_walk_bounded_rate(&down, k) <= r->max_fpr ? k : last_high;
        last_low = ney_walk_bounded_rate(&up, k) <= r->max_fnr ? k : last_low;
    }
    *high = threshold_at(&down, last_high);
    *low = fmin(threshold_at(&up, last_low), *high);
    const int64_t a = ney_walk_point(&down, last_high), b = ney_walk_point(&up, last_low);
    const int64_t between = roc->tp[b] + roc->fp[b] - roc->tp[a] - roc->fp[a];
    return between > 0 ? ney_share(between, roc->n_pos + roc->n_neg) : 0;
}

static double share_undiscovered(const double *q, const int8_t *label, int64_t n, double rate_q)
{
    int64_t found = 0, positives = 0;
    for (int64_t i = 0; i < n; i++) {
        positives += label[i] > 0;
        found += label[i] > 0 && q[i] <= rate_q;
    }
    return 1 - ney_share(found, positives);
}

static ney_status evaluate_discoveries(const ney_rule *r, const ney_env *env, const double *score,
                                       const int8_t *label, const uint64_t *key, int64_t n,
                                       double *loss, ney_error *err)
{
    double *q = ney_alloc(env, n, sizeof *q);
    if (!q) {
        return ney_no_memory(err, n, "q-values");
    }
    const ney_labelled_scores rows = {.score = score, .label = label, .group = key, .n = n};
    const ney_status st = ney_qvalues_competed(env, &rows, &r->estimate, q, NULL, NULL, NULL, err);
    *loss = st == NEY_OK ? share_undiscovered(q, label, n, r->rate) : (double)NAN;
    ney_release(env, q);
    return st;
}

/* @param low  the lower threshold of the goal; out->threshold is the upper one. */
static void evaluate_curve(const ney_rule *r, const ney_roc *roc, const double *score,
                           const int8_t *label, int64_t n, double low, ney_criterion_value *out)
{
    const ney_roc_walk w = {roc, r->bounds_fnr};
    out->auc = ney_roc_auc(roc, 0.95).auc;
    if (is_of_rate(r->criterion)) {
        int64_t last;
        out->loss = least_penalised(&w, r->rate, &last);
        low = out->threshold = threshold_at(&w, last);
    }
    if (r->criterion == NEY_CRITERION_EXPECTED) {
        out->loss = ney_expected_other_rate(&w, r->n_rows, r->rate, r->delta);
    }
    if (r->criterion == NEY_CRITERION_REJECTS) {
        out->loss = share_rejected(r, roc, &low, &out->threshold);
    }
    const ney_counts c = ney_count(score, label, n, low, out->threshold);
    out->fpr = ney_share(c.fp, roc->n_neg);
    out->fnr = ney_share(c.fn, roc->n_pos);
    if (r->criterion == NEY_CRITERION_COST) {
        out->loss = ney_cost(&c, &r->band.costs);
    } else if (r->criterion == NEY_CRITERION_AUC) {
        out->loss = 1 - out->auc;
    } else if (r->criterion == NEY_CRITERION_PAUC) {
        out->loss = 1 - ney_roc_partial_auc(roc, r->rate) / r->rate;
    }
}

ney_status ney_criterion_evaluate(const ney_rule *r, const ney_env *env, const double *score,
                                  const int8_t *label, const uint64_t *key, int64_t n,
                                  ney_criterion_value *out, ney_error *err)
{
    ney_roc *roc;
    double low = r->band.low;
    *out = (ney_criterion_value){.threshold = r->band.high};
    ney_status st = ney_roc_new(&roc, env, score, label, n, err);
    if (st == NEY_OK && low < out->threshold) {
        const ney_labelled_scores rows = {.score = score, .label = label, .n = n};
        st = ney_best_band(env, &rows, &r->band.costs, &low, &out->threshold, NULL, err);
    }
    if (st == NEY_OK) {
        evaluate_curve(r, roc, score, label, n, low, out);
        if (r->criterion == NEY_CRITERION_DISCOVERIES) {
            st = evaluate_discoveries(r, env, score, label, key, n, &out->loss, err);
        }
    }
    ney_roc_free(roc);
    return st;
}
