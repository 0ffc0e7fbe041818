/* The use of each row of a feed: training, validation or the certificate. */
#ifndef NEY_LEARN_ONLINE_PARTS_H
#define NEY_LEARN_ONLINE_PARTS_H

#include "data/feed.h"
#include "learn/request.h"

typedef struct ney_parts {
    ney_env env;
    uint8_t *held;  /* one bit per row: held out for the certificate */
    int64_t n_held; /* rows held out */
    int64_t
        held_of[2];    /* of them negatives and positives: without groups of bounded classes only */
    uint64_t *group;   /* of each row; NULL: each row by itself */
    uint64_t seed;     /* of the rows kept out for checks */
    double share[2];   /* of negatives and positives that are kept out for checks; 0: none, and
                          training rows validate */
    int64_t all[2];    /* rows of each class */
    int64_t learn[2];  /* of them to train on */
    double weight[2];  /* of the training rows */
    int64_t own[2];    /* rows of this process to train on; all counts above are of all processes */
    int64_t first_row; /* of this process, among those of all */
} ney_parts;

/* Refuses data without labels or with one class. NEY_EGOAL when the rate cannot be certified.
 * ney_parts_deinit() is due in either case.
 * @param part_of  the ney_part of each row; NULL: what is held out is drawn here. */
ney_status ney_parts_init(ney_parts *p, const ney_feed *f, const uint8_t *part_of,
                          const ney_request *r, const ney_train_opts *o, ney_error *err);
void ney_parts_deinit(ney_parts *p);

/* Held out for the certificate. */
bool ney_parts_held(const ney_parts *p, int64_t row);

/* Whether a row is of a share of all, determined by its number among all rows: no memory is needed.
 */
bool ney_parts_draw(const ney_parts *p, int64_t row, double share);

/* Held out for validation. */
bool ney_parts_aside(const ney_parts *p, int64_t row, int sign);

static inline bool ney_parts_learn(const ney_parts *p, int64_t row, int sign)
{
    return !ney_parts_held(p, row) && !ney_parts_aside(p, row, sign);
}

#endif
