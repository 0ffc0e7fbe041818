/* Training against testing asymmetry, judged by tests/reference/asymmetry.txt: values of 40 digits
 * that an independent program computed (tests/reference/asymmetry.py). */
#include "support/asymmetry_cases.h"
#include "support/cmocka_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ against the references */

/* |found - wanted| in units of wanted. */
static double relative(double found, double wanted)
{
    return wanted == 0 ? fabs(found) : fabs(found / wanted - 1);
}

typedef struct worst {
    double w, b, log_slope, log_rate;
} worst;

static void judge(const asymmetry_case *c, const asymmetry_at *at, ney_asymmetry *study,
                  worst *most)
{
    ney_asymmetry_point p;
    ney_error err;
    double w[8];

    assert_int_equal(ney_asymmetry_at(study, at->gamma, &p, w, &err), NEY_OK);
    for (int64_t i = 0; i < c->dims; i++) {
        const double error = relative(w[i], at->w[i]);
        most->w = fmax(most->w, error);
        if (!(error <= 1e-9)) {
            fail_msg("%s, gamma = %.17g: w[%d] = %.17g, expected %.17g", c->name, at->gamma, (int)i,
                     w[i], at->w[i]);
        }
    }
    most->b = fmax(most->b, relative(p.b, at->b));
    if (!(relative(p.b, at->b) <= 1e-9)) {
        fail_msg("%s, gamma = %.17g: b = %.17g, expected %.17g", c->name, at->gamma, p.b, at->b);
    }
    if (isnan(at->log_slope) != isnan(p.log_slope)) {
        fail_msg("%s, gamma = %.17g: log_slope = %g, expected %g", c->name, at->gamma, p.log_slope,
                 at->log_slope);
    }
    const double slope_error = isnan(at->log_slope) ? 0 : relative(p.log_slope, at->log_slope);
    most->log_slope = fmax(most->log_slope, slope_error);
    if (!(slope_error <= 1e-6)) {
        fail_msg("%s, gamma = %.17g: log_slope = %.17g, expected %.17g", c->name, at->gamma,
                 p.log_slope, at->log_slope);
    }
    /* A logarithm near 0 is of a rate near 1: an absolute error is a relative one of the rate. */
    const double rate_error = fmax(fabs(p.log_fpr - at->log_fpr) / (1 + fabs(at->log_fpr)),
                                   fabs(p.log_tpr - at->log_tpr) / (1 + fabs(at->log_tpr)));
    most->log_rate = fmax(most->log_rate, rate_error);
    if (!(rate_error <= 1e-9)) {
        fail_msg("%s, gamma = %.17g: log rates %.17g %.17g, expected %.17g %.17g", c->name,
                 at->gamma, p.log_fpr, p.log_tpr, at->log_fpr, at->log_tpr);
    }
}

static void test_references(void **state)
{
    asymmetry_cases all = asymmetry_cases_read();

    (void)state;
    assert_true(all.n >= 16);
    for (int i = 0; i < all.n; i++) {
        const asymmetry_case *c = &all.cases[i];
        ney_mixture *mixture = asymmetry_mixture(c);
        ney_asymmetry *study;
        ney_error err;
        worst most = {0, 0, 0, 0};
        assert_int_equal(ney_asymmetry_new(&study, NULL, mixture, c->loss, &err), NEY_OK);
        for (int k = 0; k < c->n_at; k++) {
            judge(c, &c->at[k], study, &most);
        }
        print_message("%-22s %-6s worst relative errors: w %.1e, b %.1e, log_slope %.1e, log rates "
                      "%.1e\n",
                      c->name, c->loss == NEY_LOSS_SQUARE ? "square" : "erf", most.w, most.b,
                      most.log_slope, most.log_rate);
        ney_asymmetry_free(study);
        ney_mixture_free(mixture);
    }
    asymmetry_cases_free(&all);
}

/* ------------------------------------------------------------------ the propositions */

/* N((1, 0.5), ...) against N((-0.5, 0.2), ...), not centred: the misprints would show. */
static const double mean_pos[] = {1, 0.5}, cov_pos[] = {1, 0.3, 0.3, 2};
static const double mean_neg[] = {-0.5, 0.2}, cov_neg[] = {1.5, -0.4, -0.4, 0.7};

/* S-^-1 m by Cramer's rule. */
static void negative_direction(double a[2])
{
    const double m0 = mean_pos[0] - mean_neg[0], m1 = mean_pos[1] - mean_neg[1];
    const double det = cov_neg[0] * cov_neg[3] - cov_neg[1] * cov_neg[2];

    a[0] = (cov_neg[3] * m0 - cov_neg[1] * m1) / det;
    a[1] = (cov_neg[0] * m1 - cov_neg[2] * m0) / det;
}

static double quadratic(const double *cov, const double a[2])
{
    return a[0] * a[0] * cov[0] + 2 * a[0] * a[1] * cov[1] + a[1] * a[1] * cov[3];
}

static ney_asymmetry *study_of(const ney_mixture *mixture, ney_theory_loss loss)
{
    ney_asymmetry *study;
    ney_error err = {0};

    if (ney_asymmetry_new(&study, NULL, mixture, loss, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    return study;
}

static ney_asymmetry_point at(ney_asymmetry *study, double gamma, double *w)
{
    ney_asymmetry_point p;
    ney_error err = {0};

    if (ney_asymmetry_at(study, gamma, &p, w, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    return p;
}

/* w = 2 (p+/p-) gamma S-^-1 m and b = -1 + (p+/p-) gamma (2 - 2 mu-'S-^-1 m); the paper prints
 * 2 - 2 mu-'m. */
static void test_proposition_1(void **state)
{
    ney_mixture *mixture = two_gaussians(2, 0.4, mean_pos, cov_pos, mean_neg, cov_neg);
    ney_asymmetry *study = study_of(mixture, NEY_LOSS_SQUARE);
    const double odds = 0.4 / 0.6;
    double a[2], w[2], expanded[2];
    ney_asymmetry_point by_terms;

    (void)state;
    negative_direction(a);
    const double right = 2 - 2 * (mean_neg[0] * a[0] + mean_neg[1] * a[1]);
    const double printed = 2 - 2 * (mean_neg[0] * (mean_pos[0] - mean_neg[0]) +
                                    mean_neg[1] * (mean_pos[1] - mean_neg[1]));
    for (double gamma = 1e-4; gamma > 1e-7; gamma /= 10) {
        const ney_asymmetry_point p = at(study, gamma, w);
        const double term = (p.b + 1) / (odds * gamma);
        assert_true(relative(w[0], 2 * odds * gamma * a[0]) < 20 * gamma);
        assert_true(relative(w[1], 2 * odds * gamma * a[1]) < 20 * gamma);
        assert_true(fabs(term - right) < 40 * gamma); /* an error of order gamma, as promised */
        assert_true(fabs(term - printed) > 0.1);      /* and not the misprint's */
        ney_asymmetry_expand(study, 0, gamma, &by_terms, expanded);
        assert_true(relative(expanded[0], 2 * odds * gamma * a[0]) < 1e-12);
        assert_true(fabs((by_terms.b + 1) / (odds * gamma) - right) < 1e-6);
    }
    ney_asymmetry_free(study);
    ney_mixture_free(mixture);
}

/* w b tends to -a and b to -sqrt(2 log(1/gamma)), slowly. */
static void test_proposition_2(void **state)
{
    ney_mixture *mixture = two_gaussians(2, 0.4, mean_pos, cov_pos, mean_neg, cov_neg);
    ney_asymmetry *study = study_of(mixture, NEY_LOSS_ERF);
    double a[2], w[2], before = 1;

    (void)state;
    negative_direction(a);
    for (double gamma = 1e-20; gamma > 1e-300; gamma *= 1e-40) {
        const ney_asymmetry_point p = at(study, gamma, w);
        const double off = fmax(relative(-p.b * w[0], a[0]), relative(-p.b * w[1], a[1]));
        assert_true(relative(p.b, -sqrt(2 * log(1 / gamma))) < 3 / log(1 / gamma));
        assert_true(off < before && off < 10 / log(1 / gamma));
        before = off;
    }
    ney_asymmetry_free(study);
    ney_mixture_free(mixture);
}

/* log_slope (2 gamma p+/p-)^2 * 2 tends to the discriminant. */
static void test_proposition_3(void **state)
{
    ney_mixture *mixture = two_gaussians(2, 0.4, mean_pos, cov_pos, mean_neg, cov_neg);
    ney_asymmetry *study = study_of(mixture, NEY_LOSS_SQUARE);
    const double odds = 0.4 / 0.6;
    double a[2], w[2];
    ney_asymmetry_point by_terms;

    (void)state;
    negative_direction(a);
    const double wanted = 1 / quadratic(cov_neg, a) - 1 / quadratic(cov_pos, a);
    assert_true(relative(ney_asymmetry_limit_at(study, 0)->discriminant, wanted) < 1e-12);
    for (double gamma = 1e-4; gamma > 1e-11; gamma /= 10) {
        const double e = odds * gamma;
        assert_true(relative(at(study, gamma, w).log_slope * 8 * e * e, wanted) <
                    60 * gamma + 1e-9);
    }
    ney_asymmetry_expand(study, 0, 1e-5, &by_terms, w);
    assert_true(relative(by_terms.log_slope, wanted / (8 * odds * odds * 1e-10)) < 1e-9);
    ney_asymmetry_free(study);
    ney_mixture_free(mixture);
}

/* N(1, 4) against N(-1, 1), log(1/gamma) = 75, 281 and 690: the exact value over 2 log^2(1/gamma)
 * times the discriminant rises to 1 (0.940 and 0.979 at the first two). The factor that the paper
 * prints, 2 log(1/gamma), is off by more and more. */
static void test_proposition_4(void **state)
{
    static const double plus[] = {1}, minus[] = {-1}, four[] = {4}, one[] = {1};
    static const struct {
        double l, ratio;
    } cases[] = {{75, 0.940}, {281, 0.979}, {690, 0.990}};
    ney_mixture *mixture = two_gaussians(1, 0.5, plus, four, minus, one);
    ney_asymmetry *study = study_of(mixture, NEY_LOSS_ERF);
    const double discriminant = 1 / 4.0 - 1 / 16.0; /* a = 2: 1 / a^2 - 1 / (4 a^2) */
    double w[1];
    ney_asymmetry_point by_terms;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const double l = cases[i].l, slope = at(study, exp(-l), w).log_slope;
        const double ratio = slope / (2 * l * l * discriminant);
        if (fabs(ratio - cases[i].ratio) > 6e-4) {
            fail_msg("log(1/gamma) = %g: ratio %.4f, expected %.3f", l, ratio, cases[i].ratio);
        }
        assert_true(slope / (2 * l * discriminant) > 0.9 * l);
        ney_asymmetry_expand(study, 0, exp(-l), &by_terms, w);
        assert_true(relative(by_terms.log_slope, 2 * l * l * discriminant) < 1e-12);
    }
    ney_asymmetry_free(study);
    ney_mixture_free(mixture);
}

/* The tail belongs to the widest component along a. Here the widest of the positives is wider than
 * the widest of the negatives, and its narrowest narrower than theirs: the maximum says that slopes
 * grow without bound, the minimum of appendix B that they vanish. The curve decides, for both
 * losses. */
static void test_the_widest_component_decides(void **state)
{
    static const double mean[4] = {1, 1.2, -1, -1.2}, cov[4] = {3, 0.2, 1, 0.8};
    const ney_gaussian all[4] = {{0.5, mean, cov},
                                 {0.5, mean + 1, cov + 1},
                                 {0.5, mean + 2, cov + 2},
                                 {0.5, mean + 3, cov + 3}};
    const ney_mixture_parts parts = {.dims = 1,
                                     .p_pos = 0.5,
                                     .positive = all,
                                     .n_positive = 2,
                                     .negative = all + 2,
                                     .n_negative = 2};
    ney_mixture *mixture;
    double w[1];

    (void)state;
    assert_int_equal(ney_mixture_new(&mixture, NULL, &parts, NULL), NEY_OK);
    for (int k = 0; k < 2; k++) {
        const ney_theory_loss loss = k ? NEY_LOSS_ERF : NEY_LOSS_SQUARE;
        ney_asymmetry *study = study_of(mixture, loss);
        const ney_asymmetry_limit *limit = ney_asymmetry_limit_at(study, 0);
        const double a = limit->direction[0], gamma = k ? 1e-100 : 1e-8;
        const double widest = 1 / (a * a * 1) - 1 / (a * a * 3);
        const double narrowest = 1 / (a * a * 0.8) - 1 / (a * a * 0.2);
        assert_true(narrowest < 0 && limit->discriminant > 0);
        assert_true(relative(limit->discriminant, widest) < 1e-12);
        assert_int_equal(limit->component_pos, 0);
        assert_int_equal(limit->component_neg, 0);
        assert_int_equal(limit->regime, NEY_REGIME_TRAIN_LESS_EXTREME);
        assert_true(at(study, gamma, w).log_slope > 100);
        ney_asymmetry_free(study);
    }
    ney_mixture_free(mixture);
}

/* Equations (10) and (11) of the paper's appendix, which its convex problem on the simplex stands
 * for, and that problem itself: no move between two components lowers H. */
static double simplex_objective(const asymmetry_case *c, const double *xi)
{
    double s = 0, mu = 0, h = 0; /* one dimension */
    double near = 0;

    for (int64_t k = 0; k < c->n_pos; k++) {
        near += c->weight[k] * c->mean[k][0];
    }
    for (int64_t k = 0; k < c->n_neg; k++) {
        s += xi[k] * c->cov[c->n_pos + k][0];
        mu += xi[k] * (c->mean[c->n_pos + k][0] - near);
    }
    const double theta = mu / s;
    for (int64_t k = 0; k < c->n_neg; k++) {
        const double m = c->mean[c->n_pos + k][0] - near, v = c->cov[c->n_pos + k][0];
        h += xi[k] *
             (log(xi[k]) - log(c->weight[c->n_pos + k]) + theta * m - 0.5 * theta * theta * v);
    }
    return h;
}

static void test_tail_weights(void **state)
{
    const asymmetry_case c = {.dims = 1,
                              .n_pos = 1,
                              .n_neg = 3,
                              .p_pos = 0.5,
                              .weight = {1, 0.5, 0.3, 0.2},
                              .mean = {{1}, {-1}, {0.2}, {-3}},
                              .cov = {{1}, {1}, {0.5}, {2}}};
    ney_mixture *mixture = asymmetry_mixture(&c);
    ney_asymmetry *study = study_of(mixture, NEY_LOSS_ERF);
    const ney_asymmetry_limit *limit = ney_asymmetry_limit_at(study, 0);
    const double least = simplex_objective(&c, limit->weight);
    double total = 0, w[1];

    (void)state;
    assert_int_equal(limit->n_weights, 3);
    for (int i = 0; i < 3; i++) {
        total += limit->weight[i];
        assert_true(limit->weight[i] > 0);
        for (int j = 0; j < 3; j++) {
            double moved[3] = {limit->weight[0], limit->weight[1], limit->weight[2]};
            moved[i] -= 1e-3;
            moved[j] += 1e-3;
            assert_true(i == j || simplex_objective(&c, moved) > least);
        }
    }
    assert_true(fabs(total - 1) < 1e-12);
    /* and the exact solutions do tend to that direction */
    const ney_asymmetry_point p = at(study, 1e-290, w);
    assert_true(relative(-p.b * w[0], limit->direction[0]) < 0.01);
    ney_asymmetry_free(study);
    ney_mixture_free(mixture);
}

/* ------------------------------------------------------------------ degenerate input */

static void test_refused_mixtures(void **state)
{
    static const double zero[2] = {0, 0}, one[2] = {1, 1}, bad_mean[2] = {0, NAN};
    static const double unit[4] = {1, 0, 0, 1}, flat[4] = {1, 1, 1, 1}, none[4] = {1, 0, 0, 0};
    static const double negative[4] = {1, 2, 2, 1}, skew[4] = {1, 0.5, 0.2, 1};
    static const double tiny[4] = {1e-30, 0, 0, 1e30}; /* units are not what makes it singular */
    static const struct {
        ney_gaussian pos, neg;
        double p_pos;
        const char *why;
    } cases[] = {
        {{1, one, flat}, {1, zero, unit}, 0.5, "positive component 1 is singular"},
        {{1, one, unit}, {1, zero, flat}, 0.5, "negative component 1 is singular"},
        {{1, one, none}, {1, zero, unit}, 0.5, "variance of column 2 is 0"},
        {{1, one, negative}, {1, zero, unit}, 0.5, "not positive definite"},
        {{1, one, skew}, {1, zero, unit}, 0.5, "not symmetric"},
        {{0, one, unit}, {1, zero, unit}, 0.5, "weight of positive component 1 is 0"},
        {{1, one, unit}, {-1, zero, unit}, 0.5, "weight of negative component 1 is -1"},
        {{1, bad_mean, unit}, {1, zero, unit}, 0.5, "not finite"},
        {{1, one, unit}, {1, zero, unit}, 0, "share of the positive class is 0"},
        {{1, one, unit}, {1, zero, unit}, 1, "share of the positive class is 1"},
        {{1, one, unit}, {1, zero, unit}, NAN, "share of the positive class"},
    };
    ney_mixture *mixture;
    ney_error err;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        err = (ney_error){0};
        const ney_mixture_parts parts = {.dims = 2,
                                         .p_pos = cases[i].p_pos,
                                         .positive = &cases[i].pos,
                                         .n_positive = 1,
                                         .negative = &cases[i].neg,
                                         .n_negative = 1};
        assert_int_equal(ney_mixture_new(&mixture, NULL, &parts, &err), NEY_EINVAL);
        assert_null(mixture);
        if (!strstr(err.message, cases[i].why)) {
            fail_msg("'%s', expected '%s'", err.message, cases[i].why);
        }
    }
    mixture = two_gaussians(2, 0.5, one, tiny, zero, unit);
    ney_mixture_free(mixture);
    const ney_mixture_parts good = {.dims = 2,
                                    .p_pos = 0.5,
                                    .positive = &cases[0].neg,
                                    .n_positive = 1,
                                    .negative = &cases[0].neg,
                                    .n_negative = 1};
    ney_mixture_parts no_dims = good, no_positives = good;
    no_dims.dims = 0;
    no_positives.n_positive = 0;
    assert_int_equal(ney_mixture_new(&mixture, NULL, &no_dims, &err), NEY_EINVAL);
    assert_int_equal(ney_mixture_new(&mixture, NULL, &no_positives, &err), NEY_EINVAL);
}

/* Weights are shares, whatever they sum to. */
static void test_weights_are_shares(void **state)
{
    ney_gaussian pos = {1, mean_pos, cov_pos};
    ney_gaussian neg[2] = {{0.25, mean_neg, cov_neg}, {0.75, mean_pos, cov_neg}};
    const ney_mixture_parts parts = {.dims = 2,
                                     .p_pos = 0.4,
                                     .positive = &pos,
                                     .n_positive = 1,
                                     .negative = neg,
                                     .n_negative = 2};
    ney_mixture *one, *two;
    double w[2], v[2];

    (void)state;
    assert_int_equal(ney_mixture_new(&one, NULL, &parts, NULL), NEY_OK);
    pos.weight = 3;
    neg[0].weight = 2;
    neg[1].weight = 6;
    assert_int_equal(ney_mixture_new(&two, NULL, &parts, NULL), NEY_OK);
    ney_asymmetry *a = study_of(one, NEY_LOSS_ERF), *b = study_of(two, NEY_LOSS_ERF);
    const ney_asymmetry_point p = at(a, 0.3, w), q = at(b, 0.3, v);
    assert_true(w[0] == v[0] && w[1] == v[1] && p.b == q.b && p.fpr == q.fpr && p.tpr == q.tpr);
    ney_asymmetry_free(a);
    ney_asymmetry_free(b);
    ney_mixture_free(one);
    ney_mixture_free(two);
}

/* ------------------------------------------------------------------ from data */

enum { ROWS = 90 };

/* What ney_asymmetry_sample_with() counts is what a model trained by hand on that half does to the
 * other. */
static void test_sample_is_training_on_halves(void **state)
{
    static const double gamma[2] = {0.2, 0.7}, share[2] = {1, 1};
    static float x[ROWS][2];
    static int8_t y[ROWS];
    const ney_matrix m = {.rows = ROWS, .cols = 2, .dense = x[0]};
    double fpr[4], tpr[4], score[ROWS];
    int part[ROWS];
    int64_t n_params;
    const ney_param *params = ney_train_params(&n_params);
    ney_train_opts o;
    ney_data *data, *half;

    (void)state;
    for (int i = 0; i < ROWS; i++) {
        y[i] = i % 3 == 0 ? 1 : -1;
        x[i][0] = (float)(sin(5.3 * i) + 0.5 * y[i]);
        x[i][1] = (float)cos(3.1 * i);
    }
    ney_params_init(params, n_params, &o);
    o.seed = 4;
    assert_int_equal(ney_data_new(&data, NULL, &m, y, NULL, NULL), NEY_OK);
    const ney_asymmetry_grid grid = {.gamma = gamma, .n_gammas = 2, .n_splits = 2};
    assert_int_equal(
        ney_asymmetry_sample_with(NULL, data, &o, NEY_SCALING_NONE, &grid, fpr, tpr, NULL), NEY_OK);
    o.seed = 1; /* training draws nothing */
    for (int at_split = 0; at_split < 2; at_split++) {
        int64_t rows[ROWS], n = 0;
        assert_int_equal(ney_data_split(data, share, 2, 4 + (uint64_t)at_split, part, NULL),
                         NEY_OK);
        for (int i = 0; i < ROWS; i++) {
            if (part[i] == 0) {
                rows[n++] = i;
            }
        }
        assert_int_equal(ney_data_take(&half, data, rows, n, NULL), NEY_OK);
        for (int k = 0; k < 2; k++) {
            double hits[2] = {0, 0}, of[2] = {0, 0};
            ney_model *model;
            o.cost_fn = 2 * gamma[k];
            o.cost_fp = 2 - 2 * gamma[k];
            assert_int_equal(ney_train(&model, NULL, half, &o, NULL, NULL), NEY_OK);
            assert_int_equal(ney_model_score(model, NULL, &m, score, NULL), NEY_OK);
            for (int i = 0; i < ROWS; i++) {
                if (part[i] == 1) {
                    of[y[i] > 0]++;
                    hits[y[i] > 0] += score[i] >= 0;
                }
            }
            assert_true(fpr[2 * at_split + k] == hits[0] / of[0]);
            assert_true(tpr[2 * at_split + k] == hits[1] / of[1]);
            ney_model_free(model);
        }
        ney_data_free(half);
    }
    o.cost_fn = o.cost_fp = 1;
    const double ends[2] = {0, 1}, bad = 1.1; /* at the ends: constant decisions */
    const ney_asymmetry_grid at_ends = {.gamma = ends, .n_gammas = 2, .n_splits = 1},
                             beyond = {.gamma = &bad, .n_gammas = 1, .n_splits = 1},
                             no_splits = {.gamma = gamma, .n_gammas = 1};
    assert_int_equal(
        ney_asymmetry_sample_with(NULL, data, &o, NEY_SCALING_NONE, &at_ends, fpr, tpr, NULL),
        NEY_OK);
    assert_true(fpr[0] == 0 && tpr[0] == 0 && fpr[1] == 1 && tpr[1] == 1);
    assert_int_equal(
        ney_asymmetry_sample_with(NULL, data, &o, NEY_SCALING_NONE, &beyond, fpr, tpr, NULL),
        NEY_EINVAL);
    assert_int_equal(
        ney_asymmetry_sample_with(NULL, data, &o, NEY_SCALING_NONE, &no_splits, fpr, tpr, NULL),
        NEY_EINVAL);
    ney_data_free(data);
}

static void test_gamma_at_its_ends(void **state)
{
    ney_mixture *mixture = two_gaussians(2, 0.4, mean_pos, cov_pos, mean_neg, cov_neg);
    static const double refused[] = {-0.1, 1.1, NAN, 1e-16, 1 - 1e-16, INFINITY};
    static const ney_theory_loss losses[] = {NEY_LOSS_SQUARE, NEY_LOSS_ERF, NEY_LOSS_HINGE};
    static const double b_end[] = {1, INFINITY, 1};

    (void)state;
    for (int k = 0; k < 3; k++) {
        ney_asymmetry *study = study_of(mixture, losses[k]);
        for (int end = 0; end < 2; end++) {
            double w[2] = {9, 9};
            const ney_asymmetry_point p = at(study, end, w);
            const ney_regime regime = ney_asymmetry_limit_at(study, end)->regime;
            const bool milder = regime == NEY_REGIME_TRAIN_LESS_EXTREME;
            assert_true(w[0] == 0 && w[1] == 0 && p.b == (end ? b_end[k] : -b_end[k]));
            assert_true(p.fpr == end && p.tpr == end && p.fnr == 1 - end && p.consistent);
            assert_true(p.beta == (milder ? end : 1 - end));
        }
        for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
            ney_asymmetry_point p;
            double w[2];
            ney_error err = {0};
            const bool fine = k > 0 && refused[i] > 0 && refused[i] < 0.1;
            const ney_status st = ney_asymmetry_at(study, refused[i], &p, w, &err);
            assert_int_equal(st, fine || refused[i] == 1 ? NEY_OK : NEY_EINVAL);
        }
        ney_asymmetry_free(study);
    }
    ney_mixture_free(mixture);
}

/* One mean for both classes: nothing to learn, for any loss and gamma, and it is said. */
static void test_means_that_coincide(void **state)
{
    static const double mean[] = {3, -7};
    static const ney_theory_loss losses[] = {NEY_LOSS_SQUARE, NEY_LOSS_ERF, NEY_LOSS_HINGE};
    ney_mixture *mixture = two_gaussians(2, 0.4, mean, cov_pos, mean, cov_neg);

    (void)state;
    for (int k = 0; k < 3; k++) {
        ney_asymmetry *study = study_of(mixture, losses[k]);
        ney_asymmetry_answer answer;
        double w[2], pairs[32];
        int64_t n_pairs;
        assert_true(ney_asymmetry_is_constant(study));
        const ney_asymmetry_point p = at(study, 0.3, w), q = at(study, 0.9, w);
        assert_true(w[0] == 0 && w[1] == 0 && isnan(p.log_slope) && isnan(p.beta));
        assert_true(p.fpr == 0 && p.tpr == 0 && q.fpr == 1 && q.tpr == 1 && !p.consistent);
        assert_int_equal(ney_asymmetry_ranges(study, pairs, &n_pairs, NULL), NEY_OK);
        assert_int_equal(n_pairs, 0);
        assert_int_equal(ney_asymmetry_for(study, 0.1, &answer, NULL), NEY_OK);
        assert_true(answer.gamma == 0 && answer.cost == answer.cost_constant);
        assert_int_equal(ney_asymmetry_limit_at(study, 0)->regime, NEY_REGIME_UNDECIDED);
        ney_asymmetry_free(study);
    }
    ney_mixture_free(mixture);
}

/* The undecided case of the paper. For the square loss slopes grow all the same, as exp(1/gamma)
 * rather than its square: every point is consistent. */
static void test_equal_covariances(void **state)
{
    ney_mixture *mixture = two_gaussians(2, 0.4, mean_pos, cov_pos, mean_neg, cov_pos);

    (void)state;
    for (int k = 0; k < 2; k++) {
        ney_asymmetry *study = study_of(mixture, k ? NEY_LOSS_ERF : NEY_LOSS_SQUARE);
        double w[2], pairs[32];
        int64_t n_pairs;
        for (int end = 0; end < 2; end++) {
            const ney_asymmetry_limit *limit = ney_asymmetry_limit_at(study, end);
            assert_int_equal(limit->regime, NEY_REGIME_UNDECIDED);
            assert_true(limit->discriminant == 0);
        }
        assert_true(at(study, 1e-6, w).log_slope > at(study, 1e-4, w).log_slope);
        assert_int_equal(ney_asymmetry_ranges(study, pairs, &n_pairs, NULL), NEY_OK);
        assert_true(n_pairs == 1 && pairs[0] == 0 && pairs[1] == 1);
        ney_asymmetry_free(study);
    }
    ney_mixture_free(mixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_proposition_1),
        cmocka_unit_test(test_proposition_2),
        cmocka_unit_test(test_proposition_3),
        cmocka_unit_test(test_proposition_4),
        cmocka_unit_test(test_the_widest_component_decides),
        cmocka_unit_test(test_tail_weights),
        cmocka_unit_test(test_refused_mixtures),
        cmocka_unit_test(test_weights_are_shares),
        cmocka_unit_test(test_sample_is_training_on_halves),
        cmocka_unit_test(test_gamma_at_its_ends),
        cmocka_unit_test(test_means_that_coincide),
        cmocka_unit_test(test_equal_covariances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
