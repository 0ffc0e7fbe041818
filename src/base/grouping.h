/* Rows sorted by group. A group is the set of rows with equal keys. */
#ifndef NEY_BASE_GROUPING_H
#define NEY_BASE_GROUPING_H

#include "base/env.h"

typedef struct ney_grouping {
    ney_env env;
    int64_t n;      /* groups, in ascending order of their keys */
    int64_t *begin; /* n + 1 offsets into `row` */
    int64_t *row;   /* rows of a group in ascending order */
} ney_grouping;

/* ney_grouping_deinit() is due in either case. */
ney_status ney_grouping_init(ney_grouping *g, const ney_env *env, const uint64_t *key, int64_t rows,
                             ney_error *err);
void ney_grouping_deinit(ney_grouping *g);

/* Rows in group k. */
static inline int64_t ney_grouping_size(const ney_grouping *g, int64_t k)
{
    return g->begin[k + 1] - g->begin[k];
}

#endif
