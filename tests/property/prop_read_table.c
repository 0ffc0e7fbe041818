/* CSV, TSV and PIN text of every shape gives what a plain reader gives, and again through its own
 * preprocessing, with its columns in any order. */
#include "data/data.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/ref_read.h"
#include "support/same.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct shape {
    char delimiter;
    bool pin, crlf, gaps, far;
    int64_t cols; /* features */
    bool word[20];
    int64_t label_at;
} shape;

static const char *const words[] = {"red",       "green", "a b", "x\"y", "p,q", "two\nlines",
                                    "tab\there", "Z",     "0x1", "1,5x", "--",  "nothing"};

/* Quoted where it must be, and sometimes where it need not. */
static void put_cell(text *t, rnd *r, const char *cell, const shape *s)
{
    const char special[] = {s->delimiter, '"', '\n', '\0'};
    const bool must = !s->pin && cell[strcspn(cell, special)] != '\0';
    text_put(t, !s->pin && rnd_chance(r, 0.1) ? " " : "");
    if (must || (!s->pin && *cell && rnd_chance(r, 0.1))) {
        text_put(t, "\"");
        for (; *cell; cell++) {
            text_bytes(t, cell, 1);
            text_put(t, *cell == '"' ? "\"" : "");
        }
        text_put(t, "\"");
    } else {
        text_put(t, cell);
    }
    text_put(t, rnd_chance(r, 0.1) ? " " : "");
}

static void put_feature(text *t, rnd *r, const shape *s, int64_t c)
{
    text number = {0};
    if (s->gaps && rnd_chance(r, 0.1)) {
        put_cell(t, r, rnd_chance(r, 0.5) ? "" : (rnd_chance(r, 0.5) ? "NA" : "?"), s);
        return;
    }
    if (s->word[c] && !s->pin) {
        put_cell(t, r, words[rnd_below(r, sizeof words / sizeof *words)], s);
        return;
    }
    if (s->far && c % 3 == 0) {
        text_printf(&number, "%.4f", 1.6e9 + rnd_unit(r));
    } else {
        text_number(&number, r, false);
    }
    put_cell(t, r, number.bytes, s);
    text_free(&number);
}

static void make(text *t, rnd *r, const shape *s, int64_t rows)
{
    const char gap[2] = {s->delimiter, '\0'}, *newline = s->crlf ? "\r\n" : "\n";
    t->length = 0;
    text_put(t, rnd_chance(r, 0.2) ? "\xef\xbb\xbf" : "");
    for (int64_t i = -1; i < rows; i++) {
        if (i >= 0 && rnd_chance(r, 0.05)) {
            text_put(t, newline);
        }
        if (s->pin) {
            text_printf(t, i < 0 ? "SpecId\t" : "id_%d\t", (int)i);
        }
        for (int64_t c = 0; c < s->cols; c++) {
            if (c == s->label_at) {
                put_cell(t, r,
                         i < 0 ? (s->pin ? "Label" : "class") : (rnd_chance(r, 0.5) ? "1" : "-1"),
                         s);
                text_put(t, gap);
            }
            char name[32];
            snprintf(name, sizeof name, "f %d", (int)c);
            if (i < 0) {
                put_cell(t, r, name, s);
            } else {
                put_feature(t, r, s, c);
            }
            text_put(t, c + 1 < s->cols || s->pin ? gap : "");
        }
        if (s->pin) {
            text_put(t, i < 0 ? "Peptide\tProteins" : "K.PEP.R\tprot1");
            text_put(t, i >= 0 && rnd_chance(r, 0.3) ? "\tprot2\tprot3" : "");
        }
        if (i + 1 < rows || rnd_chance(r, 0.7)) {
            text_put(t, newline);
        }
        if (i < 0 && s->pin && rnd_chance(r, 0.5)) {
            text_printf(t, "DefaultDirection\t-\t-\t1\t0.5%s", newline);
        }
    }
}

/* The features of one column, by name, as the preprocessing says it stores them. */
static void judge_column(const ney_data *d, const ref_table *ref, int64_t col, int64_t *next)
{
    const ney_preprocessing *preprocessing = ney_data_preprocessing(d);
    bool number = true;
    for (int64_t i = 0; i < ref->rows; i++) {
        char *end;
        const char *cell_text = ref->cell[i * ref->cols + col];
        strtod(cell_text, &end);
        number = number && (ref_missing(cell_text) || (*end == '\0' && !strpbrk(cell_text, "xX")));
    }
    char name[100], wanted_name[100];
    for (int64_t f = *next; f < ney_preprocessing_cols(preprocessing); f++) {
        ney_preprocessing_feature(preprocessing, f, name, sizeof name);
        for (int64_t i = 0; i < ref->rows; i++) {
            const char *text_cell = ref->cell[i * ref->cols + col];
            const float found = cell(d, i, f);
            if (!number) {
                snprintf(wanted_name, sizeof wanted_name, "%s=%s", ref->name[col], text_cell);
                assert_true(found == (strcmp(name, wanted_name) == 0 ? 1.0f : 0.0f));
            } else if (ref_missing(text_cell)) {
                assert_true(isnan(found));
            } else {
                const double shift = preprocessing->shift ? preprocessing->shift[f] : 0;
                const float wanted = (float)(strtod(text_cell, NULL) - shift);
                assert_true(found == wanted);
            }
        }
        ++*next;
        if (number) {
            assert_string_equal(name, ref->name[col]);
            return;
        }
        char following[100] = "";
        if (*next < ney_preprocessing_cols(preprocessing)) {
            ney_preprocessing_feature(preprocessing, *next, following, sizeof following);
        }
        const size_t length = strlen(ref->name[col]);
        if (strncmp(following, ref->name[col], length) != 0 || following[length] != '=') {
            return;
        }
    }
}

static bool is_feature(const ref_table *ref, int64_t c)
{
    static const char *const others[] = {"class", "Label", "SpecId", "Peptide", "Proteins"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        if (strcmp(ref->name[c], others[k]) == 0) {
            return false;
        }
    }
    return true;
}

static void judge(const ney_data *d, const ref_table *ref)
{
    int64_t next = 0;
    assert_int_equal(ney_data_matrix(d)->rows, ref->rows);
    for (int64_t c = 0; c < ref->cols; c++) {
        if (is_feature(ref, c)) {
            judge_column(d, ref, c, &next);
        } else if (strcasecmp(ref->name[c], "Label") == 0 || strcmp(ref->name[c], "class") == 0) {
            for (int64_t i = 0; i < ref->rows; i++) {
                assert_int_equal(ney_data_label(d)[i], atoi(ref->cell[i * ref->cols + c]));
            }
        }
    }
    assert_int_equal(next, ney_data_matrix(d)->cols);
}

/* The same rows with the columns in another order and a column more. */
static void write_shuffled(text *t, rnd *r, const ref_table *ref, const shape *s)
{
    int64_t order[REF_MOST_COLS];
    const char gap[2] = {s->delimiter, '\0'};
    for (int64_t c = 0; c < ref->cols; c++) {
        order[c] = c;
    }
    for (int64_t c = ref->cols - 1; c > 0; c--) {
        const int64_t k = rnd_below(r, c + 1), kept = order[c];
        order[c] = order[k];
        order[k] = kept;
    }
    t->length = 0;
    for (int64_t i = -1; i < ref->rows; i++) {
        put_cell(t, r, i < 0 ? "extra" : "9", s);
        for (int64_t c = 0; c < ref->cols; c++) {
            text_put(t, gap);
            put_cell(t, r, i < 0 ? ref->name[order[c]] : ref->cell[i * ref->cols + order[c]], s);
        }
        text_put(t, "\n");
    }
}

static shape random_shape(rnd *r)
{
    shape s = {.delimiter = rnd_chance(r, 0.5) ? ',' : '\t',
               .pin = rnd_chance(r, 0.3),
               .crlf = rnd_chance(r, 0.3),
               .gaps = rnd_chance(r, 0.3),
               .far = rnd_chance(r, 0.3),
               .cols = 2 + rnd_below(r, 10)};
    s.delimiter = s.pin ? '\t' : s.delimiter;
    s.label_at = s.pin ? 0 : rnd_below(r, s.cols);
    for (int64_t c = 0; c < s.cols; c++) {
        s.word[c] = rnd_chance(r, 0.3);
    }
    return s;
}

static void reads_as_the_plain_reader(void **state)
{
    rnd r = rnd_new(301);
    text t = {0}, shuffled = {0};
    (void)state;
    for (int64_t round = test_times(400); round > 0; round--) {
        const shape s = random_shape(&r);
        ney_read_opts o = read_defaults();
        o.missing = s.gaps ? NEY_MISSING_MEAN : NEY_MISSING_ERROR;
        o.format = s.pin ? NEY_FORMAT_AUTO : (s.delimiter == ',' ? NEY_FORMAT_CSV : NEY_FORMAT_TSV);
        make(&t, &r, &s, 3 + rnd_below(&r, 30));
        text_put(&t, t.bytes[t.length - 1] == '\n' ? "" : "\n");
        if (s.pin) { /* both classes, for the sign of a single one follows another rule */
            text_put(&t, "a\t1");
        }
        for (int64_t c = 0; s.pin && c < s.cols; c++) {
            text_put(&t, "\t5");
        }
        text_put(&t, s.pin ? "\tP\tQ\n" : "");
        ref_table ref = ref_read_table(t.bytes, t.length, s.delimiter, s.pin);
        ney_data *d = parse(t.bytes, &o);
        assert_int_equal(ney_data_format(d), s.pin ? NEY_FORMAT_PIN : (ney_format)o.format);
        if (ney_preprocessing_label(ney_data_preprocessing(d), 1)[0] &&
            ney_preprocessing_label(ney_data_preprocessing(d), -1)[0]) {
            judge(d, &ref);
        }
        o.missing = NEY_MISSING_ERROR; /* the preprocessing knows */
        ney_data *again = parse_with(t.bytes, &o, ney_data_preprocessing(d));
        assert_same_data(d, again);
        ney_data_free(again);
        if (!s.pin) {
            write_shuffled(&shuffled, &r, &ref, &s);
            again = parse_with(shuffled.bytes, &o, ney_data_preprocessing(d));
            assert_same_data(d, again);
            ney_data_free(again);
        }
        ney_data_free(d);
        ref_table_free(&ref);
    }
    text_free(&t);
    text_free(&shuffled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads_as_the_plain_reader)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
