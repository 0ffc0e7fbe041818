/* Several methods for one goal, tuned on the same rows, tested on the same rows: on one split, or
 * by cross-validation. */
#ifndef CLI_CONTEST_H
#define CLI_CONTEST_H

#include "result.h"
#include "session.h"

enum {
    MOST_ENTRIES = 16, /* further methods are left out */
    CONTEST_UNITS = 20 /* fewest groups of a class with an interval */
};

typedef struct contest_entry {
    const char *name;
    ney_model *model;
    ney_tune_info info;
    double seconds;
    bool certified;            /* every model */
    ney_counts counts;         /* of the test rows at the models' thresholds */
    ney_roc *roc;              /* of the test rows of one split */
    double *score;             /* of the test rows of one split */
    double *loss;              /* of the rows that are compared in cross-validation */
    ney_difference difference; /* from the first entry: at the matched rate, or of mean losses */
} contest_entry;

typedef struct contest {
    ney_data *train, *test; /* owned */
    int folds;              /* of cross-validation; 0: one split */
    uint64_t *group;        /* of the rows that are compared; NULL: the row is the unit */
    bool out_of_time;       /* a search in a fold */
    bool checking;          /* only options and grids are checked */
    bool bounds;            /* a rate; else costs */
    bool fnr_bounded;       /* the rate is the FNR */
    contest_entry entry[MOST_ENTRIES];
    int n;
} contest;

/* Whether every method takes the options and the grid, before any of them is trained. */
ney_status contest_check(contest *c, session *s, const ney_train_opts *o,
                         const ney_tune_opts *tune);

/* Whether a search ran out of time. */
bool contest_out_of_time(const contest *c);

/* Tune and train all methods, and score the test rows. */
ney_status contest_try(contest *c, session *s, const ney_train_opts *o, const ney_tune_opts *tune);

/* The same, and the differences between them. */
ney_status contest_run(contest *c, session *s, const ney_train_opts *o, const ney_tune_opts *tune);

/* Try all methods in each of the folds of `raw`, whose number c->folds is. What is compared is the
 * error rate that the goal does not bound, or the cost, of the decisions at the models' own
 * thresholds: losses of a row under models that have not seen it. */
ney_status contest_cross_validate(contest *c, session *s, const ney_data *raw, const int *fold_of,
                                  const ney_train_opts *o, const ney_tune_opts *tune, int scale);

/* The loss of one decision. */
double contest_loss(const contest *c, const ney_train_opts *o, int8_t label, bool positive);

/* Options of the bootstrap. */
ney_compare_opts contest_opts(const ney_train_opts *o);
void contest_deinit(contest *c);

/* The chart of --plot; `bound` is that of the rate, where one is bounded. */
ney_status contest_plot(const contest *c, session *s, double bound);

/* The least number of rows of the bounded class among which its quantile lies with a probability of
 * 97.5 %. */
double contest_rows_for_rate(double rate);

/* Why differences have no interval, and methods that exceed the bound. */
void contest_warn(ney_result *root, const contest *c, double rate);

/* The rows that were compared, of `whole`. */
void contest_rows(ney_result *root, const contest *c, const ney_data *whole);

/* One row per method. */
void contest_table(const contest *c, ney_result *methods);

/* Which differences are shown, in one sentence, of at most VERDICT characters. */
enum { VERDICT = 512 };
void contest_verdict(const contest *c, char text[VERDICT]);

#endif
