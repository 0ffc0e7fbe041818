/* One axis of a grid: an option of training and the values it takes.
 *
 * A geometric axis has the value base * ratio^(k / parts) at place k, for every whole k: it can be
 * extended at either end, and refined by more parts. A list has places 0, 1, ... and ends where it
 * ends. */
#ifndef NEY_SELECT_AXIS_H
#define NEY_SELECT_AXIS_H

#include "base/env.h"

enum { NEY_MOST_AXES = 6, NEY_MOST_VALUES = 100 };

typedef struct ney_axis {
    const ney_param *param;
    bool of_kernel; /* another value is another kernel */
    bool is_list;
    double base, ratio;
    int parts;                     /* places for each step of ratio */
    int low, high;                 /* places of the grid, both included */
    double value[NEY_MOST_VALUES]; /* of a list */
} ney_axis;

double ney_axis_value(const ney_axis *a, int place);

/* Set the option to the value at a place. */
void ney_axis_set(const ney_axis *a, int place, ney_train_opts *o);

/* Whether there is a value beyond an end, within the option's bounds. */
bool ney_axis_can_extend(const ney_axis *a, bool upwards);

/* The text of the small grid. */
#define NEY_GRID_QUICK "quick"

typedef struct ney_grid {
    ney_axis axis[NEY_MOST_AXES]; /* kernel axes first, C last: neighbours share what they can */
    int n;
} ney_grid;

/* The grid that a text describes, words such as C=0.1:1000:9 (9 values from 0.1 to 1000,
 * each the same multiple of the last) or gamma=0.01,0.1; NULL or axes that it leaves out: what
 * suits the options. @param gamma  the middle of its axis, which there is unless the options name
 * one. */
ney_status ney_grid_init(ney_grid *g, const char *text, const ney_train_opts *o, double gamma,
                         ney_error *err);

#endif
