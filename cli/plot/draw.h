/* One panel on a cairo context, in points (1/72 inch). */
#ifndef CLI_PLOT_DRAW_H
#define CLI_PLOT_DRAW_H

#include <cairo.h>

#include "plot.h"

enum { PANEL_WIDTH = 290, PANEL_HEIGHT = 250 };

/* The panel's upper left corner is (left, top). */
void draw_panel(cairo_t *to, const plot_panel *panel, double left, double top);

#endif
