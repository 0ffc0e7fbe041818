/* At gamma -> 0 the score's direction tends to
 *
 *     square loss   a = S-^-1 m                                                         [ASY.9]
 *     erf loss      a = St^-1 (mu+ - mut),   St = sum_i xi_i S-_i,  mut = sum_i xi_i mu-_i
 *
 * where xi solves a strictly convex problem on the simplex. That problem is the dual of a simpler
 * one without constraints, the minimum of the log of the negatives' moment-generating function,
 *
 *     h(a) = log sum_i pi_i exp(a'(mu-_i - mu+) + a'S-_i a / 2)                         [ASY.10]
 *
 * whose gradient vanishes just where St a = mu+ - mut with xi_i proportional to the terms of the
 * sum. Newton's method finds it. The regime is determined by the sign of [ASY.11]
 *
 *     1 / max_i a'S-_i a  -  1 / max_i a'S+_i a
 *
 * the components with the slowest tails. At gamma -> 1 the classes change places. The hinge has no
 * such limit: near either end its optimum is w = 0. */
#include "theory/limit.h"

#include "linalg/cholesky.h"
#include "linalg/vector.h"

#include <math.h>
#include <string.h>

/* The class that everything is decided for at the end, and the other one. */
typedef struct ends {
    const ney_mixture_class *far, *near;
    int64_t d;
    double *mean; /* of the other class; dims */
    double *hess, *grad, *trial;
} ends;

static void square_direction(const ends *e, double *a, bool *solved)
{
    const int64_t d = e->d;

    for (int64_t i = 0; i < d * d; i++) {
        e->hess[i] = ney_two_value(e->far->all_cov[i]);
    }
    for (int64_t i = 0; i < d; i++) {
        a[i] = e->mean[i] - ney_two_value(e->far->all_mean[i]);
    }
    if ((*solved = ney_cholesky_factor(e->hess, d))) {
        ney_cholesky_solve(e->hess, d, a);
    }
}

/* h(a), and into `weight` the shares xi of its terms. */
static double log_moment(const ends *e, const double *a, double *weight)
{
    const int64_t d = e->d, n = e->far->n;
    double most = -(double)INFINITY, sum = 0;

    for (int64_t k = 0; k < n; k++) {
        const double *mean = e->far->mean + k * d;
        double power = log(e->far->weight[k]);
        for (int64_t i = 0; i < d; i++) {
            const double sa = ney_dot(e->far->cov + (k * d + i) * d, a, d);
            power += a[i] * (mean[i] - e->mean[i] + 0.5 * sa);
        }
        weight[k] = power;
        most = fmax(most, power);
    }
    for (int64_t k = 0; k < n; k++) {
        weight[k] = exp(weight[k] - most);
        sum += weight[k];
    }
    for (int64_t k = 0; k < n; k++) {
        weight[k] /= sum;
    }
    return most + log(fmax(sum, 1)); /* the largest term is 1 */
}

/* Gradient and factored Hessian of h at a, where the shares of the terms are known:
 *
 *     g = sum_i xi_i g_i,   g_i = mu_i - mu + S_i a,   H = sum_i xi_i (S_i + g_i g_i') - g g'
 */
static bool derivatives(const ends *e, const double *a, const double *weight)
{
    const int64_t d = e->d;

    memset(e->grad, 0, (size_t)d * sizeof *e->grad);
    memset(e->hess, 0, (size_t)(d * d) * sizeof *e->hess);
    for (int64_t k = 0; k < e->far->n; k++) {
        const double *mean = e->far->mean + k * d, *cov = e->far->cov + k * d * d;
        for (int64_t i = 0; i < d; i++) {
            e->trial[i] = mean[i] - e->mean[i] + ney_dot(cov + i * d, a, d);
            e->grad[i] += weight[k] * e->trial[i];
            for (int64_t j = 0; j <= i; j++) {
                e->hess[i * d + j] += weight[k] * (cov[i * d + j] + e->trial[i] * e->trial[j]);
            }
        }
    }
    for (int64_t i = 0; i < d; i++) {
        for (int64_t j = 0; j <= i; j++) {
            e->hess[i * d + j] -= e->grad[i] * e->grad[j];
        }
    }
    return ney_cholesky_factor(e->hess, d);
}

static void erf_direction(const ends *e, double *a, double *weight, bool *solved)
{
    enum { MOST_STEPS = 200 };
    const int64_t d = e->d;
    double value;

    memset(a, 0, (size_t)d * sizeof *a);
    value = log_moment(e, a, weight);
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        if (!(*solved = derivatives(e, a, weight))) {
            return;
        }
        double drop = 0, share = 1;
        memcpy(e->trial, e->grad, (size_t)d * sizeof *e->grad);
        ney_cholesky_solve(e->hess, d, e->trial);
        drop = ney_dot(e->trial, e->grad, d); /* twice what the step is to gain */
        for (int64_t i = 0; i < d; i++) {
            a[i] -= e->trial[i];
        }
        double next = log_moment(e, a, weight);
        while (next > value - 1e-4 * share * drop && drop > 1e-12 && share > 1e-9) {
            share /= 2;
            for (int64_t i = 0; i < d; i++) { /* half of the step back */
                a[i] += share * e->trial[i];
            }
            next = log_moment(e, a, weight);
        }
        value = next;
        if (!(drop > 1e-28)) { /* the step that was taken left an error beyond a double's digits */
            return;
        }
    }
}

/* max_i a'S_i a over a class, and where. */
static double widest(const ends *e, const ney_mixture_class *c, const double *a, int64_t *where)
{
    const int64_t d = e->d;
    double most = 0;

    *where = 0;
    for (int64_t k = 0; k < c->n; k++) {
        double sum = 0;
        for (int64_t i = 0; i < d; i++) {
            sum += a[i] * ney_dot(c->cov + (k * d + i) * d, a, d);
        }
        if (sum > most) {
            most = sum;
            *where = k;
        }
    }
    return most;
}

ney_status ney_limit_of(const ney_mixture *mixture, ney_theory_loss loss, int end, double *work,
                        double *direction, double *weight, ney_asymmetry_limit *out, ney_error *err)
{
    const int64_t d = mixture->dims;
    const int far = end == 0 ? NEY_NEGATIVE : NEY_POSITIVE;
    const ends e = {.far = &mixture->side[far],
                    .near = &mixture->side[1 - far],
                    .d = d,
                    .mean = work,
                    .grad = work + d,
                    .trial = work + 2 * d,
                    .hess = work + 3 * d};
    bool solved = true;

    for (int64_t i = 0; i < d; i++) {
        e.mean[i] = ney_two_value(e.near->all_mean[i]);
    }
    memcpy(weight, e.far->weight, (size_t)e.far->n * sizeof *weight);
    if (loss == NEY_LOSS_HINGE) { /* w = 0 from some gamma on */
        memset(direction, 0, (size_t)d * sizeof *direction);
        *out = (ney_asymmetry_limit){.regime = NEY_REGIME_INCONSISTENT,
                                     .discriminant = (double)NAN,
                                     .direction = direction,
                                     .weight = weight,
                                     .n_weights = e.far->n};
        return NEY_OK;
    }
    if (loss == NEY_LOSS_SQUARE) {
        square_direction(&e, direction, &solved);
    } else {
        erf_direction(&e, direction, weight, &solved);
    }
    if (!solved) {
        return ney_fail(err, NEY_ENUMERIC, "the covariances are singular to working precision");
    }
    int64_t in_far, in_near;
    const double far_width = widest(&e, e.far, direction, &in_far);
    const double near_width = widest(&e, e.near, direction, &in_near);
    const double equal = 1e-10 * fmax(far_width, near_width);
    *out = (ney_asymmetry_limit){.discriminant = 1 / far_width - 1 / near_width,
                                 .direction = direction,
                                 .weight = weight,
                                 .n_weights = e.far->n,
                                 .component_neg = far == NEY_NEGATIVE ? in_far : in_near,
                                 .component_pos = far == NEY_NEGATIVE ? in_near : in_far};
    out->regime = fabs(far_width - near_width) <= equal ? NEY_REGIME_UNDECIDED
                  : far_width > near_width              ? NEY_REGIME_INCONSISTENT
                                                        : NEY_REGIME_TRAIN_LESS_EXTREME;
    if (end == 1) { /* the score grows towards the positives at either end */
        for (int64_t i = 0; i < d; i++) {
            direction[i] = -direction[i];
        }
    }
    return NEY_OK;
}
