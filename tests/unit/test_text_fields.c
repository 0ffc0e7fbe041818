/* ney_text writes what ney_fields reads. */
#include "base/fields.h"
#include "base/text.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void words_and_numbers_come_back(void **state)
{
    const ney_env env = ney_env_of(NULL);
    rnd r = rnd_new(11);
    (void)state;
    for (int round = 0; round < 300; round++) {
        ney_text t;
        char word[20];
        const int n = (int)rnd_below(&r, 19);
        for (int i = 0; i < n; i++) {
            word[i] = (char)(1 + rnd_below(&r, 255));
        }
        word[n] = '\0';
        const double x = (rnd_unit(&r) - 0.5) * pow(10, (double)rnd_below(&r, 40) - 20);
        const int64_t k = (int64_t)rnd_next(&r);
        ney_text_init(&t, &env);
        ney_text_put(&t, "key ");
        ney_text_word(&t, word);
        ney_text_put(&t, " ");
        ney_text_number(&t, x);
        ney_text_put(&t, " ");
        ney_text_int(&t, k);
        ney_text_put(&t, "\nend\n");
        assert_false(t.failed);
        assert_int_equal(t.length, strlen(t.bytes));

        ney_fields f;
        ney_error err;
        ney_fields_init(&f, &env, "file", t.bytes, t.length, &err);
        assert_true(ney_fields_is(&f, "key"));
        assert_false(ney_fields_is(&f, "ke"));
        ney_fields_key(&f, "key");
        char *back = ney_fields_word(&f);
        assert_string_equal(back, word);
        ney_release(&env, back);
        assert_true(ney_fields_number(&f) == x);
        assert_true(ney_fields_int(&f, INT64_MIN, INT64_MAX) == k);
        assert_true(ney_fields_at_end(&f));
        ney_fields_end(&f);
        ney_fields_key(&f, "end");
        ney_fields_end(&f);
        assert_int_equal(f.status, NEY_OK);
        assert_ptr_equal(f.at, f.end);
        ney_text_deinit(&t);
    }
}

static void bad_lines_are_told(void **state)
{
    static const struct {
        const char *words, *part;
        int64_t line;
    } cases[] = {
        {"", "ends here", 1},
        {"other 1\n", "expected a line 'key'", 1},
        {"key\n", "a whole number", 1},
        {"key  1\n", "two spaces", 1},
        {"key 1x\n", "1x", 1},
        {"key 11\n", "from 0 to 10", 1},
        {"key -1\n", "from 0 to 10", 1},
        {"key 1 2\n", "end of the line", 1},
        {"key 1", "end of the line", 1},
        {"key 1\nkey %4\n", "hexadecimal", 2},
        {"key 1\nkey %00\n", "hexadecimal", 2},
        {"key 1\nkey a%zz\n", "hexadecimal", 2},
    };
    const ney_env env = ney_env_of(NULL);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ney_fields f;
        ney_error err = {0};
        ney_fields_init(&f, &env, "file", cases[i].words, (int64_t)strlen(cases[i].words), &err);
        ney_fields_key(&f, "key");
        ney_fields_int(&f, 0, 10);
        ney_fields_end(&f);
        if (f.status == NEY_OK) {
            ney_fields_key(&f, "key");
            ney_release(&env, ney_fields_word(&f));
        }
        assert_int_equal(f.status, NEY_EFORMAT);
        assert_non_null(strstr(err.message, cases[i].part));
        assert_int_equal(err.line, cases[i].line);
        assert_string_equal(err.file, "file");
    }
}

static void *refuse_all(void *user, void *block, size_t bytes)
{
    (void)user;
    if (bytes == 0) {
        free(block);
    }
    return NULL;
}

static void a_refused_text_stays_failed(void **state)
{
    const ney_env env = {.resize = refuse_all};
    ney_text t;
    (void)state;
    ney_text_init(&t, &env);
    ney_text_put(&t, "words");
    ney_text_number(&t, 1);
    assert_true(t.failed);
    assert_int_equal(t.length, 0);
    ney_text_deinit(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_and_numbers_come_back),
        cmocka_unit_test(bad_lines_are_told),
        cmocka_unit_test(a_refused_text_stays_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
