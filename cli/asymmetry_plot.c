/* The chart of 'asymmetry': densities and asymmetries in the form of figure 5 of Bach, Heckerman
 * and Horvitz (2004). */
#include <stdlib.h>

#include "asymmetry.h"
#include "density_plot.h"
#include "plotting.h"

int64_t upper_envelope(const double *x, const double *y, int64_t n, int64_t *on)
{
    int64_t used = 1;

    on[0] = -1;
    for (int64_t k = 0; k <= n; k++) {
        const double kx = k < n ? x[k] : 1, ky = k < n ? y[k] : 1;
        if (!isfinite(kx) || !isfinite(ky)) {
            continue;
        }
        while (used > 1) { /* leave the last one out if it lies on or below the line past it */
            const int64_t a = on[used - 2], b = on[used - 1];
            const double ax = a < 0 ? 0 : x[a], ay = a < 0 ? 0 : y[a];
            if ((x[b] - ax) * (ky - ay) - (y[b] - ay) * (kx - ax) < 0) {
                break;
            }
            used--;
        }
        on[used++] = k;
    }
    return used;
}

/* Columns of the curve, as the charts take them. */
typedef struct columns {
    bool some_lost;
    double *gamma, *beta, *lost, *fpr, *tpr, *hull_x, *hull_y;
    int64_t *on, n, n_hull;
    double *block;
} columns;

static int by_fpr(const void *a, const void *b)
{
    const curve_point *p = a, *q = b;

    return p->fpr < q->fpr ? -1 : p->fpr > q->fpr ? 1 : p->tpr < q->tpr ? -1 : p->tpr > q->tpr;
}

/* The envelope does not ask in which order the classifiers were trained. */
static void find_envelope(columns *c, const findings *f, curve_point *sorted)
{
    for (int64_t k = 0; k < c->n; k++) {
        sorted[k] = f->fine[k];
    }
    qsort(sorted, (size_t)c->n, sizeof *sorted, by_fpr);
    for (int64_t k = 0; k < c->n; k++) { /* overwritten by the columns of the chart below */
        c->fpr[k] = sorted[k].fpr;
        c->tpr[k] = sorted[k].tpr;
    }
    c->n_hull = upper_envelope(c->fpr, c->tpr, c->n, c->on);
    for (int64_t k = 0; k < c->n_hull; k++) {
        const int64_t at = c->on[k];
        c->hull_x[k] = at < 0 ? 0 : at == c->n ? 1 : c->fpr[at];
        c->hull_y[k] = at < 0 ? 0 : at == c->n ? 1 : c->tpr[at];
    }
}

static bool columns_init(columns *c, const findings *f)
{
    const int64_t n = f->n_fine;
    curve_point *sorted = malloc((size_t)(n + 1) * sizeof *sorted);

    *c = (columns){.n = n};
    c->block = malloc((size_t)(7 * n + 4) * sizeof *c->block);
    c->on = malloc((size_t)(n + 2) * sizeof *c->on);
    if (c->block && c->on && sorted) {
        c->gamma = c->block;
        c->beta = c->gamma + n;
        c->lost = c->beta + n;
        c->fpr = c->lost + n;
        c->tpr = c->fpr + n;
        c->hull_x = c->tpr + n;
        c->hull_y = c->hull_x + n + 2;
        find_envelope(c, f, sorted);
        for (int64_t k = 0; k < n; k++) {
            const curve_point *p = &f->fine[k];
            c->gamma[k] = p->gamma;
            c->beta[k] = p->consistent ? p->beta : (double)NAN;
            c->lost[k] = p->consistent ? (double)NAN : p->beta;
            c->some_lost |= isfinite(c->lost[k]);
            c->fpr[k] = p->fpr;
            c->tpr[k] = p->tpr;
        }
    }
    free(sorted);
    return c->hull_y != NULL;
}

static void columns_deinit(columns *c)
{
    free(c->block);
    free(c->on);
}

ney_status findings_plot(const findings *f, session *s)
{
    columns c;

    if (!columns_init(&c, f)) {
        columns_deinit(&c);
        return out_of_memory(&s->err, "the chart");
    }
    const plot_kind kind = f->from_data ? PLOT_POINTS : PLOT_LINE;
    const plot_series against[] = {
        {.kind = kind, .name = "optimal", .x = c.gamma, .y = c.beta, .n = c.n},
        {.kind = kind,
         .name = "not on the envelope",
         .x = c.gamma,
         .y = c.lost,
         .n = c.n,
         .colour = 1,
         .dash = PLOT_DASHED}};
    const plot_series roc[] = {
        {.kind = PLOT_LINE, .name = "varying asymmetry", .x = c.fpr, .y = c.tpr, .n = c.n},
        {.kind = PLOT_LINE,
         .name = "its envelope",
         .x = c.hull_x,
         .y = c.hull_y,
         .n = c.n_hull,
         .colour = 1,
         .dash = PLOT_DASHED},
        {.kind = PLOT_POINTS, .x = c.fpr, .y = c.tpr, .n = f->from_data ? c.n : 0}};
    density_plot densities;
    const bool shown = f->mixture && density_plot_init(&densities, f->mixture);
    const plot_panel panels[] = {shown ? densities.panel : (plot_panel){.title = NULL},
                                 {.title = "Training against testing asymmetry",
                                  .x = PLOT_UNIT_AXIS("training asymmetry"),
                                  .y = PLOT_UNIT_AXIS("testing asymmetry"),
                                  .diagonal = true,
                                  .series = against,
                                  .n_series = c.some_lost ? 2 : 1},
                                 {.title = "ROC curve",
                                  .x = PLOT_UNIT_AXIS("false-positive rate (FPR)"),
                                  .y = PLOT_UNIT_AXIS("true-positive rate (TPR)"),
                                  .diagonal = true,
                                  .series = roc,
                                  .n_series = 3}};
    const plot_figure figure = {.panels = panels + !shown, .n_panels = 2 + shown};
    const ney_status st = plotting_write(s, &figure);
    if (f->mixture) {
        density_plot_deinit(&densities);
    }
    columns_deinit(&c);
    return st;
}
