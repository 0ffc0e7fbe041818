/* Shared by the commands that train. */
#ifndef CLI_LEARNING_H
#define CLI_LEARNING_H

#include "session.h"

typedef struct model_args {
    const char *output;
    int scale; /* see learning_scaling() */
    const char *protein;
} model_args;

/* --scale, as a row of options. */
#define SCALE_ROW(at)                                                                              \
    {                                                                                              \
        "scale", 0, NEY_KIND_CHOICE, at, 0, 0, 0, "HOW",                                           \
            "default none standard minmax unit rank asinh auto",                                   \
            "scaling of the features, stored in the model; auto: per column standard, asinh or "   \
            "rank, by correlation with the labels; default: standard for tables, none otherwise"   \
    }

/* Headings of help: for --scale in a command's own options, and for training. */
extern const option_topic scale_topics[], learning_topics[];

extern const option_set model_options;    /* model_args */
extern const option_set learning_options; /* ney_train_opts */

/* Whether the goal is a bounded FDR, for rules of options. */
bool learning_has_fdr(const invocation *call);

/* Whether 'neyman train' with these options chooses C, which is not given: one certified rate and
 * nothing else that says how the score function is to be found. */
bool learning_chooses(const session *s);

/* Check options and output before data are read; returns the exit code. */
int learning_begin(session *s);

/* Read the first operand as training does, and check that a model can be trained on it. What is
 * wrong is reported; returns the exit code. *data is the caller's to free in either case.
 * @param others  the rows are for models of other families too: missing cells are kept only where
 *                the user says so. */
int learning_read_rows(session *s, bool others, ney_data **data);

/* Read the first operand, check that a model can be trained on it and say which class is positive.
 * What is wrong is reported; returns the exit code. *data is the caller's to free in either case.
 */
int learning_read(session *s, ney_data **data);

/* Both classes must be there, and the user must see which one is positive; returns the exit code.
 */
int learning_check(session *s, const char *path, const ney_data *data);

/* Refuse --missing keep; returns the exit code. */
int learning_check_missing(session *s);

/* The scaling that --scale selects for these data. */
ney_scaling learning_scaling(int scale, const ney_data *data);

/* Report why training failed; where there were too few rows for a certificate, with the number
 * needed and the command for 'plan'. Returns the exit code. */
int learning_refuse(session *s, ney_status st);

/* Which rows of `whole`, given by their places, features may be scaled by: what certifies must not
 * shape them. Replaces *n of `rows` by these. */
ney_status learning_rows_to_fit(session *s, const ney_data *whole, const ney_train_opts *o,
                                int64_t *rows, int64_t *n);

/* A fit by named options. */
typedef struct learning_run {
    ney_options *options;
    ney_model *model;
    ney_result *result;
} learning_run;

/* Begin with the options of the command line; what fails is left in s->err. learning_finish() is
 * due in either case. */
ney_status learning_start(learning_run *run, session *s);
/* The end of a fit of status `st`: write the model to `path`, print the result and free all.
 * Returns the status of the whole. */
ney_status learning_finish(learning_run *run, session *s, ney_status st, const char *path);

/* How a run stopped, by a text of its result. */
ney_stop learning_stop(const ney_result *result, const char *key);

/* The exit code of a run that left a model in `path`. */
int learning_exit(session *s, ney_stop stop, const char *path);

#endif
