/* Rows with labels and scores, shared by several commands. */
#ifndef CLI_LABELLED_H
#define CLI_LABELLED_H

#include "result.h"
#include "session.h"

typedef struct class_counts {
    int64_t pos, neg;
} class_counts;

/* Rows of either class; zeros when there are no labels. */
class_counts count_classes(const ney_data *data);

/* The same of all processes that the session is shared by. */
class_counts count_all_classes(const session *s, const ney_data *data);

/* Read a file beside the first, such as validation rows: its features are those of the first, which
 * the options described. */
ney_status read_more(session *s, const char *path, const ney_preprocessing *preprocessing,
                     ney_data **data);

/* Report that `path` has no labels, and how to state them; returns the exit code.
 * `own_columns`: the data know the columns of the file, not those of a model. */
int refuse_unlabelled(session *s, const char *path, const ney_data *data, bool own_columns);

/* Report rows without labels or of one class; returns the exit code. */
int check_both_classes(session *s, const char *path, const ney_data *data);

/* Read rows with the preprocessing of `like`; both classes must be there. What is wrong is
 * reported; returns the exit code. *data is the caller's to free in either case. */
int read_both_classes(session *s, const char *path, const ney_data *like, ney_data **data);

/* Whether two words name one label: as text, or as numbers such as 1 and +1. */
bool same_label(const char *a, const char *b);

/* Whether a class is the positive one without --positive: the larger number, or the larger text. */
bool is_larger_label(const char *a, const char *b);

/* Refuse --positive where it is not the positive class of the model; returns the exit code. */
int check_positive(session *s, const ney_model *model);

/* Refuse scores that are not finite, of n rows after `before` others of the file; returns the exit
 * code. */
int refuse_infinite(session *s, const double *score, int64_t n, int64_t before, const char *path);

/* Say how many rows were scored by fold models, unless none was. */
void say_folds(session *s, int64_t out_of_fold, int64_t rows);

/* A model and the data it is to be used on, brought to the model's features. */
typedef struct scored {
    ney_model *model;
    ney_data *data;
    double *score;
    double low, high;    /* the model's thresholds */
    bool in_sample;      /* the model was trained on these rows, and has no folds */
    bool partly_seen;    /* some of them were used in training, and none is scored out of fold */
    int64_t out_of_fold; /* rows scored by the fold model that has not seen them */
    bool has_reuse;      /* the model has a fingerprint of its training rows, and says */
    ney_reuse reuse;     /* this */
} scored;

/* Read both and score; rows that a model with folds was trained on are scored by the fold model
 * that has not seen them. What is wrong is reported, a score that is not finite included; returns
 * the exit code. scored_deinit() is due in either case. */
int scored_read(scored *out, session *s, const char *model, const char *data);
/* The same for a model that is there: out->model, the rest zeroed. */
int scored_fill(scored *out, session *s, const char *data);
void scored_deinit(scored *s);

/* Warn where rows that should be new repeat those of `training`, of the same preprocessing. What
 * fails is left in s->err. */
ney_status warn_shared(session *s, ney_result *root, const ney_data *training, const ney_data *rows,
                       const char *what, const char *use);

/* The number of rows that were used in training, 0 where chance explains those that repeat. */
int64_t count_reused(const ney_reuse *reuse);

#endif
