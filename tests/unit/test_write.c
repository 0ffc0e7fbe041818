/* What is written is read back, in every format. */
#include "data/data.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/same.h"
#include "support/share.h"
#include "support/temp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *path_of(ney_format format)
{
    static const char *const names[] = {"", "w.svm", "w.csv", "w.tsv", "w.pin", "w.ney"};
    return temp_path(names[format]);
}

static ney_data *through(const ney_data *d, ney_format format, const ney_read_opts *o)
{
    ney_error err;
    char path[512];
    strcpy(path, path_of(format));
    if (ney_data_write(d, NULL, path, NEY_FORMAT_AUTO, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    return read_file(path, o, 2);
}

/* Cells, labels and weights; storage and names may differ. */
static void assert_same_cells(const ney_data *a, const ney_data *b, bool weights)
{
    const ney_matrix *x = ney_data_matrix(a), *y = ney_data_matrix(b);
    const int64_t cols = x->cols > y->cols ? x->cols : y->cols;
    assert_int_equal(x->rows, y->rows);
    assert_int_equal(!ney_data_label(a), !ney_data_label(b));
    for (int64_t i = 0; i < x->rows; i++) {
        for (int64_t c = 0; c < cols; c++) {
            const float v = c < x->cols ? cell(a, i, c) : 0, w = c < y->cols ? cell(b, i, c) : 0;
            assert_true(v == w || (isnan(v) && isnan(w)));
        }
        assert_true(!ney_data_label(a) || ney_data_label(a)[i] == ney_data_label(b)[i]);
        const float u = ney_data_weight(a) ? ney_data_weight(a)[i] : 1;
        const float v = ney_data_weight(b) ? ney_data_weight(b)[i] : 1;
        assert_true(!weights || u == v);
    }
}

static void numbers_come_back_exactly(void **state)
{
    rnd r = rnd_new(1001);
    text t = {0};
    (void)state;
    for (int64_t round = test_share(60); round > 0; round--) {
        const bool labels = rnd_chance(&r, 0.7), weights = rnd_chance(&r, 0.5);
        const bool sparse = rnd_chance(&r, 0.5), gaps = rnd_chance(&r, 0.3);
        const int64_t rows = round % 15 == 0 ? 3000 : 2 + rnd_below(&r, 20); /* more than a block */
        t.length = 0;
        for (int64_t i = 0; i < rows; i++) {
            text_put(&t, labels ? (i % 2 ? "5" : "-2") : (i % 3 ? "" : "1:0"));
            text_put(&t, weights && i % 3 ? " cost:0.3" : "");
            for (int c = 1; c < 6 && (labels || i % 3); c++) {
                text_printf(&t, " %d:", sparse ? c * 20 : c);
                if (gaps && rnd_chance(&r, 0.2)) {
                    text_put(&t, "nan");
                } else {
                    text_number(&t, &r, false);
                }
            }
            text_put(&t, "\n");
        }
        ney_read_opts o = read_defaults();
        o.missing = NEY_MISSING_KEEP;
        o.format = NEY_FORMAT_SVMLIGHT;
        ney_data *d = parse(t.bytes, &o);
        o.format = NEY_FORMAT_AUTO;
        for (int format = NEY_FORMAT_SVMLIGHT; format <= NEY_FORMAT_CACHE; format++) {
            const bool table = format == NEY_FORMAT_CSV || format == NEY_FORMAT_TSV;
            o.weight = table && ney_data_weight(d) ? "weight" : NULL;
            ney_data *e = through(d, (ney_format)format, &o);
            assert_same_cells(d, e, format != NEY_FORMAT_PIN);
            if (labels && format != NEY_FORMAT_PIN) {
                assert_string_equal(ney_preprocessing_label(ney_data_preprocessing(e), 1), "5");
                assert_string_equal(ney_preprocessing_label(ney_data_preprocessing(e), -1), "-2");
            }
            ney_data_free(e);
        }
        ney_data_free(d);
    }
    text_free(&t);
}

static void words_come_back_exactly(void **state)
{
    ney_read_opts o = read_defaults();
    char a[64], b[64];
    (void)state;
    ney_data *d = parse("\" class\",\"x \",\"k\ty\",\"q\"\"r\"\n\"not, spam \",1,red,0.5\n"
                        "\"\tspam\",2,\" blue\",0.25\n\"\tspam\",3,\"a,b\",0\n",
                        (o.label = " class", &o));
    for (int format = NEY_FORMAT_CSV; format <= NEY_FORMAT_TSV; format++) {
        ney_data *e = through(d, (ney_format)format, &o);
        assert_same_cells(d, e, true);
        assert_string_equal(ney_preprocessing_label(ney_data_preprocessing(e), 1), "not, spam ");
        assert_string_equal(ney_preprocessing_label(ney_data_preprocessing(e), -1), "\tspam");
        for (int64_t c = 0; c < ney_preprocessing_cols(ney_data_preprocessing(d)); c++) {
            ney_preprocessing_feature(ney_data_preprocessing(d), c, a, sizeof a);
            ney_preprocessing_feature(ney_data_preprocessing(e), c, b, sizeof b);
            assert_string_equal(a, b);
        }
        ney_data_free(e);
    }
    ney_error err;
    assert_int_equal(ney_data_write(d, NULL, temp_path("no.svm"), NEY_FORMAT_AUTO, &err),
                     NEY_EINVAL);
    assert_non_null(strstr(err.message, "svmlight text cannot hold"));
    assert_int_not_equal(access(temp_path("no.svm"), F_OK), 0);
    ney_data_free(d);
}

/* Far columns are written as the file had them, to the digits a float of the spread keeps. */
static void far_columns_are_written_as_they_are(void **state)
{
    ney_data *d = parse("label,a,b\n1,1600000001,0\n-1,1600000003,1\n1,1600000002,0\n", NULL);
    (void)state;
    for (int format = NEY_FORMAT_SVMLIGHT; format <= NEY_FORMAT_PIN; format++) {
        ney_data *e = through(d, (ney_format)format, NULL);
        ney_data_summary s;
        ney_column_summary c[2];
        assert_int_equal(ney_data_describe(e, &s, c, NULL), NEY_OK);
        if (format != NEY_FORMAT_SVMLIGHT) { /* floats alone cannot hold them */
            assert_true(c[0].low == 1600000001 && c[0].high == 1600000003);
        }
        ney_data_free(e);
    }
    char *bytes;
    size_t n;
    bytes = slurp(path_of(NEY_FORMAT_SVMLIGHT), &n);
    assert_string_equal(bytes, "1 1:1600000001\n-1 1:1600000003 2:1\n1 1:1600000002\n");
    free(bytes);
    ney_data_free(d);
}

static void pin_notes_come_back(void **state)
{
    const char *words =
        "SpecId\tLabel\tScanNr\tExpMass\tf\tg\tPeptide\tProteins\n"
        "id1\t1\t10\t500.5\t1\t2\tK.A.R\tp1\tp2\tp3\nid2\t-1\t11\t600.25\t3\t4.5\tK.B.R\tq1\n";
    (void)state;
    ney_data *d = parse(words, NULL), *e = through(d, NEY_FORMAT_PIN, NULL);
    assert_same_data(d, e);
    assert_same_preprocessing(ney_data_preprocessing(d), ney_data_preprocessing(e));
    size_t n;
    char *bytes = slurp(path_of(NEY_FORMAT_PIN), &n);
    assert_string_equal(bytes, words);
    free(bytes);
    ney_data_free(e);
    e = through(d, NEY_FORMAT_CACHE, NULL);
    assert_same_data(d, e);
    ney_data_free(e);
    ney_data_free(d);
}

/* More rows than one round of blocks, each with its note. */
static void many_notes_stay_with_their_rows(void **state)
{
    text t = {0};
    (void)state;
    text_put(&t, "SpecId\tLabel\tScanNr\tf\tPeptide\tProteins\n");
    for (int i = 0; i < 40000; i++) {
        text_printf(&t, "id%d\t%d\t%d\t%d.5\tP%d\tQ%d\n", i, i % 3 ? 1 : -1, i, i, i, i);
    }
    ney_data *d = parse(t.bytes, NULL), *e = through(d, NEY_FORMAT_PIN, NULL);
    assert_same_data(d, e);
    ney_data_free(e);
    char cache[512]; /* straight from the text: many pieces make one block */
    strcpy(cache, temp_path("notes.ney"));
    assert_int_equal(ney_cache_build_with(NULL, path_of(NEY_FORMAT_PIN), cache, NULL, NULL),
                     NEY_OK);
    e = read_file(cache, NULL, 2);
    assert_same_data(d, e);
    size_t n;
    char *bytes = slurp(path_of(NEY_FORMAT_PIN), &n);
    assert_int_equal(n, t.length);
    assert_memory_equal(bytes, t.bytes, n);
    free(bytes);
    ney_data_free(e);
    ney_data_free(d);
    text_free(&t);
}

static bool stop_at_once(void *user, const ney_progress *p)
{
    (void)user;
    (void)p;
    return false;
}

static void a_failed_write_changes_nothing(void **state)
{
    ney_data *d = parse("1 1:1\n-1 1:2\n", NULL);
    ney_env env = ney_env_default();
    ney_error err;
    char path[512];
    size_t n;
    (void)state;
    env.poll = stop_at_once;
    strcpy(path, temp_text("keep.csv", "old"));
    const int before = temp_count();
    assert_int_equal(ney_data_write(d, &env, path, NEY_FORMAT_AUTO, &err), NEY_ECANCELLED);
    char *bytes = slurp(path, &n);
    assert_string_equal(bytes, "old");
    free(bytes);
    assert_int_equal(temp_count(), before);
    assert_int_equal(ney_data_write(d, NULL, "/dev/full", NEY_FORMAT_CSV, &err), NEY_EIO);
    assert_int_equal(ney_data_write(d, NULL, temp_path("no/where.csv"), NEY_FORMAT_AUTO, &err),
                     NEY_EIO);
    assert_int_equal(ney_data_write(d, NULL, temp_path("no/where.ney"), NEY_FORMAT_AUTO, &err),
                     NEY_EIO);
    assert_int_equal(ney_data_write(d, NULL, temp_path("nameless"), NEY_FORMAT_AUTO, &err),
                     NEY_EINVAL);
    ney_data *read;
    assert_int_equal(
        ney_data_read_with(&read, &env, temp_text("x.svm", "1 1:1\n"), NULL, NULL, &err),
        NEY_ECANCELLED);
    assert_null(read);
    ney_data_free(d);
}

static int polls;

static bool count_poll(void *user, const ney_progress *progress)
{
    (void)user;
    (void)progress;
    polls++;
    return true;
}

/* Few rows, many columns: writing is still asked often whether to go on. */
static void wide_data_can_be_interrupted(void **state)
{
    enum { COLS = 75000, ROWS = 60 };
    ney_env env = ney_env_default();
    float *values = calloc((size_t)COLS * ROWS, sizeof *values);
    int8_t labels[ROWS];
    ney_data *d;
    (void)state;
    env.poll = count_poll;
    for (int i = 0; i < ROWS; i++) {
        labels[i] = i % 2 ? 1 : -1;
        values[i * COLS + i] = 0.5f;
        values[i * COLS + COLS - 1] = -12;
    }
    const ney_matrix x = {.rows = ROWS, .cols = COLS, .dense = values};
    assert_int_equal(ney_data_new(&d, NULL, &x, labels, NULL, NULL), NEY_OK);
    for (ney_format format = NEY_FORMAT_SVMLIGHT; format <= NEY_FORMAT_CACHE; format++) {
        polls = 0;
        assert_int_equal(ney_data_write(d, &env, path_of(format), format, NULL), NEY_OK);
        assert_true(polls >= 5);
    }
    ney_data *again = read_file(path_of(NEY_FORMAT_CSV), NULL, 2);
    assert_same_cells(d, again, true);
    ney_data_free(again);
    ney_data_free(d);
    free(values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_come_back_exactly),
        cmocka_unit_test(words_come_back_exactly),
        cmocka_unit_test(far_columns_are_written_as_they_are),
        cmocka_unit_test(pin_notes_come_back),
        cmocka_unit_test(many_notes_stay_with_their_rows),
        cmocka_unit_test(a_failed_write_changes_nothing),
        cmocka_unit_test(wide_data_can_be_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
