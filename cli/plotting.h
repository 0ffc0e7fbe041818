/* --plot, --title and --size: the charts of the commands. */
#ifndef CLI_PLOTTING_H
#define CLI_PLOTTING_H

#include "plot/plot.h"
#include "session.h"

typedef struct plot_args {
    const char *plot, *title, *size;
} plot_args;

extern const option_set plot_options;
/* --title and --size apply to --plot: the rule of every command with plot_options. */
#define PLOT_RULE                                                                                  \
    {                                                                                              \
        "title size", plotting_is_asked, "--plot"                                                  \
    }
bool plotting_is_asked(const invocation *call);

/* Refuse a name or a size that no chart can have, before the work begins; returns the exit code. */
int plotting_check(session *s);

/* Draw into the file of --plot, with title and size as asked for. */
ney_status plotting_write(session *s, const plot_figure *figure);

/* A straight line from one point to another, such as a bound; dashed and grey. `xy` is x, x, y, y.
 */
plot_series plotting_line(const char *name, const double xy[4]);

/* The false-positive rate as an axis: logarithmic from a tenth of the bound, or less, where the
 * bound is below 5 %, else from 0 to 1. `least` is the smallest rate above 0 that is shown. */
plot_axis plotting_fpr_axis(double bound, double least);

#endif
