#include "curve_plot.h"

#include <math.h>
#include <stdlib.h>

#include "plot/plot.h"
#include "session.h"

enum { MOST_PANELS = 2 };

/* A panel shows one column of the curve over another. */
typedef struct view {
    const char *title;
    int x, y; /* columns */
    plot_kind kind;
    bool diagonal, unit;
} view;

/* In the order of curve_kind; a second panel where there is one. */
static const view views[][MOST_PANELS] = {
    {{"ROC", 1, 2, PLOT_STEP, true, true}},
    {{"precision and recall", 1, 2, PLOT_LINE, false, true}},
    {{"DET", 3, 4, PLOT_LINE, false, false}},
    {{"convex hull of the ROC curve", 1, 2, PLOT_LINE, true, true}},
    {{"cost curve", 0, 1, PLOT_LINE, false, false}},
    {{"risk and coverage", 1, 2, PLOT_LINE, false, false}},
    {{"errors and rejects", 1, 2, PLOT_LINE, false, false},
     {"share of errors among the next rejects", 1, 3, PLOT_STEP, false, false}},
};

curve_kind curve_to_plot(const band *b)
{
    return b->low < b->high ? CURVE_ERROR_REJECT : CURVE_ROC;
}

/* The operating point in the coordinates of the first panel; false where it has no place there. */
static bool point_of(const curve *c, const ney_counts *k, double *x, double *y)
{
    const double n = (double)c->n_rows, wrong = (double)(k->fp + k->fn);
    const double rejected = (double)(k->rejected_pos + k->rejected_neg);

    switch (c->kind) {
    case CURVE_ROC:
    case CURVE_HULL:
        *x = (double)k->fp / (double)c->roc->n_neg;
        *y = (double)k->tp / (double)c->roc->n_pos;
        return true;
    case CURVE_RISK_COVERAGE:
        *x = 1 - rejected / n;
        *y = wrong / (n - rejected);
        return true;
    case CURVE_ERROR_REJECT:
        *x = rejected / n;
        *y = wrong / n;
        return true;
    default:
        return false;
    }
}

static plot_axis axis_of(const char *label, bool unit)
{
    return unit ? (plot_axis)PLOT_UNIT_AXIS(label) : (plot_axis)PLOT_AXIS(label);
}

/* Columns of the curve as arrays, one after the other. */
static double *spread(const curve *c, int columns)
{
    double cell[CURVE_COLUMNS], *all = malloc(((size_t)c->n + 1) * (size_t)columns * sizeof *all);

    for (int64_t k = 0; all && k < c->n; k++) {
        curve_line(c, k, cell);
        for (int j = 0; j < columns; j++) {
            all[j * c->n + k] = cell[j];
        }
    }
    return all;
}

ney_status curve_plot(const curve *c, const char *path, const ney_counts *at, ney_error *err)
{
    const int columns = curve_columns(c);
    char name[MOST_PANELS][2][64];
    plot_series series[MOST_PANELS][2];
    plot_panel panel[MOST_PANELS];
    double x, y, *all = spread(c, columns);
    int n = 0;

    if (!all) {
        return out_of_memory(err, "the points of the chart");
    }
    for (; n < MOST_PANELS && views[c->kind][n].title; n++) {
        const view *v = &views[c->kind][n];
        const bool marked = n == 0 && point_of(c, at, &x, &y);
        curve_column_label(c, v->x, name[n][0], sizeof name[n][0]);
        curve_column_label(c, v->y, name[n][1], sizeof name[n][1]);
        series[n][0] = (plot_series){
            .kind = v->kind, .x = all + v->x * c->n, .y = all + v->y * c->n, .n = c->n};
        series[n][1] = (plot_series){
            .kind = PLOT_POINTS, .name = "this threshold", .x = &x, .y = &y, .n = 1, .colour = 1};
        panel[n] = (plot_panel){.title = v->title,
                                .x = axis_of(name[n][0], v->unit),
                                .y = axis_of(name[n][1], v->unit),
                                .diagonal = v->diagonal,
                                .series = series[n],
                                .n_series = marked ? 2 : 1};
    }
    const ney_status st = plot_write(path, &(plot_figure){.panels = panel, .n_panels = n}, err);
    free(all);
    return st;
}
