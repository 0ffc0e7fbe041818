/* The results of a run as a tree of named values: the one result of fitting, tuning and updating.
 */
#ifndef NEY_LEARN_SUMMARY_H
#define NEY_LEARN_SUMMARY_H

#include "base/env.h"
#include "learn/request.h"

typedef struct ney_run {
    const ney_env *env;
    const ney_data *data; /* all rows, those held out included; NULL: not in memory */
    const ney_model *model;
    const ney_train_opts *opts;
    ney_request request; /* of these options */
    const ney_train_info *info;
    const ney_result *steps; /* an array */
    bool recount;            /* the threshold is another than the one of training */
    const ney_counts *valid; /* of rows that were not learned from; NULL: none */
} ney_run;

/* A step of a learner, for the caller's callback and for the result. */
void ney_report_step(const ney_env *env, const ney_step *step);

/* What is certified, if anything. */
ney_guarantee ney_run_guarantee(const ney_run *r);

/* Add what is certified of a bounded rate, or warn that nothing is. */
void ney_run_certificate(ney_result *root, const ney_run *r);

/* Add the headline. @param counts  of the rows that were learned from. */
void ney_run_headline(ney_result *root, const ney_run *r, const ney_counts *counts);

ney_status ney_run_result(ney_result **out, const ney_run *r, ney_error *err);

#endif
