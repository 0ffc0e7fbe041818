/* Slow, plain answers about scores: each definition by itself, in long double, all pairs or all
 * thresholds at a time. No code shared with src/. */
#ifndef TEST_REF_DECIDE_H
#define TEST_REF_DECIDE_H

#include "support/random_data.h"

/* Scores with their true labels, +1 or -1. */
typedef struct ref_scores {
    const double *score;
    const int8_t *label;
    int64_t n;
} ref_scores;

/* How many of the class `sign` score at least t. */
int64_t ref_at_least(const ref_scores *s, int sign, double t);

/* The area by counting all pairs; NAN without both classes. */
double ref_auc(const ref_scores *s);

/* DeLong's standard error from the placements of all rows; needs two rows a class. */
double ref_delong(const ref_scores *s);

/* The area for false-positive rates up to `max_fpr` <= 1, negative after negative. */
double ref_partial_auc(const ref_scores *s, double max_fpr);

/* The q-value of one row: the lowest rate over all thresholds that accept it. `competed`: the rows
 * are winners of a competition of each target with one decoy; else false targets are to decoys as
 * all targets are to all decoys. */
double ref_qvalue(const ref_scores *s, int64_t row, bool per_all, bool competed, bool plus_one);

/* P(Binomial(n, p) = k), for n up to a few thousand. */
long double ref_binomial(int64_t k, int64_t n, long double p);

/* The k of the published rule: the least k with sum_{j >= k} C(n, j) (1-a)^j a^(n-j) <= delta, n +
 * 1 when there is none. *slack is the relative distance of the nearest sum from delta. */
int64_t ref_umbrella_rank(int64_t n, long double a, long double delta, long double *slack);

/* Labels at random, and scores: few or many different ones, at times infinite, tiny, or zeros of
 * both signs. Both classes are there when n >= 2. */
void random_scores(rnd *r, double *score, int8_t *label, int64_t n);

#endif
