/* Numbers in a model file that no training writes, behind a checksum that fits: the file is
 * refused, whatever command reads it. */
#include "fuzz/checksummed.h"

#include <neyman/experimental.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct example {
    ney_metadata_kind list;
    const char *key, *right; /* as a number; one that is kept */
    const char *wrong[8];
} example;

static const example examples[] = {
    {NEY_METADATA_SUMMARY, "n", "20", {"nan", "inf", "-1", "0.5", "1e308"}},
    {NEY_METADATA_SUMMARY, "n_neg", "0", {"nan", "-inf", "-1e308", "1e-308"}},
    {NEY_METADATA_SUMMARY, "max_fpr", "1", {"nan", "inf", "7", "-3", "1.001", "1e308"}},
    {NEY_METADATA_SUMMARY, "max_fnr", "0", {"nan", "-inf", "7", "-1e-9"}},
    {NEY_METADATA_SUMMARY, "c", "1e12", {"nan", "inf", "0", "-1", "1e308", "1e-308"}},
    {NEY_METADATA_SUMMARY, "eta", "1e-6", {"nan", "inf", "0", "-1", "1e7"}},
    {NEY_METADATA_SUMMARY, "cost_fn", "2", {"nan", "inf", "0", "-1"}},
    {NEY_METADATA_SUMMARY, "reject_cost_fp", "0.3", {"nan", "inf", "0", "-1"}},
    {NEY_METADATA_CERTIFICATE, "fpr_max_rate", "0.1", {"nan", "inf", "7", "-3"}},
    {NEY_METADATA_CERTIFICATE, "fpr_delta", "0.05", {"nan", "inf", "0", "1", "-3", "1e308", "7"}},
    {NEY_METADATA_CERTIFICATE, "fnr_delta", "1e-308", {"nan", "-inf", "0", "1"}},
    {NEY_METADATA_CERTIFICATE, "fnr_n", "379", {"nan", "inf", "-1", "0.5", "1e308"}},
    {NEY_METADATA_CERTIFICATE, "fpr_rank", "351", {"nan", "-1", "1.5"}},
    {NEY_METADATA_CERTIFICATE, "fpr_bound", "0.0998", {"nan", "7", "-1"}},
    {NEY_METADATA_CERTIFICATE, "fpr_misclassified", "28", {"nan", "-1", "inf"}},
    {NEY_METADATA_CERTIFICATE, "fpr_threshold", "inf", {"nan"}},
    {NEY_METADATA_CERTIFICATE, "fnr_group_rate", "0.1", {"nan", "2"}},
    {NEY_METADATA_SUMMARY, "lambda", "inf", {NULL}}, /* reported, not relied on */
    {NEY_METADATA_SUMMARY, "other", "nan", {NULL}},
};

enum { N_EXAMPLES = sizeof examples / sizeof *examples };

/* A model that has one more item of metadata, which reads ` KEY KIND VALUE`. */
static ney_status read_model(const example *e, const char *kind, const char *value, ney_error *err)
{
    const double w = 1;
    ney_model *m = NULL, *back = NULL;
    char *text = NULL, line[64], found[64], *edited;
    size_t n;
    const float x[] = {1, 2};
    const int8_t y[] = {1, -1};
    ney_data *d = NULL;
    const ney_matrix rows = {.rows = 2, .cols = 1, .dense = x};
    assert_int_equal(ney_data_new(&d, NULL, &rows, y, NULL, NULL), NEY_OK);
    assert_int_equal(ney_model_new_linear(&m, NULL, ney_data_preprocessing(d), &w, 0, NULL),
                     NEY_OK);
    assert_int_equal(ney_model_set_number(m, e->list, e->key, 0.25, NULL), NEY_OK);
    assert_int_equal(ney_model_format(m, &text, &n, NULL), NEY_OK);
    snprintf(found, sizeof found, " %s number 0.25\n", e->key);
    snprintf(line, sizeof line, " %s %s %s\n", e->key, kind, value);
    const char *const at = strstr(text, found);
    assert_non_null(at);
    edited = malloc(n + 128);
    assert_non_null(edited);
    const int length =
        snprintf(edited, n + 96, "%.*s%s%s", (int)(at - text), text, line, at + strlen(found));
    const size_t n_edited = fix_end(edited, (size_t)length);
    const ney_status st = ney_model_parse(&back, NULL, "model", edited, n_edited, err);
    assert_true((st == NEY_OK) == (back != NULL));
    ney_model_text_free(m, text);
    free(edited);
    ney_model_free(back);
    ney_model_free(m);
    ney_data_free(d);
    return st;
}

static void test_right_numbers_are_read(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_EXAMPLES; k++) {
        assert_int_equal(read_model(&examples[k], "number", examples[k].right, NULL), NEY_OK);
    }
}

static void test_wrong_numbers_are_refused(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_EXAMPLES; k++) {
        const example *const e = &examples[k];
        for (int i = 0; i < 8 && e->wrong[i]; i++) {
            ney_error err = {0};
            const ney_status st = read_model(e, "number", e->wrong[i], &err);
            if (st != NEY_EFORMAT || !strstr(err.message, e->key)) {
                fail_msg("%s = %s: %s (%s)", e->key, e->wrong[i], ney_status_text(st), err.message);
            }
        }
    }
}

static void test_words_are_no_numbers(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_EXAMPLES; k++) {
        const bool has_range = examples[k].wrong[0] != NULL;
        assert_int_equal(read_model(&examples[k], "text", "word", NULL),
                         has_range ? NEY_EFORMAT : NEY_OK);
    }
}

/* 1 - 1e-308 is 1: an update must not take that for a model without a certificate. */
static void test_any_certificate_is_renewed(void **state)
{
    const double w = 1;
    const float x[] = {1, 2};
    const int8_t y[] = {1, -1};
    const ney_matrix rows = {.rows = 2, .cols = 1, .dense = x};
    ney_data *d = NULL;
    ney_model *m = NULL;
    (void)state;
    assert_int_equal(ney_data_new(&d, NULL, &rows, y, NULL, NULL), NEY_OK);
    assert_int_equal(ney_model_new_linear(&m, NULL, ney_data_preprocessing(d), &w, 0, NULL),
                     NEY_OK);
    assert_int_equal(ney_model_set_number(m, NEY_METADATA_SUMMARY, "max_fpr", 0.1, NULL), NEY_OK);
    assert_true(isnan(ney_update_confidence(m)));
    assert_int_equal(ney_model_set_number(m, NEY_METADATA_CERTIFICATE, "fpr_delta", 1e-308, NULL),
                     NEY_OK);
    assert_true(ney_update_confidence(m) == 1);
    ney_model_free(m);
    ney_data_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_numbers_are_read),
        cmocka_unit_test(test_wrong_numbers_are_refused),
        cmocka_unit_test(test_words_are_no_numbers),
        cmocka_unit_test(test_any_certificate_is_renewed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
