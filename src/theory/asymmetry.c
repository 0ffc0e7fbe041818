/* Training against testing asymmetry.
 *
 * A curve of classifiers, one for each training asymmetry gamma, is a curve in the ROC plane.
 * The best point for testing costs beta : 1 - beta maximises
 *
 *     G = v - e^slope u,     e^slope = (1 - beta) p- / (beta p+)                         [ASY.5]
 *
 * the gain over deciding negative always, in units of beta p+; or, what differs by a constant,
 * e^slope (1 - u) - (1 - v), the gain over deciding positive always. A point is consistent when
 * it is the best one for the costs that its own slope stands for. Near either corner one of the two
 * gains keeps its digits, as a logarithm. */
#include "theory/asymmetry.h"
#include "decide/normal.h"
#include "linalg/cholesky.h"
#include "linalg/vector.h"

#include <math.h>
#include <string.h>

static const double grid_end = 27.63102111592754; /* log odds of 1 - 1e-12 */

const char *ney_regime_text(ney_regime regime)
{
    switch (regime) {
    case NEY_REGIME_INCONSISTENT:
        return "inconsistent";
    case NEY_REGIME_TRAIN_LESS_EXTREME:
        return "train-less-extreme";
    case NEY_REGIME_UNDECIDED:
        break;
    }
    return "undecided";
}

bool ney_asymmetry_is_constant(const ney_asymmetry *study)
{
    if (!study) {
        return false;
    }
    return study->constant;
}

const ney_asymmetry_limit *ney_asymmetry_limit_at(const ney_asymmetry *study, int end)
{
    return study && (end == 0 || end == 1) ? &study->limit[end] : NULL;
}

double ney_gamma_of_log_odds(double x)
{
    return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
}

/* From 1e-12 to 1 - 1e-12, denser in the middle, where a classifier may be useful in a narrow range
 * of gamma alone; for the hinge between the gammas where it is constant, denser
 * towards them, since that is where it leaves one corner of the ROC plane and reaches the other. */
static void choose_grid(ney_asymmetry *a)
{
    const double offset = log(a->mixture->p[NEY_NEGATIVE]) - log(a->mixture->p[NEY_POSITIVE]);
    const double middle = 2; /* log odds up to which it is about even */
    double low = -grid_end, high = grid_end, k[2] = {0, 0};

    if (a->loss == NEY_LOSS_HINGE) {
        ney_hinge_constant(a->hinge, k);
        low = fmax(low, log(k[0]) + offset);
        high = fmin(high, offset - log(k[1]));
    }
    for (int64_t j = 0; j < NEY_ASYMMETRY_GRID; j++) {
        const double x = (double)j / (NEY_ASYMMETRY_GRID - 1);
        a->log_odds[j] = a->loss == NEY_LOSS_HINGE
                             ? low + (high - low) * x * x * (3 - 2 * x)
                             : middle * sinh((2 * x - 1) * asinh(grid_end / middle));
    }
}

/* ------------------------------------------------------------------ one classifier */

/* A corner of the ROC plane. */
static ney_roc_place constant_place(bool positive)
{
    const double inf = (double)INFINITY, none = (double)NAN;
    const double log_yes = positive ? 0 : -inf, log_no = positive ? -inf : 0;

    return (ney_roc_place){.fpr = positive,
                           .tpr = positive,
                           .log_fpr = log_yes,
                           .log_tpr = log_yes,
                           .log_tnr = log_no,
                           .log_fnr = log_no,
                           .log_slope = none,
                           .above_low = none,
                           .below_high = none};
}

ney_status ney_asymmetry_solve(ney_asymmetry *a, double gamma, ney_roc_place *place, ney_error *err)
{
    const ney_status st = a->loss == NEY_LOSS_SQUARE
                              ? ney_square_at(a->square, gamma, &a->optimum, err)
                              : ney_hinge_at(a->hinge, gamma, &a->optimum, err);
    if (st == NEY_OK && a->optimum.constant) {
        *place = constant_place(a->optimum.b >= 0);
    } else if (st == NEY_OK) {
        const ney_law *const law[2] = {a->optimum.law[0], a->optimum.law[1]};
        ney_law_place(a->mixture, law, place);
    }
    return st;
}

/* ------------------------------------------------------------------ making a study */

/* A test of m' P^-1 m = 0 for the classes' average covariance P, to rounding. */
static ney_status compare_means(ney_asymmetry *a, double *work, ney_error *err)
{
    const ney_mixture_class *side = a->mixture->side;
    const int64_t d = a->mixture->dims;
    double *m = work, *p = work + d, most = 0;

    for (int64_t i = 0; i < d; i++) {
        m[i] = ney_two_value(ney_two_subtract(side[1].all_mean[i], side[0].all_mean[i]));
        const double size = fabs(side[0].all_mean[i].hi) + fabs(side[1].all_mean[i].hi);
        most = fmax(most,
                    size * size / (side[0].all_cov[i * d + i].hi + side[1].all_cov[i * d + i].hi));
    }
    for (int64_t i = 0; i < d * d; i++) {
        p[i] = 0.5 * (side[0].all_cov[i].hi + side[1].all_cov[i].hi);
    }
    if (!ney_cholesky_factor(p, d)) {
        return ney_fail(err, NEY_ENUMERIC, "the covariances are singular to working precision");
    }
    ney_cholesky_forward(p, d, m);
    a->constant = ney_dot(m, m, d) <= 1e-28 * (1 + most);
    return NEY_OK;
}

static ney_status make_grid(ney_asymmetry *a, ney_error *err)
{
    choose_grid(a);
    for (int64_t j = 0; j < NEY_ASYMMETRY_GRID; j++) {
        const ney_status st =
            ney_asymmetry_solve(a, ney_gamma_of_log_odds(a->log_odds[j]), &a->grid[j], err);
        if (st != NEY_OK) {
            return st;
        }
        if (!ney_poll(&a->env, "tracing", (double)(j + 1), NEY_ASYMMETRY_GRID)) {
            return ney_fail(err, NEY_ECANCELLED, "cancelled");
        }
    }
    return NEY_OK;
}

static ney_status make_study(ney_asymmetry *a, double *work, double *direction, double *weight,
                             ney_error *err)
{
    const int64_t d = a->mixture->dims;
    ney_status st;

    if ((st = compare_means(a, work, err)) != NEY_OK || a->constant) {
        for (int end = 0; end < 2; end++) { /* no limit: all directions are 0 */
            a->limit[end] = (ney_asymmetry_limit){.direction = direction + end * d,
                                                  .discriminant = (double)NAN};
        }
        return st;
    }
    for (int end = 0; end < 2 && st == NEY_OK; end++) {
        st = ney_limit_of(a->mixture, a->loss, end, work, direction + end * d,
                          weight + (end ? a->mixture->side[NEY_NEGATIVE].n : 0), &a->limit[end],
                          err);
    }
    if (st == NEY_OK) {
        st = a->loss == NEY_LOSS_SQUARE
                 ? ney_square_new(&a->square, a->mixture, err)
                 : ney_hinge_new(&a->hinge, a->mixture, a->loss == NEY_LOSS_ERF, err);
    }
    return st == NEY_OK ? make_grid(a, err) : st;
}

ney_status ney_asymmetry_new(ney_asymmetry **out, const ney_env *env, const ney_mixture *mixture,
                             ney_theory_loss loss, ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out && mixture, err);
    const ney_env e = ney_env_of(env);
    const int64_t d = mixture->dims, n0 = mixture->side[0].n, n = n0 + mixture->side[1].n;
    const int64_t per_law = (int64_t)(sizeof(ney_law) / sizeof(double));
    const int64_t numbers = n * per_law + 3 * d + n + (d + 4) * d;
    ney_asymmetry *a = ney_alloc_zeroed(&e, 1, sizeof *a);
    double *block = ney_alloc_zeroed(&e, numbers, sizeof *block);

    *out = NULL;
    if (!a || !block) {
        ney_release(&e, a);
        ney_release(&e, block);
        return ney_no_memory(err, numbers, "numbers of a curve");
    }
    double *direction = block + n * per_law, *weight = direction + 2 * d;
    *a = (ney_asymmetry){.env = e, .mixture = mixture, .loss = loss, .block = block};
    a->optimum.law[0] = (ney_law *)block;
    a->optimum.law[1] = a->optimum.law[0] + n0;
    a->optimum.w = weight + n;
    const ney_status st = make_study(a, a->optimum.w + d, direction, weight, err);
    if (st != NEY_OK) {
        ney_asymmetry_free(a);
        return st;
    }
    *out = a;
    return NEY_OK;
}

void ney_asymmetry_free(ney_asymmetry *study)
{
    if (study) {
        const ney_env env = study->env;
        ney_square_free(study->square);
        ney_hinge_free(study->hinge);
        ney_release(&env, study->block);
        ney_release(&env, study);
    }
}

/* ------------------------------------------------------------------ points */

void ney_asymmetry_constant_point(const ney_asymmetry *a, double gamma, ney_asymmetry_point *p,
                                  double *w)
{
    const ney_regime regime = a->limit[gamma >= 0.5].regime;
    const double inf = (double)INFINITY, none = (double)NAN;
    ney_twofold t, s;

    memset(w, 0, (size_t)a->mixture->dims * sizeof *w);
    ney_class_weights(a->mixture, gamma, &t, &s);
    const double b = ney_two_value(ney_two_subtract(t, s));
    const bool positive = b >= 0;
    *p = (ney_asymmetry_point){.gamma = gamma,
                               .b = b,
                               .fpr = positive,
                               .tpr = positive,
                               .fnr = !positive,
                               .log_fpr = positive ? 0 : -inf,
                               .log_tpr = positive ? 0 : -inf,
                               .log_slope = none,
                               .beta = none};
    if (!a->constant) { /* a corner of the ROC plane, where every envelope begins and ends */
        p->consistent = true;
        if (regime != NEY_REGIME_UNDECIDED) {
            p->beta = positive == (regime == NEY_REGIME_TRAIN_LESS_EXTREME);
            p->log_slope = p->beta > 0 ? -inf : inf;
        }
    }
    if (a->loss == NEY_LOSS_HINGE) {
        p->b = positive ? 1 : -1;
    } else if (a->loss == NEY_LOSS_ERF) {
        p->b = b < 0 ? ney_normal_quantile(t.hi) : -ney_normal_quantile(s.hi);
    }
}

ney_status ney_asymmetry_at(ney_asymmetry *a, double gamma, ney_asymmetry_point *point, double *w,
                            ney_error *err)
{
    NEY_REQUIRE(a && point && w, err);
    /* Beyond, twice the precision of a double is not enough for slopes near exp(1 / gamma^2); the
     * other losses have milder ones. */
    const double least = a->loss == NEY_LOSS_SQUARE ? 1e-15 : 1e-300;
    ney_roc_place place;

    if (!(gamma >= 0 && gamma <= 1) ||
        (gamma > 0 && gamma < 1 && (gamma < least || 1 - gamma < 0.99e-15))) {
        return ney_fail(err, NEY_EINVAL,
                        "gamma = %.17g, expected 0, 1 or a number between %g and 1 - 1e-15", gamma,
                        least);
    }
    if (a->constant || gamma <= 0 || gamma >= 1) {
        ney_asymmetry_constant_point(a, gamma, point, w);
        return NEY_OK;
    }
    const ney_status st = ney_asymmetry_solve(a, gamma, &place, err);
    if (st != NEY_OK) {
        return st;
    }
    memcpy(w, a->optimum.w, (size_t)a->mixture->dims * sizeof *w);
    const double log_odds =
        -place.log_slope - log(a->mixture->p[NEY_POSITIVE]) + log(a->mixture->p[NEY_NEGATIVE]);
    *point = (ney_asymmetry_point){.gamma = gamma,
                                   .b = a->optimum.b,
                                   .fpr = place.fpr,
                                   .tpr = place.tpr,
                                   .fnr = exp(place.log_fnr),
                                   .log_fpr = place.log_fpr,
                                   .log_tpr = place.log_tpr,
                                   .log_slope = place.log_slope,
                                   .beta = ney_gamma_of_log_odds(log_odds),
                                   .consistent = ney_asymmetry_is_consistent(a, &place)};
    return NEY_OK;
}

void ney_asymmetry_expand(const ney_asymmetry *a, int end, double gamma, ney_asymmetry_point *point,
                          double *w)
{
    if (!a || !point || !w) {
        return;
    }
    const int far = end == 0 ? NEY_NEGATIVE : NEY_POSITIVE;
    const ney_asymmetry_limit *limit = &a->limit[end != 0];
    const int64_t d = a->mixture->dims;
    const double sign = end == 0 ? -1 : 1, small = end == 0 ? gamma : 1 - gamma;
    double factor;

    if (a->loss == NEY_LOSS_SQUARE) {
        double along = 0; /* a'mu of the class decided for */
        const double e = small * a->mixture->p[1 - far] / a->mixture->p[far];
        for (int64_t i = 0; i < d; i++) {
            along += limit->direction[i] * ney_two_value(a->mixture->side[far].all_mean[i]);
        }
        factor = 2 * e;
        point->b = sign * (1 - e * (2 + 2 * sign * along));
        point->log_slope = -sign * limit->discriminant / (8 * e * e);
    } else if (a->loss == NEY_LOSS_HINGE) {
        factor = 0;
        point->b = sign;
        point->log_slope = (double)NAN;
    } else {
        const double l = log(1 / small);
        factor = 1 / sqrt(2 * l);
        point->b = sign * sqrt(2 * l);
        point->log_slope = -sign * 2 * l * l * limit->discriminant;
    }
    point->gamma = gamma;
    for (int64_t i = 0; i < d; i++) {
        w[i] = factor * limit->direction[i];
    }
}
