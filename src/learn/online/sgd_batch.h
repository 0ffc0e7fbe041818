/* Several rows at once through a network whose weights sgd.h keeps.
 *
 * With g_i = df_i/d(w, b) of row i of the batch, all at the weights before it, the step is
 *
 *     w <- (1 - shrink) w + sum_i move_i df_i/dw,   b <- b + sum_i move_i df_i/db       [BATCH.1]
 *
 * and G_ij = g_i'g_j is what a move of row i does to the score of row j as long as the network
 * is as good as linear. With a_l the units of layer l (linalg/network.h) and r_l = df/dz_l, z_l
 * the sums of their inputs, of L layers:
 *
 *     G_ij = 1 + a_Li'a_Lj + sum_l (r_li'r_lj) (a_(l-1)i'a_(l-1)j + 1)                  [BATCH.2]
 *     r_L = w act'(z_L),   r_l = (W_(l+1) r_(l+1)) act'(z_l)                            [BATCH.3]
 *
 * All but G for sparse rows is made of products of matrices. */
#ifndef NEY_LEARN_ONLINE_SGD_BATCH_H
#define NEY_LEARN_ONLINE_SGD_BATCH_H

#include "learn/online/sgd.h"
#include "linalg/rows.h"

/* Which rows of a batch share columns: the entries of each column, from the last to the first. */
typedef struct ney_shared_columns {
    int32_t *last; /* of each column; -1: none */
    int32_t *before, *row;
    float *value;
    int64_t n;
} ney_shared_columns;

typedef struct ney_sgd_batch {
    ney_env env;
    int64_t most, cols; /* capacity in rows */
    int64_t n;          /* rows in it, and where they are */
    ney_row_at *place;
    int64_t n_live; /* of them those that may move, and which they are */
    int64_t *live;
    double *block;         /* one block of memory for what follows */
    double *score;         /* of the rows */
    double *move;          /* of the live ones, as all that follows */
    double *gram;          /* [BATCH.2], most x most: on and above the diagonal */
    double *inner, *outer; /* r_li'r_lj, and a_(l-1)i'a_(l-1)j of l > 1: most x most */
    double *hidden[NEY_MOST_LAYERS], *back[NEY_MOST_LAYERS]; /* a_l and r_l, most x units */
    double *x;                                               /* dense rows: most x cols */
    double *moved;             /* sum_i move_i a_(l-1)i r_li' where it is made in one piece */
    ney_shared_columns shared; /* of sparse rows */
} ney_sgd_batch;

/* @param dense  whether the rows will be. ney_sgd_batch_deinit() is due in either case. */
ney_status ney_sgd_batch_init(ney_sgd_batch *b, const ney_sgd *s, int64_t most, bool dense,
                              ney_error *err);
void ney_sgd_batch_deinit(ney_sgd_batch *b);

/* Add a row; false when it must wait for the next batch. An empty batch accepts any row. */
bool ney_sgd_batch_take(ney_sgd_batch *b, const ney_matrix *x, int64_t row);

/* Scores of the rows taken. */
void ney_sgd_batch_score(ney_sgd_batch *b, const ney_sgd *s);

/* G of the live rows, which the caller has named, ascending. */
void ney_sgd_batch_relate(ney_sgd_batch *b, const ney_sgd *s);

/* [BATCH.1] by b->move, one step of the average; the batch is empty again. */
void ney_sgd_batch_step(ney_sgd_batch *b, ney_sgd *s, double shrink);

/* Empty it without a step. */
void ney_sgd_batch_clear(ney_sgd_batch *b);

#endif
