/* The format is told from the content. */
#include "data/delimiter.h"
#include "data/sniff.h"
#include "support/cmocka_all.h"

#include <string.h>

static void check(const char *name, const char *bytes, ney_format wanted)
{
    ney_format format = NEY_FORMAT_AUTO;
    ney_error err = {0};
    if (ney_sniff(name, bytes, (int64_t)strlen(bytes), NEY_FORMAT_AUTO, &format, &err) != NEY_OK ||
        format != wanted) {
        fail_msg("'%s': format %d, expected %d (%s)", bytes, (int)format, (int)wanted, err.message);
    }
}

static void tells_formats(void **state)
{
    (void)state;
    check("x", "1 1:2 3:4\n", NEY_FORMAT_SVMLIGHT);
    check("x", "# comment, with comma\n\n+1 1:2\n", NEY_FORMAT_SVMLIGHT);
    check("x", "1\n-1\n1 3:4\n", NEY_FORMAT_SVMLIGHT);
    check("x", "1\n-1\n", NEY_FORMAT_SVMLIGHT);
    check("x", "1:2 3:4\n", NEY_FORMAT_SVMLIGHT);
    check("x", "1 qid:3 1:2\n", NEY_FORMAT_SVMLIGHT);
    check("x", "1\t1:2\t2:3\n", NEY_FORMAT_SVMLIGHT);
    check("x", "1 1:2 # a, b\n", NEY_FORMAT_SVMLIGHT);
    check("x.csv", "1 1:2\n", NEY_FORMAT_SVMLIGHT);
    check("x", "label,a,b\n1,2,3\n", NEY_FORMAT_CSV);
    check("x", "\xef\xbb\xbflabel,a\n", NEY_FORMAT_CSV);
    check("x", "time,b\n12:30,2\n", NEY_FORMAT_CSV);
    check("x", "2020-01-01 12:30,2\n", NEY_FORMAT_CSV);
    check("x.svm", "label,a,b\n1,2,3\n", NEY_FORMAT_CSV);
    check("x", "label,\"a\tb\"\n1,2\n", NEY_FORMAT_CSV);
    check("x", "label\t\"a,b\"\n1\t2\n", NEY_FORMAT_TSV);
    check("x", "label\ta\n1\t2\n", NEY_FORMAT_TSV);
    check("x", "label\ta, b\n1\t2\n", NEY_FORMAT_TSV);
    check("x", "SpecId\tLabel\tScanNr\n", NEY_FORMAT_PIN);
    check("x", "PSMId\tLabel\n", NEY_FORMAT_PIN);
    check("x.csv.gz", "1\n2\n", NEY_FORMAT_CSV);
    check("x.tsv", "a\n2\n", NEY_FORMAT_TSV);
    check("x", "a\n2\n", NEY_FORMAT_CSV);
}

static void refuses_what_is_none(void **state)
{
    ney_format format;
    ney_error err;
    (void)state;
    assert_int_equal(ney_sniff("x", "", 0, NEY_FORMAT_AUTO, &format, &err), NEY_EPARSE);
    assert_int_equal(ney_sniff("x", "\n # only\n", 9, NEY_FORMAT_AUTO, &format, &err), NEY_EPARSE);
    assert_int_equal(ney_sniff("x", "1 1:2\n\0", 7, NEY_FORMAT_AUTO, &format, &err), NEY_EFORMAT);
    assert_int_equal(ney_sniff("x",
                               "\xff\xfe"
                               "1",
                               3, NEY_FORMAT_AUTO, &format, &err),
                     NEY_EFORMAT);
    assert_non_null(strstr(err.message, "UTF-16"));
    /* a model without its newline, and a text that begins like one */
    assert_int_equal(ney_sniff("x", NEY_MODEL_MAGIC " 7,", (int64_t)strlen(NEY_MODEL_MAGIC " 7"),
                               NEY_FORMAT_AUTO, &format, &err),
                     NEY_EFORMAT);
    assert_non_null(strstr(err.message, "is a model"));
    check("x", NEY_MODEL_MAGIC " 7,label\n", NEY_FORMAT_CSV);
}

/* Texts that begin like other kinds of files, by a label or the name of a column: the stated format
 * wins. */
static void stated_format_wins(void **state)
{
    static const char *const rows[] = {"<htmll 1:2\n", "<!DOCTYPE 1:2\n", "%PDF-1.4 1:2\n",
                                       "<?xml 1:2\n",  "@relation 1:2\n", "[[ 1:2\n",
                                       "{\"a\" 1:2\n"};
    ney_format format;
    ney_error err = {0};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const int64_t n = (int64_t)strlen(rows[i]);
        assert_int_equal(ney_sniff("x", rows[i], n, NEY_FORMAT_AUTO, &format, &err), NEY_EFORMAT);
        if (ney_sniff("x", rows[i], n, NEY_FORMAT_SVMLIGHT, &format, &err) != NEY_OK) {
            fail_msg("'%s': %s", rows[i], err.message);
        }
    }
}

/* A cache has its name and a version of four bytes, the last of them 0; complete or cut there. */
static void tells_a_cache_from_a_label(void **state)
{
    static const char cache[] = NEY_CACHE_MAGIC "\1\0\0";
    static const int64_t cut[] = {8, 9, 10, 12};
    ney_format format;
    (void)state;
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        format = NEY_FORMAT_AUTO;
        assert_int_equal(ney_sniff("x", cache, cut[i], NEY_FORMAT_AUTO, &format, NULL), NEY_OK);
        assert_int_equal(format, NEY_FORMAT_CACHE);
    }
    check("x", NEY_CACHE_MAGIC " 1:2\n", NEY_FORMAT_SVMLIGHT);
    check("x.svm", NEY_CACHE_MAGIC "\n", NEY_FORMAT_SVMLIGHT);
    check("x", NEY_CACHE_MAGIC ",label\n", NEY_FORMAT_CSV);
    check("x", NEY_CACHE_MAGIC "\n2\002 1:1\n", NEY_FORMAT_SVMLIGHT);
    check("x", NEY_MODEL_MAGIC " 1:2\n", NEY_FORMAT_SVMLIGHT);
}

/* The same of an archive: PK, two control characters, and a number with a zero byte. */
static void tells_an_archive_from_a_label(void **state)
{
    static const char local[] = "PK\x03\x04\x2d\0\0", empty[] = "PK\x05\x06\0\0\0";
    ney_format format;
    (void)state;
    for (int64_t n = 4; n < (int64_t)sizeof local; n += n == 4 ? 2 : 1) {
        format = NEY_FORMAT_AUTO;
        assert_int_equal(ney_sniff("x", local, n, NEY_FORMAT_AUTO, &format, NULL), NEY_OK);
        assert_int_equal(format, NEY_FORMAT_NPZ);
        format = NEY_FORMAT_AUTO;
        assert_int_equal(ney_sniff("x", empty, n, NEY_FORMAT_AUTO, &format, NULL), NEY_OK);
        assert_int_equal(format, NEY_FORMAT_NPZ);
    }
    check("x", "PK\x03\x04 1:2\n", NEY_FORMAT_SVMLIGHT);
    check("x", "PK\x05\x06,label\n", NEY_FORMAT_CSV);
}

/* The usual ways to be no table: the message says which. */
static void says_what_else_it_is(void **state)
{
    static const struct {
        const char *bytes, *part;
        ney_status status;
        int64_t line;
    } cases[] = {
        {"a,b\r1,2\r", "CR alone", NEY_EPARSE, 0},
        {"neyman-model 1\nfamily linear\n", "is a model, expected data", NEY_EFORMAT, 0},
        {"age income label\n1 2 0\n", "neither svmlight nor a table", NEY_EPARSE, 1},
    };
    ney_format format;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ney_error err = {0};
        assert_int_equal(ney_sniff("x", cases[i].bytes, (int64_t)strlen(cases[i].bytes),
                                   NEY_FORMAT_AUTO, &format, &err),
                         cases[i].status);
        assert_non_null(strstr(err.message, cases[i].part));
        assert_int_equal(err.line, cases[i].line);
    }
    /* Not these: a name in quotes, numbers, a format that the caller is sure of. */
    check("x", "\"a;b\"\n1\n", NEY_FORMAT_CSV);
    check("x", "1 2\n", NEY_FORMAT_SVMLIGHT);
    check("x", "1 # a;b|c\n1 1:2\n", NEY_FORMAT_SVMLIGHT);
    check("x", "a,b\r\n1,2\r\n", NEY_FORMAT_CSV);
    check("x", "1 1:2\r", NEY_FORMAT_SVMLIGHT);
    assert_int_equal(ney_sniff("x", "a b\n1\n", 6, NEY_FORMAT_CSV, &format, NULL), NEY_OK);
}

static void names_stand_for_formats(void **state)
{
    (void)state;
    assert_int_equal(ney_format_of_name("a.svm"), NEY_FORMAT_SVMLIGHT);
    assert_int_equal(ney_format_of_name("a.b.LIBSVM"), NEY_FORMAT_SVMLIGHT);
    assert_int_equal(ney_format_of_name("a.csv.zst"), NEY_FORMAT_CSV);
    assert_int_equal(ney_format_of_name("a.tsv.gz"), NEY_FORMAT_TSV);
    assert_int_equal(ney_format_of_name("dir.csv/pin"), NEY_FORMAT_AUTO);
    assert_int_equal(ney_format_of_name("a.pin"), NEY_FORMAT_PIN);
    assert_int_equal(ney_format_of_name("a.ney"), NEY_FORMAT_CACHE);
    assert_int_equal(ney_format_of_name(".csv"), NEY_FORMAT_AUTO);
    assert_int_equal(ney_format_of_name(""), NEY_FORMAT_AUTO);
}

static void delimiter_is(char wanted, const char *text)
{
    const char found = ney_find_delimiter(text, (int64_t)strlen(text), true);
    if (found != wanted) {
        fail_msg("'%s': delimiter '%c', expected '%c'", text, found, wanted);
    }
}

/* Quotes count as the reader of fields counts them: only around whole fields. */
static void finds_the_delimiter(void **state)
{
    (void)state;
    delimiter_is(',', "a,b\n1,2\n");
    delimiter_is(';', "a;b\n1,5;2\n");
    delimiter_is(';', "a,b;c,d;e,f\n1;2;3\n");
    delimiter_is('\t', "a\tb\n1\t2\n");
    delimiter_is('|', "a|b|\n1|2|\n");
    delimiter_is(' ', " a  b\n1 2\n");
    delimiter_is(',', "x\n1\n");
    delimiter_is(';', "5\" disk;price\n1;2\n");
    delimiter_is(';', "height 5\" a;b;c\n1;2;3\n");
    delimiter_is(',', "y,\"say \"\"a\"\" b;c;d;e\"\n1,2\n");
    delimiter_is(',', "y,\"a;b;c;d\"\n");
    delimiter_is(',', "\"a;\",b\n1,\n");
    delimiter_is(',', "y,\"a\n;b;\"\n1,2\n");
    delimiter_is(',', "\"a;b\",\"c;d\"\n\"1;1\",\"2;1\"\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_formats),
        cmocka_unit_test(finds_the_delimiter),
        cmocka_unit_test(refuses_what_is_none),
        cmocka_unit_test(stated_format_wins),
        cmocka_unit_test(tells_a_cache_from_a_label),
        cmocka_unit_test(tells_an_archive_from_a_label),
        cmocka_unit_test(says_what_else_it_is),
        cmocka_unit_test(names_stand_for_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
