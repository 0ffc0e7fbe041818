/* Gradient boosting through libxgboost: the library grows trees from gradients that are given to it
 * and nothing else. Its errors are values, its messages are dropped.
 *
 * The library is loaded at the first use: a program that does not train trees does not need it. */
#ifndef NEY_LEARN_TREES_BOOSTER_H
#define NEY_LEARN_TREES_BOOSTER_H

#include "learn/task.h"
#include "model/trees.h"

/* How trees grow. */
typedef struct ney_booster_shape {
    int64_t depth;
    double learning_rate, min_child, penalty; /* penalty: L2, of the values of leaves */
} ney_booster_shape;

/* Rows of a matrix: learned from, and held out. */
typedef struct ney_booster_rows {
    const int64_t *learn, *held;
    int64_t n_learn, n_held;
} ney_booster_rows;

/* One booster. It runs on one thread, the caller's: boosters run side by side. */
typedef struct ney_booster {
    ney_env env;
    const struct ney_xgboost *library;
    void *matrix[2], *handle; /* matrix: of the rows learned from, and of those held out */
    int64_t rows[2], cols;
    int64_t rounds; /* so far */
} ney_booster;

/* Whether the rows can be stored dense, as the library takes them.
 * @retval NEY_EINVAL  they are too many. */
ney_status ney_booster_check_size(const ney_task *t, int at_once, ney_error *err);

/* Missing values are NaN. ney_booster_deinit() is due in either case.
 * @retval NEY_EINVAL  the library is not installed. */
ney_status ney_booster_init(ney_booster *b, const ney_env *env, const ney_matrix *x,
                            const ney_booster_rows *rows, const ney_booster_shape *shape,
                            ney_error *err);
void ney_booster_deinit(ney_booster *b);

/* One tree more. A row learned from whose gradient and curvature are 0 has no
 * part in it. */
ney_status ney_booster_add_tree(ney_booster *b, float *gradient, float *curvature, ney_error *err);

/* The sums of all trees so far of the rows learned from (part 0) or held out (part 1), in order;
 * valid until the next call for any part. */
ney_status ney_booster_scores(ney_booster *b, int part, const float **score, ney_error *err);

/* The first n trees as the model stores them, finished, with intercept 0. */
ney_status ney_booster_trees(ney_booster *b, int64_t n, ney_trees **out, ney_error *err);

/* The same from the library's text; the part that tests reach. `length` bytes and a NUL. */
ney_status ney_booster_parse(ney_trees **out, const ney_env *env, const char *text, int64_t cols,
                             int64_t n, ney_error *err);

#endif
