#include "base/error.h"

#include <math.h>

static const double FEW_DETECTED = 0.25; /* and less than this multiple of chance: of little use */
static const double TIMES_CHANCE = 5;
static const double NEARLY_ALL = 0.99; /* rejected */

/* The exact 95 % interval of a share of independent units; rows of a group count as one. */
static void interval_of(const ney_detection *d, double *low, double *high)
{
    const double share = (double)d->detected / (double)d->n;
    ney_interval((int64_t)floor(share * (double)d->n_units + 1e-9), d->n_units, 0.95, low, high);
}

void ney_warn_detection(ney_result *root, const ney_detection *d)
{
    const double share = (double)d->detected / (double)d->n;
    const double corrected = (double)d->corrected / (double)d->n;
    const char *const class = d->fpr ? "positives" : "negatives";
    double low, high;

    if (d->n == 0 || d->n_units == 0 || d->bound >= 1) {
        return;
    }
    interval_of(d, &low, &high);
    if (low <= d->bound) {
        ney_result_warn(
            root,
            "meets the bound, but detects %.3g %% of %s (%lld of %lld %s; 95 %% interval "
            "%.3g to %.3g %%): no better than chance at this bound; more rows, other "
            "features, a kernel or a looser bound may help",
            100 * share, class, (long long)d->detected, (long long)d->n, d->rows, 100 * low,
            100 * high);
    } else if (d->corrected >= 0 && corrected <= d->bound) {
        ney_result_warn(
            root,
            "meets the bound, but may be no better than chance on new data: it detects "
            "%.3g %% of %s among %s, and %.3g %% if their scores are as optimistic as "
            "those of the bounded class are seen to be; run 'neyman evaluate' on other rows, or "
            "'neyman cv'",
            100 * share, class, d->rows, 100 * corrected);
    } else if (share < FEW_DETECTED && share < TIMES_CHANCE * d->bound) {
        ney_result_warn(
            root,
            "meets the bound, but detects only %.3g %% of %s (%lld of %lld %s), %.2g times "
            "what chance detects; more rows, other features, a kernel or a looser bound "
            "may help",
            100 * share, class, (long long)d->detected, (long long)d->n, d->rows, share / d->bound);
    }
}

void ney_warn_chance(ney_result *root, const ney_counts *c, const char *rows)
{
    const int64_t pos = c->tp + c->fn + c->rejected_pos, neg = c->tn + c->fp + c->rejected_neg;
    const double fpr = (double)c->fp / (double)neg;
    double low, high;

    if (pos == 0 || neg == 0) {
        return;
    }
    ney_interval(c->tp, pos, 0.95, &low, &high);
    if (low <= fpr) {
        ney_result_warn(
            root,
            "detects %.3g %% of positives and flags %.3g %% of negatives (%s): no better "
            "than chance; more rows, other features, a kernel or a looser bound may help",
            100 * (double)c->tp / (double)pos, 100 * fpr, rows);
    }
}

static int64_t count_all(const ney_counts *c)
{
    return c->tp + c->fn + c->tn + c->fp + c->rejected_pos + c->rejected_neg;
}

void ney_warn_rejection(ney_result *root, const ney_counts *c, const char *rows)
{
    const int64_t n = count_all(c), rejected = c->rejected_pos + c->rejected_neg;

    if (n > 0 && (double)rejected >= NEARLY_ALL * (double)n) {
        ney_result_warn(
            root,
            "rejects %.4g %% of the rows (%lld of %lld %s): almost no row is decided; more rows, "
            "other features, a kernel, looser bounds or a higher cost of rejection may help",
            100 * (double)rejected / (double)n, (long long)rejected, (long long)n, rows);
    }
}

/* What a row costs by its class and the decision. */
typedef struct outcome {
    int64_t n;
    bool positive;
    double cost;
} outcome;

/* What a row of each class stands for: 1, or its part of the class's share of new data. */
typedef struct row_weights {
    double pos, neg;
} row_weights;

enum { OUTCOMES = 6 };

/* Whether the costs are less than those of one decision for all rows by more than chance explains:
 * the savings of a row, summed over rows, against twice their standard deviation. */
static bool is_cheaper(const outcome of[OUTCOMES], const row_weights *weight, double cost_pos,
                       double cost_neg)
{
    double saved = 0, squares = 0;

    for (int k = 0; k < OUTCOMES; k++) {
        const double d = (of[k].positive ? weight->pos : weight->neg) *
                         ((of[k].positive ? cost_pos : cost_neg) - of[k].cost);
        if (of[k].n > 0) {
            saved += (double)of[k].n * d;
            squares += (double)of[k].n * d * d;
        }
    }
    return saved > 1.96 * sqrt(squares);
}

void ney_warn_costs(ney_result *root, const ney_counts *c, const ney_costs *costs,
                    double prevalence, const char *rows)
{
    const int64_t pos = c->tp + c->fn + c->rejected_pos, neg = c->tn + c->fp + c->rejected_neg;
    const bool is_given = !isnan(prevalence);
    const row_weights weight = {is_given ? prevalence / (double)pos : 1,
                                is_given ? (1 - prevalence) / (double)neg : 1};
    const outcome of[OUTCOMES] = {
        {c->tp, true, 0},  {c->fn, true, costs->fn},  {c->rejected_pos, true, costs->reject_fn},
        {c->tn, false, 0}, {c->fp, false, costs->fp}, {c->rejected_neg, false, costs->reject_fp}};
    const char *same = NULL;

    if (pos + neg == 0 || (is_given && (pos == 0 || neg == 0))) {
        return;
    }
    if (!is_cheaper(of, &weight, 0, costs->fp)) {
        same = "deciding positive for every row costs";
    } else if (!is_cheaper(of, &weight, costs->fn, 0)) {
        same = "deciding negative for every row costs";
    } else if (!isnan(costs->reject_fn) &&
               !is_cheaper(of, &weight, costs->reject_fn, costs->reject_fp)) {
        same = "rejecting every row costs";
    }
    if (same) {
        ney_result_warn(
            root,
            "%s no more than this model, within the error of %lld %s; more rows, other features, "
            "a kernel or other costs may help",
            same, (long long)(pos + neg), rows);
    }
}
