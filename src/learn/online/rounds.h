/* Online training by several processes, each on its part of the rows. An epoch has n rounds. In
 * round j process p makes the visits j v_p / n .. (j + 1) v_p / n of its v_p in an epoch, from the
 * same weights as the others; then all N processes meet. With V = sum_p v_p,
 *
 *     w <- sum_p (v_p / V) w_p, the same for b                                          [ROUND.1]
 *     w <- w + sum_p (w_p - w) / s, s = (1 + N) / 2, for dual coordinates: a visit of theirs
 *                            moves w_p by s times what alpha does, and w = sum_i alpha_i y_i phi_i
 *                            stays true                                                 [ROUND.2]
 *
 * The learning rate falls with the visits of all. lambda moves by the sum of its moves, and its
 * mean loss is that of the visits of all. Sums are made in a fixed order: results depend on the
 * number of processes, and on nothing else. Averages of the weights are joined, and a run stops or
 * writes a checkpoint, after every eighth round. */
#ifndef NEY_LEARN_ONLINE_ROUNDS_H
#define NEY_LEARN_ONLINE_ROUNDS_H

#include "comm/comm.h"
#include "learn/online/state.h"

struct ney_online;

typedef struct ney_rounds {
    const ney_comm *comm;   /* NULL: one process, for which there are no rounds */
    int64_t n;              /* of an epoch */
    int64_t visits;         /* of this process in an epoch */
    double share;           /* of these in all: v_p / V */
    int64_t done;           /* of them, visits of this process in this epoch */
    int64_t bounded;        /* visits to the bounded class since the last meeting */
    double *buffer;         /* what is sent, and as much that is received */
    float *start;           /* weights of dual coordinates at the last meeting */
    ney_online_state begin; /* the state at the last meeting */
} ney_rounds;

/* After the learner and the state; ney_rounds_deinit() is due in either case. */
ney_status ney_rounds_init(struct ney_online *r, ney_error *err);
void ney_rounds_deinit(struct ney_online *r);

/* How many times as slow epochs are as those of one process: s of [ROUND.2] where dual coordinates
 * are visited, the same for networks, and 1 for linear models. */
double ney_rounds_slowness(const struct ney_online *r);

/* Visits up to the next meeting. */
int64_t ney_rounds_left(const struct ney_online *r);

/* n more visits are done. Meet where it is time to. */
void ney_rounds_count(struct ney_online *r, int64_t n);

/* The weights of all processes, those of this one with its share, become one. */
void ney_rounds_join_weights(struct ney_online *r, double share);

/* An epoch begins, or goes on from a checkpoint. Returns how many of this process's visits are to
 * be passed over, from its first window on. */
int64_t ney_rounds_begin_epoch(struct ney_online *r);
void ney_rounds_end_epoch(struct ney_online *r);

/* Of the visits of this epoch, those that are done. */
double ney_rounds_share(const struct ney_online *r);

#endif
