/* Rows of several batches, of which later ones change what the earlier ones are: longer lines, more
 * or fewer zeros, more columns, weights. */
#include "data/data.h"
#include "data/lines.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/same.h"
#include "support/share.h"
#include "support/temp.h"

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
    const int64_t step = test_share(4) < test_times(4) ? 3 : 1; /* a sanitizer: two of four */
    text t = {0};
    (void)state;
    for (int64_t turn = 0; turn < 4; turn += step) {
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
        cmocka_unit_test(lines_may_be_longer_than_a_batch),
        cmocka_unit_test(representation_follows_the_whole),
        cmocka_unit_test(wide_models_stay_sparse),
        cmocka_unit_test(columns_may_come_late),
        cmocka_unit_test(weights_may_begin_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
