/* The figures of 'evaluate'. */
#ifndef CLI_EVALUATE_H
#define CLI_EVALUATE_H

#include "curves.h"

/* Which figures are asked for. */
typedef struct figure_opts {
    const ney_costs *costs; /* NULL: no cost */
    double partial;         /* NAN: no partial area */
    bool conformal;         /* prediction sets, */
    double confidence;      /* at this confidence */
    double prevalence;      /* share of positives for predictive values and cost; NAN: that of the
                               rows */
} figure_opts;

/* Add counts, rates, areas and costs of the decisions by a band, with warnings where they are no
 * better than chance. */
ney_status add_figures(session *s, ney_result *root, const evidence *in, const ney_roc *roc,
                       const band *b, const figure_opts *opts);

/* Sensitivity, specificity, predictive values, likelihood ratios, F1 and MCC, of the rows that are
 * not rejected. */
void add_measures(ney_result *root, const ney_counts *c, double prevalence);

/* The mean cost per row at another share of positives. */
void add_cost_at(ney_result *root, const ney_counts *c, const ney_costs *costs, double prevalence);

/* Brier score, log loss and reliability curve of the model's probabilities, if it has them. */
ney_status add_probability_quality(session *s, ney_result *root, const evidence *in);

/* Whether no row is known to have been used in training. */
bool is_new_evidence(const evidence *in);

/* By ney_verdict. */
extern const char *const verdict_names[];

/* Whether the bounds that the model promises are confirmed, refuted or open; with a sentence. */
void add_verdicts(ney_result *root, const evidence *in);

/* Rates for each value of a column of the data, which are kept. */
ney_status add_subgroups(session *s, ney_result *root, const evidence *in, const char *by,
                         const band *b);

/* Say that rows were used in training, and take back the intervals that do not hold for them. */
void mark_training_rows(ney_result *root, const evidence *in);

/* The sentences above the figures, and the next command. */
void add_evaluation_headline(ney_result *root, const evidence *in, const session *s, const band *b);

#endif
