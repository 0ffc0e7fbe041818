/* On real rows, with all their duplicates and contradictions: the objective at random points of a
 * path is the one that a fresh and tight training run encloses, and no breakpoint is violated. */
#include "support/random_data.h"
#include "support/share.h"
#include "support/temp.h"

#include <neyman/experimental.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *file;
    int64_t rows;
    int kernel;
    double gamma;
    ney_cost_pair from, to;
} cases[] = {
    {"pima.train.svm.gz", 300, NEY_KERNEL_LINEAR, 0, {0, 0}, {2, 2}},
    {"pima.train.svm.gz", 300, NEY_KERNEL_RBF, 0.5, {0, 0}, {10, 30}},
    {"breast.train.svm.gz", 512, NEY_KERNEL_RBF, 0.1, {0, 0}, {10, 10}}, /* a third duplicates */
    {"breast.train.svm.gz", 512, NEY_KERNEL_LINEAR, 0, {2, 0}, {0, 2}},
    {"ionosphere.train.svm.gz", 263, NEY_KERNEL_RBF, 0.05, {0, 4}, {4, 0}},
    {"liver.train.svm.gz", 259, NEY_KERNEL_POLY, 0.2, {0, 0}, {5, 3}},
    {"adult.train.svm.gz", 400, NEY_KERNEL_LINEAR, 0, {0, 0}, {1, 0.3}},
    {"w8a.train.svm.gz", 400, NEY_KERNEL_RBF, 0.05, {0, 0}, {10, 1}}, /* 3 positives in 100 */
};

static ney_data *first_rows(const char *file, int64_t n)
{
    int64_t rows[1024];
    ney_data *all = NULL, *some = NULL;
    const char *path = shared_file(file);
    if (!path) {
        return NULL;
    }
    assert_int_equal(ney_data_read_with(&all, NULL, path, NULL, NULL, NULL), NEY_OK);
    const int64_t there = ney_data_matrix(all)->rows;
    n = n < there ? n : there;
    for (int64_t i = 0; i < n; i++) {
        rows[i] = i;
    }
    assert_int_equal(ney_data_take(&some, all, rows, n, NULL), NEY_OK);
    ney_data_free(all);
    return some;
}

static double objective_of(const ney_model *m)
{
    const char *key, *words;
    double value;
    for (int64_t k = 0; ney_model_metadata(m, NEY_METADATA_SUMMARY, k, &key, &value, &words); k++) {
        if (strcmp(key, "objective") == 0) {
            return value;
        }
    }
    return NAN;
}

static void check_case(size_t at, rnd *r)
{
    ney_data *d = first_rows(cases[at].file, cases[at].rows);
    ney_train_opts o;
    ney_path *p = NULL;
    int64_t n;
    if (!d) {
        print_message("%s is not here\n", cases[at].file);
        return;
    }
    const ney_param *params = ney_train_params(&n);
    ney_params_init(params, n, &o);
    o.kernel = (ney_kernel_kind)cases[at].kernel;
    o.gamma = cases[at].gamma;
    if (o.kernel == NEY_KERNEL_POLY) { /* others do not read them, and say so */
        o.coef0 = 1;
        o.degree = 2;
    }
    assert_int_equal(ney_path_new_with(&p, NULL, d, &o, NULL), NEY_OK);
    assert_int_equal(ney_path_follow(p, cases[at].from, cases[at].to, NULL, NULL), NEY_OK);
    const ney_path_point *point = ney_path_points(p, 0, &n);
    for (int64_t k = 0; k < n; k++) {
        if (!(point[k].kkt_residual < 1e-9)) {
            fail_msg("%s: residual %g at breakpoint %d", cases[at].file, point[k].kkt_residual,
                     (int)k);
        }
    }
    const ney_cost_pair a = cases[at].from, b = cases[at].to;
    for (int64_t k = 0; k < test_share(50); k++) {
        const double t = 0.001 + 0.998 * rnd_unit(r);
        const ney_cost_pair c = {a.plus + t * (b.plus - a.plus), a.minus + t * (b.minus - a.minus)};
        ney_model *m = NULL, *fresh = NULL;
        ney_train_info info;
        o.C = 1;
        o.cost_fn = c.plus;
        o.cost_fp = c.minus;
        o.tol = 1e-10;
        o.max_iter = 1000000;
        assert_int_equal(ney_path_model(&m, p, c, NULL), NEY_OK);
        assert_int_equal(ney_train(&fresh, NULL, d, &o, &info, NULL), NEY_OK);
        const double found = objective_of(m), size = fabs(info.objective);
        if (!(found >= info.dual_objective - 1e-8 * size && found <= info.objective + 1e-8 * size &&
              info.gap < 1e-6 * size)) {
            fail_msg("%s at C+ %g, C- %g: objective %.12g, training has [%.12g, %.12g]",
                     cases[at].file, c.plus, c.minus, found, info.dual_objective, info.objective);
        }
        ney_model_free(m);
        ney_model_free(fresh);
    }
    ney_path_free(p);
    ney_data_free(d);
}

static void prop_objective_of_training(void **state)
{
    rnd r = rnd_new(9);
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        check_case(k, &r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_objective_of_training),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
