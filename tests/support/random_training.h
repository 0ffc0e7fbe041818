/* Random training runs: awkward data x random options, one seed for one run. Shares no code with
 * src/. */
#ifndef TESTS_SUPPORT_RANDOM_TRAINING_H
#define TESTS_SUPPORT_RANDOM_TRAINING_H

#include <neyman/experimental.h>

typedef struct random_training {
    int64_t seed;
    int64_t rows, cols;
    bool is_sparse, is_weighted;
    ney_missing missing; /* what becomes of cells that are NaN; NEY_MISSING_ERROR: there are none */
    float *x;            /* rows x cols; owned, and so are the next two */
    float *weight;
    int8_t *label;
    int scaling; /* ney_scaling, fitted on the rows that are learned from */
    ney_train_opts opts;
    char max_fdr[32];
} random_training;

/* Runs with seeds from here on also have missing cells, all scalings, trees, the method ramp and
 * more linear fits of 200 to 1000 rows. Earlier seeds repeat what was found with them. */
enum { RANDOM_TRAINING_WIDE = 4000000 };

/* The run of a seed. Three quarters have up to 60 rows and 20 columns, some have 1000 rows or 300
 * columns, some have no column, one row or one class. */
void random_training_init(random_training *t, int64_t seed);
void random_training_free(random_training *t);

/* The data of the run, not scaled. */
ney_status random_training_data(const random_training *t, const ney_env *env, ney_data **out,
                                ney_error *err);

/* One line for a person: sizes and options that differ from the defaults. */
void random_training_describe(const random_training *t, char *to, size_t size);

#endif
