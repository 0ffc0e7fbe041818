/* Decisions from scores: counts, costs, intervals, curves, certificates, comparison, monitoring,
 * q-values. */
#ifndef NEYMAN_DECIDE_H
#define NEYMAN_DECIDE_H

#include <neyman/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* These functions need scores and labels (+1, -1) only, of any classifier. The rule is: positive
 * when score >= threshold. Tied scores are treated exactly. A NaN score or another label is
 * NEY_EINVAL. All functions without a handle may be called from any number of threads at once. */

/* Scores and labels of n rows, and their groups where a function reads them. A member that
 * is not named is 0. The arrays are borrowed for the call. */
typedef struct ney_labelled_scores {
    const double *score;
    const int8_t *label;    /* +1 or -1 */
    const uint64_t *group;  /* a number per row, equal for rows of one group; NULL: no groups */
    const uint64_t *within; /* a number per row, equal where q-values are estimated together; NULL:
                               all together */
    int64_t n;              /* rows: the length of each array */
    const void *reserved[4];
} ney_labelled_scores;

/* Numbers of rows by outcome. */
typedef struct ney_counts {
    int64_t tp, fp, tn, fn;
    int64_t rejected_pos, rejected_neg;
} ney_counts;

/** Outcomes of n rows at two thresholds: positive when score >= high, negative when score < low,
 * else rejected. A NaN score counts as rejected. Zeros where a pointer is NULL or n < 1. */
NEY_API ney_counts ney_count(const double *score, const int8_t *label, int64_t n, double low,
                             double high);

/* Costs of the outcomes, each >= 0. A correct decision costs 0. */
typedef struct ney_costs {
    double fn, fp;               /* a false negative, a false positive */
    double reject_fn, reject_fp; /* rejecting a positive, rejecting a negative */
} ney_costs;

/** Whether rejection can have the lowest expected cost: reject_fn / fn + reject_fp / fp < 1. */
NEY_API bool ney_rejection_pays(const ney_costs *costs);

/** The mean cost per row; NAN without rows. */
NEY_API double ney_cost(const ney_counts *counts, const ney_costs *costs);

/** A confidence interval of the mean cost, conservative for all rates: the confidence is divided
 * between exact intervals of the rates of rows with a cost of at least each value. */
NEY_API void ney_cost_interval(const ney_counts *counts, const ney_costs *costs, double confidence,
                               double *low, double *high);

/**
 * The two thresholds with the lowest mean cost on these rows; they are equal where rejection does
 * not pay. Each is halfway between two neighbouring scores.
 *
 * @param      rows  Scores and labels; other members are not read.
 * @param[out] cost  The mean cost per row there; may be NULL.
 * @retval NEY_EINVAL  no rows, a NaN score, or a cost that is not a number >= 0.
 */
NEY_API NEY_MUST_CHECK ney_status ney_best_band(const ney_env *env, const ney_labelled_scores *rows,
                                                const ney_costs *costs, double *low, double *high,
                                                double *cost, ney_error *err);

/** The exact (Clopper-Pearson) confidence interval of a rate, from `hits` of `n` rows; [0, 1] when
 * n is 0 or the arguments are not valid. */
NEY_API void ney_interval(int64_t hits, int64_t n, double confidence, double *low, double *high);

/**
 * A confidence interval of the rate of rows of one class at or above a threshold that holds for all
 * thresholds simultaneously: the threshold may be chosen on these rows. `hits` of `n` rows are at
 * or above the threshold (or below it). Wider than ney_interval(), which is for a threshold that
 * does not depend on these rows. The rows are independent; ties are allowed.
 */
NEY_API void ney_interval_simultaneous(int64_t hits, int64_t n, double confidence, double *low,
                                       double *high);

/* Comparison of a bound with a confidence interval of the rate. */
typedef enum ney_verdict {
    NEY_VERDICT_CONFIRMED, /* the whole interval of the rate is within the bound */
    NEY_VERDICT_OPEN,      /* the bound is inside the interval */
    NEY_VERDICT_REFUTED    /* the whole interval is beyond the bound */
} ney_verdict;

/** Compare a bound with the exact interval of `hits` errors in `n` rows. For a threshold that does
 * not depend on these rows, a rate within the bound is refuted with probability at most (1 -
 * confidence) / 2, and a rate beyond the bound is confirmed with probability at most that. */
NEY_API ney_verdict ney_check_bound(int64_t hits, int64_t n, double max_rate, double confidence);

/** Area under the ROC curve; a tied pair counts 1/2. NAN unless there are rows of both classes. */
NEY_API NEY_MUST_CHECK ney_status ney_auc(const ney_env *env, const double *score,
                                          const int8_t *label, int64_t n, double *auc,
                                          ney_error *err);

/* ---- score files */

/* The rows of a score file. Any number of threads may read it. */
typedef struct ney_scores ney_scores;

/**
 * Read a score file: TSV or CSV with the columns `label` and `score` (others are ignored), or two
 * columns without a header in that order; also compressed by gzip or zstd. Free with
 * ney_scores_free().
 *
 * @param path     A file, or "-" for standard input.
 * @param options  The options label (name of the column of labels), positive and group (column of
 *                 groups) are read. NULL: the defaults.
 * @retval NEY_EPARSE  malformed input: err has file, line, what was found and what was expected.
 * @retval NEY_EIO     the file cannot be opened or read.
 */
NEY_API NEY_MUST_CHECK ney_status ney_scores_read(ney_scores **out, const ney_env *env,
                                                  const char *path, const ney_options *options,
                                                  ney_error *err);
/** NULL is allowed. */
NEY_API void ney_scores_free(ney_scores *scores);
/** The number of rows. */
NEY_API int64_t ney_scores_count(const ney_scores *scores);
/** The scores, one per row. */
NEY_API const double *ney_scores_value(const ney_scores *scores);
/** The labels, +1 or -1 per row. */
NEY_API const int8_t *ney_scores_label(const ney_scores *scores);
/** A number per row, equal for rows of one group; NULL where the file was read without groups. */
NEY_API const uint64_t *ney_scores_group(const ney_scores *scores);
/** The number of rows that the column `seen` of 'predict --seen' marks as used in training; -1: the
 * file has no such column. */
NEY_API int64_t ney_scores_seen(const ney_scores *scores);
/** The name of a class (`sign` +1 or -1) in the file; "" where there is none. */
NEY_API const char *ney_scores_name(const ney_scores *scores, int sign);

/* A score file that is read as a stream: rows that have arrived in a pipe are returned without
 * waiting for more. One thread at a time may use a handle. */
typedef struct ney_score_stream ney_score_stream;

/**
 * Open a score file whose labels are those of a model. Close with ney_score_stream_close().
 *
 * @param path    "-" is standard input.
 * @param preprocessing  That of the model; borrowed until the stream is closed.
 * @retval NEY_EIO  the file cannot be opened.
 */
NEY_API NEY_MUST_CHECK ney_status ney_score_stream_open(ney_score_stream **out, const ney_env *env,
                                                        const char *path,
                                                        const ney_preprocessing *preprocessing,
                                                        ney_error *err);
/**
 * The next rows, borrowed until the next call; waits until there is at least one. *n is 0 only at
 * the end of the file.
 *
 * @retval NEY_EPARSE      malformed input, such as a label that the model does not have, a NUL byte
 * or a line of more than 1 MB: err has file, line and what was expected.
 * @retval NEY_ECANCELLED  poll asked for a stop.
 */
NEY_API NEY_MUST_CHECK ney_status ney_score_stream_next(ney_score_stream *stream,
                                                        const double **score, const int8_t **label,
                                                        int64_t *n, ney_error *err);
/** As ney_scores_seen(), for the rows read so far, which may include some not returned yet. */
NEY_API int64_t ney_score_stream_seen(const ney_score_stream *stream);
/** NULL is allowed. */
NEY_API void ney_score_stream_close(ney_score_stream *stream);

/* ---- curves */

/* The ROC curve as counts: point k has the threshold threshold[k]. Thresholds decrease: point 0 has
 * the threshold +inf, where no row is positive; each further point is a distinct score; at the last
 * one all rows are positive. Allocated by the library; any number of threads may read it. */
typedef struct ney_roc {
    int64_t n_points, n_pos, n_neg;
    const double *threshold;
    const int64_t *tp, *fp;
} ney_roc;

/** The ROC curve of n rows. Free with ney_roc_free(). O(n) after a radix sort. */
NEY_API NEY_MUST_CHECK ney_status ney_roc_new(ney_roc **out, const ney_env *env,
                                              const double *score, const int8_t *label, int64_t n,
                                              ney_error *err);
/** NULL is allowed. */
NEY_API void ney_roc_free(ney_roc *roc);

/* The area under the curve with DeLong's standard error and an approximate confidence interval: the
 * wider limits of DeLong's interval on the logit scale and of Newcombe's (2006). No theorem covers
 * small samples; doc/claims.md has the simulated coverage. */
typedef struct ney_auc_result {
    double auc, error, low,
        high; /* NAN where a class has no rows; error NAN with one row per class */
} ney_auc_result;

/** The area under the curve and its interval. */
NEY_API ney_auc_result ney_roc_auc(const ney_roc *roc, double confidence);

/** The area under the curve for false-positive rates from 0 to max_fpr, with linear interpolation.
 * NAN unless there are rows of both classes and max_fpr is from 0 to 1. */
NEY_API double ney_roc_partial_auc(const ney_roc *roc, double max_fpr);

/** The positions of the points on the upper convex hull, ascending, without points on a line
 * between two others. Returns their number. @param[out] point  Capacity: roc->n_points. */
NEY_API int64_t ney_roc_hull(const ney_roc *roc, int64_t *point);

/* The rates at one point of a ROC curve. */
typedef struct ney_operating_point {
    double threshold, fpr, tpr, precision; /* precision 1 where no row is positive */
    double probit_fpr, probit_fnr;         /* coordinates of a DET plot; may be infinite */
} ney_operating_point;

/** The rates at point `k`; NAN where there is no such point. */
NEY_API ney_operating_point ney_roc_at(const ney_roc *roc, int64_t k);

/* A vertex of the cost curve (Drummond and Holte): the lowest normalised expected cost as a
 * function of the probability-times-cost share of the positives, a concave piecewise linear
 * function on [0, 1]. */
typedef struct ney_cost_point {
    double share, cost; /* where the best operating point changes */
    int64_t point;      /* of the ROC curve, best to the right of here */
} ney_cost_point;

/** The vertices of the cost curve, shares ascending from 0 to 1. Returns their number.
 * @param[out] curve  Capacity: roc->n_points + 1.
 * @param hull        Workspace, capacity: roc->n_points. */
NEY_API int64_t ney_roc_cost_curve(const ney_roc *roc, ney_cost_point *curve, int64_t *hull);

/* Selective prediction: rows are decided in order of decreasing distance |score - threshold|. */
typedef struct ney_risk_point {
    double distance;         /* rows at this distance or farther are decided */
    int64_t covered, errors; /* number of these rows, and of those misclassified */
} ney_risk_point;

/** The risk-coverage curve: one point per distinct distance. @param[out] curve  Capacity: n.
 * @param[out] n_points  The number of points. */
NEY_API NEY_MUST_CHECK ney_status ney_risk_coverage(const ney_env *env, const double *score,
                                                    const int8_t *label, int64_t n,
                                                    double threshold, ney_risk_point *curve,
                                                    int64_t *n_points, ney_error *err);

/**
 * The same for a rejection band that grows around `center`. The distance of a score is 0 at
 * `center` and 1 at `low` and `high`, linear on either side; a side of width 0 counts as width 1.
 * Without rejection a row is positive when score >= center.
 *
 * @param      rows   Scores and labels; other members are not read.
 * @param[out] curve  Capacity: rows->n.
 * @retval NEY_EINVAL  not low <= center <= high.
 */
NEY_API NEY_MUST_CHECK ney_status ney_band_coverage(const ney_env *env,
                                                    const ney_labelled_scores *rows, double low,
                                                    double center, double high,
                                                    ney_risk_point *curve, int64_t *n_points,
                                                    ney_error *err);

/** The error-reject ratio at each point: the share of errors among the rows that are rejected next,
 * made monotone by pooling (isotonic regression). The slope of the error-reject curve is minus the
 * ratio.
 * @param[out] ratio  n_points numbers. */
NEY_API void ney_error_reject_ratio(const ney_risk_point *curve, int64_t n_points, double *ratio);

/* ---- certificates */

typedef enum ney_error_kind { NEY_FALSE_POSITIVES, NEY_FALSE_NEGATIVES } ney_error_kind;

/* A certified threshold: the rate of one error is at most `max_rate`, except with probability
 * `delta` over the draw of the calibration rows, for any score function that does not depend on
 * these rows. The threshold is an order statistic of their scores (Neyman-Pearson umbrella
 * algorithm). */
typedef struct ney_certificate {
    ney_error_kind kind;
    double max_rate, delta;
    int64_t n;    /* calibration rows of the class: negatives for false positives, else positives */
    int64_t rank; /* the threshold is the rank-th smallest of their scores, for false positives the
                     next number above it */
    int64_t misclassified; /* calibration rows misclassified by the threshold: at most n - rank for
                              false positives, rank - 1 for false negatives */
    double threshold;
    double bound;      /* the smallest max_rate that this rank certifies at this delta */
    uint64_t hash;     /* XXH3 of the calibration scores, in the order given */
    int64_t n_groups;  /* calibration groups where the group is the unit; 0: the row is the unit */
    double group_rate; /* mean over these groups of the share of misclassified rows of a group */
    double reserved[4];
} ney_certificate;

/** The delta of a confidence: 1 - confidence, rounded to a short decimal fraction (0.0001 for
 * 0.9999, where the difference of the doubles is 9.9999999999989e-05). */
NEY_API double ney_delta_of_confidence(double confidence);

/** The delta of each of two independent certificates that hold at once except with probability
 * delta: (1 - each)^2 = 1 - delta. */
NEY_API double ney_delta_of_each(double delta);

/** The smallest number of calibration rows that can certify a rate: the least n with
 * (1 - max_rate)^n <= delta. NAN unless both are between 0 and 1. */
NEY_API double ney_rows_needed(double max_rate, double delta);

/** The smallest rate that n rows can certify: 1 - delta^(1/n). */
NEY_API double ney_tightest_rate(int64_t n, double delta);

/** The largest number of misclassified rows among n calibration rows that still certifies the rate:
 * the largest r with P(Binomial(n, max_rate) <= r) <= delta; -1 when there is none. */
NEY_API int64_t ney_mistakes_allowed(int64_t n, double max_rate, double delta);

/**
 * Certify a threshold from the scores of one class.
 *
 * @param score  Scores of n negatives for NEY_FALSE_POSITIVES, of n positives for
 * NEY_FALSE_NEGATIVES.
 * @retval NEY_EGOAL   too few rows: the message has the number needed and the smallest possible
 * rate.
 * @retval NEY_EINVAL  unknown kind, a rate or delta outside (0, 1), or a NaN score.
 */
NEY_API NEY_MUST_CHECK ney_status ney_certify(ney_certificate *out, const ney_env *env,
                                              ney_error_kind kind, const double *score, int64_t n,
                                              double max_rate, double delta, ney_error *err);

/**
 * Certify a threshold from the scores of one class where rows come in independent groups, such as
 * several rows per patient. The bounded rate is the mean over groups of the error rate within a
 * group: the error rate of a random row of a random new group with rows of the class. Mathematics:
 * doc/math/groups.md.
 *
 * @param rows  Scores and groups of rows of one class, as for ney_certify(); labels are not read.
 * @retval NEY_EGOAL   fewer groups (out->n_groups) than ney_rows_needed().
 * @retval NEY_EINVAL  as for ney_certify().
 */
NEY_API NEY_MUST_CHECK ney_status ney_certify_groups(ney_certificate *out, const ney_env *env,
                                                     ney_error_kind kind,
                                                     const ney_labelled_scores *rows,
                                                     double max_rate, double delta, ney_error *err);

/* The mean over groups of the mean of a number within a group, such as an error rate, and an
 * interval that covers its expectation. */
typedef struct ney_group_mean {
    double mean; /* NAN without rows */
    double low, high;
    int64_t n, n_groups; /* numbers of rows and groups */
    double reserved[2];
} ney_group_mean;

/** Mean and confidence interval of a number from 0 to 1 per row, such as 1 for a misclassified row
 * and 0 for others. The interval covers the population mean over groups with at least this
 * confidence if groups are independent draws; rows of a group may be dependent.
 * @retval NEY_EINVAL  a value outside [0, 1], or a confidence outside (0, 1). */
NEY_API NEY_MUST_CHECK ney_status ney_mean_of_groups(ney_group_mean *out, const ney_env *env,
                                                     const double *value, const uint64_t *group,
                                                     int64_t n, double confidence, ney_error *err);

/* The number of rows that is lacking when a rate cannot be certified. */
typedef struct ney_shortage {
    ney_error_kind kind;  /* false positives: negatives are lacking, false negatives: positives */
    int64_t n;            /* number of rows or groups */
    double needed;        /* number that is needed; 0: the number is not the reason */
    double tightest_rate; /* smallest rate that n of them can certify */
    bool groups;          /* groups are counted, not rows */
    double reserved[2];
} ney_shortage;

/* Certificates from a score file. */
typedef struct ney_certified {
    bool has_fpr, has_fnr;
    ney_certificate fpr, fnr;
    double low,
        high; /* thresholds: negative below low, positive from high on; equal for one rate */
    ney_counts counts;     /* outcomes in the file at these thresholds */
    int64_t n_groups[2];   /* groups with negatives, with positives; 0: the row is the unit */
    char name[2][64];      /* names of the negative and the positive class, truncated to fit */
    ney_shortage shortage; /* set after NEY_EGOAL, as the names are */
    int64_t n_seen; /* as of ney_scores_seen(); if above 0, nothing is certified: NEY_EGOAL */
    double reserved[8];
} ney_certified;

/**
 * Certify thresholds from a score file. Memory: one double per positive row, and the negative rows
 * that can determine the threshold. A file is read twice for that; of a pipe all rows are held in
 * memory.
 *
 * With both rates the confidence holds for both at once: negatives and positives are independent
 * samples, so each certificate has delta' with (1 - delta')^2 = 1 - delta. Where the two thresholds
 * cross, no row need be rejected, and both become the one for false positives.
 *
 * With the option group, the group is the unit, as of ney_certify_groups(): all rows are held in
 * memory, and with both rates each certificate has delta / 2, because a group may have rows of both
 * classes.
 *
 * @param options           As of ney_scores_read().
 * @param max_fpr, max_fnr  Bounds between 0 and 1; NAN: not bounded. At least one is not NAN.
 * @retval NEY_EGOAL   too few rows (out->shortage), tied scores that no threshold can separate, or
 * rows marked as used in training (out->n_seen).
 * @retval NEY_EINVAL  a rate or delta outside (0, 1). Other failures as of ney_scores_read().
 */
NEY_API NEY_MUST_CHECK ney_status ney_certify_file(ney_certified *out, const ney_env *env,
                                                   const char *path, const ney_options *options,
                                                   double max_fpr, double max_fnr, double delta,
                                                   ney_error *err);

/** Store certificates in a model: its thresholds and its metadata.
 * @retval NEY_EINVAL  `certified` has no certificate. */
NEY_API NEY_MUST_CHECK ney_status ney_model_certify(ney_model *model,
                                                    const ney_certified *certified, ney_error *err);

/* ---- comparing methods on the same test rows */

/* Options of a comparison; where NULL stands for them: 0.95, 2999 and 1. */
typedef struct ney_compare_opts {
    double confidence; /* of each interval, between 0 and 1 */
    int64_t resamples; /* of the bootstrap */
    uint64_t seed;     /* of the bootstrap */
    double reserved[4];
} ney_compare_opts;

/* Several methods on the same n test rows. A member that is not named is 0. The arrays are borrowed
 * for the call. */
typedef struct ney_methods {
    const double *const *value; /* n_methods arrays of n scores, or of n losses */
    int64_t n_methods;
    const int8_t *label;   /* +1 or -1; not read where losses are compared */
    const uint64_t *group; /* rows with equal numbers are dependent and drawn together; NULL: rows
                              are independent */
    int64_t n;             /* rows: the length of each array */
    const void *reserved[4];
} ney_methods;

/* One method compared with the first method. */
typedef struct ney_difference {
    double value;      /* rate or mean loss of the method on the test rows */
    double difference; /* value minus that of the first method */
    double low, high;  /* percentile bootstrap interval of the difference, for this pair alone */
    double p_value;    /* of no difference, two-sided, for this pair alone */
    double p_adjusted; /* by Holm, over all pairs with the first method */
    bool too_few;      /* too few rows or groups: the interval is the whole range, p-values are 1 */
    double reserved[4];
} ney_difference;

/**
 * Compare score functions at a matched rate. The threshold of each method misclassifies as many
 * rows of the bounded class as max_rate allows on these rows; the rates of the other error there
 * are compared. Intervals and p-values are from a stratified paired percentile bootstrap that
 * recomputes the thresholds in each resample. They are approximate; doc/claims.md has their
 * simulated coverage. They are valid for score functions that do not depend on these rows, and do
 * not account for the choice of training rows. Where max_rate times the number of rows of the
 * bounded class is below 1, too_few is set.
 *
 * @param methods  Scores, labels and groups. Of rows in groups the classes are drawn separately
 *                 only if no group has rows of both; at least 20 groups of either class, or
 *                 too_few. Rates are over rows.
 * @param opts     NULL for the defaults.
 * @param[out] out  n_methods of them; the first is compared with itself.
 * @retval NEY_EINVAL  fewer than two methods, one class alone, a NaN score, a rate outside [0, 1].
 *
 * The same result for any number of threads. O(resamples * n * n_methods).
 */
NEY_API NEY_MUST_CHECK ney_status ney_compare_rates(ney_difference *out, const ney_env *env,
                                                    const ney_methods *methods,
                                                    ney_error_kind bounded, double max_rate,
                                                    const ney_compare_opts *opts, ney_error *err);

/**
 * Compare mean losses (costs) of the same rows, of decisions that were fixed without these rows: a
 * paired percentile bootstrap of the rows, or of groups of them.
 *
 * @param methods  Losses in [0, largest], and groups.
 * @param largest  The largest loss that a row can have.
 */
NEY_API NEY_MUST_CHECK ney_status ney_compare_losses(ney_difference *out, const ney_env *env,
                                                     const ney_methods *methods, double largest,
                                                     const ney_compare_opts *opts, ney_error *err);

/* Planning of a certification before there are data. */
typedef struct ney_plan_point {
    int64_t n;             /* calibration rows */
    int64_t rank;          /* the order statistic; 0 when n is too small */
    double expected_rate;  /* of the error at the certified threshold */
    double expected_power; /* detection rate there, on a binormal ROC curve through (max_rate,
                              power) */
} ney_plan_point;

/** The expected rates with n calibration rows. @param power  Detection rate at max_rate, between
 * max_rate and 1. NAN in the result for arguments out of range. */
NEY_API ney_plan_point ney_plan_at(int64_t n, double max_rate, double delta, double power);

/* ---- monitoring bounded rates */

/* A monitor of one or both rates of a score function with two thresholds: positive when score >=
 * high, negative when score < low. Each rate has a test martingale, so the alarm may be checked
 * after every row. One thread at a time may use a handle. */
typedef struct ney_monitor ney_monitor;

typedef struct ney_monitor_opts {
    double max_fpr,
        max_fnr;      /* bounds between 0 and 1; NAN: not monitored. At least one is not NAN */
    double low, high; /* the thresholds */
    double delta;     /* probability that a false alarm is ever raised; in (0, 0.5] */
    int64_t window;   /* rows of each monitored class for new thresholds after an alarm; 0: 10 times
                         ney_rows_needed() */
    uint64_t fingerprint; /* of the model, see ney_model_fingerprint() */
    double reserved[4];
} ney_monitor_opts;

/* State of one rate. */
typedef struct ney_monitor_rate {
    bool watched;           /* whether the rate is monitored */
    double max_rate, delta; /* delta of this rate: half of the total where both are monitored */
    int64_t n, errors;      /* rows of its class, and those misclassified */
    double log_evidence;    /* log of the test martingale; the alarm is at -log(delta) */
    int64_t alarm_row;      /* number of the row that raised its alarm, from 1; 0: no alarm */
    int64_t window,
        collected; /* rows of its class that are needed after the alarm, and their number */
    double reserved[4];
} ney_monitor_rate;

/* State of a monitor. */
typedef struct ney_monitor_info {
    int64_t n_pos, n_neg;
    int64_t alarm_row; /* number of the row of the first alarm, from 1; 0: no alarm */
    bool renewable;    /* ney_monitor_certify() has the rows that it needs */
    ney_monitor_rate fpr, fnr;
    double reserved[4];
} ney_monitor_info;

/**
 * A new monitor. Free with ney_monitor_free(). If every row of a monitored class is misclassified
 * with probability at most its bound, given all rows before it, an alarm is ever raised with
 * probability at most delta. The rows need not be independent; which rows are added must not depend
 * on their labels.
 *
 * @retval NEY_EINVAL  no rate, a rate outside (0, 1), delta outside (0, 0.5], low above high.
 * @retval NEY_EGOAL   a window too small to certify its rate.
 */
NEY_API NEY_MUST_CHECK ney_status ney_monitor_new(ney_monitor **out, const ney_env *env,
                                                  const ney_monitor_opts *opts, ney_error *err);
/** NULL is allowed. */
NEY_API void ney_monitor_free(ney_monitor *monitor);

/** Restart without rows, with other options; a state file stays open, and the next
 * ney_monitor_save() writes it. On failure the monitor is unchanged. */
NEY_API NEY_MUST_CHECK ney_status ney_monitor_restart(ney_monitor *monitor,
                                                      const ney_monitor_opts *opts, ney_error *err);

/**
 * Add rows in their order, up to and including the row that raises an alarm or completes the last
 * window. Call again with the remaining rows.
 *
 * @param[out] taken   The number of rows added, at most n.
 * @retval NEY_EINVAL  a score is NaN or a label neither +1 nor -1; the rows before it were added.
 */
NEY_API NEY_MUST_CHECK ney_status ney_monitor_add(ney_monitor *monitor, const double *score,
                                                  const int8_t *label, int64_t n, int64_t *taken,
                                                  ney_error *err);

/** The state of a monitor; zeros for NULL. */
NEY_API ney_monitor_info ney_monitor_look(const ney_monitor *monitor);

/**
 * New thresholds, certified on rows after the alarm only: the first `window` rows of each monitored
 * class. The alarm is a stopping time, so the certificate is valid if these rows and future rows
 * have the same distribution, that is, if the distribution changed before the alarm. Both rates are
 * certified where both are monitored.
 *
 * @retval NEY_EGOAL  too few rows since the alarm, or tied scores that no threshold can separate.
 */
NEY_API NEY_MUST_CHECK ney_status ney_monitor_certify(const ney_monitor *monitor,
                                                      ney_certified *certified, ney_error *err);

/**
 * Open a state file, so that the guarantee holds over all runs together. The monitor continues from
 * the file, or creates it. The file is locked against other processes until ney_monitor_free().
 *
 * @retval NEY_EFORMAT  damaged, or of another fingerprint, bound, delta, threshold or window.
 * @retval NEY_EIO      it cannot be read or written, or another process uses it.
 */
NEY_API NEY_MUST_CHECK ney_status ney_monitor_open(ney_monitor *monitor, const char *path,
                                                   ney_error *err);
/** Write the state file, as a whole or not at all. @retval NEY_EINVAL  no file is open.
 * @retval NEY_EIO */
NEY_API NEY_MUST_CHECK ney_status ney_monitor_save(const ney_monitor *monitor, ney_error *err);

/**
 * Set the thresholds of a model to those of ney_monitor_certify(), and its certificate. Conformal
 * calibration scores, which are from before the alarm, are removed.
 *
 * @param[out] certified  As of ney_monitor_certify(). Failures as there; the model is unchanged
 * then.
 */
NEY_API NEY_MUST_CHECK ney_status ney_model_renew(ney_model *model, const ney_monitor *monitor,
                                                  ney_certified *certified, ney_error *err);

/** A hash (XXH3) of the bytes of the model's file, which identifies the model. */
NEY_API NEY_MUST_CHECK ney_status ney_model_fingerprint(const ney_model *model,
                                                        uint64_t *fingerprint, ney_error *err);

/* ---- q-values */

typedef enum ney_fdr_kind {
    NEY_FDR_DECOYS_PER_TARGET, /* decoys / targets */
    NEY_FDR_DECOYS_PER_ALL     /* decoys / (decoys + targets) */
} ney_fdr_kind;

/* How the false-discovery rate of a threshold is estimated. Zeros are the defaults. With D decoys
 * and T targets at or above the threshold, n- and n+ in all, the estimate is
 *
 *     f (D + 1) / T,   f = n+ / (n- + 1), or 1 where every target competed with one decoy.
 *
 * NEY_FDR_DECOYS_PER_ALL turns an estimate x into x / (1 + x). */
typedef struct ney_qvalue_opts {
    ney_fdr_kind kind;
    bool plus_one,
        no_plus_one;   /* no_plus_one: D for D + 1, and n- for n- + 1; plus_one: the default */
    bool compete;      /* one decoy competed with each target: f = 1 */
    bool no_compete;   /* ney_qvalues_competed() does no competition */
    bool size_correct; /* f = n+ / (n- + 1): the default */
    bool reserved[11];
} ney_qvalue_opts;

/** The estimate as a formula, such as "(D + 1) / T"; a static string. NULL: the defaults. */
NEY_API const char *ney_qvalue_formula(const ney_qvalue_opts *opts);

/** The factor f for n_pos targets and n_neg decoys. */
NEY_API double ney_qvalue_factor(const ney_qvalue_opts *opts, int64_t n_pos, int64_t n_neg);

/**
 * q-value of every row: the smallest false-discovery rate of a threshold that accepts it. Positives
 * are targets, negatives are decoys; rows of equal score share one value. At most 1.
 *
 * @param[out] q  n numbers.
 */
NEY_API NEY_MUST_CHECK ney_status ney_qvalues(const ney_env *env, const double *score,
                                              const int8_t *label, int64_t n,
                                              const ney_qvalue_opts *opts, double *q,
                                              ney_error *err);

/**
 * Posterior error probability of every row: the probability that a target with this score is false,
 * by a monotone fit (doc/guides/scores.md). Greater than 0.
 *
 * @param[out] pep  n numbers.
 */
NEY_API NEY_MUST_CHECK ney_status ney_peps(const ney_env *env, const double *score,
                                           const int8_t *label, int64_t n,
                                           const ney_qvalue_opts *opts, double *pep,
                                           ney_error *err);

/**
 * The best row of each group: target-decoy competition, where groups are spectra. Among rows with
 * equal scores the first wins; a tie of a target and a decoy is won by either with probability 1/2.
 *
 * @param      key   A number per row, equal for rows of one group.
 * @param[out] best  One per row: whether it wins.
 */
NEY_API NEY_MUST_CHECK ney_status ney_best_of_groups(const ney_env *env, const double *score,
                                                     const int8_t *label, const uint64_t *key,
                                                     int64_t n, bool *best, ney_error *err);

/** The reason for the factor f of an estimate. */
typedef enum ney_fdr_basis {
    NEY_BASIS_ROWS,      /* no rows compete: f = n+ / (n- + 1) */
    NEY_BASIS_PAIRS,     /* every group has as many decoys as targets: f = 1 */
    NEY_BASIS_STATED,    /* the caller says that one decoy competed with each target: f = 1 */
    NEY_BASIS_BALANCED,  /* at least 40 % of the low-scoring winners are decoys: f = 1 */
    NEY_BASIS_UNBALANCED /* fewer are: f = n+ / (n- + 1) of the winners */
} ney_fdr_basis;

/** "no competition", "pairs", "stated", "balanced" or "unbalanced"; a static string. */
NEY_API const char *ney_fdr_basis_text(ney_fdr_basis basis);

/* Outcome of a target-decoy competition. */
typedef struct ney_competition {
    ney_fdr_basis basis;
    ney_qvalue_opts estimate;   /* the one used: f = 1 where `compete` is set */
    int64_t n_groups, n_paired; /* groups, and those with as many decoys as targets */
    int64_t n_pos, n_neg;       /* winners */
    int64_t n_low, low_decoys;  /* the lowest-scoring quarter of the winners, and its decoys */
    double reserved[4];
} ney_competition;

/**
 * q-values after target-decoy competition, by an estimate that is valid for these groups.
 * Rows that lose have q-value and posterior error probability 1.
 *
 * @param      rows    Rows of one group compete; without groups there is no competition. Winners
 *                     with equal `within` are estimated together.
 * @param[out] q       rows->n numbers.
 * @param[out] pep     rows->n numbers; may be NULL.
 * @param[out] best    One per row: whether it wins; may be NULL.
 * @param[out] result  May be NULL.
 * @retval NEY_EINVAL  options exclude each other, or size_correct is set where f is 1.
 */
NEY_API NEY_MUST_CHECK ney_status ney_qvalues_competed(const ney_env *env,
                                                       const ney_labelled_scores *rows,
                                                       const ney_qvalue_opts *opts, double *q,
                                                       double *pep, bool *best,
                                                       ney_competition *result, ney_error *err);

/** q-values and, unless `pep` is NULL, posterior error probabilities, for each group separately.
 * @param rows  With groups; `within` is not read. */
NEY_API NEY_MUST_CHECK ney_status ney_qvalues_by_group(const ney_env *env,
                                                       const ney_labelled_scores *rows,
                                                       const ney_qvalue_opts *opts, double *q,
                                                       double *pep, ney_error *err);

/* ------------------------------------------------------------------ statements about results */

enum { NEY_GUARANTEE_TEXT = 640 };

/* One certificate, or two that hold together. All pointers are borrowed for the call. */
typedef struct ney_guarantee {
    const ney_certificate *fpr, *fnr; /* NULL where that rate is not bounded */
    double confidence;                /* of the statement */
    const char *negative, *positive;  /* names of the classes; NULL: no names */
    const char *evidence;             /* name of the rows: "held-out", "calibration" */
    const void *reserved[4];
} ney_guarantee;

/** "At most 1 % of negatives ('ham') are flagged as positive, with 95 % confidence" */
NEY_API void ney_guarantee_claim(char text[NEY_GUARANTEE_TEXT], const ney_guarantee *guarantee);
/** The claim and, in parentheses, the evidence. */
NEY_API void ney_guarantee_text(char text[NEY_GUARANTEE_TEXT], const ney_guarantee *guarantee);

#ifdef __cplusplus
}
#endif

#endif
