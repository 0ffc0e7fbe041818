/* The parts of a page that the program computes: see web/src/report.ts for their form. */
#ifndef CLI_REPORT_PARTS_H
#define CLI_REPORT_PARTS_H

#include "evidence.h"

typedef struct report_args {
    const char *output, *thresholds, *test;
    bool empty, no_rows, importance;
    double threshold, max_fpr, max_fnr, cost_fn, cost_fp, prevalence; /* NAN when not given */
} report_args;

/* How rows are decided, and what that costs. */
typedef struct report_rule {
    double low, high, center;
    bool is_fixed; /* before the rows were seen */
    bool of_model; /* by the model */
    ney_costs costs;
} report_rule;

/* Bounds that are claimed: those given, else those of the model (NULL: none). */
void report_add_claims(ney_result *root, const ney_model *model, double max_fpr, double max_fnr);

/* How many groups there are; their mean rates at the thresholds. */
ney_status report_count_groups(session *s, const evidence *in, int64_t *n_groups);
ney_status report_add_group_rates(session *s, ney_result *root, const evidence *in,
                                  const report_rule *rule);

/* The model, its most important features, and the q-values of its rows where it bounds the FDR. */
ney_status report_add_model(session *s, ney_result *root, const evidence *in, bool importance);

/* Rows nearest to the thresholds and errors farthest from them. */
ney_status report_add_rows(session *s, ney_result *root, const evidence *in,
                           const report_rule *rule);

/* Version, files with their hashes, options given, hashes of certificates. */
void report_add_provenance(session *s, ney_result *root, const evidence *in);

#endif
