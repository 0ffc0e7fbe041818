/* Trees from the JSON text that libxgboost writes. Of each tree seven arrays are read, one number
 * per node, in the alphabetical order in which they stand; the rest is passed over. */
#include "base/number.h"
#include "learn/trees/booster.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { DEFAULT_LEFT, LEFT, LOSS_CHANGE, RIGHT, CONDITION, COLUMN, HESSIAN, N_ARRAYS };

static const char *const names[N_ARRAYS] = {
    "\"default_left\":[",     "\"left_children\":[", "\"loss_changes\":[", "\"right_children\":[",
    "\"split_conditions\":[", "\"split_indices\":[", "\"sum_hessian\":[",
};

typedef struct arrays {
    const ney_env *env;
    double *value[N_ARRAYS];
    int64_t cap[N_ARRAYS], n;
} arrays;

static ney_status bad_text(ney_error *err)
{
    return ney_fail(err, NEY_ENUMERIC, "libxgboost wrote trees in an unknown form");
}

/* Numbers up to the closing bracket. */
static ney_status read_array(arrays *a, int k, const char **at, ney_error *err)
{
    const char *p = strstr(*at, names[k]);
    int64_t n = 0;
    if (!p) {
        return bad_text(err);
    }
    for (p += strlen(names[k]); *p && *p != ']'; n++) {
        const size_t length = strcspn(p, ",]");
        if (!ney_grow(a->env, &a->value[k], &a->cap[k], n + 1, sizeof *a->value[k])) {
            return ney_no_memory(err, n, "nodes of a tree");
        }
        if (!ney_number_parse(p, length, &a->value[k][n])) {
            return bad_text(err);
        }
        p += length + (p[length] == ',');
    }
    if (n == 0 || (k > 0 && n != a->n)) {
        return bad_text(err);
    }
    a->n = n;
    *at = p;
    return NEY_OK;
}

static ney_status read_arrays(arrays *a, const char **at, ney_error *err)
{
    ney_status st = NEY_OK;
    for (int k = 0; k < N_ARRAYS && st == NEY_OK; k++) {
        st = read_array(a, k, at, err);
    }
    return st;
}

/* What only describes the training is kept to five digits. */
static float rounded(double x)
{
    if (!(fabs(x) > (double)FLT_MIN && fabs(x) < (double)FLT_MAX)) {
        return 0;
    }
    const double unit = pow(10, floor(log10(fabs(x))) - 4);
    return (float)(round(x / unit) * unit);
}

static bool is_node(const arrays *a, double at)
{
    return at >= 1 && at < (double)a->n && at == floor(at);
}

/* The nodes in preorder, from `*next` on. */
static ney_status copy_tree(const arrays *a, ney_trees *t, int64_t *next, ney_error *err)
{
    int64_t open[NEY_MOST_DEPTH + 2], n = 0;
    const int64_t first = *next;
    open[n++] = 0;
    while (n > 0) {
        const int64_t i = open[--n];
        const double left = a->value[LEFT][i], right = a->value[RIGHT][i];
        const bool is_leaf = left < 0;
        if (*next - first == a->n || n > NEY_MOST_DEPTH ||
            (!is_leaf && !(is_node(a, left) && is_node(a, right)))) {
            return bad_text(err);
        }
        t->node[(*next)++] =
            (ney_tree_node){.column = is_leaf ? NEY_LEAF : (int32_t)a->value[COLUMN][i],
                            .value = (float)a->value[CONDITION][i],
                            .cover = rounded(fmax(a->value[HESSIAN][i], 0)),
                            .gain = is_leaf ? 0 : rounded(a->value[LOSS_CHANGE][i]),
                            .missing_left = !is_leaf && a->value[DEFAULT_LEFT][i] > 0};
        if (!is_leaf) {
            open[n++] = (int64_t)right;
            open[n++] = (int64_t)left;
        }
    }
    return NEY_OK;
}

/* The nodes of the first n trees; -1: they are not there. */
static int64_t count_nodes(const char *text, int64_t n)
{
    static const char name[] = "\"num_nodes\":\"";
    int64_t nodes = 0, own;
    for (int64_t k = 0; k < n; k++) {
        const char *const at = strstr(text, name);
        if (!at) {
            return -1;
        }
        text = at + strlen(name);
        if (!ney_integer_parse(text, strcspn(text, "\""), &own) || own < 1) {
            return -1;
        }
        nodes += own;
    }
    return nodes;
}

static ney_status read_trees(ney_trees *t, const ney_env *env, const char *text, int64_t nodes,
                             ney_error *err)
{
    arrays a = {.env = env};
    ney_status st = NEY_OK;
    int64_t next = 0;
    for (int64_t k = 0; k < t->n && st == NEY_OK; k++) {
        if ((st = read_arrays(&a, &text, err)) == NEY_OK) {
            st = a.n > nodes - next ? bad_text(err) : copy_tree(&a, t, &next, err);
            t->start[k + 1] = next;
        }
    }
    for (int k = 0; k < N_ARRAYS; k++) {
        ney_release(env, a.value[k]);
    }
    return st == NEY_OK ? ney_trees_finish(t, env, err) : st;
}

ney_status ney_booster_parse(ney_trees **out, const ney_env *env, const char *text, int64_t cols,
                             int64_t n, ney_error *err)
{
    const char *const trees = strstr(text, "\"trees\":[");
    const int64_t nodes = trees ? count_nodes(trees, n) : -1;
    *out = NULL;
    if (nodes < 0) {
        return bad_text(err);
    }
    ney_trees *t = ney_trees_new(env, cols, n, nodes);
    if (!t) {
        return ney_no_memory(err, nodes, "nodes of trees");
    }
    const ney_status st = read_trees(t, env, trees, nodes, err);
    if (st != NEY_OK) {
        ney_trees_free(env, t);
        return st;
    }
    *out = t;
    return NEY_OK;
}
