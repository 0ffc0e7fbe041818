#include "curve_plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "plot/roc_band.h"
#include "plotting.h"

enum { MOST_PANELS = 2, MOST_SERIES = 6 };

/* A panel shows one column of the curve over another. */
typedef struct view {
    const char *title;
    int x, y; /* columns */
    const char *x_label, *y_label;
    plot_kind kind;
    bool diagonal, unit;
} view;

#define FPR "false-positive rate (FPR)"
#define TPR "true-positive rate (TPR)"

/* In the order of curve_kind; a second panel where there is one. */
static const view views[][MOST_PANELS] = {
    {{"ROC curve", 1, 2, FPR, TPR, PLOT_STEP, true, true}},
    {{"Precision and recall", 1, 2, "recall (true-positive rate)", "precision", PLOT_LINE, false,
      true}},
    {{"Detection error trade-off (DET)", 3, 4, FPR ", normal quantile",
      "false-negative rate (FNR), normal quantile", PLOT_LINE, false, false}},
    {{"Convex hull of the ROC curve", 1, 2, FPR, TPR, PLOT_LINE, true, true}},
    {{"Cost curve", 0, 1, "share of cost due to positives", "expected cost per row, of the largest",
      PLOT_LINE, false, false}},
    {{"Risk and coverage", 1, 2, "coverage (share of rows decided)",
      "risk (error rate of decided rows)", PLOT_LINE, false, false}},
    {{"Errors and rejects", 1, 2, "share of rows rejected", "errors per row", PLOT_LINE, false,
      false},
     {"Errors among the next rows rejected", 1, 3, "share of rows rejected",
      "share of errors among them", PLOT_STEP, false, false}},
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

/* The parts of a chart that its series point to. */
typedef struct parts {
    double *columns; /* owned */
    roc_band band;   /* owned */
    double x, y;     /* the mark */
    double fpr_bound[4], fnr_bound[4];
    char auc[96], max_fpr[64], max_fnr[64];
    plot_series series[MOST_PANELS][MOST_SERIES];
    int n_series[MOST_PANELS];
    plot_panel panel[MOST_PANELS];
} parts;

static void add_series(parts *p, int panel, plot_series series)
{
    p->series[panel][p->n_series[panel]++] = series;
}

/* Where the axis is logarithmic, rates of 0 lie at its left end. */
static void lift_zeros(double *x, int64_t n, const plot_axis *axis)
{
    for (int64_t i = 0; axis->scale == PLOT_LOG && i < n; i++) {
        x[i] = fmax(x[i], axis->low);
    }
}

static void name_auc(const curve_chart *chart, char text[96])
{
    const ney_auc_result a = ney_roc_auc(chart->curve->roc, 0.95);

    if (chart->is_sample && isfinite(a.low) && isfinite(a.high)) {
        snprintf(text, 96, "AUC %.4g [%.4g, %.4g]", a.auc, a.low, a.high);
    } else {
        snprintf(text, 96, "AUC %.4g", a.auc);
    }
}

/* Bounds as lines across the panel. */
static void add_bounds(parts *p, const curve_chart *chart, const plot_axis *x)
{
    if (!isnan(chart->max_fpr)) {
        const double line[4] = {chart->max_fpr, chart->max_fpr, 0, 1};
        for (int k = 0; k < 4; k++) {
            p->fpr_bound[k] = line[k];
        }
        snprintf(p->max_fpr, sizeof p->max_fpr, "bound: FPR %.4g %%", 100 * chart->max_fpr);
        add_series(p, 0, plotting_line(p->max_fpr, p->fpr_bound));
    }
    if (!isnan(chart->max_fnr)) {
        const double line[4] = {x->low, x->high, 1 - chart->max_fnr, 1 - chart->max_fnr};
        for (int k = 0; k < 4; k++) {
            p->fnr_bound[k] = line[k];
        }
        snprintf(p->max_fnr, sizeof p->max_fnr, "bound: FNR %.4g %%", 100 * chart->max_fnr);
        add_series(p, 0, plotting_line(p->max_fnr, p->fnr_bound));
    }
}

/* What only a ROC curve has. */
static ney_status add_roc_parts(parts *p, session *s, const curve_chart *chart, plot_axis *x)
{
    const ney_roc *const roc = chart->curve->roc;

    *x = plotting_fpr_axis(chart->max_fpr, 1.0 / (double)roc->n_neg);
    lift_zeros(p->columns + chart->curve->n, chart->curve->n, x);
    name_auc(chart, p->auc);
    p->series[0][0].name = p->auc;
    if (chart->is_sample) {
        if (!roc_band_init(&p->band, roc, 0.95)) {
            return out_of_memory(&s->err, "the band of the chart");
        }
        lift_zeros(p->band.x, p->band.n, x);
        add_series(p, 0,
                   (plot_series){.kind = PLOT_BAND,
                                 .name = "simultaneous 95 % band",
                                 .x = p->band.x,
                                 .y = p->band.low,
                                 .y_high = p->band.high,
                                 .n = p->band.n});
    }
    add_bounds(p, chart, x);
    return NEY_OK;
}

static ney_status fill_panel(parts *p, int n, session *s, const curve_chart *chart)
{
    const curve *const c = chart->curve;
    const view *const v = &views[c->kind][n];
    plot_axis x = axis_of(v->x_label, v->unit);
    ney_status st = NEY_OK;

    add_series(p, n,
               (plot_series){.kind = v->kind,
                             .x = p->columns + v->x * c->n,
                             .y = p->columns + v->y * c->n,
                             .n = c->n});
    if (c->kind == CURVE_ROC) {
        st = add_roc_parts(p, s, chart, &x);
    }
    if (n == 0 && point_of(c, &chart->at, &p->x, &p->y)) {
        lift_zeros(&p->x, 1, &x);
        add_series(
            p, n,
            (plot_series){.kind = PLOT_POINTS,
                          .name = chart->certified ? "certified threshold" : "this threshold",
                          .x = &p->x,
                          .y = &p->y,
                          .n = 1,
                          .colour = 1});
    }
    p->panel[n] = (plot_panel){.title = v->title,
                               .x = x,
                               .y = axis_of(v->y_label, v->unit),
                               .diagonal = v->diagonal,
                               .series = p->series[n],
                               .n_series = p->n_series[n]};
    return st;
}

ney_status curve_plot(session *s, const curve_chart *chart)
{
    const curve *const c = chart->curve;
    parts p = {.columns = spread(c, curve_columns(c))};
    ney_status st = p.columns ? NEY_OK : out_of_memory(&s->err, "the points of the chart");
    int n = 0;

    for (; st == NEY_OK && n < MOST_PANELS && views[c->kind][n].title; n++) {
        st = fill_panel(&p, n, s, chart);
    }
    if (st == NEY_OK) {
        st = plotting_write(s, &(plot_figure){.panels = p.panel, .n_panels = n});
    }
    roc_band_deinit(&p.band);
    free(p.columns);
    return st;
}
