/* How large input may be before it is refused: a few bytes can announce more columns than the
 * machine has memory for. */
#ifndef NEY_DATA_LIMITS_H
#define NEY_DATA_LIMITS_H

#include "base/env.h"

/* Column indices are 32-bit. */
enum { NEY_MOST_COLUMNS = INT32_MAX };

/* Without --max-columns: the columns that any data may have, and those for every stored entry
 * beyond that. Memory is in proportion to the entries, then. */
enum { NEY_USUAL_COLUMNS = 2000000, NEY_COLUMNS_PER_ENTRY = 10 };

/* The default of --max-line and its largest value, in megabytes. Lengths of fields are 32-bit. */
enum { NEY_USUAL_LINE = 64, NEY_LONGEST_LINE = 2000 };

/* The most columns that data of that many stored entries may have. */
int64_t ney_max_columns(const ney_read_opts *opts, int64_t entries);

/* NEY_EPARSE where the columns are more than that, and than those of the model (0: none). */
ney_status ney_check_columns(const ney_read_opts *opts, int64_t cols, int64_t entries,
                             int64_t model_cols, ney_place place, ney_error *err);

/* --max-line in bytes. */
int64_t ney_max_line(const ney_read_opts *opts);

#endif
