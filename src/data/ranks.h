/* Empirical distribution functions of columns: the map of --scale rank. */
#ifndef NEY_DATA_RANKS_H
#define NEY_DATA_RANKS_H

#include "base/env.h"
#include "base/fields.h"
#include "base/text.h"

/* The knots of column c are the n[c] from first[c] on: stored values, strictly ascending, and
 * their mid-ranks, ascending in [0, 1]. A column without knots is not ranked.
 *
 *     mid-rank of x = (share of values below x) + (share of values equal to x) / 2
 *
 * linear between knots, constant beyond the first and the last. */
typedef struct ney_ranks {
    ney_env env;
    int64_t cols, n_knots, value_cap, rank_cap;
    int64_t *first, *n;
    double *value, *rank;
} ney_ranks;

/* No knots for `cols` columns; NULL without memory. */
ney_ranks *ney_ranks_new(const ney_env *env, int64_t cols);
ney_ranks *ney_ranks_copy(const ney_ranks *from, const ney_env *env); /* the same */
void ney_ranks_free(ney_ranks *r);

/* More columns, without knots; false without memory, and nothing has changed. */
bool ney_ranks_extend(ney_ranks *r, int64_t cols);

/* A knot of column c, which is the last with knots so far; false without memory. */
bool ney_ranks_add(ney_ranks *r, int64_t c, double value, double rank);

static inline bool ney_ranks_has(const ney_ranks *r, int64_t c)
{
    return r && r->n[c] > 0;
}

/* The mid-rank of x in column c, which has knots; NaN for NaN. */
double ney_ranks_of(const ney_ranks *r, int64_t c, double x);

/* A value of that mid-rank: the inverse between the first knot and the last. */
double ney_ranks_value(const ney_ranks *r, int64_t c, double rank);

/* One line "rank COLUMN VALUE RANK VALUE RANK ..." per ranked column, columns counted from 1. */
void ney_ranks_format(const ney_ranks *r, ney_text *text);

/* Those lines, if there are any; NULL otherwise, and after a failure, which `fields` holds. */
ney_ranks *ney_ranks_parse(ney_fields *fields, int64_t cols);

#endif
