/* Charts as SVG, PNG or PDF files.
 *
 * A figure is a grid of panels, a panel is two axes and a list of series, and all of it is plain
 * data that the caller fills in and keeps: nothing is allocated here that has to be freed. Zero is
 * a sensible value of every field but an axis, which begins as PLOT_AXIS(label).
 *
 *     const plot_series curves[] = {
 *         {.kind = PLOT_STEP, .name = "validation", .x = fpr, .y = tpr, .n = n},
 *         {.kind = PLOT_POINTS, .name = "chosen", .x = &at_fpr, .y = &at_tpr, .n = 1, .colour =
 * 1}}; const plot_panel roc = {.title = "ROC", .x = PLOT_UNIT_AXIS("false-positive rate"), .y =
 * PLOT_UNIT_AXIS("true-positive rate"), .diagonal = true, .series = curves, .n_series = 2}; status
 * = plot_write("roc.svg", &(plot_figure){.panels = &roc, .n_panels = 1}, &err);
 */
#ifndef CLI_PLOT_PLOT_H
#define CLI_PLOT_PLOT_H

#include <neyman/experimental.h>

#include <math.h>

typedef enum plot_scale { PLOT_LINEAR, PLOT_LOG } plot_scale;

typedef struct plot_axis {
    const char *label;
    plot_scale scale;
    double low, high; /* where the axis begins and ends; NAN: where the data do, rounded outwards */
} plot_axis;

#define PLOT_AXIS(text)                                                                            \
    {                                                                                              \
        .label = (text), .low = (double)NAN, .high = (double)NAN                                   \
    }
#define PLOT_LOG_AXIS(text)                                                                        \
    {                                                                                              \
        .label = (text), .scale = PLOT_LOG, .low = (double)NAN, .high = (double)NAN                \
    }
#define PLOT_UNIT_AXIS(text)                                                                       \
    {                                                                                              \
        .label = (text), .low = 0, .high = 1                                                       \
    }

typedef enum plot_kind {
    PLOT_LINE,
    PLOT_STEP,   /* level from each point to the next, then up or down */
    PLOT_POINTS, /* markers alone */
    PLOT_BAND    /* the area between y and y_high, in a pale shade */
} plot_kind;

/* Lines differ by their dashes as well as by their colours. */
typedef enum plot_dash {
    PLOT_SOLID,
    PLOT_DASHED,
    PLOT_DOTTED,
    PLOT_DASH_DOT,
    PLOT_LONG_DASH,
    PLOT_DASHES
} plot_dash;

/* Colours that colour-blind readers can distinguish (Okabe and Ito), from 0 and repeated; a
 * band has the colour of the line that it belongs to. */
enum { PLOT_GREY = -1, PLOT_BLACK = 6, PLOT_COLOURS = 7 };

typedef struct plot_series {
    plot_kind kind;
    const char *name;     /* in the legend; NULL to leave it out */
    const double *x, *y;  /* points that are not finite, or have no logarithm, part the line */
    const double *y_high; /* of a band */
    int64_t n;
    int colour; /* from 0, or PLOT_GREY */
    plot_dash dash;
} plot_series;

typedef struct plot_panel {
    const char *title; /* or NULL */
    plot_axis x, y;
    bool diagonal; /* a thin line y = x for reference */
    const plot_series *series;
    int n_series;
} plot_panel;

typedef struct plot_figure {
    const plot_panel *panels; /* row by row */
    int n_panels;
    int columns;          /* of the grid; 0: as many as there are panels */
    const char *title;    /* above all panels, or NULL */
    double width, height; /* of all of it, in points (1/72 inch); 0: 290 x 250 for each panel */
} plot_figure;

/* Whether a file of that name can be drawn: .svg, .png and .pdf can. NEY_EINVAL otherwise; to be
 * asked before the work begins. */
NEY_MUST_CHECK ney_status plot_check(const char *path, ney_error *err);

/* Draw. The file appears whole or not at all. NEY_EINVAL for its name, NEY_EIO or NEY_ENOMEM when
 * it cannot be written. */
NEY_MUST_CHECK ney_status plot_write(const char *path, const plot_figure *figure, ney_error *err);

#endif
