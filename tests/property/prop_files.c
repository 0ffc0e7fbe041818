/* Rows in several files are the rows of one file with all lines: in every format, compressed or
 * not, with empty files and without newlines at their ends, on one thread and on several. */
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/same.h"
#include "support/share.h"
#include "support/temp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMATS = 3, MOST_FILES = 6, MOST_TEXT = 1 << 16 };

static const char *const headers[FORMATS] = {
    "", "id,label,colour,x\n", "SpecId\tLabel\tScanNr\tExpMass\tx\tPeptide\tProteins\n"};

/* A row of its format; `r` determines it. */
static int write_row(char *to, size_t room, int format, int64_t row, rnd *r)
{
    const int y = (int)rnd_below(r, 2), x = (int)rnd_below(r, 1000);
    static const char *const colours[] = {"red", "\"pale, blue\"", "green"};
    switch (format) {
    case 0:
        return snprintf(to, room, "%d 1:%d.5 %d:1\n", y, x, 2 + x % 9);
    case 1:
        return snprintf(to, room, "r%lld,%d,%s,%d\n", (long long)row, y, colours[x % 3], x);
    default:
        return snprintf(to, room, "s%lld\t%d\t%d\t700.%d\t%d\tK.AC.D\tP1\tP2\n", (long long)row,
                        y ? 1 : -1, x % 50, x, x);
    }
}

/* The words of file k as it is stored: plain, gzip or zstd; what it holds was `words`. */
static void store(const char *name, const char *words, size_t n, int how, char *list)
{
    size_t packed = n;
    char *const bytes = how == 1   ? gzip_of(words, n, &packed)
                        : how == 2 ? zstd_of(words, n, true, &packed)
                                   : NULL;
    strcat(list, list[0] ? "\n" : "");
    strcat(list, temp_file(name, bytes ? bytes : words, packed));
    free(bytes);
}

/* Random rows as one file `whole` and as several, whose names are in `list`. */
static int make_files(rnd *r, int format, char *whole, char *list, int64_t first[MOST_FILES])
{
    const int n = 1 + (int)rnd_below(r, MOST_FILES);
    char *const words = malloc(MOST_TEXT), *const own = malloc(MOST_TEXT), name[32];
    size_t length = (size_t)snprintf(words, MOST_TEXT, "%s", headers[format]);
    int64_t row = 0;

    list[0] = '\0';
    for (int k = 0; k < n; k++) {
        const int64_t rows = k == 0 ? 3 + (int64_t)rnd_below(r, 40) : (int64_t)rnd_below(r, 40);
        size_t used = (size_t)snprintf(own, MOST_TEXT, "%s%s",
                                       rnd_below(r, 4) ? "" : "\xef\xbb\xbf", headers[format]);
        first[k] = row;
        for (int64_t i = 0; i < rows || (i == 0 && format == 0); i++, row++) {
            const int m = write_row(own + used, MOST_TEXT - used, format, row, r);
            memcpy(words + length, own + used, (size_t)m + 1);
            used += (size_t)m;
            length += (size_t)m;
        }
        used -= rows > 0 && rnd_below(r, 3) == 0; /* the last line need not end */
        snprintf(name, sizeof name, "f%d_%d", format, k);
        store(name, own, used, (int)rnd_below(r, 3), list);
    }
    snprintf(whole, 300, "%s", temp_file("whole", words, length));
    free(words);
    free(own);
    return n;
}

/* The cell of the column FILE is the file that the row is in. */
static void check_file_notes(const ney_data *d, const char *list, const int64_t *first, int n)
{
    ney_notes *notes;
    assert_int_equal(ney_notes_new(&notes, d, NULL), NEY_OK);
    const int64_t column = ney_notes_find(notes, "FILE");
    assert_true(column >= 0);
    for (int k = 0; k < n; k++) {
        const size_t length = strcspn(list, "\n");
        const int64_t end = k + 1 < n ? first[k + 1] : ney_data_matrix(d)->rows;
        for (int64_t i = first[k]; i < end; i++) {
            int64_t own;
            const char *const words = ney_notes_text(notes, i, column, &own);
            assert_int_equal(own, length);
            assert_memory_equal(words, list, length);
        }
        list += length + (list[length] == '\n');
    }
    ney_notes_free(notes);
}

/* Labels and features. */
static void assert_same_rows(const ney_data *a, const ney_data *b)
{
    const ney_matrix *const x = ney_data_matrix(a);
    assert_int_equal(x->rows, ney_data_matrix(b)->rows);
    for (int64_t i = 0; i < x->rows; i++) {
        assert_int_equal(ney_data_label(a)[i], ney_data_label(b)[i]);
        for (int64_t c = 0; c < x->cols; c++) {
            assert_true(cell(a, i, c) == cell(b, i, c));
        }
    }
}

static void prop_files_are_one(void **state)
{
    char whole[300], *const list = malloc(MOST_FILES * 300);
    int64_t first[MOST_FILES];
    rnd r = rnd_new(5521);
    (void)state;
    for (int64_t t = 0; t < test_times(60); t++) {
        const int format = (int)rnd_below(&r, FORMATS);
        const int n = make_files(&r, format, whole, list, first);
        ney_read_opts o = read_defaults();
        o.id = format == 1 ? "id" : NULL;
        ney_data *const a = read_file(whole, &o, 1), *const b = read_file(list, &o, 1);
        ney_data *const c = read_file(list, &o, 3);
        assert_same_rows(a, b);
        assert_same_data(b, c);
        if (format < 2) { /* notes of several PIN files have the file among them */
            assert_same_data(a, b);
            assert_same_preprocessing(ney_data_preprocessing(a), ney_data_preprocessing(b));
        }
        o.keep = "FILE";
        o.group = "FILE";
        ney_data *const noted = read_file(list, &o, 2);
        assert_same_rows(a, noted);
        check_file_notes(noted, list, first, n);
        assert_string_equal(ney_data_group_column(noted), "FILE");
        assert_memory_equal(ney_data_kept_column(noted, 0, NULL), "FILE", 4);
        ney_data_free(a);
        ney_data_free(b);
        ney_data_free(c);
        ney_data_free(noted);
    }
    free(list);
}

/* Rows of a stream, and of a cache, are the same too. */
static void prop_streams_and_caches(void **state)
{
    char whole[300], cache[300], *const list = malloc(MOST_FILES * 300);
    int64_t first[MOST_FILES];
    rnd r = rnd_new(5522);
    (void)state;
    for (int64_t t = 0; t < test_times(30); t++) {
        const int format = (int)rnd_below(&r, FORMATS);
        (void)make_files(&r, format, whole, list, first);
        ney_read_opts o = read_defaults();
        o.id = format == 1 ? "id" : NULL;
        ney_data *const a = read_file(whole, &o, 1);
        snprintf(cache, sizeof cache, "%s", temp_path("rows.ney"));
        assert_int_equal(ney_cache_build_with(NULL, list, cache, &o, NULL), NEY_OK);
        ney_data *const b = read_file(cache, NULL, 1);
        assert_same_rows(a, b);
        ney_row_stream *s;
        assert_int_equal(ney_row_stream_open(&s, NULL, list, NULL, ney_data_preprocessing(a),
                                             rnd_below(&r, 2), NULL),
                         NEY_OK);
        const ney_data *batch;
        int64_t row = 0;
        while (ney_row_stream_next(s, &batch, NULL) == NEY_OK && batch) {
            for (int64_t i = 0; i < ney_data_matrix(batch)->rows; i++, row++) {
                assert_int_equal(ney_data_label(batch)[i], ney_data_label(a)[row]);
                for (int64_t c = 0; c < ney_data_matrix(a)->cols; c++) {
                    assert_true(cell(batch, i, c) == cell(a, row, c));
                }
            }
        }
        assert_int_equal(row, ney_data_matrix(a)->rows);
        ney_row_stream_close(s);
        ney_data_free(a);
        ney_data_free(b);
    }
    free(list);
}

static bool keep_progress(void *user, const ney_progress *progress)
{
    double *const most = user;
    assert_true(progress->done >= most[0] && progress->done <= progress->total);
    most[0] = progress->done;
    most[1] = progress->total;
    return true;
}

/* Progress is that of all files together. */
static void files_have_one_progress(void **state)
{
    static const char rows[] = "1 1:2\n0 2:1\n";
    char list[700];
    double most[2] = {0, 0};
    ney_env env = ney_env_default();
    ney_data *d;
    (void)state;
    snprintf(list, sizeof list, "%s", temp_text("one.svm", rows));
    strcat(strcat(list, "\n"), temp_text("two.svm", rows));
    env.poll = keep_progress;
    env.user = most;
    assert_int_equal(ney_data_read_with(&d, &env, list, NULL, NULL, NULL), NEY_OK);
    assert_true(most[0] == 2 * (double)strlen(rows) && most[1] == most[0]);
    ney_data_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_files_are_one),
        cmocka_unit_test(prop_streams_and_caches),
        cmocka_unit_test(files_have_one_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
