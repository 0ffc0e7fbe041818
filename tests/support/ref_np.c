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

ref_np ref_np_judge(const ney_model *m, const ney_data *data, const ney_train_opts *o,
                    double lambda)
{
    const ney_matrix *x = ney_data_matrix(data);
    const int8_t *label = ney_data_label(data);
    const bool fpr = isnan(o->max_fnr);
    const long double A = (long double)(fpr ? o->max_fpr : o->max_fnr), eta = (long double)o->eta;
    const long double C = (long double)o->C;
    const parts p = take_apart(m);
    ref_np r = {.square = norm_square(&p, x->cols)};
    long double n_free = 0, n_bounded = 0, low_threshold, sum_abs = 0;
    double low, high;

    ney_model_thresholds(m, &low, &high);
    low_threshold = (long double)high;
    for (int64_t i = 0; i < x->rows; i++) {
        *((label[i] > 0) == fpr ? &n_free : &n_bounded) += 1;
    }
    r.primal = r.square / 2;
    r.dual = -r.square / 2;
    for (int64_t i = 0; i < x->rows; i++) {
        const float *row = x->dense + i * x->cols;
        const bool free = (label[i] > 0) == fpr;
        const long double score = plain_score(&p, row, x->cols) + (long double)p.intercept;
        const long double z = label[i] * score;
        const long double ramp = fminl(1, fmaxl(0, (eta - z) / (2 * eta)));
        const long double box =
            (free ? C : (long double)lambda * C * n_free / n_bounded) / (2 * eta);
        const long double beta = z < -eta ? box : 0;
        const bool at_kink = fabsl(z + eta) < 1e-3L;
        r.kink += at_kink ? 1.1L * box * eta : 0;
        *(free ? &r.Q : &r.P) += ramp / (free ? n_free : n_bounded);
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
