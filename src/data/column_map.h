/* Which map of a column suits a linear score: the choice of --scale auto. */
#ifndef NEY_DATA_COLUMN_MAP_H
#define NEY_DATA_COLUMN_MAP_H

#include "data/column_values.h"

typedef enum ney_column_map { NEY_MAP_STANDARD, NEY_MAP_ASINH, NEY_MAP_RANK } ney_column_map;

/* The map whose values have the largest absolute correlation with the labels. asinh and ranks must
 * exceed the values themselves by a quarter of 1 / sqrt(n), about the standard error of a
 * correlation of n rows. Columns with at most two values keep theirs: all maps of them are the
 * same.
 */
ney_column_map ney_column_map_choose(const ney_value_run *run, int64_t n_runs);

/* How many columns have an absolute correlation with the labels that a map would raise by at least
 * 0.05, by a sample of the rows (NULL: all). 0 where that is not looked into: no labels, or too
 * many columns. */
ney_status ney_column_map_count(int64_t *n, const ney_data *data, const int64_t *rows,
                                int64_t n_rows, ney_error *err);

#endif
