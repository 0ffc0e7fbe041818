/* The hinge max(0, c - z), as it is (c = 1) or blurred by a standard normal: the erf loss z Psi(z)
 * - z + Psi'(z) is the one with c = 0. Under a component of class y = +-1 where the score has mean
 * M and variance V, with r = sqrt(V), or sqrt(1 + V) where it is blurred, and a = (c - y M) / r,
 *
 *     E loss(y f) = r (a Psi(a) + Psi'(a))                                              [ASY.7]
 *     its gradient in (w, b)   Psi(a) ( -y (mu, 1) + h (S w / r, 0) ),   h = Psi'(a) / Psi(a)
 *     its Hessian              Psi(a) h / r ( n n' + (S - S w w'S / r^2, 0) ),
 *                              n = (y mu + a S w / r, y)                                [ASY.8]
 *
 * The weighted sum is convex and is minimised by Newton's method. Near gamma = 0 all Psi(a) of the
 * negatives are tiny: they enter as logarithms, and only their ratios matter. The
 * plain hinge has the optimum w = 0, b = -1 as long as t / s is at most a number k, and the same at
 * the other end: theory/exit_event.c.
 *
 * The work is done in coordinates where the average of the classes' covariances is the identity and
 * the middle of their means is the origin, so that neither units nor offsets cost digits. */
#include "theory/hinge.h"
#include "decide/normal.h"
#include "linalg/cholesky.h"
#include "linalg/vector.h"
#include "theory/exit_event.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------ coordinates */

/* The change of coordinates is exact for any F, however roughly F was computed, if only it is
 * carried out precisely: triangular systems to twice the precision. x <- F^-1 x, and x <- F'^-1 x.
 */
static void solve_lower(const double *f, int64_t d, ney_twofold *x)
{
    for (int64_t i = 0; i < d; i++) {
        const ney_twofold sum = ney_two_subtract(x[i], ney_two_dot_plain(x, f + i * d, i));
        x[i] = ney_two_divide(sum, ney_two(f[i * d + i]));
    }
}

static void solve_upper(const double *f, int64_t d, ney_twofold *x)
{
    for (int64_t i = d - 1; i >= 0; i--) {
        x[i] = ney_two_divide(x[i], ney_two(f[i * d + i]));
        for (int64_t j = 0; j < i; j++) {
            x[j] = ney_two_subtract(x[j], ney_two_scale(x[i], f[i * d + j]));
        }
    }
}

/* S there = F^-1 S F'^-1: F^-1 applied to the rows of S, and to the rows of what that gives,
 * transposed. `work` holds dims x dims + dims. */
static void transform_cov(const double *f, int64_t d, const double *from, double *to,
                          ney_twofold *work)
{
    ney_twofold *half = work + d;

    for (int64_t i = 0; i < d; i++) {
        for (int64_t j = 0; j < d; j++) {
            half[i * d + j] = ney_two(from[i * d + j]);
        }
        solve_lower(f, d, half + i * d);
    }
    for (int64_t i = 0; i < d; i++) {
        for (int64_t j = 0; j < d; j++) {
            work[j] = half[j * d + i];
        }
        solve_lower(f, d, work);
        for (int64_t j = 0; j < d; j++) {
            to[i * d + j] = ney_two_value(work[j]);
        }
    }
}

static bool choose_coordinates(ney_hinge *e, ney_twofold *work)
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
            solve_lower(e->factor, d, work);
            for (int64_t i = 0; i < d; i++) {
                mean[i] = ney_two_value(work[i]);
            }
            transform_cov(e->factor, d, side[s].cov + k * d * d, e->cov[s] + k * d * d, work);
        }
    }
    return true;
}

ney_status ney_hinge_new(ney_hinge **out, const ney_mixture *mixture, bool blurred, ney_error *err)
{
    const int64_t d = mixture->dims, n0 = mixture->side[0].n, n1 = mixture->side[1].n;
    const int64_t n = n0 + n1,
                  capacity = 3 * d + d * d + n * (d + d * d) + (d + 1) * (d + 9) + n * (d + 3);
    ney_hinge *e = ney_alloc_zeroed(&mixture->env, 1, sizeof *e);
    double *at = ney_alloc_zeroed(&mixture->env, capacity, sizeof *at);
    ney_twofold *work = ney_alloc(&mixture->env, d * d + 3 * d, sizeof *work);

    *out = NULL;
    if (!e || !at || !work) {
        ney_release(&mixture->env, e);
        ney_release(&mixture->env, at);
        ney_release(&mixture->env, work);
        return ney_no_memory(err, capacity, "numbers of a hinge");
    }
    *e = (ney_hinge){
        .mixture = mixture, .centre = blurred ? 0 : 1, .blur = blurred ? 1 : 0, .block = at};
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
    e->exit[0] = e->normal + d + 1;
    e->exit[1] = e->exit[0] + d + 1;
    e->sw = e->exit[1] + d + 1;
    e->mean_score = e->sw + n * d;
    e->var = e->mean_score + n;
    e->log_tail = e->var + n;
    e->w = (ney_twofold *)(e->log_tail + n);
    const bool regular = choose_coordinates(e, work);
    for (int far = 0; far < 2 && regular && !blurred; far++) {
        const ney_exit_class side[2] = {{&mixture->side[far], e->mean[far], e->cov[far]},
                                        {&mixture->side[1 - far], e->mean[1 - far], NULL}};
        e->constant_to[far] =
            ney_exit_event_ratio(&side[0], &side[1], d, e->exit[far], (double *)work);
    }
    ney_release(&mixture->env, work);
    if (!regular) {
        ney_hinge_free(e);
        return ney_fail(err, NEY_ENUMERIC, "the covariances are singular to working precision");
    }
    *out = e;
    return NEY_OK;
}

void ney_hinge_free(ney_hinge *e)
{
    if (e) {
        const ney_env env = e->mixture->env;
        ney_release(&env, e->block);
        ney_release(&env, e);
    }
}

/* ------------------------------------------------------------------ Newton */

/* Take the step, or a part of it down to `least`: along it the loss is convex, and where its slope
 * turns positive and not small the minimum was overrun. `slope` is the one at the beginning, below
 * 0. The plain hinge must not grow either: it would fall back into the constant, where it has no
 * derivative. Leaves the end of the step measured, with its gradient. */
static void take_step(ney_hinge *e, double slope, double least)
{
    const int64_t n = e->mixture->dims + 1;
    const double scale = e->log_scale;
    const double most = e->blur > 0 ? (double)INFINITY : e->value * (1 + 1e-13);

    for (double share = 1;; share /= 2) {
        for (int64_t i = 0; i < n; i++) {
            e->trial[i] = e->theta[i] + share * e->step[i];
        }
        ney_hinge_measure(e, e->trial);
        ney_hinge_gradient(e);
        const double unit = exp(e->log_scale - scale);
        const bool fine = ney_dot(e->grad, e->step, n) * unit <= -0.5 * slope;
        if ((fine && e->value * unit <= most) || share <= least) {
            break;
        }
    }
    memcpy(e->theta, e->trial, (size_t)n * sizeof *e->theta);
}

/* The step is measured relative to all of theta: w and b have one unit where S is about 1. */
static double relative_step(const ney_hinge *e)
{
    const int64_t n = e->mixture->dims + 1;

    return sqrt(ney_dot(e->step, e->step, n) / (1 + ney_dot(e->theta, e->theta, n)));
}

static ney_status minimise_loss(ney_hinge *e, ney_error *err)
{
    enum { MOST_STEPS = 200 };
    const int64_t n = e->mixture->dims + 1;

    ney_hinge_measure(e, e->theta);
    ney_hinge_gradient(e);
    for (int steps = 0, precise = 0; steps < MOST_STEPS; steps++) {
        if (!ney_hinge_factor_hessian(e)) {
            break;
        }
        for (int64_t i = 0; i < n; i++) {
            e->step[i] = -e->grad[i];
        }
        ney_cholesky_solve(e->hess, n, e->step);
        const double size = relative_step(e);
        if (!isfinite(size)) {
            break;
        }
        for (int64_t i = 0; i < n && size > 1; i++) { /* where it is flat, no further than theta */
            e->step[i] /= size;
        }
        const double slope = ney_dot(e->grad, e->step, n);
        /* From here on a step squares the error: two more, and what is left is rounding. */
        precise += size < 1e-6;
        if (precise == 3) {
            return NEY_OK;
        }
        take_step(e, slope, precise ? 1 : 1e-9); /* rounding must not shorten the last ones */
    }
    return ney_fail(err, NEY_ENUMERIC, "Newton's method found no minimum of the expected loss");
}

/* With theta_ = -H^-1 (gradient of the positives), up to a factor above 0, into step. */
static void fill_laws(ney_hinge *e, ney_law *const law[2])
{
    const int64_t d = e->mixture->dims;

    for (int64_t i = 0; i <= d; i++) {
        e->step[i] = -e->grad_pos[i];
    }
    ney_cholesky_solve(e->hess, d + 1, e->step);
    for (int s = 0; s < 2; s++) {
        for (int64_t k = 0; k < e->mixture->side[s].n; k++) {
            const int64_t at = ney_hinge_place(e, s, k);
            const double *mean = e->mean[s] + k * d;
            law[s][k] = (ney_law){.mean = ney_two(e->mean_score[at]),
                                  .var = ney_two(e->var[at]),
                                  .mean_rate = ney_two(ney_dot(mean, e->step, d) + e->step[d]),
                                  .half_var_rate = ney_two(ney_dot(e->sw + at * d, e->step, d))};
        }
    }
}

/* Keep theta as the best start so far if the loss is lower there. */
static void offer_start(ney_hinge *e, double *least)
{
    const int64_t n = e->mixture->dims + 1;

    ney_hinge_measure(e, e->theta);
    ney_hinge_gradient(e);
    const double value = log(e->value) + e->log_scale;
    if (value < *least) {
        *least = value;
        memcpy(e->step, e->theta, (size_t)n * sizeof *e->step);
    }
}

/* Blurred, the optimum for classes of one mean. Plain, the best of a few: that of the square loss
 * for classes of one covariance, and points along the exit direction, some of which are
 * better than the constant whenever it is not the optimum. */
static void choose_start(ney_hinge *e, ney_twofold t, ney_twofold s)
{
    const int64_t d = e->mixture->dims;
    const int end = t.hi < s.hi ? 0 : 1;
    const double sign = end == 0 ? 1 : -1;
    double least = (double)INFINITY;

    memset(e->theta, 0, (size_t)d * sizeof *e->theta);
    if (e->blur > 0) {
        e->theta[d] = t.hi < 0.5 ? ney_normal_quantile(t.hi) : -ney_normal_quantile(s.hi);
        return;
    }
    for (int c = 0; c < 2; c++) {
        const ney_mixture_class *side = &e->mixture->side[c];
        for (int64_t k = 0; k < side->n; k++) {
            for (int64_t i = 0; i < d; i++) {
                const double part = side->weight[k] * e->mean[c][k * d + i];
                e->theta[i] += c == NEY_POSITIVE ? part : -part;
            }
        }
    }
    const double shrink = 2 / (4 + ney_dot(e->theta, e->theta, d));
    for (int64_t i = 0; i < d; i++) {
        e->theta[i] *= shrink;
    }
    e->theta[d] = t.hi - s.hi;
    offer_start(e, &least);
    for (double far = 0x1p-8; far < 0x1p10 + 1; far *= 2) {
        for (int64_t i = 0; i <= d; i++) {
            e->theta[i] = sign * far * e->exit[end][i] - (i == d ? sign : 0);
        }
        offer_start(e, &least);
    }
    memcpy(e->theta, e->step, (size_t)(d + 1) * sizeof *e->theta);
}

void ney_hinge_constant(const ney_hinge *e, double k[2])
{
    k[0] = e->constant_to[0];
    k[1] = e->constant_to[1];
}

static bool is_constant(const ney_hinge *e, double t, double s, double slack)
{
    return t <= slack * e->constant_to[0] * s || s <= slack * e->constant_to[1] * t;
}

ney_status ney_hinge_at(ney_hinge *e, double gamma, ney_optimum *out, ney_error *err)
{
    const int64_t d = e->mixture->dims;
    ney_twofold t, s;

    ney_class_weights(e->mixture, gamma, &t, &s);
    e->log_t = log(ney_two_value(t));
    e->log_s = log(ney_two_value(s));
    out->constant = is_constant(e, t.hi, s.hi, 1);
    if (!out->constant) {
        choose_start(e, t, s);
        const ney_status st = minimise_loss(e, err);
        /* just above k the two directions differ by rounding alone */
        out->constant = st == NEY_ENUMERIC && is_constant(e, t.hi, s.hi, 1.001);
        if (st != NEY_OK && !out->constant) {
            return st;
        }
    }
    if (out->constant) {
        memset(out->w, 0, (size_t)d * sizeof *out->w);
        out->b = t.hi < s.hi ? -1 : 1;
        return NEY_OK;
    }
    fill_laws(e, out->law);
    for (int64_t i = 0; i < d; i++) {
        e->w[i] = ney_two(e->theta[i]);
    }
    solve_upper(e->factor, d, e->w);
    for (int64_t i = 0; i < d; i++) {
        out->w[i] = ney_two_value(e->w[i]);
    }
    out->b = ney_two_value(
        ney_two_subtract(ney_two(e->theta[d]), ney_two_dot_plain(e->w, e->origin, d)));
    return NEY_OK;
}
