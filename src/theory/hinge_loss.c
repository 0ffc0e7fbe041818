/* The expected hinge loss of a mixture: value, gradient and Hessian [ASY.7], [ASY.8]. */
#include "theory/hinge.h"

#include "decide/normal.h"
#include "linalg/cholesky.h"
#include "linalg/vector.h"

#include <math.h>
#include <string.h>

int64_t ney_hinge_place(const ney_hinge *e, int s, int64_t k)
{
    return s == 0 ? k : e->mixture->side[0].n + k;
}

static double radius(const ney_hinge *e, int64_t at)
{
    return sqrt(e->blur + e->var[at]);
}

static double argument(const ney_hinge *e, int s, int64_t at)
{
    const double z = s == NEY_POSITIVE ? e->mean_score[at] : -e->mean_score[at];

    return (e->centre - z) / radius(e, at);
}

void ney_hinge_measure(ney_hinge *e, const double *theta)
{
    const int64_t d = e->mixture->dims;

    e->log_scale = -(double)INFINITY;
    for (int s = 0; s < 2; s++) {
        const ney_mixture_class *c = &e->mixture->side[s];
        for (int64_t k = 0; k < c->n; k++) {
            const int64_t at = ney_hinge_place(e, s, k);
            double *sw = e->sw + at * d;
            for (int64_t i = 0; i < d; i++) {
                sw[i] = ney_dot(e->cov[s] + (k * d + i) * d, theta, d);
            }
            e->mean_score[at] = ney_dot(e->mean[s] + k * d, theta, d) + theta[d];
            e->var[at] = ney_dot(sw, theta, d);
            e->log_tail[at] = (s == NEY_POSITIVE ? e->log_t : e->log_s) + log(c->weight[k]) +
                              ney_normal_log_cdf(argument(e, s, at));
            e->log_scale = fmax(e->log_scale, e->log_tail[at]);
        }
    }
}

void ney_hinge_gradient(ney_hinge *e)
{
    const int64_t d = e->mixture->dims;

    memset(e->grad, 0, (size_t)(d + 1) * sizeof *e->grad);
    e->value = 0;
    for (int s = 0; s < 2; s++) {
        const double y = s == NEY_POSITIVE ? 1 : -1;
        for (int64_t k = 0; k < e->mixture->side[s].n; k++) {
            const int64_t at = ney_hinge_place(e, s, k);
            const double tail = exp(e->log_tail[at] - e->log_scale), r = radius(e, at);
            const double a = argument(e, s, at), h = 1 / ney_normal_ratio(a);
            e->value += tail * r * (a + h);
            for (int64_t i = 0; i < d; i++) {
                e->grad[i] += tail * (h / r * e->sw[at * d + i] - y * e->mean[s][k * d + i]);
            }
            e->grad[d] -= tail * y;
        }
        if (s == NEY_NEGATIVE) { /* what is added from here on is of the positives */
            memcpy(e->grad_pos, e->grad, (size_t)(d + 1) * sizeof *e->grad);
        }
    }
    for (int64_t i = 0; i <= d; i++) {
        e->grad_pos[i] = e->grad[i] - e->grad_pos[i];
    }
}

/* The Hessian likewise. */
static void hessian(ney_hinge *e)
{
    const int64_t d = e->mixture->dims, n = d + 1;

    memset(e->hess, 0, (size_t)(n * n) * sizeof *e->hess);
    for (int s = 0; s < 2; s++) {
        const double y = s == NEY_POSITIVE ? 1 : -1;
        for (int64_t k = 0; k < e->mixture->side[s].n; k++) {
            const int64_t at = ney_hinge_place(e, s, k);
            const double a = argument(e, s, at), r = radius(e, at);
            const double *sw = e->sw + at * d, *cov = e->cov[s] + k * d * d;
            const double factor = exp(e->log_tail[at] - e->log_scale) / ney_normal_ratio(a) / r;
            for (int64_t i = 0; i < d; i++) {
                e->normal[i] = y * e->mean[s][k * d + i] + a / r * sw[i];
            }
            e->normal[d] = y;
            for (int64_t i = 0; i < n; i++) {
                for (int64_t j = 0; j <= i; j++) {
                    double entry = e->normal[i] * e->normal[j];
                    if (i < d) {
                        entry += cov[i * d + j] - sw[i] * sw[j] / (r * r);
                    }
                    e->hess[i * n + j] += factor * entry;
                }
            }
        }
    }
}

bool ney_hinge_factor_hessian(ney_hinge *e)
{
    const int64_t n = e->mixture->dims + 1;

    for (double ridge = 0; ridge<1; ridge = ridge> 0 ? 100 * ridge : 1e-14) {
        double most = 0;
        hessian(e);
        for (int64_t i = 0; i < n; i++) {
            most = fmax(most, e->hess[i * n + i]);
        }
        for (int64_t i = 0; i < n; i++) {
            e->hess[i * n + i] += ridge * most;
        }
        if (ney_cholesky_factor(e->hess, n)) {
            return true;
        }
    }
    return false;
}
