/* A row has one score, bit for bit: dense or sparse, with zeros stored or absent and of either
 * sign, with fewer or more columns than the model, alone or among others, at any place, on any
 * number of threads, from memory or from a cache, by the model or by its copy from a file; in every
 * family. */
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/share.h"
#include "support/temp.h"

#include "data/data.h"
#include "model/folds.h"
#include "model/online.h"
#include "model/trees.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 70, MOST_COLS = 640, MOST_UNITS = 40, EXTRA = 3, MODELS = 400 };

static const int widths[] = {1,  2,   3,   7,   8,   9,   15,  16,  17, 31,
                             64, 127, 128, 129, 257, 511, 512, 513, 600};

/* Rows as they are meant; zeros are +0. */
static struct {
    int rows, cols;
    float x[MOST_ROWS][MOST_COLS];
} q;

static float entry(rnd *r)
{
    switch (rnd_below(r, 12)) {
    case 0:
        return 1;
    case 1:
        return -1e-30f;
    case 2:
        return (float)rnd_below(r, 100);
    case 3:
        return 3e4f * (float)(rnd_unit(r) - 0.5);
    default:
        return (float)(2 * rnd_unit(r) - 1);
    }
}

/* Rows of a density between none and all, some of them equal, some ending early. */
static void draw_rows(rnd *r, int cols)
{
    const double density = rnd_chance(r, 0.2) ? 1 : rnd_unit(r);
    q.cols = cols;
    q.rows = 1 + (int)rnd_below(r, MOST_ROWS);
    for (int i = 0; i < q.rows; i++) {
        const int last = rnd_chance(r, 0.3) ? (int)rnd_below(r, cols + 1) : cols;
        for (int c = 0; c < cols; c++) {
            q.x[i][c] = c < last && rnd_chance(r, density) ? entry(r) : 0;
        }
        if (i > 0 && rnd_chance(r, 0.2)) {
            memcpy(q.x[i], q.x[rnd_below(r, i)], sizeof q.x[i]);
        }
    }
}

/* ---------------------------------------------------------------- models */

static double weight(rnd *r)
{
    switch (rnd_below(r, 10)) {
    case 0:
        return 0;
    case 1:
        return rnd_chance(r, 0.5) ? -1e-300 : 1e-310;
    default:
        return 4 * rnd_unit(r) - 2;
    }
}

/* Something whose preprocessing says: that many columns, as they are. */
static ney_data *plain_data(int cols)
{
    static const float none[2 * MOST_COLS];
    static const int8_t label[2] = {-1, 1};
    const ney_matrix x = {.rows = 2, .cols = cols, .dense = none};
    ney_data *d;
    assert_int_equal(ney_data_new(&d, NULL, &x, label, NULL, NULL), NEY_OK);
    assert_int_equal(ney_data_prepare(d, NEY_SCALING_NONE, NULL, 0, NULL), NEY_OK);
    return d;
}

static ney_model *new_linear(rnd *r, const ney_preprocessing *preprocessing, int cols)
{
    double w[MOST_COLS];
    ney_model *m;
    for (int c = 0; c < cols; c++) {
        w[c] = weight(r);
    }
    const double b = rnd_chance(r, 0.2) ? -0.0 : weight(r);
    assert_int_equal(ney_model_new_linear(&m, NULL, preprocessing, w, b, NULL), NEY_OK);
    return m;
}

/* form: 1 has two layers, 2 has ReLU, 3 has both. */
static ney_model *new_network(rnd *r, const ney_preprocessing *preprocessing, int cols,
                              int64_t form)
{
    const ney_network shape = {
        .cols = cols,
        .units = {1 + rnd_below(r, MOST_UNITS), form % 2 == 0 ? 0 : 1 + rnd_below(r, MOST_UNITS)},
        .activation = form > 1 ? NEY_ACTIVATION_RELU : NEY_ACTIVATION_TANH};
    const int64_t n = ney_network_weights(&shape), m_b = ney_network_biases(&shape);
    const double size = rnd_chance(r, 0.5) ? 1 : 0.05;
    const ney_env env = ney_env_default();
    double *w = malloc((size_t)(n + m_b) * sizeof *w);
    double *b = w + n;
    ney_model *m;
    for (int64_t k = 0; k < n + m_b; k++) {
        w[k] = size * weight(r);
    }
    if (rnd_chance(r, 0.2)) {
        b[0] = b[m_b - 1] = -0.0;
    }
    assert_int_equal(ney_model_new_network(&m, &env, preprocessing, &shape, w, b, NULL), NEY_OK);
    free(w);
    return m;
}

static ney_model *new_features(rnd *r, const ney_preprocessing *preprocessing, int cols)
{
    const int64_t n = 2 * (1 + rnd_below(r, 70));
    const ney_env env = ney_env_default();
    const double gamma = rnd_chance(r, 0.5) ? 0.01 : 1;
    double w[140];
    ney_fourier map;
    ney_model *m;
    assert_int_equal(ney_fourier_init(&map, &env, n, cols, NULL), NEY_OK);
    ney_fourier_draw(&map, gamma, rnd_next(r));
    for (int64_t k = 0; k < n; k++) {
        w[k] = weight(r);
    }
    assert_int_equal(
        ney_model_new_features(&m, &env, preprocessing, &map, gamma, w, weight(r), NULL), NEY_OK);
    ney_fourier_deinit(&map, &env);
    return m;
}

static ney_model *new_kernel(rnd *r, const ney_preprocessing *preprocessing, int cols,
                             ney_kernel_kind kind)
{
    enum { MOST = 230 };
    static float dense[MOST * MOST_COLS], value[MOST * MOST_COLS];
    static int32_t index[MOST * MOST_COLS];
    static int64_t start[MOST + 1];
    static double coefficient[MOST];
    const int rows = (int)rnd_below(r, cols > 64 ? 40 : MOST);
    const bool sparse = rnd_chance(r, 0.5);
    const double density = rnd_unit(r);
    int64_t n = 0;
    for (int i = 0; i < rows; i++) {
        coefficient[i] = weight(r);
        for (int c = 0; c < cols; c++) {
            const float v = rnd_chance(r, density) ? entry(r) : 0;
            dense[i * cols + c] = v;
            index[n] = c;
            value[n] = v;
            n += v != 0;
        }
        start[i + 1] = n;
    }
    const ney_matrix x = {.rows = rows,
                          .cols = cols,
                          .dense = sparse ? NULL : dense,
                          .start = sparse ? start : NULL,
                          .index = sparse ? index : NULL,
                          .value = sparse ? value : NULL};
    const ney_kernel k = {.kind = (ney_kernel_kind)kind,
                          .gamma = kind == NEY_KERNEL_RBF && rnd_chance(r, 0.5) ? 1e-9 : 0.1,
                          .coef0 = weight(r),
                          .degree = rnd_below(r, 5)};
    ney_model *m;
    assert_int_equal(
        ney_model_new_kernel(&m, NULL, preprocessing, &k, &x, coefficient, weight(r), NULL),
        NEY_OK);
    return m;
}

/* A random tree in preorder, at most `depth` splits deep. */
static int64_t grow(rnd *r, ney_tree_node *node, int64_t next, int cols, int depth)
{
    ney_tree_node *const own = &node[next++];
    *own = (ney_tree_node){.column = NEY_LEAF, .value = (float)weight(r), .cover = 1};
    if (depth > 0 && rnd_chance(r, 0.9)) {
        own->column = (int32_t)rnd_below(r, cols);
        own->value = rnd_chance(r, 0.3) ? 0 : entry(r);
        own->missing_left = rnd_chance(r, 0.5);
        next = grow(r, node, next, cols, depth - 1);
        next = grow(r, node, next, cols, depth - 1);
    }
    return next;
}

static ney_model *new_trees(rnd *r, const ney_preprocessing *preprocessing, int cols)
{
    enum { DEPTH = 6, MOST_NODES = 1 << (DEPTH + 1) };
    const ney_env env = ney_env_default();
    const int64_t n = rnd_below(r, 20);
    ney_trees *const t = ney_trees_new(&env, cols, n, n * MOST_NODES);
    ney_model *m;
    for (int64_t k = 0; k < n; k++) {
        t->start[k + 1] = grow(r, t->node, t->start[k], cols, (int)rnd_below(r, DEPTH + 1));
    }
    t->intercept = rnd_chance(r, 0.2) ? -0.0 : weight(r);
    assert_int_equal(ney_trees_finish(t, &env, NULL), NEY_OK);
    assert_int_equal(ney_model_new_trees(&m, &env, preprocessing, t, NULL), NEY_OK);
    return m;
}

/* The mean of three, as a model of a false-discovery rate is. */
static ney_model *new_mean(rnd *r, const ney_preprocessing *preprocessing, int cols)
{
    static const double share[3] = {1.0 / 3, 1.0 / 3, 1.0 / 3}, shift[3] = {0.25, 0, -1};
    const ney_env env = ney_env_default();
    const int64_t kind = rnd_below(r, 4), layers = rnd_below(r, 4);
    ney_model *part[3], *m;
    for (int k = 0; k < 3; k++) {
        part[k] = kind == 0   ? new_linear(r, preprocessing, cols)
                  : kind == 1 ? new_network(r, preprocessing, cols, layers)
                  : kind == 3 ? new_trees(r, preprocessing, cols)
                              : new_kernel(r, preprocessing, cols, NEY_KERNEL_POLY);
        if (kind == 2 && k > 0) { /* of one kernel */
            ney_model_free(part[k]);
            ney_kernel own;
            ney_matrix x;
            const double *coefficient;
            double b;
            assert_true(ney_model_kernel(part[0], &own, &x, &coefficient, &b));
            assert_int_equal(
                ney_model_new_kernel(&part[k], NULL, preprocessing, &own, &x, coefficient, b, NULL),
                NEY_OK);
        }
    }
    assert_int_equal(ney_model_sum(&m, &env, part, share, shift, 3, NULL), NEY_OK);
    for (int k = 0; k < 3; k++) {
        ney_model_free(part[k]);
    }
    return m;
}

enum { FAMILIES = 9 };
static const char *const family_name[FAMILIES] = {
    "linear", "network", "features", "rbf", "poly", "sigmoid", "linear kernel", "mean", "trees"};

static ney_model *new_model(rnd *r, const ney_preprocessing *preprocessing, int cols, int family)
{
    static const ney_kernel_kind kind[] = {NEY_KERNEL_RBF, NEY_KERNEL_POLY, NEY_KERNEL_SIGMOID,
                                           NEY_KERNEL_LINEAR};
    switch (family) {
    case 0:
        return new_linear(r, preprocessing, cols);
    case 1:
        return new_network(r, preprocessing, cols, rnd_below(r, 4));
    case 2:
        return new_features(r, preprocessing, cols);
    case 7:
        return new_mean(r, preprocessing, cols);
    case 8:
        return new_trees(r, preprocessing, cols);
    default:
        return new_kernel(r, preprocessing, cols, kind[family - 3]);
    }
}

/* ---------------------------------------------------------------- storage */

/* The rows once more: `order` gives them, NULL as they are. */
typedef struct form {
    bool dense;
    bool stored_zeros; /* sparse: some zeros are entries */
    bool signed_zeros; /* some of them -0 */
    int cols;          /* fewer: zeros cut off; more: with numbers that no model knows */
    const int *order;
} form;

static struct {
    float value[MOST_ROWS * (MOST_COLS + EXTRA)];
    int32_t index[MOST_ROWS * (MOST_COLS + EXTRA)];
    int64_t start[MOST_ROWS + 1];
} store;

static ney_matrix lay_out(rnd *r, form f)
{
    int64_t n = 0;
    store.start[0] = 0;
    for (int i = 0; i < q.rows; i++) {
        const float *const row = q.x[f.order ? f.order[i] : i];
        for (int c = 0; c < f.cols; c++) {
            float v = c < q.cols ? row[c] : 7.5f;
            const bool kept = f.dense || v != 0 || (f.stored_zeros && rnd_chance(r, 0.3));
            if (v == 0 && f.signed_zeros && rnd_chance(r, 0.5)) {
                v = -0.0f;
            }
            store.value[n] = v;
            store.index[n] = c;
            n += kept;
        }
        store.start[i + 1] = n;
    }
    return f.dense ? (ney_matrix){.rows = q.rows, .cols = f.cols, .dense = store.value}
                   : (ney_matrix){.rows = q.rows,
                                  .cols = f.cols,
                                  .start = store.start,
                                  .index = store.index,
                                  .value = store.value};
}

/* One row of a matrix as a matrix. */
static ney_matrix only(const ney_matrix *x, int64_t i)
{
    ney_matrix one = *x;
    one.rows = 1;
    if (x->dense) {
        one.dense += i * x->cols;
    } else {
        one.start += i;
    }
    return one;
}

/* The narrowest matrix that holds the rows. */
static int needed_cols(void)
{
    for (int c = q.cols; c > 1; c--) {
        for (int i = 0; i < q.rows; i++) {
            if (q.x[i][c - 1] != 0) {
                return c;
            }
        }
    }
    return 1;
}

/* ---------------------------------------------------------------- one score */

static double truth[MOST_ROWS], other[MOST_ROWS];

static void score(const ney_model *m, const ney_matrix *x, int threads, double *out)
{
    ney_env env = ney_env_default();
    env.threads = threads;
    assert_int_equal(ney_model_score(m, &env, x, out, NULL), NEY_OK);
}

static void same(const char *family, const char *what, const int *order)
{
    for (int i = 0; i < q.rows; i++) {
        const double *const expected = &truth[order ? order[i] : i];
        if (memcmp(&other[i], expected, sizeof *expected) != 0) {
            fail_msg("%s, %s: row %d of %d, %d columns: %a, expected %a", family, what, i, q.rows,
                     q.cols, other[i], *expected);
        }
    }
}

static void check_forms(rnd *r, const ney_model *m, const char *family)
{
    static const int threads[] = {1, 2, 5};
    int order[MOST_ROWS];
    for (int i = 0; i < q.rows; i++) {
        const int k = (int)rnd_below(r, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    const form forms[] = {
        {.dense = true, .cols = q.cols},
        {.dense = true, .cols = q.cols, .signed_zeros = true},
        {.cols = q.cols, .stored_zeros = true},
        {.cols = q.cols, .stored_zeros = true, .signed_zeros = true},
        {.dense = true, .cols = needed_cols()},
        {.cols = needed_cols()},
        {.dense = true, .cols = q.cols + EXTRA},
        {.cols = q.cols + EXTRA},
        {.dense = true, .cols = q.cols, .order = order},
        {.cols = q.cols, .order = order},
    };
    static const char *const name[] = {
        "dense",         "dense, -0",   "stored zeros", "stored -0",       "dense, short",
        "sparse, short", "dense, wide", "sparse, wide", "dense, permuted", "sparse, permuted"};
    const ney_matrix plain = lay_out(r, (form){.cols = q.cols});
    score(m, &plain, 1, truth);
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        const ney_matrix x = lay_out(r, forms[k]);
        score(m, &x, threads[rnd_below(r, 3)], other);
        same(family, name[k], forms[k].order);
    }
    for (int dense = 0; dense < 2; dense++) {
        const ney_matrix x = lay_out(r, (form){.dense = dense, .cols = q.cols});
        for (int i = 0; i < q.rows; i++) {
            const ney_matrix one = only(&x, i);
            score(m, &one, 1, other + i);
        }
        same(family, dense ? "dense, one at a time" : "sparse, one at a time", NULL);
    }
}

/* The model as its file gives it back. */
static void check_copy(const ney_model *m, const ney_matrix *x, const char *family)
{
    char *words;
    size_t n;
    ney_model *copy;
    assert_int_equal(ney_model_format(m, &words, &n, NULL), NEY_OK);
    assert_int_equal(ney_model_parse(&copy, NULL, "copy", words, n, NULL), NEY_OK);
    score(copy, x, 2, other);
    same(family, "written and read", NULL);
    ney_model_free(copy);
    ney_model_text_free(m, words);
}

static void check_files(rnd *r, const ney_model *m, const ney_preprocessing *preprocessing,
                        const char *family)
{
    static const char *const name[] = {"one.ney", "one.svm", "one.csv", "one.tsv", "one.pin"};
    static int8_t label[MOST_ROWS];
    for (int i = 0; i < q.rows; i++) {
        label[i] = (int8_t)(i % 2 ? 1 : -1);
    }
    const ney_matrix x = lay_out(r, (form){.dense = rnd_chance(r, 0.5), .cols = q.cols});
    ney_data *made, *read;
    assert_int_equal(ney_data_new(&made, NULL, &x, label, NULL, NULL), NEY_OK);
    for (size_t k = 0; k < sizeof name / sizeof *name; k++) {
        const char *const path = temp_path(name[k]);
        ney_error err;
        assert_int_equal(ney_data_write(made, NULL, path, NEY_FORMAT_AUTO, &err), NEY_OK);
        assert_int_equal(ney_data_read_with(&read, NULL, path, NULL, preprocessing, &err), NEY_OK);
        assert_int_equal(ney_data_matrix(read)->rows, q.rows);
        score(m, ney_data_matrix(read), 2, other);
        same(family, name[k], NULL);
        ney_data_free(read);
    }
    ney_data_free(made);
}

static void test_storage(void **state)
{
    rnd r = rnd_new(170);
    (void)state;
    for (int64_t k = 0; k < test_share(MODELS); k++) {
        const int family = (int)(k % FAMILIES);
        const int cols = widths[rnd_below(&r, sizeof widths / sizeof *widths)];
        ney_data *d = plain_data(cols);
        draw_rows(&r, cols);
        ney_model *m = new_model(&r, ney_data_preprocessing(d), cols, family);
        check_forms(&r, m, family_name[family]);
        const ney_matrix x = lay_out(&r, (form){.cols = q.cols});
        check_copy(m, &x, family_name[family]);
        if (k / FAMILIES % 8 == 0) {
            check_files(&r, m, ney_model_preprocessing(m), family_name[family]);
        }
        ney_model_free(m);
        ney_data_free(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_storage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
