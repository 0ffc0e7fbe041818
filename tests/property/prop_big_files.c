/* Files of many pieces: the same bits for any number of threads and any way of storing the bytes,
 * and errors that name the right line however late it comes. */
#include "data/data.h"
#include "data/lines.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/same.h"
#include "support/share.h"
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

/* The step over cases: 1, and n under a sanitizer. */
static int64_t every_nth(int64_t n)
{
    return test_share(4) < test_times(4) ? n : 1;
}

static void threads_do_not_show(void **state)
{
    static const int threads[] = {2, 3, 7};
    rnd r = rnd_new(601);
    text t = {0};
    (void)state;
    for (int s = 0; s < N_STYLES; s++) {
        make(&t, &r, (style)s,
             s == SVM ? NEY_BATCH_BYTES + 1000000 : (size_t)(2500000 / every_nth(3)));
        char path[512];
        strcpy(path, temp_file("big", t.bytes, t.length));
        ney_data *one = read_file(path, NULL, 1);
        for (int64_t k = 0; k < 3; k += every_nth(3)) {
            ney_data *d = read_file(path, NULL, threads[k]);
            assert_same_data(one, d);
            assert_same_preprocessing(ney_data_preprocessing(one), ney_data_preprocessing(d));
            ney_data_free(d);
        }
        size_t n;
        for (int64_t coding = 0; coding < 3; coding += every_nth(3)) {
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
    for (int threads = 1; threads <= 3; threads += (int)every_nth(2)) {
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
            const size_t bytes = s == SVM && k == 0
                                     ? NEY_BATCH_BYTES + 500000
                                     : 100 + (size_t)rnd_below(&r, 1000000 / every_nth(3));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(late_errors_name_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
