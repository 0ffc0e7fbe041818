/* Models as JSON: the text of a small one, names that JSON cannot hold, infinite thresholds, and
 * memory that is not there. tests/cli/export/json_scores.sh recomputes the scores of every family.
 */
#include "support/cmocka_all.h"
#include "support/counting.h"
#include "support/temp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static ney_status make(ney_model **out, const ney_env *env, const char *text, ney_error *err)
{
    static const double weight[] = {1, -0.25, 0.1};
    int64_t n;
    ney_read_opts read;
    ney_data *data = NULL;
    *out = NULL;
    const ney_param *const params = ney_read_params(&n);
    ney_params_init(params, n, &read);
    read.label = "y";
    ney_status st = ney_data_parse_with(&data, env, "table", text, strlen(text), &read, NULL, err);
    if (st == NEY_OK && (st = ney_data_prepare(data, NEY_SCALING_NONE, NULL, 0, err)) == NEY_OK) {
        st = ney_model_new_linear(out, env, ney_data_preprocessing(data), weight, -1, err);
    }
    ney_data_free(data);
    return st;
}

static const char table[] = "town,a,y\n\"R\"\"\",1,yes\nO\\\t,2,no\n\"R\"\"\",3,yes\n";

static ney_status use_export(const void *what, const ney_env *env, ney_error *err)
{
    ney_model *m;
    ney_status st = make(&m, env, what, err);
    if (st == NEY_OK) {
        st = ney_model_export_json(m, temp_path("use"), err);
    }
    ney_model_free(m);
    return st;
}

static void test_memory_refused(void **state)
{
    (void)state;
    sweep_memory("JSON", use_export, table);
}

static void test_text(void **state)
{
    ney_model *m;
    size_t n;
    (void)state;
    assert_int_equal(make(&m, NULL, table, NULL), NEY_OK);
    assert_int_equal(ney_model_set_thresholds(m, -INFINITY, 0.1, NULL), NEY_OK);
    assert_int_equal(ney_model_set_number(m, NEY_METADATA_SUMMARY, "share", NAN, NULL), NEY_OK);
    assert_int_equal(ney_model_export_json(m, temp_path("model.json"), NULL), NEY_OK);
    char *const text = slurp(temp_path("model.json"), &n);
    static const char *const parts[] = {
        "\"format\": \"neyman-model\",\n  \"version\": 2,\n  \"family\": \"linear\"",
        "\"positive\": \"yes\",\n  \"negative\": \"no\",\n  \"cols\": 3,\n  \"scaling\": \"none\"",
        "\"threshold\": 0.1,\n  \"threshold_low\": \"-inf\"",
        "{\"name\": \"town\", \"categories\": [\"O\\u005c\", \"R\\u0022\"]}",
        "{\"name\": \"a\", \"offset\": 0, \"factor\": 1}",
        "\"intercept\": -1,\n  \"weights\": [1, -0.25, 0.1]",
        "\"share\": null",
    };
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        if (!strstr(text, parts[k])) {
            fail_msg("no '%s' in\n%s", parts[k], text);
        }
    }
    free(text);
    ney_model_free(m);
}

/* Bytes that are no UTF-8 would not come back. */
static void test_names(void **state)
{
    static const struct {
        const char *bytes;
        bool ok;
    } names[] = {
        {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82", true}, /* two, three and four bytes */
        {"\xe4", false},                                /* Latin 1 */
        {"\xc0\xaf", false},                            /* longer than needed */
        {"\xe0\x80\xaf", false},
        {"\xf0\x80\x80\xaf", false},
        {"\xed\xa0\x80", false}, /* a surrogate */
        {"\xf4\x90\x80\x80", false},
        {"\xf5\x80\x80\x80", false},
        {"\xe2\x82", false}, /* cut off */
        {"\x80", false},
    };
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char words[200] = "town,a,y\nRome,1,yes\n";
        ney_model *m;
        ney_error err = {0};
        strcat(strcat(words, names[k].bytes), ",2,no\nRome,3,yes\n");
        assert_int_equal(make(&m, NULL, words, NULL), NEY_OK);
        const ney_status st = ney_model_export_json(m, temp_path("name.json"), &err);
        assert_int_equal(st, names[k].ok ? NEY_OK : NEY_EINVAL);
        assert_true(names[k].ok || strstr(err.message, "UTF-8"));
        ney_model_free(m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_refused),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
