/* The curves of 'evaluate' as charts. */
#ifndef CLI_CURVE_PLOT_H
#define CLI_CURVE_PLOT_H

#include "curves.h"

/* What a chart shows where no curve is named. */
curve_kind curve_to_plot(const band *b);

/* What is known about the rows and the decisions. */
typedef struct curve_chart {
    const curve *curve;
    ney_counts at;           /* outcomes at the thresholds */
    double max_fpr, max_fnr; /* bounds of the model; NAN: none */
    bool certified;          /* the thresholds are the certified ones */
    bool is_sample;          /* rows are new and independent: intervals are valid */
} curve_chart;

/* Draw it into the file of --plot, with a mark where the decisions are. A ROC curve has its AUC,
 * a simultaneous 95 % band and the bounds. */
ney_status curve_plot(session *s, const curve_chart *chart);

#endif
