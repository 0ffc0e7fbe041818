/* Jobs of a search that several processes work on (adr 0110). Each has all rows. The first process
 * hands out jobs in ascending order, to the others when they ask, with what they have found so far,
 * and to itself. It keeps the table; at the end of a round all know the same results. */
#ifndef NEY_SELECT_JOB_SHARE_H
#define NEY_SELECT_JOB_SHARE_H

#include "comm/comm.h"
#include "select/tuner.h"

/* What another process than the first has found. */
typedef struct ney_job_result {
    int64_t point;
    ney_fold_result result;
} ney_job_result;

typedef struct ney_job_share {
    ney_tuner *t;
    const ney_comm *comm;
    int64_t n, next;       /* jobs; of the first process: the next to hand out */
    int n_asking;          /* of the first: processes that have not heard that there are no more */
    ney_job_result *found; /* of the others: what has not been sent yet */
    int64_t n_found, cap;
} ney_job_share;

void ney_job_share_init(ney_job_share *s, ney_tuner *t, int64_t n);

bool ney_job_share_is_first(const ney_job_share *s);

/* Take at most `most` jobs from *first on; returns how many, 0 when there are no more. */
int64_t ney_job_share_take(ney_job_share *s, int64_t most, int64_t *first);

/* Another process than the first has found a result; under the lock of the tuner. */
ney_status ney_job_share_report(ney_job_share *s, int64_t point, const ney_fold_result *r,
                                ney_error *err);

/* The first process answers those that ask; from time to time, on the thread that communicates. */
void ney_job_share_serve(ney_job_share *s);

/* After the last job, on all processes: results, failure and end are those of the first. */
ney_status ney_job_share_finish(ney_job_share *s, ney_error *err);

/* Before the search, on all processes: they must have the same rows and options, and get the
 * results that the table of the first has. */
ney_status ney_job_share_begin(ney_tuner *t, const char *table, uint64_t key, bool fresh,
                               ney_error *err);

#endif
