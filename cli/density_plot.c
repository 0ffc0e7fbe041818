#include "density_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 128 }; /* of a curve */

static const int signs[2] = {1, -1};
static const char *const names[2] = {"positive", "negative"};

/* One dimension: the density of either class, four deviations around all means. */
static void draw_line(density_plot *d, const ney_mixture *mixture)
{
    const double root_two_pi = 2.50662827463100050242;
    double low = (double)INFINITY, high = -(double)INFINITY;
    int64_t n;

    for (int c = 0; c < 2; c++) {
        const ney_gaussian *all = ney_mixture_class_of(mixture, signs[c], &n);
        for (int64_t k = 0; k < n; k++) {
            low = fmin(low, all[k].mean[0] - 4 * sqrt(all[k].cov[0]));
            high = fmax(high, all[k].mean[0] + 4 * sqrt(all[k].cov[0]));
        }
    }
    for (int c = 0; c < 2; c++) {
        const ney_gaussian *all = ney_mixture_class_of(mixture, signs[c], &n);
        double *x = d->points + (ptrdiff_t)(2 * STEPS) * c, *y = x + STEPS;
        for (int i = 0; i < STEPS; i++) {
            x[i] = low + (high - low) * i / (STEPS - 1);
            y[i] = 0;
            for (int64_t k = 0; k < n; k++) {
                const double sd = sqrt(all[k].cov[0]), t = (x[i] - all[k].mean[0]) / sd;
                y[i] += all[k].weight * exp(-0.5 * t * t) / sd / root_two_pi;
            }
        }
        d->series[c] = (plot_series){.name = names[c], .x = x, .y = y, .n = STEPS, .colour = c};
    }
    d->panel.n_series = 2;
    d->panel.y = (plot_axis)PLOT_AXIS("density");
    d->panel.y.low = 0;
}

/* Two dimensions: each component as its ellipses of one and two deviations. */
static void draw_ellipses(density_plot *d, const ney_mixture *mixture)
{
    const double turn = 2 * acos(-1) / (STEPS - 1);
    double *at = d->points;

    for (int c = 0; c < 2; c++) {
        int64_t n;
        const ney_gaussian *all = ney_mixture_class_of(mixture, signs[c], &n);
        for (int64_t k = 0; k < n; k++) {
            /* the Cholesky factor carries the circle onto the ellipse */
            const double l00 = sqrt(all[k].cov[0]), l10 = all[k].cov[2] / l00;
            const double l11 = sqrt(all[k].cov[3] - l10 * l10);
            for (int radius = 1; radius <= 2; radius++) {
                double *x = at, *y = at + STEPS;
                for (int i = 0; i < STEPS; i++) {
                    const double u = radius * cos(i * turn), v = radius * sin(i * turn);
                    x[i] = all[k].mean[0] + l00 * u;
                    y[i] = all[k].mean[1] + l10 * u + l11 * v;
                }
                d->series[d->panel.n_series++] =
                    (plot_series){.name = k == 0 && radius == 1 ? names[c] : NULL,
                                  .x = x,
                                  .y = y,
                                  .n = STEPS,
                                  .colour = c,
                                  .dash = c ? PLOT_DASHED : PLOT_SOLID};
                at += (ptrdiff_t)2 * STEPS;
            }
        }
    }
    d->panel.y = (plot_axis)PLOT_AXIS("second feature");
}

bool density_plot_init(density_plot *d, const ney_mixture *mixture)
{
    const int64_t most = 1000;
    int64_t n_pos, n_neg;

    *d = (density_plot){.panel = {.title = "Densities", .x = PLOT_AXIS("first feature")}};
    ney_mixture_class_of(mixture, 1, &n_pos);
    ney_mixture_class_of(mixture, -1, &n_neg);
    const int64_t n = 2 * (n_pos + n_neg);
    if (ney_mixture_dims(mixture) > 2 || n > most) {
        return false;
    }
    d->series = calloc((size_t)n, sizeof *d->series);
    d->points = malloc((size_t)(2 * n * STEPS) * sizeof *d->points);
    if (!d->series || !d->points) {
        return false;
    }
    d->panel.series = d->series;
    if (ney_mixture_dims(mixture) == 1) {
        draw_line(d, mixture);
    } else {
        draw_ellipses(d, mixture);
    }
    return true;
}

void density_plot_deinit(density_plot *d)
{
    free(d->series);
    free(d->points);
    *d = (density_plot){.panel = {.title = NULL}};
}
