/* The family of trees: scores are those of a walk that is written down here from the format's
 * description, missing values go where a split says and an absent one is 0, files round-trip and
 * broken ones are refused; and the text of the library that trains is read as it is meant. */
#include "support/cmocka_all.h"
#include "support/random_data.h"

#include "data/data.h"
#include "learn/trees/booster.h"
#include "model/folds.h"
#include "model/model.h"
#include "model/trees.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

enum { COLS = 5, ROWS = 150 };

static ney_data *plain_data(int cols)
{
    static const float none[2 * COLS];
    static const int8_t label[2] = {-1, 1};
    const ney_matrix x = {.rows = 2, .cols = cols, .dense = none};
    ney_data *d;
    assert_int_equal(ney_data_new(&d, NULL, &x, label, NULL, NULL), NEY_OK);
    assert_int_equal(ney_data_prepare(d, NEY_SCALING_NONE, NULL, 0, NULL), NEY_OK);
    return d;
}

/* ---------------------------------------------------------------- reference: nested structs */

typedef struct branch {
    int column; /* -1: a leaf */
    float value;
    int missing_left;
    struct branch *left, *right;
} branch;

static branch *random_branch(rnd *r, int depth)
{
    branch *b = calloc(1, sizeof *b);
    b->column = depth > 0 && rnd_chance(r, 0.85) ? (int)rnd_below(r, COLS) : -1;
    b->value = (float)(rnd_below(r, 9) - 4) / 4;
    if (b->column >= 0) {
        b->missing_left = rnd_chance(r, 0.5);
        b->left = random_branch(r, depth - 1);
        b->right = random_branch(r, depth - 1);
    }
    return b;
}

static double walk(const branch *b, const float *x)
{
    while (b->column >= 0) {
        const float v = x[b->column];
        const int left = isnan(v) ? b->missing_left : v < b->value;
        b = left ? b->left : b->right;
    }
    return (double)b->value;
}

static int64_t put_branch(const branch *b, ney_tree_node *node, int64_t at)
{
    node[at] = (ney_tree_node){
        .column = b->column, .value = b->value, .cover = 2, .missing_left = b->missing_left};
    at++;
    return b->column < 0 ? at : put_branch(b->right, node, put_branch(b->left, node, at));
}

static void free_branch(branch *b)
{
    if (b->column >= 0) {
        free_branch(b->left);
        free_branch(b->right);
    }
    free(b);
}

/* ---------------------------------------------------------------- scores */

static void test_scores_are_those_of_a_walk(void **state)
{
    const ney_env env = ney_env_default();
    static float x[ROWS * COLS], value[ROWS * COLS];
    static int32_t index[ROWS * COLS];
    static int64_t start[ROWS + 1];
    ney_data *const data = plain_data(COLS);
    rnd r = rnd_new(11);
    (void)state;
    for (int run = 0; run < 60; run++) {
        enum { MOST = 12, NODES = 128 };
        branch *tree[MOST];
        const int n = (int)rnd_below(&r, MOST + 1);
        ney_trees *t = ney_trees_new(&env, COLS, n, (int64_t)n * NODES);
        double score[ROWS];
        ney_model *m;
        t->intercept = 0.25;
        for (int k = 0; k < n; k++) {
            tree[k] = random_branch(&r, (int)rnd_below(&r, 7));
            t->start[k + 1] = put_branch(tree[k], t->node, t->start[k]);
        }
        int64_t entries = 0;
        for (int i = 0; i < ROWS; i++) {
            for (int c = 0; c < COLS; c++) {
                const float v = rnd_chance(&r, 0.1)   ? NAN
                                : rnd_chance(&r, 0.3) ? 0
                                                      : (float)(rnd_below(&r, 17) - 8) / 8;
                x[i * COLS + c] = v;
                if (v != 0) { /* true of NaN */
                    index[entries] = c;
                    value[entries++] = v;
                }
            }
            start[i + 1] = entries;
        }
        assert_int_equal(ney_trees_finish(t, &env, NULL), NEY_OK);
        assert_int_equal(ney_model_new_trees(&m, &env, ney_data_preprocessing(data), t, NULL),
                         NEY_OK);
        for (int form = 0; form < 2; form++) {
            const ney_matrix rows = {.rows = ROWS,
                                     .cols = COLS,
                                     .dense = form ? NULL : x,
                                     .start = form ? start : NULL,
                                     .index = form ? index : NULL,
                                     .value = form ? value : NULL};
            assert_int_equal(ney_model_score(m, NULL, &rows, score, NULL), NEY_OK);
            for (int i = 0; i < ROWS; i++) {
                double f = 0.25;
                for (int k = 0; k < n; k++) {
                    f += walk(tree[k], x + (ptrdiff_t)i * COLS);
                }
                if (score[i] != f) {
                    fail_msg("run %d row %d form %d: %g, expected %g", run, i, form, score[i], f);
                }
            }
        }
        for (int k = 0; k < n; k++) {
            free_branch(tree[k]);
        }
        ney_model_free(m);
    }
    ney_data_free(data);
}

/* ---------------------------------------------------------------- files */

static const char HEAD[] = "neyman-model 4\nfamily trees\nrecipe svmlight\ncolumns 2\nnegative -1\n"
                           "positive 1\nscaling none\nend-recipe\nthresholds 0 0\nsummary 0\n"
                           "certificate 0\n";

static ney_status parse(const char *part, ney_model **m, ney_error *err)
{
    char file[2048];
    int n = snprintf(file, sizeof file, "%s%s", HEAD, part);
    n += snprintf(file + n, sizeof file - (size_t)n, "end %016llx\n",
                  (unsigned long long)XXH3_64bits(file, (size_t)n));
    return ney_model_parse(m, NULL, "test", file, (size_t)n, err);
}

static void test_files(void **state)
{
    static const struct {
        const char *part, *message;
    } broken[] = {
        {"nodes 1\ntrees 1\ntree 1\n = 1 1\n", "intercept"},
        {"intercept 0\nnodes 3\ntrees 1\ntree 3\n < 1 0.5 2 1\n = 1 1\n", "word"},
        {"intercept 0\nnodes 3\ntrees 1\ntree 3\n < 3 0.5 2 1\n = 1 1\n = 1 1\n", "1 to 2"},
        {"intercept 0\nnodes 3\ntrees 1\ntree 3\n < 1 nan 2 1\n = 1 1\n = 1 1\n", "threshold"},
        {"intercept 0\nnodes 3\ntrees 1\ntree 3\n < 1 1e39 2 1\n = 1 1\n = 1 1\n", "float"},
        {"intercept 0\nnodes 3\ntrees 1\ntree 3\n ? 1 1 2 1\n = 1 1\n = 1 1\n", "?"},
        {"intercept 0\nnodes 3\ntrees 1\ntree 3\n < 1 1 2 1\n = 1 -1\n = 1 1\n", "cover"},
        {"intercept 0\nnodes 3\ntrees 1\ntree 3\n < 1 1 2 1\n < 1 1 2 1\n = 1 1\n", "complete"},
        {"intercept 0\nnodes 3\ntrees 1\ntree 3\n = 1 1\n = 1 1\n = 1 1\n", "complete"},
        {"intercept 0\nnodes 3\ntrees 2\ntree 2\n = 1 1\n = 1 1\ntree 1\n = 1 1\n", "complete"},
        {"intercept 0\nnodes 2\ntrees 1\ntree 1\n = 1 1\n", "nodes"},
        {"intercept 0\nnodes 1\ntrees 2\ntree 1\n = 1 1\ntree 1\n = 1 1\n", "2"},
    };
    ney_model *m;
    ney_error err;
    int failures = 0;
    char *written;
    size_t n;
    (void)state;
    static const char good[] = "intercept 0.5\nnodes 6\ntrees 2\ntree 5\n < 2 0.5 8 2.5\n = -1 3\n"
                               " > 1 -2 5 1\n = 0.25 2\n = 2 3\ntree 1\n = 0.125 8\n";
    if (parse(good, &m, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    const float x[] = {-3, 1, NAN, 1, 0, NAN, 5, 0.5f};
    const ney_matrix rows = {.rows = 4, .cols = 2, .dense = x};
    double score[4];
    assert_int_equal(ney_model_score(m, NULL, &rows, score, NULL), NEY_OK);
    assert_true(score[0] == 0.875 && score[1] == 2.625 && score[2] == -0.375 && score[3] == 2.625);
    assert_int_equal(ney_model_format(m, &written, &n, NULL), NEY_OK);
    assert_non_null(strstr(written, good));
    ney_model_text_free(m, written);
    ney_model_free(m);
    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
        const ney_status st = parse(broken[k].part, &m, &err);
        if (st == NEY_OK || m || !strstr(err.message, broken[k].message)) {
            print_message("%zu: %s: %s\n", k, st == NEY_OK ? "taken" : "refused", err.message);
            failures++;
        }
    }
    assert_int_equal(failures, 0);
}

/* A file as version 1.0 wrote it: read, written again byte by byte, and scored as a walk over its
 * text by another program scores it. */
static void test_golden_file(void **state)
{
    static const float x[] = {0, 0, 1, 1, NAN, 1, 2.5f, -3};
    static const double expected[] = {-0.5670110279032865, 0.6210928889187148, 0.668682239410477,
                                      0.4000386750986895};
    const ney_matrix rows = {.rows = 4, .cols = 2, .dense = x};
    const char *const root = getenv("NEY_SOURCE");
    char path[4096], bytes[4096], *again;
    double score[4];
    size_t n_again;
    ney_model *m;
    ney_error err = {0};
    (void)state;
    if (!root) {
        skip();
    }
    snprintf(path, sizeof path, "%s/tests/golden/model-v5-trees.ney", root);
    FILE *const f = fopen(path, "r");
    assert_non_null(f);
    const size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    if (ney_model_parse(&m, NULL, "golden", bytes, n, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    assert_int_equal(ney_model_format(m, &again, &n_again, NULL), NEY_OK);
    assert_int_equal(n_again, n);
    assert_memory_equal(again, bytes, n);
    assert_int_equal(ney_model_score(m, NULL, &rows, score, NULL), NEY_OK);
    for (int i = 0; i < 4; i++) {
        assert_true(score[i] == expected[i]);
    }
    ney_model_text_free(m, again);
    ney_model_free(m);
}

/* ---------------------------------------------------------------- sums */

static void test_sum(void **state)
{
    ney_model *m[2], *sum;
    ney_error err;
    (void)state;
    assert_int_equal(
        parse("intercept 1\nnodes 3\ntrees 1\ntree 3\n < 1 0.5 2 1\n = 1 1\n = 3 1\n", &m[0], &err),
        NEY_OK);
    assert_int_equal(
        parse("intercept 0\nnodes 3\ntrees 1\ntree 3\n > 2 0 2 1\n = 5 1\n = 7 1\n", &m[1], &err),
        NEY_OK);
    const double scale[] = {0.5, 2}, shift[] = {0, 0.25};
    assert_int_equal(ney_model_sum(&sum, &m[0]->env, m, scale, shift, 2, &err), NEY_OK);
    const float x[] = {1, -1, 0, NAN};
    const ney_matrix rows = {.rows = 2, .cols = 2, .dense = x};
    double score[2];
    assert_int_equal(ney_model_score(sum, NULL, &rows, score, NULL), NEY_OK);
    assert_true(score[0] == 0.5 * 4 + 2 * 5 + 0.25 && score[1] == 0.5 * 2 + 2 * 7 + 0.25);
    ney_model_free(sum);
    ney_model_free(m[0]);
    ney_model_free(m[1]);
}

/* ---------------------------------------------------------------- the library's text */

#define TREE(left, right, column)                                                                  \
    "{\"base_weights\":[0,0,0],\"default_left\":[1,0,0],\"id\":0,\"left_children\":[" left         \
    "],\"loss_changes\":[12.3456789,0,0],\"parents\":[2147483647,0,0],\"right_children\":[" right  \
    "],\"split_conditions\":[2.5E-1,-1E0,2],\"split_indices\":[" column                            \
    "],\"split_type\":[0,0,0],\"sum_hessian\":[5,3,2],\"tree_param\":{\"num_nodes\":\"3\"}}"

static void test_library_text(void **state)
{
    static const char *const broken[] = {
        "{}",
        "{\"trees\":[" TREE("1,-1", "2,-1,-1", "1,0,0") "]}",
        "{\"trees\":[" TREE("1,-1,x", "2,-1,-1", "1,0,0") "]}",
        "{\"trees\":[" TREE("0,-1,-1", "2,-1,-1", "1,0,0") "]}",
        "{\"trees\":[" TREE("1,1,-1", "2,2,-1", "1,0,0") "]}",
        "{\"trees\":[" TREE("3,-1,-1", "2,-1,-1", "1,0,0") "]}",
        "{\"trees\":[" TREE("1,-1,-1", "2,-1,-1", "7,0,0") "]}",
    };
    const ney_env env = ney_env_default();
    ney_trees *t;
    ney_error err;
    (void)state;
    assert_int_equal(ney_booster_parse(&t, &env,
                                       "{\"trees\":[" TREE("2,-1,-1", "1,-1,-1", "1,0,0") "]}", 2,
                                       1, &err),
                     NEY_OK);
    assert_int_equal(t->n, 1);
    assert_true(t->node[0].column == 1 && t->node[0].value == 0.25f && t->node[0].missing_left);
    assert_true(t->node[0].gain == 12.346f && t->node[0].cover == 5 && t->node[0].right == 2);
    assert_true(t->node[1].column == NEY_LEAF && t->node[1].value == 2 && t->node[2].value == -1);
    ney_trees_free(&env, t);
    for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
        if (ney_booster_parse(&t, &env, broken[k], 2, 1, &err) == NEY_OK || t) {
            fail_msg("taken: %s", broken[k]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scores_are_those_of_a_walk),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_golden_file),
        cmocka_unit_test(test_sum),
        cmocka_unit_test(test_library_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
