/* What a comparison of methods reports. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contest.h"
#include "labelled.h"

/* The exact interval of a share of rows needs independent rows. */
static void add_rate(ney_result *row, const contest *c, const char *key, int64_t hits, int64_t n)
{
    if (c->group) {
        ney_result_add_real(row, key, (double)hits / (double)n);
    } else {
        result_rate(row, key, hits, n);
    }
}

void contest_table(const contest *c, ney_result *methods)
{
    for (int k = 0; k < c->n; k++) {
        const contest_entry *e = &c->entry[k];
        const ney_counts *n = &e->counts;
        ney_result *row = ney_result_add_object(methods, NULL);

        ney_result_add_text(row, "method", e->name);
        if (c->folds == 0) { /* else each fold chooses */
            ney_result_add_real(row, "C", e->info.best.C);
        }
        if (c->folds == 0 && e->info.best.kernel != NEY_KERNEL_LINEAR) {
            ney_result_add_real(row, "gamma", e->info.best.gamma);
        }
        add_rate(row, c, "fpr", n->fp, n->fp + n->tn);
        add_rate(row, c, "fnr", n->fn, n->fn + n->tp);
        if (c->bounds) {
            ney_result_add_bool(row, "certified", e->certified);
        }
        if (c->folds == 0 || !c->bounds) {
            ney_result_add_real(row, c->bounds ? "matched" : "cost", e->difference.value);
        }
        if (c->folds == 0) {
            ney_result_add_real(row, "auc", ney_roc_auc(e->roc, 0.95).auc);
        }
        if (k > 0) {
            ney_result_add_real(row, "difference", e->difference.difference);
            ney_result_add_interval(row, "difference_interval", e->difference.low,
                                    e->difference.high);
            ney_result_add_real(row, "p_adjusted", e->difference.p_adjusted);
        } else {
            ney_result_add_text(row, "difference", NULL);
            ney_result_add_text(row, "difference_interval", NULL);
            ney_result_add_text(row, "p_adjusted", NULL);
        }
        ney_result_add_real(row, "seconds", e->seconds);
    }
}

/* What the test rows show about one method. */
typedef enum finding { NOT_SHOWN, FIRST_BETTER, FIRST_WORSE } finding;

static finding finding_of(const ney_difference *d)
{
    return d->p_adjusted > 0.05 ? NOT_SHOWN : d->difference > 0 ? FIRST_BETTER : FIRST_WORSE;
}

/* Append "WORDS name, name and name" for the methods of one finding. */
static void list_methods(const contest *c, finding which, const char *words, char text[VERDICT])
{
    int left = 0;
    size_t at = strlen(text);

    for (int k = 1; k < c->n; k++) {
        left += finding_of(&c->entry[k].difference) == which;
    }
    if (left == 0) {
        return;
    }
    at += (size_t)snprintf(text + at, VERDICT - at, "%s%s", at > 0 ? "; " : "", words);
    for (int k = 1; k < c->n; k++) {
        if (finding_of(&c->entry[k].difference) == which) {
            left--;
            at += (size_t)snprintf(text + at, VERDICT - at, " %s%s", c->entry[k].name,
                                   left > 1    ? ","
                                   : left == 1 ? " and"
                                               : "");
        }
    }
}

void contest_verdict(const contest *c, char text[VERDICT])
{
    const char *first = c->entry[0].name;
    const char *what = c->bounds ? (c->fnr_bounded ? "FPR" : "FNR") : "cost";
    char words[128];

    text[0] = '\0';
    if (c->entry[0].difference.too_few) {
        snprintf(
            text, VERDICT,
            "no difference can be shown: too few test rows of the bounded class for this rate");
        return;
    }
    snprintf(words, sizeof words, "%s has a lower %s than", first, what);
    list_methods(c, FIRST_BETTER, words, text);
    snprintf(words, sizeof words, "%s has a higher %s than", first, what);
    list_methods(c, FIRST_WORSE, words, text);
    snprintf(words, sizeof words, "no difference shown between %s and", first);
    list_methods(c, NOT_SHOWN, words, text);
}

double contest_rows_for_rate(double rate)
{
    return rate > 0 ? ceil(log(0.025) / log1p(-rate)) : INFINITY;
}

/* Why the differences have no interval. The rate's quantile lies beyond all n test rows with
 * probability (1 - rate)^n. */
static void warn_too_few(ney_result *root, const contest *c, double rate)
{
    if (!c->entry[0].difference.too_few) {
        return;
    }
    if (c->folds > 0) {
        ney_result_warn(root,
                        "the differences have no interval: expected rows of %d groups or more",
                        CONTEST_UNITS);
    } else if (rate > 0) {
        const class_counts n = count_classes(c->test);
        ney_result_warn(root,
                        "the differences have no interval: %lld test rows of the bounded class, "
                        "expected %.0f or more for a rate of %g%s%s",
                        (long long)(c->fnr_bounded ? n.pos : n.neg), contest_rows_for_rate(rate),
                        rate, c->group ? ", of as many groups, and 20 groups of either class" : "",
                        "; without --test, --cv 4 tests every row once");
    } else {
        ney_result_warn(root, "the differences have no interval: no number of test rows shows how "
                              "methods differ at a rate of 0");
    }
}

/* A method with more errors of the bounded class than allowed has fewer of the other. */
static void warn_beyond_bound(ney_result *root, const contest *c, double rate)
{
    for (int k = 0; k < c->n && c->bounds && c->folds > 0; k++) {
        const ney_counts *const n = &c->entry[k].counts;
        const int64_t hits = c->fnr_bounded ? n->fn : n->fp,
                      rows = c->fnr_bounded ? n->fn + n->tp : n->fp + n->tn;
        if ((double)hits > rate * (double)rows) {
            ney_result_warn(root,
                            "%s exceeds the bound: an %s of %.3g %% on rows that were not trained "
                            "on; its %s is lower for that",
                            c->entry[k].name, c->fnr_bounded ? "FNR" : "FPR",
                            100 * (double)hits / (double)rows, c->fnr_bounded ? "FPR" : "FNR");
        }
    }
}

void contest_warn(ney_result *root, const contest *c, double rate)
{
    warn_too_few(root, c, rate);
    warn_beyond_bound(root, c, rate);
}

void contest_rows(ney_result *root, const contest *c, const ney_data *whole)
{
    const class_counts train = count_classes(c->folds > 0 ? whole : c->train);

    ney_result_add_int(root, "n", train.pos + train.neg);
    ney_result_add_int(root, "n_pos", train.pos);
    ney_result_add_int(root, "n_neg", train.neg);
    if (c->folds > 0) {
        ney_result_add_int(root, "cv_folds", c->folds);
        ney_result_add_text(root, "interval_kind",
                            "asymptotic, for the mean difference of the models of the folds (Bayle "
                            "et al. 2020), not of models trained on all rows");
    } else {
        ney_result_add_int(root, "n_test", ney_data_matrix(c->test)->rows);
    }
    if (c->group) {
        ney_result_add_text(root, "unit", "group");
        ney_result_add_text(root, "rate_definition",
                            "shares of the test rows; the bootstrap draws whole groups");
    }
}
