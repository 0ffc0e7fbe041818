/* --missing indicator on random patterns of missing cells: the first features are those of
 * --missing median, the others are 1 where the cell is missing, for the columns that lack one among
 * the rows fitted on. */
#include "data/data.h"
#include "data/scale.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/same.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 40, COLS = 5 };

typedef struct pattern {
    bool is_missing[ROWS][COLS];
    text words;
} pattern;

static void pattern_init(pattern *p, rnd *r, bool svm)
{
    double share[COLS];
    *p = (pattern){0};
    for (int c = 0; c < COLS; c++) {
        share[c] = rnd_chance(r, 0.4) ? 0 : rnd_unit(r);
    }
    text_put(&p->words, svm ? "" : "label,a,b,c,d,e\n");
    for (int i = 0; i < ROWS; i++) {
        text_put(&p->words, i % 2 ? "1" : "-1");
        for (int c = 0; c < COLS; c++) {
            const bool absent = svm && rnd_chance(r, 0.7);
            p->is_missing[i][c] = !absent && i != c && rnd_chance(r, share[c]);
            if (svm && !absent) {
                text_printf(&p->words, " %d:", c + 1);
            }
            if (!svm) {
                text_put(&p->words, ",");
            }
            if (!absent && p->is_missing[i][c]) {
                text_put(&p->words, "nan");
            } else if (!absent) {
                text_printf(&p->words, "%.4g", rnd_unit(r) - 0.3);
            }
        }
        text_put(&p->words, svm ? " 300:0\n" : "\n");
    }
}

static float feature(const ney_data *d, int64_t row, int64_t column)
{
    const ney_matrix *const x = ney_data_matrix(d);
    if (x->dense) {
        return x->dense[row * x->cols + column];
    }
    for (int64_t k = x->start[row]; k < x->start[row + 1]; k++) {
        assert_true(k == x->start[row] || x->index[k] > x->index[k - 1]);
        if (x->index[k] == column) {
            return x->value[k];
        }
    }
    return 0;
}

static ney_data *prepared(const pattern *p, ney_missing missing, ney_scaling scaling,
                          const int64_t *rows, int64_t n)
{
    ney_read_opts o = read_defaults();
    o.missing = missing;
    ney_data *const d = parse(p->words.bytes, &o);
    assert_int_equal(ney_data_prepare(d, scaling, rows, n, NULL), NEY_OK);
    return d;
}

/* The indicator of column c is feature `at`. */
static void check_indicator(const pattern *p, const ney_data *d, bool svm, int c, int64_t at)
{
    const bool unit = ney_preprocessing_scaling(ney_data_preprocessing(d)) == NEY_SCALING_UNIT;
    char name[40], expected[40];
    ney_preprocessing_feature(ney_data_preprocessing(d), at, name, sizeof name);
    if (svm) {
        snprintf(expected, sizeof expected, "c%d=missing", c + 1);
    } else {
        snprintf(expected, sizeof expected, "%c=missing", 'a' + c);
    }
    assert_string_equal(name, expected);
    for (int64_t i = 0; i < ROWS; i++) {
        const float v = feature(d, i, at);
        assert_true((v > 0) == p->is_missing[i][c]);
        assert_true(unit || v == (v > 0 ? 1.0F : 0.0F));
    }
}

/* Scaled again on some rows, as folds are: an indicator stays 0 or 1, and is 0 for all rows where
 * none of those learned from has it. */
static void check_again(const pattern *p, const ney_data *d, int64_t stored)
{
    int64_t rows[2][ROWS / 2];
    ney_data *part[2];
    bool changed;
    for (int64_t i = 0; i < ROWS; i++) {
        rows[i % 2][i / 2] = i;
    }
    for (int k = 0; k < 2; k++) {
        assert_int_equal(ney_data_take(&part[k], d, rows[k], ROWS / 2, NULL), NEY_OK);
    }
    assert_int_equal(ney_scale_again(part[0], part[1], &changed, NULL), NEY_OK);
    for (int64_t at = stored; at < ney_data_matrix(d)->cols; at++) {
        const int64_t c = ney_data_preprocessing(d)->indicator[at - stored];
        bool learned = false;
        for (int64_t i = 0; i < ROWS; i += 2) {
            learned = learned || p->is_missing[i][c];
        }
        for (int64_t i = 0; i < ROWS; i++) {
            const bool one = learned && p->is_missing[i][c];
            assert_true(feature(part[i % 2], i / 2, at) == (one ? 1.0F : 0.0F));
        }
    }
    ney_data_free(part[0]);
    ney_data_free(part[1]);
}

static void check_pattern(rnd *r, bool svm, ney_scaling scaling)
{
    int64_t rows[ROWS], n = 0;
    pattern p;
    pattern_init(&p, r, svm);
    for (int64_t i = 0; i < ROWS; i++) {
        if (i < COLS || rnd_chance(r, 0.5)) { /* row c has column c */
            rows[n++] = i;
        }
    }
    ney_data *const marked = prepared(&p, NEY_MISSING_INDICATOR, scaling, rows, n);
    ney_data *const filled = prepared(&p, NEY_MISSING_MEDIAN, scaling, rows, n);
    const int64_t stored = ney_preprocessing_cols(ney_data_preprocessing(filled));
    int64_t at = stored;
    for (int c = 0; c < COLS; c++) {
        bool lacks = false;
        for (int64_t k = 0; k < n; k++) {
            lacks = lacks || p.is_missing[rows[k]][c];
        }
        if (lacks) {
            check_indicator(&p, marked, svm, c, at++);
        }
    }
    assert_int_equal(ney_data_matrix(marked)->cols, at);
    assert_int_equal(ney_preprocessing_cols(ney_data_preprocessing(marked)), at);
    for (int64_t i = 0; i < ROWS && scaling != NEY_SCALING_UNIT; i++) {
        for (int64_t c = 0; c < stored; c++) {
            assert_true(feature(marked, i, c) == feature(filled, i, c));
        }
    }
    if (scaling != NEY_SCALING_UNIT) {
        check_again(&p, marked, stored);
    }
    ney_data *const again = parse_with(p.words.bytes, NULL, ney_data_preprocessing(marked));
    assert_same_data(marked, again);
    ney_data_free(again);
    ney_data_free(marked);
    ney_data_free(filled);
    text_free(&p.words);
}

static void random_patterns(void **state)
{
    rnd r = rnd_new(21);
    (void)state;
    for (int64_t k = 0; k < test_times(300); k++) {
        check_pattern(&r, k % 2, (ney_scaling)(k / 2 % (NEY_SCALING_ASINH + 1)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_patterns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
