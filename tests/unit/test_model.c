/* The model as an object: weights, thresholds, metadata, scores. */
#include <neyman/experimental.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A data set of one row is enough to have preprocessing of so many columns. */
static ney_model *linear_model(int64_t cols, const double *weight, double intercept)
{
    static const float zero[64];
    const int8_t label = 1;
    const ney_matrix x = {.rows = 1, .cols = cols, .dense = zero};
    ney_data *d = NULL;
    ney_model *m = NULL;
    assert_true(cols <= 64);
    assert_int_equal(ney_data_new(&d, NULL, &x, &label, NULL, NULL), NEY_OK);
    assert_int_equal(
        ney_model_new_linear(&m, NULL, ney_data_preprocessing(d), weight, intercept, NULL), NEY_OK);
    ney_data_free(d); /* the preprocessing was copied */
    return m;
}

static void test_weights_are_kept(void **state)
{
    const double w[] = {1.5, -2, 0.1};
    double b = 0;
    (void)state;
    ney_model *m = linear_model(3, w, 0.25);
    assert_memory_equal(ney_model_weights(m, &b), w, sizeof w);
    assert_true(b == 0.25);
    assert_string_equal(ney_model_family(m), "linear");
    assert_int_equal(ney_preprocessing_cols(ney_model_preprocessing(m)), 3);
    ney_model_free(m);
    ney_model_free(NULL);
}

static void test_numbers_that_are_none_are_refused(void **state)
{
    const double bad[] = {NAN, INFINITY, -INFINITY};
    const double fine[] = {1, 2};
    (void)state;
    ney_model *m = linear_model(2, fine, 0);
    for (size_t i = 0; i < 3; i++) {
        const double w[] = {1, bad[i]};
        ney_model *out = m;
        ney_error err = {0};
        assert_int_equal(ney_model_new_linear(&out, NULL, ney_model_preprocessing(m), w, 0, &err),
                         NEY_EINVAL);
        assert_null(out);
        assert_non_null(strstr(err.message, "weight 2"));
        assert_int_equal(
            ney_model_new_linear(&out, NULL, ney_model_preprocessing(m), fine, bad[i], &err),
            NEY_EINVAL);
        assert_null(out);
        assert_non_null(strstr(err.message, "intercept"));
    }
    ney_model_free(m);
}

static void test_thresholds(void **state)
{
    const double w[] = {1};
    double low = 1, high = 1;
    (void)state;
    ney_model *m = linear_model(1, w, 0);
    ney_model_thresholds(m, &low, &high);
    assert_true(low == 0 && high == 0);
    assert_int_equal(ney_model_set_thresholds(m, -INFINITY, 0.5, NULL), NEY_OK);
    assert_int_equal(ney_model_set_thresholds(m, 0.5, 0.25, NULL), NEY_EINVAL);
    assert_int_equal(ney_model_set_thresholds(m, NAN, 1, NULL), NEY_EINVAL);
    assert_int_equal(ney_model_set_thresholds(m, 1, NAN, NULL), NEY_EINVAL);
    ney_model_thresholds(m, &low, &high); /* a refused pair changes nothing */
    assert_true(isinf(low) && low < 0 && high == 0.5);
    ney_model_free(m);
}

static void test_metadata_keeps_its_order(void **state)
{
    const double w[] = {1};
    const char *key = NULL, *text = NULL;
    double value = 0;
    (void)state;
    ney_model *m = linear_model(1, w, 0);
    assert_int_equal(ney_model_set_number(m, NEY_METADATA_SUMMARY, "gap", 0.5, NULL), NEY_OK);
    assert_int_equal(ney_model_set_text(m, NEY_METADATA_SUMMARY, "goal", "max fpr", NULL), NEY_OK);
    assert_int_equal(ney_model_set_number(m, NEY_METADATA_CERTIFICATE, "n_1", 7, NULL), NEY_OK);
    assert_int_equal(ney_model_set_text(m, NEY_METADATA_SUMMARY, "gap", "none", NULL), NEY_OK);
    assert_int_equal(ney_model_set_number(m, NEY_METADATA_SUMMARY, "goal", 3, NULL), NEY_OK);

    assert_true(ney_model_metadata(m, NEY_METADATA_SUMMARY, 0, &key, &value, &text));
    assert_string_equal(key, "gap");
    assert_string_equal(text, "none");
    assert_true(ney_model_metadata(m, NEY_METADATA_SUMMARY, 1, &key, &value, &text));
    assert_string_equal(key, "goal");
    assert_null(text);
    assert_true(value == 3);
    assert_false(ney_model_metadata(m, NEY_METADATA_SUMMARY, 2, &key, &value, &text));
    assert_false(ney_model_metadata(m, NEY_METADATA_SUMMARY, -1, &key, &value, &text));
    assert_true(ney_model_metadata(m, NEY_METADATA_CERTIFICATE, 0, &key, &value, &text));
    assert_string_equal(key, "n_1");
    assert_false(ney_model_metadata(m, NEY_METADATA_CERTIFICATE, 1, &key, &value, &text));
    ney_model_free(m);
}

static void test_bad_keys_are_refused(void **state)
{
    static const char *const bad[] = {"", "C", "two words", "1st", "_x", "a-b", "line\n"};
    const double w[] = {1};
    (void)state;
    ney_model *m = linear_model(1, w, 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(ney_model_set_number(m, NEY_METADATA_SUMMARY, bad[i], 1, NULL),
                         NEY_EINVAL);
        assert_int_equal(ney_model_set_text(m, NEY_METADATA_SUMMARY, bad[i], "x", NULL),
                         NEY_EINVAL);
    }
    ney_model_free(m);
}

/* ---------------------------------------------------------------- scores */

static void test_columns_missing_or_more(void **state)
{
    static const struct {
        const char *why;
        int64_t cols;
        float dense[4];
        double score;
    } cases[] = {
        {"as many", 2, {3, 4}, 10 + 2 * 3 + 4 * 4},
        {"fewer count as zero", 1, {3}, 10 + 2 * 3},
        {"none", 0, {0}, 10},
        {"more are ignored", 4, {3, 4, 1e30F, -1e30F}, 10 + 2 * 3 + 4 * 4},
    };
    const double w[] = {2, 4};
    (void)state;
    ney_model *m = linear_model(2, w, 10);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t start[] = {0, cases[i].cols};
        const int32_t index[] = {0, 1, 2, 3};
        const ney_matrix dense = {.rows = 1, .cols = cases[i].cols, .dense = cases[i].dense};
        const ney_matrix sparse = {.rows = 1,
                                   .cols = cases[i].cols,
                                   .start = start,
                                   .index = index,
                                   .value = cases[i].dense};
        double from_dense = 0, from_sparse = 0;
        assert_int_equal(ney_model_score(m, NULL, &dense, &from_dense, NULL), NEY_OK);
        assert_int_equal(ney_model_score(m, NULL, &sparse, &from_sparse, NULL), NEY_OK);
        if (from_dense != cases[i].score || from_sparse != cases[i].score) {
            fail_msg("%s: %g %g", cases[i].why, from_dense, from_sparse);
        }
    }
    ney_model_free(m);
}

static void test_threads_do_not_show(void **state)
{
    enum { ROWS = 5000, COLS = 9 };
    float *value = malloc((size_t)ROWS * COLS * sizeof *value);
    double *one = malloc(ROWS * sizeof *one), *many = malloc(ROWS * sizeof *many), w[COLS];
    (void)state;
    for (int i = 0; i < ROWS * COLS; i++) {
        value[i] = (float)sin(i * 0.7);
    }
    for (int j = 0; j < COLS; j++) {
        w[j] = cos(j * 1.3);
    }
    const ney_matrix x = {.rows = ROWS, .cols = COLS, .dense = value};
    ney_model *m = linear_model(COLS, w, -0.1);
    ney_env env = ney_env_default();
    env.threads = 1;
    assert_int_equal(ney_model_score(m, &env, &x, one, NULL), NEY_OK);
    for (env.threads = 2; env.threads < 8; env.threads++) {
        memset(many, 0, ROWS * sizeof *many);
        assert_int_equal(ney_model_score(m, &env, &x, many, NULL), NEY_OK);
        assert_memory_equal(one, many, ROWS * sizeof *one);
    }
    for (int i = 0; i < ROWS; i++) {
        long double expected = -0.1L;
        for (int j = 0; j < COLS; j++) {
            expected += (long double)w[j] * (long double)value[i * COLS + j];
        }
        assert_true(fabsl(expected - one[i]) < 1e-14L);
    }
    ney_model_free(m);
    free(value);
    free(one);
    free(many);
}

static bool refuse(void *user, const ney_progress *progress)
{
    ++*(int *)user;
    return strcmp(progress->stage, "scoring") != 0;
}

static void test_cancelled_scoring_says_so(void **state)
{
    const double w[] = {1};
    const float value[] = {1};
    const ney_matrix x = {.rows = 1, .cols = 1, .dense = value};
    double score = 0;
    int calls = 0;
    ney_env env = ney_env_default();
    ney_error err = {0};
    (void)state;
    ney_model *m = linear_model(1, w, 0);
    env.user = &calls;
    env.poll = refuse;
    assert_int_equal(ney_model_score(m, &env, &x, &score, &err), NEY_ECANCELLED);
    assert_int_equal(err.code, NEY_ECANCELLED);
    assert_int_equal(calls, 1);
    ney_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weights_are_kept),
        cmocka_unit_test(test_numbers_that_are_none_are_refused),
        cmocka_unit_test(test_thresholds),
        cmocka_unit_test(test_metadata_keeps_its_order),
        cmocka_unit_test(test_bad_keys_are_refused),
        cmocka_unit_test(test_columns_missing_or_more),
        cmocka_unit_test(test_threads_do_not_show),
        cmocka_unit_test(test_cancelled_scoring_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
