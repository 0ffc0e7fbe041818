/* The erf loss g(z) = z Psi(z) - z + Psi'(z): the hinge max(0, -z) blurred by a standard normal.
 * Under a component of class y = +-1 where the score has mean M and variance V, with r = sqrt(1 +
 * V) and a = -y M / r,
 *
 *     E g(y f) = r (a Psi(a) + Psi'(a))                                                 [ASY.7]
 *     its gradient in (w, b)   Psi(a) ( -y (mu, 1) + h (S w / r, 0) ),   h = Psi'(a) / Psi(a)
 *     its Hessian              Psi(a) h / r ( n n' + (S - S w w'S / r^2, 0) ),
 *                              n = (y mu + a S w / r, y)                                [ASY.8]
 *
 * The weighted sum is strictly convex and is minimised by Newton's method, whose starting point
 * w = 0, Psi(b) = t is the optimum when the classes have one mean. Near gamma = 0 all Psi(a) of the
 * negatives are tiny: they enter as logarithms, and only their ratios matter.
 *
 * The work is done in coordinates where the average of the classes' covariances is the identity and
 * the middle of their means is the origin, so that neither units nor offsets cost digits. */
#include "decide/normal.h"
#include "linalg/cholesky.h"
#include "linalg/vector.h"
#include "theory/optimum.h"

#include <math.h>
#include <string.h>

struct ney_erf {
    const ney_mixture *mixture;
    double *origin, *factor;  /* x = origin + factor * (x there); dims, dims x dims */
    double *mean[2], *cov[2]; /* of the components, there */
    double *theta;            /* (w, b), there */
    double *grad, *grad_pos;  /* of all, of the positive class alone; dims + 1 */
    double *hess, *step;      /* (dims + 1)^2; dims + 1 */
    double *trial, *normal;   /* dims + 1 */
    double *sw;               /* S w of every component, dims each */
    double *mean_score, *var; /* M and V of every component, negatives first */
    double *log_tail;         /* log(weight Psi(a)) of every component */
    double log_scale;         /* the largest of them; everything is divided by its exponential */
    double log_t, log_s;
    ney_twofold *w; /* here, dims */
    void *block;
};

/* ------------------------------------------------------------------ coordinates */

/* The change of coordinates is exact for any F, however roughly F was computed, if only it is
 * carried out precisely: triangular systems to twice the precision. x <- F^-1 x, and x <- F'^-1 x.
 */
static void forward(const double *f, int64_t d, ney_twofold *x)
{
    for (int64_t i = 0; i < d; i++) {
        const ney_twofold sum = ney_two_subtract(x[i], ney_two_dot_plain(x, f + i * d, i));
        x[i] = ney_two_divide(sum, ney_two(f[i * d + i]));
    }
}

static void back(const double *f, int64_t d, ney_twofold *x)
{
    for (int64_t i = d - 1; i >= 0; i--) {
        x[i] = ney_two_divide(x[i], ney_two(f[i * d + i]));
        for (int64_t j = 0; j < i; j++) {
            x[j] = ney_two_subtract(x[j], ney_two_scale(x[i], f[i * d + j]));
        }
    }
}

/* S there = F^-1 S F'^-1: F^-1 applied to the rows of S, and to the rows of what that gives,
 * transposed. `work` has room for dims x dims + dims. */
static void transform_cov(const double *f, int64_t d, const double *from, double *to,
                          ney_twofold *work)
{
    ney_twofold *half = work + d;

    for (int64_t i = 0; i < d; i++) {
        for (int64_t j = 0; j < d; j++) {
            half[i * d + j] = ney_two(from[i * d + j]);
        }
        forward(f, d, half + i * d);
    }
    for (int64_t i = 0; i < d; i++) {
        for (int64_t j = 0; j < d; j++) {
            work[j] = half[j * d + i];
        }
        forward(f, d, work);
        for (int64_t j = 0; j < d; j++) {
            to[i * d + j] = ney_two_value(work[j]);
        }
    }
}

static bool choose_coordinates(ney_erf *e, ney_twofold *work)
{
    const ney_mixture_class *side = e->mixture->side;
    const int64_t d = e->mixture->dims;

    for (int64_t i = 0; i < d * d; i++) {
        e->factor[i] =
            0.5 * (ney_two_value(side[0].all_cov[i]) + ney_two_value(side[1].all_cov[i]));
    }
    if (!ney_cholesky_factor(e->factor, d)) {
        return false;
    }
    for (int64_t i = 0; i < d; i++) {
        e->origin[i] =
            0.5 * (ney_two_value(side[0].all_mean[i]) + ney_two_value(side[1].all_mean[i]));
    }
    for (int s = 0; s < 2; s++) {
        for (int64_t k = 0; k < side[s].n; k++) {
            double *mean = e->mean[s] + k * d;
            for (int64_t i = 0; i < d; i++) {
                work[i] = ney_two_sum(side[s].mean[k * d + i], -e->origin[i]);
            }
            forward(e->factor, d, work);
            for (int64_t i = 0; i < d; i++) {
                mean[i] = ney_two_value(work[i]);
            }
            transform_cov(e->factor, d, side[s].cov + k * d * d, e->cov[s] + k * d * d, work);
        }
    }
    return true;
}

ney_status ney_erf_new(ney_erf **out, const ney_mixture *mixture, ney_error *err)
{
    const int64_t d = mixture->dims, n0 = mixture->side[0].n, n1 = mixture->side[1].n;
    const int64_t n = n0 + n1,
                  room = 3 * d + d * d + n * (d + d * d) + (d + 1) * (d + 7) + n * (d + 3);
    ney_erf *e = ney_alloc_zeroed(&mixture->env, 1, sizeof *e);
    double *at = ney_alloc_zeroed(&mixture->env, room, sizeof *at);
    ney_twofold *work = ney_alloc(&mixture->env, d * d + d, sizeof *work);

    *out = NULL;
    if (!e || !at || !work) {
        ney_release(&mixture->env, e);
        ney_release(&mixture->env, at);
        ney_release(&mixture->env, work);
        return ney_no_memory(err, room, "numbers of the erf loss");
    }
    *e = (ney_erf){.mixture = mixture, .block = at};
    e->origin = at;
    e->factor = e->origin + d;
    e->mean[0] = e->factor + d * d;
    e->mean[1] = e->mean[0] + n0 * d;
    e->cov[0] = e->mean[1] + n1 * d;
    e->cov[1] = e->cov[0] + n0 * d * d;
    e->hess = e->cov[1] + n1 * d * d;
    e->theta = e->hess + (d + 1) * (d + 1);
    e->grad = e->theta + d + 1;
    e->grad_pos = e->grad + d + 1;
    e->step = e->grad_pos + d + 1;
    e->trial = e->step + d + 1;
    e->normal = e->trial + d + 1;
    e->sw = e->normal + d + 1;
    e->mean_score = e->sw + n * d;
    e->var = e->mean_score + n;
    e->log_tail = e->var + n;
    e->w = (ney_twofold *)(e->log_tail + n);
    const bool regular = choose_coordinates(e, work);
    ney_release(&mixture->env, work);
    if (!regular) {
        ney_erf_free(e);
        return ney_fail(err, NEY_ENUMERIC, "the covariances are singular to working precision");
    }
    *out = e;
    return NEY_OK;
}

void ney_erf_free(ney_erf *e)
{
    if (e) {
        const ney_env env = e->mixture->env;
        ney_release(&env, e->block);
        ney_release(&env, e);
    }
}

/* ------------------------------------------------------------------ the expected loss */

/* Where component k of class s is in the arrays over both classes. */
static int64_t place_of(const ney_erf *e, int s, int64_t k)
{
    return s == 0 ? k : e->mixture->side[0].n + k;
}

static double argument(const ney_erf *e, int s, int64_t at)
{
    return (s == NEY_POSITIVE ? -1 : 1) * e->mean_score[at] / sqrt(1 + e->var[at]);
}

/* M, V, S w and log(weight Psi(a)) of every component at theta. */
static void measure(ney_erf *e, const double *theta)
{
    const int64_t d = e->mixture->dims;

    e->log_scale = -(double)INFINITY;
    for (int s = 0; s < 2; s++) {
        const ney_mixture_class *c = &e->mixture->side[s];
        for (int64_t k = 0; k < c->n; k++) {
            const int64_t at = place_of(e, s, k);
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

/* The gradient at what was measured, over exp(log_scale). */
static void gradient(ney_erf *e)
{
    const int64_t d = e->mixture->dims;

    memset(e->grad, 0, (size_t)(d + 1) * sizeof *e->grad);
    for (int s = 0; s < 2; s++) {
        const double y = s == NEY_POSITIVE ? 1 : -1;
        for (int64_t k = 0; k < e->mixture->side[s].n; k++) {
            const int64_t at = place_of(e, s, k);
            const double tail = exp(e->log_tail[at] - e->log_scale), r = sqrt(1 + e->var[at]);
            const double h = 1 / ney_normal_ratio(argument(e, s, at));
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

/* The Hessian likewise, factored. False when it is singular to working precision. */
static bool factor_hessian(ney_erf *e)
{
    const int64_t d = e->mixture->dims, n = d + 1;

    memset(e->hess, 0, (size_t)(n * n) * sizeof *e->hess);
    for (int s = 0; s < 2; s++) {
        const double y = s == NEY_POSITIVE ? 1 : -1;
        for (int64_t k = 0; k < e->mixture->side[s].n; k++) {
            const int64_t at = place_of(e, s, k);
            const double a = argument(e, s, at), r = sqrt(1 + e->var[at]);
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
    return ney_cholesky_factor(e->hess, n);
}

/* ------------------------------------------------------------------ Newton */

/* Take the step, or a part of it down to `least`: along it the loss is convex, and where its slope
 * turns positive and not small the minimum was overrun. `slope` is the one at the beginning, below
 * 0. Leaves the end of the step measured, with its gradient. */
static void take_step(ney_erf *e, double slope, double least)
{
    const int64_t n = e->mixture->dims + 1;
    const double scale = e->log_scale;

    for (double share = 1;; share /= 2) {
        for (int64_t i = 0; i < n; i++) {
            e->trial[i] = e->theta[i] + share * e->step[i];
        }
        measure(e, e->trial);
        gradient(e);
        const double here = ney_dot(e->grad, e->step, n) * exp(e->log_scale - scale);
        if (here <= -0.5 * slope || share <= least) {
            break;
        }
    }
    memcpy(e->theta, e->trial, (size_t)n * sizeof *e->theta);
}

/* The step is judged against the whole of theta: w and b have one unit where S is about 1. */
static double relative_step(const ney_erf *e)
{
    const int64_t n = e->mixture->dims + 1;

    return sqrt(ney_dot(e->step, e->step, n) / (1 + ney_dot(e->theta, e->theta, n)));
}

static ney_status minimise(ney_erf *e, ney_error *err)
{
    enum { MOST_STEPS = 200 };
    const int64_t n = e->mixture->dims + 1;

    measure(e, e->theta);
    gradient(e);
    for (int steps = 0, precise = 0; steps < MOST_STEPS; steps++) {
        if (!factor_hessian(e)) {
            break;
        }
        for (int64_t i = 0; i < n; i++) {
            e->step[i] = -e->grad[i];
        }
        ney_cholesky_solve(e->hess, n, e->step);
        const double slope = ney_dot(e->grad, e->step, n), size = relative_step(e);
        if (!isfinite(size)) {
            break;
        }
        /* From here on a step squares the error: two more, and what is left is rounding. */
        precise += size < 1e-6;
        if (precise == 3) {
            return NEY_OK;
        }
        take_step(e, slope, precise ? 1 : 1e-9); /* rounding must not shorten the last ones */
    }
    return ney_fail(err, NEY_ENUMERIC, "Newton's method found no minimum of the erf loss");
}

/* With theta_ = -H^-1 (gradient of the positives), up to a factor above 0, into step. */
static void fill_laws(ney_erf *e, ney_law *const law[2])
{
    const int64_t d = e->mixture->dims;

    for (int64_t i = 0; i <= d; i++) {
        e->step[i] = -e->grad_pos[i];
    }
    ney_cholesky_solve(e->hess, d + 1, e->step);
    for (int s = 0; s < 2; s++) {
        for (int64_t k = 0; k < e->mixture->side[s].n; k++) {
            const int64_t at = place_of(e, s, k);
            const double *mean = e->mean[s] + k * d;
            law[s][k] = (ney_law){.mean = ney_two(e->mean_score[at]),
                                  .var = ney_two(e->var[at]),
                                  .mean_rate = ney_two(ney_dot(mean, e->step, d) + e->step[d]),
                                  .half_var_rate = ney_two(ney_dot(e->sw + at * d, e->step, d))};
        }
    }
}

ney_status ney_erf_at(ney_erf *e, double gamma, ney_optimum *out, ney_error *err)
{
    const int64_t d = e->mixture->dims;
    ney_twofold t, s;

    ney_class_weights(e->mixture, gamma, &t, &s);
    e->log_t = log(ney_two_value(t));
    e->log_s = log(ney_two_value(s));
    memset(e->theta, 0, (size_t)d * sizeof *e->theta);
    e->theta[d] = t.hi < 0.5 ? ney_normal_quantile(t.hi) : -ney_normal_quantile(s.hi);
    const ney_status st = minimise(e, err);
    if (st != NEY_OK) {
        return st;
    }
    fill_laws(e, out->law);
    for (int64_t i = 0; i < d; i++) {
        e->w[i] = ney_two(e->theta[i]);
    }
    back(e->factor, d, e->w);
    for (int64_t i = 0; i < d; i++) {
        out->w[i] = ney_two_value(e->w[i]);
    }
    out->b = ney_two_value(
        ney_two_subtract(ney_two(e->theta[d]), ney_two_dot_plain(e->w, e->origin, d)));
    return NEY_OK;
}
