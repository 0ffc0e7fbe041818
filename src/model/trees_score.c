/* Scores of trees. Rows are taken eight at a time and walk down together, without branches: each
 * makes as many steps as the tree is deep, and stays where it is in a leaf. Where one of the eight
 * has a missing value, all ask for it. Leaves are added in the order of the trees, in double. */
#include "model/trees.h"

#include <math.h>
#include <string.h>

enum { LANES = 8, TILE = 64 }; /* rows that walk together, and rows whose values are copied */

/* ---------------------------------------------------------------- layout */

static int32_t place_of(const ney_trees *t, int32_t column)
{
    int64_t low = 0, high = t->n_used - 1;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (t->used[middle] < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (int32_t)low;
}

/* A node that is to be laid out, and where. */
typedef struct pending {
    int64_t node;
    int32_t at, depth;
} pending;

static void lay_out_tree(ney_trees *t, int64_t k, int32_t *next)
{
    pending open[NEY_MOST_DEPTH + 2];
    int n = 0;
    t->root[k] = *next;
    t->depth[k] = 0;
    open[n++] = (pending){t->start[k], (*next)++, 0};
    while (n > 0) {
        const pending p = open[--n];
        const ney_tree_node *const node = &t->node[p.node];
        t->depth[k] = p.depth > t->depth[k] ? p.depth : t->depth[k];
        if (node->column == NEY_LEAF) {
            t->step[p.at] = (ney_tree_step){(float)NAN, 0, p.at, node->value};
            continue;
        }
        t->step[p.at] = (ney_tree_step){node->value, place_of(t, node->column), *next,
                                        node->missing_left ? 0.0f : 1.0f};
        open[n++] = (pending){node->right, *next + 1, p.depth + 1};
        open[n++] = (pending){p.node + 1, *next, p.depth + 1};
        *next += 2;
    }
}

void ney_trees_lay_out(ney_trees *t)
{
    int32_t next = 0;
    for (int64_t k = 0; k < t->n; k++) {
        lay_out_tree(t, k, &next);
    }
}

/* ---------------------------------------------------------------- values of a tile */

int64_t ney_trees_scratch(const void *part)
{
    const ney_trees *const t = part;
    return TILE * (t->n_used > 0 ? t->n_used : 1) * (int64_t)sizeof(float);
}

double ney_trees_work(const void *part)
{
    const ney_trees *const t = part;
    double steps = 1 + (double)t->n_used;
    for (int64_t k = 0; k < t->n; k++) {
        steps += 2 * (double)t->depth[k];
    }
    return steps;
}

/* The values of the columns used; whether one is missing. */
static bool take_row(const ney_trees *t, const ney_matrix *x, int64_t row, float *value)
{
    bool has_missing = false;
    if (x->dense) {
        const float *const from = x->dense + row * x->cols;
        for (int64_t u = 0; u < t->n_used; u++) {
            value[u] = t->used[u] < x->cols ? from[t->used[u]] : 0;
            has_missing |= isnan(value[u]) != 0;
        }
        return has_missing;
    }
    int64_t u = 0;
    memset(value, 0, (size_t)t->n_used * sizeof *value);
    for (int64_t k = x->start[row]; k < x->start[row + 1] && u < t->n_used; k++) {
        while (u < t->n_used && t->used[u] < x->index[k]) {
            u++;
        }
        if (u < t->n_used && t->used[u] == x->index[k]) {
            value[u] = x->value[k];
            has_missing |= isnan(value[u]) != 0;
        }
    }
    return has_missing;
}

/* ---------------------------------------------------------------- walks */

/* `may_miss` is known where this is inlined. */
static inline void walk_lanes(const ney_trees *t, const float *value, double *sum, bool may_miss)
{
    for (int64_t k = 0; k < t->n; k++) {
        int32_t at[LANES];
        for (int i = 0; i < LANES; i++) {
            at[i] = t->root[k];
        }
        for (int32_t d = t->depth[k]; d > 0; d--) {
            for (int i = 0; i < LANES; i++) {
                const ney_tree_step *const s = &t->step[at[i]];
                const float v = value[i * t->n_used + s->used];
                const bool is_lost = /* and goes right, unless this is a leaf */
                    may_miss && ((v != v) & (s->value > 0) & (s->threshold == s->threshold)) != 0;
                at[i] = s->left + ((v >= s->threshold) | is_lost);
            }
        }
        for (int i = 0; i < LANES; i++) {
            sum[i] += (double)t->step[at[i]].value;
        }
    }
}

static void walk_together(const ney_trees *t, const float *value, double *sum, bool may_miss)
{
    if (may_miss) {
        walk_lanes(t, value, sum, true);
    } else {
        walk_lanes(t, value, sum, false);
    }
}

static double walk_alone(const ney_trees *t, const float *value)
{
    double sum = t->intercept;
    for (int64_t k = 0; k < t->n; k++) {
        int32_t at = t->root[k];
        while (t->step[at].left != at) {
            const ney_tree_step *const s = &t->step[at];
            const float v = value[s->used];
            at = s->left + (isnan(v) ? s->value > 0 : v >= s->threshold);
        }
        sum += (double)t->step[at].value;
    }
    return sum;
}

static void score_tile(const ney_trees *t, const ney_matrix *x, int64_t first, int64_t n,
                       double *out, float *value)
{
    bool has_missing[TILE];
    for (int64_t i = 0; i < n; i++) {
        has_missing[i] = take_row(t, x, first + i, value + i * t->n_used);
    }
    for (int64_t i = 0; i < n; i += LANES) {
        const bool alone = n - i < LANES;
        bool may_miss = false;
        for (int64_t j = i; j < n && j < i + LANES; j++) {
            may_miss = may_miss || has_missing[j];
            out[j] = t->intercept;
        }
        if (!alone) {
            walk_together(t, value + i * t->n_used, out + i, may_miss);
        }
        for (int64_t j = i; alone && j < n && j < i + LANES; j++) {
            out[j] = walk_alone(t, value + j * t->n_used);
        }
    }
}

void ney_trees_score_block(const void *part, const ney_matrix *x, int64_t first, int64_t n,
                           double *out, void *scratch)
{
    for (int64_t i = 0; i < n; i += TILE) {
        score_tile(part, x, first + i, n - i < TILE ? n - i : TILE, out + i, scratch);
    }
}
