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
} figure_opts;

/* Add counts, rates, areas and costs of the decisions by a band, with warnings where they are no
 * better than chance. */
ney_status add_figures(session *s, ney_result *root, const evidence *in, const ney_roc *roc,
                       const band *b, const figure_opts *opts);

/* Say that rows were used in training, and take back the intervals that do not hold for them. */
void mark_training_rows(ney_result *root, const evidence *in);

/* The sentences above the figures, and the next command. */
void add_evaluation_headline(ney_result *root, const evidence *in, const session *s, const band *b);

#endif
