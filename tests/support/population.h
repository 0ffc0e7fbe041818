/* Finite populations whose rates are known exactly, whatever the score function: rows are drawn
 * with replacement from `n` points of each class, and the true rate of a decision is the share of
 * the points that it misclassifies. No code shared with src/. */
#ifndef TEST_POPULATION_H
#define TEST_POPULATION_H

#include <neyman/experimental.h>

#include "support/random_data.h"

enum { POPULATION_MOST = 600, POPULATION_COLS = 2 };

typedef struct population {
    int n;
    float x[2][POPULATION_MOST * POPULATION_COLS]; /* of the negatives, of the positives */
} population;

/* Negatives N(0, I), positives N((shift, 0), I), n points each. */
population population_new(rnd *r, int n, double shift);

/* Rows drawn from it, the negatives first. Weights, if wanted, are large where the first feature is
 * large: a weighted rate would differ from the rate of rows. */
ney_data *population_draw(const population *p, rnd *r, int64_t n_neg, int64_t n_pos, bool weighted);

typedef struct true_rates {
    double fpr, fnr, rejected_pos; /* shares of the points of a class */
} true_rates;

/* At the model's thresholds. */
true_rates population_rates(const population *p, const ney_model *m);

#endif
