/* A search on parts of the rows, and the comparison of its best points on all rows. */
#ifndef NEY_SELECT_COMPARISON_H
#define NEY_SELECT_COMPARISON_H

#include "select/tuner.h"

/* Draw the parts that the search `t` learns from where they save time: with few rows, and for
 * goals and methods without parts, it learns from all. The folds are there. */
ney_status ney_comparison_draw_parts(ney_tuner *t, const ney_tune_opts *o, ney_error *err);

/* Compare the best points of n searches on all rows, `most` or more: they take the place of those
 * that were searched. Where the time ends before, those are still there. Searches that learned from
 * all rows are left as they are. */
ney_status ney_comparison_run(ney_tuner *t, int n, const ney_tune_opts *o, int most,
                              ney_tune_info *info, ney_error *err);

#endif
