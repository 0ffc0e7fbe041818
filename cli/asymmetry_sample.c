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
 * the slopes of the envelope before and after it. The middle one, in log odds, is reported. */
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

/* Runs of gammas, in ascending order, whose points are on the envelope: from the first gamma of a
 * run to its last. `order` has n_points entries. */
static void find_ranges(findings *f, int64_t *order)
{
    const int64_t n = f->n_points;
    bool inside = false;

    for (int64_t k = 0; k < n; k++) {
        int64_t at = k;
        for (; at > 0 && f->point[order[at - 1]].gamma > f->point[k].gamma; at--) {
            order[at] = order[at - 1];
        }
        order[at] = k;
    }
    for (int64_t k = 0; k < n; k++) {
        const curve_point *p = &f->point[order[k]];
        if (p->consistent && !inside && f->n_ranges == MOST_RANGES) {
            return;
        }
        if (p->consistent) {
            f->n_ranges += !inside;
            double *const range = f->range + 2 * (f->n_ranges - 1);
            range[0] = inside ? range[0] : p->gamma;
            range[1] = p->gamma;
        }
        inside = p->consistent;
    }
}

/* Held-out rates of every gamma: first those of the curve, then beta of each pair of test costs, so
 * that "training with the costs of the test" is measured and not taken from a neighbour. */
typedef struct held_out {
    int64_t splits, n; /* n gammas */
    const double *gamma, *fpr, *tpr;
    double p_pos;
} held_out;

static double cost_at(const held_out *h, double beta, int64_t split, int64_t k)
{
    const int64_t at = split * h->n + k;
    return beta * h->p_pos * (1 - h->tpr[at]) + (1 - beta) * (1 - h->p_pos) * h->fpr[at];
}

static double mean_cost(const held_out *h, double beta, int64_t k)
{
    double sum = 0;

    for (int64_t s = 0; s < h->splits; s++) {
        sum += cost_at(h, beta, s, k);
    }
    return sum / (double)h->splits;
}

/* Standard errors over the splits, of which the costs of one are compared with each other; the cost
 * of a constant decision (best < 0) is the same in every split. */
static void find_errors(const held_out *h, int64_t best, int64_t same, training_advice *a)
{
    const double beta = a->answer.beta, n = (double)h->splits;
    const double gain = a->answer.cost_same - a->answer.cost;
    double squares = 0, both = 0;

    for (int64_t s = 0; s < h->splits; s++) {
        const double cost = best < 0 ? a->answer.cost : cost_at(h, beta, s, best);
        const double apart = cost - a->answer.cost, other = cost_at(h, beta, s, same) - cost - gain;
        squares += apart * apart;
        both += other * other;
    }
    a->cost_error = h->splits > 1 ? sqrt(squares / (n - 1) / n) : (double)NAN;
    a->gain_error = h->splits > 1 ? sqrt(both / (n - 1) / n) : (double)NAN;
}

/* The lowest held-out cost, of a constant decision or of one of the gammas; `same` is where beta is
 * among them. All numbers of the answer belong to what is chosen. */
static void advise(const held_out *h, int64_t same, training_advice *a)
{
    const double beta = a->answer.beta, p_pos = h->p_pos;
    const bool positive = beta * p_pos > (1 - beta) * (1 - p_pos);
    ney_asymmetry_answer *const answer = &a->answer;
    int64_t best = -1;

    answer->cost_constant = positive ? (1 - beta) * (1 - p_pos) : beta * p_pos;
    answer->gamma = answer->fpr = answer->tpr = positive;
    answer->cost = answer->cost_constant;
    for (int64_t k = 0; k < h->n; k++) {
        const double cost = mean_cost(h, beta, k);
        if (cost < answer->cost * (1 - 1e-12)) {
            best = k;
            answer->cost = cost;
        }
    }
    if (best >= 0) {
        double unused;
        answer->gamma = h->gamma[best];
        mean_of(h->fpr + best, h->splits, h->n, &answer->fpr, &unused);
        mean_of(h->tpr + best, h->splits, h->n, &answer->tpr, &unused);
    }
    answer->cost_same = mean_cost(h, beta, same);
    find_errors(h, best, same, a);
}

static ney_status measure(findings *f, session *s, const ney_data *data, const ney_train_opts *opts,
                          ney_scaling scaling, int64_t splits, double *buffer)
{
    const int64_t n = f->n_points, g = n + f->n_advice;
    double *gamma = buffer, *fpr = gamma + g, *tpr = fpr + splits * g;
    const held_out h = {splits, g, gamma, fpr, tpr, f->p_pos};
    int64_t *order = malloc((size_t)(2 * n + 2) * sizeof *order);
    ney_status st = NEY_ENOMEM;

    if (!order) {
        s->err = (ney_error){.code = st, .message = "out of memory for the points of the curve"};
        return st;
    }
    for (int64_t k = 0; k < n; k++) {
        gamma[k] = f->point[k].gamma;
    }
    for (int k = 0; k < f->n_advice; k++) {
        training_advice *const a = &f->advice[k];
        gamma[n + k] = a->answer.beta = a->cost_fn / (a->cost_fn + a->cost_fp);
    }
    const ney_asymmetry_grid grid = {.gamma = gamma, .n_gammas = g, .n_splits = splits};
    st = ney_asymmetry_sample_with(&s->env, data, opts, scaling, &grid, fpr, tpr, &s->err);
    if (st == NEY_OK) {
        for (int64_t k = 0; k < n; k++) {
            curve_point *p = &f->point[k];
            mean_of(fpr + k, splits, g, &p->fpr, &p->fpr_error);
            mean_of(tpr + k, splits, g, &p->tpr, &p->tpr_error);
            p->log_slope = p->beta = p->b = (double)NAN;
            p->consistent = p->gamma <= 0 || p->gamma >= 1; /* an end of every envelope */
        }
        judge_points(f, tpr + splits * g, tpr + splits * g + g, order, order + n);
        find_ranges(f, order);
        for (int k = 0; k < f->n_advice; k++) {
            advise(&h, n + k, &f->advice[k]);
        }
    }
    free(order);
    return st;
}

int findings_sample(findings *f, session *s, const ney_data *data, const sample_opts *opts,
                    ney_scaling scaling, int64_t seed, const double *gamma, int64_t n_gammas)
{
    const class_counts n = count_classes(data);
    int64_t n_params;
    const ney_param *params = ney_train_params(&n_params);
    ney_train_opts learning;

    ney_params_init(params, n_params, &learning);
    learning.C = opts->C;
    learning.seed = seed;
    f->from_data = true;
    f->C = opts->C;
    f->p_pos = (double)n.pos / (double)(n.pos + n.neg);
    f->dims = ney_data_matrix(data)->cols;
    f->n_points = f->n_fine = n_gammas;
    f->point = calloc((size_t)n_gammas, sizeof *f->point);
    double *buffer =
        malloc((size_t)((n_gammas + MOST_ADVICE) * (3 + 2 * opts->splits)) * sizeof *buffer);
    if (!f->point || !buffer) {
        free(buffer);
        return session_fail(s, out_of_memory(&s->err, "the curve"));
    }
    for (int64_t k = 0; k < n_gammas; k++) {
        f->point[k].gamma = gamma[k];
    }
    f->fine = f->point;
    const ney_status st = measure(f, s, data, &learning, scaling, opts->splits, buffer);
    free(buffer);
    return st == NEY_OK ? EXIT_OK : findings_refuse(s, st);
}
