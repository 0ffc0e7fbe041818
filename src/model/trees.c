#include "model/trees.h"

#include "model/model.h"
#include "model/numbers.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

void ney_trees_free(const ney_env *env, void *trees)
{
    ney_trees *const t = trees;
    if (t) {
        ney_release_all(env, t->depth, t->root, t->step, t->used, t->node, t->start, t);
    }
}

ney_trees *ney_trees_new(const ney_env *env, int64_t cols, int64_t n, int64_t nodes)
{
    ney_trees *t = ney_alloc_zeroed(env, 1, sizeof *t);
    if (!t) {
        return NULL;
    }
    *t = (ney_trees){.cols = cols, .n = n};
    t->start = ney_alloc_zeroed(env, n + 1, sizeof *t->start);
    t->node = ney_alloc_zeroed(env, nodes, sizeof *t->node);
    if (!t->start || !t->node) {
        ney_trees_free(env, t);
        return NULL;
    }
    return t;
}

/* ---------------------------------------------------------------- checks */

int64_t ney_tree_link(ney_tree_node *node, int64_t first, int64_t end)
{
    int64_t open[NEY_MOST_DEPTH]; /* splits whose right child has not begun */
    int n = 0;
    for (int64_t i = first; i < end; i++) {
        if (node[i].column != NEY_LEAF) {
            if (n == NEY_MOST_DEPTH) {
                return -1;
            }
            open[n++] = i;
        } else if (n == 0) {
            return i + 1;
        } else {
            node[open[--n]].right = (int32_t)(i + 1);
        }
    }
    return -1;
}

static ney_status check_node(const ney_trees *t, const ney_tree_node *node, ney_error *err)
{
    if (node->column < NEY_LEAF || node->column >= t->cols) {
        return ney_fail(err, NEY_EINVAL, "a split on column %lld, expected one of %lld columns",
                        (long long)node->column, (long long)t->cols);
    }
    const double value[] = {(double)node->value, (double)node->cover, (double)node->gain};
    return ney_check_finite(value, 3, "number of a node", err);
}

static ney_status check_nodes(ney_trees *t, ney_error *err)
{
    if (t->start[t->n] >= INT32_MAX) {
        return ney_fail(err, NEY_EINVAL, "%lld nodes of trees, expected fewer than %d",
                        (long long)t->start[t->n], INT32_MAX);
    }
    for (int64_t k = 0; k < t->n; k++) {
        if (ney_tree_link(t->node, t->start[k], t->start[k + 1]) != t->start[k + 1]) {
            return ney_fail(err, NEY_EINVAL, "tree %lld is not complete, or deeper than %d splits",
                            (long long)k + 1, NEY_MOST_DEPTH);
        }
    }
    ney_status st = ney_check_finite(&t->intercept, 1, "intercept", err);
    for (int64_t i = 0; i < t->start[t->n] && st == NEY_OK; i++) {
        st = check_node(t, &t->node[i], err);
    }
    return st;
}

static int compare_columns(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The columns of all splits, ascending, each once. */
static void list_used(ney_trees *t)
{
    int64_t n = 0, m = 0;
    for (int64_t i = 0; i < t->start[t->n]; i++) {
        if (t->node[i].column != NEY_LEAF) {
            t->used[n++] = t->node[i].column;
        }
    }
    if (n > 0) {
        qsort(t->used, (size_t)n, sizeof *t->used, compare_columns);
    }
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || t->used[i] != t->used[i - 1]) {
            t->used[m++] = t->used[i];
        }
    }
    t->n_used = m;
}

ney_status ney_trees_finish(ney_trees *t, const ney_env *env, ney_error *err)
{
    const ney_status st = check_nodes(t, err);
    const int64_t nodes = t->start[t->n];
    if (st != NEY_OK) {
        return st;
    }
    t->used = ney_alloc(env, nodes, sizeof *t->used);
    t->step = ney_alloc(env, nodes, sizeof *t->step);
    t->root = ney_alloc(env, t->n, sizeof *t->root);
    t->depth = ney_alloc(env, t->n, sizeof *t->depth);
    if (!t->used || !t->step || !t->root || !t->depth) {
        return ney_no_memory(err, nodes, "nodes of trees");
    }
    list_used(t);
    ney_trees_lay_out(t);
    return NEY_OK;
}

/* ---------------------------------------------------------------- the file */

static void trees_format(const void *part, ney_text *text)
{
    const ney_trees *const t = part;
    ney_text_line_number(text, "intercept", t->intercept);
    ney_text_line_int(text, "nodes", t->start[t->n]);
    ney_text_line_int(text, "trees", t->n);
    for (int64_t k = 0; k < t->n; k++) {
        ney_text_line_int(text, "tree", t->start[k + 1] - t->start[k]);
        for (int64_t i = t->start[k]; i < t->start[k + 1]; i++) {
            const ney_tree_node *const node = &t->node[i];
            const bool is_leaf = node->column == NEY_LEAF;
            ney_text_put(text, is_leaf ? " =" : node->missing_left ? " <" : " >");
            if (!is_leaf) {
                ney_text_field_int(text, node->column + 1);
            }
            ney_text_field_float(text, node->value);
            ney_text_field_float(text, node->cover);
            if (!is_leaf) {
                ney_text_field_float(text, node->gain);
            }
            ney_text_put(text, "\n");
        }
    }
}

static float read_float(ney_fields *f, const char *what)
{
    const double value = ney_finite(f, what);
    if (f->status == NEY_OK && fabs(value) > (double)FLT_MAX) {
        ney_fields_fail(f, "the %s is %g, expected a number within the range of float", what,
                        value);
    }
    return f->status == NEY_OK ? (float)value : 0;
}

/* "= VALUE COVER" of a leaf; of a split "< COLUMN THRESHOLD COVER GAIN" where missing values go
 * left, ">" where they go right. Columns count from 1. */
static void read_node(ney_fields *f, int64_t cols, ney_tree_node *node)
{
    static const char *const kinds[] = {"=", "<", ">"};
    const int kind = ney_fields_choice(f, kinds, 3);
    *node = (ney_tree_node){.column = NEY_LEAF, .missing_left = kind == 1};
    if (kind > 0) {
        node->column = (int32_t)ney_fields_int(f, 1, cols) - 1;
    }
    node->value = read_float(f, kind > 0 ? "threshold" : "leaf");
    node->cover = read_float(f, "cover");
    if (f->status == NEY_OK && !(node->cover >= 0)) {
        ney_fields_fail(f, "the cover is %g, expected at least 0", (double)node->cover);
    }
    if (kind > 0) {
        node->gain = read_float(f, "gain");
    }
    ney_fields_end(f);
}

static void read_trees(ney_fields *f, ney_trees *t, int64_t nodes)
{
    for (int64_t k = 0; k < t->n && f->status == NEY_OK; k++) {
        const int64_t left = nodes - t->start[k];
        const int64_t n = ney_fields_int_line(f, "tree", 1, left > 0 ? left : 1);
        t->start[k + 1] = t->start[k] + n;
        if (f->status == NEY_OK && n > left) {
            ney_fields_fail(f, "more nodes than the %lld of all trees", (long long)nodes);
        }
        for (int64_t i = t->start[k]; i < t->start[k + 1] && f->status == NEY_OK; i++) {
            read_node(f, t->cols, &t->node[i]);
        }
        if (f->status == NEY_OK &&
            ney_tree_link(t->node, t->start[k], t->start[k + 1]) != t->start[k + 1]) {
            ney_fields_fail(f, "the tree is not complete, or deeper than %d splits",
                            NEY_MOST_DEPTH);
        }
    }
    if (f->status == NEY_OK && t->start[t->n] != nodes) {
        ney_fields_fail(f, "%lld nodes, expected %lld", (long long)t->start[t->n],
                        (long long)nodes);
    }
}

static void *trees_parse(ney_fields *f, int64_t cols)
{
    const double intercept = ney_finite_line(f, "intercept");
    const int64_t nodes = ney_fields_int_line(f, "nodes", 0, INT32_MAX - 1);
    const int64_t n = ney_fields_int_line(f, "trees", 0, nodes);
    if (f->status == NEY_OK && nodes > (f->end - f->at) / 7) {
        ney_fields_fail(f, "expected %lld nodes, the file is shorter", (long long)nodes);
    }
    if (f->status != NEY_OK) {
        return NULL;
    }
    ney_trees *t = ney_trees_new(f->env, cols, n, nodes);
    if (!t) {
        f->status = ney_no_memory(f->err, nodes, "nodes of trees");
        return NULL;
    }
    t->intercept = intercept;
    read_trees(f, t, nodes);
    if (f->status == NEY_OK) {
        f->status = ney_trees_finish(t, f->env, f->err);
    }
    if (f->status != NEY_OK) {
        ney_trees_free(f->env, t);
        return NULL;
    }
    return t;
}

const ney_family ney_family_trees = {
    .name = "trees",
    .option = "trees",
    .takes_missing = true,
    .format = trees_format,
    .parse = trees_parse,
    .scratch = ney_trees_scratch,
    .work = ney_trees_work,
    .score_block = ney_trees_score_block,
    .free = ney_trees_free,
};

/* ---------------------------------------------------------------- models */

ney_status ney_model_new_trees(ney_model **out, const ney_env *env,
                               const ney_preprocessing *preprocessing, ney_trees *trees,
                               ney_error *err)
{
    return ney_model_with_part(out, env, preprocessing, &ney_family_trees, trees, err);
}

const ney_trees *ney_model_trees(const ney_model *m)
{
    return m->family == &ney_family_trees ? m->part : NULL;
}

/* Append the trees of one to those of `sum`, from its tree `at` on. */
static void append_scaled(ney_trees *sum, int64_t at, const ney_trees *own, double scale)
{
    const int64_t before = sum->start[at], nodes = own->start[own->n];
    for (int64_t k = 0; k < own->n; k++) {
        sum->start[at + k + 1] = before + own->start[k + 1];
    }
    for (int64_t i = 0; i < nodes; i++) {
        ney_tree_node *const node = &sum->node[before + i];
        *node = own->node[i];
        if (node->column == NEY_LEAF) {
            node->value = (float)(scale * (double)node->value);
        }
    }
}

ney_status ney_trees_sum(ney_trees **out, const ney_env *env, const ney_trees *const *trees,
                         const double *scale, const double *shift, int n, ney_error *err)
{
    int64_t n_trees = 0, nodes = 0, at = 0;
    *out = NULL;
    for (int k = 0; k < n; k++) {
        n_trees += trees[k]->n;
        nodes += trees[k]->start[trees[k]->n];
    }
    ney_trees *sum = ney_trees_new(env, trees[0]->cols, n_trees, nodes);
    if (!sum) {
        return ney_no_memory(err, nodes, "nodes of trees");
    }
    for (int k = 0; k < n; k++) {
        append_scaled(sum, at, trees[k], scale[k]);
        at += trees[k]->n;
        sum->intercept += scale[k] * trees[k]->intercept + shift[k];
    }
    const ney_status st = ney_trees_finish(sum, env, err);
    if (st != NEY_OK) {
        ney_trees_free(env, sum);
        return st;
    }
    *out = sum;
    return NEY_OK;
}
