/* Score files of every shape, and what is said of those that are none. */
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/temp.h"

#include <neyman/experimental.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static ney_read_opts plain_opts(void)
{
    int64_t n;
    ney_read_opts o;
    const ney_param *params = ney_read_params(&n);
    ney_params_init(params, n, &o);
    return o;
}

/* ---- shapes that mean the same */

typedef struct shape {
    const char *why, *text, *label, *positive;
} shape;

/* All hold: spam 2.5, ham -1, spam 0.125, ham inf. */
static const shape shapes[] = {
    {"tsv", "label\tscore\nspam\t2.5\nham\t-1\nspam\t0.125\nham\tinf\n", NULL, NULL},
    {"no header", "spam\t2.5\nham\t-1\nspam\t0.125\nham\tinf\n", NULL, NULL},
    {"csv, no header", "spam,2.5\nham,-1\nspam,.125\nham,inf\n", NULL, NULL},
    {"no newline at the end", "label,score\nspam,2.5\nham,-1\nspam,0.125\nham,inf", NULL, NULL},
    {"columns exchanged", "score,label\n2.5,spam\n-1,ham\n0.125,spam\ninf,ham\n", NULL, NULL},
    {"capitals", "Label,SCORE\nspam,2.5\nham,-1\nspam,0.125\nham,Infinity\n", NULL, NULL},
    {"other columns", "id,label,what,score\n1,spam,,2.5\n2,ham,x,-1\n3,spam,,0.125\n4,ham,?,inf\n",
     NULL, NULL},
    {"as predict writes",
     "predicted\tscore\tlabel\nham\t2.5\tspam\nham\t-1\tham\nham\t0.125\tspam\n"
     "spam\tinf\tham\n",
     NULL, NULL},
    {"crlf", "label\tscore\r\nspam\t2.5\r\nham\t-1\r\nspam\t0.125\r\nham\tinf\r\n", NULL, NULL},
    {"crlf, no header", "spam,2.5\r\nham,-1\r\nspam,0.125\r\nham,inf\r\n", NULL, NULL},
    {"quoted", "\"label\",\"score\"\n\"spam\",\"2.5\"\nham,-1\n\"spam\",0.125\nham,\"inf\"\n", NULL,
     NULL},
    {"spaces", "label , score\n spam ,  2.5\nham, -1 \nspam,0.125\nham,inf\n", NULL, NULL},
    {"byte-order mark", "\xef\xbb\xbflabel,score\nspam,2.5\nham,-1\nspam,0.125\nham,inf\n", NULL,
     NULL},
    {"byte-order mark, no header", "\xef\xbb\xbfspam,2.5\nham,-1\nspam,0.125\nham,inf\n", NULL,
     NULL},
    {"empty lines in front", "\n\r\nlabel,score\nspam,2.5\nham,-1\n\nspam,0.125\nham,inf\n", NULL,
     NULL},
    {"a newline in a name", "label,\"a\nb\",score\nspam,,2.5\nham,,-1\nspam,,.125\nham,,inf\n",
     NULL, NULL},
    {"the label has another name", "truth,score\nspam,2.5\nham,-1\nspam,0.125\nham,inf\n", "truth",
     NULL},
    {"a label beside the one named",
     "label,score,truth\n1,2.5,spam\n1,-1,ham\n1,0.125,spam\n"
     "1,inf,ham\n",
     "truth", NULL},
    {"exponents", "label,score\nspam,+25e-1\nham,-1.0\nspam,1.25E-1\nham,1e999\n", NULL, NULL},
    {"told which is positive", "label,score\nspam,2.5\nham,-1\nspam,0.125\nham,inf\n", NULL,
     "spam"},
};

static void check_spam(const char *why, const ney_scores *s)
{
    static const double score[] = {2.5, -1, 0.125, INFINITY};
    static const int8_t label[] = {1, -1, 1, -1};
    if (ney_scores_count(s) != 4 || memcmp(ney_scores_value(s), score, sizeof score) != 0 ||
        memcmp(ney_scores_label(s), label, sizeof label) != 0 ||
        strcmp(ney_scores_name(s, 1), "spam") != 0 || strcmp(ney_scores_name(s, -1), "ham") != 0) {
        fail_msg("%s: not what was written", why);
    }
}

static void test_shapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        ney_read_opts o = plain_opts();
        ney_error err = {0};
        ney_scores *s = NULL;
        o.label = shapes[i].label;
        o.positive = shapes[i].positive;
        if (ney_scores_read_with(&s, NULL, temp_text("shape", shapes[i].text), &o, &err) !=
            NEY_OK) {
            fail_msg("%s: %s", shapes[i].why, err.message);
        }
        check_spam(shapes[i].why, s);
        ney_scores_free(s);
    }
    ney_scores_free(NULL);
}

/* A header longer than what is looked at first. */
static void test_a_long_header(void **state)
{
    text t = {0};
    ney_scores *s = NULL;
    ney_error err = {0};
    (void)state;
    for (int i = 0; i < 20000; i++) {
        text_printf(&t, "column%d,", i);
    }
    text_put(&t, "label,score\n");
    for (int row = 0; row < 4; row++) {
        static const char *const end[] = {"spam,2.5\n", "ham,-1\n", "spam,0.125\n", "ham,inf\n"};
        for (int i = 0; i < 20000; i++) {
            text_put(&t, ",");
        }
        text_put(&t, end[row]);
    }
    if (ney_scores_read_with(&s, NULL, temp_file("long", t.bytes, t.length), NULL, &err) !=
        NEY_OK) {
        fail_msg("%s", err.message);
    }
    check_spam("a long header", s);
    ney_scores_free(s);
    text_free(&t);
}

static void test_compressed_and_piped(void **state)
{
    size_t n_gz, n_zst;
    const char *words = shapes[0].text;
    char *gz = gzip_of(words, strlen(words), &n_gz),
         *zst = zstd_of(words, strlen(words), true, &n_zst);
    const char *const paths[] = {temp_file("a.tsv.gz", gz, n_gz), temp_file("b", zst, n_zst)};
    ney_scores *s;
    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ney_scores_read_with(&s, NULL, paths[i], NULL, NULL), NEY_OK);
        check_spam("compressed", s);
        ney_scores_free(s);
    }
    for (size_t chunk = 1; chunk < 40; chunk += 7) {
        assert_int_equal(
            ney_scores_read_with(&s, NULL, temp_pipe(words, strlen(words), chunk), NULL, NULL),
            NEY_OK);
        temp_pipe_end();
        check_spam("piped", s);
        ney_scores_free(s);
    }
    free(gz);
    free(zst);
}

/* ---- which class is positive */

static void test_the_positive_class(void **state)
{
    static const struct {
        const char *text, *positive;
        int8_t first;
        const char *positive_name, *negative_name;
    } cases[] = {
        {"1,5\n0,6\n", NULL, 1, "1", "0"},     {"0,5\n1,6\n", NULL, -1, "1", "0"},
        {"-1,5\n+1,6\n", NULL, -1, "1", "-1"}, {"9,5\n10,6\n", NULL, -1, "10", "9"},
        {"10,5\n9,6\n", NULL, 1, "10", "9"},   {"a,5\nb,6\n", NULL, -1, "b", "a"},
        {"1,5\n0,6\n", "0", -1, "0", "1"},     {"0,5\n1,6\n", "0", 1, "0", "1"},
        {"1.0,5\n0,6\n", "1", 1, "1", "0"},    {"1,5\n1,6\n", NULL, 1, "1", ""},
        {"0,5\n0,6\n", NULL, -1, "", "0"},     {"-1,5\n-1,6\n", NULL, -1, "", "-1"},
        {"a,5\na,6\n", "a", 1, "a", ""},       {"a,5\na,6\n", "b", -1, "", "a"},
        {"1,1\n0,1\n", NULL, 1, "1", "0"},     {"0,0\n1,0\n", NULL, -1, "1", "0"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ney_read_opts o = plain_opts();
        ney_scores *s = NULL;
        ney_error err = {0};
        o.positive = cases[i].positive;
        if (ney_scores_read_with(&s, NULL, temp_text("classes", cases[i].text), &o, &err) !=
            NEY_OK) {
            fail_msg("case %d: %s", (int)i, err.message);
        }
        if (ney_scores_label(s)[0] != cases[i].first ||
            strcmp(ney_scores_name(s, 1), cases[i].positive_name) != 0 ||
            strcmp(ney_scores_name(s, -1), cases[i].negative_name) != 0) {
            fail_msg("case %d: first %d, '%s' against '%s'", (int)i, ney_scores_label(s)[0],
                     ney_scores_name(s, 1), ney_scores_name(s, -1));
        }
        ney_scores_free(s);
    }
}

/* ---- refusals */

static void test_refusals(void **state)
{
    static const struct {
        const char *why, *text;
        ney_status status;
        int64_t line;
        const char *part, *label, *positive;
    } cases[] = {
        {"empty", "", NEY_EPARSE, 0, "no rows", NULL, NULL},
        {"a header alone", "label,score\n", NEY_EPARSE, 0, "has no rows", NULL, NULL},
        {"a third label", "label,score\n1,1\n0,2\n1,3\n2,4\n", NEY_EPARSE, 5, "found label '2'",
         NULL, NULL},
        {"a third label, no header", "a,1\nb,2\nc,4\n", NEY_EPARSE, 3, "found label 'c'", NULL,
         NULL},
        {"not a number", "label,score\n1,1\n0,nan\n", NEY_EPARSE, 3, "found score 'nan'", NULL,
         NULL},
        {"not a number, signed", "1,1\n0,-NaN\n", NEY_EPARSE, 2, "found score '-NaN'", NULL, NULL},
        {"a word", "label,score\n1,high\n", NEY_EPARSE, 2, "found score 'high'", NULL, NULL},
        {"a number and more", "1,1\n1,2x\n", NEY_EPARSE, 2, "found score '2x'", NULL, NULL},
        {"no score", "label,score\n1,\n", NEY_EPARSE, 2, "found score ''", NULL, NULL},
        {"missing score", "label,score\n1,NA\n", NEY_EPARSE, 2, "found score 'NA'", NULL, NULL},
        {"no label", "label,score\n1,1\n,2\n", NEY_EPARSE, 3, "found no label", NULL, NULL},
        {"missing label", "label,score\n?,1\n", NEY_EPARSE, 2, "found no label", NULL, NULL},
        {"a short row", "label,score\n1,1\n0\n", NEY_EPARSE, 3, "", NULL, NULL},
        {"a long row", "label,score\n1,1\n0,2,3\n", NEY_EPARSE, 3, "", NULL, NULL},
        {"one column", "1\n2\n", NEY_EPARSE, 1, "two columns", NULL, NULL},
        {"three columns without names", "1,2,3\n4,5,6\n", NEY_EPARSE, 1, "found 3 columns", NULL,
         NULL},
        {"no label column", "id,score\n1,2\n", NEY_EPARSE, 1, "no column 'label'", NULL, NULL},
        {"no such label column", "label,score\n1,2\n", NEY_EPARSE, 1, "no column 'truth'", "truth",
         NULL},
        {"svmlight", "1 1:0.5\n-1 1:2\n", NEY_EPARSE, 1, "found score '1:0.5'", NULL, NULL},
        {"positive is neither", "1,1\n0,2\n", NEY_EPARSE, 0, "expected '7'", NULL, "7"},
        {"an open quote", "label,score\n1,\"2\n", NEY_EPARSE, 2, "", NULL, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ney_read_opts o = plain_opts();
        ney_scores *s = (ney_scores *)(uintptr_t)1;
        ney_error err = {0};
        o.label = cases[i].label;
        o.positive = cases[i].positive;
        const ney_status st =
            ney_scores_read_with(&s, NULL, temp_text("bad", cases[i].text), &o, &err);
        if (st != cases[i].status || s != NULL || err.line != cases[i].line ||
            !strstr(err.message, cases[i].part) || !strstr(err.file, "bad")) {
            fail_msg("%s: status %d, line %d: %s", cases[i].why, (int)st, (int)err.line,
                     err.message);
        }
    }
}

static void test_other_files(void **state)
{
    static const char cache[] = "neyman\x1a\x01 and more that is not looked at";
    ney_scores *s = (ney_scores *)(uintptr_t)1;
    ney_error err = {0};
    (void)state;
    assert_int_equal(ney_scores_read_with(&s, NULL, temp_path("absent"), NULL, &err), NEY_EIO);
    assert_null(s);
    assert_int_not_equal(
        ney_scores_read_with(&s, NULL, temp_file("c", cache, sizeof cache), NULL, &err), NEY_OK);
    assert_null(s);
    assert_int_equal(ney_scores_read_with(&s, NULL, temp_file("nul", "1,\0002\n", 5), NULL, &err),
                     NEY_EFORMAT);
}

/* ---- many rows: pieces and threads do not show */

static void test_many_rows(void **state)
{
    enum { N = 200000 };
    rnd r = rnd_new(331);
    text t = {0};
    double *score = malloc(N * sizeof *score);
    int8_t *label = malloc(N);
    (void)state;
    text_put(&t, "score\tnote\tlabel\n");
    for (int i = 0; i < N; i++) {
        score[i] = ldexp(rnd_unit(&r) - 0.5, (int)rnd_below(&r, 60) - 30);
        label[i] = i < N / 2 || rnd_chance(&r, 0.5) ? 1 : -1; /* the other class comes late */
        text_printf(&t, "%.17g\t%d\t%s\n", score[i], i, label[i] > 0 ? "yes" : "no");
    }
    for (int threads = 1; threads <= 4; threads += 3) {
        ney_env env = ney_env_default();
        ney_scores *s;
        env.threads = threads;
        assert_int_equal(
            ney_scores_read_with(&s, &env, temp_file("many", t.bytes, t.length), NULL, NULL),
            NEY_OK);
        assert_int_equal(ney_scores_count(s), N);
        assert_memory_equal(ney_scores_value(s), score, N * sizeof *score);
        assert_memory_equal(ney_scores_label(s), label, N);
        int64_t length = 1;
        assert_null(ney_scores_by(s, 0, &length)); /* it was read without a column */
        assert_int_equal(length, 0);
        ney_scores_free(s);
        assert_int_equal(
            ney_scores_read_by(&s, &env, temp_file("many", t.bytes, t.length), NULL, "note", NULL),
            NEY_OK);
        for (int i = 0; i < N; i++) {
            char note[16];
            snprintf(note, sizeof note, "%d", i);
            const char *const by = ney_scores_by(s, i, &length);
            assert_int_equal(length, strlen(note));
            assert_memory_equal(by, note, strlen(note));
        }
        assert_null(ney_scores_by(s, N, &length));
        assert_null(ney_scores_by(s, -1, &length));
        ney_scores_free(s);
    }
    /* a third label far down is found at its line */
    ney_scores *s;
    ney_error err = {0};
    text_put(&t, "1\t1\tmaybe\n");
    assert_int_equal(
        ney_scores_read_with(&s, NULL, temp_file("many", t.bytes, t.length), NULL, &err),
        NEY_EPARSE);
    assert_int_equal(err.line, N + 2);
    text_free(&t);
    free(score);
    free(label);
}

/* ---- rows as they come */

/* What names the labels ham and spam. */
static ney_data *ham_and_spam(void)
{
    static const char words[] = "x,label\n1,ham\n2,spam\n";
    ney_read_opts o = plain_opts();
    ney_data *d = NULL;
    o.label = "label";
    assert_int_equal(
        ney_data_parse_with(&d, NULL, "labels", words, sizeof words - 1, &o, NULL, NULL), NEY_OK);
    return d;
}

static void assert_stream(ney_score_stream *s)
{
    static const double want[] = {2.5, -1, 0.125, (double)INFINITY};
    const double *score;
    const int8_t *label;
    int64_t rows = 0, n = 1;
    while (n > 0) {
        assert_int_equal(ney_score_stream_next(s, &score, &label, &n, NULL), NEY_OK);
        for (int64_t i = 0; i < n; i++, rows++) {
            assert_true(rows < 4 && score[i] == want[rows]);
            assert_int_equal(label[i], rows % 2 ? -1 : 1);
        }
    }
    assert_int_equal(rows, 4);
}

/* Every shape, however its bytes are cut on their way through a pipe. */
static void test_streams(void **state)
{
    static const size_t chunks[] = {1, 5, 1000};
    ney_data *labels = ham_and_spam();
    (void)state;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        for (size_t c = 0; c < 3 && !shapes[k].label && !shapes[k].positive; c++) {
            const size_t n = strlen(shapes[k].text);
            ney_score_stream *s = NULL;
            assert_int_equal(ney_score_stream_open(&s, NULL,
                                                   temp_pipe(shapes[k].text, n, chunks[c]),
                                                   ney_data_preprocessing(labels), NULL),
                             NEY_OK);
            assert_stream(s);
            ney_score_stream_close(s);
            temp_pipe_end();
        }
    }
    ney_data_free(labels);
}

/* A row is given once its line is there, while the writer still holds the pipe open. */
static void test_streams_do_not_wait(void **state)
{
    static const char *const lines[] = {"label\tscore\nham\t1\n", "spam\t2\nham", "\t3\n"};
    static const double want[] = {1, 2, 3};
    ney_data *labels = ham_and_spam();
    ney_score_stream *s = NULL;
    const double *score;
    const int8_t *label;
    int64_t n;
    int fd[2];
    char path[32];
    (void)state;
    assert_int_equal(pipe(fd), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", fd[0]);
    for (int i = 0; i < 3; i++) {
        const ssize_t length = (ssize_t)strlen(lines[i]);
        assert_int_equal(write(fd[1], lines[i], (size_t)length), length);
        if (i == 0) {
            assert_int_equal(
                ney_score_stream_open(&s, NULL, path, ney_data_preprocessing(labels), NULL),
                NEY_OK);
        }
        assert_int_equal(ney_score_stream_next(s, &score, &label, &n, NULL), NEY_OK);
        assert_int_equal(n, 1);
        assert_true(score[0] == want[i]);
        assert_int_equal(label[0], i == 1 ? 1 : -1);
    }
    close(fd[1]);
    assert_int_equal(ney_score_stream_next(s, &score, &label, &n, NULL), NEY_OK);
    assert_int_equal(n, 0);
    assert_int_equal(ney_score_stream_next(s, &score, &label, &n, NULL), NEY_OK);
    assert_int_equal(n, 0);
    ney_score_stream_close(s);
    close(fd[0]);
    ney_data_free(labels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_a_long_header),
        cmocka_unit_test(test_compressed_and_piped),
        cmocka_unit_test(test_the_positive_class),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_other_files),
        cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_streams_do_not_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
