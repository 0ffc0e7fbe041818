/* Rows that belong together, such as the matches of one spectrum, assigned to parts: rates of a
 * model that is trained on some of them are optimistic on the others, so that a group is held out
 * as a whole. */
#ifndef NEY_DATA_GROUPS_H
#define NEY_DATA_GROUPS_H

#include "base/env.h"

enum { NEY_MOST_PARTS = 255 };

typedef struct ney_groups {
    ney_env env;
    uint64_t *key; /* of each group, ascending */
    uint8_t *part; /* of each group */
    int64_t n;
} ney_groups;

/* Rows of one key, made of these columns as by ney_data_keys() (NULL: by ney_data_groups()), go to
 * the same part. With columns, which name spectra, so do spectra that share a peptide, where the
 * data name peptides (`peptide`: their column; NULL: Peptide) and no chain of them joins more than
 * half a part. Groups that hold as many rows of either class are dealt in turns, so that parts are
 * alike; neither the order of rows nor that of columns' values shows. ney_groups_deinit() is due in
 * either case.
 * @param[out] part_of  of each row. */
ney_status ney_groups_deal(ney_groups *g, const ney_data *data, const char *columns,
                           const char *peptide, int n_parts, uint64_t seed, int *part_of,
                           ney_error *err);
void ney_groups_deinit(ney_groups *g);

#endif
