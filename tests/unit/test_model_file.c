/* The model file: exact round trips, and a clear refusal of everything else. */
#include <neyman/experimental.h>

#include <xxhash.h>

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const double weights[] = {0.1, -1.0 / 3, DBL_MIN / 4, -DBL_MAX, 12345678901234567.0, -0.0};
enum { N_WEIGHTS = sizeof weights / sizeof *weights };

static ney_model *sample_model(void)
{
    static const float zero[N_WEIGHTS];
    const int8_t label = 1;
    const ney_matrix x = {.rows = 1, .cols = N_WEIGHTS, .dense = zero};
    ney_data *d = NULL;
    ney_model *m = NULL;
    assert_int_equal(ney_data_new(&d, NULL, &x, &label, NULL, NULL), NEY_OK);
    assert_int_equal(
        ney_model_new_linear(&m, NULL, ney_data_preprocessing(d), weights, 1.0 / 7, NULL), NEY_OK);
    ney_data_free(d);
    assert_int_equal(ney_model_set_thresholds(m, -0.1, INFINITY, NULL), NEY_OK);
    assert_int_equal(ney_model_set_text(m, NEY_METADATA_SUMMARY, "goal", "two words\n%", NULL),
                     NEY_OK);
    assert_int_equal(ney_model_set_text(m, NEY_METADATA_SUMMARY, "nothing", "", NULL), NEY_OK);
    assert_int_equal(ney_model_set_number(m, NEY_METADATA_SUMMARY, "gap", 0.1 + 0.2, NULL), NEY_OK);
    assert_int_equal(ney_model_set_number(m, NEY_METADATA_SUMMARY, "undefined", -NAN, NULL),
                     NEY_OK);
    assert_int_equal(ney_model_set_number(m, NEY_METADATA_CERTIFICATE, "max_fpr", 0.01, NULL),
                     NEY_OK);
    return m;
}

static void test_round_trip_keeps_every_bit(void **state)
{
    char *text, *again;
    size_t n_text, n_again;
    ney_model *back = NULL;
    double b, low, high, value;
    const char *key, *word;
    (void)state;
    ney_model *m = sample_model();
    assert_int_equal(ney_model_format(m, &text, &n_text, NULL), NEY_OK);
    /* A copy without the NUL behind it, so that a sanitizer sees any reading beyond the end. */
    char *bare = malloc(n_text);
    memcpy(bare, text, n_text);
    assert_int_equal(ney_model_parse(&back, NULL, "memory", bare, n_text, NULL), NEY_OK);
    free(bare);
    assert_int_equal(ney_model_format(back, &again, &n_again, NULL), NEY_OK);
    assert_int_equal(n_text, n_again);
    assert_memory_equal(text, again, n_text);
    assert_memory_equal(ney_model_weights(back, &b), weights, sizeof weights);
    assert_true(b == 1.0 / 7);
    ney_model_thresholds(back, &low, &high);
    assert_true(low == -0.1 && isinf(high));
    assert_true(ney_model_metadata(back, NEY_METADATA_SUMMARY, 0, &key, &value, &word));
    assert_string_equal(word, "two words\n%");
    assert_true(ney_model_metadata(back, NEY_METADATA_SUMMARY, 1, &key, &value, &word));
    assert_string_equal(word, "");
    assert_true(ney_model_metadata(back, NEY_METADATA_SUMMARY, 3, &key, &value, &word));
    assert_true(isnan(value) && !word);
    ney_model_text_free(m, text);
    ney_model_text_free(back, again);
    ney_model_free(m);
    ney_model_free(back);
}

static void test_file_round_trip(void **state)
{
    char path[] = "test_model_file.XXXXXX";
    const int fd = mkstemp(path);
    char *text, *again;
    size_t n_text, n_again;
    ney_model *back = NULL;
    ney_error err = {0};
    (void)state;
    assert_true(fd >= 0);
    close(fd);
    ney_model *m = sample_model();
    assert_int_equal(ney_model_write(m, path, NULL), NEY_OK);
    assert_int_equal(ney_model_read(&back, NULL, path, NULL), NEY_OK);
    assert_int_equal(ney_model_format(m, &text, &n_text, NULL), NEY_OK);
    assert_int_equal(ney_model_format(back, &again, &n_again, NULL), NEY_OK);
    assert_string_equal(text, again);
    ney_model_text_free(m, text);
    ney_model_text_free(back, again);
    ney_model_free(back);
    unlink(path);
    assert_int_equal(ney_model_read(&back, NULL, path, &err), NEY_EIO);
    assert_null(back);
    assert_string_equal(err.file, path);
    assert_int_equal(ney_model_write(m, "no/such/folder/model.ney", &err), NEY_EIO);
    ney_model_free(m);
}

/* Every prefix is refused as one; every changed byte is noticed. */
static void test_truncated_and_damaged(void **state)
{
    char *text;
    size_t n_text;
    ney_model *back = NULL;
    (void)state;
    ney_model *m = sample_model();
    assert_int_equal(ney_model_format(m, &text, &n_text, NULL), NEY_OK);
    for (size_t n = 0; n < n_text; n++) {
        ney_error err = {0};
        char *cut = malloc(n + 1);
        memcpy(cut, text, n);
        assert_int_equal(ney_model_parse(&back, NULL, "cut", cut, n, &err), NEY_EFORMAT);
        assert_null(back);
        if (n > strlen("neyman-model") && !strstr(err.message, "truncated")) {
            fail_msg("%d bytes of %d: %s", (int)n, (int)n_text, err.message);
        }
        free(cut);
    }
    for (size_t i = 0; i < n_text; i++) {
        ney_error err = {0};
        const char was = text[i];
        text[i] ^= 1;
        assert_int_equal(ney_model_parse(&back, NULL, "damaged", text, n_text, &err), NEY_EFORMAT);
        assert_null(back);
        assert_string_equal(err.file, "damaged");
        assert_true(err.line == 0 || !strstr(err.message, "damaged")); /* no line is to blame */
        if (i > 20 && i < n_text - 22 && !strstr(err.message, "damaged")) {
            fail_msg("byte %d: %s", (int)i, err.message);
        }
        text[i] = was;
    }
    ney_model_text_free(m, text);
    ney_model_free(m);
}

/* The body with a correct last line. */
static void seal(const char *body, char *text, size_t n_text)
{
    snprintf(text, n_text, "%send %016llx\n", body,
             (unsigned long long)XXH3_64bits(body, strlen(body)));
}

#define HEAD "neyman-model 1\nfamily linear\n"
#define PREPROCESSING "recipe svmlight\ncolumns 2\nend-recipe\n"
#define METADATA "thresholds 0 0\nsummary 0\ncertificate 0\n"
#define PART "intercept 0.5\nweights 2\n 1\n -2.5\n"

/* Files that are whole and yet wrong, as another program might write them. */
static void test_content_is_checked(void **state)
{
    static const struct {
        const char *why, *body, *says; /* says NULL: accepted */
        int64_t line;
    } cases[] = {
        {"as it should be", HEAD PREPROCESSING METADATA PART, NULL, 0},
        {"another kind of file", "neyman-cache 1\n", "not a model", 1},
        {"longer word", "neyman-models 1\n", "not a model", 1},
        {"newer version", "neyman-model 8\n",
         "file of version 8, this library reads up to 7; a newer neyman is needed", 1},
        {"version of nothing", "neyman-model 0\n", "expected a whole number", 1},
        {"version is no number", "neyman-model one\n", "expected a whole number", 1},
        {"unknown family", "neyman-model 1\nfamily oracle\n" PREPROCESSING METADATA PART, "oracle",
         2},
        {"no preprocessing", HEAD METADATA PART, "expected a line 'recipe'", 3},
        {"thresholds crossed", HEAD PREPROCESSING "thresholds 1 0\nsummary 0\ncertificate 0\n" PART,
         "thresholds 1 and 0", 6},
        {"threshold nan", HEAD PREPROCESSING "thresholds nan 0\nsummary 0\ncertificate 0\n" PART,
         "thresholds", 6},
        {"metadata of no kind",
         HEAD PREPROCESSING "thresholds 0 0\nsummary 1\n a word b\ncertificate 0\n" PART,
         "expected 'number' or 'text'", 8},
        {"metadata named twice",
         HEAD PREPROCESSING
         "thresholds 0 0\nsummary 2\n a number 1\n a number 1\ncertificate 0\n" PART,
         "expected a new name", 9},
        {"metadata with a bad key",
         HEAD PREPROCESSING "thresholds 0 0\nsummary 1\n A number 1\ncertificate 0\n" PART,
         "expected a new name", 8},
        {"too much metadata", HEAD PREPROCESSING "thresholds 0 0\nsummary 1000000\n",
         "from 0 to 1000", 7},
        {"weights too few", HEAD PREPROCESSING METADATA "intercept 0\nweights 1\n 1\n",
         "1 weights, expected", 11},
        {"weights end early", HEAD PREPROCESSING METADATA "intercept 0\nweights 2\n 1000\n",
         "the line ends here", 12},
        {"weights beyond the file",
         HEAD "recipe svmlight\ncolumns 2000000000\nend-recipe\n" METADATA
              "intercept 0\nweights 2000000000\n 1\n",
         "the file is shorter", 11},
        {"weight nan", HEAD PREPROCESSING METADATA "intercept 0\nweights 2\n 1\n nan\n",
         "the weight is nan", 12},
        {"weight infinite", HEAD PREPROCESSING METADATA "intercept 0\nweights 2\n inf\n 1\n",
         "the weight is inf", 11},
        {"intercept overflows", HEAD PREPROCESSING METADATA "intercept 1e999\nweights 2\n 1\n 1\n",
         "the intercept is inf", 9},
        {"weight with a comma", HEAD PREPROCESSING METADATA "intercept 0\nweights 2\n 1,5\n 1\n",
         "expected a number", 11},
        {"training rows",
         HEAD PREPROCESSING METADATA
         "training_rows 2 5 8000000000000000\n 00000000000000ff 3\n 0123456789abcdef\n" PART,
         NULL, 0},
        {"all training rows",
         HEAD PREPROCESSING METADATA
         "training_rows 1 3 ffffffffffffffff\n 00000000000000ff 3\n" PART,
         NULL, 0},
        {"training rows without a row",
         HEAD PREPROCESSING METADATA "training_rows 0 0 ffffffffffffffff\n",
         "expected a whole number from 1", 9},
        {"too many hashes",
         HEAD PREPROCESSING METADATA "training_rows 4097 9999 ffffffffffffffff\n", "from 0 to 4096",
         9},
        {"hash above the cut",
         HEAD PREPROCESSING METADATA "training_rows 1 3 0000000000000010\n 0000000000000010\n" PART,
         "ascending order below the cut", 10},
        {"hashes out of order",
         HEAD PREPROCESSING METADATA "training_rows 2 3 0000000000000010\n 0000000000000002\n"
                                     " 0000000000000002\n" PART,
         "ascending order below the cut", 11},
        {"hash of 15 digits",
         HEAD PREPROCESSING METADATA "training_rows 1 3 0000000000000010\n 000000000000002\n" PART,
         "16 hexadecimal digits", 10},
        {"hash in capitals",
         HEAD PREPROCESSING METADATA "training_rows 1 3 0000000000000010\n 000000000000000A\n" PART,
         "16 hexadecimal digits", 10},
        {"count of 1 written out",
         HEAD PREPROCESSING METADATA
         "training_rows 1 3 0000000000000010\n 0000000000000002 1\n" PART,
         "from 2", 10},
        {"more rows than trained on",
         HEAD PREPROCESSING METADATA
         "training_rows 1 3 0000000000000010\n 0000000000000002 4\n" PART,
         "more rows than the 3", 10},
        {"count that overflows a sum",
         HEAD PREPROCESSING METADATA "training_rows 2 9223372036854775807 0000000000000010\n"
                                     " 0000000000000002 9223372036854775807\n"
                                     " 0000000000000003 9223372036854775807\n" PART,
         "more rows than the", 11},
        {"rows missing from all",
         HEAD PREPROCESSING METADATA
         "training_rows 1 3 ffffffffffffffff\n 0000000000000002 2\n" PART,
         "expected all 3", 10},
        {"lines behind the end", HEAD PREPROCESSING METADATA PART " 3\n", "after the end of", 13},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        seal(cases[i].body, text, sizeof text);
        ney_model *m = NULL;
        ney_error err = {0};
        const ney_status st = ney_model_parse(&m, NULL, "case", text, strlen(text), &err);
        const bool as_expected = cases[i].says ? st == NEY_EFORMAT && !m &&
                                                     strstr(err.message, cases[i].says) &&
                                                     llabs(err.line - cases[i].line) <= 1
                                               : st == NEY_OK;
        if (!as_expected) {
            fail_msg("%s: %d, line %d: %s", cases[i].why, (int)st, (int)err.line, err.message);
        }
        ney_model_free(m);
    }
}

/* Files of every version stay readable, and give what they gave. */
static void test_golden_files(void **state)
{
    const char *const root = getenv("NEY_SOURCE");
    char path[4096], line[512];
    ney_model *m = NULL;
    ney_error err = {0};
    char *text;
    size_t n_text;
    const float row[] = {1, 2, 3};
    const ney_matrix x = {.rows = 1, .cols = 3, .dense = row};
    double b, score, low, high;
    (void)state;
    if (!root) {
        skip();
    }
    snprintf(path, sizeof path, "%s/tests/golden/model-v1-linear.ney", root);
    if (ney_model_read(&m, NULL, path, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    const double *w = ney_model_weights(m, &b);
    assert_true(w[0] == 0.1 && w[1] == -1e-300 && w[2] == 0.3333333333333333 && b == -0.75);
    ney_model_thresholds(m, &low, &high);
    assert_true(low == -0.5 && high == 0.25);
    assert_string_equal(ney_preprocessing_label(ney_model_preprocessing(m), 1), "spam");
    assert_string_equal(ney_preprocessing_label(ney_model_preprocessing(m), -1), "good mail");
    assert_int_equal(ney_model_score(m, NULL, &x, &score, NULL), NEY_OK);
    assert_true(score == 0.1 + 0.3333333333333333 * 3 - 0.75);
    assert_int_equal(ney_model_format(m, &text, &n_text, NULL), NEY_OK);
    FILE *f = fopen(path, "r");
    size_t at = 0;
    while (fgets(line, sizeof line, f)) {
        assert_true(at + strlen(line) <= n_text);
        assert_memory_equal(text + at, line, strlen(line));
        at += strlen(line);
    }
    fclose(f);
    assert_int_equal(at, n_text);
    ney_model_text_free(m, text);
    ney_model_free(m);
}

/* The same of a model that carries three others. */
static void test_golden_folds(void **state)
{
    const char *const root = getenv("NEY_SOURCE");
    char path[4096], expected[4096];
    ney_model *m = NULL;
    ney_error err = {0};
    char *text;
    size_t n_text;
    const float row[] = {1, 2};
    const ney_matrix x = {.rows = 1, .cols = 2, .dense = row};
    double score, intercept;
    (void)state;
    if (!root) {
        skip();
    }
    snprintf(path, sizeof path, "%s/tests/golden/model-v2-folds.ney", root);
    if (ney_model_read(&m, NULL, path, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    assert_int_equal(ney_model_fold_count(m), 3);
    const double *w = ney_model_weights(m, &intercept);
    assert_int_equal(ney_model_score(m, NULL, &x, &score, NULL), NEY_OK);
    assert_true(fabs(score - (w[0] + 2 * w[1] + intercept)) < 1e-15);
    assert_int_equal(ney_model_format(m, &text, &n_text, NULL), NEY_OK);
    FILE *f = fopen(path, "r");
    assert_int_equal(fread(expected, 1, sizeof expected, f), n_text);
    fclose(f);
    assert_memory_equal(text, expected, n_text);
    ney_model_text_free(m, text);
    ney_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden_folds),
        cmocka_unit_test(test_round_trip_keeps_every_bit),
        cmocka_unit_test(test_file_round_trip),
        cmocka_unit_test(test_truncated_and_damaged),
        cmocka_unit_test(test_content_is_checked),
        cmocka_unit_test(test_golden_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
