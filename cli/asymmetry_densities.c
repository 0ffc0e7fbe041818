/* 'asymmetry' from densities: exact rates and answers for mixtures of Gaussians. */
#include <math.h>
#include <stdlib.h>

#include "asymmetry.h"

void findings_deinit(findings *f)
{
    if (f->fine != f->point) {
        free(f->fine);
    }
    free(f->point);
    free(f->w);
    ney_asymmetry_free(f->study);
    ney_mixture_free(f->mixture);
    *f = (findings){0};
}

static curve_point point_of(const ney_asymmetry_point *p)
{
    return (curve_point){.gamma = p->gamma,
                         .b = p->b,
                         .fpr = p->fpr,
                         .tpr = p->tpr,
                         .log_slope = p->log_slope,
                         .beta = p->beta,
                         .fpr_error = (double)NAN,
                         .tpr_error = (double)NAN,
                         .consistent = p->consistent};
}

/* The points of the curve. */
static ney_status trace_curve(findings *f, session *s, const double *gamma, int64_t n)
{
    ney_status st = NEY_OK;

    f->n_points = n;
    f->point = calloc((size_t)n, sizeof *f->point);
    f->w = malloc((size_t)(n * f->dims) * sizeof *f->w);
    if (!f->point || !f->w) {
        return out_of_memory(&s->err, "the curve");
    }
    for (int64_t k = 0; k < n && st == NEY_OK; k++) {
        ney_asymmetry_point p;
        st = ney_asymmetry_at(f->study, gamma[k], &p, f->w + k * f->dims, &s->err);
        if (st == NEY_OK) {
            f->point[k] = point_of(&p);
        }
    }
    return st;
}

/* The points of the chart, denser towards the ends, where the curve is steep. */
static ney_status trace_chart(findings *f, session *s)
{
    const int64_t n = 400;
    double *w = malloc((size_t)f->dims * sizeof *w);
    ney_status st = NEY_OK;

    f->n_fine = n + 1;
    f->fine = calloc((size_t)f->n_fine, sizeof *f->fine);
    if (!f->fine || !w) {
        free(w);
        return out_of_memory(&s->err, "the chart");
    }
    for (int64_t k = 0; k <= n && st == NEY_OK; k++) {
        const double x = (double)k / (double)n, gamma = x * x * (3 - 2 * x);
        ney_asymmetry_point p;
        st = ney_asymmetry_at(f->study, gamma, &p, w, &s->err);
        f->fine[k] = point_of(&p);
    }
    free(w);
    return st;
}

int findings_from_densities(findings *f, session *s, ney_theory_loss loss, bool has_chart,
                            const double *gamma, int64_t n_gammas)
{
    ney_status st;

    f->p_pos = ney_mixture_p_pos(f->mixture);
    f->dims = ney_mixture_dims(f->mixture);
    if ((st = ney_asymmetry_new(&f->study, &s->env, f->mixture, loss, &s->err)) != NEY_OK ||
        (st = trace_curve(f, s, gamma, n_gammas)) != NEY_OK ||
        (st = ney_asymmetry_ranges(f->study, f->range, &f->n_ranges, &s->err)) != NEY_OK) {
        return session_fail(s, st);
    }
    f->constant = ney_asymmetry_is_constant(f->study);
    for (int k = 0; k < f->n_advice; k++) {
        training_advice *a = &f->advice[k];
        a->cost_error = a->gain_error = (double)NAN;
        st = ney_asymmetry_for(f->study, a->cost_fn / (a->cost_fn + a->cost_fp), &a->answer,
                               &s->err);
        if (st != NEY_OK) {
            return session_fail(s, st);
        }
    }
    if (has_chart && (st = trace_chart(f, s)) != NEY_OK) {
        return session_fail(s, st);
    }
    return EXIT_OK;
}
