/* Options by name: every option can be listed, set by text and by value, read back and refused. */
#include "support/cmocka_all.h"
#include "support/counting.h"

#include <neyman/experimental.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static ney_options *defaults(void)
{
    ney_options *o;
    ney_error err;
    assert_int_equal(ney_options_new(&o, NULL, &err), NEY_OK);
    return o;
}

static void assert_value(const ney_options *o, const char *name, const char *wanted)
{
    char text[256];
    assert_true(ney_options_get(o, name, text, sizeof text));
    assert_string_equal(text, wanted);
}

/* Names are unique, and every option begins at its default, as the table has it. */
static void test_the_list(void **state)
{
    ney_options *o = defaults();
    ney_option_info info, other;
    const int64_t n = ney_options_count();
    (void)state;

    assert_true(n > 60);
    for (int64_t k = 0; k < n; k++) {
        assert_true(ney_options_info(k, &info, sizeof info));
        assert_true(info.name && info.group && info.help && strlen(info.help) > 5);
        assert_true(ney_options_is_default(o, info.name));
        for (int64_t j = 0; j < k; j++) {
            assert_true(ney_options_info(j, &other, sizeof other));
            assert_string_not_equal(info.name, other.name);
        }
    }
    assert_false(ney_options_info(n, &info, sizeof info));
    assert_false(ney_options_info(-1, &info, sizeof info));
    ney_options_free(o);
}

/* A caller that knows fewer members, and one that knows more, get what there is. */
static void test_info_of_another_version(void **state)
{
    struct {
        ney_option_info info;
        const char *new_member;
    } later;
    const char *name = NULL;
    (void)state;

    memset(&later, 0xff, sizeof later);
    assert_true(ney_options_info(0, &later.info, sizeof later));
    assert_non_null(later.info.name);
    assert_null(later.new_member);
    assert_true(ney_options_info(0, (ney_option_info *)&name, sizeof name)); /* the first alone */
    assert_string_equal(name, later.info.name);
}

static void test_values_by_kind(void **state)
{
    ney_options *o = defaults();
    ney_error err;
    (void)state;

    assert_int_equal(ney_options_set_double(o, "max-fpr", 0.01, &err), NEY_OK);
    assert_value(o, "max-fpr", "0.01");
    assert_false(ney_options_is_default(o, "max-fpr"));
    assert_int_equal(ney_options_set_double(o, "max-fpr", (double)NAN, &err), NEY_OK);
    assert_value(o, "max-fpr", "none");
    assert_int_equal(ney_options_set_double(o, "confidence", (double)NAN, &err), NEY_OK);
    assert_value(o, "confidence", "none");
    assert_int_equal(ney_options_set(o, "confidence", NULL, &err), NEY_OK); /* the default */
    assert_value(o, "confidence", "0.95");
    assert_int_equal(ney_options_set_int(o, "seed", INT64_C(9007199254740991), &err), NEY_OK);
    assert_value(o, "seed", "9007199254740991");
    assert_int_equal(ney_options_set_int(o, "C", 10, &err), NEY_OK); /* a number is a number */
    assert_value(o, "C", "10");
    assert_int_equal(ney_options_set_double(o, "degree", 4, &err), NEY_OK);
    assert_value(o, "degree", "4");
    assert_int_equal(ney_options_set(o, "kernel", "rbf", &err), NEY_OK);
    assert_value(o, "kernel", "rbf");
    assert_int_equal(ney_options_set(o, "scale", "minmax", &err), NEY_OK);
    assert_value(o, "scale", "minmax");
    assert_int_equal(ney_options_set_bool(o, "conformal", true, &err), NEY_OK);
    assert_value(o, "conformal", "true");
    assert_int_equal(ney_options_set(o, "conformal", "false", &err), NEY_OK);
    assert_value(o, "conformal", "false");
    assert_int_equal(ney_options_set_int(o, "network", 64, &err), NEY_OK); /* one size */
    assert_value(o, "network", "64");
    assert_false(ney_options_is_default(o, "network"));
    assert_int_equal(ney_options_set(o, "network", "64,32", &err), NEY_OK);
    assert_value(o, "network", "64,32");
    assert_int_equal(ney_options_set(o, "network", "64,", &err), NEY_EINVAL);
    assert_int_equal(ney_options_set(o, "network", "0,3", &err), NEY_EINVAL);
    assert_int_equal(ney_options_set_double(o, "network", 2.5, &err), NEY_EINVAL);
    assert_value(o, "network", "64,32"); /* as it was */
    assert_int_equal(ney_options_set_double(o, "network", 3, &err), NEY_OK);
    assert_value(o, "network", "3"); /* and no second layer */
    assert_int_equal(ney_options_set(o, "network", NULL, &err), NEY_OK);
    assert_true(ney_options_is_default(o, "network"));
    ney_options_free(o);
}

/* A text is copied: the caller's may change. */
static void test_texts_are_copied(void **state)
{
    ney_options *o = defaults();
    ney_error err;
    char label[] = "class";
    (void)state;

    assert_value(o, "label", "");
    assert_int_equal(ney_options_set(o, "label", label, &err), NEY_OK);
    label[0] = 'g';
    assert_value(o, "label", "class");
    assert_int_equal(ney_options_set(o, "label", NULL, &err), NEY_OK);
    assert_true(ney_options_is_default(o, "label"));
    ney_options_free(o);
}

static void test_refusals(void **state)
{
    ney_options *o = defaults();
    ney_error err;
    char text[8];
    (void)state;

    assert_int_equal(ney_options_set(o, "max_fpr", "0.1", &err), NEY_EINVAL);
    assert_non_null(strstr(err.message, "max_fpr"));
    assert_int_equal(ney_options_set_double(o, "max-fpr", 1.5, &err), NEY_EINVAL);
    assert_int_equal(ney_options_set_double(o, "kernel", 1, &err), NEY_EINVAL);
    assert_int_equal(ney_options_set_double(o, "degree", 2.5, &err), NEY_EINVAL);
    assert_non_null(strstr(err.message, "degree is 2.5, expected an integer"));
    assert_int_equal(ney_options_set_double(o, "degree", 1e300, &err), NEY_EINVAL);
    assert_int_equal(ney_options_set_double(o, "C", (double)NAN, &err), NEY_EINVAL);
    assert_int_equal(ney_options_set_int(o, "label", 1, &err), NEY_EINVAL);
    assert_int_equal(ney_options_set_int(o, "nothing", 1, &err), NEY_EINVAL);
    assert_int_equal(ney_options_set_bool(o, "C", true, &err), NEY_EINVAL);
    assert_int_equal(ney_options_set_bool(o, "nothing", true, &err), NEY_EINVAL);
    assert_int_equal(ney_options_set_double(o, "nothing", 1, &err), NEY_EINVAL);
    assert_int_equal(ney_options_set(o, "kernel", "cubic", &err), NEY_EINVAL);
    assert_false(ney_options_get(o, "nothing", text, sizeof text));
    assert_false(ney_options_is_default(o, "nothing"));
    ney_option_info info; /* nothing changed */
    for (int64_t k = 0; ney_options_info(k, &info, sizeof info); k++) {
        assert_true(ney_options_is_default(o, info.name));
    }
    ney_options_free(o);
}

static ney_status use_options(const void *what, const ney_env *env, ney_error *err)
{
    ney_options *o = (ney_options *)(uintptr_t)1;
    (void)what;
    ney_status st = ney_options_new(&o, env, err);
    assert_true((st == NEY_OK) == (o != NULL));
    if (st == NEY_OK && (st = ney_options_set(o, "label", "class", err)) == NEY_OK) {
        st = ney_options_set_double(o, "C", 2, err);
    }
    ney_options_free(o);
    return st;
}

static void test_refused_memory(void **state)
{
    (void)state;
    sweep_memory("options", use_options, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_list),       cmocka_unit_test(test_info_of_another_version),
        cmocka_unit_test(test_values_by_kind), cmocka_unit_test(test_texts_are_copied),
        cmocka_unit_test(test_refusals),       cmocka_unit_test(test_refused_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
