/* Mixtures fitted to rows that were drawn from known ones, and to awkward rows. */
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "theory/em.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 3000, DIMS = 2 };

static double normal(rnd *r)
{
    return sqrt(-2 * log(1 - rnd_unit(r))) * cos(6.283185307179586 * rnd_unit(r));
}

/* Positives: 0.3 N((0, 0), I) + 0.7 N((6, 1), diag(1, 4)). Negatives: N((1, -2), [[2, 1], [1, 1]]).
 */
static void draw_row(rnd *r, int sign, float *x)
{
    const double u = normal(r), v = normal(r);

    if (sign < 0) { /* the Cholesky factor of the covariance */
        x[0] = (float)(1 + sqrt(2) * u);
        x[1] = (float)(-2 + u / sqrt(2) + v / sqrt(2));
    } else if (rnd_chance(r, 0.3)) {
        x[0] = (float)u;
        x[1] = (float)v;
    } else {
        x[0] = (float)(6 + u);
        x[1] = (float)(1 + 2 * v);
    }
}

static ney_data *draw_data(const float *weight)
{
    float *x = malloc(sizeof *x * ROWS * DIMS);
    static int8_t y[ROWS];
    rnd r = rnd_new(5);
    ney_data *data;

    assert_non_null(x);
    for (int i = 0; i < ROWS; i++) {
        y[i] = i % 3 == 0 ? -1 : 1;
        draw_row(&r, y[i], x + (size_t)i * DIMS);
    }
    const ney_matrix m = {.rows = ROWS, .cols = DIMS, .dense = x};
    assert_int_equal(ney_data_new(&data, NULL, &m, y, weight, NULL), NEY_OK);
    free(x);
    return data;
}

static ney_mixture_opts defaults(void)
{
    ney_mixture_opts o;
    int64_t n;
    const ney_param *params = ney_mixture_params(&n);

    ney_params_init(params, n, &o);
    return o;
}

static void assert_near(double found, double wanted, double slack)
{
    if (!(fabs(found - wanted) <= slack)) {
        fail_msg("%g, expected %g within %g", found, wanted, slack);
    }
}

/* The BIC finds two components and one, and EM what they are. */
static void test_known_mixture(void **state)
{
    ney_data *data = draw_data(NULL);
    ney_mixture *mixture;
    int64_t n_pos, n_neg;
    ney_error err = {0};

    (void)state;
    assert_int_equal(ney_mixture_fit_with(&mixture, NULL, data, NULL, &err), NEY_OK);
    const ney_gaussian *pos = ney_mixture_class_of(mixture, 1, &n_pos);
    const ney_gaussian *neg = ney_mixture_class_of(mixture, -1, &n_neg);
    assert_int_equal(n_pos, 2);
    assert_int_equal(n_neg, 1);
    assert_true(ney_mixture_dims(mixture) == 2);
    assert_near(ney_mixture_p_pos(mixture), 2.0 / 3, 1e-12);
    const ney_gaussian *small = pos[0].weight < 0.5 ? &pos[0] : &pos[1];
    const ney_gaussian *large = pos[0].weight < 0.5 ? &pos[1] : &pos[0];
    assert_near(small->weight, 0.3, 0.05);
    assert_near(large->weight, 0.7, 0.05);
    assert_near(small->mean[0], 0, 0.15);
    assert_near(large->mean[0], 6, 0.15);
    assert_near(large->mean[1], 1, 0.2);
    assert_near(large->cov[3], 4, 0.5);
    assert_near(small->cov[0], 1, 0.2);
    assert_near(neg->cov[1], 1, 0.2);
    assert_near(neg->cov[0], 2, 0.3);
    assert_true(neg->cov[1] == neg->cov[2]);
    ney_mixture_free(mixture);
    ney_data_free(data);
}

/* One component: mean and covariance themselves, the ridge on top. */
static void test_one_component_is_the_moments(void **state)
{
    static const float x[] = {0, 0, 2, 0, 0, 2, 2, 2, 5, 5, 7, 9};
    static const int8_t y[] = {1, 1, 1, 1, -1, -1};
    const ney_matrix m = {.rows = 6, .cols = 2, .dense = x};
    ney_mixture_opts o = defaults();
    ney_mixture *mixture;
    ney_data *data;
    int64_t n;

    (void)state;
    o.components = 1;
    o.ridge = 1e-9;
    assert_int_equal(ney_data_new(&data, NULL, &m, y, NULL, NULL), NEY_OK);
    assert_int_equal(ney_mixture_fit_with(&mixture, NULL, data, &o, NULL), NEY_OK);
    const ney_gaussian *pos = ney_mixture_class_of(mixture, 1, &n);
    assert_true(n == 1 && pos->weight == 1);
    assert_near(pos->mean[0], 1, 1e-12);
    assert_near(pos->cov[0], 1, 1e-6);
    assert_near(pos->cov[1], 0, 1e-6);
    const ney_gaussian *neg = ney_mixture_class_of(mixture, -1, &n);
    assert_near(neg->mean[1], 7, 1e-12);
    assert_near(neg->cov[3], 4, 1e-6); /* two rows on a line: the ridge keeps it regular */
    ney_mixture_free(mixture);
    ney_data_free(data);
}

/* A weight of two counts as the row twice. */
static void test_weights_count(void **state)
{
    static const float once[] = {0, 1, 4, 6, -1, -3}, twice[] = {0, 0, 1, 4, 6, 6, -1, -3};
    static const int8_t y[] = {1, 1, 1, 1, -1, -1}, yy[] = {1, 1, 1, 1, 1, 1, -1, -1};
    static const float weight[] = {2, 1, 1, 2, 1, 1};
    const ney_matrix m = {.rows = 6, .cols = 1, .dense = once},
                     mm = {.rows = 8, .cols = 1, .dense = twice};
    ney_mixture *a, *b;
    ney_data *d, *dd;
    int64_t n;

    (void)state;
    assert_int_equal(ney_data_new(&d, NULL, &m, y, weight, NULL), NEY_OK);
    assert_int_equal(ney_data_new(&dd, NULL, &mm, yy, NULL, NULL), NEY_OK);
    ney_mixture_opts o = defaults();
    o.components = 1;
    assert_int_equal(ney_mixture_fit_with(&a, NULL, d, &o, NULL), NEY_OK);
    assert_int_equal(ney_mixture_fit_with(&b, NULL, dd, &o, NULL), NEY_OK);
    const ney_gaussian *p = ney_mixture_class_of(a, 1, &n), *q = ney_mixture_class_of(b, 1, &n);
    assert_near(p->mean[0], q->mean[0], 1e-12);
    assert_near(p->cov[0], q->cov[0], 1e-12);
    assert_near(ney_mixture_p_pos(a), ney_mixture_p_pos(b), 1e-12);
    ney_mixture_free(a);
    ney_mixture_free(b);
    ney_data_free(d);
    ney_data_free(dd);
}

/* Repeated rows, a column that never varies, one row of a class: an answer all the same. */
static void test_awkward_rows(void **state)
{
    static const float x[] = {1, 3, 1, 3, 1, 3, 2, 3, 2, 3, 9, 3};
    static const int8_t y[] = {1, 1, 1, 1, 1, -1};
    const ney_matrix m = {.rows = 6, .cols = 2, .dense = x};
    ney_mixture *mixture;
    ney_data *data;
    ney_asymmetry *study;
    ney_asymmetry_point p;
    double w[2];
    ney_error err = {0};

    (void)state;
    assert_int_equal(ney_data_new(&data, NULL, &m, y, NULL, NULL), NEY_OK);
    assert_int_equal(ney_mixture_fit_with(&mixture, NULL, data, NULL, &err), NEY_OK);
    assert_int_equal(ney_asymmetry_new(&study, NULL, mixture, NEY_LOSS_SQUARE, &err), NEY_OK);
    assert_int_equal(ney_asymmetry_at(study, 0.5, &p, w, &err), NEY_OK);
    assert_true(w[0] < 0 && fabs(w[1]) < 1e-12); /* the constant column has no say */
    ney_asymmetry_free(study);
    ney_mixture_free(mixture);
    ney_mixture_opts o = defaults();
    o.components = 4;
    assert_int_equal(ney_mixture_fit_with(&mixture, NULL, data, &o, &err), NEY_EINVAL);
    assert_null(mixture);
    assert_non_null(strstr(err.message, "too few for 4 components"));
    ney_data_free(data);
}

/* The log likelihood that EM reports is that of its mixture, and no step lowers it. */
static void test_likelihood_rises(void **state)
{
    double x[200], count[200], floor_of = 1e-3, last = -INFINITY;
    rnd r = rnd_new(9);
    const ney_env env = ney_env_default();

    (void)state;
    for (int i = 0; i < 200; i++) {
        x[i] = normal(&r) + (i % 2 ? 3 : 0);
        count[i] = 1;
    }
    const ney_em_rows rows = {
        .n = 200, .d = 1, .x = x, .count = count, .total = 200, .floor = &floor_of};
    for (int64_t k = 1; k <= 2; k++) {
        ney_em_fit fit;
        double sum = 0;
        assert_int_equal(ney_em_init(&fit, &env, &rows, k, 1, NULL), NEY_OK);
        assert_true(fit.valid);
        for (int i = 0; i < 200; i++) {
            double density = 0;
            for (int64_t j = 0; j < k; j++) {
                const double gap = x[i] - fit.mean[j];
                density += fit.weight[j] * exp(-0.5 * gap * gap / fit.cov[j]) /
                           sqrt(6.283185307179586 * fit.cov[j]);
            }
            sum += log(density);
        }
        assert_near(fit.log_likelihood, sum, 1e-8 * fabs(sum));
        assert_near(fit.bic, -2 * sum + (double)(3 * k - 1) * log(200), 1e-6);
        assert_true(fit.log_likelihood > last);
        last = fit.log_likelihood;
        ney_em_deinit(&fit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_mixture),
        cmocka_unit_test(test_one_component_is_the_moments),
        cmocka_unit_test(test_weights_count),
        cmocka_unit_test(test_awkward_rows),
        cmocka_unit_test(test_likelihood_rises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
