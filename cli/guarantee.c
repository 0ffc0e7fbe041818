#include "guarantee.h"

enum { CLAUSE = 256 };

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

void guarantee_claim(char text[GUARANTEE_TEXT], const guarantee *g)
{
    char claim[CLAUSE], second[CLAUSE];

    claim_text(claim, g->fpr ? g->fpr : g->fnr, g->fpr ? g->negative : g->positive);
    if (!g->fpr || !g->fnr) {
        snprintf(text, GUARANTEE_TEXT, "At most %s, with %.6g %% confidence", claim,
                 100 * g->confidence);
        return;
    }
    claim_text(second, g->fnr, g->positive);
    snprintf(text, GUARANTEE_TEXT,
             "At most %.150s and at most %.150s, both with %.6g %% confidence", claim, second,
             100 * g->confidence);
}

void guarantee_text(char text[GUARANTEE_TEXT], const guarantee *g)
{
    const bool both = g->fpr && g->fnr;
    char claim[GUARANTEE_TEXT], ground[CLAUSE], second[CLAUSE] = "";

    guarantee_claim(claim, g);
    evidence_text(ground, g->fpr ? g->fpr : g->fnr, g->evidence);
    if (both) {
        evidence_text(second, g->fnr, g->evidence);
    }
    snprintf(text, GUARANTEE_TEXT, "%.380s (%.120s%s%.120s)", claim, ground, both ? "; " : "",
             second);
}
