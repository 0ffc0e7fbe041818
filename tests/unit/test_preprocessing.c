/* Preprocessing comes back from its text exactly; damaged text is refused. */
#include "data/data.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/same.h"

#include <stdlib.h>
#include <string.h>

static ney_preprocessing *parse_preprocessing(const char *words, ney_error *err)
{
    static ney_env env;
    ney_fields f;
    env = ney_env_of(NULL);
    ney_fields_init(&f, &env, "recipe", words, (int64_t)strlen(words), err);
    ney_preprocessing *r = ney_preprocessing_parse(&f);
    assert_int_equal(r == NULL, f.status != NEY_OK);
    return r;
}

static char *text_of(const ney_preprocessing *r)
{
    const ney_env env = ney_env_of(NULL);
    ney_text t;
    ney_text_init(&t, &env);
    ney_preprocessing_format(r, &t);
    assert_false(t.failed);
    return t.bytes;
}

/* Names with everything in them, categories, gaps, far columns, weights. */
static ney_data *rich(ney_scaling scaling)
{
    ney_read_opts o = read_defaults();
    o.missing = NEY_MISSING_MEAN;
    o.weight = "w";
    ney_data *d = parse("class,\"a %\nb\",w,far,\xc3\xa9\n"
                        "\"not, \"\"spam\"\"\",1.25,1,1600000000.125,x y\n"
                        "spam,?,2,1600000000.5,%41\nspam,0.1,3,1600000000.75,\"\tq\"\n",
                        &o);
    assert_int_equal(ney_data_prepare(d, scaling, NULL, 0, NULL), NEY_OK);
    return d;
}

static void text_comes_back(void **state)
{
    const ney_env env = ney_env_of(NULL);
    (void)state;
    for (int scaling = NEY_SCALING_NONE; scaling <= NEY_SCALING_RANK; scaling++) {
        ney_data *d = rich((ney_scaling)scaling);
        char *words = text_of(ney_data_preprocessing(d));
        ney_error err;
        ney_preprocessing *r = parse_preprocessing(words, &err), *copy;
        assert_same_preprocessing(r, ney_data_preprocessing(d));
        assert_int_equal(ney_preprocessing_scaling(r), scaling);
        assert_string_equal(ney_preprocessing_label(r, 1), "spam");
        assert_string_equal(ney_preprocessing_label(r, -1), "not, \"spam\"");
        assert_int_equal(ney_preprocessing_copy(&copy, &env, r, &err), NEY_OK);
        assert_same_preprocessing(r, copy);
        for (int64_t c = 0; c < ney_preprocessing_cols(r); c++) {
            char a[50], b[50];
            ney_preprocessing_feature(r, c, a, sizeof a);
            ney_preprocessing_feature(ney_data_preprocessing(d), c, b, sizeof b);
            assert_string_equal(a, b);
        }
        ney_preprocessing_free(copy);
        ney_preprocessing_free(r);
        free(words);
        ney_data_free(d);
    }
}

/* Every cut is refused; every flipped bit is refused or gives preprocessing that can be written. */
static void damage_never_crashes(void **state)
{
    ney_data *d = rich(NEY_SCALING_RANK);
    char *words = text_of(ney_data_preprocessing(d));
    const size_t n = strlen(words);
    ney_error err;
    (void)state;
    for (size_t cut = 0; cut < n; cut++) {
        char *part = malloc(cut + 1);
        memcpy(part, words, cut);
        part[cut] = '\0';
        assert_null(parse_preprocessing(part, &err));
        assert_int_equal(err.code, NEY_EFORMAT);
        free(part);
    }
    for (size_t at = 0; at < n; at++) {
        for (int bit = 0; bit < 7; bit++) {
            words[at] ^= (char)(1 << bit);
            if (words[at] != '\0') {
                ney_preprocessing *r = parse_preprocessing(words, &err);
                if (r) {
                    free(text_of(r));
                    ney_preprocessing_free(r);
                }
            }
            words[at] ^= (char)(1 << bit);
        }
    }
    free(words);
    ney_data_free(d);
}

static void counts_must_agree(void **state)
{
    static const char *const bad[] = {
        "recipe csv\ncolumns 2\ninputs 1\nnumber a\nend-recipe\n",
        "recipe csv\ncolumns 99999999999\nend-recipe\n",
        "recipe csv\ncolumns -1\nend-recipe\n",
        "recipe csv\ncolumns 3\nshift 1 2\nend-recipe\n",
        "recipe csv\ncolumns 1\nshift 1 2\nend-recipe\n",
        "recipe csv\ncolumns 1\ninputs 1\ncategory a\nend-recipe\n",
        "recipe fax\ncolumns 1\nend-recipe\n",
        "recipe csv\ncolumns 1\nscaling log\nend-recipe\n",
        "recipe csv\ncolumns 2000000000\nshift 1\nend-recipe\n",
        "recipe csv\ncolumns 1\ninputs 999999999\nnumber a\nend-recipe\n",
        "recipe csv\ncolumns 1\nmissing fax\nend-recipe\n",
        "recipe csv\ncolumns 1\nrank 1 0 0.5\nend-recipe\n",
        "recipe csv\ncolumns 1\noffset 0\nfactor 1\nrank 2 0 0.5\nend-recipe\n",
        "recipe csv\ncolumns 1\noffset 0\nfactor 1\nrank 1 0 0.5 0 0.6\nend-recipe\n",
        "recipe csv\ncolumns 1\noffset 0\nfactor 1\nrank 1 0 0.5 1 0.4\nend-recipe\n",
        "recipe csv\ncolumns 1\noffset 0\nfactor 1\nrank 1 0 1.5\nend-recipe\n",
        "recipe csv\ncolumns 1\noffset 0\nfactor 1\nrank 1 0\nend-recipe\n",
        "recipe csv\ncolumns 1\noffset 0\nfactor 1\nrank 1 inf 0.5\nend-recipe\n",
        "recipe csv\ncolumns 1\noffset 0\nfactor 1\nrank 1 0 0 1e39 1\nend-recipe\n",
    };
    ney_error err;
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_null(parse_preprocessing(bad[i], &err));
        assert_int_equal(err.code, NEY_EFORMAT);
        assert_true(err.line >= 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_comes_back),
        cmocka_unit_test(damage_never_crashes),
        cmocka_unit_test(counts_must_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
