/* Monitoring by subgroups, drift of scores without labels, and score files as streams with more
 * columns. EXPERIMENTAL: anything here may change in any release (VERSIONING.md). */
#ifndef NEYMAN_EXPERIMENTAL_MONITOR_H
#define NEYMAN_EXPERIMENTAL_MONITOR_H

#include <neyman/decide.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- score files as streams */

typedef struct ney_score_stream_opts {
    const char *by;            /* a column whose text is given with each row; NULL: none */
    bool unlabelled;           /* labels are not read and need not be there; all are given as -1 */
    const char *score, *label; /* columns, by name or number; NULL: score and label */
    const char *delimiter, *decimal; /* as the options of reading; NULL: recognised, '.' */
} ney_score_stream_opts;

/** As ney_score_stream_open(), with options; NULL for none of them. A file without header whose
 * labels are not read may also have one column, the scores. */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_score_stream_open_with(
    ney_score_stream **out, const ney_env *env, const char *path,
    const ney_preprocessing *preprocessing, const ney_score_stream_opts *opts, ney_error *err);

/** The text of column `by` in the rows that ney_score_stream_next() gave last, as long borrowed;
 * NULL where the stream has no such column. */
NEY_EXPERIMENTAL const char *const *ney_score_stream_names(const ney_score_stream *stream);

/* ---- subgroups */

/* A subgroup of a monitor. */
typedef struct ney_subgroup_info {
    const char *name; /* borrowed */
    int64_t n_pos, n_neg;
    ney_monitor_rate fpr, fnr;
} ney_subgroup_info;

/**
 * Also test the rates of each value of a column, a subgroup, against the monitor's bounds. If in
 * every subgroup, and in all rows together, each row is misclassified with probability at most its
 * bound given the rows before it, an alarm is ever raised with probability at most delta. If that
 * holds for some of them only, this is the probability of an alarm of these. All rows together have
 * half of delta, the k-th subgroup to arrive 1 / (2 k (k + 1)) of it. Called once, before rows and
 * state file.
 *
 * @retval NEY_EINVAL  the monitor is in use.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_monitor_watch_by(ney_monitor *monitor,
                                                                const char *column, ney_error *err);

/** As ney_monitor_add(), with the name of the subgroup of each row; `group` and `within` are not
 * read. @retval NEY_EINVAL  also: more than 1000 subgroups. */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_monitor_add_by(ney_monitor *monitor,
                                                              const ney_labelled_scores *rows,
                                                              const char *const *name,
                                                              int64_t *taken, ney_error *err);

/** The number of subgroups so far, and one of them, in the order of their first rows. False where
 * there is none. */
NEY_EXPERIMENTAL int64_t ney_monitor_subgroups(const ney_monitor *monitor);
NEY_EXPERIMENTAL bool ney_monitor_subgroup(const ney_monitor *monitor, int64_t k,
                                           ney_subgroup_info *info);

/* ---- drift of scores */

/* A test of whether scores of new rows come from the distribution of reference scores, without
 * labels. One thread at a time may use a handle. */
typedef struct ney_drift ney_drift;

typedef struct ney_drift_opts {
    double delta;         /* probability that a false alarm is ever raised; in (0, 0.5] */
    uint64_t fingerprint; /* of the model, see ney_model_fingerprint() */
    uint64_t seed;        /* of the random numbers that break ties */
} ney_drift_opts;

/* State of a test of drift. */
typedef struct ney_drift_info {
    int64_t n_reference, n; /* reference rows, rows added */
    int64_t n_bins;         /* intervals of scores that rows are counted in */
    double delta;
    double log_evidence; /* log of the test martingale, evaluated after each of the first 256 rows
                            and then 128 times while their number doubles; alarm at -log(delta) */
    int64_t alarm_row;   /* number of the row at which the alarm was raised, from 1; 0: no alarm */
} ney_drift_info;

/**
 * A new test. Free with ney_drift_free(). If the reference rows and the rows added are
 * exchangeable (such as independent draws from one distribution) and the score function does not
 * depend on any of them, an alarm is ever raised with probability at most delta.
 *
 * @retval NEY_EINVAL  delta outside (0, 0.5], a score that is NaN.
 * @retval NEY_EGOAL   fewer than 20 reference scores.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_drift_new(ney_drift **out, const ney_env *env,
                                                         const double *reference, int64_t n,
                                                         const ney_drift_opts *opts,
                                                         ney_error *err);
/** NULL is allowed. */
NEY_EXPERIMENTAL void ney_drift_free(ney_drift *drift);

/** Add scores in their order, up to and including the one that raises an alarm; *taken is their
 * number. @retval NEY_EINVAL  a score is NaN; the scores before it were added. */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_drift_add(ney_drift *drift, const double *score,
                                                         int64_t n, int64_t *taken, ney_error *err);

/** The state of a test; zeros for NULL. */
NEY_EXPERIMENTAL ney_drift_info ney_drift_look(const ney_drift *drift);

/** Interval k of the scores, from the lowest: the highest score in it (INFINITY for the last) and
 * the share of rows in it, of the reference and of all rows added. False where there is none. */
NEY_EXPERIMENTAL bool ney_drift_bin(const ney_drift *drift, int64_t k, double *high,
                                    double *expected, double *observed);

/** As ney_monitor_open() and ney_monitor_save(), for a test of drift.
 * @retval NEY_EFORMAT  damaged, or of another fingerprint, delta or reference. */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_drift_open(ney_drift *drift, const char *path,
                                                          ney_error *err);
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_drift_save(const ney_drift *drift, ney_error *err);

/** Scores of rows that the model has not seen, drawn regardless of the class ('train --calibrate'),
 * into new memory; *scores is NULL where the model has none that are valid as a reference.
 * Free with ney_reference_free(). */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_model_reference(const ney_model *model,
                                                               double **scores, int64_t *n,
                                                               ney_error *err);
NEY_EXPERIMENTAL void ney_reference_free(const ney_model *model, double *scores);

#ifdef __cplusplus
}
#endif

#endif
