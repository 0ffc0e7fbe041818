/* What the page calls: the library's functions on the scores that it shows. Compiled to WebAssembly
 * with src/decide. The page has one data set at a time, held here; numbers go in as arguments and
 * come out in `page_out`. An index of a point is that of the ROC curve: point 0 has the threshold
 * +inf, see ney_roc. */
#include "base/env.h"
#include "decide/normal.h"
#include "decide/order.h"
#include "decide/prevalence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name)))

enum { N_OUT = 64, BLOCK = 128, HEADER = 48 };

static struct {
    ney_roc roc;
    double *threshold;
    int64_t *tp, *fp;
    double n_distinct, gap; /* of the rows; gap 0: every distinct score is a point */
    double *class_score[2]; /* of the negatives, the positives, ascending; NULL: not made yet */
    double *row_score;
    int8_t *row_label;
} set;

double page_out[N_OUT];
static ney_error error;

EXPORT(page_out) double *page_out_address(void)
{
    return page_out;
}

EXPORT(page_error) const char *page_error(void)
{
    return error.message;
}

EXPORT(page_alloc) void *page_alloc(int32_t bytes)
{
    return malloc((size_t)bytes);
}

EXPORT(page_free) void page_free(void *block)
{
    free(block);
}

/* ------------------------------------------------------------------ the data set */

static void clear(void)
{
    free(set.threshold);
    free(set.tp);
    free(set.fp);
    free(set.class_score[0]);
    free(set.class_score[1]);
    free(set.row_score);
    free(set.row_label);
    memset(&set, 0, sizeof set);
}

static bool reserve(int64_t n_points)
{
    set.threshold = malloc((size_t)n_points * sizeof *set.threshold);
    set.tp = malloc((size_t)n_points * sizeof *set.tp);
    set.fp = malloc((size_t)n_points * sizeof *set.fp);
    set.roc =
        (ney_roc){.n_points = n_points, .threshold = set.threshold, .tp = set.tp, .fp = set.fp};
    if (!set.threshold || !set.tp || !set.fp) {
        snprintf(error.message, sizeof error.message, "no memory for %lld thresholds",
                 (long long)n_points);
        return false;
    }
    return true;
}

static bool damaged(void)
{
    snprintf(error.message, sizeof error.message, "the scores in this page are damaged");
    clear();
    return false;
}

/* `count` numbers of `width` bits each, lowest bits first; returns the bytes read, -1 at the end of
 * the buffer. */
static int64_t unpack(const uint8_t *bytes, int64_t left, int width, int count, uint64_t *value)
{
    const int64_t used = ((int64_t)width * count + 7) / 8;
    int64_t bit = 0;
    if (width > 64 || used > left) {
        return -1;
    }
    for (int i = 0; i < count; i++) {
        uint64_t v = 0;
        for (int got = 0; got < width;) {
            const int at = (int)(bit & 7), take = width - got < 8 - at ? width - got : 8 - at;
            const uint64_t part = (uint64_t)((bytes[bit >> 3] >> at) & ((1 << take) - 1));
            v |= part << got;
            got += take;
            bit += take;
        }
        value[i] = v;
    }
    return used;
}

static double number_at(const uint8_t *bytes)
{
    double x;
    memcpy(&x, bytes, sizeof x);
    return x;
}

/* The curve as the program packed it (cli/report_scores.c). */
EXPORT(page_load_packed) bool page_load_packed(const uint8_t *bytes, int32_t n_bytes)
{
    uint32_t n;
    uint64_t key, value[BLOCK];
    clear();
    if (n_bytes < HEADER || memcmp(bytes, "NSC1", 4) != 0) {
        return damaged();
    }
    memcpy(&n, bytes + 4, sizeof n);
    memcpy(&key, bytes + 40, sizeof key);
    if (n > (uint32_t)n_bytes * 8 || !reserve((int64_t)n + 1)) {
        return damaged();
    }
    set.roc.n_pos = (int64_t)number_at(bytes + 8);
    set.roc.n_neg = (int64_t)number_at(bytes + 16);
    set.n_distinct = number_at(bytes + 24);
    set.gap = number_at(bytes + 32);
    set.threshold[0] = (double)INFINITY;
    set.tp[0] = set.fp[0] = 0;
    int64_t at = HEADER;
    for (uint32_t k = 0; k < n; k += BLOCK) {
        const int count = (int)(n - k < BLOCK ? n - k : BLOCK);
        if (at + 3 > n_bytes) {
            return damaged();
        }
        const uint8_t *width = bytes + at;
        at += 3;
        for (int field = 0; field < 3; field++) {
            const int64_t used = unpack(bytes + at, n_bytes - at, width[field], count, value);
            if (used < 0) {
                return damaged();
            }
            at += used;
            for (int i = 0; i < count; i++) {
                const uint32_t p = k + (uint32_t)i + 1;
                if (field == 0) {
                    key -= value[i];
                    set.threshold[p] = ney_score_of_key(key);
                } else {
                    int64_t *counts = field == 1 ? set.tp : set.fp;
                    counts[p] = counts[p - 1] + (int64_t)value[i];
                }
            }
        }
    }
    if (set.tp[n] != set.roc.n_pos || set.fp[n] != set.roc.n_neg) {
        return damaged();
    }
    return true;
}

/* Scores with their labels, +1 and -1. */
EXPORT(page_load_rows) bool page_load_rows(const double *score, const int8_t *label, int32_t n)
{
    ney_roc *roc;
    clear();
    if (ney_roc_new(&roc, NULL, score, label, n, &error) != NEY_OK) {
        return false;
    }
    if (reserve(roc->n_points)) {
        memcpy(set.threshold, roc->threshold, (size_t)roc->n_points * sizeof *set.threshold);
        memcpy(set.tp, roc->tp, (size_t)roc->n_points * sizeof *set.tp);
        memcpy(set.fp, roc->fp, (size_t)roc->n_points * sizeof *set.fp);
        set.roc.n_pos = roc->n_pos;
        set.roc.n_neg = roc->n_neg;
        set.n_distinct = (double)(roc->n_points - 1);
    }
    ney_roc_free(roc);
    return set.roc.n_points > 0;
}

/* n_points, n_pos, n_neg, n_distinct, gap. */
EXPORT(page_sizes) void page_sizes(void)
{
    page_out[0] = (double)set.roc.n_points;
    page_out[1] = (double)set.roc.n_pos;
    page_out[2] = (double)set.roc.n_neg;
    page_out[3] = set.n_distinct;
    page_out[4] = set.gap;
}

EXPORT(page_thresholds) const double *page_thresholds(void)
{
    return set.threshold;
}

/* Counts as numbers of JavaScript, into the caller's room. */
EXPORT(page_counts) void page_counts(double *tp, double *fp)
{
    for (int64_t k = 0; k < set.roc.n_points; k++) {
        tp[k] = (double)set.tp[k];
        fp[k] = (double)set.fp[k];
    }
}

/* The point that decides as this threshold does: the last whose own is at least as high. */
EXPORT(page_find) int32_t page_find(double threshold)
{
    int64_t low = 0, high = set.roc.n_points - 1;
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (set.threshold[middle] >= threshold) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return (int32_t)low;
}

/* The last point with at most so many false positives, or the first with at most so many false
 * negatives. */
EXPORT(page_find_errors) int32_t page_find_errors(bool positives, double errors)
{
    int64_t low = 0, high = set.roc.n_points - 1;
    while (low < high) {
        const int64_t middle = positives ? low + (high - low) / 2 : low + (high - low + 1) / 2;
        if (positives) {
            if ((double)(set.roc.n_pos - set.tp[middle]) <= errors) {
                high = middle;
            } else {
                low = middle + 1;
            }
        } else if ((double)set.fp[middle] <= errors) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return (int32_t)low;
}

/* ------------------------------------------------------------------ rates */

/* How intervals are made: for a threshold that was fixed before, each rate by itself or all at
 * once; or for all thresholds at once, and all rates. */
enum { EXACT_EACH, EXACT_JOINT, SIMULTANEOUS };

typedef struct share_counts {
    int64_t beyond, inside, n; /* rows of the class that are errors, rejected, in all */
} share_counts;

static ney_range share_of(int64_t hits, int64_t n)
{
    return (ney_range){.value = n > 0 ? (double)hits / (double)n : (double)NAN};
}

/* Errors are on one side of one threshold, rejected rows between two: the band at each of the two
 * thresholds bounds the difference. */
static void set_class_rates(const share_counts *c, int kind, double confidence, bool rejects,
                            ney_range *errors, ney_range *rejected)
{
    *errors = share_of(c->beyond, c->n);
    *rejected = share_of(c->inside, c->n);
    if (kind != SIMULTANEOUS) {
        ney_interval(c->beyond, c->n, confidence, &errors->low, &errors->high);
        ney_interval(c->inside, c->n, confidence, &rejected->low, &rejected->high);
    } else {
        double low, high;
        ney_interval_simultaneous(c->beyond, c->n, confidence, &errors->low, &errors->high);
        ney_interval_simultaneous(c->beyond + c->inside, c->n, confidence, &low, &high);
        rejected->low = fmax(0, low - errors->high);
        rejected->high = fmax(0, high - errors->low);
    }
    if (!rejects) {
        *rejected = (ney_range){0, 0, 0};
    }
}

/* The confidence of one interval such that all of a rule hold at once: classes are independent; two
 * rates of one class share what may be missed, unless one band holds for both. */
static double each_confidence(int kind, double confidence, bool rejects)
{
    if (kind == EXACT_EACH) {
        return confidence;
    }
    const double of_class = ney_delta_of_each(1 - confidence);
    return 1 - (kind == EXACT_JOINT && rejects ? of_class / 2 : of_class);
}

static ney_rule_rates rates_at(int32_t high, int32_t low, int kind, double confidence)
{
    const bool rejects = low > high;
    const share_counts neg = {
        .beyond = set.fp[high], .inside = set.fp[low] - set.fp[high], .n = set.roc.n_neg};
    const share_counts pos = {.beyond = set.roc.n_pos - set.tp[low],
                              .inside = set.tp[low] - set.tp[high],
                              .n = set.roc.n_pos};
    const double each = each_confidence(kind, confidence, rejects);
    ney_rule_rates r;
    set_class_rates(&neg, kind, each, rejects, &r.fpr, &r.reject_neg);
    set_class_rates(&pos, kind, each, rejects, &r.fnr, &r.reject_pos);
    return r;
}

static void put(int at, ney_range r)
{
    page_out[at] = r.value;
    page_out[at + 1] = r.low;
    page_out[at + 2] = r.high;
}

/* fpr, fnr, reject_neg, reject_pos, tpr; each value, low, high. Points `high` and `low` are those
 * of the thresholds, low >= high in the order of the curve. */
EXPORT(page_rates) void page_rates(int32_t high, int32_t low, int32_t kind, double confidence)
{
    const ney_rule_rates r = rates_at(high, low, kind, confidence);
    const bool rejects = low > high;
    put(0, r.fpr);
    put(3, r.fnr);
    put(6, r.reject_neg);
    put(9, r.reject_pos);
    const share_counts hits = {.beyond = set.tp[high], .n = set.roc.n_pos};
    ney_range tpr, unused;
    set_class_rates(&hits, kind, each_confidence(kind, confidence, rejects), false, &tpr, &unused);
    put(12, tpr);
}

/* precision, cost: at a prevalence, over the rectangle of rates that hold at once. */
EXPORT(page_at_prevalence)
void page_at_prevalence(int32_t high, int32_t low, int32_t kind, double confidence,
                        double prevalence, double cost_fn, double cost_fp, double reject_fn,
                        double reject_fp)
{
    const ney_rule_rates r = rates_at(high, low, kind, confidence);
    const ney_costs costs = {
        .fn = cost_fn, .fp = cost_fp, .reject_fn = reject_fn, .reject_fp = reject_fp};
    put(0, ney_precision_at(&r, prevalence));
    put(3, ney_cost_at(&r, prevalence, &costs));
}

/* The rate of k of n with its exact interval, as 'evaluate' prints it. */
EXPORT(page_interval) void page_interval(double hits, double n, double confidence)
{
    ney_range r = share_of((int64_t)hits, (int64_t)n);
    ney_interval((int64_t)hits, (int64_t)n, confidence, &r.low, &r.high);
    put(0, r);
}

EXPORT(page_verdict)
int32_t page_verdict(double hits, double n, double max_rate, double confidence)
{
    return ney_check_bound((int64_t)hits, (int64_t)n, max_rate, confidence);
}

/* ------------------------------------------------------------------ curves */

/* auc, error, low, high. */
EXPORT(page_auc) void page_auc(double confidence)
{
    const ney_auc_result a = ney_roc_auc(&set.roc, confidence);
    memcpy(page_out, &a, sizeof a);
}

EXPORT(page_probit) double page_probit(double p)
{
    return ney_normal_quantile(p);
}

/* Indices of the points on the hull, into room for as many as there are points; their number. */
EXPORT(page_hull) int32_t page_hull(double *point)
{
    int64_t *index = malloc((size_t)set.roc.n_points * sizeof *index);
    if (!index) {
        return -1;
    }
    const int64_t n = ney_roc_hull(&set.roc, index);
    for (int64_t i = 0; i < n; i++) {
        point[i] = (double)index[i];
    }
    free(index);
    return (int32_t)n;
}

/* share, cost, point, into room for as many as there are points and one more. */
EXPORT(page_cost_curve) int32_t page_cost_curve(double *share, double *cost, double *point)
{
    const size_t room = (size_t)set.roc.n_points + 1;
    int64_t *hull = malloc(room * sizeof *hull);
    ney_cost_point *curve = malloc(room * sizeof *curve);
    int64_t n = -1;
    if (hull && curve) {
        n = ney_roc_cost_curve(&set.roc, curve, hull);
        for (int64_t i = 0; i < n; i++) {
            share[i] = curve[i].share;
            cost[i] = curve[i].cost;
            point[i] = (double)curve[i].point;
        }
    }
    free(hull);
    free(curve);
    return (int32_t)n;
}

/* ------------------------------------------------------------------ rows again */

/* One score per row, from the points; of a thinned curve rows have the score of their point. */
static bool make_rows(void)
{
    const int64_t n = set.roc.n_pos + set.roc.n_neg;
    int64_t at = 0;
    if (set.row_score) {
        return true;
    }
    set.row_score = malloc(((size_t)n + 1) * sizeof *set.row_score);
    set.row_label = malloc((size_t)n + 1);
    if (!set.row_score || !set.row_label) {
        snprintf(error.message, sizeof error.message, "no memory for %lld rows", (long long)n);
        free(set.row_score);
        free(set.row_label);
        set.row_score = NULL;
        set.row_label = NULL;
        return false;
    }
    for (int64_t k = set.roc.n_points - 1; k > 0; k--) {
        for (int64_t i = set.tp[k - 1]; i < set.tp[k]; i++) {
            set.row_score[at] = set.threshold[k];
            set.row_label[at++] = 1;
        }
        for (int64_t i = set.fp[k - 1]; i < set.fp[k]; i++) {
            set.row_score[at] = set.threshold[k];
            set.row_label[at++] = -1;
        }
    }
    return true;
}

static bool make_class(int positive)
{
    const int64_t n = positive ? set.roc.n_pos : set.roc.n_neg;
    const int64_t *count = positive ? set.tp : set.fp;
    int64_t at = 0;
    if (set.class_score[positive]) {
        return true;
    }
    set.class_score[positive] = malloc(((size_t)n + 1) * sizeof(double));
    if (!set.class_score[positive]) {
        snprintf(error.message, sizeof error.message, "no memory for %lld rows", (long long)n);
        return false;
    }
    for (int64_t k = set.roc.n_points - 1; k > 0; k--) {
        for (int64_t i = count[k - 1]; i < count[k]; i++) {
            set.class_score[positive][at++] = set.threshold[k];
        }
    }
    return true;
}

/* Errors against rejected rows for a band that grows around `center`; one point per distance, from
 * the farthest rows to all. Room for as many as there are rows; their number, -1: failed. */
EXPORT(page_error_reject)
int32_t page_error_reject(double low, double center, double high, double *distance, double *covered,
                          double *errors)
{
    const int64_t n = set.roc.n_pos + set.roc.n_neg;
    int64_t n_points = -1;
    if (!make_rows()) {
        return -1;
    }
    ney_risk_point *curve = malloc(((size_t)n + 1) * sizeof *curve);
    const ney_labelled_scores rows = {.score = set.row_score, .label = set.row_label, .n = n};
    if (curve &&
        ney_band_coverage(NULL, &rows, low, center, high, curve, &n_points, &error) == NEY_OK) {
        for (int64_t i = 0; i < n_points; i++) {
            distance[i] = curve[i].distance;
            covered[i] = (double)curve[i].covered;
            errors[i] = (double)curve[i].errors;
        }
    } else {
        n_points = -1;
    }
    free(curve);
    return (int32_t)n_points;
}

/* ------------------------------------------------------------------ certificates */

/* A threshold with at most as many errors as the rank allows, among those that a thinned curve
 * has: farther out than the one of all rows, so that the same bound holds. */
static bool certify_thinned(int positives, double max_rate, double delta, ney_certificate *c)
{
    const int64_t n = positives ? set.roc.n_pos : set.roc.n_neg;
    const int64_t allowed = ney_mistakes_allowed(n, max_rate, delta);
    if (allowed < 0) {
        return false;
    }
    const int32_t k = page_find_errors(positives, (double)allowed);
    const int64_t errors = positives ? n - set.tp[k] : set.fp[k];
    double low, bound;
    ney_interval(allowed, n, 1 - 2 * delta, &low, &bound);
    *c = (ney_certificate){.kind = positives ? NEY_FALSE_NEGATIVES : NEY_FALSE_POSITIVES,
                           .max_rate = max_rate,
                           .delta = delta,
                           .n = n,
                           .rank = positives ? allowed + 1 : n - allowed,
                           .misclassified = errors,
                           .threshold = set.threshold[k],
                           .bound = bound};
    return true;
}

/* Whether these rows certify a bound on the FPR (positives: FNR): threshold, rank, n,
 * misclassified, bound, rows needed, tightest rate, errors allowed, true and false positives at the
 * threshold. */
EXPORT(page_certify) bool page_certify(bool positives, double max_rate, double delta)
{
    const ney_error_kind kind = positives ? NEY_FALSE_NEGATIVES : NEY_FALSE_POSITIVES;
    const int64_t n = positives ? set.roc.n_pos : set.roc.n_neg;
    ney_certificate c = {.n = n, .threshold = (double)NAN, .bound = (double)NAN};
    bool good = false;
    error.message[0] = '\0';
    if (set.gap > 0) {
        good = certify_thinned(positives, max_rate, delta, &c);
    } else if (make_class(positives)) {
        good = ney_certify(&c, NULL, kind, set.class_score[positives], n, max_rate, delta,
                           &error) == NEY_OK;
    }
    page_out[0] = c.threshold;
    page_out[1] = (double)c.rank;
    page_out[2] = (double)n;
    page_out[3] = (double)c.misclassified;
    page_out[4] = c.bound;
    page_out[5] = ney_rows_needed(max_rate, delta);
    page_out[6] = ney_tightest_rate(n, delta);
    page_out[7] = (double)ney_mistakes_allowed(n, max_rate, delta);
    if (good) {
        const int32_t k = page_find(c.threshold);
        page_out[8] = (double)set.tp[k];
        page_out[9] = (double)set.fp[k];
    }
    return good;
}

EXPORT(page_delta) double page_delta(double confidence)
{
    return ney_delta_of_confidence(confidence);
}

/* rank, expected rate, expected power at n calibration rows. */
EXPORT(page_plan) void page_plan(double n, double max_rate, double delta, double power)
{
    const ney_plan_point p = ney_plan_at((int64_t)n, max_rate, delta, power);
    page_out[0] = (double)p.rank;
    page_out[1] = p.expected_rate;
    page_out[2] = p.expected_power;
}
