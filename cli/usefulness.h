/* Warnings about models that meet their bound or cost and are of no use. A warning is
 * a statement about the counts it is given, which name the rows they come from ("held-out rows",
 * "training rows"); rules and their error rates: doc/claims.md, "Useless models". */
#ifndef CLI_USEFULNESS_H
#define CLI_USEFULNESS_H

#include "result.h"
#include "session.h"

/* Rows of the class that is not bounded: positives with a bounded FPR (`fpr`), negatives with a
 * bounded FNR. `detected` of `n` are classified right. */
typedef struct detection {
    bool fpr;
    double bound;
    int64_t detected, n;
    int64_t corrected; /* the same with the optimism of training taken off; -1: unknown */
    int64_t n_units;   /* independent ones: groups, or rows */
    const char *rows;
} detection;

/* One bounded rate. A score that is independent of the class detects a share of at most the bound.
 * On learned rows the share is optimistic: where even that is no better than chance, the model is
 * not; where only the corrected share is not, it may not be. */
void warn_detection(ney_result *root, const detection *d);

/* The same on labelled rows that the model has not seen, where both rates are measured. */
void warn_chance(ney_result *root, const ney_counts *counts, const char *rows);

/* Rows that are rejected, all or nearly all of them. */
void warn_rejection(ney_result *root, const ney_counts *counts, const char *rows);

/* Costs: deciding the same for every row costs no more. Costs of rejection may be NAN. */
void warn_costs(ney_result *root, const ney_counts *counts, const ney_costs *costs,
                const char *rows);

#endif
