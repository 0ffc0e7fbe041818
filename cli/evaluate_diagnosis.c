/* What 'evaluate' says beyond error rates: diagnostic measures, the verdict on a promised bound,
 * the quality of probabilities. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "band.h"
#include "evaluate.h"
#include "groups.h"
#include "result.h"

/* ------------------------------------------------------------------ measures */

static void add_range(ney_result *root, const char *key, ney_measure_range m)
{
    char name[64];

    snprintf(name, sizeof name, "%s_range", key);
    if (isnan(m.value)) {
        ney_result_add_text(root, key, NULL);
        ney_result_add_text(root, name, NULL);
        return;
    }
    ney_result_add_real(root, key, m.value);
    ney_result_add_interval(root, name, m.low, m.high);
}

/* Predictive values of these rows have exact intervals; at another prevalence they are functions of
 * sensitivity and specificity. */
static void add_predictive_values(ney_result *root, const ney_counts *c, double prevalence)
{
    if (isnan(prevalence)) {
        result_rate(root, "ppv", c->tp, c->tp + c->fp);
        result_rate(root, "npv", c->tn, c->tn + c->fn);
        return;
    }
    add_range(root, "ppv", ney_measure_of(NEY_MEASURE_PPV, c, prevalence, 0.95));
    add_range(root, "npv", ney_measure_of(NEY_MEASURE_NPV, c, prevalence, 0.95));
}

void add_measures(ney_result *root, const ney_counts *c, double prevalence)
{
    static const struct {
        const char *key;
        ney_measure measure;
    } rows[] = {{"lr_positive", NEY_MEASURE_LR_POSITIVE},
                {"lr_negative", NEY_MEASURE_LR_NEGATIVE},
                {"f1", NEY_MEASURE_F1},
                {"mcc", NEY_MEASURE_MCC}};
    const int64_t n_pos = c->tp + c->fn, n_neg = c->tn + c->fp;
    const double share = isnan(prevalence) ? (double)n_pos / (double)(n_pos + n_neg) : prevalence;

    if (!ney_result_find(root, "sensitivity")) { /* a reject option reports it */
        result_rate(root, "sensitivity", c->tp, n_pos);
    }
    result_rate(root, "specificity", c->tn, n_neg);
    add_predictive_values(root, c, prevalence);
    for (size_t k = 0; k < COUNT(rows); k++) {
        add_range(root, rows[k].key, ney_measure_of(rows[k].measure, c, share, 0.95));
    }
    if (!isnan(prevalence)) {
        ney_result_add_real(root, "prevalence", prevalence);
    }
    ney_result_add_text(root, "range_kind",
                        "range over the joint 95 % Clopper-Pearson rectangle of sensitivity and "
                        "specificity");
}

/* ------------------------------------------------------------------ cost */

static double mean_cost(double error, double n_error, double reject, double n_reject, double n)
{
    return (error * n_error + reject * n_reject) / n;
}

void add_cost_at(ney_result *root, const ney_counts *c, const ney_costs *costs, double prevalence)
{
    const double n_pos = (double)(c->tp + c->fn + c->rejected_pos);
    const double n_neg = (double)(c->tn + c->fp + c->rejected_neg);
    const double pos =
        mean_cost(costs->fn, (double)c->fn, costs->reject_fn, (double)c->rejected_pos, n_pos);
    const double neg =
        mean_cost(costs->fp, (double)c->fp, costs->reject_fp, (double)c->rejected_neg, n_neg);
    double fnr[2], fpr[2];

    ney_result_add_real(root, "cost", prevalence * pos + (1 - prevalence) * neg);
    if (c->rejected_pos + c->rejected_neg > 0 || n_pos == 0 || n_neg == 0) {
        ney_result_add_text(root, "cost_range", NULL);
        return;
    }
    ney_interval(c->fn, c->fn + c->tp, sqrt(0.95), &fnr[0], &fnr[1]);
    ney_interval(c->fp, c->fp + c->tn, sqrt(0.95), &fpr[0], &fpr[1]);
    ney_result_add_interval(
        root, "cost_range", prevalence * costs->fn * fnr[0] + (1 - prevalence) * costs->fp * fpr[0],
        prevalence * costs->fn * fnr[1] + (1 - prevalence) * costs->fp * fpr[1]);
}

/* ------------------------------------------------------------------ promised bounds */

const char *const verdict_names[] = {"confirmed", "open", "refuted"};

/* The interval of a rate in the result; false: it has none. */
static bool find_interval(const ney_result *root, const char *rate, double bounds[2])
{
    char path[64];
    bool found = true;

    for (int k = 0; k < 2; k++) {
        snprintf(path, sizeof path, "%s_interval.%d", rate, k);
        found = found && ney_result_get_real(root, path, &bounds[k]);
    }
    return found;
}

/* The bound against the interval of `rate`; NULL: there is none of either. */
static const char *find_verdict(ney_result *root, const char *rate, const char *name, double bound)
{
    double at[2];

    if (isnan(bound) || !find_interval(root, rate, at)) {
        return NULL;
    }
    const ney_verdict v = at[1] <= bound   ? NEY_VERDICT_CONFIRMED
                          : at[0] <= bound ? NEY_VERDICT_OPEN
                                           : NEY_VERDICT_REFUTED;
    ney_result_headline(root, "The model's bound of %g %% on the %s is %s by these rows.",
                        100 * bound, name,
                        v == NEY_VERDICT_OPEN ? "neither confirmed nor refuted" : verdict_names[v]);
    return verdict_names[v];
}

bool is_new_evidence(const evidence *in)
{
    return !in->of_model.in_sample && !in->of_model.partly_seen && in->of_model.out_of_fold == 0 &&
           in->n_seen <= 0;
}

void add_verdicts(ney_result *root, const evidence *in)
{
    const double fpr = summary_number(in->of_model.model, "max_fpr"),
                 fnr = summary_number(in->of_model.model, "max_fnr");

    /* what is promised of groups cannot be compared with rows, nor the reverse */
    if (!is_new_evidence(in) || (in->group != NULL) != groups_certified(in->of_model.model)) {
        return;
    }
    const char *const of_fpr = find_verdict(root, "fpr", "FPR", fpr), *const of_fnr = find_verdict(
                                                                          root, "fnr", "FNR", fnr);
    if (of_fpr) {
        ney_result_add_real(root, "fpr_bound", fpr);
        ney_result_add_text(root, "fpr_verdict", of_fpr);
    }
    if (of_fnr) {
        ney_result_add_real(root, "fnr_bound", fnr);
        ney_result_add_text(root, "fnr_verdict", of_fnr);
    }
}

/* ------------------------------------------------------------------ probabilities */

enum { BINS = 10 };

static void add_reliability(ney_result *root, const ney_reliability_bin *bin)
{
    ney_result *list = ney_result_add_array(root, "reliability");

    for (int k = 0; k < BINS; k++) {
        if (bin[k].n > 0) {
            ney_result *row = ney_result_add_object(list, NULL);
            ney_result_add_real(row, "from", (double)k / BINS);
            ney_result_add_real(row, "to", (double)(k + 1) / BINS);
            ney_result_add_int(row, "rows", bin[k].n);
            ney_result_add_real(row, "mean_probability", bin[k].sum / (double)bin[k].n);
            result_rate(row, "frequency", bin[k].n_pos, bin[k].n);
        }
    }
}

ney_status add_probability_quality(session *s, ney_result *root, const evidence *in)
{
    const ney_calibrator *const c = ney_model_calibrator(in->of_model.model);
    ney_reliability_bin bin[BINS];

    if (!c || in->n == 0) {
        return NEY_OK;
    }
    double *const p = malloc((size_t)in->n * sizeof *p);
    if (!p) {
        return out_of_memory(&s->err, "the probabilities");
    }
    for (int64_t i = 0; i < in->n; i++) {
        p[i] = ney_calibrator_probability(c, NEY_PROBABILITY_VENN_ABERS, in->score[i]);
    }
    const ney_probability_score q = ney_score_probabilities(p, in->label, in->n, BINS, bin);
    ney_result_add_real(root, "brier", q.brier);
    ney_result_add_real(root, "log_loss", q.log_loss);
    add_reliability(root, bin);
    free(p);
    return NEY_OK;
}
