/* Tracing a line of costs and recording its breakpoints. */
#include "path/position.h"

#include <math.h>
#include <string.h>

typedef struct recording {
    ney_path *path;
    ney_path_line line;
} recording;

static ney_status record_point(void *user, const ney_trace_point *t, ney_error *err)
{
    recording *const r = user;
    ney_path_line *const l = &r->line;
    double shift;
    const ney_status st = ney_path_intercept_shift(r->path, &shift, err);
    if (st != NEY_OK) {
        return st;
    }
    if (ney_path_is_inexact(NEY_OK, t->residual) && r->path->kind == &ney_trace_double) {
        return ney_fail(err, NEY_ENUMERIC, "residual %g at C+ %g, C- %g", t->residual, t->c[1],
                        t->c[0]); /* the wider precision is left */
    }
    if (!ney_grow(&r->path->env, &l->point, &l->points_cap, l->n_points + 1, sizeof *l->point)) {
        return ney_no_memory(err, l->n_points, "breakpoints");
    }
    l->point[l->n_points++] = (ney_path_point){.c = {t->c[1], t->c[0]},
                                               .objective = t->objective,
                                               .intercept = t->intercept - shift,
                                               .kkt_residual = t->residual,
                                               .margin = t->margin,
                                               .left = t->left,
                                               .right = t->right};
    return NEY_OK;
}

static ney_status record_event(void *user, double theta, int64_t row, int64_t to, ney_error *err)
{
    recording *const r = user;
    ney_path_line *const l = &r->line;
    if (!ney_grow(&r->path->env, &l->event, &l->events_cap, l->n_events + 1, sizeof *l->event)) {
        return ney_no_memory(err, l->n_events, "events");
    }
    l->event[l->n_events++] = (ney_path_event){.theta = theta, .row = row, .to = to};
    return NEY_OK;
}

static bool is_cost(double c)
{
    return c >= 0 && c <= 1e15;
}

static double largest_residual(const ney_path_line *l)
{
    double worst = 0;
    for (int64_t k = 0; k < l->n_points; k++) { /* NAN is worst */
        worst = l->point[k].kkt_residual <= worst ? worst : l->point[k].kkt_residual;
    }
    return worst;
}

double ney_path_residual(const ney_path *path)
{
    if (!path) {
        return (double)NAN;
    }
    double worst = 0;
    for (int64_t k = 0; k < path->n_lines; k++) {
        const double own = largest_residual(&path->line[k]);
        worst = own <= worst ? worst : own;
    }
    return worst;
}

/* Trace a line in the precision in use. */
static ney_status record_line(ney_path *path, ney_cost_pair from, ney_cost_pair to,
                              ney_path_line *line, ney_error *err)
{
    recording r = {.path = path, .line = {.from = from, .to = to}};
    const ney_trace_recorder recorder = {&r, record_point, record_event};
    const double end[2] = {to.minus, to.plus};
    const int64_t n = ney_data_matrix(path->data)->rows;
    const bool at_zero = from.plus + from.minus <= 0;
    ney_status st;
    if ((st = ney_path_start_tracing(path, err)) == NEY_OK &&
        (st = at_zero ? ney_path_go_to_zero(path, to, err) : ney_path_go_to(path, from, err)) ==
            NEY_OK) {
        r.line.start = ney_alloc(&path->env, n, sizeof *r.line.start);
        if (r.line.start) {
            memcpy(r.line.start, ney_path_position(path).side, (size_t)n);
            st = path->kind->follow(path->tracer, end, &recorder, err);
        } else {
            st = ney_no_memory(err, n, "sides");
        }
    }
    if (st != NEY_OK) {
        ney_path_line_free(&path->env, &r.line);
        ney_path_stop_tracing(path);
    }
    *line = r.line;
    return st;
}

ney_status ney_path_follow(ney_path *path, ney_cost_pair from, ney_cost_pair to, int64_t *line,
                           ney_error *err)
{
    NEY_REQUIRE(path, err);
    ney_path_line found;
    if (!is_cost(from.plus) || !is_cost(from.minus) || !is_cost(to.plus) || !is_cost(to.minus)) {
        return ney_fail(err, NEY_EINVAL, "a line from (%g, %g) to (%g, %g), expected costs from 0",
                        from.plus, from.minus, to.plus, to.minus);
    }
    if (!ney_grow(&path->env, &path->line, &path->lines_cap, path->n_lines + 1,
                  sizeof *path->line)) {
        return ney_no_memory(err, path->n_lines, "lines");
    }
    ney_status st = record_line(path, from, to, &found, err);
    if (ney_path_is_inexact(st, largest_residual(&found)) && ney_path_widen(path)) {
        ney_path_line_free(&path->env, &found);
        st = record_line(path, from, to, &found, err);
    }
    if (st != NEY_OK) {
        return st;
    }
    if (line) {
        *line = path->n_lines;
    }
    path->line[path->n_lines++] = found;
    return NEY_OK;
}
