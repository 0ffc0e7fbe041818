/* The map of --scale asinh: linear near the median of a column, logarithmic far from it. */
#ifndef NEY_DATA_ASINH_FIT_H
#define NEY_DATA_ASINH_FIT_H

#include "data/column_values.h"
#include "data/ranks.h"

/* The map x -> asinh((x - middle) / s): middle is the median. */
typedef struct ney_asinh_map {
    double middle, s;
} ney_asinh_map;

ney_asinh_map ney_asinh_map_of(const ney_value_run *run, int64_t n_runs);
double ney_asinh_of(const ney_asinh_map *map, double x);

/* Knots of asinh((x - median) / s) on [0, 1] for column c. s is the distance between the quartiles
 * divided by 1.349, a standard deviation for normal columns; where the quartiles are equal, the
 * median distance of the other values from the median. False without memory. */
bool ney_asinh_knots(ney_ranks *ranks, int64_t c, const ney_value_run *run, int64_t n_runs);

#endif
