/* One panel on a cairo context, in points (1/72 inch). */
#ifndef CLI_PLOT_DRAW_H
#define CLI_PLOT_DRAW_H

#include "cairo_functions.h"
#include "plot.h"
#include "svg_text.h"

enum { PANEL_WIDTH = 290, PANEL_HEIGHT = 250 };

/* Where a panel lies on the page. */
typedef struct panel_place {
    double left, top, width, height;
} panel_place;

/* Texts are written to `svg` as elements where it is not NULL, and drawn as shapes otherwise. */
typedef struct page {
    const cairo_functions *cairo;
    cairo_t *to;
    struct svg_text *svg;
} page;

void draw_panel(const page *on, const plot_panel *panel, panel_place place);

/* The title of the figure, centred. */
void draw_title(const page *on, const char *title, double x, double y);

#endif
