/* Several methods for one goal, tuned on the same rows, tested on the same rows. */
#ifndef CLI_CONTEST_H
#define CLI_CONTEST_H

#include "json.h"
#include "session.h"

enum { MOST_ENTRIES = 6 };

typedef struct contest_entry {
    const char *name;
    ney_model *model;
    ney_tune_info info;
    double seconds;
    ney_counts counts; /* of the test rows at the model's threshold */
    ney_roc *roc;      /* of the test rows */
    double *loss;      /* of each test row that counts: an error at the matched rate, or a cost */
    double mean;       /* of loss */
    double difference, low, high; /* from the first entry, with its 95 % interval */
} contest_entry;

typedef struct contest {
    ney_data *train, *test; /* owned */
    bool bounds;            /* a rate; else costs */
    double scale;           /* the largest difference that one row can make */
    contest_entry entry[MOST_ENTRIES];
    int n;
    int64_t n_loss; /* rows that count: those of the free class, or all */
} contest;

/* Tune, train and test all methods. */
ney_status contest_run(contest *c, session *s, const ney_train_opts *o, const ney_tune_opts *tune);
void contest_deinit(contest *c);

/* A line a method. */
void contest_table(const contest *c, cJSON *methods);

/* One sentence. */
const char *contest_verdict(const contest *c);

#endif
