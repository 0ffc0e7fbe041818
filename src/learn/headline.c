/* The first sentences of a result: what is promised, and what it costs. */
#include "base/number.h"
#include "learn/summary.h"

#include <math.h>
#include <string.h>

/* Rows that were counted, and how a sentence names them. */
typedef struct counted {
    const ney_counts *c;
    int64_t n_pos, n_neg;
    const char *among; /* " on the training rows (optimistic)" */
} counted;

static counted rows_of(const ney_run *r, const ney_counts *counts)
{
    const ney_counts *c = r->valid ? r->valid : counts;

    return (counted){.c = c,
                     .n_pos = c->tp + c->fn + c->rejected_pos,
                     .n_neg = c->tn + c->fp + c->rejected_neg,
                     .among = !r->valid ? " on the training rows (optimistic)"
                              : r->recount
                                  ? " on the validation rows, which chose the settings and "
                                    "the threshold (estimate)"
                                  : " on the validation rows, which chose the settings "
                                    "(estimate)"};
}

static const char *name_of(const ney_run *r, int label)
{
    return ney_preprocessing_label(ney_model_preprocessing(r->model), label);
}

static double share_of(int64_t part, int64_t n)
{
    return n > 0 ? (double)part / (double)n : (double)NAN;
}

static void headline_errors(ney_result *root, const ney_run *r, const counted *of, bool fpr)
{
    ney_result_headline_share(root,
                              &(ney_class_share){.verb = fpr ? "Flags" : "Classifies",
                                                 .outcome = fpr ? " as positive" : " as negative",
                                                 .positive = !fpr,
                                                 .name = name_of(r, fpr ? -1 : 1),
                                                 .share = fpr ? share_of(of->c->fp, of->n_neg)
                                                              : share_of(of->c->fn, of->n_pos),
                                                 .rows = of->among});
}

/* What remains of the class that is not bounded. */
static void headline_detected(ney_result *root, const ney_run *r, const counted *of, bool fpr)
{
    ney_result_headline_share(root,
                              &(ney_class_share){.verb = fpr ? "Detects" : "Classifies",
                                                 .outcome = fpr ? "" : " as negative",
                                                 .positive = fpr,
                                                 .name = name_of(r, fpr ? 1 : -1),
                                                 .share = fpr ? share_of(of->c->tp, of->n_pos)
                                                              : share_of(of->c->tn, of->n_neg),
                                                 .rows = of->among});
}

static void headline_rejected(ney_result *root, const counted *of)
{
    const int64_t n = of->n_pos + of->n_neg;

    if (n > 0) {
        ney_result_headline(root, "Rejects %.3g %% of rows%s.",
                            100 * share_of(of->c->rejected_pos + of->c->rejected_neg, n),
                            of->among);
    }
}

/* Why no target is accepted at q: with the added decoy the estimate is at least 1 / T where rows
 * compete, else 1 / (n- + 1). */
static void warn_of_no_discovery(ney_result *root, const ney_run *r)
{
    const ney_competition *const c = &r->info->competition;
    const char *const rates = r->request.max_fdr; /* the first one counts */
    double q = 1;
    (void)ney_number_parse(rates, strcspn(rates, ","), &q);
    const double least = ceil(1 / q - 1e-9);
    const bool counts = !c->estimate.no_plus_one && c->estimate.kind == NEY_FDR_DECOYS_PER_TARGET;

    if (counts && c->estimate.compete && (double)c->n_pos < least) {
        ney_result_warn(root,
                        "%lld targets are too few for an FDR of %.32s: at least %.0f must be "
                        "accepted",
                        (long long)c->n_pos, r->request.max_fdr, least);
    } else if (counts && !c->estimate.compete && (double)c->n_neg + 1 < least) {
        ney_result_warn(root,
                        "%lld decoys are too few for an FDR of %.32s: at least %.0f are needed",
                        (long long)c->n_neg, r->request.max_fdr, least - 1);
    } else {
        ney_result_warn(root,
                        "the best-scoring targets are not separated from the decoys; the best "
                        "single feature accepts no target either");
    }
}

static void headline_discoveries(ney_result *root, const ney_run *r)
{
    const ney_counts *c = &r->info->counts;

    if (c->tp == 0) {
        ney_result_headline(root, "No target is accepted at an estimated FDR of %.32s.",
                            r->request.max_fdr);
        warn_of_no_discovery(root, r);
        return;
    }
    ney_result_headline(root, "Accepts %lld of %lld targets at an estimated FDR of %.32s (%s).",
                        (long long)c->tp, (long long)(c->tp + c->fn), r->request.max_fdr,
                        r->info->folds > 0 ? "scored out of fold"
                                           : "on the rows that chose the feature");
}

void ney_run_headline(ney_result *root, const ney_run *r, const ney_counts *counts)
{
    const counted of = rows_of(r, counts);
    const bool fpr = ney_request_bounds(&r->request, NEY_FALSE_POSITIVES);
    const bool fnr = ney_request_bounds(&r->request, NEY_FALSE_NEGATIVES);
    char claim[NEY_GUARANTEE_TEXT];

    if (r->info->certified) {
        const ney_guarantee g = ney_run_guarantee(r);
        ney_guarantee_claim(claim, &g);
        ney_result_headline(root, "%s.", claim);
    }
    if (r->request.kind == NEY_GOAL_FDR) {
        headline_discoveries(root, r);
    } else if (fpr && fnr) {
        headline_rejected(root, &of);
    } else if (fpr || fnr) {
        if (!r->info->certified) {
            headline_errors(root, r, &of, fpr);
        }
        headline_detected(root, r, &of, fpr);
    } else {
        headline_errors(root, r, &of, true);
        headline_errors(root, r, &of, false);
        if (of.c->rejected_pos + of.c->rejected_neg > 0) {
            headline_rejected(root, &of);
        }
    }
}
