/* The generative method that Neyman-Pearson training is compared with: each class is known by its
 * mean and covariance alone, and the score of a row is normal, or only bounded by Chebyshev's
 * inequality. With kappa = Psi^-1(1 - A), or sqrt((1 - A) / A),
 *
 *     max_w  J(w) = (w'm - kappa s-(w)) / s+(w),   s+-(w)^2 = w'S+-w,  m = mu+ - mu-      [GEN.1]
 *
 * and b = -w'mu- - kappa s-(w). The maximum lies on w(t) = (S+ + t S-)^-1 m with t on the whole
 * projective line: t >= 0 where J > 0 can be had, t < 0 where not. With S+ = LL' and L^-1 S- L^-T =
 * QTQ', T tridiagonal, c = Q'L^-1 m and y = (I + tT)^-1 c,
 *
 *     w = L^-T Q y,   w'm = c'y,   s+^2 = y'y,   s-^2 = y'Ty                             [GEN.2]
 *
 * so that one t costs O(p). To both covariances 1 / (C n) times the norm of w is added, as in
 * 1/2 |w|^2 + C sum of losses. With max_fnr the classes are exchanged. */
#include "decide/normal.h"
#include "learn/baseline/moments.h"
#include "learn/method.h"
#include "linalg/cholesky.h"
#include "linalg/tridiagonal.h"
#include "linalg/vector.h"
#include "model/family.h"

#include <math.h>
#include <string.h>

typedef struct search {
    int64_t p;
    double kappa;
    double *l;                 /* Cholesky factor of S+ */
    double *a;                 /* reflectors of Q */
    double *diagonal, *beside; /* T */
    double *c, *y, *workspace; /* 4 p */
} search;

/* J at (x I + y T)^-1 c, whichever sign is better; y holds the point. */
static double value_at(const search *s, double from_plus, double from_minus)
{
    const int64_t p = s->p;
    double mean = 0, plus = 0, minus = 0;
    ney_tridiagonal_solve(s->diagonal, s->beside, p, from_plus, from_minus, s->c, s->y,
                          s->workspace);
    for (int64_t i = 0; i < p; i++) {
        const double right = i + 1 < p ? s->beside[i] * s->y[i + 1] : 0;
        mean += s->c[i] * s->y[i];
        plus += s->y[i] * s->y[i];
        minus += s->y[i] * (s->diagonal[i] * s->y[i] + 2 * right);
    }
    if (mean < 0) {
        mean = -mean;
        for (int64_t i = 0; i < p; i++) {
            s->y[i] = -s->y[i];
        }
    }
    const double J = (mean - s->kappa * sqrt(fmax(0, minus))) / sqrt(plus);
    return isfinite(J) ? J : -(double)INFINITY;
}

/* The line as an angle, S+ cos(angle) + S- scale sin(angle): t = 0 at 0, all of it from -pi/2 to
 * pi/2. The places are dense near both ends of t >= 0, where t spans many powers of ten. */
static double at_angle(const search *s, double scale, double place)
{
    const double t = sinh(place); /* from -e^20 / 2 to e^20 / 2 */
    const double size = hypot(1, t);
    return value_at(s, 1 / size, scale * t / size);
}

static double golden_section(const search *s, double scale, double low, double high)
{
    const double part = (sqrt(5) - 1) / 2;
    double a = high - part * (high - low), b = low + part * (high - low);
    double at_a = at_angle(s, scale, a), at_b = at_angle(s, scale, b);
    for (int i = 0; i < 80; i++) {
        if (at_a >= at_b) {
            high = b;
            b = a;
            at_b = at_a;
            a = high - part * (high - low);
            at_a = at_angle(s, scale, a);
        } else {
            low = a;
            a = b;
            at_a = at_b;
            b = low + part * (high - low);
            at_b = at_angle(s, scale, b);
        }
    }
    return low / 2 + high / 2;
}

/* Leaves the best point in y and returns its J. */
static double maximise_ratio(const search *s)
{
    enum { PLACES = 1000 };
    const double end = 20, step = 2 * end / PLACES;
    double trace = 0, best = -(double)INFINITY, at = 0;
    for (int64_t i = 0; i < s->p; i++) {
        trace += s->diagonal[i];
    }
    const double scale = trace > 0 ? (double)s->p / trace : 1;
    for (int k = 0; k <= PLACES; k++) {
        const double J = at_angle(s, scale, -end + k * step);
        if (J > best) {
            best = J;
            at = -end + k * step;
        }
    }
    const double fine = golden_section(s, scale, at - step, at + step);
    const double J = at_angle(s, scale, fine);
    return J >= best ? J : at_angle(s, scale, at);
}

/* ---------------------------------------------------------------- from moments to a search */

/* S+ and S- with their ridge, in the arrays of the search. `rounding` is what may
 * have taken their least eigenvalues below 0, as a share of the mean one. */
static void fill_covariances(const ney_moments *m, const ney_task *t, int free, double rounding,
                             search *s)
{
    const int64_t p = m->p;
    const double share = 1 / (t->o.C * (double)t->x->rows);
    double trace = 0;
    for (int64_t i = 0; i < p; i++) {
        trace += m->covariance[free][i * p + i] + share * m->ridge[i * p + i];
    }
    for (int64_t i = 0; i < p * p; i++) {
        s->l[i] = m->covariance[free][i] + share * m->ridge[i];
        s->a[i] = m->covariance[!free][i] + share * m->ridge[i];
    }
    for (int64_t i = 0; i < p; i++) {
        s->l[i * p + i] += rounding * trace / (double)p;
        s->a[i * p + i] += rounding * trace / (double)p;
        s->c[i] = m->mean[free][i] - m->mean[!free][i];
    }
}

/* Covariances of few rows, or of rows that repeat, are singular, and kernel rows are float. */
static ney_status factor_covariances(const ney_moments *m, const ney_task *t, int free, search *s,
                                     ney_error *err)
{
    for (double rounding = 1e-10; rounding < 1; rounding *= 10) {
        fill_covariances(m, t, free, rounding, s);
        if (ney_cholesky_factor(s->l, s->p)) {
            return NEY_OK;
        }
    }
    return ney_fail(err, NEY_ENUMERIC, "the covariance of a class is not positive definite");
}

static void prepare_search(search *s)
{
    const int64_t p = s->p;
    for (int pass = 0; pass < 2; pass++) { /* S- L^-T by rows, the same again of its transpose */
        for (int64_t i = 0; i < p; i++) {
            ney_cholesky_forward(s->l, p, s->a + i * p);
        }
        for (int64_t i = 0; i < p; i++) {
            for (int64_t j = 0; j < i; j++) {
                const double above = s->a[j * p + i], below = s->a[i * p + j];
                s->a[i * p + j] = pass ? above / 2 + below / 2 : above; /* at last, symmetric */
                s->a[j * p + i] = pass ? above / 2 + below / 2 : below;
            }
        }
    }
    ney_tridiagonal_reduce(s->a, p, s->diagonal, s->beside, s->workspace);
    ney_cholesky_forward(s->l, p, s->c);
    ney_tridiagonal_apply(s->a, p, false, s->c);
}

/* What is assumed of the scores of a class with known mean and variance. */
typedef enum tail_bound { NORMAL, CHEBYSHEV } tail_bound;

static double kappa_of(tail_bound bound, double rate)
{
    return bound == NORMAL ? -ney_normal_quantile(rate) : sqrt((1 - rate) / rate);
}

/* ---------------------------------------------------------------- the learner */

/* w in the user's sign, and its intercept. */
static void write_answer(const ney_moments *m, int free, const search *s, double minus,
                         ney_answer *a)
{
    const int sign = free == 1 ? 1 : -1;
    double at_mean = 0;
    ney_tridiagonal_apply(s->a, s->p, true, s->y);
    ney_cholesky_back(s->l, s->p, s->y);
    for (int64_t j = 0; j < s->p; j++) {
        at_mean += s->y[j] * m->mean[!free][j];
        if (m->landmark) {
            a->v[m->landmark[j]] = sign * s->y[j];
        } else {
            a->w[j] = sign * s->y[j];
        }
    }
    a->intercept = sign * (-at_mean - s->kappa * minus);
}

static double minus_of(const search *s)
{
    double minus = 0;
    for (int64_t i = 0; i < s->p; i++) {
        const double right = i + 1 < s->p ? s->beside[i] * s->y[i + 1] : 0;
        minus += s->y[i] * (s->diagonal[i] * s->y[i] + 2 * right);
    }
    return sqrt(fmax(0, minus));
}

/* What the model of the classes says of the free error. Chebyshev's bound is 1 / (1 + J^2) where J
 * is positive, and says nothing where it is not. */
static double modelled_rate(tail_bound bound, double J)
{
    if (bound == NORMAL) {
        return ney_normal_cdf(-J);
    }
    return J > 0 ? 1 / (1 + J * J) : 1;
}

static ney_status solve_bound(ney_task *t, tail_bound bound, const ney_moments *m, search *s,
                              ney_answer *a, ney_train_info *info, ney_error *err)
{
    const int free = t->request.bounded == NEY_FALSE_POSITIVES;
    const int64_t p = s->p = m->p;
    s->kappa = kappa_of(bound, t->request.rate);
    s->a = s->l + p * p;
    s->diagonal = s->a + p * p;
    s->beside = s->diagonal + p;
    s->c = s->beside + p;
    s->y = s->c + p;
    s->workspace = s->y + p;
    const ney_status st = factor_covariances(m, t, free, s, err);
    if (st == NEY_OK) {
        prepare_search(s);
        const double J = maximise_ratio(s);
        write_answer(m, free, s, minus_of(s), a);
        *info = (ney_train_info){.stop = NEY_STOP_CONVERGED, .objective = modelled_rate(bound, J)};
        info->convex_objective = info->dual_objective = info->objective;
    }
    return st;
}

static ney_status learn(ney_task *t, tail_bound bound, ney_answer *a, ney_train_info *info,
                        ney_error *err)
{
    ney_moments m;
    search s = {0};
    ney_status st = ney_moments_init(&m, t, err);
    if (st == NEY_OK) {
        s.l = ney_alloc(&t->env, 2 * m.p * m.p + 8 * m.p, sizeof *s.l);
        a->w = m.landmark ? NULL : ney_alloc(&t->env, m.p, sizeof *a->w);
        st = s.l && (a->w || m.landmark) ? solve_bound(t, bound, &m, &s, a, info, err)
                                         : ney_no_memory(err, m.p * m.p, "covariances");
    }
    ney_release(&t->env, s.l);
    ney_moments_deinit(&m);
    return st;
}

static ney_status learn_normal(ney_task *t, ney_answer *a, ney_train_info *info, ney_error *err)
{
    return learn(t, NORMAL, a, info, err);
}

static ney_status learn_chebyshev(ney_task *t, ney_answer *a, ney_train_info *info, ney_error *err)
{
    return learn(t, CHEBYSHEV, a, info, err);
}

static ney_status check(const ney_request *r, ney_error *err)
{
    return r->rate > 0 && r->rate < 1
               ? NEY_OK
               : ney_fail(err, NEY_EINVAL, "the %s method needs a rate between 0 and 1",
                          r->method->name);
}

/* The landmarks of a kernel are drawn at random. */
static bool is_random(const ney_request *r)
{
    return r->family == &ney_family_kernel;
}

/* Chebyshev's bound may say nothing. */
static ney_status describe_chebyshev(const ney_task *t, const ney_train_info *info, ney_model *m,
                                     ney_error *err)
{
    (void)t;
    return info->objective >= 1
               ? ney_model_set_text(m, NEY_METADATA_SUMMARY, "bound", "vacuous", err)
               : NEY_OK;
}

const ney_learner ney_learner_generative = {.reads = NEY_READS_KERNEL,
                                            .finds = NEY_FINDS_KERNEL_EXPANSION,
                                            .is_random = is_random,
                                            .check = check,
                                            .learn = learn_normal};

const ney_learner ney_learner_chebyshev = {.reads = NEY_READS_KERNEL,
                                           .finds = NEY_FINDS_KERNEL_EXPANSION,
                                           .is_random = is_random,
                                           .check = check,
                                           .learn = learn_chebyshev,
                                           .describe = describe_chebyshev};
