/* Cross-fitting: three folds, each with its fits on the other two, and out-of-fold scores that are
 * comparable between folds. */
#ifndef NEY_LEARN_FDR_CROSS_FITTING_H
#define NEY_LEARN_FDR_CROSS_FITTING_H

#include "base/parallel.h"
#include "data/data.h"
#include "data/groups.h"
#include "learn/fdr/fdr.h"

enum { NEY_FDR_FOLDS = 3 };

typedef struct ney_fdr_fold {
    ney_data *learn;      /* rows of the other folds, in an order that their content determines */
    uint64_t *key;        /* of the rows learned from, or NULL */
    ney_grouping spectra; /* these rows sorted by key */
    ney_fdr f;            /* for fits on them */
    ney_task task;
    double *start; /* scores of the rows learned from, before annealing, for each q */
    ney_model *svm[NEY_MOST_FDR], *feature[NEY_MOST_FDR];
    ney_model *online[NEY_MOST_FDR * NEY_FDR_RESTARTS];
    ney_model *stage[NEY_N_STAGES]; /* the mean of these, scaled */
    ney_train_info info[NEY_MOST_FDR * (NEY_FDR_RESTARTS + 1)];
} ney_fdr_fold;

typedef struct ney_fdr_run {
    ney_env env, inner; /* the caller's, and that of one thread among several */
    ney_relay relay;    /* the caller's poll, for several threads */
    const ney_data *data;
    ney_train_opts o;
    ney_fdr f;     /* for out-of-fold scores */
    uint64_t *key; /* of the rows, or NULL */
    double *start; /* weights of the columns, or NULL */
    ney_stage most;
    int n_folds, restarts;
    ney_fdr_fold fold[NEY_FDR_FOLDS];
    ney_groups groups;
    const char *columns;         /* rows that agree in them are in one fold */
    int *fold_of;                /* of each row */
    int64_t *order, n_order;     /* the rows that may be learned from, ordered by their content */
    double *score[NEY_N_STAGES]; /* out-of-fold */
    double *q;                   /* of the rows */
} ney_fdr_run;

/* Assign the rows to folds; n_folds is 0 where a class is too small. ney_fdr_run_deinit() is due in
 * either case. */
ney_status ney_fdr_run_init(ney_fdr_run *r, ney_error *err);
void ney_fdr_run_deinit(ney_fdr_run *r);

/* Fit every stage in every fold. */
ney_status ney_fdr_fit_folds(ney_fdr_run *r, ney_error *err);

/* alignment.c: the out-of-fold scores of every stage, aligned. */
ney_status ney_fdr_align_folds(ney_fdr_run *r, ney_error *err);

#endif
