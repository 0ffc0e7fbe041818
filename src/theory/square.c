/* Square loss. With t, s as in [ASY.2], mu+-, S+- the moments of the classes [ASY.1], m = mu+ -
 * mu-,
 *
 *     (t S+ + s S- + t s m m') w = 2 t s m,    b = t - s - w'(t mu+ + s mu-)            [ASY.3]
 *
 * and, differentiated in t,
 *
 *     A w_ = 2 (s - t) m - (S+ - S- + (s - t) m m') w,
 *     b_ = 2 - w_'(t mu+ + s mu-) - w'm                                                 [ASY.4]
 *
 * For gamma near 0 the slope of the ROC curve depends on the difference of numbers near 1/gamma^2
 * that may agree to half their digits: everything is computed to twice the precision. The matrix is
 * factored in double, and the solution refined by residuals of twice the precision. */
#include "linalg/cholesky.h"
#include "theory/optimum.h"

#include <math.h>

struct ney_square {
    const ney_mixture *mixture;
    ney_twofold *a;                  /* dims x dims */
    ney_twofold *m, *w, *dw, *r, *y; /* dims each */
    double *factor, *step;           /* of a, in double; dims */
    void *block;
};

void ney_class_weights(const ney_mixture *mixture, double gamma, ney_twofold *t, ney_twofold *s)
{
    const ney_twofold pos = ney_two_product(gamma, mixture->p[NEY_POSITIVE]);
    const ney_twofold neg = ney_two_scale(ney_two_sum(1, -gamma), mixture->p[NEY_NEGATIVE]);
    const ney_twofold both = ney_two_add(pos, neg);

    *t = ney_two_divide(pos, both);
    *s = ney_two_divide(neg, both);
}

ney_status ney_square_new(ney_square **out, const ney_mixture *mixture, ney_error *err)
{
    const int64_t d = mixture->dims, n = d * d + 5 * d;
    ney_square *q = ney_alloc_zeroed(&mixture->env, 1, sizeof *q);
    ney_twofold *block = ney_alloc_zeroed(&mixture->env, n + d * d + d, sizeof *block);

    *out = NULL;
    if (!q || !block) {
        ney_release(&mixture->env, q);
        ney_release(&mixture->env, block);
        return ney_no_memory(err, n, "numbers of a linear system");
    }
    *q = (ney_square){.mixture = mixture, .a = block, .block = block};
    q->m = block + d * d;
    q->w = q->m + d;
    q->dw = q->w + d;
    q->r = q->dw + d;
    q->y = q->r + d;
    q->factor = (double *)(q->y + d);
    q->step = q->factor + d * d;
    for (int64_t i = 0; i < d; i++) {
        q->m[i] = ney_two_subtract(mixture->side[NEY_POSITIVE].all_mean[i],
                                   mixture->side[NEY_NEGATIVE].all_mean[i]);
    }
    *out = q;
    return NEY_OK;
}

void ney_square_free(ney_square *q)
{
    if (q) {
        const ney_env env = q->mixture->env;
        ney_release(&env, q->block);
        ney_release(&env, q);
    }
}

/* A = t S+ + s S- + t s m m', and its factor. */
static bool build_system(ney_square *q, ney_twofold t, ney_twofold s)
{
    const ney_mixture_class *side = q->mixture->side;
    const ney_twofold ts = ney_two_multiply(t, s);
    const int64_t d = q->mixture->dims;

    for (int64_t i = 0; i < d; i++) {
        const ney_twofold ts_mi = ney_two_multiply(ts, q->m[i]);
        for (int64_t j = 0; j < d; j++) {
            const int64_t at = i * d + j;
            const ney_twofold within =
                ney_two_add(ney_two_multiply(t, side[NEY_POSITIVE].all_cov[at]),
                            ney_two_multiply(s, side[NEY_NEGATIVE].all_cov[at]));
            q->a[at] = ney_two_add(within, ney_two_multiply(ts_mi, q->m[j]));
            q->factor[at] = q->a[at].hi;
        }
    }
    return ney_cholesky_factor(q->factor, d);
}

/* x with A x = rhs. Each round divides the error by about 1e16 over the condition of A; it ends
 * when a step no longer shrinks. */
static void solve_refined(ney_square *q, const ney_twofold *rhs, ney_twofold *x)
{
    const int64_t d = q->mixture->dims;
    double before = (double)INFINITY;

    for (int64_t i = 0; i < d; i++) {
        x[i] = ney_two(0);
    }
    for (int round = 0; round < 40; round++) {
        double size = 0;
        for (int64_t i = 0; i < d; i++) {
            const ney_twofold left = ney_two_subtract(rhs[i], ney_two_dot(q->a + i * d, x, d));
            q->step[i] = ney_two_value(left);
        }
        ney_cholesky_solve(q->factor, d, q->step);
        for (int64_t i = 0; i < d; i++) {
            size = fmax(size, fabs(q->step[i]) * sqrt(q->a[i * d + i].hi));
        }
        if (!(size < before)) {
            return;
        }
        for (int64_t i = 0; i < d; i++) {
            x[i] = ney_two_add(x[i], ney_two(q->step[i]));
        }
        before = size / 4;
    }
}

/* The right-hand side of [ASY.4], into r. */
static void derivative_rhs(ney_square *q, ney_twofold t, ney_twofold s)
{
    const ney_mixture_class *side = q->mixture->side;
    const ney_twofold turn = ney_two_subtract(s, t);
    const int64_t d = q->mixture->dims;
    const ney_twofold mw = ney_two_dot(q->m, q->w, d);
    const ney_twofold along_m = ney_two_multiply(turn, ney_two_subtract(ney_two(2), mw));

    for (int64_t i = 0; i < d; i++) {
        const ney_twofold pos = ney_two_dot(side[NEY_POSITIVE].all_cov + i * d, q->w, d);
        const ney_twofold neg = ney_two_dot(side[NEY_NEGATIVE].all_cov + i * d, q->w, d);
        q->r[i] = ney_two_subtract(ney_two_multiply(along_m, q->m[i]), ney_two_subtract(pos, neg));
    }
}

static void fill_laws(ney_square *q, ney_twofold b, ney_twofold db, ney_law *const law[2])
{
    const int64_t d = q->mixture->dims;

    for (int s = 0; s < 2; s++) {
        const ney_mixture_class *c = &q->mixture->side[s];
        for (int64_t k = 0; k < c->n; k++) {
            const double *mean = c->mean + k * d, *cov = c->cov + k * d * d;
            for (int64_t i = 0; i < d; i++) {
                q->y[i] = ney_two_dot_plain(q->w, cov + i * d, d);
            }
            law[s][k] = (ney_law){.mean = ney_two_add(b, ney_two_dot_plain(q->w, mean, d)),
                                  .var = ney_two_dot(q->w, q->y, d),
                                  .mean_rate = ney_two_add(db, ney_two_dot_plain(q->dw, mean, d)),
                                  .half_var_rate = ney_two_dot(q->dw, q->y, d)};
        }
    }
}

ney_status ney_square_at(ney_square *q, double gamma, ney_optimum *out, ney_error *err)
{
    const ney_mixture_class *side = q->mixture->side;
    const int64_t d = q->mixture->dims;
    ney_twofold t, s;

    ney_class_weights(q->mixture, gamma, &t, &s);
    if (!build_system(q, t, s)) {
        return ney_fail(err, NEY_ENUMERIC, "the covariances are singular to working precision");
    }
    const ney_twofold two_ts = ney_two_scale(ney_two_multiply(t, s), 2);
    for (int64_t i = 0; i < d; i++) {
        q->r[i] = ney_two_multiply(two_ts, q->m[i]);
    }
    solve_refined(q, q->r, q->w);
    derivative_rhs(q, t, s);
    solve_refined(q, q->r, q->dw);

    ney_twofold b = ney_two_subtract(t, s), db = ney_two(2);
    for (int64_t i = 0; i < d; i++) {
        const ney_twofold middle = ney_two_add(ney_two_multiply(t, side[NEY_POSITIVE].all_mean[i]),
                                               ney_two_multiply(s, side[NEY_NEGATIVE].all_mean[i]));
        b = ney_two_subtract(b, ney_two_multiply(q->w[i], middle));
        db = ney_two_subtract(db, ney_two_multiply(q->dw[i], middle));
        db = ney_two_subtract(db, ney_two_multiply(q->w[i], q->m[i]));
        out->w[i] = ney_two_value(q->w[i]);
    }
    out->b = ney_two_value(b);
    out->constant = false;
    fill_laws(q, b, db, out->law);
    return NEY_OK;
}
