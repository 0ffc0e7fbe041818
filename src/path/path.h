/* Internals of a path. A line is kept as the sides of all rows at its beginning and the events from
 * there on; the solution at any point follows from the sides there, by one linear system. */
#ifndef NEY_PATH_PATH_H
#define NEY_PATH_PATH_H

#include "data/data.h"
#include "path/offset.h"
#include "path/trace.h"
#include "path/tracer.h"

typedef struct ney_path_event {
    double theta;
    int64_t row;
    int64_t to; /* ney_side */
} ney_path_event;

typedef struct ney_path_line {
    ney_cost_pair from, to;
    int8_t *start; /* side of each row */
    ney_path_point *point;
    int64_t n_points, points_cap;
    ney_path_event *event;
    int64_t n_events, events_cap;
} ney_path_line;

struct ney_path {
    ney_env env;
    ney_data *data;
    ney_kernel kernel;
    double cache;               /* bytes */
    const ney_trace_kind *kind; /* double, until its residual is too large */
    ney_offset offset;          /* the rows that are traced */
    double *spare;              /* dual variables or weights, for shifts */
    void *tracer;               /* NULL until it is needed */
    int8_t *entry;              /* sides at (0, 0), once there is one */
    ney_path_line *line;
    int64_t n_lines, lines_cap;
    ney_choice *choice;
    int64_t n_choices;
    double share_pos;
};

/* A path around `data`, which it takes over, on failure too. */
ney_status ney_path_around(ney_path **out, const ney_env *env, ney_data *data,
                           const ney_kernel *kernel, double cache, ney_error *err);
/* What a path file holds. @param name  for messages. */
ney_status ney_path_parse(ney_path **out, const ney_env *env, const char *name, const char *text,
                          int64_t n_text, ney_error *err);
void ney_path_line_free(const ney_env *env, ney_path_line *line);

/* Scores of rows by the classifier at c, which must be on a line: those of ney_path_model(),
 * without the cost of a model. */
ney_status ney_path_score(ney_path *path, const ney_env *env, ney_cost_pair c, const ney_matrix *x,
                          double *score, ney_error *err);

/* Drop the tracer, whose state means nothing after a failure. */
void ney_path_stop_tracing(ney_path *p);

#endif
