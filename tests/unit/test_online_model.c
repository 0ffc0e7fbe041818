/* The families features and network: files of versions 1 and 7 stay readable and are written back
 * byte by byte, scores are what the formulas say, rows of fewer and more columns count as they
 * should, and broken parts are refused. */
#include "support/cmocka_all.h"

#include <neyman/experimental.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t read_golden(const char *name, char *text, size_t room)
{
    const char *const root = getenv("NEY_SOURCE");
    char path[4096];
    if (!root) {
        skip();
    }
    snprintf(path, sizeof path, "%s/tests/golden/%s", root, name);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    const size_t n = fread(text, 1, room - 1, f);
    fclose(f);
    text[n] = '\0';
    return n;
}

/* The numbers behind a key, read by the C library. */
static void numbers(const char *text, const char *key, int n, double *out)
{
    const char *at = strstr(text, key);
    assert_non_null(at);
    at += strlen(key);
    for (int k = 0; k < n; k++) {
        char *end;
        out[k] = strtod(at, &end);
        assert_true(end > at);
        at = end;
    }
}

static double network_by_hand(const char *text, const float *x)
{
    double b, bias[2], output[2], w[7], f;
    numbers(text, "\nintercept ", 1, &b);
    numbers(text, "\nbiases", 2, bias);
    numbers(text, "\noutput", 2, output);
    numbers(text, "\nweights", 7, w);
    f = b;
    for (int k = 0; k < 2; k++) {
        double sum = bias[k];
        for (int c = 0; c < 3; c++) {
            sum += w[1 + 2 * c + k] * (double)x[c];
        }
        f += output[k] * tanh(sum);
    }
    return f;
}

static double relu(double z)
{
    return z > 0 ? z : 0;
}

static double layers_by_hand(const char *text, const float *x)
{
    double b, bias[4], output[2], w[7], second[5], hidden[2], f;
    assert_non_null(strstr(text, "\nunits 2 2\nactivation relu\n"));
    numbers(text, "\nintercept ", 1, &b);
    numbers(text, "\nbiases", 4, bias);
    numbers(text, "\noutput", 2, output);
    numbers(text, "\nweights ", 7, w);
    numbers(text, "\nweights_2 ", 5, second);
    for (int k = 0; k < 2; k++) {
        hidden[k] = bias[k];
        for (int c = 0; c < 3; c++) {
            hidden[k] += w[1 + 2 * c + k] * (double)x[c];
        }
        hidden[k] = relu(hidden[k]);
    }
    f = b;
    for (int k = 0; k < 2; k++) {
        f += output[k] * relu(bias[2 + k] + second[1 + k] * hidden[0] + second[3 + k] * hidden[1]);
    }
    return f;
}

static double features_by_hand(const char *text, const float *x)
{
    double b, v[11], f;
    numbers(text, "\nintercept ", 1, &b);
    numbers(text, "\nfeatures", 11, v);
    f = b;
    for (int d = 0; d < 2; d++) {
        const double *own = v + 1 + (ptrdiff_t)5 * d;
        double angle = 0;
        for (int c = 0; c < 3; c++) {
            angle += own[2 + c] * (double)x[c];
        }
        f += (own[0] * cos(angle) + own[1] * sin(angle)) / sqrt(2);
    }
    return f;
}

static const struct {
    const char *file, *family;
    double (*by_hand)(const char *text, const float *x);
    double error;
} cases[] = {
    {"model-v1-network.ney", "network", network_by_hand, 1e-12},
    {"model-v7-network.ney", "network", layers_by_hand, 1e-12},
    {"model-v1-features.ney", "features", features_by_hand, 3e-6},
};

enum { N_CASES = sizeof cases / sizeof *cases, ROOM = 4096 };

static void test_golden_files(void **state)
{
    (void)state;
    for (int k = 0; k < N_CASES; k++) {
        char text[ROOM], *again;
        size_t n_again;
        ney_model *m;
        ney_error err = {0};
        const size_t n = read_golden(cases[k].file, text, sizeof text);
        if (ney_model_parse(&m, NULL, "golden", text, n, &err) != NEY_OK) {
            fail_msg("%s: %s", cases[k].file, err.message);
        }
        assert_string_equal(ney_model_family(m), cases[k].family);
        assert_int_equal(ney_model_format(m, &again, &n_again, NULL), NEY_OK);
        assert_int_equal(n_again, n);
        assert_memory_equal(again, text, n);
        ney_model_text_free(m, again);
        ney_model_free(m);
    }
}

static void test_scores_are_the_formula(void **state)
{
    (void)state;
    for (int k = 0; k < N_CASES; k++) {
        char text[ROOM];
        ney_model *m;
        float wide[40 * 5], full[3];
        int64_t start[] = {0, 2, 2};
        const int32_t index[] = {1, 4};
        const float value[] = {0.5f, 9};
        double score[40], few[2];
        const size_t n = read_golden(cases[k].file, text, sizeof text);
        assert_int_equal(ney_model_parse(&m, NULL, "golden", text, n, NULL), NEY_OK);
        for (int i = 0; i < 40 * 5; i++) {
            wide[i] = (float)(10 * sin(i));
        }
        const ney_matrix x = {.rows = 40, .cols = 5, .dense = wide}; /* two columns too many */
        assert_int_equal(ney_model_score(m, NULL, &x, score, NULL), NEY_OK);
        for (int i = 0; i < 40; i++) {
            assert_true(fabs(score[i] - cases[k].by_hand(text, wide + (ptrdiff_t)5 * i)) <
                        cases[k].error);
        }
        const ney_matrix one = {
            .rows = 1, .cols = 5, .dense = wide + (ptrdiff_t)5 * 17}; /* alone: same bits */
        assert_int_equal(ney_model_score(m, NULL, &one, few, NULL), NEY_OK);
        assert_true(few[0] == score[17]);
        const ney_matrix sparse = {
            .rows = 2, .cols = 5, .start = start, .index = index, .value = value};
        assert_int_equal(ney_model_score(m, NULL, &sparse, few, NULL), NEY_OK);
        memcpy(full, (float[]){0, 0.5f, 0}, sizeof full);
        assert_true(fabs(few[0] - cases[k].by_hand(text, full)) < cases[k].error);
        memcpy(full, (float[]){0, 0, 0}, sizeof full);
        assert_true(fabs(few[1] - cases[k].by_hand(text, full)) < cases[k].error);
        ney_model_free(m);
    }
}

/* Every prefix of the lines, and numbers that are none. The checksum would notice each, so that it
 * is the message that tells whether the part was looked at; any failure will do. */
static void test_broken_parts_are_refused(void **state)
{
    (void)state;
    for (int k = 0; k < N_CASES; k++) {
        char text[ROOM], broken[ROOM];
        ney_model *m;
        const size_t n = read_golden(cases[k].file, text, sizeof text);
        const char *const part = strstr(text, "certificate 0\n");
        assert_non_null(part);
        for (const char *at = part; at < text + n; at++) {
            if (*at >= '0' && *at <= '9') {
                memcpy(broken, text, n + 1);
                broken[at - text] = 'x';
                assert_int_not_equal(ney_model_parse(&m, NULL, "b", broken, n, NULL), NEY_OK);
                assert_null(m);
            }
            assert_int_not_equal(ney_model_parse(&m, NULL, "b", text, (size_t)(at - text), NULL),
                                 NEY_OK);
            assert_null(m);
        }
    }
}

/* More columns than a network turns into doubles at once: dense rows score as sparse ones do. */
static void test_wide_rows(void **state)
{
    enum { ROWS = 40, COLS = 1100 };
    static float x[ROWS * COLS];
    static int32_t index[ROWS * COLS];
    static int8_t y[ROWS];
    int64_t start[ROWS + 1] = {0}, n_params;
    double dense_score[ROWS], sparse_score[ROWS];
    ney_train_opts o;
    ney_data *d;
    ney_model *m;
    (void)state;
    for (int i = 0; i < ROWS * COLS; i++) {
        x[i] = (float)sin(i * 0.7);
        index[i] = i % COLS;
    }
    for (int i = 0; i < ROWS; i++) {
        y[i] = i % 2 ? 1 : -1;
        start[i + 1] = (int64_t)(i + 1) * COLS;
    }
    const ney_matrix dense = {.rows = ROWS, .cols = COLS, .dense = x};
    const ney_matrix sparse = {
        .rows = ROWS, .cols = COLS, .start = start, .index = index, .value = x};
    const ney_param *params = ney_train_params(&n_params);
    ney_params_init(params, n_params, &o);
    o.confidence = (double)NAN; /* the bound holds on the training rows */
    o.max_fpr = 0.2;
    o.network[0] = 3;
    o.epochs = 2;
    assert_int_equal(ney_data_new(&d, NULL, &dense, y, NULL, NULL), NEY_OK);
    assert_int_equal(ney_train(&m, NULL, d, &o, NULL, NULL), NEY_OK);
    assert_int_equal(ney_model_score(m, NULL, &dense, dense_score, NULL), NEY_OK);
    assert_int_equal(ney_model_score(m, NULL, &sparse, sparse_score, NULL), NEY_OK);
    for (int i = 0; i < ROWS; i++) {
        assert_true(fabs(dense_score[i] - sparse_score[i]) <= 1e-9 * (1 + fabs(sparse_score[i])));
    }
    ney_model_free(m);
    ney_data_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wide_rows),
        cmocka_unit_test(test_golden_files),
        cmocka_unit_test(test_scores_are_the_formula),
        cmocka_unit_test(test_broken_parts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
