/* svmlight text of every shape gives what a plain reader gives. */
#include "data/data.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/ref_read.h"
#include "support/same.h"

#include <stdlib.h>
#include <string.h>

typedef struct shape {
    bool labelled, zero_based, crlf, weights;
    double density;
    int64_t cols;
    int kind; /* of the labels */
} shape;

static const char *const label_words[][2][3] = {
    {{"-1", "-1.0", "-1e0"}, {"+1", "1", "1.0"}},
    {{"0", "0.0", "-0"}, {"1", "+1", "01"}},
    {{"2", "2.", "+2"}, {"10", "1e1", "10.00"}},
    {{"cat", "cat", "cat"}, {"dog", "dog", "dog"}},
};

static void put_row(text *t, rnd *r, const shape *s)
{
    bool empty = true;
    text_put(t, rnd_chance(r, 0.1) ? " \t" : "");
    if (s->labelled) {
        text_put(t, label_words[s->kind][rnd_below(r, 2)][rnd_below(r, 3)]);
        empty = false;
    }
    if (rnd_chance(r, 0.1)) {
        text_printf(t, " qid:%d", (int)rnd_below(r, 9));
        empty = false;
    }
    if (s->weights && rnd_chance(r, 0.5)) {
        text_printf(t, " cost:%d.5", (int)rnd_below(r, 9));
        empty = false;
    }
    for (int64_t c = 0; c < s->cols; c++) {
        if (rnd_chance(r, s->density) || (empty && c == s->cols - 1)) {
            text_put(t, rnd_chance(r, 0.1) ? "\t " : " ");
            text_printf(t, "%s%lld:", rnd_chance(r, 0.05) ? "0" : "",
                        (long long)c + (s->zero_based ? 0 : 1));
            if (rnd_chance(r, 0.05)) {
                text_put(t, rnd_chance(r, 0.5) ? "1e-60" : "-0.0");
            } else {
                text_number(t, r, false);
            }
            empty = false;
        }
    }
    text_put(t, rnd_chance(r, 0.1) ? " " : "");
    text_put(t, rnd_chance(r, 0.1) ? "# 1:2 words" : "");
}

static void make(text *t, rnd *r, const shape *s, int64_t rows)
{
    t->length = 0;
    text_put(t, rnd_chance(r, 0.2) ? "\xef\xbb\xbf" : "");
    for (int64_t i = 0; i < rows; i++) {
        if (rnd_chance(r, 0.1)) {
            text_put(t, rnd_chance(r, 0.5) ? "\n" : "  # nothing\n");
        }
        put_row(t, r, s);
        if (i + 1 < rows || rnd_chance(r, 0.7)) {
            text_put(t, s->crlf ? "\r\n" : "\n");
        }
    }
}

static int sign_of(const char *word, const char *positive)
{
    char *end;
    const double v = strtod(word, &end), w = strtod(positive, NULL);
    return (*end == '\0' ? v == w : strcmp(word, positive) == 0) ? 1 : -1;
}

static void judge(const ney_data *d, const ref_svm *ref, const shape *s)
{
    const ney_matrix *x = ney_data_matrix(d);
    int64_t entries = 0;
    int seen = 0;
    assert_int_equal(x->rows, ref->rows);
    assert_int_equal(x->cols, ref->cols);
    for (int64_t i = 0; i < x->rows; i++) {
        for (int64_t c = 0; c < x->cols; c++) {
            const float wanted = (float)ref->x[i * REF_MOST_COLS + c], found = cell(d, i, c);
            entries += wanted != 0;
            if (wanted != found) {
                fail_msg("row %d column %d: %.9g, expected %.9g", (int)i, (int)c, (double)found,
                         (double)wanted);
            }
        }
        const float weight = ney_data_weight(d) ? ney_data_weight(d)[i] : 1;
        assert_true(weight == (float)ref->weight[i]);
        seen |= sign_of(ref->label[i], label_words[s->kind][1][0]) > 0 ? 1 : 2;
    }
    assert_int_equal(x->dense != NULL, ney_dense_is_smaller(x->rows, x->cols, entries));
    if (!x->dense) {
        assert_int_equal(x->start[x->rows], entries);
    }
    assert_int_equal(ney_data_label(d) != NULL, s->labelled);
    for (int64_t i = 0; s->labelled && seen == 3 && i < x->rows; i++) {
        assert_int_equal(ney_data_label(d)[i], sign_of(ref->label[i], label_words[s->kind][1][0]));
    }
}

static void reads_as_the_plain_reader(void **state)
{
    rnd r = rnd_new(201);
    text t = {0};
    (void)state;
    for (int64_t round = test_times(400); round > 0; round--) {
        const shape s = {.labelled = rnd_chance(&r, 0.8),
                         .zero_based = rnd_chance(&r, 0.3),
                         .crlf = rnd_chance(&r, 0.3),
                         .weights = rnd_chance(&r, 0.3),
                         .density = rnd_chance(&r, 0.3) ? 1 : rnd_unit(&r),
                         .cols = 1 + rnd_below(&r, 40),
                         .kind = (int)rnd_below(&r, 4)};
        ney_read_opts o = read_defaults();
        o.zero_based = s.zero_based;
        o.format = NEY_FORMAT_SVMLIGHT;
        make(&t, &r, &s, 1 + rnd_below(&r, 30));
        ref_svm ref = ref_read_svm(t.bytes, t.length, s.zero_based);
        ney_data *d = parse(t.bytes, &o);
        judge(d, &ref, &s);
        ney_data *again = parse_with(t.bytes, &o, ney_data_preprocessing(d));
        assert_same_data(d, again);
        ney_data_free(again);
        ney_data_free(d);
        ref_svm_free(&ref);
    }
    text_free(&t);
}

/* The named class is positive, whichever it is. */
static void positive_is_the_one_named(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        for (int side = 0; side < 2; side++) {
            text t = {0};
            ney_read_opts o = read_defaults();
            o.positive = label_words[kind][side][1];
            o.format = NEY_FORMAT_SVMLIGHT;
            text_printf(&t, "%s 1:1\n%s 1:2\n%s 1:3\n", label_words[kind][0][0],
                        label_words[kind][1][2], label_words[kind][0][2]);
            ney_data *d = parse(t.bytes, &o);
            const int8_t first = (int8_t)(side == 0 ? 1 : -1), *label = ney_data_label(d);
            assert_true(label[0] == first && label[1] == -first && label[2] == first);
            assert_int_equal(
                sign_of(ney_preprocessing_label(ney_data_preprocessing(d), 1), o.positive), 1);
            ney_data_free(d);
            o.positive = "7";
            refuse(t.bytes, &o, NEY_EPARSE, 0, "expected '7'");
            text_free(&t);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_as_the_plain_reader),
        cmocka_unit_test(positive_is_the_one_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
