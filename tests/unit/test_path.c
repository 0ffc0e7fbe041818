/* Paths worked out by hand in doc/math/path.md, the classifiers they give, and their files. */
#include "support/counting.h"
#include "support/temp.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static ney_data *make(const float *x, const int8_t *y, const float *weight, int64_t rows,
                      int64_t cols)
{
    const ney_matrix m = {.rows = rows, .cols = cols, .dense = x};
    ney_data *d = NULL;
    assert_int_equal(ney_data_new(&d, NULL, &m, y, weight, NULL), NEY_OK);
    return d;
}

static ney_train_opts options(int kernel)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_params_init(p, n, &o);
    o.kernel = (ney_kernel_kind)kernel;
    o.gamma = kernel == NEY_KERNEL_LINEAR ? 0 : 0.5;
    return o;
}

static ney_path *followed(const ney_data *d, int kernel, ney_cost_pair from, ney_cost_pair to)
{
    const ney_train_opts o = options(kernel);
    ney_path *p = NULL;
    ney_error err = {0};
    assert_int_equal(ney_path_new_with(&p, NULL, d, &o, &err), NEY_OK);
    if (ney_path_follow(p, from, to, NULL, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    return p;
}

static void assert_near(double found, double expected)
{
    if (!(fabs(found - expected) <= 1e-12 * (1 + fabs(expected)))) {
        fail_msg("found %.17g, expected %.17g", found, expected);
    }
}

/* x = 1 against x = -1: all is left until C = 1/2, then w = 1 for ever. */
static void test_two_points(void **state)
{
    (void)state;
    const float x[] = {1, -1};
    const int8_t y[] = {1, -1};
    ney_data *d = make(x, y, NULL, 2, 1);
    ney_path *p = followed(d, NEY_KERNEL_LINEAR, (ney_cost_pair){0, 0}, (ney_cost_pair){2, 2});
    int64_t n;
    const ney_path_point *k = ney_path_points(p, 0, &n);
    assert_int_equal(n, 3);
    assert_near(k[0].c.plus, 0);
    assert_near(k[1].c.plus, 0.5);
    assert_near(k[1].c.minus, 0.5);
    assert_near(k[1].objective, 0.5);
    assert_near(k[1].intercept, 0);
    assert_int_equal(k[1].margin, 2);
    assert_near(k[2].objective, 0.5);
    for (int i = 0; i <= 20; i++) {
        const double c = 0.1 * i, b = c < 0.5 ? 1 - 2 * c : 0;
        ney_model *m = NULL;
        double found;
        assert_int_equal(ney_path_model(&m, p, (ney_cost_pair){c, c}, NULL), NEY_OK);
        assert_near(ney_model_weights(m, &found)[0], c < 0.5 ? 2 * c : 1);
        assert_near(found, b); /* at the upper end of its interval while it is free */
        ney_model_free(m);
    }
    ney_path_free(p);
    ney_data_free(d);
}

/* One positive, two negatives at the same place: on C+ = C- their variables share what the positive
 * one has, and only their sum is determined. Rows that contradict each other change nothing. */
static void test_duplicates_and_contradictions(void **state)
{
    (void)state;
    const float x[] = {1, -1, -1, 0.25F, 0.25F};
    const int8_t y[] = {1, -1, -1, 1, -1};
    ney_data *d = make(x, y, NULL, 5, 1), *few = make(x, y, NULL, 3, 1);
    ney_path *p = followed(few, NEY_KERNEL_LINEAR, (ney_cost_pair){0, 0}, (ney_cost_pair){3, 3});
    ney_model *m = NULL;
    double b;
    assert_int_equal(ney_path_model(&m, p, (ney_cost_pair){0.1, 0.1}, NULL), NEY_OK);
    assert_near(ney_model_weights(m, &b)[0], 0.2);
    assert_near(b, -0.8); /* the negatives are on the margin */
    ney_model_free(m);
    assert_int_equal(ney_path_model(&m, p, (ney_cost_pair){3, 3}, NULL), NEY_OK);
    assert_near(ney_model_weights(m, &b)[0], 1);
    assert_near(b, 0);
    ney_model_free(m);
    ney_path_free(p);
    p = followed(d, NEY_KERNEL_RBF, (ney_cost_pair){0, 0}, (ney_cost_pair){100, 7});
    int64_t n;
    const ney_path_point *k = ney_path_points(p, 0, &n);
    for (int64_t i = 0; i < n; i++) {
        assert_true(k[i].kkt_residual < 1e-12);
        assert_int_equal(k[i].margin + k[i].left + k[i].right, 5);
    }
    ney_path_free(p);
    ney_data_free(d);
    ney_data_free(few);
}

static void random_rows(float *x, int8_t *y, int n)
{
    for (int i = 0; i < n; i++) {
        y[i] = i % 3 == 0 ? 1 : -1;
        x[2 * (size_t)i] = (float)(sin(5.3 * i) + 0.7 * y[i]);
        x[2 * (size_t)i + 1] = i % 7 == 0 ? 0 : (float)cos(3.1 * i);
    }
}

enum { ROWS = 40 };

static ney_data *some_data(void)
{
    static float x[2 * ROWS];
    static int8_t y[ROWS];
    random_rows(x, y, ROWS);
    return make(x, y, NULL, ROWS, 2);
}

/* The classifier at a point is the one that training gives there. */
static void test_same_as_training(void **state)
{
    (void)state;
    ney_data *d = some_data();
    const ney_cost_pair from = {0.02, 3}, to = {2, 0.1};
    for (int kernel = NEY_KERNEL_LINEAR; kernel <= NEY_KERNEL_POLY; kernel++) {
        ney_path *p = followed(d, kernel, from, to);
        for (int k = 0; k <= 10; k++) {
            const double t = k / 10.0;
            const ney_cost_pair c = {from.plus + t * (to.plus - from.plus),
                                     from.minus + t * (to.minus - from.minus)};
            ney_train_opts o = options(kernel);
            ney_train_info info;
            ney_model *m = NULL, *fresh = NULL;
            double score[ROWS], other[ROWS];
            o.C = 1;
            o.cost_fn = c.plus;
            o.cost_fp = c.minus;
            o.tol = 1e-9;
            assert_int_equal(ney_path_model(&m, p, c, NULL), NEY_OK);
            assert_int_equal(ney_train(&fresh, NULL, d, &o, &info, NULL), NEY_OK);
            assert_int_equal(ney_model_score(m, NULL, ney_data_matrix(d), score, NULL), NEY_OK);
            assert_int_equal(ney_model_score(fresh, NULL, ney_data_matrix(d), other, NULL), NEY_OK);
            for (int i = 0; i < ROWS; i++) {
                if (fabs(score[i] - other[i]) > 1e-4) {
                    fail_msg("kernel %d, C+ %g, C- %g, row %d: %g and %g", kernel, c.plus, c.minus,
                             i, score[i], other[i]);
                }
            }
            ney_model_free(m);
            ney_model_free(fresh);
        }
        ney_path_free(p);
    }
    ney_data_free(d);
}

/* Lines from points of others, from nowhere, from corners; a second line from (0, 0). */
static void test_many_lines(void **state)
{
    (void)state;
    ney_data *d = some_data();
    ney_path *p = followed(d, NEY_KERNEL_RBF, (ney_cost_pair){0, 0}, (ney_cost_pair){10, 5});
    const ney_cost_pair ends[][2] = {{{4, 2}, {6, 0}}, {{4, 2}, {0, 6}}, {{0, 0}, {3, 3}},
                                     {{1, 9}, {9, 1}}, {{0, 6}, {4, 2}}, {{3, 3}, {3, 3}}};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        int64_t line = -1, n;
        ney_error err;
        if (ney_path_follow(p, ends[k][0], ends[k][1], &line, &err) != NEY_OK) {
            fail_msg("line %d: %s", (int)k, err.message);
        }
        assert_int_equal(line, k + 1);
        const ney_path_point *point = ney_path_points(p, line, &n);
        assert_near(point[0].c.plus, ends[k][0].plus);
        assert_near(point[n - 1].c.minus, ends[k][1].minus);
        for (int64_t i = 0; i < n; i++) {
            assert_true(point[i].kkt_residual < 1e-9);
        }
    }
    assert_int_equal(ney_path_lines(p), 7);
    ney_path_free(p);
    ney_data_free(d);
}

static void test_refused(void **state)
{
    (void)state;
    ney_data *d = some_data();
    ney_train_opts o = options(NEY_KERNEL_SIGMOID);
    ney_path *p = (ney_path *)(uintptr_t)1;
    ney_model *m = (ney_model *)(uintptr_t)1;
    ney_error err = {0};
    assert_int_equal(ney_path_new_with(&p, NULL, d, &o, &err), NEY_EINVAL);
    assert_null(p);
    assert_non_null(strstr(err.message, "semidefinite"));
    p = followed(d, NEY_KERNEL_LINEAR, (ney_cost_pair){0, 0}, (ney_cost_pair){1, 1});
    assert_int_equal(ney_path_model(&m, p, (ney_cost_pair){0.5, 0.6}, &err), NEY_EINVAL);
    assert_null(m);
    assert_int_equal(ney_path_model(&m, p, (ney_cost_pair){1.1, 1.1}, &err), NEY_EINVAL);
    assert_int_equal(ney_path_follow(p, (ney_cost_pair){1, 1}, (ney_cost_pair){-1, 1}, NULL, &err),
                     NEY_EINVAL);
    assert_int_equal(ney_path_follow(p, (ney_cost_pair){1, 1}, (ney_cost_pair){NAN, 1}, NULL, &err),
                     NEY_EINVAL);
    assert_int_equal(ney_path_lines(p), 1);
    assert_int_equal(ney_path_cheapest(p, 1, 1), -1);
    ney_path_free(p);
    ney_data_free(d);
}

static void test_choices(void **state)
{
    (void)state;
    ney_data *d = some_data();
    ney_path *p = followed(d, NEY_KERNEL_LINEAR, (ney_cost_pair){0, 0}, (ney_cost_pair){1, 1});
    const ney_choice c[] = {{{1, 1}, INFINITY, 0, 0},
                            {{1, 1}, 0.5, 0.1, 0.6},
                            {{1, 1}, 0, 0.3, 0.9},
                            {{1, 1}, -INFINITY, 1, 1}};
    assert_int_equal(ney_path_set_choices(p, c, 4, 0.5, NULL), NEY_OK);
    assert_int_equal(ney_path_cheapest(p, 1, 1), 2);
    assert_int_equal(ney_path_cheapest(p, 1, 2), 1);
    assert_int_equal(ney_path_cheapest(p, 1, 100), 0);
    assert_int_equal(ney_path_cheapest(p, 100, 1), 3);
    assert_int_equal(ney_path_within(p, 0.29), 1);
    assert_int_equal(ney_path_within(p, 0.3), 2);
    assert_int_equal(ney_path_within(p, 0), 0);
    ney_path_free(p);
    ney_data_free(d);
}

static char *text_of(const ney_model *m, size_t *n)
{
    char *text;
    assert_int_equal(ney_model_format(m, &text, n, NULL), NEY_OK);
    return text;
}

/* What is read back gives the same bytes, models included; what is damaged is refused. */
static void test_files(void **state)
{
    (void)state;
    ney_data *d = some_data();
    ney_path *p = followed(d, NEY_KERNEL_RBF, (ney_cost_pair){0, 0}, (ney_cost_pair){2, 1}),
             *back = NULL;
    const ney_choice c[] = {{{1, 0.5}, 0.1, 0.25, 0.75}, {{1, 0.5}, -INFINITY, 1, 1}};
    ney_model *a = NULL, *b = NULL;
    ney_error err = {0};
    assert_int_equal(ney_path_set_choices(p, c, 2, 0.4, NULL), NEY_OK);
    assert_int_equal(ney_path_write(p, temp_path("a.path"), NULL), NEY_OK);
    if (ney_path_read(&back, NULL, temp_path("a.path"), &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    assert_int_equal(ney_path_write(back, temp_path("b.path"), NULL), NEY_OK);
    size_t n_a, n_b;
    char *first = slurp(temp_path("a.path"), &n_a), *second = slurp(temp_path("b.path"), &n_b);
    assert_int_equal(n_a, n_b);
    assert_memory_equal(first, second, n_a);
    assert_int_equal(ney_path_model(&a, p, (ney_cost_pair){1, 0.5}, NULL), NEY_OK);
    assert_int_equal(ney_path_model(&b, back, (ney_cost_pair){1, 0.5}, NULL), NEY_OK);
    size_t t_a, t_b;
    char *text_a = text_of(a, &t_a), *text_b = text_of(b, &t_b);
    assert_int_equal(t_a, t_b);
    assert_memory_equal(text_a, text_b, t_a);
    ney_model_text_free(a, text_a);
    ney_model_text_free(b, text_b);
    ney_path_free(back);
    for (size_t at = 0; at < n_a; at += 97) { /* any byte may be wrong, and any may be the last */
        const char was = first[at];
        first[at] = (char)(was ^ 4);
        temp_file("bad.path", first, n_a);
        first[at] = was;
        assert_int_not_equal(ney_path_read(&back, NULL, temp_path("bad.path"), &err), NEY_OK);
        temp_file("bad.path", first, at);
        assert_int_not_equal(ney_path_read(&back, NULL, temp_path("bad.path"), &err), NEY_OK);
        assert_null(back);
    }
    free(first);
    free(second);
    ney_model_free(a);
    ney_model_free(b);
    ney_path_free(p);
    ney_data_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_points),
        cmocka_unit_test(test_duplicates_and_contradictions),
        cmocka_unit_test(test_same_as_training),
        cmocka_unit_test(test_many_lines),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
