/* Decisions from scores: counts, costs, intervals, curves, certificates, comparison, monitoring,
 * q-values. */
#ifndef NEYMAN_DECIDE_H
#define NEYMAN_DECIDE_H

#include <neyman/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Everything below works on scores and labels (+1, -1) alone, whoever made them. The rule is
 * everywhere: positive when score >= threshold. Ties are exact; a NaN score is NEY_EINVAL. */

typedef struct ney_counts {
    int64_t tp, fp, tn, fn;
    int64_t rejected_pos, rejected_neg;
} ney_counts;

/** Outcomes at two thresholds: positive when score >= high, negative when score < low, rejected
 * between. */
NEY_API ney_counts ney_count(const double *score, const int8_t *label, int64_t n, double low,
                             double high);

/* What the outcomes cost. A right decision costs nothing. */
typedef struct ney_costs {
    double fn, fp;               /* a false negative, a false positive */
    double reject_fn, reject_fp; /* rejecting a positive, rejecting a negative */
} ney_costs;

/** Whether rejecting is ever the cheapest decision: reject_fn / fn + reject_fp / fp < 1. */
NEY_API bool ney_rejection_pays(const ney_costs *costs);

/** The mean cost of a row; NAN when there is none. */
NEY_API double ney_cost(const ney_counts *counts, const ney_costs *costs);

/** An interval of the mean cost that covers it with at least this confidence, whatever the rates:
 * the rates of rows at least so dear, each with its exact interval, share what may be missed. */
NEY_API void ney_cost_interval(const ney_counts *counts, const ney_costs *costs, double confidence,
                               double *low, double *high);

/**
 * The two thresholds of least cost on these rows; one and the same where rejecting does not pay.
 * They lie half way between the scores that they part.
 *
 * @param[out] cost  Mean cost of a row there; may be NULL.
 */
NEY_API NEY_MUST_CHECK ney_status ney_best_band(const ney_env *env, const double *score,
                                                const int8_t *label, int64_t n,
                                                const ney_costs *costs, double *low, double *high,
                                                double *cost, ney_error *err);

/** The exact (Clopper-Pearson) interval of a rate from `hits` of `n`; [0, 1] when n is 0. */
NEY_API void ney_interval(int64_t hits, int64_t n, double confidence, double *low, double *high);

/**
 * An interval of the rate of rows of one class at or above a threshold that holds for all
 * thresholds at once, except with probability 1 - confidence: the threshold may be chosen on these
 * rows. `hits` of `n` rows are at or above it, or as well below it. Wider than ney_interval(),
 * which is for a threshold that was fixed before. The rows are independent; ties are allowed.
 */
NEY_API void ney_interval_simultaneous(int64_t hits, int64_t n, double confidence, double *low,
                                       double *high);

/* What rows that had no part in a rule say about a bound of its error rate. */
typedef enum ney_verdict {
    NEY_VERDICT_CONFIRMED, /* the whole interval of the rate is within the bound */
    NEY_VERDICT_OPEN,      /* the bound is inside the interval */
    NEY_VERDICT_REFUTED    /* the whole interval is beyond the bound */
} ney_verdict;

/** Compare a bound with the exact interval of `hits` errors in `n` rows. For a threshold that was
 * fixed before, a rate within the bound is refuted with probability at most (1 - confidence) / 2,
 * and so is one beyond it confirmed. */
NEY_API ney_verdict ney_check_bound(int64_t hits, int64_t n, double max_rate, double confidence);

/** Area under the ROC curve, ties counted by halves; NAN unless both classes are there. */
NEY_API NEY_MUST_CHECK ney_status ney_auc(const ney_env *env, const double *score,
                                          const int8_t *label, int64_t n, double *auc,
                                          ney_error *err);

/* ---- score files */

/* Any number of threads may read it. */
typedef struct ney_scores ney_scores;

/**
 * Read a score file: TSV or CSV whose header names `label` and `score` (other columns are passed
 * over), or two columns without a header in that order; compressed or not; "-" is standard input.
 *
 * @param opts  Of these, label (another column's name), positive and group (the column that marks
 *              rows that belong together) count. NULL for the defaults.
 * @retval NEY_EPARSE  file, line, what was found and what was expected.
 */
NEY_API NEY_MUST_CHECK ney_status ney_scores_read(ney_scores **out, const ney_env *env,
                                                  const char *path, const ney_options *options,
                                                  ney_error *err);
NEY_API void ney_scores_free(ney_scores *scores);
NEY_API int64_t ney_scores_count(const ney_scores *scores);
NEY_API const double *ney_scores_value(const ney_scores *scores);
NEY_API const int8_t *ney_scores_label(const ney_scores *scores);
/** Equal for rows of one group; NULL where the file was read without groups. */
NEY_API const uint64_t *ney_scores_group(const ney_scores *scores);
/** Rows that the column seen of 'predict --seen' marks as used in training; -1: no such column. */
NEY_API int64_t ney_scores_seen(const ney_scores *scores);
/** The name of a class in the file; "" where there is none. */
NEY_API const char *ney_scores_name(const ney_scores *scores, int sign);

/* Rows of a score file as they come: what a pipe holds is given without waiting for more. One
 * thread at a time may use a handle. */
typedef struct ney_score_stream ney_score_stream;

/**
 * Open a score file whose labels are those of a model.
 *
 * @param path    "-" is standard input.
 * @param preprocessing  Names the two labels; borrowed until the stream is closed.
 */
NEY_API NEY_MUST_CHECK ney_status ney_score_stream_open(ney_score_stream **out, const ney_env *env,
                                                        const char *path,
                                                        const ney_preprocessing *preprocessing,
                                                        ney_error *err);
/**
 * The next rows, borrowed until the next call; *n is 0 at the end only. Waits for one line.
 *
 * @retval NEY_EPARSE      file, line, what was found and what was expected: also a label that the
 *                         preprocessing does not know, a NUL byte and a line of more than 1 MB.
 * @retval NEY_ECANCELLED  the poll asked for a stop.
 */
NEY_API NEY_MUST_CHECK ney_status ney_score_stream_next(ney_score_stream *stream,
                                                        const double **score, const int8_t **label,
                                                        int64_t *n, ney_error *err);
/** As ney_scores_seen(), of the rows read so far and perhaps some that come next. */
NEY_API int64_t ney_score_stream_seen(const ney_score_stream *stream);
NEY_API void ney_score_stream_close(ney_score_stream *stream);

/* ---- curves */

/* The ROC curve as counts: point k is what happens when the threshold is threshold[k]. Thresholds
 * fall; point 0 has threshold +inf and no row is positive; each further point is a distinct score;
 * at the last one all are. Every other curve is computed from it. */
typedef struct ney_roc {
    int64_t n_points, n_pos, n_neg;
    const double *threshold;
    const int64_t *tp, *fp;
} ney_roc;

/** Free with ney_roc_free(). O(n) beside a radix sort. */
NEY_API NEY_MUST_CHECK ney_status ney_roc_new(ney_roc **out, const ney_env *env,
                                              const double *score, const int8_t *label, int64_t n,
                                              ney_error *err);
NEY_API void ney_roc_free(ney_roc *roc);

/* The area under the curve with DeLong's standard error and an approximate interval: the wider
 * limits of DeLong's on the logit scale and of Newcombe's (2006). No theorem covers small samples;
 * doc/claims.md has the simulated coverage. */
typedef struct ney_auc_result {
    double auc, error, low, high; /* NAN where a class is missing; error NAN with one row a class */
} ney_auc_result;

NEY_API ney_auc_result ney_roc_auc(const ney_roc *roc, double confidence);

/** The area under the curve for false-positive rates from 0 to max_fpr, between points linearly. */
NEY_API double ney_roc_partial_auc(const ney_roc *roc, double max_fpr);

/** The points on the upper convex hull, ascending; `point` has room for roc->n_points. Returns
 * their number. Points on a line between two others are left out. */
NEY_API int64_t ney_roc_hull(const ney_roc *roc, int64_t *point);

/* One operating point with every rate of it. */
typedef struct ney_operating_point {
    double threshold, fpr, tpr, precision; /* precision 1 where nothing is positive */
    double probit_fpr, probit_fnr;         /* the coordinates of a DET plot; may be infinite */
} ney_operating_point;

NEY_API ney_operating_point ney_roc_at(const ney_roc *roc, int64_t k);

/* The cost curve (Drummond and Holte): for each probability-times-cost share of the positives in
 * [0, 1] the least normalised expected cost, a concave chain of segments. */
typedef struct ney_cost_point {
    double share, cost; /* where one operating point takes over from the next */
    int64_t point;      /* of the roc, from here on to the right */
} ney_cost_point;

/** `curve` has room for roc->n_points + 1. Returns the number of points, shares ascending from 0
 * to 1. */
NEY_API int64_t ney_roc_cost_curve(const ney_roc *roc, ney_cost_point *curve, int64_t *hull);

/* Selective prediction: rows are taken in the order of falling distance |score - threshold|. */
typedef struct ney_risk_point {
    double distance;         /* rows at least so far from the threshold */
    int64_t covered, errors; /* how many they are, and how many of them are wrong */
} ney_risk_point;

/** One point a distinct distance; `curve` has room for n. @param[out] n_points  their number. */
NEY_API NEY_MUST_CHECK ney_status ney_risk_coverage(const ney_env *env, const double *score,
                                                    const int8_t *label, int64_t n,
                                                    double threshold, ney_risk_point *curve,
                                                    int64_t *n_points, ney_error *err);

/**
 * The same for a rejection band that grows around `center`: the distance is 0 there and 1 at either
 * end of the band, low < center or high > center being as far as it is; equal ones count as one
 * unit of score away. The decision without rejection is positive from `center` on.
 *
 * @retval NEY_EINVAL  not low <= center <= high.
 */
NEY_API NEY_MUST_CHECK ney_status ney_band_coverage(const ney_env *env, const double *score,
                                                    const int8_t *label, int64_t n, double low,
                                                    double center, double high,
                                                    ney_risk_point *curve, int64_t *n_points,
                                                    ney_error *err);

/** The error-reject ratio at each point: which share of the next rows to be rejected are errors.
 * Rows nearer to the threshold have no smaller share: the shares seen are pooled until this holds.
 * The slope of the error-reject curve there is the ratio with its sign changed. */
NEY_API void ney_error_reject_ratio(const ney_risk_point *curve, int64_t n_points, double *ratio);

/* ---- certificates */

typedef enum ney_error_kind { NEY_FALSE_POSITIVES, NEY_FALSE_NEGATIVES } ney_error_kind;

/* A threshold whose rate of one error is at most `max_rate`, except with probability `delta` over
 * the draw of the calibration rows (spec: the order statistic of "NP umbrella"), for any score
 * function that did not see these rows. */
typedef struct ney_certificate {
    ney_error_kind kind;
    double max_rate, delta;
    int64_t n;    /* calibration rows of the class that may be misclassified */
    int64_t rank; /* the order statistic: threshold is the rank-th smallest score of them, or for
                     false positives the next number above it */
    int64_t misclassified; /* calibration rows that the threshold mistakes, at most n - rank or rank
                              - 1 */
    double threshold;
    double bound;      /* the smallest max_rate that this rank certifies at this delta */
    uint64_t hash;     /* XXH3 of the calibration scores, in the order given */
    int64_t n_groups;  /* calibration groups, where the group is the unit; 0: it is the row */
    double group_rate; /* mean over these groups of the share of their rows that is misclassified */
} ney_certificate;

/** The delta of a confidence: 1 - confidence, rounded to the decimal fraction that is meant (0.0001
 * for 0.9999, where the difference of the doubles is 9.9999999999989e-05). */
NEY_API double ney_delta_of_confidence(double confidence);

/** The delta of each of two independent certificates that hold at once except with probability
 * delta: (1 - each)^2 = 1 - delta. */
NEY_API double ney_delta_of_each(double delta);

/** The fewest calibration rows that can certify a rate: the least n with (1 - max_rate)^n <= delta.
 */
NEY_API double ney_rows_needed(double max_rate, double delta);

/** The smallest rate that n rows can certify at all: 1 - delta^(1/n). */
NEY_API double ney_tightest_rate(int64_t n, double delta);

/** Mistakes among n calibration rows that still certify the rate: the largest r with
 * P(Binomial(n, max_rate) <= r) <= delta, -1 when there is none. */
NEY_API int64_t ney_mistakes_allowed(int64_t n, double max_rate, double delta);

/**
 * Certify a threshold from the scores of one class.
 *
 * @param score  Of the negatives for false positives, of the positives for false negatives.
 * @retval NEY_EGOAL   too few rows: the message says how many are needed and which rate can be had.
 * @retval NEY_EINVAL  a rate or delta outside (0, 1), or a NaN score.
 */
NEY_API NEY_MUST_CHECK ney_status ney_certify(ney_certificate *out, const ney_env *env,
                                              ney_error_kind kind, const double *score, int64_t n,
                                              double max_rate, double delta, ney_error *err);

/**
 * Certify a threshold from the scores of one class where rows come in groups that are independent
 * of each other, such as several rows per patient. What is bounded is the mean over groups of the
 * error rate within a group: the error rate of a random row of a random new group that has rows of
 * the class. Mathematics: doc/math/groups.md.
 *
 * @param group  Equal for rows of one group; see ney_data_keys().
 * @retval NEY_EGOAL   too few groups: as many are needed as ney_rows_needed() says, out->n_groups
 * are there.
 * @retval NEY_EINVAL  as for ney_certify().
 */
NEY_API NEY_MUST_CHECK ney_status ney_certify_groups(ney_certificate *out, const ney_env *env,
                                                     ney_error_kind kind, const double *score,
                                                     const uint64_t *group, int64_t n,
                                                     double max_rate, double delta, ney_error *err);

/* The mean over groups of the mean of a number within a group, such as an error rate, and an
 * interval that covers its expectation. */
typedef struct ney_group_mean {
    double mean; /* NAN without rows */
    double low, high;
    int64_t n, n_groups; /* rows, groups */
} ney_group_mean;

/** The interval covers the mean over all groups there may be with at least this confidence, if
 * groups are independent draws; rows of a group need not be.
 * @param value  From 0 to 1, one per row: 1 for a row that is hit, 0 for one that is not. */
NEY_API NEY_MUST_CHECK ney_status ney_mean_of_groups(ney_group_mean *out, const ney_env *env,
                                                     const double *value, const uint64_t *group,
                                                     int64_t n, double confidence, ney_error *err);

/* What there is too little of, when a rate cannot be certified. */
typedef struct ney_shortage {
    ney_error_kind kind;  /* false positives: of negatives, false negatives: of positives */
    int64_t n;            /* rows there are, or groups */
    double needed;        /* and as many as it takes; 0: their number is not what is wrong */
    double tightest_rate; /* that n of them can certify */
    bool groups;          /* groups are counted, not rows */
} ney_shortage;

/* What certify() found in a score file. */
typedef struct ney_certified {
    bool has_fpr, has_fnr;
    ney_certificate fpr, fnr;
    double low, high;    /* thresholds: negative below low, positive from high on; equal when one */
    ney_counts counts;   /* of the file at these thresholds */
    int64_t n_groups[2]; /* that have negatives, positives; 0: the row is the unit */
    char name[2][64];    /* of the negative and the positive class */
    ney_shortage shortage; /* after NEY_EGOAL, and the names are known then */
    int64_t n_seen;        /* as ney_scores_seen(): above 0 nothing is certified, NEY_EGOAL */
} ney_certified;

/**
 * Certify from a score file without holding it: beside one double a positive, only the negatives
 * that can decide the threshold are kept. A file is read twice for that; a pipe keeps all of them.
 *
 * With both rates the confidence holds for both at once: negatives and positives are independent
 * samples, so each side gets delta' with (1 - delta')^2 = 1 - delta. Where the two thresholds
 * cross, no row need be rejected, and both become the one for false positives.
 *
 * With opts->group the group is the unit, as for ney_certify_groups(): all rows are held in memory,
 * and with both rates each side gets delta / 2, as a group may have rows of both classes.
 *
 * @param max_fpr, max_fnr  NAN for a rate that is not bounded; one of them must be.
 * @retval NEY_EGOAL   too few rows, as out->shortage tells, or scores that no threshold can part,
 * or rows that are marked as used in training: out->n_seen.
 */
NEY_API NEY_MUST_CHECK ney_status ney_certify_file(ney_certified *out, const ney_env *env,
                                                   const char *path, const ney_options *options,
                                                   double max_fpr, double max_fnr, double delta,
                                                   ney_error *err);

/** Write a certificate into a model: its thresholds and its metadata. */
NEY_API NEY_MUST_CHECK ney_status ney_model_certify(ney_model *model,
                                                    const ney_certified *certified, ney_error *err);

/* ---- comparing methods on the same test rows */

typedef struct ney_compare_opts {
    double confidence; /* of each interval; default 0.95 */
    int64_t resamples; /* default 2999 */
    uint64_t seed;     /* default 1 */
} ney_compare_opts;

/* One method against the first one. */
typedef struct ney_difference {
    double value;      /* the method's own rate or mean loss on the test rows */
    double difference; /* value less the first method's */
    double low, high;  /* percentile bootstrap interval of the difference, for this pair alone */
    double p_value;    /* of no difference, two-sided, for this pair alone */
    double p_adjusted; /* by Holm, over all pairs with the first method */
    bool too_few;      /* too few rows or groups for an interval: it is all that is possible, and
                          the p-values are 1 */
} ney_difference;

/**
 * Compare score functions at a matched rate. Each method's threshold is the one that misclassifies
 * as many rows of the bounded class as max_rate allows on these rows; compared is the rate of the
 * other error there. Interval and p-values are from a stratified paired percentile bootstrap that
 * recomputes the thresholds in each resample. They are approximate; doc/claims.md has their
 * simulated coverage. They hold for score functions that did not see these rows, and say nothing
 * about other training rows. Below one misclassified row (max_rate times the rows of the bounded
 * class) nothing is said: too_few.
 *
 * @param score  n_methods arrays of n scores.
 * @param group  Rows with equal keys are dependent and drawn together, with the classes drawn
 *               separately only if no group has rows of both; at least 20 groups of either class,
 *               or too_few. Rates are over rows. NULL: rows are independent.
 * @param opts   NULL for the defaults.
 * @param[out] out  n_methods of them; the first is compared with itself.
 * @retval NEY_EINVAL  fewer than two methods, one class alone, a NaN score, a rate outside [0, 1].
 *
 * The same result for any number of threads. O(resamples * n * n_methods).
 */
NEY_API NEY_MUST_CHECK ney_status ney_compare_rates(ney_difference *out, const ney_env *env,
                                                    const double *const *score, int64_t n_methods,
                                                    const int8_t *label, const uint64_t *group,
                                                    int64_t n, ney_error_kind bounded,
                                                    double max_rate, const ney_compare_opts *opts,
                                                    ney_error *err);

/**
 * Compare mean losses (costs) of the same rows, of decisions that were fixed without these rows: a
 * paired percentile bootstrap of the rows, or of groups of them.
 *
 * @param loss     n_methods arrays of n losses in [0, largest].
 * @param largest  The largest loss that a row can have.
 */
NEY_API NEY_MUST_CHECK ney_status ney_compare_losses(ney_difference *out, const ney_env *env,
                                                     const double *const *loss, int64_t n_methods,
                                                     const uint64_t *group, int64_t n,
                                                     double largest, const ney_compare_opts *opts,
                                                     ney_error *err);

/* What certification costs, before any data are there. */
typedef struct ney_plan_point {
    int64_t n;             /* calibration rows */
    int64_t rank;          /* the order statistic used; 0 when n is too few */
    double expected_rate;  /* of the error, at the certified threshold: mistakes + 1 over n + 1 */
    double expected_power; /* detection there, on a binormal curve through (max_rate, power) */
} ney_plan_point;

/** @param power  Detection rate at exactly max_rate, in (max_rate, 1). */
NEY_API ney_plan_point ney_plan_at(int64_t n, double max_rate, double delta, double power);

/* ---- watching bounded rates */

/* A watch over one or both rates of a score function that decides at two thresholds: positive when
 * score >= high, negative when score < low. Each rate has a test martingale, so that the alarm may
 * be looked at after every row. One thread at a time may use a handle. */
typedef struct ney_monitor ney_monitor;

typedef struct ney_monitor_opts {
    double max_fpr, max_fnr; /* NAN: not watched; one of them is */
    double low, high;        /* the thresholds */
    double delta;            /* chance of a false alarm, ever; in (0, 0.5] */
    int64_t window;          /* rows of each watched class to renew on; 0: ten times the fewest that
                                can certify the rate */
    uint64_t fingerprint;    /* of what is watched, see ney_model_fingerprint() */
} ney_monitor_opts;

typedef struct ney_monitor_rate {
    bool watched;
    double max_rate, delta;    /* delta: this rate's share, half where both are watched */
    int64_t n, errors;         /* rows of its class, and those misclassified */
    double log_evidence;       /* log of the test martingale; the alarm is at -log(delta) */
    int64_t alarm_row;         /* of all rows, the one that raised its alarm, from 1; 0: none */
    int64_t window, collected; /* rows of its class to renew on; those since the alarm */
} ney_monitor_rate;

typedef struct ney_monitor_info {
    int64_t n_pos, n_neg;
    int64_t alarm_row; /* of the first alarm, from 1; 0: none. An alarm stays. */
    bool renewable;    /* the windows are full: ney_monitor_certify() has its rows */
    ney_monitor_rate fpr, fnr;
} ney_monitor_info;

/**
 * Begin a watch. If every row of a watched class is misclassified with probability at most its
 * bound, given all rows before it, an alarm is ever raised with probability at most delta. The rows
 * need not be independent; which rows are seen must not depend on their labels.
 *
 * @retval NEY_EINVAL  no rate, a rate outside (0, 1), delta outside (0, 0.5], low above high.
 * @retval NEY_EGOAL   a window too small to certify its rate.
 */
NEY_API NEY_MUST_CHECK ney_status ney_monitor_new(ney_monitor **out, const ney_env *env,
                                                  const ney_monitor_opts *opts, ney_error *err);
NEY_API void ney_monitor_free(ney_monitor *monitor);

/** Begin again, with other options; a state file stays open and is written by the next
 * ney_monitor_save(). On failure nothing changes. */
NEY_API NEY_MUST_CHECK ney_status ney_monitor_restart(ney_monitor *monitor,
                                                      const ney_monitor_opts *opts, ney_error *err);

/**
 * Take rows in, in their order, up to and including the one that raises an alarm or fills the last
 * window.
 *
 * @param[out] taken   How many; fewer than n after such a row, which may be the last.
 * @retval NEY_EINVAL  a score is NaN; the rows before it were taken.
 */
NEY_API NEY_MUST_CHECK ney_status ney_monitor_add(ney_monitor *monitor, const double *score,
                                                  const int8_t *label, int64_t n, int64_t *taken,
                                                  ney_error *err);

NEY_API ney_monitor_info ney_monitor_look(const ney_monitor *monitor);

/**
 * New thresholds from the rows after the alarm alone: the first `window` of each watched class. The
 * alarm comes at a stopping time, so the certificate is valid if these rows are drawn as future
 * ones are: if what changed had changed before the alarm. Both rates are kept where both are
 * watched.
 *
 * @retval NEY_EGOAL  rows are missing, or scores that no threshold can part.
 */
NEY_API NEY_MUST_CHECK ney_status ney_monitor_certify(const ney_monitor *monitor,
                                                      ney_certified *certified, ney_error *err);

/**
 * Keep the watch in a file, so that the guarantee is over all runs together: go on from it, or make
 * it where there is none. Until ney_monitor_free() no other process can open the same file.
 *
 * @retval NEY_EFORMAT  damaged, or of another fingerprint, bound, delta, threshold or window.
 * @retval NEY_EIO      it cannot be read or written, or another process uses it.
 */
NEY_API NEY_MUST_CHECK ney_status ney_monitor_open(ney_monitor *monitor, const char *path,
                                                   ney_error *err);
/** Write it, whole or not at all. @retval NEY_EINVAL  no file was opened. */
NEY_API NEY_MUST_CHECK ney_status ney_monitor_save(const ney_monitor *monitor, ney_error *err);

/**
 * Renew a model's thresholds as ney_monitor_certify() finds them. Its certificate says so; scores
 * kept for conformal p-values, which are from before the alarm, are dropped.
 */
NEY_API NEY_MUST_CHECK ney_status ney_model_renew(ney_model *model, const ney_monitor *monitor,
                                                  ney_certified *certified, ney_error *err);

/** A number that tells models apart: a hash (XXH3) of the bytes of its file. */
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
    int kind;                   /* ney_fdr_kind */
    bool plus_one, no_plus_one; /* the default stated; D for D + 1, and n- for n- + 1 */
    bool compete;               /* one decoy competed with each target: f = 1 */
    bool no_compete;            /* ney_qvalues_competed() lets no rows compete */
    bool size_correct;          /* the default stated: f is not 1 */
} ney_qvalue_opts;

/** The estimate as a formula, such as "(D + 1) / T". */
NEY_API const char *ney_qvalue_formula(const ney_qvalue_opts *opts);

/** f as above, for so many targets and decoys in all. */
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
 * The probability that a target of this score is false, for every row: a monotone fit, see
 * doc/decide.md. Never 0.
 */
NEY_API NEY_MUST_CHECK ney_status ney_peps(const ney_env *env, const double *score,
                                           const int8_t *label, int64_t n,
                                           const ney_qvalue_opts *opts, double *pep,
                                           ney_error *err);

/**
 * The best row of each group: target-decoy competition, where groups are spectra. Of rows of equal
 * score the first wins, of a target and a decoy either with probability 1/2.
 *
 * @param      key   The same for rows of one group; see ney_data_keys().
 * @param[out] best  One a row.
 */
NEY_API NEY_MUST_CHECK ney_status ney_best_of_groups(const ney_env *env, const double *score,
                                                     const int8_t *label, const uint64_t *key,
                                                     int64_t n, bool *best, ney_error *err);

/** Why the estimate has the factor f that it has. */
typedef enum ney_fdr_basis {
    NEY_BASIS_ROWS,      /* no rows compete: f = n+ / (n- + 1) */
    NEY_BASIS_PAIRS,     /* every group has as many decoys as targets: f = 1 */
    NEY_BASIS_STATED,    /* the caller says that one decoy competed with each target: f = 1 */
    NEY_BASIS_BALANCED,  /* at least 40 % of the low-scoring winners are decoys: f = 1 */
    NEY_BASIS_UNBALANCED /* fewer are: f = n+ / (n- + 1) of the winners */
} ney_fdr_basis;

/** "no competition", "pairs", "stated", "balanced" or "unbalanced". */
NEY_API const char *ney_fdr_basis_text(ney_fdr_basis basis);

/* What a competition came to. */
typedef struct ney_competition {
    ney_fdr_basis basis;
    ney_qvalue_opts estimate;   /* the one used: f = 1 where `compete` is set */
    int64_t n_groups, n_paired; /* groups, and those with as many decoys as targets */
    int64_t n_pos, n_neg;       /* winners */
    int64_t n_low, low_decoys;  /* the lowest-scoring quarter of the winners, and its decoys */
} ney_competition;

/**
 * q-values after target-decoy competition, by the estimate that suits what the groups hold. Rows
 * that lose have the q-value 1, and so has their error probability.
 *
 * @param      key     Groups of rows that compete; NULL: none is known, and no row competes.
 * @param      within  Groups of winners to be estimated separately; NULL: all together.
 * @param[out] q       n numbers.
 * @param[out] pep     n numbers, or NULL.
 * @param[out] best    Which rows win, or NULL.
 * @param[out] result  Or NULL.
 * @retval NEY_EINVAL  options exclude each other, or size_correct is set where f is 1.
 */
NEY_API NEY_MUST_CHECK ney_status ney_qvalues_competed(const ney_env *env, const double *score,
                                                       const int8_t *label, const uint64_t *key,
                                                       const uint64_t *within, int64_t n,
                                                       const ney_qvalue_opts *opts, double *q,
                                                       double *pep, bool *best,
                                                       ney_competition *result, ney_error *err);

/** q-values and, unless `pep` is NULL, error probabilities of each group by itself. */
NEY_API NEY_MUST_CHECK ney_status ney_qvalues_by_group(const ney_env *env, const double *score,
                                                       const int8_t *label, const uint64_t *key,
                                                       int64_t n, const ney_qvalue_opts *opts,
                                                       double *q, double *pep, ney_error *err);

/* ------------------------------------------------------------------ statements about results */

enum { NEY_GUARANTEE_TEXT = 640 };

/* One certificate, or two that hold at once. */
typedef struct ney_guarantee {
    const ney_certificate *fpr, *fnr; /* NULL where that rate is not bounded */
    double confidence;                /* of the whole sentence */
    const char *negative, *positive;  /* names of the classes, NULL: none */
    const char *evidence;             /* what the rows are called: "held-out", "calibration" */
} ney_guarantee;

/** "At most 1 % of negatives ('ham') are flagged as positive, with 95 % confidence" */
NEY_API void ney_guarantee_claim(char text[NEY_GUARANTEE_TEXT], const ney_guarantee *guarantee);
/** The claim and, in parentheses, the evidence. */
NEY_API void ney_guarantee_text(char text[NEY_GUARANTEE_TEXT], const ney_guarantee *guarantee);

#ifdef __cplusplus
}
#endif

#endif
