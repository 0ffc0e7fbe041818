/* Random features with the ramp loss, by dual coordinates. Multiplied by C W, [ONLINE.1] is
 *
 *     |w|^2 / 2 + sum_i U_i 2 eta r(z_i),   U_i = C weight_i / (2 eta), times lambda W / V in the
 *                                           bounded class, V its weight                   [DUAL.1]
 *
 * and w = sum_i alpha_i y_i phi_i. While the clipped rows stay the same, the best alpha_i
 * for all others fixed is known: a visit makes
 *
 *     alpha_i <- min(U_i, max(0, alpha_i + (eta - z_i) / (|phi_i|^2 + 1))),  |phi_i| = 1 [DUAL.2]
 *
 * and 0 where the row is clipped; there is no learning rate. The intercept is the weight of a
 * feature that is 1. Clipped are rows that the mean of w over the last epochs misclassifies by more
 * than eta. A row with a large margin and alpha_i = 0 changes nothing: it is skipped, every other
 * epoch or more.
 *
 * Where P = A on the validation rows, the slope of the ROC curve is the ratio of the two
 * classes' densities within eta of the intercept: lambda follows it from epoch to epoch [DUAL.3]
 */
#ifndef NEY_LEARN_ONLINE_DUAL_COORDINATES_H
#define NEY_LEARN_ONLINE_DUAL_COORDINATES_H

#include "base/env.h"

struct ney_online;
struct ney_window;

/* One block of memory, which a checkpoint keeps as it is. */
typedef struct ney_dual {
    char *block;
    int64_t fixed;   /* bytes of it before alpha */
    int64_t n;       /* features; the intercept comes behind them */
    double *sum;     /* of w over the visits of the epoch; how many, behind the intercept */
    float *w, *mean; /* mean: of the last epochs, the last one for half */
    float *alpha;    /* of all rows of this process; -k: 0, and visited in one epoch of k */
} ney_dual;

/* Whether a run is one for dual coordinates: random features, a bounded rate, the ramp, from the
 * beginning, and no more rows than alpha may take memory for. */
bool ney_dual_suits(const struct ney_online *r);

ney_status ney_dual_init(ney_dual *d, const ney_env *env, int64_t n, int64_t rows, ney_error *err);
void ney_dual_deinit(ney_dual *d, const ney_env *env);

/* Whether the bytes of a block, from a file, are such as a run leaves behind; alpha may be of more
 * rows. */
bool ney_dual_fits(const ney_dual *d, int64_t bytes, const char *block);

/* Learn from the next rows of a window, from r->state.position up to `end`. */
void ney_dual_learn(struct ney_online *r, const struct ney_window *w, int64_t end);

/* An epoch is over. */
void ney_dual_turn(ney_dual *d, int64_t epoch);

/* The mean of the visits since the last epoch's end; where there are none, that of the last
 * epochs. */
void ney_dual_average(const ney_dual *d, double *w, double *b);

/* The slope of the ROC curve where P = A on the validation rows, `shift` being added to their
 * scores [DUAL.3]. */
double ney_online_slope(const struct ney_online *r, double shift);

/* lambda after a check, the scores of which are r->validation.score: P = A where `shift` is added
 * to them. */
void ney_dual_follow(struct ney_online *r, double shift);

#endif
