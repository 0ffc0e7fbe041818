/* The panel that shows the densities of two classes, where they have one or two dimensions. */
#ifndef CLI_DENSITY_PLOT_H
#define CLI_DENSITY_PLOT_H

#include "plot/plot.h"

typedef struct density_plot {
    plot_panel panel;
    plot_series *series; /* owned, as are their points */
    double *points;
} density_plot;

/* False when there is nothing to draw: more than two dimensions, or no memory.
 * density_plot_deinit() is due in either case. */
bool density_plot_init(density_plot *d, const ney_mixture *mixture);
void density_plot_deinit(density_plot *d);

#endif
