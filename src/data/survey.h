/* What the columns of a table are: numbers or categories, found by reading it once or twice before
 * its rows are parsed. */
#ifndef NEY_DATA_SURVEY_H
#define NEY_DATA_SURVEY_H

#include "data/table.h"

/* Complete `preprocessing` (inputs, categories, shift, number of features) from all rows of the
 * table. The lines are left at their end; the caller rewinds. *repeated is a column that is named
 * like an identifier and repeats its values, -1 where there is none or the rows' groups are named.
 *
 * A column is a number if all its cells are that are not missing, and categories if most are not or
 * the table says so; a column of numbers with a few words among them is refused. A number's shift
 * is 0 unless its values lie so far from zero, compared with their spread, that floats would lose
 * digits that matter: then it is the mean. */
ney_status ney_survey(const ney_table *t, ney_lines *lines, ney_files *files,
                      int64_t max_categories, ney_preprocessing *preprocessing, int64_t *repeated,
                      ney_error *err);

#endif
