#include "train_summary.h"

#include <math.h>

#include "output.h"
#include "summary.h"

/* Rows that were counted, and how a sentence calls them. */
typedef struct counted {
    const ney_counts *c;
    int64_t n_pos, n_neg;
    const char *among; /* " on the training rows (optimistic)" */
} counted;

static counted rows_of(const train_result *r, const ney_counts *counts)
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

static const char *name_of(const train_result *r, int label)
{
    return ney_recipe_label(ney_model_recipe(r->model), label);
}

static double share_of(int64_t part, int64_t n)
{
    return n > 0 ? (double)part / (double)n : (double)NAN;
}

static void add_errors(ney_result *root, const train_result *r, const counted *of, bool fpr)
{
    summary_share(root, &(class_share){.verb = fpr ? "Flags" : "Classifies",
                                       .outcome = fpr ? " as positive" : " as negative",
                                       .positive = !fpr,
                                       .name = name_of(r, fpr ? -1 : 1),
                                       .share = fpr ? share_of(of->c->fp, of->n_neg)
                                                    : share_of(of->c->fn, of->n_pos),
                                       .rows = of->among});
}

/* What remains of the class that is not bounded. */
static void add_detected(ney_result *root, const train_result *r, const counted *of, bool fpr)
{
    summary_share(root, &(class_share){.verb = fpr ? "Detects" : "Classifies",
                                       .outcome = fpr ? "" : " as negative",
                                       .positive = fpr,
                                       .name = name_of(r, fpr ? 1 : -1),
                                       .share = fpr ? share_of(of->c->tp, of->n_pos)
                                                    : share_of(of->c->tn, of->n_neg),
                                       .rows = of->among});
}

static void add_rejected(ney_result *root, const counted *of)
{
    const int64_t n = of->n_pos + of->n_neg;

    if (n > 0) {
        summary_add(root, "Rejects %.3g %% of rows%s.",
                    100 * share_of(of->c->rejected_pos + of->c->rejected_neg, n), of->among);
    }
}

static void add_discoveries(ney_result *root, const train_result *r)
{
    const ney_counts *c = &r->info->counts;

    if (c->tp == 0) {
        summary_add(root, "No target is accepted at an estimated FDR of %.32s.", r->opts->max_fdr);
        result_warn(root,
                    "%lld decoys are too few to estimate an FDR of %.32s, or targets do not score "
                    "higher than decoys; the best single feature accepts no target either",
                    (long long)(c->fp + c->tn), r->opts->max_fdr);
        return;
    }
    summary_add(root, "Accepts %lld of %lld targets at an estimated FDR of %.32s (%s).",
                (long long)c->tp, (long long)(c->tp + c->fn), r->opts->max_fdr,
                r->info->folds > 0 ? "scored out of fold" : "on the rows that chose the feature");
}

static void add_next(const session *s, ney_result *root, const train_result *r)
{
    char model[SHELL_WORD];

    if (output_is_stdout(r->output)) {
        return;
    }
    shell_word(model, r->output);
    if (r->opts->max_fdr) {
        summary_next(s, root, "neyman qvalues %s DATA", model);
    } else {
        summary_next(s, root, "neyman evaluate %s TEST  (TEST: labelled rows not used in training)",
                     model);
    }
}

void train_summary(const session *s, ney_result *root, const train_result *r,
                   const ney_counts *counts)
{
    const ney_train_opts *o = r->opts;
    const counted of = rows_of(r, counts);
    const bool fpr = !isnan(o->max_fpr), fnr = !isnan(o->max_fnr);
    char claim[GUARANTEE_TEXT];

    if (r->info->certified) {
        const guarantee g = train_guarantee(r);
        guarantee_claim(claim, &g);
        summary_add(root, "%s.", claim);
    }
    if (o->max_fdr) {
        add_discoveries(root, r);
    } else if (fpr && fnr) {
        add_rejected(root, &of);
    } else if (fpr || fnr) {
        if (!r->info->certified) {
            add_errors(root, r, &of, fpr);
        }
        add_detected(root, r, &of, fpr);
    } else {
        add_errors(root, r, &of, true);
        add_errors(root, r, &of, false);
        if (of.c->rejected_pos + of.c->rejected_neg > 0) {
            add_rejected(root, &of);
        }
    }
    add_next(s, root, r);
}
