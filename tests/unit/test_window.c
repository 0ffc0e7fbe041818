/* The windows of an epoch: every row that is learned from is there as often as its class is to be
 * visited, whole, with its label and weight, whatever the order. */
#include "support/cmocka_all.h"

#include "learn/online/window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 6000, COLS = 300, OWN = 3 }; /* OWN entries of a row that are not zero */

static float value(int64_t row, int k)
{
    return (float)(k == 0 ? row + 1 : (row * 7 + k) % 11 + 1);
}

static int64_t column(int64_t row, int k)
{
    return k == 0 ? 0 : 1 + (row * 13 + 97 * (int64_t)k) % (COLS - 1);
}

static int8_t label(int64_t row)
{
    return row % 4 == 0 ? 1 : -1;
}

static float weight(int64_t row)
{
    return 1 + (float)(row % 5);
}

/* A row's number is its first entry. The other two may be one. */
static void judge_row(const ney_window *w, int64_t row, int64_t *seen)
{
    float whole[COLS] = {0}, expected[COLS] = {0};
    if (w->x.dense) {
        memcpy(whole, w->x.dense + row * COLS, sizeof whole);
    } else {
        for (int64_t k = w->x.start[row]; k < w->x.start[row + 1]; k++) {
            whole[w->x.index[k]] += w->x.value[k];
        }
    }
    const int64_t id = (int64_t)whole[0] - 1;
    assert_true(id >= 0 && id < ROWS);
    for (int k = 0; k < OWN; k++) {
        expected[column(id, k)] = value(id, k);
    }
    assert_memory_equal(whole, expected, sizeof whole);
    assert_int_equal(w->label[row], label(id));
    assert_true(w->weight[row] == weight(id));
    seen[id]++;
}

static ney_data *make_data(bool sparse)
{
    float *const dense = calloc((size_t)ROWS * COLS, sizeof *dense);
    float *const entry = calloc((size_t)ROWS * OWN, sizeof *entry);
    int32_t *const index = calloc((size_t)ROWS * OWN, sizeof *index);
    static int64_t start[ROWS + 1];
    static int8_t y[ROWS];
    static float weights[ROWS];
    ney_data *data = NULL;
    int64_t n = 0;
    assert_true(dense && entry && index);
    for (int64_t i = 0; i < ROWS; i++) {
        float *const row = dense + i * COLS;
        for (int k = 0; k < OWN; k++) {
            row[column(i, k)] = value(i, k);
        }
        for (int32_t c = 0; c < COLS; c++) {
            if (row[c] != 0) {
                index[n] = c;
                entry[n++] = row[c];
            }
        }
        start[i + 1] = n;
        y[i] = label(i);
        weights[i] = weight(i);
    }
    const ney_matrix m = {.rows = ROWS,
                          .cols = COLS,
                          .dense = sparse ? NULL : dense,
                          .start = sparse ? start : NULL,
                          .index = sparse ? index : NULL,
                          .value = sparse ? entry : NULL};
    assert_int_equal(ney_data_new(&data, NULL, &m, y, weights, NULL), NEY_OK);
    free(dense);
    free(entry);
    free(index);
    return data;
}

static void judge_epoch(bool sparse)
{
    static int64_t seen[ROWS];
    const ney_env env = ney_env_default();
    ney_data *const data = make_data(sparse);
    ney_train_opts o;
    ney_feed feed;
    ney_parts parts;
    ney_shuffle s;
    ney_window w;
    int64_t n;
    const ney_param *params = ney_train_params(&n);
    ney_params_init(params, n, &o);
    o.confidence = (double)NAN; /* the bound holds on the training rows */
    o.max_fpr = 0.1;
    o.validation = 0;
    ney_feed_of_data(&feed, &env, data);
    const ney_request r = ney_request_of(&o);
    assert_int_equal(ney_parts_init(&parts, &feed, NULL, &r, &o, NULL), NEY_OK);
    assert_int_equal(ney_shuffle_init(&s, &feed, &parts, 3, NULL), NEY_OK);
    assert_int_equal(ney_window_init(&w, &env, NULL), NEY_OK);
    assert_true(sparse || s.n_windows > 1);
    assert_int_equal(s.visits[1], 3);
    for (int epoch = 0; epoch < 2; epoch++) {
        double visits = 0;
        memset(seen, 0, sizeof seen);
        ney_shuffle_begin(&s, epoch);
        for (int64_t k = 0; k < s.n_windows; k++) {
            ney_window_load(&w, &s, k);
            assert_int_equal(w.status, NEY_OK);
            for (int64_t i = 0; i < w.n; i++) {
                judge_row(&w, w.visit[i], seen);
            }
            visits += (double)w.n;
        }
        assert_true(visits == ney_shuffle_visits(&s));
        for (int64_t i = 0; i < ROWS; i++) {
            assert_int_equal(seen[i], label(i) > 0 ? 3 : 1);
        }
    }
    ney_window_deinit(&w, &env);
    ney_shuffle_deinit(&s);
    ney_parts_deinit(&parts);
    ney_data_free(data);
}

static void test_an_epoch_visits_whole_rows_as_often_as_it_must(void **state)
{
    (void)state;
    judge_epoch(false);
    judge_epoch(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_epoch_visits_whole_rows_as_often_as_it_must),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
