/* Warnings about models that keep their bound or cost and are of no use all the same. A warning is
 * a statement about the counts it is given, which name the rows they come from ("held-out rows",
 * "training rows"); rules and their error rates: doc/claims.md, "Useless models". */
#ifndef CLI_USEFULNESS_H
#define CLI_USEFULNESS_H

#include "json.h"
#include "session.h"

/* One bounded rate. `detected` of `n` rows of the other class are classified right: positives with
 * a bounded FPR (`fpr`), negatives with a bounded FNR. A score that is independent of the class
 * detects a share of at most `bound`. */
void warn_detection(cJSON *root, bool fpr, double bound, int64_t detected, int64_t n,
                    const char *rows);

/* The same on labelled rows that the model has not seen, where both rates are measured. */
void warn_chance(cJSON *root, const ney_counts *counts, const char *rows);

/* Rows that are rejected, all or nearly all of them. */
void warn_rejection(cJSON *root, const ney_counts *counts, const char *rows);

/* Costs: deciding the same for every row costs no more. Costs of rejection may be NAN. */
void warn_costs(cJSON *root, const ney_counts *counts, const ney_costs *costs, const char *rows);

#endif
