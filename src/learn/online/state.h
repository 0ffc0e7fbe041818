/* The state of a run: all that a checkpoint keeps beside the weights. */
#ifndef NEY_LEARN_ONLINE_STATE_H
#define NEY_LEARN_ONLINE_STATE_H

#include <stdint.h>

typedef struct ney_online_state {
    int64_t epoch, window, position; /* visits before this one are done */
    int64_t visits;                  /* total */
    int64_t average_restart;         /* visits after which the average of the weights restarts */
    double first_rate, t0;           /* the first learning rate, and t0 of [ONLINE.2] */
    double log_lambda, bounded_loss; /* bounded_loss: R of [ONLINE.3] */
    double n_bounded;                /* visits in it, at most the length of its memory */
    double best_merit;               /* the best validation so far, of best_epoch */
    double best_lambda;
    int64_t best_epoch, n_checks;
    double scale, mass, count; /* of the weights: see ney_sgd */
    int64_t processes, round;  /* of several processes: rounds of this epoch that are done */
    double share;              /* in a checkpoint: of the visits of this epoch, those done */
} ney_online_state;

#endif
