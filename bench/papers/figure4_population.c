/* Figure 4 of Bach, Heckerman and Horvitz (2004), lower half: ROC curves of the support vector
 * machine over densities, for two bimodal classes (the densities of the paper are not in its text).
 *
 *     figure4_population FILE.svg    draws the densities and the three curves, prints their areas
 *
 * Varying intercept: w of one asymmetry, the one of least error for equal costs, and every b.
 * Varying asymmetry: the optimum of every gamma, w and b. Varying both: every w with every b, of
 * which the upper envelope is kept; it lies above the other two. */
#include <math.h>
#include <neyman/experimental.h>
#include <stdio.h>
#include <stdlib.h>

#include "density_plot.h"

enum { GAMMAS = 201, OFFSETS = 401, BINS = 2001 };

/* A linear score over the mixture: false- and true-positive rate at the intercept b. */
static double rate(const ney_mixture *mixture, int sign, const double *w, double b)
{
    int64_t n;
    const ney_gaussian *all = ney_mixture_class_of(mixture, sign, &n);
    double sum = 0;

    for (int64_t k = 0; k < n; k++) {
        const double *c = all[k].cov;
        const double mean = w[0] * all[k].mean[0] + w[1] * all[k].mean[1] + b;
        const double var = w[0] * w[0] * c[0] + 2 * w[0] * w[1] * c[1] + w[1] * w[1] * c[3];
        sum += all[k].weight * 0.5 * erfc(-mean / sqrt(2 * var));
    }
    return sum;
}

typedef struct curve {
    double x[BINS], y[BINS];
    int64_t n;
} curve;

/* All intercepts, as many deviations as it takes for either rate to be 0 and 1. */
static void vary_intercept(const ney_mixture *mixture, const double *w, curve *to)
{
    const double size = sqrt(w[0] * w[0] + w[1] * w[1]);

    to->n = OFFSETS;
    for (int i = 0; i < OFFSETS; i++) {
        const double b = size * 12 * (2.0 * i / (OFFSETS - 1) - 1);
        to->x[i] = rate(mixture, -1, w, b);
        to->y[i] = rate(mixture, 1, w, b);
    }
}

/* The highest point of each narrow column of the plane, then the upper convex envelope. */
static void keep_highest(curve *best, const curve *c)
{
    for (int64_t i = 0; i < c->n; i++) {
        const int64_t bin = (int64_t)(c->x[i] * (BINS - 1));
        if (c->y[i] > best->y[bin]) {
            best->x[bin] = c->x[i];
            best->y[bin] = c->y[i];
        }
    }
}

static void envelope(curve *c)
{
    int64_t n = 1;
    const int64_t all = c->n;

    c->x[0] = c->y[0] = 0;
    for (int64_t i = 1; i < all; i++) {
        const double x = i == all - 1 ? 1 : c->x[i], y = i == all - 1 ? 1 : c->y[i];
        if (y < 0) { /* an empty column */
            continue;
        }
        while (n > 1 && (c->x[n - 1] - c->x[n - 2]) * (y - c->y[n - 2]) >=
                            (c->y[n - 1] - c->y[n - 2]) * (x - c->x[n - 2])) {
            n--;
        }
        c->x[n] = x;
        c->y[n++] = y;
    }
    c->n = n;
}

static double area(const curve *c)
{
    double sum = 0;

    for (int64_t i = 1; i < c->n; i++) {
        sum += 0.5 * (c->x[i] - c->x[i - 1]) * (c->y[i] + c->y[i - 1]);
    }
    return sum;
}

/* The three curves. */
static ney_status trace(ney_asymmetry *study, const ney_mixture *mixture, curve curves[3],
                        ney_error *err)
{
    static curve one;
    double least = 1;

    curves[1].n = 0;
    curves[2].n = BINS;
    for (int i = 0; i < BINS; i++) {
        curves[2].y[i] = -1;
    }
    for (int k = 0; k < GAMMAS; k++) {
        ney_asymmetry_point p;
        double w[2];
        const ney_status st = ney_asymmetry_at(study, (double)k / (GAMMAS - 1), &p, w, err);
        if (st != NEY_OK) {
            return st;
        }
        curves[1].x[curves[1].n] = p.fpr;
        curves[1].y[curves[1].n++] = p.tpr;
        if (fabs(w[0]) + fabs(w[1]) > 0) {
            vary_intercept(mixture, w, &one);
            keep_highest(&curves[2], &one);
            const double error = 0.5 * (p.fpr + p.fnr);
            if (error < least) {
                least = error;
                curves[0] = one;
            }
        }
    }
    envelope(&curves[2]);
    return NEY_OK;
}

static ney_status draw(const char *path, const ney_mixture *mixture, const curve curves[3],
                       ney_error *err)
{
    static const char *const names[3] = {"varying intercept", "varying asymmetry", "varying both"};
    static const plot_dash dashes[3] = {PLOT_DOTTED, PLOT_SOLID, PLOT_DASHED};
    plot_series series[3];
    density_plot densities;

    for (int k = 0; k < 3; k++) {
        series[k] = (plot_series){.name = names[k],
                                  .x = curves[k].x,
                                  .y = curves[k].y,
                                  .n = curves[k].n,
                                  .colour = k,
                                  .dash = dashes[k]};
    }
    if (!density_plot_init(&densities, mixture)) {
        density_plot_deinit(&densities);
        *err = (ney_error){.code = NEY_ENOMEM, .message = "no memory for the chart"};
        return NEY_ENOMEM;
    }
    const plot_panel panels[2] = {densities.panel,
                                  {.title = "ROC curves of the population",
                                   .x = PLOT_UNIT_AXIS("false-positive rate"),
                                   .y = PLOT_UNIT_AXIS("true-positive rate"),
                                   .diagonal = true,
                                   .series = series,
                                   .n_series = 3}};
    const ney_status st = plot_write(path, &(plot_figure){.panels = panels, .n_panels = 2}, err);
    density_plot_deinit(&densities);
    return st;
}

int main(int argc, char **argv)
{
    static const double mean[4][2] = {{0, 3}, {3, -1.2}, {0, 0}, {3, 2.5}};
    static const double cov[4][4] = {
        {0.5, 0, 0, 0.4}, {1.2, 0, 0, 0.3}, {1.5, 0, 0, 0.5}, {0.4, 0, 0, 0.5}};
    const ney_gaussian positive[2] = {{0.7, mean[0], cov[0]}, {0.3, mean[1], cov[1]}};
    const ney_gaussian negative[2] = {{0.7, mean[2], cov[2]}, {0.3, mean[3], cov[3]}};
    const ney_mixture_parts parts = {.dims = 2,
                                     .p_pos = 0.5,
                                     .positive = positive,
                                     .n_positive = 2,
                                     .negative = negative,
                                     .n_negative = 2};
    static curve curves[3];
    ney_mixture *mixture = NULL;
    ney_asymmetry *study = NULL;
    ney_error err = {0};
    ney_status st;

    if (argc != 2) {
        fprintf(stderr, "figure4_population FILE.svg\n");
        return 2;
    }
    if ((st = ney_mixture_new(&mixture, NULL, &parts, &err)) == NEY_OK &&
        (st = ney_asymmetry_new(&study, NULL, mixture, NEY_LOSS_HINGE, &err)) == NEY_OK &&
        (st = trace(study, mixture, curves, &err)) == NEY_OK &&
        (st = draw(argv[1], mixture, curves, &err)) == NEY_OK) {
        printf("areas: varying intercept %.4f, varying asymmetry %.4f, varying both %.4f\n",
               area(&curves[0]), area(&curves[1]), area(&curves[2]));
    } else {
        fprintf(stderr, "figure4_population: %s\n", err.message);
    }
    ney_asymmetry_free(study);
    ney_mixture_free(mixture);
    return st == NEY_OK ? 0 : 1;
}
