/* The sentence that states a certified rate: which share of which class, with which confidence, on
 * what evidence. One wording for every command that certifies. */
#include "base/error.h"

#include <math.h>
#include <stdio.h>

enum { CLAUSE = 256, CLASS_NAME = 96 };

/* "1 % of negatives ('ham') are flagged as positive"; where groups are the unit, "1 % of negatives
 * ('ham') of a new group are flagged as positive, on average over groups" */
static void claim_text(char text[CLAUSE], const ney_certificate *c, const char *name)
{
    const bool fpr = c->kind == NEY_FALSE_POSITIVES;

    snprintf(text, CLAUSE, "%.6g %% of %s (%s%.64s%s)%s are %s%s", 100 * c->max_rate,
             fpr ? "negatives" : "positives", name ? "'" : "", name ? name : "no name",
             name ? "'" : "", c->n_groups > 0 ? " of a new group" : "",
             fpr ? "flagged as positive" : "classified as negative",
             c->n_groups > 0 ? ", on average over groups" : "");
}

/* "300 held-out negatives, 1 above the threshold" */
static void evidence_text(char text[CLAUSE], const ney_certificate *c, const char *evidence)
{
    const bool fpr = c->kind == NEY_FALSE_POSITIVES;

    char groups[64] = "";

    if (c->n_groups > 0) {
        snprintf(groups, sizeof groups, " in %lld groups", (long long)c->n_groups);
    }
    snprintf(text, CLAUSE, "%lld %s %s%s, %lld %s the threshold", (long long)c->n, evidence,
             fpr ? "negatives" : "positives", groups, (long long)c->misclassified,
             fpr ? "above" : "below");
}

/* Without a certificate there is nothing to claim. */
static void say_nothing(char *text)
{
    if (text) {
        *text = '\0';
    }
}

void ney_guarantee_claim(char text[NEY_GUARANTEE_TEXT], const ney_guarantee *g)
{
    if (!text || !g || (!g->fpr && !g->fnr)) {
        say_nothing(text);
        return;
    }
    char claim[CLAUSE], second[CLAUSE];

    claim_text(claim, g->fpr ? g->fpr : g->fnr, g->fpr ? g->negative : g->positive);
    if (!g->fpr || !g->fnr) {
        snprintf(text, NEY_GUARANTEE_TEXT, "At most %s, with %.6g %% confidence", claim,
                 100 * g->confidence);
        return;
    }
    claim_text(second, g->fnr, g->positive);
    snprintf(text, NEY_GUARANTEE_TEXT,
             "At most %.150s and at most %.150s, both with %.6g %% confidence", claim, second,
             100 * g->confidence);
}

void ney_guarantee_text(char text[NEY_GUARANTEE_TEXT], const ney_guarantee *g)
{
    if (!text || !g || (!g->fpr && !g->fnr)) {
        say_nothing(text);
        return;
    }
    const bool both = g->fpr && g->fnr;
    char claim[NEY_GUARANTEE_TEXT], ground[CLAUSE], second[CLAUSE] = "";

    ney_guarantee_claim(claim, g);
    evidence_text(ground, g->fpr ? g->fpr : g->fnr, g->evidence);
    if (both) {
        evidence_text(second, g->fnr, g->evidence);
    }
    snprintf(text, NEY_GUARANTEE_TEXT, "%.380s (%.120s%s%.120s)", claim, ground, both ? "; " : "",
             second);
}

void ney_result_define_groups(ney_result *root, int64_t n_groups)
{
    ney_result_add_text(root, "unit", "group");
    if (n_groups >= 0) {
        ney_result_add_int(root, "n_groups", n_groups);
    }
    ney_result_add_text(
        root, "rate_definition",
        "of a random row of the class in a random new group that has some: the mean over "
        "groups of the rate within a group");
}

static void class_name(char text[CLASS_NAME], const char *name)
{
    text[0] = '\0';
    if (name && name[0]) {
        snprintf(text, CLASS_NAME, " ('%.64s')", name);
    }
}

void ney_result_headline_share(ney_result *root, const ney_class_share *of)
{
    char interval[64] = "", name[CLASS_NAME];

    if (isnan(of->share)) {
        return;
    }
    class_name(name, of->name);
    if (of->bounds) {
        snprintf(interval, sizeof interval, " (95 %% interval %.3g to %.3g %%)",
                 100 * of->bounds[0], 100 * of->bounds[1]);
    }
    ney_result_headline(root, "%s %.3g %% of %s%s%s%s%s.", of->verb, 100 * of->share,
                        of->positive ? "positives" : "negatives", name, of->outcome, interval,
                        of->rows);
}
