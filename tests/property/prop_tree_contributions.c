/* Contributions of columns to scores of trees are the Shapley values that their definition gives:
 * an enumeration of all sets of columns over nested structs, with columns that a path meets twice,
 * missing values and covers of zero; they add up to the score minus the expected value, in deep
 * trees too. */
#include "support/cmocka_all.h"
#include "support/random_data.h"

#include "data/data.h"
#include "model/model.h"
#include "model/trees.h"

#include <neyman/experimental.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLS = 5, SETS = 1 << COLS, ROWS = 12, MOST_NODES = 4096 };

static ney_data *plain_data(int cols)
{
    float *const none = calloc((size_t)cols * 2, sizeof *none);
    static const int8_t label[2] = {-1, 1};
    const ney_matrix x = {.rows = 2, .cols = cols, .dense = none};
    ney_data *d;
    assert_int_equal(ney_data_new(&d, NULL, &x, label, NULL, NULL), NEY_OK);
    assert_int_equal(ney_data_prepare(d, NEY_SCALING_NONE, NULL, 0, NULL), NEY_OK);
    free(none);
    return d;
}

/* ---------------------------------------------------------------- reference */

typedef struct branch {
    int column; /* -1: a leaf */
    float value, cover;
    int missing_left;
    struct branch *left, *right;
} branch;

static branch *random_branch(rnd *r, int cols, int depth, double chance)
{
    branch *b = calloc(1, sizeof *b);
    b->column = depth > 0 && rnd_chance(r, chance) ? (int)rnd_below(r, cols) : -1;
    b->value = (float)(rnd_unit(r) - 0.5);
    b->cover = rnd_chance(r, 0.1) ? 0 : (float)(100 * rnd_unit(r));
    if (b->column >= 0) {
        b->missing_left = rnd_chance(r, 0.5);
        b->left = random_branch(r, cols, depth - 1, chance);
        b->right = random_branch(r, cols, depth - 1, chance);
    }
    return b;
}

/* The mean leaf where the columns of the set are known. */
static double mean_leaf(const branch *b, const float *x, unsigned set)
{
    if (b->column < 0) {
        return (double)b->value;
    }
    if (set >> b->column & 1) {
        const float v = x[b->column];
        return mean_leaf((isnan(v) ? b->missing_left : v < b->value) ? b->left : b->right, x, set);
    }
    const double l = (double)b->left->cover, rest = (double)b->right->cover;
    const double share = l + rest > 0 ? l / (l + rest) : 0.5;
    return share * mean_leaf(b->left, x, set) + (1 - share) * mean_leaf(b->right, x, set);
}

static double factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

static double shapley(const double *value, int column)
{
    double sum = 0;
    for (unsigned set = 0; set < SETS; set++) {
        const int k = __builtin_popcount(set);
        if (!(set >> column & 1)) {
            sum += factorial(k) * factorial(COLS - 1 - k) / factorial(COLS) *
                   (value[set | 1U << column] - value[set]);
        }
    }
    return sum;
}

static int64_t put_branch(const branch *b, ney_tree_node *node, int64_t at)
{
    assert_true(at < MOST_NODES);
    node[at++] = (ney_tree_node){.column = b->column,
                                 .value = b->value,
                                 .cover = b->cover,
                                 .gain = b->column < 0 ? 0 : b->cover,
                                 .missing_left = b->missing_left};
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

static ney_model *model_of(branch *const *tree, int n, int cols, const ney_data *d)
{
    const ney_env env = ney_env_default();
    ney_trees *t = ney_trees_new(&env, cols, n, MOST_NODES);
    ney_model *m;
    t->intercept = 0.375;
    for (int k = 0; k < n; k++) {
        t->start[k + 1] = put_branch(tree[k], t->node, t->start[k]);
    }
    assert_int_equal(ney_trees_finish(t, &env, NULL), NEY_OK);
    assert_int_equal(ney_model_new_trees(&m, &env, ney_data_preprocessing(d), t, NULL), NEY_OK);
    return m;
}

/* ---------------------------------------------------------------- tests */

static void test_shapley_values(void **state)
{
    ney_data *const d = plain_data(COLS);
    rnd r = rnd_new(6500);
    (void)state;
    for (int run = 0; run < test_times(60); run++) {
        enum { TREES = 3 };
        branch *tree[TREES];
        float x[ROWS * COLS];
        double out[ROWS * COLS], expected, value[SETS], none = 0.375;
        for (int k = 0; k < TREES; k++) {
            tree[k] = random_branch(&r, COLS, 6, 0.85);
        }
        for (int i = 0; i < ROWS * COLS; i++) {
            x[i] = rnd_chance(&r, 0.15) ? NAN : (float)(rnd_unit(&r) - 0.5);
        }
        ney_model *const m = model_of(tree, TREES, COLS, d);
        const ney_matrix rows = {.rows = ROWS, .cols = COLS, .dense = x};
        assert_int_equal(ney_model_contributions(m, NULL, &rows, out, &expected, NULL), NEY_OK);
        for (int i = 0; i < ROWS; i++) {
            none = 0.375;
            for (unsigned set = 0; set < SETS; set++) {
                value[set] = 0;
                for (int k = 0; k < TREES; k++) {
                    value[set] += mean_leaf(tree[k], x + (ptrdiff_t)i * COLS, set);
                }
            }
            none += value[0];
            for (int c = 0; c < COLS; c++) {
                const double want = shapley(value, c);
                if (!(fabs(out[i * COLS + c] - want) < 1e-12)) {
                    fail_msg("run %d row %d column %d: %.17g, expected %.17g", run, i, c,
                             out[i * COLS + c], want);
                }
            }
        }
        assert_true(fabs(expected - none) < 1e-12);
        for (int k = 0; k < TREES; k++) {
            free_branch(tree[k]);
        }
        ney_model_free(m);
    }
    ney_data_free(d);
}

/* A chain: one child of every split is a leaf. */
static branch *chain(rnd *r, int cols, int depth, int at)
{
    branch *b = random_branch(r, cols, 0, 0);
    if (at < depth) {
        const int turn = rnd_chance(r, 0.5);
        b->column = at % cols;
        b->cover = (float)(1000 - at);
        b->missing_left = turn;
        b->left = turn ? chain(r, cols, depth, at + 1) : random_branch(r, cols, 0, 0);
        b->right = turn ? random_branch(r, cols, 0, 0) : chain(r, cols, depth, at + 1);
    }
    return b;
}

static void test_sums(void **state)
{
    rnd r = rnd_new(6501);
    (void)state;
    for (int run = 0; run < test_times(20); run++) {
        const int cols = run % 2 ? 64 : 1 + (int)rnd_below(&r, 40);
        enum { DEEP = NEY_MOST_DEPTH };
        ney_data *const d = plain_data(cols);
        branch *tree[2] = {chain(&r, cols, DEEP, 0), random_branch(&r, cols, 11, 0.9)};
        float *const x = calloc((size_t)(ROWS * cols), sizeof *x);
        double *const out = calloc((size_t)(ROWS * cols), sizeof *out), score[ROWS], expected;
        for (int i = 0; i < ROWS * cols; i++) {
            x[i] = rnd_chance(&r, 0.5) ? NAN : (float)(rnd_unit(&r) - 0.5);
        }
        ney_model *const m = model_of(tree, 2, cols, d);
        const ney_matrix rows = {.rows = ROWS, .cols = cols, .dense = x};
        assert_int_equal(ney_model_contributions(m, NULL, &rows, out, &expected, NULL), NEY_OK);
        assert_int_equal(ney_model_score(m, NULL, &rows, score, NULL), NEY_OK);
        for (int i = 0; i < ROWS; i++) {
            double sum = expected;
            for (int c = 0; c < cols; c++) {
                sum += out[i * cols + c];
            }
            if (!(fabs(sum - score[i]) < 1e-11)) {
                fail_msg("run %d row %d: %.17g, score %.17g", run, i, sum, score[i]);
            }
        }
        free_branch(tree[0]);
        free_branch(tree[1]);
        ney_model_free(m);
        ney_data_free(d);
        free(out);
        free(x);
    }
}

static void test_gains(void **state)
{
    ney_data *const d = plain_data(COLS);
    rnd r = rnd_new(6502);
    double gain[COLS], sum[COLS] = {0};
    branch *tree = random_branch(&r, COLS, 5, 1);
    ney_model *const m = model_of(&tree, 1, COLS, d), *linear;
    static const double w[COLS] = {1, 0, 2, 0, 0};
    const ney_trees *const t = ney_model_trees(m);
    ney_error err;
    static const float zero[COLS];
    const ney_matrix rows = {.rows = 1, .cols = COLS, .dense = zero};
    (void)state;
    for (int64_t i = 0; i < t->start[1]; i++) {
        sum[t->node[i].column < 0 ? 0 : t->node[i].column] += (double)t->node[i].gain;
    }
    assert_true(ney_model_gains(m, gain));
    for (int c = 0; c < COLS; c++) {
        assert_true(gain[c] == sum[c] && sum[c] > 0);
    }
    assert_int_equal(ney_model_new_linear(&linear, NULL, ney_data_preprocessing(d), w, 0, NULL),
                     NEY_OK);
    assert_false(ney_model_gains(linear, gain));
    assert_int_equal(ney_model_contributions(linear, NULL, &rows, gain, sum, &err), NEY_EINVAL);
    assert_non_null(strstr(err.message, "linear"));
    free_branch(tree);
    ney_model_free(m);
    ney_model_free(linear);
    ney_data_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapley_values),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_gains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
