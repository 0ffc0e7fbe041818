#include "theory/law.h"

#include "decide/normal.h"

#include <math.h>

/* A number x > 0 as log x = rest - shift. The shifts are halves of squares t^2, up to 1e30 and
 * more; two of them are subtracted before anything is rounded to a double. */
typedef struct far_log {
    ney_twofold shift;
    double rest;
} far_log;

static double log_quotient(const far_log *a, const far_log *b)
{
    return ney_two_value(ney_two_subtract(b->shift, a->shift)) + (a->rest - b->rest);
}

static far_log quotient(const far_log *a, const far_log *b)
{
    return (far_log){ney_two_subtract(a->shift, b->shift), a->rest - b->rest};
}

static double log_value(const far_log *a)
{
    return a->rest - ney_two_value(a->shift);
}

static bool is_less(ney_twofold a, ney_twofold b)
{
    return a.hi < b.hi || (a.hi <= b.hi && a.lo < b.lo);
}

/* t = M / sqrt(V) and t^2/2. */
static double deviations(const ney_law *law)
{
    return law->mean.hi / sqrt(law->var.hi);
}

static ney_twofold half_square(const ney_law *law)
{
    const ney_twofold square = ney_two_multiply(law->mean, law->mean);

    return ney_two_scale(ney_two_divide(square, law->var), 0.5);
}

/* log Psi(sign * t) */
static far_log log_tail(const ney_law *law, int sign)
{
    const double log_root_two_pi = 0.918938533204672741780, t = sign * deviations(law);

    if (t >= 0) {
        return (far_log){{0, 0}, ney_normal_log_cdf(t)};
    }
    return (far_log){half_square(law), log(ney_normal_ratio(t)) - log_root_two_pi};
}

/* log sum_i pi_i Psi(sign * t_i), the largest term taken out. */
static far_log log_rate(const ney_mixture_class *c, const ney_law *law, int sign)
{
    far_log most = log_tail(&law[0], sign);
    double sum = 0;

    for (int64_t i = 1; i < c->n; i++) {
        const far_log here = log_tail(&law[i], sign);
        most = log_quotient(&here, &most) > 0 ? here : most;
    }
    for (int64_t i = 0; i < c->n; i++) {
        const far_log here = log_tail(&law[i], sign);
        sum += c->weight[i] * exp(log_quotient(&here, &most));
    }
    most.rest += log(sum);
    return most;
}

/* sum_i pi_i Psi'(t_i) t_i_, up to the factor 1 / sqrt(2 pi), with its sign apart [ASY.6]:
 *
 *     t_ = (dM V - M dV/2) / V^(3/2)
 */
static far_log log_rate_change(const ney_mixture_class *c, const ney_law *law, int *sign)
{
    ney_twofold least = half_square(&law[0]);
    double sum = 0;

    for (int64_t i = 1; i < c->n; i++) {
        const ney_twofold here = half_square(&law[i]);
        least = is_less(here, least) ? here : least;
    }
    for (int64_t i = 0; i < c->n; i++) {
        const ney_law *l = &law[i];
        const ney_twofold top = ney_two_subtract(ney_two_multiply(l->mean_rate, l->var),
                                                 ney_two_multiply(l->mean, l->half_var_rate));
        const double rate = ney_two_value(top) / l->var.hi / sqrt(l->var.hi);
        sum += c->weight[i] * rate * exp(-ney_two_value(ney_two_subtract(half_square(l), least)));
    }
    *sign = (sum > 0) - (sum < 0);
    return (far_log){least, *sign == 0 ? -(double)INFINITY : log(fabs(sum))};
}

void ney_law_place(const ney_mixture *mixture, const ney_law *const law[2], ney_roc_place *out)
{
    const ney_mixture_class *neg = &mixture->side[NEY_NEGATIVE],
                            *pos = &mixture->side[NEY_POSITIVE];
    const ney_law *const in_neg = law[NEY_NEGATIVE], *const in_pos = law[NEY_POSITIVE];
    const far_log u = log_rate(neg, in_neg, 1), v = log_rate(pos, in_pos, 1);
    const far_log not_u = log_rate(neg, in_neg, -1), not_v = log_rate(pos, in_pos, -1);
    int sign_u, sign_v;
    const far_log du = log_rate_change(neg, in_neg, &sign_u);
    const far_log dv = log_rate_change(pos, in_pos, &sign_v);

    *out = (ney_roc_place){.log_fpr = log_value(&u),
                           .log_tpr = log_value(&v),
                           .log_tnr = log_value(&not_u),
                           .log_fnr = log_value(&not_v),
                           .log_low = log_quotient(&v, &u),
                           .log_high = log_quotient(&not_v, &not_u)};
    out->fpr = exp(out->log_fpr);
    out->tpr = exp(out->log_tpr);
    const far_log slope = quotient(&dv, &du), low = quotient(&v, &u),
                  high = quotient(&not_v, &not_u);
    const double defined = sign_u == sign_v && sign_u != 0 ? 0 : (double)NAN;
    out->log_slope = log_value(&slope) + defined;
    out->above_low = log_quotient(&low, &slope) + defined;
    out->below_high = log_quotient(&slope, &high) + defined;
}
