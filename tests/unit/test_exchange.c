/* Model files of LIBSVM and LIBLINEAR: what they mean, and what is refused. The programs themselves
 * are asked in tests/cli/export. */
#include "support/cmocka_all.h"
#include "support/counting.h"
#include "support/temp.h"

#include <neyman/experimental.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ney_model *parsed(const char *text)
{
    ney_model *m = NULL;
    ney_error err = {0};
    char *bare = malloc(strlen(text)); /* nothing readable follows the text */
    memcpy(bare, text, strlen(text));
    if (ney_model_parse(&m, NULL, "text", bare, strlen(text), &err) != NEY_OK) {
        fail_msg("line %d: %s\n%s", (int)err.line, err.message, text);
    }
    free(bare);
    return m;
}

/* The scores of three rows of three columns. */
static const float rows_value[] = {1, 2, 3, 0, 0, 0, -1, 0.5F, 4};
static const ney_matrix rows3 = {.rows = 3, .cols = 3, .dense = rows_value};

static void scores_of(const ney_model *m, double score[3])
{
    ney_error err = {0};
    if (ney_model_score(m, NULL, &rows3, score, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
}

static const char rbf[] = "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 3\n"
                          "rho 0.125\nlabel -1 1\nprobA -1.5\nprobB 0.1\nnr_sv 2 1\nSV\n"
                          "1.5 1:1 2:2 3:3 \n0.5 3:4 \n-2 1:0.5 \n";
static const char line[] = "svm_type nu_svc\r\nkernel_type linear\r\nnr_class 2\r\ntotal_sv 2\r\n"
                           "rho -1\r\nlabel 3 7\r\nnr_sv 1 1\r\nSV\r\n2 1:1 3:0.1 \r\n-1 2:4 \r\n";
static const char poly[] = "svm_type c_svc\nkernel_type polynomial\ndegree 3\ngamma 0.5\ncoef0 1\n"
                           "nr_class 2\ntotal_sv 1\nrho 0\nlabel 1 0\nnr_sv 1 0\nSV\n2 1:1 3:1 \n";
static const char sigmoid[] =
    "svm_type c_svc\nkernel_type sigmoid\ngamma 0.5\ncoef0 1\nnr_class 2\n"
    "total_sv 1\nrho 0\nlabel 1 0\nnr_sv 1 0\nSV\n2 1:1 3:1";
static const char linear[] = "solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 2\nlabel 1 -1\n"
                             "nr_feature 2\nbias 2\nw\n0.5 \n-1.5 \n0.25 \n";
static const char unbiased[] = "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 3\nbias -1\n"
                               "w\n0.5 \n-1.5 \n0 \n";

static void test_what_files_mean(void **state)
{
    const struct {
        const char *text, *family, *positive, *negative;
        double score[3];
    } cases[] = {
        {rbf,
         "kernel",
         "-1",
         "1",
         {1.5 + 0.5 * exp(-3) - 2 * exp(-0.5 * 13.25) - 0.125,
          1.5 * exp(-7) + 0.5 * exp(-8) - 2 * exp(-0.125) - 0.125,
          1.5 * exp(-0.5 * 7.25) + 0.5 * exp(-0.5 * 1.25) - 2 * exp(-0.5 * 18.5) - 0.125}},
        {line, "linear", "3", "7", {2 + 0.6 - 8 + 1, 1, -2 + 0.8 - 2 + 1}},
        {poly, "kernel", "1", "0", {2 * 27, 2, 2 * 2.5 * 2.5 * 2.5}},
        {sigmoid, "kernel", "1", "0", {2 * tanh(3), 2 * tanh(1), 2 * tanh(2.5)}},
        {linear, "linear", "1", "-1", {0.5 - 3 + 0.5, 0.5, -0.5 - 0.75 + 0.5}},
        {unbiased, "linear", "1", "-1", {0.5 - 3, 0, -0.5 - 0.75}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ney_model *m = parsed(cases[i].text);
        double score[3], low, high;
        assert_string_equal(ney_model_family(m), cases[i].family);
        assert_string_equal(ney_preprocessing_label(ney_model_preprocessing(m), 1),
                            cases[i].positive);
        assert_string_equal(ney_preprocessing_label(ney_model_preprocessing(m), -1),
                            cases[i].negative);
        ney_model_thresholds(m, &low, &high); /* above zero, not from zero on */
        assert_true(low == high && high == DBL_TRUE_MIN);
        scores_of(m, score);
        for (int k = 0; k < 3; k++) {
            if (!(fabs(score[k] - cases[i].score[k]) < 1e-6)) {
                fail_msg("%s: row %d: %.17g, expected %.17g", cases[i].text, k, score[k],
                         cases[i].score[k]);
            }
        }
        ney_model_free(m);
    }
}

/* Read, write, read: the same scores to the bit, and the same text from then on. */
static void test_round_trip(void **state)
{
    static const char *const texts[] = {rbf, line, poly, sigmoid, linear, unbiased};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        for (int format = NEY_EXCHANGE_LIBSVM; format <= NEY_EXCHANGE_LIBLINEAR; format++) {
            ney_model *m = parsed(texts[i]), *back = NULL;
            ney_error err = {0};
            double before[3], after[3];
            size_t n_a, n_b;
            const char *a = temp_path("a"), *b = temp_path("b");
            const ney_status st = ney_model_export(m, a, (ney_exchange)format, &err);
            if (format == NEY_EXCHANGE_LIBLINEAR && strcmp(ney_model_family(m), "kernel") == 0) {
                assert_int_equal(st, NEY_EINVAL);
                assert_non_null(strstr(err.message, "LIBSVM"));
                ney_model_free(m);
                continue;
            }
            assert_int_equal(st, NEY_OK);
            assert_int_equal(ney_model_read(&back, NULL, a, &err), NEY_OK);
            assert_int_equal(ney_model_export(back, b, (ney_exchange)format, &err), NEY_OK);
            char *p = slurp(a, &n_a), *q = slurp(b, &n_b);
            assert_true(n_a == n_b && memcmp(p, q, n_a) == 0);
            free(p);
            free(q);
            scores_of(m, before);
            scores_of(back, after);
            for (int k = 0; k < 3; k++) { /* the terms of a kernel's sum may have changed places */
                assert_true(fabs(before[k] - after[k]) < 1e-6);
            }
            ney_model_free(m);
            ney_model_free(back);
        }
    }
}

static ney_data *read_csv(const char *text, ney_scaling scaling)
{
    ney_data *d = NULL;
    ney_error err = {0};
    if (ney_data_parse_with(&d, NULL, "text", text, strlen(text), NULL, NULL, &err) != NEY_OK ||
        ney_data_prepare(d, scaling, NULL, 0, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    return d;
}

/* Scaling and threshold go into the weights: numbers as they stand in the file decide alike. */
static void test_scaling_is_folded(void **state)
{
    static const char text[] = "label,a,b\n1,1700000001,2\n-1,1700000003,-1\n1,1700000004,8\n"
                               "-1,1700000009,0\n";
    static const double raw[][2] = {
        {1700000001, 2}, {1700000003, -1}, {1700000004, 8}, {1700000009, 0}};
    const double w[] = {-0.75, 1.25};
    (void)state;
    for (int scaling = NEY_SCALING_NONE; scaling <= NEY_SCALING_MINMAX; scaling++) {
        ney_data *d = read_csv(text, (ney_scaling)scaling);
        ney_model *m = NULL, *back = NULL;
        double score[4], b, shift;
        const double own = scaling == NEY_SCALING_NONE ? 1.275e9 : 0.125;
        assert_int_equal(ney_model_new_linear(&m, NULL, ney_data_preprocessing(d), w, own, NULL),
                         NEY_OK);
        assert_int_equal(ney_model_set_thresholds(m, 0.5, 0.5, NULL), NEY_OK);
        assert_int_equal(ney_model_export(m, temp_path("m"), NEY_EXCHANGE_LIBSVM, NULL), NEY_OK);
        assert_int_equal(ney_model_read(&back, NULL, temp_path("m"), NULL), NEY_OK);
        assert_int_equal(ney_model_score(m, NULL, ney_data_matrix(d), score, NULL), NEY_OK);
        const double *v = ney_model_weights(back, &b);
        shift = scaling == NEY_SCALING_NONE ? 200 : 1e-5; /* features are single precision */
        for (int i = 0; i < 4; i++) {
            assert_true(fabs(v[0] * raw[i][0] + v[1] * raw[i][1] + b - (score[i] - 0.5)) < shift);
        }
        ney_model_free(m);
        ney_model_free(back);
        ney_data_free(d);
    }
}

/* At the threshold itself we say positive and the other program must too. */
static void test_ties(void **state)
{
    static const char text[] = "label,a\n1,1\n-1,2\n";
    ney_data *d = read_csv(text, NEY_SCALING_NONE);
    const double w = 0;
    (void)state;
    for (int k = -1; k <= 1; k++) {
        ney_model *m = NULL, *back = NULL;
        double b;
        assert_int_equal(ney_model_new_linear(&m, NULL, ney_data_preprocessing(d), &w, k, NULL),
                         NEY_OK);
        assert_int_equal(ney_model_set_thresholds(m, k, k, NULL), NEY_OK);
        assert_int_equal(ney_model_export(m, temp_path("t"), NEY_EXCHANGE_LIBLINEAR, NULL), NEY_OK);
        assert_int_equal(ney_model_read(&back, NULL, temp_path("t"), NULL), NEY_OK);
        (void)ney_model_weights(back, &b);
        assert_true(b > 0);
        ney_model_free(m);
        ney_model_free(back);
    }
    ney_data_free(d);
}

static void refuse_export(const ney_model *m, ney_exchange format, const char *says)
{
    ney_error err = {0};
    const char *path = temp_path("none");
    size_t n;
    assert_int_equal(ney_model_export(m, path, format, &err), NEY_EINVAL);
    if (!strstr(err.message, says)) {
        fail_msg("%s, expected '%s'", err.message, says);
    }
    assert_null(slurp(path, &n));
}

static void test_what_cannot_be_said(void **state)
{
    static const double w[] = {1, 2};
    static const float z[] = {1, 2};
    const ney_matrix support = {.rows = 1, .cols = 2, .dense = z};
    const ney_kernel kernel = {NEY_KERNEL_RBF, 1, 0, 0};
    (void)state;
    ney_data *words = read_csv("label,a,b\nspam,1,2\nham,3,1\n", NEY_SCALING_STANDARD);
    ney_data *unit = read_csv("label,a,b\n1,1,2\n0,3,1\n", NEY_SCALING_UNIT);
    ney_data *scaled = read_csv("label,a,b\n1,1,2\n0,3,1\n", NEY_SCALING_STANDARD);
    ney_data *halves = read_csv("label,a,b\n1.5,1,2\n0,3,1\n", NEY_SCALING_NONE);
    ney_model *m = NULL;
    assert_int_equal(ney_model_new_linear(&m, NULL, ney_data_preprocessing(words), w, 0, NULL),
                     NEY_OK);
    refuse_export(m, NEY_EXCHANGE_LIBSVM, "'spam' is not a whole number");
    ney_model_free(m);
    assert_int_equal(ney_model_new_linear(&m, NULL, ney_data_preprocessing(halves), w, 0, NULL),
                     NEY_OK);
    refuse_export(m, NEY_EXCHANGE_LIBLINEAR, "'1.5' is not a whole number");
    ney_model_free(m);
    assert_int_equal(ney_model_new_linear(&m, NULL, ney_data_preprocessing(unit), w, 0, NULL),
                     NEY_OK);
    refuse_export(m, NEY_EXCHANGE_LIBSVM, "unit length");
    ney_model_free(m);
    assert_int_equal(ney_model_new_linear(&m, NULL, ney_data_preprocessing(scaled), w, 0, NULL),
                     NEY_OK);
    assert_int_equal(ney_model_set_thresholds(m, -1, 1, NULL), NEY_OK);
    refuse_export(m, NEY_EXCHANGE_LIBSVM, "rejects");
    refuse_export(m, (ney_exchange)7, "format 7");
    ney_model_free(m);
    assert_int_equal(ney_model_new_kernel(&m, NULL, ney_data_preprocessing(scaled), &kernel,
                                          &support, w, 0, NULL),
                     NEY_OK);
    refuse_export(m, NEY_EXCHANGE_LIBSVM, "--scale none");
    refuse_export(m, NEY_EXCHANGE_LIBLINEAR, "LIBSVM");
    ney_model_free(m);
    ney_data_free(words);
    ney_data_free(unit);
    ney_data_free(scaled);
    ney_data_free(halves);
}

static void test_refuses(void **state)
{
#define HEAD "svm_type c_svc\nkernel_type rbf\ngamma 1\nnr_class 2\n"
#define REST "rho 0\nlabel 1 -1\nnr_sv 1 0\n"
    static const struct {
        const char *text;
        int line;
        const char *says;
    } cases[] = {
        {"svm_type epsilon_svr\n", 1, "two classes"},
        {"svm_type one_class\n", 1, "two classes"},
        {"svm_type tree\n", 1, "tree"},
        {"solver_type L2R_L2LOSS_SVR\n", 1, "two classes"},
        {"solver_type MCSVM_CS\n", 1, "two classes"},
        {"solver_type X\n", 1, "solver"},
        {"svm_type c_svc\nkernel_type precomputed\n", 2, "precomputed"},
        {"svm_type c_svc\nkernel_type odd\n", 2, "odd"},
        {"svm_type c_svc\nnr_class 3\n", 2, "3 classes"},
        {"svm_type c_svc\nlabel 1 1\n", 2, "twice"},
        {"svm_type c_svc\nlabel 1 a\n", 2, "a label"},
        {"svm_type c_svc\nlabel 1 2 3\n", 2, "end of the line"},
        {"svm_type c_svc\nweights 3\n", 2, "weights"},
        {"svm_type c_svc\n", 2, "ends here"},
        {"svm_type c_svc\nSV\n", 2, "lack"},
        {"svm_type c_svc\nkernel_type rbf\nnr_class 2\ntotal_sv 0\n" REST "SV\n", 8, "gamma"},
        {"svm_type c_svc\nkernel_type rbf\ngamma -1\nnr_class 2\ntotal_sv 0\n" REST "SV\n", 9,
         "0 or more"},
        {HEAD "total_sv 1\nrho nan\n", 6, "finite"},
        {HEAD "total_sv 1\n" REST "SV\n", 9, "shorter"},
        {HEAD "total_sv 900000000\n" REST "SV\n1 1:1\n", 9, "shorter"},
        {HEAD "total_sv 2\n" REST "SV\n1 1:1\n", 11, "1 support vectors"},
        {HEAD "total_sv 1\n" REST "SV\n1 1:1\n1 1:1\n", 11, "more than 1"},
        {HEAD "total_sv 1\n" REST "SV\n1 2:1 1:1\n", 10, "ascend"},
        {HEAD "total_sv 1\n" REST "SV\n1 0:1\n", 10, "ascend"},
        {HEAD "total_sv 1\n" REST "SV\n1 3000000000:1\n", 10, "ascend"},
        {HEAD "total_sv 1\n" REST "SV\n1 1:x\n", 10, "'x'"},
        {HEAD "total_sv 1\n" REST "SV\n1 1:\n", 10, "ends here"},
        {HEAD "total_sv 1\n" REST "SV\n1 1:1e39\n", 10, "single precision"},
        {HEAD "total_sv 1\n" REST "SV\n1 17\n", 10, "column:value"},
        {HEAD "total_sv 1\n" REST "SV\ninf 1:1\n", 10, "coefficient"},
        {"solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nbias 1\nw\n1\n", 5, "nr_feature"},
        {"solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 2000000000\nbias 1\nw\n1\n", 6,
         "shorter"},
        {"solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 1\nbias 1\nw\n12345\n", 8,
         "1 weights"},
        {"solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 1\nbias 1\nw\n1\n1\n1\n", 9,
         "more than 2"},
        {"solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 1\nbias 1\nw\n1 2\n1\n", 7,
         "end of the line"},
        {"solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 0\nbias 1e300\nw\n1e300\n", 8,
         "too large"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ney_model *m = NULL;
        ney_error err = {0};
        const ney_status st =
            ney_model_parse(&m, NULL, "text", cases[i].text, strlen(cases[i].text), &err);
        if (st != NEY_EFORMAT || m || err.line != cases[i].line ||
            !strstr(err.message, cases[i].says)) {
            fail_msg("%s: %d, line %d: %s; expected line %d, '%s'", cases[i].text, (int)st,
                     (int)err.line, err.message, cases[i].line, cases[i].says);
        }
    }
}

/* A column number of two thousand millions must not cost as many numbers. */
static void test_large_columns(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        char text[300];
        snprintf(text, sizeof text,
                 "svm_type c_svc\nkernel_type %s\ngamma 1\nnr_class 2\ntotal_sv 1\n" REST
                 "SV\n2 1:1 2147483646:3\n",
                 k ? "rbf" : "linear");
        ney_model *m = parsed(text);
        double score[3];
        assert_int_equal(ney_preprocessing_cols(ney_model_preprocessing(m)), 2147483646);
        scores_of(m, score);
        assert_true(k ? fabs(score[0] - 2 * exp(-9 - 13)) < 1e-6 : score[0] == 2);
        ney_model_free(m);
    }
}

static ney_status use_both(const void *what, const ney_env *env, ney_error *err)
{
    const char *text = what;
    ney_model *m = NULL;
    ney_status st = ney_model_parse(&m, env, "text", text, strlen(text), err);
    assert_true((st == NEY_OK) == (m != NULL));
    if (st == NEY_OK) {
        st = ney_model_export(m, temp_path("use"), NEY_EXCHANGE_LIBSVM, err);
    }
    ney_model_free(m);
    return st;
}

static void test_memory_refused(void **state)
{
    (void)state;
    sweep_memory("rbf", use_both, rbf);
    sweep_memory("linear kernel", use_both, line);
    sweep_memory("liblinear", use_both, linear);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_files_mean),     cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_scaling_is_folded),   cmocka_unit_test(test_ties),
        cmocka_unit_test(test_what_cannot_be_said), cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_large_columns),       cmocka_unit_test(test_memory_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
