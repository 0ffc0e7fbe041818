/* A panel while it is drawn: the box between the axes, what the axes show, and the parts of the
 * drawing. */
#ifndef CLI_PLOT_CANVAS_H
#define CLI_PLOT_CANVAS_H

#include "axis.h"
#include "cairo_functions.h"
#include "svg_text.h"

/* Lengths in points. */
enum {
    LEFT = 54,
    RIGHT = 14,
    TOP = 26,
    BOTTOM = 42,
    TITLE_SIZE = 10,
    LABEL_SIZE = 9,
    TICK_SIZE = 8,
    TICK_LONG = 4
};

typedef struct canvas {
    const cairo_functions *cairo;
    cairo_t *to;
    const plot_panel *panel;
    double left, top, width, height;
    plot_range x, y;
    struct svg_text *svg; /* where texts go; NULL: they are drawn */
    bool upwards;         /* texts are written from below */
    int legend_columns;   /* of a legend below the panel; 0: it is in a corner */
} canvas;

/* A place on the page. */
typedef struct spot {
    double x, y;
} spot;

spot spot_of(const canvas *c, double x, double y);

void set_colour(const canvas *c, int colour, double opacity);
void set_pen(const canvas *c, double width, plot_dash dash);

double text_width(const canvas *c, const char *text, double size);
/* `along` is the share of the text's width that lies left of x: 0, 0.5 or 1. Returns the width. */
double put_text(const canvas *c, const char *text, double size, spot at, double along);

/* Circle, square, triangle or diamond, by the colour: colours are not the only difference. */
void trace_marker(const canvas *c, spot at, int colour);

/* The names of the series (legend.c): in the corner where they hide nothing, else below the
 * panel, which is then lower by their height. Before anything is drawn. */
void place_legend(canvas *c);
void draw_legend(const canvas *c);

#endif
