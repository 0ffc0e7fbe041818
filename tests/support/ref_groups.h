/* Slow, plain answers about rows in groups: every threshold by itself, every capital in long
 * double. No code shared with src/. */
#ifndef TEST_REF_GROUPS_H
#define TEST_REF_GROUPS_H

#include "support/random_data.h"

/* The mean over groups of the share of their rows with a score above t. */
double ref_group_rate(const double *score, const uint64_t *group, int64_t n, double t);

/* The smallest score T such that at T and at every larger score the betting test rejects "the mean
 * over groups of the share above it exceeds max_rate" at level delta; INFINITY when there is none.
 * *slack is the relative distance from 1 / delta of the capital that came nearest to it. */
double ref_group_bet(const double *score, const uint64_t *group, int64_t n, double max_rate,
                     double delta, long double *slack);

/* The umbrella rule on one row per group, drawn as the program draws it: T. */
double ref_group_draw(const double *score, const uint64_t *group, int64_t n, double max_rate,
                      double delta);

/* Distinct groups. */
int64_t ref_group_count(const uint64_t *group, int64_t n);

/* Scores with a random effect per group: u + e, u normal with deviation `effect`, e standard
 * normal. Sizes are 1 to `most` and, with `informative`, larger where u is larger. Returns rows. */
typedef struct random_effects {
    double effect;
    int64_t groups, most;
    bool informative;
    double step; /* scores are rounded to multiples of it; 0: they are not */
} random_effects;
int64_t draw_effects(rnd *r, const random_effects *e, double *score, uint64_t *group);

/* The mean over groups of P(score > t), the truth for draw_effects(). */
double effects_rate(const random_effects *e, double t);

double rnd_normal(rnd *r);

#endif
