/* The trees family: f(x) = b + the sum over trees of the value of the leaf that x reaches.
 *
 * Nodes of a tree are stored in preorder: the left child of a split follows it. A row goes left
 * where its value of the column is below the threshold, right where it is not, and where the value
 * is missing (NaN) to the side that the split names. A value that is absent in sparse storage is 0,
 * not missing. */
#ifndef NEY_MODEL_TREES_H
#define NEY_MODEL_TREES_H

#include "base/env.h"

enum { NEY_MOST_DEPTH = 64, NEY_LEAF = -1 };

typedef struct ney_tree_node {
    int32_t column;    /* NEY_LEAF: a leaf */
    int32_t right;     /* the position of the right child of a split */
    float value;       /* the threshold of a split, the value of a leaf */
    float cover;       /* the weight of the training rows that reached it, at least 0 */
    float gain;        /* of a split: by how much it lowered the training loss */
    bool missing_left; /* where a missing value goes */
} ney_tree_node;

typedef struct ney_trees {
    int64_t cols, n; /* columns and trees */
    double intercept;
    int64_t *start;      /* of each tree's nodes, n + 1 of them */
    ney_tree_node *node; /* `right` counts from the first node of all */

    /* for scoring, made by ney_trees_finish() */
    int32_t *used; /* the columns with a split, ascending */
    int64_t n_used;
    struct ney_tree_step *step; /* at the position of the first of two children */
    int32_t *root, *depth;      /* of each tree */
} ney_trees;

/* Trees without nodes, to be filled; NULL without memory. */
ney_trees *ney_trees_new(const ney_env *env, int64_t cols, int64_t n, int64_t nodes);
void ney_trees_free(const ney_env *env, void *trees);

/* Fill `right` in the tree that begins at `first` from its nodes in preorder. Returns the position
 * after its last node; -1: there is none before `end`, or the tree is too deep. */
int64_t ney_tree_link(ney_tree_node *node, int64_t first, int64_t end);

/* Check filled trees and make what scoring needs. */
ney_status ney_trees_finish(ney_trees *t, const ney_env *env, ney_error *err);

/* A model of finished trees, which are taken over, on failure too. */
ney_status ney_model_new_trees(ney_model **out, const ney_env *env,
                               const ney_preprocessing *preprocessing, ney_trees *trees,
                               ney_error *err);

/* The trees, borrowed; NULL for other families. */
const ney_trees *ney_model_trees(const ney_model *m);

/* sum_k (scale[k] f_k + shift[k]): the trees of all, one after the other, leaves scaled. */
ney_status ney_trees_sum(ney_trees **out, const ney_env *env, const ney_trees *const *trees,
                         const double *scale, const double *shift, int n, ney_error *err);

/* ---- scoring (trees_score.c) */

/* Two children lie side by side; a leaf leads to itself. */
typedef struct ney_tree_step {
    float threshold; /* NAN in a leaf */
    int32_t used;    /* the column's place among those used */
    int32_t left;    /* the position of the left child; the right one is next */
    float value;     /* of a leaf; of a split, where a missing value goes: 0 left, 1 right */
} ney_tree_step;

/* The steps from the nodes, roots and depths; memory is allocated. */
void ney_trees_lay_out(ney_trees *t);

int64_t ney_trees_scratch(const void *part);
double ney_trees_work(const void *part);
void ney_trees_score_block(const void *part, const ney_matrix *x, int64_t first, int64_t n,
                           double *out, void *scratch);

#endif
