/* Where the tracer of a path is, and how it gets to a pair of costs. */
#include "path/position.h"

#include <math.h>
#include <string.h>

void ney_path_stop_tracing(ney_path *p)
{
    p->kind->destroy(p->tracer);
    p->tracer = NULL;
}

ney_trace_point ney_path_position(const ney_path *p)
{
    ney_trace_point point;
    p->kind->point(p->tracer, &point);
    return point;
}

/* A polynomial kernel is not the same on shifted rows. */
static ney_status start_shift(ney_path *p, ney_error *err)
{
    const ney_matrix *const x = ney_data_matrix(p->data);
    const int64_t n = x->rows > x->cols ? x->rows : x->cols;
    ney_status st = ney_offset_init(&p->offset, &p->env, x, p->kernel.kind == NEY_KERNEL_POLY, err);
    p->spare = st == NEY_OK ? ney_alloc(&p->env, n, sizeof *p->spare) : NULL;
    if (st == NEY_OK && !p->spare) {
        st = ney_no_memory(err, n, "dual variables");
    }
    if (st != NEY_OK) {
        ney_offset_deinit(&p->offset);
    }
    return st;
}

ney_status ney_path_intercept_shift(const ney_path *p, double *by, ney_error *err)
{
    ney_status st = NEY_OK;
    *by = 0;
    if (!p->offset.value || p->kernel.kind != NEY_KERNEL_LINEAR) {
        return NEY_OK;
    }
    if (p->kind == &ney_trace_double) {
        p->kind->duals(p->tracer, p->spare);
        *by = ney_offset_of_duals(&p->offset, p->spare);
    } else if ((st = p->kind->weights(p->tracer, p->spare, err)) == NEY_OK) {
        *by = ney_offset_of_weights(&p->offset, p->spare);
    }
    return st;
}

ney_status ney_path_start_tracing(ney_path *p, ney_error *err)
{
    const ney_matrix *const x = ney_data_matrix(p->data);
    ney_status st = p->offset.of ? NEY_OK : start_shift(p, err);
    const ney_trace_problem problem = {&p->offset.x, ney_data_label(p->data),
                                       ney_data_weight(p->data), &p->kernel, p->cache};
    if (st != NEY_OK || p->tracer) {
        return st;
    }
    st = p->kind->create(&p->tracer, &p->env, &problem, err);
    if (st == NEY_OK && !p->entry) {
        p->entry = ney_alloc(&p->env, x->rows, sizeof *p->entry);
        if (p->entry) {
            memcpy(p->entry, ney_path_position(p).side, (size_t)x->rows);
        } else {
            st = ney_no_memory(err, x->rows, "sides");
            ney_path_stop_tracing(p);
        }
    }
    return st;
}

bool ney_path_widen(ney_path *p)
{
    if (p->kind == &ney_trace_wide) {
        return false;
    }
    ney_path_stop_tracing(p);
    p->kind = &ney_trace_wide;
    ney_log(&p->env, NEY_LOG_INFO,
            "double precision is not enough: continuing with extended precision");
    return true;
}

/* The parameter theta of a point on a line, 0 .. 1; NAN when the point is not on it. */
static double line_parameter(const ney_path_line *l, ney_cost_pair c)
{
    const double dx = l->to.plus - l->from.plus, dy = l->to.minus - l->from.minus;
    const double square = dx * dx + dy * dy;
    const double size = fabs(c.plus) + fabs(c.minus);
    double theta =
        square > 0 ? ((c.plus - l->from.plus) * dx + (c.minus - l->from.minus) * dy) / square : 0;
    theta = fmin(fmax(theta, 0), 1);
    const double off =
        fabs(l->from.plus + theta * dx - c.plus) + fabs(l->from.minus + theta * dy - c.minus);
    return off <= 1e-9 * size ? theta : (double)NAN;
}

int64_t ney_path_find_line(const ney_path *p, ney_cost_pair c, double *theta)
{
    for (int64_t k = 0; k < p->n_lines; k++) {
        *theta = line_parameter(&p->line[k], c);
        if (!isnan(*theta)) {
            return k;
        }
    }
    return -1;
}

/* Trace from the entry to c: first along n+ C+ = n- C-, then at constant C+ + C-. */
static ney_status trace_from_entry(ney_path *p, ney_cost_pair c, ney_error *err)
{
    const ney_trace_point now = ney_path_position(p);
    const double minus = now.class_weight[0], plus = now.class_weight[1];
    const double total = c.plus + c.minus;
    const double even[2] = {total * plus / (plus + minus), total * minus / (plus + minus)};
    const double to[2] = {c.minus, c.plus}, zero[2] = {0, 0};
    ney_status st = p->kind->restore(p->tracer, p->entry, zero, err);
    if (st == NEY_OK && (st = p->kind->follow(p->tracer, even, NULL, err)) == NEY_OK) {
        st = p->kind->follow(p->tracer, to, NULL, err);
    }
    return st;
}

/* Restore the solution at a point of a line from its active set. Where the rows on the margin are
 * nearly dependent, the active set does not determine the solution well enough, and it is traced
 * again from the entry. */
static ney_status restore_point(ney_path *p, int64_t line, double theta, ney_cost_pair c,
                                ney_error *err)
{
    const int64_t n = ney_data_matrix(p->data)->rows;
    const double to[2] = {c.minus, c.plus};
    const ney_path_line *const l = &p->line[line];
    int8_t *const side = ney_alloc(&p->env, n, sizeof *side);
    if (!side) {
        return ney_no_memory(err, n, "sides");
    }
    memcpy(side, l->start, (size_t)n);
    for (int64_t k = 0; k < l->n_events && l->event[k].theta <= theta; k++) {
        side[l->event[k].row] = (int8_t)l->event[k].to;
    }
    ney_status st = p->kind->restore(p->tracer, side, to, err);
    ney_release(&p->env, side);
    if (st == NEY_ENUMERIC ||
        (st == NEY_OK && !(ney_path_position(p).residual <= NEY_PATH_RESIDUAL / 10))) {
        st = trace_from_entry(p, c, err);
    }
    return st;
}

ney_status ney_path_go_to(ney_path *p, ney_cost_pair c, ney_error *err)
{
    const ney_trace_point now = ney_path_position(p);
    double theta;
    if (now.c[1] == c.plus && now.c[0] == c.minus) {
        return NEY_OK;
    }
    const int64_t line = ney_path_find_line(p, c, &theta);
    return line >= 0 ? restore_point(p, line, theta, c, err) : trace_from_entry(p, c, err);
}

/* Unless n+ C+ = n- C- in the direction of `to`, where all rows are left of the margin, the sides
 * depend on the direction alone while costs are small: as long as |score| < 1, the class of less
 * weight is entirely left of the margin, and everything else is in proportion. */
ney_status ney_path_go_to_zero(ney_path *p, ney_cost_pair to, ney_error *err)
{
    const int64_t n = ney_data_matrix(p->data)->rows;
    const ney_trace_point now = ney_path_position(p);
    const double plus = to.plus * now.class_weight[1], minus = to.minus * now.class_weight[0];
    const double bound = 10 * now.longest * now.longest * (plus + minus), zero[2] = {0, 0};
    ney_status st;
    if (fabs(plus - minus) <= 1e-12 * (plus + minus)) {
        return p->kind->restore(p->tracer, p->entry, zero, err);
    }
    const double small = bound > 1 ? 1 / bound : 1;
    if ((st = ney_path_go_to(p, (ney_cost_pair){small * to.plus, small * to.minus}, err)) !=
        NEY_OK) {
        return st;
    }
    int8_t *const side = ney_alloc(&p->env, n, sizeof *side);
    if (!side) {
        return ney_no_memory(err, n, "sides");
    }
    memcpy(side, now.side, (size_t)n);
    st = p->kind->restore(p->tracer, side, zero, err);
    ney_release(&p->env, side);
    return st;
}

ney_status ney_path_reach(ney_path *p, int64_t line, double theta, ney_cost_pair c, ney_error *err)
{
    ney_status st = ney_path_start_tracing(p, err);
    if (st == NEY_OK) {
        st = restore_point(p, line, theta, c, err);
    }
    if (ney_path_is_inexact(st, st == NEY_OK ? ney_path_position(p).residual : 0) &&
        ney_path_widen(p) && (st = ney_path_start_tracing(p, err)) == NEY_OK) {
        st = restore_point(p, line, theta, c, err);
    }
    if (st != NEY_OK) {
        ney_path_stop_tracing(p);
    }
    return st;
}
