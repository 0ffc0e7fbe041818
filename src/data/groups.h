/* Rows that belong together, such as the matches of one spectrum, dealt out to parts: what is
 * learned from some of them says more of the others than of rows to come, so that all of a group
 * are held out at once. */
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
 * data name peptides and no chain of them joins more than half a part. Groups that hold as many
 * rows of either class are dealt in turns, so that parts are alike; neither the order of rows nor
 * that of columns' values shows. ney_groups_deinit() is due in either case.
 * @param[out] part_of  of each row. */
ney_status ney_groups_deal(ney_groups *g, const ney_data *data, const char *columns, int n_parts,
                           uint64_t seed, int *part_of, ney_error *err);
void ney_groups_deinit(ney_groups *g);

#endif
