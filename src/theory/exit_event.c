/* The hinge has the optimum w = 0, b = -1 near gamma = 0. To leave it in the direction (w, b)
 * changes the loss by s E-[max(0, w'x + b)] - t E+[w'x + b]; scaled to E+[w'x + b] = 1, that is not
 * below 0 as long as
 *
 *     t / s <= k,   k = min_w E-[max(0, 1 + w'(x - mu+))]                               [ASY.14]
 *
 * and beyond it the optimum is far from w = 0. At gamma = 1 the classes change places: `far` is the
 * class that the constant decides for, `near` the other one. The expectation has the form [ASY.7].
 */
#include "theory/exit_event.h"

#include "decide/normal.h"
#include "linalg/cholesky.h"
#include "linalg/vector.h"

#include <math.h>
#include <string.h>

typedef struct exit_problem {
    const ney_exit_class *far;
    int64_t d;
    double *near, *w, *grad, *step, *sw, *gap; /* d each */
    double *hess;
} exit_problem;

/* The expectation at w, with its gradient and Hessian. */
static double exit_expectation(const exit_problem *l)
{
    const double root_two_pi = 2.50662827463100050242;
    const int64_t d = l->d;
    double value = 0;

    memset(l->grad, 0, (size_t)d * sizeof *l->grad);
    memset(l->hess, 0, (size_t)(d * d) * sizeof *l->hess);
    for (int64_t k = 0; k < l->far->weights->n; k++) {
        const double weight = l->far->weights->weight[k];
        const double *mean = l->far->mean + k * d, *cov = l->far->cov + k * d * d;
        for (int64_t i = 0; i < d; i++) {
            l->sw[i] = ney_dot(cov + i * d, l->w, d);
            l->gap[i] = mean[i] - l->near[i];
        }
        const double r = sqrt(ney_dot(l->sw, l->w, d)), a = (1 + ney_dot(l->gap, l->w, d)) / r;
        const double below = ney_normal_cdf(a), at = exp(-0.5 * a * a) / root_two_pi;
        value += weight * r * (a * below + at);
        for (int64_t i = 0; i < d; i++) {
            const double ni = l->gap[i] - a / r * l->sw[i];
            l->grad[i] += weight * (below * l->gap[i] + at / r * l->sw[i]);
            for (int64_t j = 0; j <= i; j++) {
                const double nj = l->gap[j] - a / r * l->sw[j];
                l->hess[i * d + j] +=
                    weight * at / r * (ni * nj + cov[i * d + j] - l->sw[i] * l->sw[j] / (r * r));
            }
        }
    }
    return value;
}

/* The mean of the other class, and a first w towards it. */
static void start_exit(const exit_problem *l, const ney_exit_class *near)
{
    const int64_t d = l->d;

    for (int64_t i = 0; i < d; i++) {
        l->near[i] = 0;
        for (int64_t k = 0; k < near->weights->n; k++) {
            l->near[i] += near->weights->weight[k] * near->mean[k * d + i];
        }
        l->w[i] = l->near[i];
        for (int64_t k = 0; k < l->far->weights->n; k++) {
            l->w[i] -= l->far->weights->weight[k] * l->far->mean[k * d + i];
        }
    }
    /* how far that direction, to a factor of two: near w = 0 and far from it there is no curvature
     */
    const double unit = 1 / (1 + ney_dot(l->w, l->w, d));
    double least = (double)INFINITY, best = unit;
    memcpy(l->step, l->w, (size_t)d * sizeof *l->step);
    for (double far = 0x1p-6 * unit; far < 0x1p11 * unit; far *= 2) {
        for (int64_t i = 0; i < d; i++) {
            l->w[i] = far * l->step[i];
        }
        const double value = exit_expectation(l);
        best = value < least ? far : best;
        least = fmin(least, value);
    }
    for (int64_t i = 0; i < d; i++) {
        l->w[i] = best * l->step[i];
    }
}

double ney_exit_event_ratio(const ney_exit_class *far, const ney_exit_class *near, int64_t d,
                            double *direction, double *work)
{
    enum { MOST_STEPS = 100 };
    const exit_problem l = {.far = far,
                            .d = d,
                            .near = work,
                            .w = direction,
                            .grad = work + d,
                            .step = work + 2 * d,
                            .sw = work + 3 * d,
                            .gap = work + 4 * d,
                            .hess = work + 5 * d};

    start_exit(&l, near);
    double value = exit_expectation(&l);
    for (int step = 0; step < MOST_STEPS && ney_cholesky_factor(l.hess, d); step++) {
        memcpy(l.step, l.grad, (size_t)d * sizeof *l.step);
        ney_cholesky_solve(l.hess, d, l.step);
        const double drop = ney_dot(l.step, l.grad, d);
        for (int64_t i = 0; i < d; i++) {
            l.w[i] -= l.step[i];
        }
        double next = exit_expectation(&l);
        for (double share = 0.5; !(next <= value) && drop > 1e-14 && share > 1e-9; share /= 2) {
            for (int64_t i = 0; i < d; i++) { /* half of what is left of the step, back */
                l.w[i] += share * l.step[i];
            }
            next = exit_expectation(&l);
        }
        value = next;
        if (!(drop > 1e-15)) {
            break;
        }
    }
    direction[d] = 1 - ney_dot(l.near, l.w, d);
    return fmin(value, 1);
}
