/* Rows that are read batch by batch are those of a reading at once, bit for bit: features, labels,
 * groups, in every format, one row at a time too; and memory does not grow with their number. */
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/temp.h"

#include <neyman/experimental.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLS = 5, FORMATS = 3 };

static const ney_format formats[FORMATS] = {NEY_FORMAT_SVMLIGHT, NEY_FORMAT_CSV, NEY_FORMAT_PIN};

/* Training rows, from which the preprocessing is made: shifts, filling, categories. */
static void put_header(text *t, ney_format format)
{
    if (format == NEY_FORMAT_CSV) {
        text_put(t, "a,b,place,c,who,label\n");
    } else if (format == NEY_FORMAT_PIN) {
        text_put(t, "SpecId\tLabel\tScanNr\tf1\tf2\tf3\tPeptide\tProteins\n");
    }
}

static void put_cell(text *t, rnd *r, const char *gap)
{
    if (gap && rnd_chance(r, 0.1)) {
        text_put(t, gap);
    } else {
        text_number(t, r, false);
    }
}

/* `other`: how often a label is none of the two. */
static void put_row(text *t, rnd *r, ney_format format, int64_t i, double other)
{
    static const char *const places[] = {"Rome", "\"a,\nb\"", "Oslo", "x\"y"};
    const char *const label = rnd_chance(r, other) ? (rnd_chance(r, 0.5) ? "7" : "8")
                              : rnd_chance(r, 0.5) ? "1"
                                                   : "-1";
    switch (format) {
    case NEY_FORMAT_CSV:
        put_cell(t, r, "NA");
        text_put(t, ",");
        put_cell(t, r, "");
        text_printf(t, ",%s,", places[rnd_below(r, 4)]);
        put_cell(t, r, NULL);
        text_printf(t, ",p%lld,%s\n", (long long)(i / 3), strcmp(label, "8") ? label : "");
        break;
    case NEY_FORMAT_PIN:
        text_printf(t, "s%lld\t%s\t%lld\t", (long long)i, label[0] == '-' ? "-1" : "1",
                    (long long)(i / 2));
        for (int c = 0; c < 3; c++) {
            put_cell(t, r, NULL);
            text_put(t, "\t");
        }
        text_printf(t, "PEP%lld\tQ1\tQ2\n", (long long)i);
        break;
    default:
        text_printf(t, "%s qid:%lld", label, (long long)(i / 4));
        for (int c = 1; c <= COLS; c++) {
            if (rnd_chance(r, 0.6)) {
                text_printf(t, " %d:", c);
                put_cell(t, r, NULL);
            }
        }
        text_put(t, rnd_chance(r, 0.1) ? " # 1:2\n\n" : "\n");
    }
}

static ney_read_opts options(ney_format format)
{
    int64_t n;
    ney_read_opts o;
    const ney_param *params = ney_read_params(&n);
    ney_params_init(params, n, &o);
    o.group = format == NEY_FORMAT_CSV ? "who" : format == NEY_FORMAT_PIN ? "ScanNr" : "qid";
    return o;
}

/* A data set whose preprocessing is that of a model. */
static ney_data *learn(rnd *r, ney_format format)
{
    text t = {0};
    ney_data *d;
    ney_error err = {0};
    ney_read_opts o = options(format);
    o.missing = NEY_MISSING_MEAN;
    put_header(&t, format);
    for (int64_t i = 0; i < 40; i++) {
        put_row(&t, r, format, i, 0);
    }
    if (ney_data_parse_with(&d, NULL, "training", t.bytes, t.length, &o, NULL, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    assert_int_equal(ney_data_prepare(d, NEY_SCALING_STANDARD, NULL, 0, &err), NEY_OK);
    text_free(&t);
    return d;
}

static float cell(const ney_matrix *x, int64_t i, int64_t c)
{
    for (int64_t k = x->dense ? 0 : x->start[i]; !x->dense && k < x->start[i + 1]; k++) {
        if (x->index[k] == c) {
            return x->value[k];
        }
    }
    return x->dense ? x->dense[i * x->cols + c] : 0;
}

/* Batch `b`, which follows `before` rows, against all rows. */
static void compare_batch(const ney_data *b, int64_t before, const ney_data *all)
{
    const ney_matrix *x = ney_data_matrix(b), *y = ney_data_matrix(all);
    const int8_t *const label = ney_data_label(b), *const truth = ney_data_label(all);
    uint64_t *const group = calloc((size_t)(x->rows + y->rows), sizeof *group);
    assert_int_equal(x->cols, y->cols);
    assert_true(before + x->rows <= y->rows);
    assert_int_equal(ney_data_groups(b, group, NULL), NEY_OK);
    assert_int_equal(ney_data_groups(all, group + x->rows, NULL), NEY_OK);
    for (int64_t i = 0; i < x->rows; i++) {
        for (int64_t c = 0; c < x->cols; c++) {
            const float u = cell(x, i, c), v = cell(y, before + i, c);
            assert_memory_equal(&u, &v, sizeof u);
        }
        assert_true(!truth || label[i] == truth[before + i]);
        assert_true(group[i] == group[x->rows + before + i]);
    }
    free(group);
}

/* Read it in batches; returns how many there were. */
static int64_t compare(const char *path, const ney_read_opts *o, const ney_data *model, bool single,
                       const ney_data *all)
{
    ney_row_stream *s;
    const ney_data *b;
    ney_error err = {0}, why = {0}, truth = {0};
    int64_t rows = 0, batches = 0;
    ney_status st =
        ney_row_stream_open(&s, NULL, path, o, ney_data_preprocessing(model), single, &err);
    if (st != NEY_OK) {
        fail_msg("%s", err.message);
    }
    assert_true(ney_row_stream_is_live(s) == (strncmp(path, "/dev/fd/", 8) == 0));
    while ((st = ney_row_stream_next(s, &b, &err)) == NEY_OK && b) {
        compare_batch(b, rows, all);
        rows += ney_data_matrix(b)->rows;
        batches++;
    }
    assert_int_equal(st, NEY_OK);
    assert_int_equal(rows, ney_data_matrix(all)->rows);
    assert_int_equal(ney_row_stream_next(s, &b, &err), NEY_OK); /* the end stays the end */
    assert_null(b);
    assert_int_equal(ney_row_stream_unlabelled(s, &why), ney_data_unlabelled(all, &truth));
    assert_string_equal(why.message, truth.message);
    assert_int_equal(why.line, truth.line);
    ney_row_stream_close(s);
    return batches;
}

/* The same rows as they come through a pipe, some bytes at a time. */
static void compare_piped(const text *t, rnd *r, const ney_read_opts *o, const ney_data *model,
                          const ney_data *all)
{
    const char *const path = temp_pipe(t->bytes, t->length, (size_t)(1 + rnd_below(r, 200)));
    (void)compare(path, o, model, rnd_chance(r, 0.5), all);
    temp_pipe_end();
}

static void prop_batches_are_the_whole(void **state)
{
    (void)state;
    rnd r = rnd_new(881);
    for (int64_t round = 0; round < test_times(60); round++) {
        const ney_format format = formats[round % FORMATS];
        const ney_read_opts o = options(format);
        const double other = rnd_chance(&r, 0.5) ? 0 : 0.3;
        const int64_t n = 1 + rnd_below(&r, 60);
        text t = {0};
        ney_data *const model = learn(&r, format), *all;
        ney_error err = {0};
        size_t n_packed;
        text_put(&t, rnd_chance(&r, 0.3) ? "\r\n \n\n" : "");
        put_header(&t, format);
        for (int64_t i = 0; i < n; i++) {
            put_row(&t, &r, format, i, other);
        }
        char *const packed = gzip_of(t.bytes, t.length, &n_packed);
        const char *const path = temp_file("rows.gz", packed, n_packed);
        assert_int_equal(
            ney_data_read_with(&all, NULL, path, &o, ney_data_preprocessing(model), &err), NEY_OK);
        assert_int_equal(compare(path, &o, model, false, all), 1);
        assert_int_equal(compare(path, &o, model, true, all), n);
        compare_piped(&t, &r, &o, model, all);
        free(packed);
        ney_data_free(all);
        ney_data_free(model);
        text_free(&t);
    }
}

/* A header after so many blank lines that they fill pieces of their own. */
static void prop_blank_lines_before_the_header(void **state)
{
    (void)state;
    rnd r = rnd_new(883);
    for (int k = 1; k < FORMATS; k++) {
        const ney_read_opts o = options(formats[k]);
        ney_data *const model = learn(&r, formats[k]), *all;
        text t = {0};
        for (int64_t i = 0; i < 40000; i++) {
            text_put(&t, "        \n");
        }
        put_header(&t, formats[k]);
        put_row(&t, &r, formats[k], 0, 0);
        assert_int_equal(ney_data_parse_with(&all, NULL, "blank", t.bytes, t.length, &o,
                                             ney_data_preprocessing(model), NULL),
                         NEY_OK);
        assert_int_equal(ney_data_matrix(all)->rows, 1);
        assert_int_equal(
            compare(temp_file("blank", t.bytes, t.length), &o, model, rnd_chance(&r, 0.5), all), 1);
        ney_data_free(all);
        ney_data_free(model);
        text_free(&t);
    }
}

/* ---------------------------------------------------------------- many rows */

typedef struct meter {
    int64_t now, most;
} meter;

/* Sizes stand before the blocks. */
static void *metered(void *user, void *block, size_t bytes)
{
    meter *const m = user;
    char *const old = block ? (char *)block - 16 : NULL;
    size_t before = 0;
    if (old) {
        memcpy(&before, old, sizeof before);
    }
    char *const new = bytes ? realloc(old, bytes + 16) : NULL;
    if (!bytes) {
        free(old);
    } else if (!new) {
        return NULL;
    }
    m->now += (int64_t)bytes - (int64_t)before;
    m->most = m->now > m->most ? m->now : m->most;
    if (!new) {
        return NULL;
    }
    memcpy(new, &bytes, sizeof bytes);
    return new + 16;
}

/* What reading n rows takes at most; *batches is their number. */
static int64_t memory_of(const char *path, const ney_data *model, int64_t n, int64_t *batches)
{
    meter m = {0};
    const ney_env env = {.resize = metered, .user = &m, .threads = 1};
    ney_row_stream *s;
    const ney_data *b;
    int64_t rows = 0;
    assert_int_equal(
        ney_row_stream_open(&s, &env, path, NULL, ney_data_preprocessing(model), false, NULL),
        NEY_OK);
    *batches = 0;
    while (ney_row_stream_next(s, &b, NULL) == NEY_OK && b) {
        rows += ney_data_matrix(b)->rows;
        ++*batches;
    }
    assert_int_equal(rows, n);
    ney_row_stream_close(s);
    assert_int_equal(m.now, 0);
    return m.most;
}

static void prop_memory_is_flat(void **state)
{
    static const int64_t rows[2] = {400000, 800000};
    static const char line[] =
        "1 1:0.25 2:1.5 3:-7 4:12345 5:0.0000125 # some words that are skipped\n";
    char path[300], cache[300];
    int64_t most[2], in_cache[2], batches[2], blocks[2];
    rnd r = rnd_new(882);
    (void)state;
    ney_data *const model = learn(&r, NEY_FORMAT_SVMLIGHT);
    snprintf(path, sizeof path, "%s", temp_path("rows.svm"));
    snprintf(cache, sizeof cache, "%s", temp_path("rows.ney"));
    for (int k = 0; k < 2; k++) {
        FILE *const f = fopen(path, "wb");
        assert_non_null(f);
        for (int64_t i = 0; i < rows[k]; i++) {
            assert_true(fputs(line, f) >= 0);
        }
        assert_int_equal(fclose(f), 0);
        assert_int_equal(ney_cache_build_with(NULL, path, cache, NULL, NULL), NEY_OK);
        most[k] = memory_of(path, model, rows[k], &batches[k]);
        in_cache[k] = memory_of(cache, model, rows[k], &blocks[k]);
    }
    print_message(
        "most bytes %lld, %lld in %lld, %lld batches; of a cache %lld, %lld in %lld, %lld\n",
        (long long)most[0], (long long)most[1], (long long)batches[0], (long long)batches[1],
        (long long)in_cache[0], (long long)in_cache[1], (long long)blocks[0], (long long)blocks[1]);
    assert_true(batches[0] > 2 && batches[1] > 2 * batches[0] - 2);
    assert_true(most[1] < most[0] + most[0] / 10);
    assert_true(blocks[0] > 1 && blocks[1] > blocks[0]);
    assert_true(in_cache[1] < in_cache[0] + in_cache[0] / 2);
    ney_data_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_batches_are_the_whole),
        cmocka_unit_test(prop_blank_lines_before_the_header),
        cmocka_unit_test(prop_memory_is_flat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
