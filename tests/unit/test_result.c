/* Results by name: what is added is found, printed and freed; misuse and refused memory are kept.
 */
#include "support/cmocka_all.h"
#include "support/counting.h"

#include <neyman/experimental.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ney_result *example(const ney_env *env)
{
    ney_result *root;
    ney_error err;
    assert_int_equal(ney_result_new(&root, env, &err), NEY_OK);
    ney_result_add_text(root, "goal", "np");
    ney_result_add_int(root, "n", INT64_C(9007199254740993)); /* beyond the integers of a double */
    ney_result_add_real(root, "fpr", 0.1);
    ney_result_add_interval(root, "fpr_interval", 0.05, 0.2);
    ney_result_add_bool(root, "certified", true);
    ney_result_add_real(root, "gap", (double)NAN);
    ney_result_add_text(root, "note", NULL);
    ney_result *list = ney_result_add_array(root, "certificates");
    for (int k = 0; k < 2; k++) {
        ney_result *one = ney_result_add_object(list, NULL);
        ney_result_add_int(one, "rank", 10 + k);
    }
    (void)ney_result_add_object(root, "empty");
    return root;
}

static void test_values_are_found_by_path(void **state)
{
    ney_result *root = example(NULL);
    double real = -1;
    int64_t whole = -1;
    bool truth = false;
    (void)state;

    assert_true(ney_result_get_real(root, "fpr", &real) && real == 0.1);
    assert_true(ney_result_get_real(root, "fpr_interval.1", &real) && real == 0.2);
    assert_true(ney_result_get_int(root, "n", &whole) && whole == INT64_C(9007199254740993));
    assert_true(ney_result_get_int(root, "certificates.1.rank", &whole) && whole == 11);
    assert_true(ney_result_get_real(root, "certificates.0.rank", &real) && real == 10);
    assert_true(ney_result_get_bool(root, "certified", &truth) && truth);
    assert_string_equal(ney_result_get_text(root, "goal"), "np");

    real = 7;
    assert_false(ney_result_get_real(root, "gap", &real)); /* null */
    assert_false(ney_result_get_real(root, "goal", &real));
    assert_false(ney_result_get_real(root, "fp", &real)); /* no prefix counts */
    assert_false(ney_result_get_real(root, "fpr.0", &real));
    assert_false(ney_result_get_real(root, "fpr_interval.2", &real));
    assert_false(ney_result_get_real(root, "fpr_interval.-1", &real));
    assert_false(ney_result_get_int(root, "fpr", &whole));
    assert_false(ney_result_get_bool(root, "n", &truth));
    assert_true(real == 7);
    assert_null(ney_result_get_text(root, "note"));
    assert_null(ney_result_find(root, "nothing"));
    assert_null(ney_result_find(NULL, "fpr"));
    assert_ptr_equal(ney_result_find(root, ""), root);
    assert_int_equal(ney_result_kind_of(ney_result_find(root, "gap")), NEY_RESULT_NULL);
    ney_result_free(root);
}

static void test_children_in_order(void **state)
{
    static const char *const key[] = {"goal", "n",    "fpr",          "fpr_interval", "certified",
                                      "gap",  "note", "certificates", "empty"};
    ney_result *root = example(NULL);
    int64_t k = 0;
    (void)state;

    assert_int_equal(ney_result_count(root), 9);
    for (const ney_result *at = ney_result_first(root); at; at = ney_result_next(at), k++) {
        assert_string_equal(ney_result_key(at), key[k]);
        assert_ptr_equal(ney_result_at(root, k), at);
    }
    assert_int_equal(k, 9);
    assert_null(ney_result_at(root, 9));
    assert_null(ney_result_at(root, -1));
    ney_result_free(root);
}

static void test_json(void **state)
{
    static const char wanted[] = "{\n"
                                 "\t\"goal\":\t\"np\",\n"
                                 "\t\"n\":\t9007199254740993,\n"
                                 "\t\"fpr\":\t0.1,\n"
                                 "\t\"fpr_interval\":\t[0.05, 0.2],\n"
                                 "\t\"certified\":\ttrue,\n"
                                 "\t\"gap\":\tnull,\n"
                                 "\t\"note\":\tnull,\n"
                                 "\t\"certificates\":\t[{\n"
                                 "\t\t\t\"rank\":\t10\n"
                                 "\t\t}, {\n"
                                 "\t\t\t\"rank\":\t11\n"
                                 "\t\t}],\n"
                                 "\t\"empty\":\t{\n"
                                 "\t}\n"
                                 "}";
    ney_result *root = example(NULL);
    ney_error err;
    char *text;
    size_t n;
    (void)state;

    assert_int_equal(ney_result_format(root, &text, &n, &err), NEY_OK);
    assert_string_equal(text, wanted);
    assert_int_equal(n, strlen(wanted));
    ney_free(NULL, text);
    ney_result_free(root);
}

static void test_texts_are_escaped(void **state)
{
    ney_result *root;
    ney_error err;
    char *text;
    size_t n;
    (void)state;

    assert_int_equal(ney_result_new(&root, NULL, &err), NEY_OK);
    ney_result_add_text(root, "a\"b", "\x01\\ \xC3\xA9 \xFF\xED\xA0\x80");
    assert_int_equal(ney_result_format(root, &text, &n, &err), NEY_OK);
    assert_string_equal(text, "{\n\t\"a\\u0022b\":\t\"\\u0001\\u005c \xC3\xA9 "
                              "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"\n}");
    ney_free(NULL, text);
    ney_result_free(root);
}

static void test_copy(void **state)
{
    ney_result *from = example(NULL), *to;
    ney_error err;
    char *a, *b;
    size_t n_a, n_b;
    (void)state;

    assert_int_equal(ney_result_new(&to, NULL, &err), NEY_OK);
    ney_result_add_copy(to, "copy", from);
    ney_result_add_copy(to, "nothing", NULL);
    assert_int_equal(ney_result_count(to), 1);
    assert_int_equal(ney_result_format(from, &a, &n_a, &err), NEY_OK);
    ney_result_free(from); /* the copy stands by itself */
    assert_int_equal(ney_result_format(ney_result_find(to, "copy"), &b, &n_b, &err), NEY_OK);
    assert_string_equal(a, b);
    ney_free(NULL, a);
    ney_free(NULL, b);
    ney_result_free(to);
}

static void test_members_can_be_changed(void **state)
{
    ney_result *root = example(NULL);
    int64_t whole;
    (void)state;

    ney_result_add_int(ney_result_member(root, "empty"), "new", 3);
    assert_true(ney_result_get_int(root, "empty.new", &whole) && whole == 3);
    assert_null(ney_result_member(root, "nothing"));
    assert_null(ney_result_member(NULL, "goal"));
    ney_result_set_null(root, "certificates");
    ney_result_set_null(root, "goal");
    ney_result_set_null(root, "nothing");
    assert_int_equal(ney_result_kind_of(ney_result_find(root, "certificates")), NEY_RESULT_NULL);
    assert_int_equal(ney_result_count(ney_result_find(root, "certificates")), 0);
    assert_null(ney_result_get_text(root, "goal"));
    assert_int_equal(ney_result_count(root), 9);
    ney_result_free(root);
}

/* Each misuse is one bad addition to a fresh tree. */
static void add_badly(ney_result *root, int how)
{
    ney_result *list = ney_result_add_array(root, "list");
    switch (how) {
    case 0:
        ney_result_add_int(root, NULL, 1);
        break;
    case 1:
        ney_result_add_int(list, "key", 1);
        break;
    case 2: {
        ney_result *at = root;
        for (int k = 0; k < 40; k++) {
            at = ney_result_add_object(at, "deeper");
        }
        assert_null(at);
        break;
    }
    default: /* no misuse */
        ney_result_add_int(NULL, "key", 1);
    }
}

static void test_misuse_is_kept(void **state)
{
    (void)state;
    for (int how = 0; how < 4; how++) {
        ney_result *root;
        ney_error err;
        char *text;
        size_t n;
        assert_int_equal(ney_result_new(&root, NULL, &err), NEY_OK);
        add_badly(root, how);
        const ney_status wanted = how < 3 ? NEY_EINVAL : NEY_OK;
        assert_int_equal(ney_result_status(root, &err), wanted);
        assert_int_equal(ney_result_format(root, &text, &n, &err), wanted);
        ney_free(NULL, text);
        ney_result_free(root);
    }
}

static ney_status use_result(const void *what, const ney_env *env, ney_error *err)
{
    ney_result *root = (ney_result *)(uintptr_t)1;
    char *text = NULL;
    size_t n;
    (void)what;
    ney_status st = ney_result_new(&root, env, err);
    assert_true((st == NEY_OK) == (root != NULL));
    if (st == NEY_OK) {
        ney_result *list = ney_result_add_array(root, "list");
        ney_result_add_text(list, NULL, "words");
        ney_result_add_interval(root, "interval", 0, 1);
        ney_result_add_copy(root, "copy", list);
        st = ney_result_format(root, &text, &n, err);
        assert_true((st == NEY_OK) == (text != NULL));
    }
    ney_free(env, text);
    ney_result_free(root);
    return st;
}

static void test_refused_memory(void **state)
{
    (void)state;
    sweep_memory("result", use_result, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_are_found_by_path),
        cmocka_unit_test(test_children_in_order),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_texts_are_escaped),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_members_can_be_changed),
        cmocka_unit_test(test_misuse_is_kept),
        cmocka_unit_test(test_refused_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
