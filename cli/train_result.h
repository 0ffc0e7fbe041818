/* What `train`, `tune` and `update` report about a run. */
#ifndef CLI_TRAIN_RESULT_H
#define CLI_TRAIN_RESULT_H

#include "guarantee.h"
#include "result.h"
#include "session.h"

typedef struct train_result {
    const ney_data *data; /* as read, rows held out included; NULL: not in memory */
    const ney_model *model;
    const ney_train_opts *opts;
    const ney_train_info *info;
    const char *output;
    const ney_result *steps; /* an array */
    bool recount;            /* the threshold is another than the one of training */
    const ney_counts *valid; /* of rows that were not learned from; NULL: none */
} train_result;

/* The outer steps of a run as a JSON array; `user` of the callback is a step_list. */
typedef struct step_list {
    session *s;
    ney_result *holder,
        *steps; /* the array is a member of the holder, which is the caller's to free */
} step_list;

/* The session's environment, with the steps gathered in *list. */
ney_env step_list_env(step_list *list, session *s);

/* All of it as an object, which is the caller's. */
ney_status train_facts(session *s, const train_result *r, ney_result **facts);

/* Print it all. */
ney_status train_tell(session *s, const train_result *r);

/* What is certified, if anything. */
guarantee train_guarantee(const train_result *r);

/* Messages on whether the bound holds, and on which rows, for runs whose result is not text on
 * standard output. */
void train_say_bound(session *s, const train_result *r);

#endif
