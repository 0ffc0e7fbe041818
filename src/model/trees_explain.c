/* Contributions of columns to a score of trees: path-dependent Shapley values [TREE.1].
 *
 * A column that is not in a set S is unknown: at a split on it a row goes both ways, by the shares
 * of the training rows there. v(S) is the mean leaf so reached; v(all) is the score and v(none) the
 * expected value. The Shapley values of v add up to their difference.
 *
 * A leaf adds its value times the product over the columns of its path of
 *
 *     one   in S:      1 where the row goes the leaf's way at all splits on the column, else 0
 *     zero  not in S:  the product of the shares of the leaf's side at these splits
 *
 * and the Shapley value of a product is an integral of a polynomial [TREE.3]. All its terms have
 * one sign, so that no digits are lost, however deep the tree. */
#include <neyman/experimental/trees.h>

#include "base/parallel.h"
#include "model/model.h"
#include "model/trees.h"

#include <math.h>
#include <string.h>

/* Points and weights of Gauss and Legendre on [0, 1]: exact for degrees below 2 n. */
typedef struct gauss_rule {
    int n;
    double at[NEY_MOST_DEPTH / 2], weight[NEY_MOST_DEPTH / 2];
} gauss_rule;

/* Newton's method on the Legendre polynomial of degree n. */
static void gauss_rule_init(gauss_rule *g, int n)
{
    g->n = n;
    for (int i = 0; i < n; i++) {
        double x = cos(acos(-1.0) * (i + 0.75) / (n + 0.5)), slope = 1;
        for (int step = 0; step < 10; step++) {
            double value = x, before = 1;
            for (int k = 2; k <= n; k++) {
                const double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
                before = value;
                value = next;
            }
            slope = n * (x * value - before) / (x * x - 1);
            x -= value / slope;
        }
        g->at[i] = (1 - x) / 2;
        g->weight[i] = 1 / ((1 - x * x) * slope * slope);
    }
}

/* A split that led to the node at hand. */
typedef struct tree_edge {
    int slot;         /* of its column in the path */
    double zero;      /* of the slot before */
    bool one, is_new; /* the same; whether the split is the column's first */
} tree_edge;

/* The columns between the root and the node at hand. */
typedef struct tree_path {
    int32_t column[NEY_MOST_DEPTH];
    double zero[NEY_MOST_DEPTH];
    bool one[NEY_MOST_DEPTH];
    tree_edge edge[NEY_MOST_DEPTH];
    int n, n_edges;
} tree_path;

/* A node that is to be visited, and the split before it. */
typedef struct visit {
    int64_t node;
    int32_t column;
    int depth;
    double share;
    bool is_taken;
} visit;

typedef struct explaining {
    const ney_trees *t;
    const ney_matrix *x;
    int64_t first;
    float *row; /* one per thread */
    double *contribution;
    gauss_rule *rule; /* of 0 .. NEY_MOST_DEPTH / 2 points */
} explaining;

static void path_leave(tree_path *p, int depth)
{
    while (p->n_edges > depth) {
        const tree_edge *const e = &p->edge[--p->n_edges];
        p->zero[e->slot] = e->zero;
        p->one[e->slot] = e->one;
        p->n -= e->is_new;
    }
}

static void path_enter(tree_path *p, const visit *v)
{
    int slot = 0;
    while (slot < p->n && p->column[slot] != v->column) {
        slot++;
    }
    const bool is_new = slot == p->n;
    if (is_new) {
        p->column[slot] = v->column;
        p->zero[slot] = 1;
        p->one[slot] = true;
        p->n++;
    }
    p->edge[p->n_edges++] = (tree_edge){slot, p->zero[slot], p->one[slot], is_new};
    p->zero[slot] *= v->share;
    p->one[slot] = p->one[slot] && v->is_taken;
}

/* The integral of [TREE.3] over the m columns of the path by the rule that is exact for it: the
 * product over all columns at each point, without one column after the other. */
static void add_leaf(const tree_path *p, const gauss_rule *g, double value, double *contribution)
{
    for (int q = 0; q < g->n; q++) {
        const double in = g->at[q], out = 1 - in;
        double product = g->weight[q] * value;
        for (int j = 0; j < p->n; j++) {
            product *= p->zero[j] * out + (p->one[j] ? in : 0);
        }
        for (int j = 0; j < p->n && product != 0; j++) {
            const double zero = p->zero[j];
            contribution[p->column[j]] +=
                p->one[j] ? product * (1 - zero) / (zero * out + in) : -product / out;
        }
    }
}

/* The share of the training rows that goes left; half where none came. */
static double share_left(const ney_trees *t, int64_t node)
{
    const double left = (double)t->node[node + 1].cover;
    const double both = left + (double)t->node[t->node[node].right].cover;
    return both > 0 ? left / both : 0.5;
}

static bool goes_left(const ney_tree_node *node, const float *row)
{
    const float v = row[node->column];
    return isnan(v) ? node->missing_left : v < node->value;
}

/* All leaves of a tree; without a row they add value times zero to `expected`. */
static void visit_leaves(const explaining *e, int64_t tree, const float *row, double *contribution,
                         double *expected)
{
    const ney_trees *const t = e->t;
    visit open[NEY_MOST_DEPTH + 2];
    tree_path p = {.n = 0};
    int n = 0;
    open[n++] = (visit){.node = t->start[tree], .share = 1};
    while (n > 0) {
        const visit v = open[--n];
        const ney_tree_node *const node = &t->node[v.node];
        if (v.depth > 0) {
            path_leave(&p, v.depth - 1);
            path_enter(&p, &v);
        }
        if (node->column != NEY_LEAF) {
            const double left = share_left(t, v.node);
            const bool is_left = row && goes_left(node, row);
            open[n++] = (visit){node->right, node->column, v.depth + 1, 1 - left, !is_left};
            open[n++] = (visit){v.node + 1, node->column, v.depth + 1, left, is_left};
        } else if (row) {
            add_leaf(&p, &e->rule[(p.n + 1) / 2], (double)node->value, contribution);
        } else {
            double share = 1;
            for (int j = 0; j < p.n; j++) {
                share *= p.zero[j];
            }
            *expected += share * (double)node->value;
        }
    }
}

/* ---------------------------------------------------------------- rows */

static void take_features(const ney_matrix *x, int64_t i, int64_t cols, float *to)
{
    memset(to, 0, (size_t)cols * sizeof *to);
    for (int64_t c = 0; x->dense && c < cols && c < x->cols; c++) {
        to[c] = x->dense[i * x->cols + c];
    }
    for (int64_t k = x->dense ? 0 : x->start[i]; !x->dense && k < x->start[i + 1]; k++) {
        if (x->index[k] < cols) {
            to[x->index[k]] = x->value[k];
        }
    }
}

static void explain_row(void *context, int64_t k, int thread)
{
    const explaining *const e = context;
    const int64_t i = e->first + k, cols = e->t->cols;
    float *const row = e->row + thread * cols;
    double *const to = e->contribution + i * cols;
    take_features(e->x, i, cols, row);
    memset(to, 0, (size_t)cols * sizeof *to);
    for (int64_t tree = 0; tree < e->t->n; tree++) {
        visit_leaves(e, tree, row, to, NULL);
    }
}

static ney_status explain_rows(explaining *e, const ney_env *env, double *expected, ney_error *err)
{
    enum { AT_ONCE = 64 }; /* rows between two polls */
    const int64_t rows = e->x->rows;
    for (int n = 0; n <= NEY_MOST_DEPTH / 2; n++) {
        gauss_rule_init(&e->rule[n], n);
    }
    *expected = e->t->intercept;
    for (int64_t tree = 0; tree < e->t->n; tree++) {
        visit_leaves(e, tree, NULL, NULL, expected);
    }
    for (; e->first < rows; e->first += AT_ONCE) {
        const int64_t left = rows - e->first;
        if (!ney_poll(env, "explaining", (double)e->first, (double)rows)) {
            return ney_fail(err, NEY_ECANCELLED, "explaining was cancelled");
        }
        ney_parallel_for(env, left < AT_ONCE ? left : AT_ONCE, explain_row, e);
    }
    return NEY_OK;
}

ney_status ney_model_contributions(const ney_model *model, const ney_env *env, const ney_matrix *x,
                                   double *contribution, double *expected, ney_error *err)
{
    NEY_REQUIRE(model && x && contribution && expected, err);
    const ney_env v = ney_env_of(env);
    const ney_trees *const t = ney_model_trees(model);
    if (!t) {
        return ney_fail(err, NEY_EINVAL,
                        "contributions are computed for trees, and the model is of family '%s'",
                        model->family->name);
    }
    explaining e = {.t = t, .x = x, .contribution = contribution};
    e.row = ney_alloc(&v, ney_threads(&v) * t->cols, sizeof *e.row);
    e.rule = ney_alloc(&v, NEY_MOST_DEPTH / 2 + 1, sizeof *e.rule);
    ney_status st = e.row && e.rule ? explain_rows(&e, &v, expected, err)
                                    : ney_no_memory(err, t->cols, "features of a row");
    ney_release(&v, e.rule);
    ney_release(&v, e.row);
    return st;
}
bool ney_model_gains(const ney_model *model, double *gain)
{
    const ney_trees *const t = model ? ney_model_trees(model) : NULL;
    if (!t) {
        return false;
    }
    memset(gain, 0, (size_t)t->cols * sizeof *gain);
    for (int64_t i = 0; i < t->start[t->n]; i++) {
        if (t->node[i].column != NEY_LEAF) {
            gain[t->node[i].column] += (double)t->node[i].gain;
        }
    }
    return true;
}
