/* The chart of 'compare': the ROC curves of all methods on the test rows, and where their models
 * decide. */
#include <stdio.h>
#include <stdlib.h>

#include "contest.h"
#include "plotting.h"

typedef struct curves {
    double *x[MOST_ENTRIES], *y[MOST_ENTRIES]; /* owned */
    double at[MOST_ENTRIES][2];
    char name[MOST_ENTRIES][96];
    plot_series series[2 * MOST_ENTRIES + 1];
    int n_series;
} curves;

static bool fill_curve(curves *c, int k, const contest_entry *e, const plot_axis *axis)
{
    const ney_roc *const roc = e->roc;
    const size_t n = (size_t)roc->n_points;
    const double least = axis->scale == PLOT_LOG ? axis->low : 0;

    c->x[k] = malloc((n + 1) * sizeof *c->x[k]);
    c->y[k] = malloc((n + 1) * sizeof *c->y[k]);
    if (!c->x[k] || !c->y[k]) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        c->x[k][i] = fmax(least, (double)roc->fp[i] / (double)roc->n_neg);
        c->y[k][i] = (double)roc->tp[i] / (double)roc->n_pos;
    }
    c->at[k][0] = fmax(least, (double)e->counts.fp / (double)roc->n_neg);
    c->at[k][1] = (double)e->counts.tp / (double)roc->n_pos;
    snprintf(c->name[k], sizeof c->name[k], "%.60s, AUC %.4g", e->name, ney_roc_auc(roc, 0.95).auc);
    c->series[c->n_series++] = (plot_series){.kind = PLOT_STEP,
                                             .name = c->name[k],
                                             .x = c->x[k],
                                             .y = c->y[k],
                                             .n = roc->n_points,
                                             .colour = k,
                                             .dash = (plot_dash)(k % PLOT_DASHES)};
    c->series[c->n_series++] = (plot_series){
        .kind = PLOT_POINTS, .x = &c->at[k][0], .y = &c->at[k][1], .n = 1, .colour = k};
    return true;
}

ney_status contest_plot(const contest *c, session *s, double bound)
{
    const bool fpr = c->bounds && !c->fnr_bounded;
    const double rate = c->bounds ? bound : (double)NAN;
    const plot_axis x =
        plotting_fpr_axis(fpr ? rate : (double)NAN, 1.0 / (double)c->entry[0].roc->n_neg);
    const double line[4] = {fpr ? rate : x.low, fpr ? rate : x.high, fpr ? 0 : 1 - rate,
                            fpr ? 1 : 1 - rate};
    char name[64];
    curves all = {.n_series = 0};
    bool fine = true;

    for (int k = 0; k < c->n && fine; k++) {
        fine = fill_curve(&all, k, &c->entry[k], &x);
    }
    if (c->bounds) {
        snprintf(name, sizeof name, "bound: %s %.4g %%", fpr ? "FPR" : "FNR", 100 * rate);
        all.series[all.n_series++] = plotting_line(name, line);
    }
    const plot_panel panel = {.title = "ROC curves on the test rows",
                              .x = x,
                              .y = PLOT_UNIT_AXIS("true-positive rate (TPR)"),
                              .diagonal = true,
                              .series = all.series,
                              .n_series = all.n_series};
    const ney_status st = fine ? plotting_write(s, &(plot_figure){.panels = &panel, .n_panels = 1})
                               : out_of_memory(&s->err, "the chart");
    for (int k = 0; k < c->n; k++) {
        free(all.x[k]);
        free(all.y[k]);
    }
    return st;
}
