/* The rows of a data set by use. A fit draws its partition once; preprocessing, tuning, training
 * and certification all read that one. */
#ifndef NEY_LEARN_PARTITION_H
#define NEY_LEARN_PARTITION_H

#include "learn/holdout.h"

typedef struct ney_partition {
    ney_env env;
    const ney_data *data;          /* all rows; borrowed */
    uint8_t *part_of;              /* the ney_part of each row; NULL: all rows are learned from */
    ney_data *taken[NEY_PARTS];    /* copies of the rows of a part; NULL: none were needed */
    struct ney_kept_answers *kept; /* of fits that are done; NULL: none */
} ney_partition;

/* Draw the rows that are held out, where the request holds some out.
 * NEY_EINVAL where the goal has units of its own and the data have groups; NEY_EGOAL when no choice
 * of rows can certify the rate. ney_partition_deinit() is due in either case. */
ney_status ney_partition_init(ney_partition *p, const ney_env *env, const ney_data *data,
                              const ney_request *r, ney_error *err);
void ney_partition_deinit(ney_partition *p);

/* How many rows are of a part. */
int64_t ney_partition_count(const ney_partition *p, ney_part part);

/* The rows of one part, ascending; returns their number. @param rows  as many as the data have. */
int64_t ney_partition_rows(const ney_partition *p, ney_part part, int64_t *rows);

/* The rows of one part as data, which belong to the partition; *out is NULL where the part is
 * empty. Refuses rows that are held out though preprocessing was fitted on them. */
ney_status ney_partition_take(ney_partition *p, ney_part part, const ney_data **out,
                              ney_error *err);

#endif
