/* Exact solution paths in the plane of costs, and exploring that plane. */
#ifndef NEYMAN_PATH_H
#define NEYMAN_PATH_H

#include <neyman/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The solution of the cost SVM is piecewise affine along every straight line in the plane of the
 * costs (C+, C-): a path is a set of lines, each known at all of its points by its breakpoints. No
 * model is trained twice, and none is approximate. Mathematics: doc/math/path.md. One thread at a
 * time may use it: taking a model works on it. */
typedef struct ney_path ney_path;

/* The KKT residual up to which a point of a path counts as solved. Where double precision does not
 * get there, because of the scale of the data or an offset, the line is followed with more digits;
 * a residual that is still larger is reported, and a model from there is not marked converged. */
#define NEY_PATH_RESIDUAL 1e-6

typedef struct ney_cost_pair {
    double plus, minus; /* weight of one positive, of one negative example's loss */
} ney_cost_pair;

/* A breakpoint. Between two of them everything is affine in C but the objective, which is
 * quadratic. */
typedef struct ney_path_point {
    ney_cost_pair c;
    double objective, intercept;
    double kkt_residual;         /* largest violation of the optimality conditions: of a margin, in
                                    units of the scores, where it is 1; of a box or the balance of
                                    the classes, over the larger cost; at least what rounding of
                                    the kernel explains */
    int64_t margin, left, right; /* rows on the margin, inside it or wrong, and beyond */
} ney_path_point;

/**
 * A path without lines. The data are copied, with their preprocessing.
 *
 * @param opts  Of these the kernel, its parameters and the cache count. NULL for the defaults.
 * @retval NEY_EINVAL  the kernel is not positive semidefinite (sigmoid), or a class has no row.
 *
 * Memory: the kernel matrix in double where it fits into the cache, else a row at a time; a number
 * for each row and row on the margin.
 */
NEY_API NEY_MUST_CHECK ney_status ney_path_new(ney_path **out, const ney_env *env,
                                               const ney_data *data, const ney_options *options,
                                               ney_error *err);
NEY_API void ney_path_free(ney_path *path);

/**
 * Follow the straight line from one pair of costs to another, from (0, 0) on if you like. Begins
 * where a line was before, where that goes through `from`; else the way there is followed too.
 *
 * @param[out] line  Its number, from 0; may be NULL.
 * @retval NEY_ECANCELLED  poll asked to stop; the path is as it was.
 *
 * Cost: O(n m) an event, m being the rows on the margin; there are about 2n events.
 */
NEY_API NEY_MUST_CHECK ney_status ney_path_follow(ney_path *path, ney_cost_pair from,
                                                  ney_cost_pair to, int64_t *line, ney_error *err);
NEY_API int64_t ney_path_lines(const ney_path *path);
/** The breakpoints of a line in their order, its two ends included. */
NEY_API const ney_path_point *ney_path_points(const ney_path *path, int64_t line,
                                              int64_t *n_points);
NEY_API const ney_data *ney_path_data(const ney_path *path);
/** The largest KKT residual of any breakpoint, to be compared with NEY_PATH_RESIDUAL. */
NEY_API double ney_path_residual(const ney_path *path);

/**
 * The classifier at a pair of costs that lies on a line.
 *
 * @retval NEY_EINVAL  no line goes through it: the message says which ones there are.
 */
NEY_API NEY_MUST_CHECK ney_status ney_path_model(ney_model **out, ney_path *path, ney_cost_pair c,
                                                 ney_error *err);

/* A classifier of the path and what it did to rows that it was not trained on: a vertex of the
 * upper convex envelope in the ROC plane. */
typedef struct ney_choice {
    ney_cost_pair c;
    double threshold; /* of the score */
    double fpr, tpr;
} ney_choice;

/** The choices that a path carries, ascending in fpr; none unless they were set. `share_pos` is the
 * share of positives among the rows that were looked at. */
NEY_API const ney_choice *ney_path_choices(const ney_path *path, int64_t *n_choices,
                                           double *share_pos);
NEY_API NEY_MUST_CHECK ney_status ney_path_set_choices(ney_path *path, const ney_choice *choices,
                                                       int64_t n_choices, double share_pos,
                                                       ney_error *err);
/** The choice of least expected cost: where a line of slope p- cost_fp / (p+ cost_fn) touches the
 * envelope. -1 when there are no choices. */
NEY_API int64_t ney_path_cheapest(const ney_path *path, double cost_fn, double cost_fp);
/** The last choice whose fpr is at most max_fpr; -1 when there is none. */
NEY_API int64_t ney_path_within(const ney_path *path, double max_fpr);

/** The file appears whole or not at all; "-" is standard output. */
NEY_API NEY_MUST_CHECK ney_status ney_path_write(const ney_path *path, const char *file,
                                                 ney_error *err);
/** @retval NEY_EFORMAT  not a path, a damaged one, or a newer version's. */
NEY_API NEY_MUST_CHECK ney_status ney_path_read(ney_path **out, const ney_env *env,
                                                const char *file, ney_error *err);

/* ---- exploring the plane of costs */

/* The three ways to move in the ROC plane. */
typedef enum ney_curve_kind {
    NEY_CURVE_INTERCEPT, /* one classifier, every threshold */
    NEY_CURVE_ASYMMETRY, /* every share of C+ in one C+ + C-, each with its own threshold 0 */
    NEY_CURVE_BOTH       /* every C+ and C- with every threshold: the upper convex envelope */
} ney_curve_kind;

enum { NEY_N_CURVES = NEY_CURVE_BOTH + 1 };

typedef struct ney_curve_point {
    ney_choice choice;           /* with the rates on the rows that choices are made by */
    double fpr_error, tpr_error; /* standard errors over the halves; NAN without */
    double test_fpr, test_tpr;   /* on rows that nothing was chosen by; NAN without */
} ney_curve_point;

typedef struct ney_curve {
    ney_curve_point *point; /* from (0, 0) to (1, 1) */
    int64_t n_points;
    double auc, test_auc; /* areas below it */
} ney_curve;

/* Any number of threads may read it, but its path is one thread's at a time. */
typedef struct ney_exploration ney_exploration;

/**
 * Explore the plane of costs: along n+ C+ = n- C- up to `most`; from the pair of costs that is
 * cheapest there, and from ones a few powers of ten larger and smaller, along C+ + C- = constant to
 * both ends. Every classifier on the way with every threshold is a point of the ROC plane.
 *
 * @param train  Rows to learn from.
 * @param valid  Rows to choose by; NULL for halves of `train`, averaged.
 * @param test   Rows that nothing is chosen by; NULL for none.
 * Data that are not prepared are prepared inside: each half split fits filling and scaling on the
 * half that it learns from, and the final classifiers on all of `train`; `valid` and `test` follow.
 *
 * @param opts   The kernel; cost_fn and cost_fp are the costs that the cheapest pair is sought for.
 */
NEY_API NEY_MUST_CHECK ney_status ney_explore(ney_exploration **out, const ney_env *env,
                                              const ney_data *train, const ney_data *valid,
                                              const ney_data *test, const ney_options *options,
                                              ney_error *err);
NEY_API void ney_exploration_free(ney_exploration *e);
NEY_API const ney_curve *ney_exploration_curve(const ney_exploration *e, ney_curve_kind kind);
/** Over all of `train`, with the vertices of the envelope as its choices. */
NEY_API ney_path *ney_exploration_path(const ney_exploration *e);
/** The largest KKT residual of any line that was followed; see NEY_PATH_RESIDUAL. */
NEY_API double ney_exploration_residual(const ney_exploration *e);
/** The cheapest pair on n+ C+ = n- C-, and its expected cost on the rows that choices are made by.
 */
NEY_API ney_cost_pair ney_exploration_best(const ney_exploration *e, double *cost);

#ifdef __cplusplus
}
#endif

#endif
