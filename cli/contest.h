/* Several methods for one goal, tuned on the same rows, tested on the same rows. */
#ifndef CLI_CONTEST_H
#define CLI_CONTEST_H

#include "result.h"
#include "session.h"

enum { MOST_ENTRIES = 16 }; /* further methods are left out */

typedef struct contest_entry {
    const char *name;
    ney_model *model;
    ney_tune_info info;
    double seconds;
    ney_counts counts;         /* of the test rows at the model's threshold */
    ney_roc *roc;              /* of the test rows */
    double *score;             /* of the test rows */
    ney_difference difference; /* from the first entry: at the matched rate, or of mean costs */
} contest_entry;

typedef struct contest {
    ney_data *train, *test; /* owned */
    uint64_t *group;        /* of the test rows; NULL: the row is the unit */
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

/* Tune, train and test all methods. */
ney_status contest_run(contest *c, session *s, const ney_train_opts *o, const ney_tune_opts *tune);
void contest_deinit(contest *c);

/* The chart of --plot; `bound` is that of the rate, where one is bounded. */
ney_status contest_plot(const contest *c, session *s, double bound);

/* One row per method. */
void contest_table(const contest *c, ney_result *methods);

/* Which differences are shown, in one sentence, of at most VERDICT characters. */
enum { VERDICT = 512 };
void contest_verdict(const contest *c, char text[VERDICT]);

#endif
