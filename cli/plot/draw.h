/* One panel on a cairo context, in points (1/72 inch). */
#ifndef CLI_PLOT_DRAW_H
#define CLI_PLOT_DRAW_H

#include <cairo.h>

#include "plot.h"
#include "svg_text.h"

enum { PANEL_WIDTH = 290, PANEL_HEIGHT = 250 };

/* Where a panel lies on the page. */
typedef struct panel_place {
    double left, top, width, height;
} panel_place;

/* Texts are written to `svg` as elements where it is not NULL, and drawn as shapes otherwise. */
void draw_panel(cairo_t *to, const plot_panel *panel, panel_place place, struct svg_text *svg);

/* The title of the figure, centred. */
void draw_title(cairo_t *to, const char *title, double x, double y, struct svg_text *svg);

#endif
