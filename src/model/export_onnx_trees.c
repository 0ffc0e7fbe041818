/* Trees as the operator TreeEnsembleRegressor of ONNX. Its sums are in single precision; here each
 * tree has an output of its own, which is one leaf, and the outputs are added up in double. */
#include "model/onnx_graph.h"
#include "model/trees.h"

/* The numbers of all nodes that an attribute lists. */
enum { NODE_ID, TREE_ID, FEATURE, LEFT, RIGHT, MISSING_LEFT, N_LISTS };

static const char *const lists[N_LISTS] = {
    "nodes_nodeids",     "nodes_treeids",      "nodes_featureids",
    "nodes_truenodeids", "nodes_falsenodeids", "nodes_missing_value_tracks_true",
};

static int64_t number_of(const ney_trees *t, int64_t tree, int64_t i, int list)
{
    const ney_tree_node *const node = &t->node[i];
    const bool is_leaf = node->column == NEY_LEAF;
    switch (list) {
    case NODE_ID:
        return i - t->start[tree];
    case TREE_ID:
        return tree;
    case FEATURE:
        return is_leaf ? 0 : node->column;
    case LEFT:
        return is_leaf ? 0 : i + 1 - t->start[tree];
    case RIGHT:
        return is_leaf ? 0 : node->right - t->start[tree];
    default:
        return node->missing_left;
    }
}

static void put_nodes(ney_onnx *g, const ney_trees *t)
{
    for (int list = 0; list < N_LISTS; list++) {
        const ney_onnx_list open = ney_onnx_begin_list(g, lists[list], NEY_ONNX_INTS);
        for (int64_t k = 0; k < t->n; k++) {
            for (int64_t i = t->start[k]; i < t->start[k + 1]; i++) {
                ney_onnx_list_int(g, number_of(t, k, i, list));
            }
        }
        ney_onnx_end_list(g, open);
    }
    const ney_onnx_list values = ney_onnx_begin_list(g, "nodes_values", NEY_ONNX_FLOATS);
    for (int64_t i = 0; i < t->start[t->n]; i++) {
        ney_onnx_list_float(g, t->node[i].column == NEY_LEAF ? 0 : t->node[i].value);
    }
    ney_onnx_end_list(g, values);
    const ney_onnx_list modes = ney_onnx_begin_list(g, "nodes_modes", NEY_ONNX_STRINGS);
    for (int64_t i = 0; i < t->start[t->n]; i++) {
        ney_onnx_list_string(g, t->node[i].column == NEY_LEAF ? "LEAF" : "BRANCH_LT");
    }
    ney_onnx_end_list(g, modes);
}

static void put_leaves(ney_onnx *g, const ney_trees *t)
{
    static const char *const names[] = {"target_nodeids", "target_treeids", "target_ids"};
    for (int list = 0; list < 3; list++) {
        const ney_onnx_list open = ney_onnx_begin_list(g, names[list], NEY_ONNX_INTS);
        for (int64_t k = 0; k < t->n; k++) {
            for (int64_t i = t->start[k]; i < t->start[k + 1]; i++) {
                if (t->node[i].column == NEY_LEAF) {
                    ney_onnx_list_int(g, list == 0 ? i - t->start[k] : k);
                }
            }
        }
        ney_onnx_end_list(g, open);
    }
    const ney_onnx_list values = ney_onnx_begin_list(g, "target_weights", NEY_ONNX_FLOATS);
    for (int64_t i = 0; i < t->start[t->n]; i++) {
        if (t->node[i].column == NEY_LEAF) {
            ney_onnx_list_float(g, t->node[i].value);
        }
    }
    ney_onnx_end_list(g, values);
}

ney_status ney_onnx_put_trees(ney_onnx *g, ney_error *err)
{
    const ney_trees *const t = ney_model_trees(g->model);
    if (t->n == 0) {
        return ney_fail(err, NEY_EINVAL, "a model without trees has no form in an ONNX file");
    }
    g->uses_ml = true;
    ney_onnx_node_with(g, "Cast", "feature", "feature_float", "to", NEY_ONNX_FLOAT);
    const int64_t node =
        ney_onnx_begin_ml_node(g, "TreeEnsembleRegressor", "feature_float", "leaf");
    ney_onnx_attribute_int(g, "n_targets", t->n);
    put_nodes(g, t);
    put_leaves(g, t);
    ney_onnx_end_node(g, node);
    ney_onnx_node_with(g, "Cast", "leaf", "leaf_double", "to", NEY_ONNX_DOUBLE);
    ney_onnx_node(g, "ReduceSum", "leaf_double axis_1", "sum");
    ney_onnx_double(g, "intercept", t->intercept);
    ney_onnx_node(g, "Add", "sum intercept", "raw");
    return NEY_OK;
}
