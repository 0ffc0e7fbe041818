/* The tracer of a path: starting it, moving it to a pair of costs, its position. */
#ifndef NEY_PATH_POSITION_H
#define NEY_PATH_POSITION_H

#include "path/path.h"

/* Create the tracer unless there is one. */
ney_status ney_path_start_tracing(ney_path *p, ney_error *err);

/* Where the tracer is. */
ney_trace_point ney_path_position(const ney_path *p);

/* How much the tracer's intercept exceeds that of the rows as given. Where double precision is not
 * enough for the path, it is not for the dual variables either: the weights are used. */
ney_status ney_path_intercept_shift(const ney_path *p, double *by, ney_error *err);

/* Continue in the wider precision; false where it is in use. */
bool ney_path_widen(ney_path *p);

/* Whether a result needs the wider precision: a numerical failure, or a residual above
 * NEY_PATH_RESIDUAL. */
static inline bool ney_path_is_inexact(ney_status st, double residual)
{
    return st == NEY_ENUMERIC || (st == NEY_OK && !(residual <= NEY_PATH_RESIDUAL));
}

/* The line through a point, and its theta there; -1 when there is none. */
int64_t ney_path_find_line(const ney_path *p, ney_cost_pair c, double *theta);

/* Move the tracer to a pair of costs: to a point of a line that was traced before, or along new
 * lines from the entry. */
ney_status ney_path_go_to(ney_path *p, ney_cost_pair c, ney_error *err);

/* Move the tracer to (0, 0), with the active set of the line from there in the direction of `to`.
 */
ney_status ney_path_go_to_zero(ney_path *p, ney_cost_pair to, ney_error *err);

/* Move the tracer to a point of a line, in the wider precision where double is not enough. */
ney_status ney_path_reach(ney_path *p, int64_t line, double theta, ney_cost_pair c, ney_error *err);

#endif
