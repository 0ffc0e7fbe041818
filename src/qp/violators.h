/* The rows that violate the optimality conditions [QP.2] most. */
#ifndef NEY_QP_VIOLATORS_H
#define NEY_QP_VIOLATORS_H

#include <stdbool.h>
#include <stdint.h>

enum { NEY_MOST_VIOLATORS = 512 }; /* of one search */

typedef struct ney_violator_search {
    const double *up, *down, *f; /* slopes to the right and to the left, and Kv */
    int64_t n;
    bool *in_set; /* rows that are not searched; those found are added */
} ney_violator_search;

/* The worst violators, half of them with the largest up - f above `lowest`, half with the smallest
 * down - f below `highest`: at most `most`, and at most NEY_MOST_VIOLATORS, into `row`. Returns
 * their number. */
int64_t ney_find_violators(const ney_violator_search *q, double highest, double lowest,
                           int64_t most, int64_t *row);

#endif
