/* Boosted trees for a task: rows are assigned to folds, one booster per fold learns from the others
 * and is stopped by the loss of the fold that it is not trained on, and the model is their mean.
 * Every row has an out-of-fold score, by which scores are calibrated.
 *
 * Boosters run side by side, each on one thread: what one finds depends on its fold alone. */
#ifndef NEY_LEARN_TREES_BOOSTING_H
#define NEY_LEARN_TREES_BOOSTING_H

#include "base/parallel.h"
#include "learn/trees/booster.h"

enum { NEY_TREES_AUTO = -1, NEY_BOOST_FOLDS = 5 };

/* What is common to all boosters of a run. */
typedef struct ney_boost {
    ney_task *t;
    ney_env inner; /* of boosters, on any thread */
    ney_relay relay;
    ney_booster_shape shape;
    int64_t most_rounds;
    bool stops_early; /* rounds are chosen by the held-out loss */
    int n_folds;      /* 1: nothing is held out */
    int at_once;      /* folds that are fitted side by side */
    double began;     /* seconds of the task */
    int *fold_of;     /* of each row */
} ney_boost;

/* ney_boost_deinit() is due in either case; the run must stay where it is. */
ney_status ney_boost_init(ney_boost *b, ney_task *t, ney_error *err);
void ney_boost_deinit(ney_boost *b);

/* The loss that boosters lower. */
typedef struct ney_boost_loss {
    double weight[2];   /* of a negative and of a positive row */
    bool is_lagrangian; /* the logistic loss first, then [NP.2] under the sigmoid loss */
} ney_boost_loss;

/* One booster for each fold, and what they find. */
typedef struct ney_committee {
    ney_boost_loss loss;
    double *score; /* of each row, out of its fold */
    ney_trees *trees[NEY_BOOST_FOLDS];
    ney_stop stop[NEY_BOOST_FOLDS]; /* NEY_STOP_CONVERGED: nothing stopped it */
    int64_t rounds[NEY_BOOST_FOLDS];
    double lambda[NEY_BOOST_FOLDS]; /* the last multiplier; NAN: none */
} ney_committee;

ney_status ney_committee_init(ney_committee *c, const ney_boost *b, const ney_boost_loss *loss,
                              ney_error *err);
void ney_committee_deinit(ney_committee *c, const ney_boost *b);

/* ney_committee_init(), and all boosters side by side. */
ney_status ney_committee_fit_all(ney_committee *c, const ney_boost *b, const ney_boost_loss *loss,
                                 ney_error *err);

/* The mean of the boosters; its scores are log-odds where it is calibrated. */
ney_status ney_committee_mean(ney_trees **out, const ney_committee *c, const ney_boost *b,
                              bool calibrates, ney_error *err);

/* One booster on all folds but `fold`. A stop is no failure: the trees so far are kept. */
ney_status ney_committee_fit(ney_committee *c, const ney_boost *b, int fold, ney_error *err);

/* The slope and intercept that minimise the logistic loss of the out-of-fold scores. */
void ney_committee_calibrate(const ney_committee *c, const ney_boost *b, double *slope,
                             double *shift);

/* Boosters that were stopped make the run a stopped one. */
ney_train_info ney_committee_info(const ney_committee *c, const ney_boost *b);

/* Refuse a method of trees without trees. */
ney_status ney_trees_check_family(const ney_request *r, ney_error *err);

/* ---- gradients (gradients.c) */

/* Rows and the loss on them, while a booster learns. */
typedef struct ney_boost_state {
    const ney_task *t;
    const ney_boost_loss *loss;
    const int64_t *row; /* those learned from, then those held out */
    int64_t n_learn, n_held;
    double sum[2]; /* of the weights of the rows learned from, by class */
    double intercept;
    bool is_sharp; /* under the sigmoid loss, with */
    double lambda, threshold;
    uint64_t seed; /* of the rows that a round takes */
} ney_boost_state;

/* Of the rows learned from at their scores f (NULL: 0) without the intercept. */
void ney_boost_gradients(const ney_boost_state *s, const float *f, float *gradient,
                         float *curvature);

/* The mean logistic loss of the rows held out. */
double ney_boost_held_out_loss(const ney_boost_state *s, const float *f);

static inline double ney_boost_weight(const ney_boost_state *s, int64_t row)
{
    return s->loss->weight[s->t->label[row] > 0] * ney_task_weight(s->t, row);
}

#endif
