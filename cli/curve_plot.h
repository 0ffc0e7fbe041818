/* The curves of 'evaluate' as charts. */
#ifndef CLI_CURVE_PLOT_H
#define CLI_CURVE_PLOT_H

#include "curves.h"

/* What a chart shows where no curve is named. */
curve_kind curve_to_plot(const band *b);

/* Draw it, with a mark where the decisions of the band are. */
ney_status curve_plot(const curve *c, const char *path, const ney_counts *at, ney_error *err);

#endif
