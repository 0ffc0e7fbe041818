/* Files of many pieces: the same bits for any number of threads and any way of storing the bytes,
 * and errors that name the right line however late it comes. */
#include "data/data.h"
#include "data/lines.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/same.h"
#include "support/temp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum style { SVM, CSV, QUOTED, PIN, N_STYLES } style;

static void put_row(text *t, rnd *r, style s, int64_t i)
{
    const int y = rnd_chance(r, 0.5) ? 1 : -1, a = (int)rnd_below(r, 100000);
    if (s == SVM) {
        text_printf(t, "%+d 1:%d.%d", y, a, a);
        for (int c = 1 + (int)rnd_below(r, 50); c < 60; c += 1 + (int)rnd_below(r, 30)) {
            text_printf(t, " %d:0.%d", c + 1, (int)rnd_below(r, 100000));
        }
        text_put(t, i % 50 == 0 ? " # note\n\n" : "\n");
    } else if (s == PIN) {
        text_printf(t, "id%d\t%d\t%d\t%d.5\t0.%d\tK.PEPTIDE.R\tsp|P1\tsp|P2\n", (int)i, y, (int)i,
                    a, a);
    } else {
        text_printf(t, "%d,%d.25,%s,0.%d\n", y, a, i % 3 ? "red" : "blue", a);
        if (s == QUOTED && i % 40 == 0) {
            text_printf(t, "%d,\"%d\",\"two\nlines, \"\"%d\"\"\",\"7\"\n", y, a, a % 3);
        }
    }
}

static const char *header(style s)
{
    return s == SVM
               ? ""
               : (s == PIN ? "SpecId\tLabel\tScanNr\tf\tg\tPeptide\tProteins\n" : "label,a,k,b\n");
}

static void make(text *t, rnd *r, style s, size_t bytes)
{
    t->length = 0;
    text_put(t, header(s));
    for (int64_t i = 0; t->length < bytes; i++) {
        put_row(t, r, s, i);
    }
}

static void threads_do_not_show(void **state)
{
    static const int threads[] = {2, 3, 7};
    rnd r = rnd_new(601);
    text t = {0};
    (void)state;
    for (int s = 0; s < N_STYLES; s++) {
        make(&t, &r, (style)s, s == SVM ? NEY_BATCH_BYTES + 1000000 : 2500000);
        char path[512];
        strcpy(path, temp_file("big", t.bytes, t.length));
        ney_data *one = read_file(path, NULL, 1);
        for (int k = 0; k < 3; k++) {
            ney_data *d = read_file(path, NULL, threads[k]);
            assert_same_data(one, d);
            assert_same_preprocessing(ney_data_preprocessing(one), ney_data_preprocessing(d));
            ney_data_free(d);
        }
        size_t n;
        for (int coding = 0; coding < 3; coding++) {
            char *stored = coding == 0 ? gzip_of(t.bytes, t.length, &n)
                                       : zstd_of(t.bytes, t.length, coding == 1, &n);
            ney_data *d = read_file(temp_file("packed", stored, n), NULL, 2);
            assert_same_data(one, d);
            assert_same_preprocessing(ney_data_preprocessing(one), ney_data_preprocessing(d));
            ney_data_free(d);
            free(stored);
        }
        ney_data *d = read_file(temp_pipe(t.bytes, t.length, 60000), NULL, 2);
        temp_pipe_end();
        assert_same_data(one, d);
        ney_data_free(d);
        ney_data_free(one);
    }
    text_free(&t);
}

static int64_t count_lines(const text *t)
{
    int64_t n = 0;
    for (size_t i = 0; i < t->length; i++) {
        n += t->bytes[i] == '\n';
    }
    return n;
}

static void refuse_file(const text *t, int64_t line, const char *part)
{
    char path[512];
    strcpy(path, temp_file("wrong", t->bytes, t->length));
    for (int threads = 1; threads <= 3; threads++) {
        ney_env env = ney_env_default();
        ney_error err = {0};
        ney_data *d;
        env.threads = threads;
        assert_int_equal(ney_data_read_with(&d, &env, path, NULL, NULL, &err), NEY_EPARSE);
        if (err.line != line || !strstr(err.message, part)) {
            fail_msg("line %lld '%s', expected %lld '%s'", (long long)err.line, err.message,
                     (long long)line, part);
        }
        assert_string_equal(err.file, path);
    }
}

static void late_errors_name_their_line(void **state)
{
    static const struct {
        const char *row, *part;
    } bad[N_STYLES][3] = {
        {{"1 1:x\n", "a number"}, {"5 1:1\n", "found label '5'"}, {"1:2\n", "no label"}},
        {{"1,2,red\n", "found 3 fields"},
         {"5,1,red,1\n", "found label '5'"},
         {"1,,red,1\n", "missing"}},
        {{"1,2,\"red\"x,1\n", "closing quote"},
         {"5,1,\"a\nb\",1\n", "found label '5'"},
         {"1,\"2,red,1\n", "never closed"}},
        {{"i\t1\t1\t1\n", "found 4 fields"},
         {"i\t7\t1\t1\t1\tP\tQ\n", "found label '7'"},
         {"i\t1\t1\tinf\t1\tP\tQ\n", "finite"}},
    };
    rnd r = rnd_new(602);
    text t = {0};
    (void)state;
    for (int s = 0; s < N_STYLES; s++) {
        for (int k = 0; k < 3; k++) {
            const size_t bytes = s == SVM && k == 0 ? NEY_BATCH_BYTES + 500000
                                                    : 100 + (size_t)rnd_below(&r, 1000000);
            make(&t, &r, (style)s, bytes);
            const int64_t line = count_lines(&t) + 1;
            text_put(&t, bad[s][k].row);
            for (int64_t i = 1; i < 2000; i++) {
                put_row(&t, &r, s == QUOTED ? CSV : (style)s, i); /* no quote closes what is open */
            }
            refuse_file(&t, line, bad[s][k].part);
        }
    }
    text_free(&t);
}

/* One line longer than a batch, and a short one behind it. */
static void lines_may_be_longer_than_a_batch(void **state)
{
    text t = {0};
    int64_t c = 0;
    (void)state;
    text_put(&t, "-1"); /* the first line, or the batch would be filled up before it */
    while (t.length < NEY_BATCH_BYTES + NEY_BATCH_BYTES / 4) {
        c++;
        text_printf(&t, " %d:%d", (int)c, (int)(c % 7));
    }
    text_put(&t, "\n1 1:1\n1 2:5");
    ney_data *d = parse(t.bytes, NULL);
    const ney_matrix *x = ney_data_matrix(d);
    assert_int_equal(x->rows, 3);
    assert_int_equal(x->cols, c);
    assert_true(cell(d, 0, 12) == 6 && cell(d, 0, c - 1) == (float)(c % 7) && cell(d, 2, 1) == 5);
    ney_data *piped = read_file(temp_pipe(t.bytes, t.length, 65536), NULL, 2);
    temp_pipe_end();
    assert_same_data(d, piped);
    ney_data_free(piped);
    ney_data_free(d);
    text_put(&t, "\n1 2:x\n");
    refuse(t.bytes, NULL, NEY_EPARSE, 4, "a number");
    text_free(&t);
}

/* Dense rows, then sparse ones, and the other way about; columns that come late. */
static void representation_follows_the_whole(void **state)
{
    text t = {0};
    (void)state;
    for (int turn = 0; turn < 4; turn++) {
        const bool dense_first = turn % 2 == 0, tiny = turn >= 2;
        int64_t rows = 0, entries = 0, cols = 0;
        t.length = 0;
        for (int half = 0; half < 2; half++) {
            const bool dense = dense_first == (half == 0);
            const size_t until = t.length + NEY_BATCH_BYTES / 2 + (half ? 0 : NEY_BATCH_BYTES);
            for (; t.length < until; rows++) {
                text_put(&t, rows % 2 ? "1" : "-1");
                for (int c = 0; c < (dense ? 30 : 1); c++) {
                    const bool zero = tiny && rows % 5 == 0 && c == 0;
                    const int64_t column = dense ? c : (rows * 37) % (half ? 4000 : 900);
                    text_printf(&t, " %d:%s", (int)column + 1, zero ? "1e-99" : "0.25");
                    entries += !zero;
                    cols = column + 1 > cols ? column + 1 : cols;
                }
                text_put(&t, "\n");
            }
        }
        ney_data *d = parse(t.bytes, NULL);
        const ney_matrix *x = ney_data_matrix(d);
        assert_int_equal(x->rows, rows);
        assert_int_equal(x->cols, cols);
        assert_int_equal(x->dense != NULL, ney_dense_is_smaller(rows, cols, entries));
        int64_t found = 0;
        for (int64_t i = 0; i < rows; i++) {
            const int64_t begin = x->dense ? i * cols : x->start[i];
            const int64_t end = x->dense ? begin + cols : x->start[i + 1];
            for (int64_t k = begin; k < end; k++) {
                const float v = x->dense ? x->dense[k] : x->value[k];
                assert_true(v == 0.25f || (x->dense && v == 0));
                found += v != 0;
            }
        }
        assert_int_equal(found, entries);
        ney_data_free(d);
    }
    text_free(&t);
}

/* A model of very many columns does not make a dense table of them. */
static void wide_models_stay_sparse(void **state)
{
    text t = {0};
    ney_read_opts many = read_defaults();
    (void)state;
    many.max_columns = 2000000000;
    ney_data *model = parse("1 2000000000:1\n-1 1:1\n", &many);
    for (int i = 0; i < 3000; i++) {
        text_printf(&t, "%d 1:1 2:2 3:3\n", i % 2 ? 1 : -1);
    }
    ney_data *d = parse_with(t.bytes, NULL, ney_data_preprocessing(model));
    assert_null(ney_data_matrix(d)->dense);
    assert_int_equal(ney_data_matrix(d)->cols, 2000000000);
    assert_true(cell(d, 2999, 2) == 3);
    ney_data_free(d);
    ney_data_free(model);
    text_free(&t);
}

/* Dense rows that turn out to be narrower than the later ones, or than a model, end in zeros. */
static void columns_may_come_late(void **state)
{
    text t = {0};
    int64_t rows = 0, late = 0;
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        late = rows;
        for (size_t until = t.length + NEY_BATCH_BYTES + 1000; t.length < until; rows++) {
            text_printf(&t, "%d 1:0.25 2:0.5 3:0.75%s # wide as it is\n", rows % 2 ? 1 : -1,
                        wide ? " 4:1 5:2" : "");
        }
    }
    ney_data *d = parse(t.bytes, NULL);
    assert_non_null(ney_data_matrix(d)->dense);
    assert_int_equal(ney_data_matrix(d)->cols, 5);
    for (int64_t i = 0; i < rows; i++) {
        const float *x = ney_data_matrix(d)->dense + 5 * i;
        assert_true(x[0] == 0.25f && x[1] == 0.5f && x[2] == 0.75f);
        assert_true(x[3] == (i < late ? 0 : 1) && x[4] == (i < late ? 0 : 2));
    }
    ney_data *e = parse_with("1 1:1 2:2 3:3\n-1 1:4 2:5 3:6\n", NULL, ney_data_preprocessing(d));
    assert_non_null(ney_data_matrix(e)->dense);
    assert_true(cell(e, 0, 2) == 3 && cell(e, 0, 3) == 0 && cell(e, 0, 4) == 0 &&
                cell(e, 1, 0) == 4);
    ney_data_free(e);
    ney_data_free(d);
    text_free(&t);
}

static void weights_may_begin_late(void **state)
{
    text t = {0};
    int64_t rows = 0;
    (void)state;
    for (; t.length < NEY_BATCH_BYTES + 1000; rows++) {
        text_put(&t, rows % 2
                         ? "1 1:0.123456789012345678901234567890\n"
                         : "-1 1:0.5 # a long comment to fill the batch sooner than rows do\n");
    }
    text_put(&t, "1 cost:2.5 1:1\n");
    ney_data *d = parse(t.bytes, NULL);
    const float *w = ney_data_weight(d);
    assert_non_null(w);
    for (int64_t i = 0; i < rows; i++) {
        assert_true(w[i] == 1);
    }
    assert_true(w[rows] == 2.5f);
    ney_data_free(d);
    text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(late_errors_name_their_line),
        cmocka_unit_test(lines_may_be_longer_than_a_batch),
        cmocka_unit_test(representation_follows_the_whole),
        cmocka_unit_test(wide_models_stay_sparse),
        cmocka_unit_test(columns_may_come_late),
        cmocka_unit_test(weights_may_begin_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
