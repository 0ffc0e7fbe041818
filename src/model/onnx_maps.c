/* Ranks and asinh of columns as operators: lines between knots, constant beyond the first and the
 * last.
 *
 *     y = y_0 + sum over segments j of slope_j (min(max(x, v_j), v_j+1) - v_j)
 *
 * Every column has as many segments as the one with most; a column without knots has one of slope 1
 * that has no ends. */
#include "data/ranks.h"
#include "model/onnx_graph.h"

#include <float.h>
#include <stdio.h>

typedef struct segment {
    double low, high, base, slope;
} segment;

static segment segment_of(const ney_ranks *r, int64_t c, int64_t j)
{
    if (!ney_ranks_has(r, c)) {
        return j == 0 ? (segment){-DBL_MAX, DBL_MAX, 0, 1} : (segment){0, 0, 0, 0};
    }
    const double *const value = r->value + r->first[c], *const rank = r->rank + r->first[c];
    if (j + 1 >= r->n[c]) {
        return (segment){0, 0, 0, 0};
    }
    const double slope = (rank[j + 1] - rank[j]) / (value[j + 1] - value[j]);
    return (segment){value[j], value[j + 1], value[j], slope};
}

int64_t ney_onnx_segments(const ney_preprocessing *preprocessing)
{
    const ney_ranks *const r = preprocessing->ranks;
    int64_t most = 1;
    for (int64_t c = 0; r && c < r->cols; c++) {
        most = r->n[c] - 1 > most ? r->n[c] - 1 : most;
    }
    return r ? most : 0;
}

static void put_table(ney_onnx *g, const char *name, int64_t segments, int64_t member)
{
    const ney_ranks *const r = g->model->preprocessing->ranks;
    const ney_onnx_open open = ney_onnx_begin_doubles(g, name, g->cols, segments);
    for (int64_t c = 0; c < g->cols; c++) {
        for (int64_t j = 0; j < segments; j++) {
            const segment s = segment_of(r, c, j);
            ney_onnx_cell(g, member == 0   ? s.low
                             : member == 1 ? s.high
                             : member == 2 ? s.base
                                           : s.slope);
        }
    }
    ney_onnx_end_doubles(g, open);
}

static void put_first(ney_onnx *g)
{
    const ney_ranks *const r = g->model->preprocessing->ranks;
    const ney_onnx_open open = ney_onnx_begin_doubles(g, "map_first", 1, g->cols);
    for (int64_t c = 0; c < g->cols; c++) {
        ney_onnx_cell(g, ney_ranks_has(r, c) ? r->rank[r->first[c]] : 0);
    }
    ney_onnx_end_doubles(g, open);
}

const char *ney_onnx_put_maps(ney_onnx *g, const char *in)
{
    const int64_t segments = ney_onnx_segments(g->model->preprocessing), axis = 2;
    char names[80];
    if (segments == 0) {
        return in;
    }
    static const char *const table[] = {"map_low", "map_high", "map_base", "map_slope"};
    for (int64_t k = 0; k < 4; k++) {
        put_table(g, table[k], segments, k);
    }
    put_first(g);
    ney_onnx_ints(g, "axis_2", &axis, 1);
    snprintf(names, sizeof names, "%s axis_2", in);
    ney_onnx_node(g, "Unsqueeze", names, "map_in");
    ney_onnx_node(g, "Max", "map_in map_low", "map_above");
    ney_onnx_node(g, "Min", "map_above map_high", "map_within");
    ney_onnx_node(g, "Sub", "map_within map_base", "map_part");
    ney_onnx_node(g, "Mul", "map_part map_slope", "map_rise");
    ney_onnx_node_with(g, "ReduceSum", "map_rise axis_2", "map_sum", "keepdims", 0);
    ney_onnx_node(g, "Add", "map_sum map_first", "mapped");
    return "mapped";
}
