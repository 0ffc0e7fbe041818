/* Passes over the scores of all rows but those held out for the certificate. Scores of up to 2^20
 * rows are kept; beyond that every pass computes them again, so that memory does not grow with the
 * rows. */
#ifndef NEY_LEARN_ONLINE_SCORE_PASS_H
#define NEY_LEARN_ONLINE_SCORE_PASS_H

#include "learn/online/online.h"

typedef struct ney_score_pass {
    const ney_online *run;
    const ney_model *model;
    double *score;  /* of all rows, or of one chunk */
    bool keeps_all; /* which of the two */
    bool is_scored; /* with keeps_all: the scores are known */
} ney_score_pass;

typedef void ney_score_visitor(void *context, double score, int sign, double weight);

/* ney_score_pass_deinit() is due after success. */
ney_status ney_score_pass_init(ney_score_pass *p, const ney_online *run, ney_error *err);
void ney_score_pass_deinit(ney_score_pass *p);

/* Call visit() for every row. */
ney_status ney_score_pass_run(ney_score_pass *p, ney_score_visitor *visit, void *context,
                              ney_error *err);

/* As ney_threshold_set(): the threshold that keeps the rate of the bounded class. */
ney_status ney_score_pass_threshold(ney_score_pass *p, double *threshold, ney_error *err);

#endif
