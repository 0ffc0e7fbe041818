/* Models as C source: the text itself, what is refused, and memory that is not there. What
 * compilers and compiled programs say is asked in tests/cli/export/c_source.sh. */
#include "model/c_text.h"
#include "support/cmocka_all.h"
#include "support/counting.h"
#include "support/temp.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char table[] = "town,a,y\nRome,1,yes\nOslo,2,no\nRome,,yes\nBonn,5,no\n";

/* A model of four features, three of them words. */
static ney_status train(ney_model **out, const ney_env *env, const char *text, ney_error *err)
{
    int64_t n;
    ney_read_opts read;
    ney_data *data = NULL;
    *out = NULL;
    const ney_param *const params = ney_read_params(&n);
    ney_params_init(params, n, &read);
    read.label = "y";
    read.missing = NEY_MISSING_MEAN;
    ney_status st = ney_data_parse_with(&data, env, "table", text, strlen(text), &read, NULL, err);
    if (st == NEY_OK && (st = ney_data_prepare(data, NEY_SCALING_UNIT, NULL, 0, err)) == NEY_OK) {
        static const double weight[] = {1, -2, 0.5, 1e300};
        st = ney_model_new_linear(out, env, ney_data_preprocessing(data), weight, -1, err);
    }
    ney_data_free(data);
    return st;
}

static ney_status use_export(const void *what, const ney_env *env, ney_error *err)
{
    ney_model *m;
    ney_status st = train(&m, env, what, err);
    if (st == NEY_OK) {
        st = ney_model_export_c(m, temp_path("use"), NULL, err);
    }
    ney_model_free(m);
    return st;
}

static void test_memory_refused(void **state)
{
    (void)state;
    sweep_memory("C source", use_export, table);
}

static void test_refuses(void **state)
{
    static const char *const names[] = {"", "2x", "_x", "a b", "a-b", "a\n"};
    static char wide[1100 + sizeof table], long_name[62];
    ney_model *m;
    ney_error err = {0};
    (void)state;
    assert_int_equal(train(&m, NULL, table, NULL), NEY_OK);
    memset(long_name, 'a', 61);
    for (size_t i = 0; i <= sizeof names / sizeof *names; i++) {
        const char *name = i < sizeof names / sizeof *names ? names[i] : long_name;
        assert_int_equal(ney_model_export_c(m, temp_path("no"), name, &err), NEY_EINVAL);
        assert_non_null(strstr(err.message, "expected"));
    }
    assert_int_equal(ney_model_export_c(m, temp_path("yes"), long_name + 1, NULL), NEY_OK);
    ney_model_free(m);

    /* a category that a C compiler need not take */
    memset(wide, 'r', sizeof wide - 1);
    memcpy(wide, "town,a,y\n", 9);
    snprintf(wide + 9 + 1001, sizeof wide - 9 - 1001, ",1,yes\nOslo,2,no\nBonn,5,no\n");
    assert_int_equal(train(&m, NULL, wide, &err), NEY_OK);
    assert_int_equal(ney_model_export_c(m, temp_path("no"), NULL, &err), NEY_EINVAL);
    assert_non_null(strstr(err.message, "1000"));
    assert_null(slurp(temp_path("no"), NULL));
    ney_model_free(m);
}

static void test_literals(void **state)
{
    static const double numbers[] = {1, -0.5, 1e22, 1e300, 0.1, INFINITY, -INFINITY};
    static const float few[] = {1, 0.1F, -FLT_MAX};
    ney_text text;
    const ney_env env = ney_env_default();
    const ney_c_text c = {&text, "spam"};
    (void)state;
    ney_text_init(&text, &env);
    ney_c_doubles(&c, "d", numbers, 7);
    ney_c_floats(&c, "f", few, 3);
    ney_c_floats(&c, "none", few, 0);
    ney_c_put(&c, "@_x @");
    ney_c_string(&c, "a\"\\*/?\xc3\xa4\n1");
    assert_string_equal(text.bytes,
                        "static const double spam_d[7] = {\n    1.0, -0.5, 1e+22, 1e+300, 0.1, "
                        "HUGE_VAL, -HUGE_VAL};\n\n"
                        "static const float spam_f[3] = {\n    1.0f, 0.1f, -3.4028235e+38f};\n\n"
                        "static const float spam_none[1] = {0};\n\n"
                        "spam_x spam\"a\\042\\134\\052/\\077\\303\\244\\0121\"");
    ney_text_deinit(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_refused),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_literals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
