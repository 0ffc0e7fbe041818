/* 'asymmetry' from data: support vector machines trained at many asymmetries on random halves. */
#include <stdlib.h>

#include "asymmetry.h"
#include "labelled.h"

#include <math.h>

/* Mean over the splits, and its standard error (NAN with one split). */
static void mean_of(const double *value, int64_t n, int64_t stride, double *mean, double *error)
{
    double sum = 0, squares = 0;

    for (int64_t i = 0; i < n; i++) {
        sum += value[i * stride];
    }
    *mean = sum / (double)n;
    for (int64_t i = 0; i < n; i++) {
        const double gap = value[i * stride] - *mean;
        squares += gap * gap;
    }
    *error = n > 1 ? sqrt(squares / (double)(n - 1) / (double)n) : (double)NAN;
}

/* Which points are on the envelope, and for which testing asymmetries each is best: those between
 * the slopes of the envelope before and after it. The middle one is told, in log odds. */
static void judge_points(findings *f, double *x, double *y, int64_t *order, int64_t *on)
{
    const int64_t n = f->n_points;

    for (int64_t k = 0; k < n; k++) { /* insertion: a few dozen points, nearly in order */
        int64_t at = k;
        for (; at > 0 && (f->point[order[at - 1]].fpr > f->point[k].fpr ||
                          (f->point[order[at - 1]].fpr >= f->point[k].fpr &&
                           f->point[order[at - 1]].tpr > f->point[k].tpr));
             at--) {
            order[at] = order[at - 1];
        }
        order[at] = k;
    }
    for (int64_t k = 0; k < n; k++) {
        x[k] = f->point[order[k]].fpr;
        y[k] = f->point[order[k]].tpr;
    }
    const int64_t used = upper_envelope(x, y, n, on);
    for (int64_t k = 1; k + 1 < used; k++) {
        const int64_t before = on[k - 1], at = on[k], after = on[k + 1];
        const double bx = before < 0 ? 0 : x[before], by = before < 0 ? 0 : y[before];
        const double ax = after == n ? 1 : x[after], ay = after == n ? 1 : y[after];
        const double steep = log((y[at] - by) / (x[at] - bx));
        const double flat = log((ay - y[at]) / (ax - x[at]));
        curve_point *p = &f->point[order[at]];
        p->consistent = true;
        p->log_slope = isfinite(steep) && isfinite(flat) ? 0.5 * (steep + flat)
                       : isfinite(steep)                 ? steep
                                                         : flat;
        p->beta = 1 / (1 + f->p_pos / (1 - f->p_pos) * exp(p->log_slope));
    }
}

/* From the first gamma on the envelope to the last: what lies between is told point by point. */
static void find_range(findings *f)
{
    double low = 1, high = 0;

    for (int64_t k = 0; k < f->n_points; k++) {
        if (f->point[k].consistent) {
            low = fmin(low, f->point[k].gamma);
            high = fmax(high, f->point[k].gamma);
        }
    }
    if (low <= high) {
        const curve_point *first = &f->point[0], *last = &f->point[f->n_points - 1];
        f->range[0] = low <= first->gamma ? 0 : low;
        f->range[1] = high >= last->gamma ? 1 : high;
        f->n_ranges = 1;
    }
}

/* The gamma of least held-out cost, and what the one nearest to beta costs. */
static void advise(const findings *f, const double *fpr, const double *tpr, int64_t splits,
                   training_advice *a)
{
    const double beta = a->cost_fn / (a->cost_fn + a->cost_fp), n = (double)splits;
    const int64_t g = f->n_points;
    int64_t best = 0, same = 0;
    double least = (double)INFINITY, squares = 0, both = 0;

    for (int64_t k = 0; k < g; k++) {
        const double cost =
            beta * f->p_pos * (1 - f->point[k].tpr) + (1 - beta) * (1 - f->p_pos) * f->point[k].fpr;
        best = cost < least ? k : best;
        least = fmin(least, cost);
        const double gap = fabs(f->point[k].gamma - beta);
        same = gap < fabs(f->point[same].gamma - beta) ? k : same;
    }
    a->answer = (ney_asymmetry_answer){.beta = beta,
                                       .gamma = f->point[best].gamma,
                                       .fpr = f->point[best].fpr,
                                       .tpr = f->point[best].tpr,
                                       .cost = least};
    a->answer.cost_same = beta * f->p_pos * (1 - f->point[same].tpr) +
                          (1 - beta) * (1 - f->p_pos) * f->point[same].fpr;
    a->answer.cost_constant = fmin(beta * f->p_pos, (1 - beta) * (1 - f->p_pos));
    if (a->answer.cost_constant <= least * (1 + 1e-12)) {
        a->answer.gamma = beta * f->p_pos < (1 - beta) * (1 - f->p_pos) ? 0 : 1;
    }
    for (int64_t s = 0; s < splits; s++) { /* pairs of one split are compared with each other */
        const int64_t b = s * g + best, c = s * g + same;
        const double cost_b = beta * f->p_pos * (1 - tpr[b]) + (1 - beta) * (1 - f->p_pos) * fpr[b];
        const double cost_c = beta * f->p_pos * (1 - tpr[c]) + (1 - beta) * (1 - f->p_pos) * fpr[c];
        const double gain = cost_c - cost_b - (a->answer.cost_same - least);
        squares += (cost_b - least) * (cost_b - least);
        both += gain * gain;
    }
    a->cost_error = splits > 1 ? sqrt(squares / (n - 1) / n) : (double)NAN;
    a->gain_error = splits > 1 ? sqrt(both / (n - 1) / n) : (double)NAN;
}

static ney_status measure(findings *f, session *s, const ney_data *data, const ney_train_opts *opts,
                          int64_t splits, double *room)
{
    const int64_t g = f->n_points;
    double *gamma = room, *fpr = gamma + g, *tpr = fpr + splits * g;
    int64_t *order = malloc((size_t)(2 * g + 2) * sizeof *order);
    ney_status st = NEY_ENOMEM;

    if (!order) {
        s->err = (ney_error){.code = st, .message = "no memory for the points of the curve"};
        return st;
    }
    for (int64_t k = 0; k < g; k++) {
        gamma[k] = f->point[k].gamma;
    }
    st = ney_asymmetry_sample(&s->env, data, opts, gamma, g, splits, fpr, tpr, &s->err);
    if (st == NEY_OK) {
        for (int64_t k = 0; k < g; k++) {
            curve_point *p = &f->point[k];
            mean_of(fpr + k, splits, g, &p->fpr, &p->fpr_error);
            mean_of(tpr + k, splits, g, &p->tpr, &p->tpr_error);
            p->log_slope = p->beta = p->b = (double)NAN;
        }
        judge_points(f, tpr + splits * g, tpr + splits * g + g, order, order + g);
        find_range(f);
        for (int k = 0; k < f->n_advice; k++) {
            advise(f, fpr, tpr, splits, &f->advice[k]);
        }
    }
    free(order);
    return st;
}

int findings_sample(findings *f, session *s, const ney_data *data, const sample_opts *opts,
                    int64_t seed, const double *gamma, int64_t n_gammas)
{
    const class_counts n = count_classes(data);
    int64_t n_params;
    const ney_param *params = ney_train_params(&n_params);
    ney_train_opts learning;

    ney_params_init(params, n_params, &learning);
    learning.C = opts->C;
    learning.seed = seed;
    f->from_data = true;
    f->p_pos = (double)n.pos / (double)(n.pos + n.neg);
    f->dims = ney_data_matrix(data)->cols;
    f->n_points = f->n_fine = n_gammas;
    f->point = calloc((size_t)n_gammas, sizeof *f->point);
    double *room = malloc((size_t)(n_gammas * (3 + 2 * opts->splits)) * sizeof *room);
    if (!f->point || !room) {
        free(room);
        s->err = (ney_error){.code = NEY_ENOMEM, .message = "no memory for the curve"};
        return session_fail(s, NEY_ENOMEM);
    }
    for (int64_t k = 0; k < n_gammas; k++) {
        f->point[k].gamma = gamma[k];
    }
    f->fine = f->point;
    const ney_status st = measure(f, s, data, &learning, opts->splits, room);
    free(room);
    return st == NEY_OK ? EXIT_OK : findings_refuse(s, st);
}
