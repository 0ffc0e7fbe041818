/* Reading rows batch by batch, with memory refused at every request and a stop at every poll. */
#include "support/cmocka_all.h"
#include "support/counting.h"
#include "support/temp.h"

#include <neyman/experimental.h>

#include <stdio.h>
#include <string.h>

#define TABLE "label,place,n,who\nyes,Rome,1,a\nno,\"x, y\",2,b\nyes,Rome,3,b\nno,Oslo,5,c\n"

typedef struct use {
    const char *path;
    const ney_preprocessing *preprocessing;
    const ney_model *model;
    bool single;
} use;

static ney_status read_all(ney_row_stream *s, ney_reuse_scan *scan, ney_error *err)
{
    const ney_data *rows;
    ney_status st;
    while ((st = ney_row_stream_next(s, &rows, err)) == NEY_OK && rows) {
        if ((st = ney_reuse_scan_add(scan, rows, err)) != NEY_OK) {
            return st;
        }
    }
    assert_null(rows);
    return st;
}

static ney_status use_stream(const void *what, const ney_env *env, ney_error *err)
{
    const use *const u = what;
    ney_row_stream *s = NULL;
    ney_reuse_scan *scan = NULL;
    ney_status st = ney_row_stream_open(&s, env, u->path, NULL, u->preprocessing, u->single, err);
    assert_true((st == NEY_OK) == (s != NULL));
    if (st == NEY_OK && (st = ney_reuse_scan_new(&scan, env, u->model, err)) == NEY_OK) {
        st = read_all(s, scan, err);
    }
    ney_reuse_scan_free(scan);
    ney_row_stream_close(s);
    return st;
}

static void memory_and_polls(void **state)
{
    static const double w[8] = {1};
    char table[300], cache[300];
    ney_data *d;
    ney_model *m;
    (void)state;
    snprintf(table, sizeof table, "%s", temp_text("rows.csv", TABLE));
    snprintf(cache, sizeof cache, "%s", temp_path("rows.ney"));
    assert_int_equal(ney_cache_build_with(NULL, table, cache, NULL, NULL), NEY_OK);
    assert_int_equal(ney_data_read_with(&d, NULL, table, NULL, NULL, NULL), NEY_OK);
    assert_int_equal(ney_data_prepare(d, NEY_SCALING_STANDARD, NULL, 0, NULL), NEY_OK);
    assert_int_equal(ney_model_new_linear(&m, NULL, ney_data_preprocessing(d), w, 0, NULL), NEY_OK);
    assert_int_equal(ney_model_add_training_rows(m, d, NULL), NEY_OK);
    const use uses[] = {{table, ney_data_preprocessing(d), m, false},
                        {table, ney_data_preprocessing(d), m, true},
                        {cache, ney_data_preprocessing(d), m, false}};
    for (size_t k = 0; k < sizeof uses / sizeof *uses; k++) {
        sweep_memory(uses[k].path, use_stream, &uses[k]);
        assert_true(sweep_polls(uses[k].path, use_stream, &uses[k], false) > 0);
    }
    ney_model_free(m);
    ney_data_free(d);
}

/* An array, an archive of a dense array and one of a sparse matrix. */
static void memory_and_polls_of_arrays(void **state)
{
    static const char *const text[] = {"label,a,b\n1,2,3\n-1,3,1\n1,5,2\n",
                                       "1 1:2 2:3\n-1 1:3\n1 2:2\n"};
    static const char *const name[] = {"rows.npy", "rows.npz", "sparse.npz"};
    static const double w[2] = {1, 1};
    (void)state;
    for (int k = 0; k < 3; k++) {
        char path[300];
        ney_data *d;
        ney_model *m;
        const char *const from = temp_text(k < 2 ? "from.csv" : "from.svm", text[k == 2]);
        assert_int_equal(ney_data_read_with(&d, NULL, from, NULL, NULL, NULL), NEY_OK);
        snprintf(path, sizeof path, "%s", temp_path(name[k]));
        assert_int_equal(
            ney_data_write(d, NULL, path, k == 0 ? NEY_FORMAT_NPY : NEY_FORMAT_NPZ, NULL), NEY_OK);
        assert_int_equal(ney_data_prepare(d, NEY_SCALING_NONE, NULL, 0, NULL), NEY_OK);
        assert_int_equal(ney_model_new_linear(&m, NULL, ney_data_preprocessing(d), w, 0, NULL),
                         NEY_OK);
        assert_int_equal(ney_model_add_training_rows(m, d, NULL), NEY_OK);
        const use u = {path, ney_data_preprocessing(d), m, false};
        sweep_memory(path, use_stream, &u);
        assert_true(sweep_polls(path, use_stream, &u, false) > 0);
        ney_model_free(m);
        ney_data_free(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_and_polls),
                                       cmocka_unit_test(memory_and_polls_of_arrays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
