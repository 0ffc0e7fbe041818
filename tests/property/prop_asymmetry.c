/* Training against testing asymmetry on random mixtures: what is returned is the optimum, its slope
 * is the slope of the rates, points called consistent are on the envelope, answers are the best
 * there are. The judge integrates the losses themselves over the law of the score, in long double;
 * it shares no formula with src/theory. */
#include "support/cmocka_all.h"
#include "support/random_data.h"

#include <neyman/experimental.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIMS = 4, MOST_COMPONENTS = 3, GRID = 600 };

static const ney_theory_loss losses[3] = {NEY_LOSS_SQUARE, NEY_LOSS_ERF, NEY_LOSS_HINGE};

/* ------------------------------------------------------------------ random mixtures */

typedef struct side {
    int64_t n;
    double weight[MOST_COMPONENTS], mean[MOST_COMPONENTS][MOST_DIMS];
    double cov[MOST_COMPONENTS][MOST_DIMS * MOST_DIMS];
} side;

typedef struct problem {
    int64_t d;
    double p_pos;
    side of[2]; /* negatives, positives */
} problem;

static double normal(rnd *r)
{
    return sqrt(-2 * log(1 - rnd_unit(r))) * cos(6.283185307179586 * rnd_unit(r));
}

static void random_problem(rnd *r, problem *p)
{
    *p = (problem){.d = 1 + rnd_below(r, MOST_DIMS), .p_pos = 0.1 + 0.8 * rnd_unit(r)};
    const double apart = 0.3 + 2 * rnd_unit(r);
    for (int s = 0; s < 2; s++) {
        side *c = &p->of[s];
        double total = 0;
        c->n = 1 + rnd_below(r, MOST_COMPONENTS);
        for (int64_t k = 0; k < c->n; k++) {
            double a[MOST_DIMS][MOST_DIMS];
            total += c->weight[k] = 0.2 + rnd_unit(r);
            for (int64_t i = 0; i < p->d; i++) {
                c->mean[k][i] = 0.7 * normal(r) + (s ? apart : 0);
                for (int64_t j = 0; j < p->d; j++) {
                    a[i][j] = 0.6 * normal(r);
                }
            }
            for (int64_t i = 0; i < p->d; i++) {
                for (int64_t j = 0; j < p->d; j++) {
                    double sum = i == j ? 0.3 : 0;
                    for (int64_t l = 0; l < p->d; l++) {
                        sum += a[i][l] * a[j][l];
                    }
                    c->cov[k][i * p->d + j] = sum;
                }
            }
        }
        for (int64_t k = 0; k < c->n; k++) {
            c->weight[k] /= total;
        }
    }
}

static ney_mixture *mixture_of(const problem *p)
{
    ney_gaussian all[2][MOST_COMPONENTS];
    ney_mixture *mixture;
    ney_error err = {0};

    for (int s = 0; s < 2; s++) {
        for (int64_t k = 0; k < p->of[s].n; k++) {
            all[s][k] = (ney_gaussian){p->of[s].weight[k], p->of[s].mean[k], p->of[s].cov[k]};
        }
    }
    const ney_mixture_parts parts = {.dims = p->d,
                                     .p_pos = p->p_pos,
                                     .positive = all[1],
                                     .n_positive = p->of[1].n,
                                     .negative = all[0],
                                     .n_negative = p->of[0].n};
    if (ney_mixture_new(&mixture, NULL, &parts, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    return mixture;
}

/* ------------------------------------------------------------------ the judge */

static long double cdf(long double x)
{
    return 0.5L * erfcl(-x / sqrtl(2));
}

/* d loss / d z. */
static long double loss_slope(ney_theory_loss loss, long double z)
{
    switch (loss) {
    case NEY_LOSS_SQUARE:
        return z - 1;
    case NEY_LOSS_ERF:
        return -cdf(-z);
    case NEY_LOSS_HINGE:
        break;
    }
    return z < 1 ? -1 : 0;
}

/* E[slope(y f)] and E[slope(y f) (f - M) / V] for f normal, by Simpson's rule over 18 deviations;
 * the hinge's kink is put on the border of two integrals. */
static void moments(ney_theory_loss loss, int y, long double mean, long double sd,
                    long double *zeroth, long double *first)
{
    enum { STEPS = 6000 };
    const long double root_two_pi = 2.50662827463100050241576528481104525L;
    const long double kink = ((long double)y - mean) / sd, end = 18;
    const long double cut = loss == NEY_LOSS_HINGE ? fmaxl(-end, fminl(end, kink)) : 0;
    const long double border[3] = {-end, cut, end};

    *zeroth = *first = 0;
    for (int part = 0; part < 2; part++) {
        const long double h = (border[part + 1] - border[part]) / STEPS;
        const long double inside = mean + sd * (border[part] + border[part + 1]) / 2;
        for (int i = 0; i <= STEPS && h > 0; i++) {
            const long double v = border[part] + h * i, f = mean + sd * v;
            const long double weight = (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2) * h / 3;
            const long double density = expl(-v * v / 2) / root_two_pi;
            const long double slope = loss_slope(loss, y * (loss == NEY_LOSS_HINGE ? inside : f));
            *zeroth += weight * density * slope;
            *first += weight * density * slope * v / sd;
        }
    }
}

/* The largest entry of the gradient of the expected loss, in units of the sizes of its terms. */
static double gradient_of(const problem *p, ney_theory_loss loss, double gamma, const double *w,
                          double b)
{
    const int64_t d = p->d;
    long double grad[MOST_DIMS + 1] = {0}, size[MOST_DIMS + 1] = {0};
    double worst = 0;

    for (int s = 0; s < 2; s++) {
        const int y = s ? 1 : -1;
        const double cost = s ? gamma * p->p_pos : (1 - gamma) * (1 - p->p_pos);
        for (int64_t k = 0; k < p->of[s].n; k++) {
            long double mean = b, var = 0, sw[MOST_DIMS] = {0}, zeroth, first;
            for (int64_t i = 0; i < d; i++) {
                mean += (long double)w[i] * p->of[s].mean[k][i];
                for (int64_t j = 0; j < d; j++) {
                    sw[i] += (long double)p->of[s].cov[k][i * d + j] * w[j];
                }
                var += w[i] * sw[i];
            }
            moments(loss, y, mean, sqrtl(var), &zeroth, &first);
            const long double unit = (long double)cost * p->of[s].weight[k] * y;
            for (int64_t i = 0; i <= d; i++) { /* E[slope y x], x given f is mu + S w (f - M) / V */
                const long double term =
                    unit * (i == d ? zeroth : zeroth * p->of[s].mean[k][i] + first * sw[i]);
                grad[i] += term;
                size[i] += fabsl(term);
            }
        }
    }
    for (int64_t i = 0; i <= d; i++) {
        worst = fmax(worst, (double)(fabsl(grad[i]) / size[i]));
    }
    return worst;
}

/* ------------------------------------------------------------------ the claims */

static ney_asymmetry_point at(ney_asymmetry *study, double gamma, double *w)
{
    ney_asymmetry_point p;
    ney_error err = {0};

    if (ney_asymmetry_at(study, gamma, &p, w, &err) != NEY_OK) {
        fail_msg("gamma = %.17g: %s", gamma, err.message);
    }
    return p;
}

/* Points of the curve, for brute force. */
static void trace(ney_asymmetry *study, ney_asymmetry_point points[GRID])
{
    double w[MOST_DIMS];

    for (int k = 0; k < GRID; k++) {
        points[k] = at(study, (k + 0.5) / GRID, w);
    }
}

static double cost_at(const problem *p, double beta, const ney_asymmetry_point *point)
{
    return beta * p->p_pos * point->fnr + (1 - beta) * (1 - p->p_pos) * point->fpr;
}

static double constant_cost(const problem *p, double beta)
{
    return fmin(beta * p->p_pos, (1 - beta) * (1 - p->p_pos));
}

static void check_optimum(const problem *p, ney_theory_loss loss, ney_asymmetry *study,
                          double gamma, int64_t t)
{
    double w[MOST_DIMS], near[MOST_DIMS];
    const ney_asymmetry_point point = at(study, gamma, w);

    if (loss == NEY_LOSS_HINGE && w[0] == 0) {
        assert_true(point.fpr == point.tpr); /* judged by check_exit_event() */
        return;
    }
    const double worst = gradient_of(p, loss, gamma, w, point.b);
    if (!(worst < 1e-9)) {
        fail_msg("problem %lld, loss %d, gamma %g: gradient %g", (long long)t, (int)loss, gamma,
                 worst);
    }
    const double h = 1e-5 * fmin(gamma, 1 - gamma);
    const ney_asymmetry_point up = at(study, gamma + h, near), down = at(study, gamma - h, near);
    const double du = up.fpr - down.fpr, dv = down.fnr - up.fnr;
    if (fabs(du) > 1e-9 && fabs(dv) > 1e-9) { /* beyond, differences of rates have no digits */
        /* next to where the hinge becomes constant its rates change without bound */
        const double slope = dv / du, slack = loss == NEY_LOSS_HINGE ? 1e-2 : 1e-4;
        if (slope > 0 ? !(fabs(point.log_slope - log(slope)) < slack) : !isnan(point.log_slope)) {
            fail_msg("problem %lld, loss %d, gamma %g: log_slope %g, rates say %g", (long long)t,
                     (int)loss, gamma, point.log_slope, slope > 0 ? log(slope) : (double)NAN);
        }
    }
}

/* The hinge at w = 0: every direction out of it must cost. Tried: a few hundred at random. */
static void check_exit_event(const problem *p, ney_asymmetry *study, rnd *r)
{
    double w[MOST_DIMS], edge = 0;

    for (double gamma = 0.01; gamma < 0.5; gamma += 0.01) {
        edge = at(study, gamma, w).b < 0 && w[0] == 0 ? gamma : edge;
    }
    for (int k = 0; k < 300 && edge > 0; k++) {
        double direction[MOST_DIMS], along = 0;
        long double price = 0;
        for (int64_t i = 0; i < p->d; i++) {
            direction[i] = normal(r) * exp(2 * normal(r));
            for (int64_t j = 0; j < p->of[1].n; j++) {
                along += p->of[1].weight[j] * p->of[1].mean[j][i] * direction[i];
            }
        }
        for (int64_t j = 0; j < p->of[0].n; j++) { /* E-[max(0, 1 + w'(x - mu+))] */
            double mean = 1 - along, var = 0;
            for (int64_t i = 0; i < p->d; i++) {
                mean += direction[i] * p->of[0].mean[j][i];
                for (int64_t l = 0; l < p->d; l++) {
                    var += direction[i] * direction[l] * p->of[0].cov[j][i * p->d + l];
                }
            }
            const long double a = mean / sqrtl(var);
            price += p->of[0].weight[j] *
                     (mean * cdf(a) + sqrtl(var) * expl(-a * a / 2) / 2.506628274631000502L);
        }
        const double ratio = edge * p->p_pos / ((1 - edge) * (1 - p->p_pos));
        assert_true((double)price >= ratio * (1 - 1e-3 - 1e-12));
    }
}

static void check_answer(const problem *p, ney_theory_loss loss, ney_asymmetry *study,
                         const ney_asymmetry_point points[GRID], double beta, int64_t t)
{
    ney_asymmetry_answer answer;
    double least = constant_cost(p, beta);

    assert_int_equal(ney_asymmetry_for(study, beta, &answer, NULL), NEY_OK);
    for (int k = 0; k < GRID; k++) {
        least = fmin(least, cost_at(p, beta, &points[k]));
    }
    if (!(answer.cost <= least * (1 + 1e-9))) {
        fail_msg(
            "problem %lld, loss %d: beta %g answered by gamma %g of cost %.12g; there is %.12g",
            (long long)t, (int)loss, beta, answer.gamma, answer.cost, least);
    }
    assert_true(fabs(answer.cost_constant - constant_cost(p, beta)) < 1e-15);
    assert_true(answer.cost <= answer.cost_same * (1 + 1e-9));
}

/* A point is called consistent just when nothing beats it at its own beta. */
static void check_consistency(const problem *p, const ney_asymmetry_point points[GRID], int64_t t)
{
    for (int k = 5; k < GRID; k += 29) {
        const ney_asymmetry_point *point = &points[k];
        if (isnan(point->beta) || !(point->beta > 1e-9 && point->beta < 1 - 1e-9)) {
            continue;
        }
        const double own = cost_at(p, point->beta, point);
        double least = constant_cost(p, point->beta);
        for (int j = 0; j < GRID; j++) {
            least = fmin(least, cost_at(p, point->beta, &points[j]));
        }
        const double lead = own / least - 1; /* brute force sees the best of GRID points alone */
        if (fabs(own / constant_cost(p, point->beta) - 1) < 1e-6) {
            continue; /* next to a corner: too near to call */
        }
        if (point->consistent ? lead > 1e-6 : lead < 1e-9) {
            fail_msg("problem %lld, gamma %g: consistent %d, but the best costs %.12g, it %.12g",
                     (long long)t, point->gamma, point->consistent, least, own);
        }
    }
}

static void prop_random_mixtures(void **state)
{
    static ney_asymmetry_point points[GRID];
    static const double gammas[] = {1e-5, 0.01, 0.1, 0.3, 0.5, 0.8, 0.97, 0.9999};
    const int64_t runs = test_times(12);
    int64_t inconsistent = 0;

    (void)state;
    for (int64_t t = 0; t < runs; t++) {
        rnd r = rnd_new((uint64_t)t);
        problem p;
        random_problem(&r, &p);
        ney_mixture *mixture = mixture_of(&p);
        for (int l = 0; l < 3; l++) {
            ney_asymmetry *study;
            assert_int_equal(ney_asymmetry_new(&study, NULL, mixture, losses[l], NULL), NEY_OK);
            for (size_t k = 0; k < sizeof gammas / sizeof *gammas; k++) {
                check_optimum(&p, losses[l], study, gammas[k], t);
            }
            trace(study, points);
            check_answer(&p, losses[l], study, points, 0.03 + 0.94 * rnd_unit(&r), t);
            check_answer(&p, losses[l], study, points, 0.5, t);
            check_consistency(&p, points, t);
            for (int k = 0; k < GRID; k++) {
                inconsistent += !points[k].consistent;
            }
            if (losses[l] == NEY_LOSS_HINGE) {
                check_exit_event(&p, study, &r);
            }
            ney_asymmetry_free(study);
        }
        ney_mixture_free(mixture);
    }
    print_message("%lld problems, %lld of %lld points not on the envelope\n", (long long)runs,
                  (long long)inconsistent, (long long)(3 * runs * GRID));
    assert_true(inconsistent > 0);
}

/* Bimodal classes whose curve has a hollow in its middle, above the diagonal: there other
 * classifiers are better, while no constant decision is. */
static void prop_hollow_in_the_middle(void **state)
{
    static ney_asymmetry_point points[GRID];
    static const problem p = {
        .d = 2,
        .p_pos = 0.5,
        .of = {{2, {0.7, 0.3}, {{0, 0}, {3, 2.5}}, {{1.5, 0, 0, 0.5}, {0.4, 0, 0, 0.5}}},
               {2, {0.7, 0.3}, {{0, 3}, {3, -1.2}}, {{0.5, 0, 0, 0.4}, {1.2, 0, 0, 0.3}}}}};
    ney_mixture *mixture = mixture_of(&p);

    (void)state;
    for (int l = 0; l < 3; l++) {
        ney_asymmetry *study;
        double pairs[32], w[2];
        int64_t n_pairs;
        assert_int_equal(ney_asymmetry_new(&study, NULL, mixture, losses[l], NULL), NEY_OK);
        trace(study, points);
        check_consistency(&p, points, -1);
        assert_int_equal(ney_asymmetry_ranges(study, pairs, &n_pairs, NULL), NEY_OK);
        assert_int_equal(n_pairs, 2);
        const double middle = 0.5 * (pairs[1] + pairs[2]);
        const ney_asymmetry_point hollow = at(study, middle, w);
        assert_true(!hollow.consistent && hollow.tpr > hollow.fpr + 0.2);
        for (int k = 0; k < 4; k++) { /* consistency changes where the ranges end */
            if (pairs[k] > 0 && pairs[k] < 1) {
                const double step = 1e-6 * (k % 2 ? -1 : 1);
                assert_true(at(study, pairs[k] + step, w).consistent);
                assert_true(!at(study, pairs[k] - step, w).consistent);
            }
        }
        ney_asymmetry_free(study);
    }
    ney_mixture_free(mixture);
}

/* The classes exchanged: gamma becomes 1 - gamma, w and b change sign, the ends change places. */
static void prop_classes_exchanged(void **state)
{
    const int64_t runs = test_times(20);

    (void)state;
    for (int64_t t = 0; t < runs; t++) {
        rnd r = rnd_new(1000 + (uint64_t)t);
        problem p, q;
        random_problem(&r, &p);
        p.p_pos = 0.25; /* so that 1 - p_pos is exact, as are the gammas below */
        q = (problem){.d = p.d, .p_pos = 0.75, .of = {p.of[1], p.of[0]}};
        ney_mixture *one = mixture_of(&p), *two = mixture_of(&q);
        for (int l = 0; l < 3; l++) {
            ney_asymmetry *a, *b;
            double w[MOST_DIMS], v[MOST_DIMS];
            assert_int_equal(ney_asymmetry_new(&a, NULL, one, losses[l], NULL), NEY_OK);
            assert_int_equal(ney_asymmetry_new(&b, NULL, two, losses[l], NULL), NEY_OK);
            for (int k = 1; k < 16; k++) {
                const ney_asymmetry_point x = at(a, k / 16.0, w), y = at(b, 1 - k / 16.0, v);
                if (!(fabs(x.b + y.b) <= 1e-9 * (1 + fabs(x.b)))) {
                    fail_msg("problem %lld, loss %d, gamma %g: b = %g and %g", (long long)t, l,
                             x.gamma, x.b, y.b);
                }
                for (int64_t i = 0; i < p.d; i++) {
                    assert_true(fabs(w[i] + v[i]) <= 1e-9 * (1 + fabs(w[i])));
                }
                assert_true(isnan(x.log_slope) == isnan(y.log_slope));
                assert_true(isnan(x.log_slope) ||
                            fabs(x.log_slope + y.log_slope) < 1e-7 * (1 + fabs(x.log_slope)));
            }
            for (int end = 0; end < 2; end++) {
                const ney_asymmetry_limit *x = ney_asymmetry_limit_at(a, end),
                                          *y = ney_asymmetry_limit_at(b, 1 - end);
                assert_int_equal(x->regime, y->regime);
                assert_true(isnan(x->discriminant) ||
                            fabs(x->discriminant / y->discriminant - 1) < 1e-9);
            }
            ney_asymmetry_free(a);
            ney_asymmetry_free(b);
        }
        ney_mixture_free(one);
        ney_mixture_free(two);
    }
}

/* The regime is what the far end of the curve shows. */
static void prop_regime_is_what_happens(void **state)
{
    const int64_t runs = test_times(40);
    int64_t seen[3] = {0, 0, 0};

    (void)state;
    for (int64_t t = 0; t < runs; t++) {
        rnd r = rnd_new(2000 + (uint64_t)t);
        problem p;
        random_problem(&r, &p);
        ney_mixture *mixture = mixture_of(&p);
        for (int l = 0; l < 2; l++) {
            const double far = l ? 1e-200 : 1e-9;
            ney_asymmetry *study;
            double w[MOST_DIMS];
            assert_int_equal(ney_asymmetry_new(&study, NULL, mixture, losses[l], NULL), NEY_OK);
            const ney_asymmetry_limit *limit = ney_asymmetry_limit_at(study, 0);
            const double slope = at(study, far, w).log_slope;
            seen[limit->regime]++;
            if (fabs(limit->discriminant) > 0.02) {
                assert_true((limit->regime == NEY_REGIME_TRAIN_LESS_EXTREME) == (slope > 0));
                assert_true((limit->regime == NEY_REGIME_INCONSISTENT) == (slope < 0));
            }
            ney_asymmetry_free(study);
        }
        ney_mixture_free(mixture);
    }
    assert_true(seen[NEY_REGIME_INCONSISTENT] > 0 && seen[NEY_REGIME_TRAIN_LESS_EXTREME] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_random_mixtures),
        cmocka_unit_test(prop_hollow_in_the_middle),
        cmocka_unit_test(prop_classes_exchanged),
        cmocka_unit_test(prop_regime_is_what_happens),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
