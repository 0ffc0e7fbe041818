#include "support/ref_np.h"

#include <math.h>
#include <stdlib.h>

/* Of float rows; the kernels as they are defined. */
static long double kernel(const ney_kernel *k, const float *a, const float *b, int64_t cols)
{
    long double dot = 0, distance = 0;
    for (int64_t c = 0; c < cols; c++) {
        const long double x = (long double)a[c], z = (long double)b[c];
        dot += x * z;
        distance += (x - z) * (x - z);
    }
    const long double gamma = (long double)k->gamma, coef0 = (long double)k->coef0;
    switch (k->kind) {
    case NEY_KERNEL_RBF:
        return expl(-gamma * distance);
    case NEY_KERNEL_POLY:
        return powl(gamma * dot + coef0, (long double)k->degree);
    case NEY_KERNEL_SIGMOID:
        return tanhl(gamma * dot + coef0);
    default:
        return dot;
    }
}

/* The score function in parts: rows with coefficients, or weights. */
typedef struct parts {
    bool linear;
    const double *weight, *coefficient;
    ney_kernel kernel;
    ney_matrix support;
    double intercept;
} parts;

static parts take_apart(const ney_model *m)
{
    parts p = {0};
    p.weight = ney_model_weights(m, &p.intercept);
    p.linear = p.weight != NULL;
    if (!p.linear && !ney_model_kernel(m, &p.kernel, &p.support, &p.coefficient, &p.intercept)) {
        abort();
    }
    return p;
}

static long double plain_score(const parts *p, const float *row, int64_t cols)
{
    long double f = 0;
    if (p->linear) {
        for (int64_t c = 0; c < cols; c++) {
            f += (long double)p->weight[c] * (long double)row[c];
        }
        return f;
    }
    for (int64_t s = 0; s < p->support.rows; s++) {
        f += (long double)p->coefficient[s] *
             kernel(&p->kernel, p->support.dense + s * cols, row, cols);
    }
    return f;
}

static bool same_row(const float *a, const float *b, int64_t cols)
{
    for (int64_t c = 0; c < cols; c++) {
        if (a[c] < b[c] || a[c] > b[c]) {
            return false;
        }
    }
    return true;
}

/* The coefficient of a row, 0 when it carries none. */
static long double coefficient_of(const parts *p, const float *row, int64_t cols)
{
    for (int64_t s = 0; s < p->support.rows; s++) {
        if (same_row(p->support.dense + s * cols, row, cols)) {
            return (long double)p->coefficient[s];
        }
    }
    return 0;
}

static long double norm_square(const parts *p, int64_t cols)
{
    long double square = 0;
    if (p->linear) {
        for (int64_t c = 0; c < cols; c++) {
            square += (long double)p->weight[c] * (long double)p->weight[c];
        }
        return square;
    }
    for (int64_t s = 0; s < p->support.rows; s++) {
        square +=
            (long double)p->coefficient[s] * plain_score(p, p->support.dense + s * cols, cols);
    }
    return square;
}

static long double weight_of(const float *weight, int64_t i)
{
    return weight ? (long double)weight[i] : 1;
}

ref_np ref_np_judge(const ney_model *m, const ney_data *data, const ney_train_opts *o,
                    double lambda)
{
    const ney_matrix *x = ney_data_matrix(data);
    const int8_t *label = ney_data_label(data);
    const bool fpr = isnan(o->max_fnr);
    const float *weight = ney_data_weight(data);
    const long double A = (long double)(fpr ? o->max_fpr : o->max_fnr), eta = (long double)o->eta;
    const long double C = (long double)o->C;
    const parts p = take_apart(m);
    ref_np r = {.square = norm_square(&p, x->cols)};
    long double n_free = 0, n_bounded = 0, low_threshold, sum_abs = 0;
    double low, high;

    ney_model_thresholds(m, &low, &high);
    low_threshold = (long double)high;
    for (int64_t i = 0; i < x->rows; i++) {
        *((label[i] > 0) == fpr ? &n_free : &n_bounded) += weight_of(weight, i);
    }
    r.primal = r.square / 2;
    r.dual = -r.square / 2;
    for (int64_t i = 0; i < x->rows; i++) {
        const float *row = x->dense + i * x->cols;
        const bool free = (label[i] > 0) == fpr;
        const long double score = plain_score(&p, row, x->cols) + (long double)p.intercept;
        const long double z = label[i] * score;
        const long double ramp = fminl(1, fmaxl(0, (eta - z) / (2 * eta)));
        const long double box = weight_of(weight, i) *
                                (free ? C : (long double)lambda * C * n_free / n_bounded) /
                                (2 * eta);
        const long double beta = z < -eta ? box : 0;
        const bool at_kink = fabsl(z + eta) < 1e-3L;
        r.kink += at_kink ? 1.1L * box * eta : 0;
        *(free ? &r.Q : &r.P) += weight_of(weight, i) * ramp / (free ? n_free : n_bounded);
        r.primal += box * fmaxl(0, eta - z) + beta * z;
        if (!p.linear) {
            const long double v = coefficient_of(&p, row, x->cols), a = label[i] * v;
            r.outside = at_kink ? r.outside : fmaxl(r.outside, fmaxl(-beta - a, a - (box - beta)));
            r.dual += eta * a + eta * beta;
            r.sum += v;
            sum_abs += fabsl(v);
        }
        r.fp += label[i] < 0 && score >= low_threshold;
        r.fn += label[i] > 0 && score < low_threshold;
    }
    r.sum /= fmaxl(sum_abs, 1e-30L);
    r.dual = p.linear ? (long double)NAN : r.dual;
    r.lagrangian = r.square / 2 + C * n_free * (r.Q + (long double)lambda * (r.P - A));
    return r;
}

/* ---------------------------------------------------------------- the training objective */

/* Scores of the two classes, times -1 where positives are bounded: free rows should be high. */
typedef struct scored {
    const ney_data *data;
    bool fpr;
    long double *score;
    long double eta, C, rate;
} scored;

static bool is_free(const scored *s, int64_t i)
{
    return (ney_data_label(s->data)[i] > 0) == s->fpr;
}

/* Weighted ramp loss of a class with `shift` added to the scores; the sum of its weights. */
static long double class_loss(const scored *s, bool free, long double shift, long double *sum)
{
    long double loss = 0;
    *sum = 0;
    for (int64_t i = 0; i < ney_data_matrix(s->data)->rows; i++) {
        if (is_free(s, i) == free) {
            const long double w = weight_of(ney_data_weight(s->data), i);
            const long double z = (free ? 1 : -1) * (s->score[i] + shift);
            loss += w * fminl(1, fmaxl(0, (s->eta - z) / (2 * s->eta)));
            *sum += w;
        }
    }
    return loss;
}

/* C times the loss of the free class where the bounded class has the rate, by bisection. */
static long double free_loss(const scored *s)
{
    long double top = 0, sum;
    for (int64_t i = 0; i < ney_data_matrix(s->data)->rows; i++) {
        top = fmaxl(top, fabsl(s->score[i]));
    }
    long double low = -top - 2 * s->eta, high = top + 2 * s->eta;
    for (int k = 0; k < 60; k++) {
        const long double middle = (low + high) / 2;
        *(class_loss(s, false, middle, &sum) > s->rate * sum ? &high : &low) = middle;
    }
    return s->C * class_loss(s, true, low, &sum);
}

static scored scored_new(const ney_data *data, const ney_train_opts *o)
{
    const bool fpr = isnan(o->max_fnr);
    int64_t n_bounded = 0;
    scored s = {.data = data, .fpr = fpr, .eta = (long double)o->eta, .C = (long double)o->C};
    s.score = calloc((size_t)ney_data_matrix(data)->rows, sizeof *s.score);
    if (!s.score) {
        abort();
    }
    for (int64_t i = 0; i < ney_data_matrix(data)->rows; i++) {
        n_bounded += !is_free(&s, i);
    }
    s.rate = fmaxl((long double)(fpr ? o->max_fpr : o->max_fnr), 0);
    if (s.rate * n_bounded < 1) {
        s.rate = 0.5L / n_bounded;
    }
    return s;
}

long double ref_np_objective(const ney_model *m, const ney_data *data, const ney_train_opts *o)
{
    const ney_matrix *x = ney_data_matrix(data);
    const parts p = take_apart(m);
    scored s = scored_new(data, o);
    for (int64_t i = 0; i < x->rows; i++) {
        s.score[i] = (s.fpr ? 1 : -1) * plain_score(&p, x->dense + i * x->cols, x->cols);
    }
    const long double found = norm_square(&p, x->cols) / 2 + free_loss(&s);
    free(s.score);
    return found;
}

/* ---------------------------------------------------------------- a bounded share */

static int descending(const void *a, const void *b)
{
    const long double x = *(const long double *)a, y = *(const long double *)b;
    return (x < y) - (x > y);
}

/* s P - q (1 - Q) where `shift` is added to the scores. */
static long double share_excess(const scored *s, long double shift, long double q, long double per)
{
    long double n_free, n_bounded;
    const long double Q = class_loss(s, true, shift, &n_free),
                      P = class_loss(s, false, shift, &n_bounded);
    return per * P / n_bounded - q * (1 - Q / n_free);
}

/* Linear between the shifts at which a row's loss begins or ends to change: all of them are tried,
 * from the largest down. */
static long double largest_shift(const scored *s, long double q, long double per)
{
    const int64_t n = ney_data_matrix(s->data)->rows;
    long double *corner = calloc((size_t)(2 * n), sizeof *corner), above = 1, shift = 0;
    if (!corner) {
        abort();
    }
    for (int64_t i = 0; i < n; i++) {
        corner[2 * i] = -s->score[i] - s->eta;
        corner[2 * i + 1] = -s->score[i] + s->eta;
    }
    qsort(corner, (size_t)(2 * n), sizeof *corner, descending);
    for (int64_t k = 0; k < 2 * n; k++) {
        const long double excess = share_excess(s, corner[k], q, per);
        shift = corner[k];
        if (excess <= 1e-15L) {
            shift += k > 0 && excess < above
                         ? (corner[k - 1] - corner[k]) * fmaxl(0, -excess) / (above - excess)
                         : 0;
            break;
        }
        above = excess;
    }
    free(corner);
    return shift;
}

long double ref_fdr_objective(const ney_model *m, const ney_data *data, const ney_train_opts *o,
                              double q, double s)
{
    const ney_matrix *x = ney_data_matrix(data);
    const parts p = take_apart(m);
    scored of = scored_new(data, o);
    long double sum;
    for (int64_t i = 0; i < x->rows; i++) {
        of.score[i] = plain_score(&p, x->dense + i * x->cols, x->cols);
    }
    const long double shift = largest_shift(&of, (long double)q, (long double)s);
    const long double found =
        norm_square(&p, x->cols) / 2 + of.C * class_loss(&of, true, shift, &sum);
    free(of.score);
    return found;
}

/* ---------------------------------------------------------------- exhaustive search */

static long double objective_of(scored *s, const long double w[2])
{
    const ney_matrix *x = ney_data_matrix(s->data);
    long double square = 0;
    for (int64_t c = 0; c < x->cols; c++) {
        square += w[c] * w[c];
    }
    for (int64_t i = 0; i < x->rows; i++) {
        s->score[i] = 0;
        for (int64_t c = 0; c < x->cols; c++) {
            s->score[i] += w[c] * (long double)x->dense[i * x->cols + c];
        }
    }
    return square / 2 + free_loss(s);
}

/* w = 0 costs C W at most, so that |w|^2 / 2 is at most that. A grid over this disc, fine near 0,
 * then halving steps from the best points. */
long double ref_np_global(const ney_data *data, const ney_train_opts *o)
{
    enum { RADII = 40, ANGLES = 48 };
    scored s = scored_new(data, o);
    const long double zero[2] = {0, 0};
    long double best = objective_of(&s, zero), at[2] = {0, 0}, step;
    const int angles = ney_data_matrix(data)->cols == 1 ? 2 : ANGLES;
    const long double radius = sqrtl(2 * best);
    for (int k = 1; k <= RADII; k++) {
        for (int a = 0; a < angles; a++) {
            const long double r = radius * powl(0.85L, k - 1),
                              angle = 6.283185307179586L * a / angles;
            const long double w[2] = {r * cosl(angle), r * sinl(angle)};
            const long double found = objective_of(&s, w);
            if (found < best) {
                best = found;
                at[0] = w[0];
                at[1] = w[1];
            }
        }
    }
    for (step = 0.1L * (fabsl(at[0]) + fabsl(at[1])); step > 1e-7L * radius; step *= 0.8L) {
        for (int a = 0; a < 16; a++) {
            const long double angle = 6.283185307179586L * a / 16;
            const long double w[2] = {at[0] + step * cosl(angle),
                                      angles > 2 ? at[1] + step * sinl(angle) : 0};
            const long double found = objective_of(&s, w);
            if (found < best) {
                best = found;
                at[0] = w[0];
                at[1] = w[1];
            }
        }
    }
    free(s.score);
    return best;
}
