/* Exact solution paths in the plane of costs, and exploration of that plane. */
#ifndef NEYMAN_PATH_H
#define NEYMAN_PATH_H

#include <neyman/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The solution of the cost SVM is piecewise affine along every straight line in the plane of the
 * costs (C+, C-). A path is a set of lines; the breakpoints of a line determine the solution at all
 * of its points, without approximation. Mathematics: doc/math/path.md. One thread at a time may use
 * a handle, also for ney_path_model(). */
typedef struct ney_path ney_path;

/* A point of a path is solved if its KKT residual is at most this. Where double precision is not
 * enough, because of the scale of the data or an offset, lines are computed with more digits; a
 * residual that is still larger is reported, and a model from there is not marked as converged. */
#define NEY_PATH_RESIDUAL 1e-6

/* Weights of the loss of one positive and of one negative example. */
typedef struct ney_cost_pair {
    double plus, minus; /* >= 0 */
} ney_cost_pair;

/* A breakpoint. Between two of them everything is affine in C but the objective, which is
 * quadratic. */
typedef struct ney_path_point {
    ney_cost_pair c;
    double objective, intercept;
    double kkt_residual; /* largest violation of the optimality conditions: of margins, in units
                            of the scores; of bounds and of the balance of the classes, relative
                            to the larger cost; at least the rounding error of the kernel */
    int64_t margin, left, right; /* numbers of rows on the margin, inside it or misclassified, and
                                    beyond it */
} ney_path_point;

/**
 * A path without lines. Free with ney_path_free().
 *
 * @param data     Rows with labels, copied. Raw rows are filled and scaled as by ney_fit().
 * @param options  kernel, gamma, degree, coef0, cache, scale; others must be at their defaults,
 * except those of the group data, which act where the data are read. NULL: the defaults.
 * @retval NEY_EINVAL  the kernel is not positive semidefinite (sigmoid), a class has no rows, or an
 * option would have no effect.
 * @retval NEY_EPARSE  a value is missing and not filled.
 *
 * Memory: the kernel matrix in double precision where it fits into the option cache, else one row
 * of it at a time; and the square of the number of rows on the margin.
 */
NEY_API NEY_MUST_CHECK ney_status ney_path_new(ney_path **out, const ney_env *env,
                                               const ney_data *data, const ney_options *options,
                                               ney_error *err);
/** NULL is allowed. */
NEY_API void ney_path_free(ney_path *path);

/**
 * Compute the solutions along the straight line from one pair of costs to another; (0, 0) is a
 * valid start. If an earlier line goes through `from`, the computation starts from it; else a line
 * to `from` is computed first.
 *
 * @param[out] line  The number of the line, from 0; may be NULL.
 * @retval NEY_EINVAL      a cost that is not a finite number >= 0.
 * @retval NEY_ECANCELLED  poll asked for a stop; the path is unchanged.
 *
 * Time: O(n m) per breakpoint, with n rows of which m are on the margin; there are about 2n
 * breakpoints.
 */
NEY_API NEY_MUST_CHECK ney_status ney_path_follow(ney_path *path, ney_cost_pair from,
                                                  ney_cost_pair to, int64_t *line, ney_error *err);
/** The number of lines. */
NEY_API int64_t ney_path_lines(const ney_path *path);
/** The breakpoints of a line in their order, its two ends included, borrowed until the path
 * changes; NULL where there is no such line. */
NEY_API const ney_path_point *ney_path_points(const ney_path *path, int64_t line,
                                              int64_t *n_points);
/** The data of the path, borrowed. */
NEY_API const ney_data *ney_path_data(const ney_path *path);
/** The largest KKT residual of all breakpoints, to be compared with NEY_PATH_RESIDUAL. */
NEY_API double ney_path_residual(const ney_path *path);

/**
 * The model at a pair of costs on a line. Free with ney_model_free().
 *
 * @retval NEY_EINVAL  no line goes through `c`: the message lists the lines.
 */
NEY_API NEY_MUST_CHECK ney_status ney_path_model(ney_model **out, ney_path *path, ney_cost_pair c,
                                                 ney_error *err);

/* A classifier of the path with its rates on rows that it was not trained on: a vertex of the upper
 * convex envelope in the ROC plane. */
typedef struct ney_choice {
    ney_cost_pair c;
    double threshold; /* of the score */
    double fpr, tpr;
} ney_choice;

/** The choices stored in a path, ascending in fpr, borrowed; NULL where none were stored.
 * *share_pos is the share of positives among the rows that the rates were measured on. */
NEY_API const ney_choice *ney_path_choices(const ney_path *path, int64_t *n_choices,
                                           double *share_pos);
/** Store choices, which are copied. @retval NEY_EINVAL  not ascending in fpr, or a number out of
 * range. */
NEY_API NEY_MUST_CHECK ney_status ney_path_set_choices(ney_path *path, const ney_choice *choices,
                                                       int64_t n_choices, double share_pos,
                                                       ney_error *err);
/** The position of the choice with the lowest expected cost, where a line of slope
 * p- cost_fp / (p+ cost_fn) touches the envelope; -1 when there are no choices. */
NEY_API int64_t ney_path_cheapest(const ney_path *path, double cost_fn, double cost_fp);
/** The position of the last choice with fpr <= max_fpr; -1 when there is none. */
NEY_API int64_t ney_path_within(const ney_path *path, double max_fpr);

/** Write a path file; "-" is standard output. The file is replaced as a whole or not at all.
 * @retval NEY_EIO */
NEY_API NEY_MUST_CHECK ney_status ney_path_write(const ney_path *path, const char *file,
                                                 ney_error *err);
/** Read a path file. @retval NEY_EFORMAT  not a path, a damaged one, or one of a newer version.
 * @retval NEY_EIO */
NEY_API NEY_MUST_CHECK ney_status ney_path_read(ney_path **out, const ney_env *env,
                                                const char *file, ney_error *err);

/* ---- exploration of the plane of costs */

/* Three families of classifiers, each a curve in the ROC plane. */
typedef enum ney_curve_kind {
    NEY_CURVE_INTERCEPT, /* one score function, all thresholds */
    NEY_CURVE_ASYMMETRY, /* all C+ and C- with one sum C+ + C-, threshold 0 */
    NEY_CURVE_BOTH       /* all C+ and C- with all thresholds: the upper convex envelope */
} ney_curve_kind;

typedef struct ney_curve_point {
    ney_choice choice;           /* with rates on validation rows */
    double fpr_error, tpr_error; /* standard errors over the splits; NAN without splits */
    double test_fpr, test_tpr;   /* rates on test rows; NAN without test rows */
} ney_curve_point;

typedef struct ney_curve {
    ney_curve_point *point; /* from (0, 0) to (1, 1) */
    int64_t n_points;
    double auc, test_auc; /* areas under the curve */
} ney_curve;

/* Result of an exploration. Any number of threads may read its curves; one thread at a time may use
 * its path. */
typedef struct ney_exploration ney_exploration;

/**
 * Explore the plane of costs: along n+ C+ = n- C- up to C+ + C- = c-max; from the pair of costs
 * with the lowest expected cost there, and from pairs a few powers of ten larger and smaller, along
 * C+ + C- = constant in both directions. Each classifier on these lines with each threshold is a
 * point in the ROC plane. Free with ney_exploration_free().
 *
 * @param train    Training rows.
 * @param valid    Validation rows; NULL: random half splits of `train`, averaged.
 * @param test     Test rows, which no choice depends on; NULL: none.
 * @param options  Of the groups exploration (c-max, splits, regular), training (kernel and its
 * parameters, cache, seed; cost-fn and cost-fp define the expected cost) and preprocessing (scale);
 *                 others must be at their defaults. NULL: the defaults.
 * @retval NEY_EINVAL  an option would have no effect, or a class has no rows.
 * @retval NEY_ECANCELLED  poll asked for a stop.
 *
 * Raw rows are filled and scaled in copies: each half split uses statistics of its training half,
 * the final classifiers those of `train`, which are applied to `valid` and `test`.
 */
NEY_API NEY_MUST_CHECK ney_status ney_explore(ney_exploration **out, const ney_env *env,
                                              const ney_data *train, const ney_data *valid,
                                              const ney_data *test, const ney_options *options,
                                              ney_error *err);
/** NULL is allowed. */
NEY_API void ney_exploration_free(ney_exploration *e);
/** A curve, borrowed; NULL for an unknown kind. */
NEY_API const ney_curve *ney_exploration_curve(const ney_exploration *e, ney_curve_kind kind);
/** The path over all of `train`, with the vertices of the envelope as its choices; borrowed. */
NEY_API ney_path *ney_exploration_path(const ney_exploration *e);
/** The largest KKT residual of all lines; see NEY_PATH_RESIDUAL. */
NEY_API double ney_exploration_residual(const ney_exploration *e);
/** The pair with the lowest expected cost on n+ C+ = n- C-, and that cost on validation rows;
 * `cost` may be NULL. */
NEY_API ney_cost_pair ney_exploration_best(const ney_exploration *e, double *cost);

#ifdef __cplusplus
}
#endif

#endif
