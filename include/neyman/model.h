/* Models: reading, writing, exporting, scoring; conformal p-values. */
#ifndef NEYMAN_MODEL_H
#define NEYMAN_MODEL_H

#include <neyman/data.h>
#include <neyman/options.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A trained model: preprocessing, score function and thresholds. Any number
 * of threads may read it while none changes it. */
typedef struct ney_model ney_model;

/** A linear model f(x) = w'x + b; `preprocessing` is copied and determines the number of weights.
 */
NEY_API NEY_MUST_CHECK ney_status ney_model_new_linear(ney_model **out, const ney_env *env,
                                                       const ney_preprocessing *preprocessing,
                                                       const double *weight, double intercept,
                                                       ney_error *err);
typedef enum ney_kernel_kind {
    NEY_KERNEL_LINEAR, /* x'z */
    NEY_KERNEL_RBF,    /* exp(-gamma |x - z|^2) */
    NEY_KERNEL_POLY,   /* (gamma x'z + coef0)^degree */
    NEY_KERNEL_SIGMOID /* tanh(gamma x'z + coef0) */
} ney_kernel_kind;

typedef struct ney_kernel {
    int kind; /* ney_kernel_kind */
    double gamma, coef0;
    int64_t degree;
} ney_kernel;

/**
 * A kernel model f(x) = sum_i coefficient_i k(support_i, x) + b. Everything is copied.
 *
 * @param support  Rows of features, after preprocessing.
 */
NEY_API NEY_MUST_CHECK ney_status ney_model_new_kernel(ney_model **out, const ney_env *env,
                                                       const ney_preprocessing *preprocessing,
                                                       const ney_kernel *kernel,
                                                       const ney_matrix *support,
                                                       const double *coefficient, double intercept,
                                                       ney_error *err);
NEY_API void ney_model_free(ney_model *model);

NEY_API NEY_MUST_CHECK ney_status ney_model_read(ney_model **out, const ney_env *env,
                                                 const char *path, ney_error *err);
/** From memory. @param name  what errors call it. */
NEY_API NEY_MUST_CHECK ney_status ney_model_parse(ney_model **out, const ney_env *env,
                                                  const char *name, const char *text, size_t n_text,
                                                  ney_error *err);
/** The file appears whole or not at all; "-" is standard output. */
NEY_API NEY_MUST_CHECK ney_status ney_model_write(const ney_model *model, const char *path,
                                                  ney_error *err);
/** To memory from the model's allocator; free with ney_model_text_free(). */
NEY_API NEY_MUST_CHECK ney_status ney_model_format(const ney_model *model, char **text,
                                                   size_t *n_text, ney_error *err);
NEY_API void ney_model_text_free(const ney_model *model, char *text);

NEY_API const char *ney_model_family(
    const ney_model *model); /* "linear", "kernel", "features" or "network" */
NEY_API const ney_preprocessing *ney_model_preprocessing(const ney_model *model);
/** The weights of a linear model and its intercept; NULL for other families. */
NEY_API const double *ney_model_weights(const ney_model *model, double *intercept);

/** The parts of a kernel model, borrowed; false for other families. */
NEY_API bool ney_model_kernel(const ney_model *model, ney_kernel *kernel, ney_matrix *support,
                              const double **coefficient, double *intercept);

typedef enum ney_exchange { NEY_EXCHANGE_LIBSVM, NEY_EXCHANGE_LIBLINEAR } ney_exchange;

/**
 * Write a model for svm-predict or liblinear-predict, which then give the same labels to features
 * as they stand in a file, except where a score is within rounding of the threshold. The threshold
 * is folded in, scaling where it can be; ney_model_read() reads both formats back. The file appears
 * whole or not at all; "-" is standard output.
 *
 * @retval NEY_EINVAL  the format cannot hold the model: a family other than linear and kernel, a
 *                     kernel in a LIBLINEAR file, a rejection band, fold models, conformal
 *                     calibration, filled cells, a label that is not a whole number, scaling of
 *                     rows to unit length or of the columns under a kernel.
 */
NEY_API NEY_MUST_CHECK ney_status ney_model_export(const ney_model *model, const char *path,
                                                   ney_exchange format, ney_error *err);

/**
 * Write a model of any family as one C99 source file that needs nothing but the standard library:
 * the preprocessing (filling, categories, scaling), the score and the decision, with functions
 * NAME_score(), NAME_predict() and NAME_label(). Its first comment says which columns are expected.
 * Features are computed as ney_data_read() does, rounding included; scores of a linear model are
 * the same bit for bit unless the compiler fuses operations, those of other families are sums in
 * double. The file appears whole or not at all; "-" is standard output.
 *
 * @param name  What its names begin with, a C identifier of at most 60 characters; NULL: "model".
 * @retval NEY_EINVAL  not a valid name, a column's name or category exceeds 1000 bytes, or the
 *                     model has fold models or conformal calibration.
 */
NEY_API NEY_MUST_CHECK ney_status ney_model_export_c(const ney_model *model, const char *path,
                                                     const char *name, ney_error *err);

/**
 * Write everything that a model holds as one JSON object, described in doc/formats.md: labels,
 * preprocessing, thresholds, the score function of any family, fold models, conformal calibration,
 * summary and certificate. The file appears whole or not at all; "-" is standard output.
 *
 * @retval NEY_EINVAL  a name is not UTF-8.
 */
NEY_API NEY_MUST_CHECK ney_status ney_model_export_json(const ney_model *model, const char *path,
                                                        ney_error *err);

/** Positive when score >= high, negative when score < low, rejected between; low <= high. */
NEY_API void ney_model_thresholds(const ney_model *model, double *low, double *high);
NEY_API NEY_MUST_CHECK ney_status ney_model_set_thresholds(ney_model *model, double low,
                                                           double high, ney_error *err);

/* A model carries two lists of metadata that travel with its file: the training summary and the
 * certificate. Keys are lower-case words joined by "_"; an item is a number or a text. */
typedef enum ney_list { NEY_LIST_SUMMARY, NEY_LIST_CERTIFICATE } ney_list;

NEY_API NEY_MUST_CHECK ney_status ney_model_set_number(ney_model *model, ney_list list,
                                                       const char *key, double value,
                                                       ney_error *err);
NEY_API NEY_MUST_CHECK ney_status ney_model_set_text(ney_model *model, ney_list list,
                                                     const char *key, const char *text,
                                                     ney_error *err);
/** Fact `k` of a list, in the order set. *text is NULL for a number. False when there is none. */
NEY_API bool ney_model_metadata(const ney_model *model, ney_list list, int64_t k, const char **key,
                                double *value, const char **text);

/* ---- prediction */

/**
 * Scores and decisions of raw rows, through the model's preprocessing: what `neyman predict
 * --scores` writes of the same rows in a file, bit for bit. Columns are matched as
 * ney_data_from_array() does. Takes some megabytes beside the results, whatever the number of rows.
 *
 * @param[out] score     One per row; NULL: not wanted.
 * @param[out] decision  One per row: +1, -1, or 0 for a row that is rejected; NULL: not wanted.
 * @retval NEY_EINVAL      as of ney_data_from_array(); the message names row and column.
 * @retval NEY_ENUMERIC    a score is not finite.
 * @retval NEY_ECANCELLED  poll asked for a stop. After any failure the results are undefined.
 *
 * Any number of threads may predict with one model at once, each with an environment of its own.
 */
NEY_API NEY_MUST_CHECK ney_status ney_predict(const ney_model *model, const ney_env *env,
                                              const ney_array *x, double *score, int8_t *decision,
                                              ney_error *err);

/* Prediction of rows as they come, as text or as arrays, in memory that does not grow with their
 * number. One thread at a time may use a handle; several handles may share a model. */
typedef struct ney_predictor ney_predictor;

/**
 * @param env      Kept by the handle.
 * @param model    Borrowed: it must outlive the handle.
 * @param options  Of these the options of reading count, and others must be at their defaults. NULL
 *                 for the defaults.
 */
NEY_API NEY_MUST_CHECK ney_status ney_predictor_new(ney_predictor **out, const ney_env *env,
                                                    const ney_model *model,
                                                    const ney_options *options, ney_error *err);
NEY_API void ney_predictor_free(ney_predictor *predictor);

/* Each of these scores the rows that it completes, and replaces the results of the call before.
 * After a failure the handle takes no more. */

/** Some bytes of text, in any format that ney_data_read() takes, not compressed; the cuts may be
 * anywhere. A row is scored once its line is complete; the first needs two lines. */
NEY_API NEY_MUST_CHECK ney_status ney_predictor_feed(ney_predictor *predictor, const void *bytes,
                                                     size_t n_bytes, ney_error *err);
/** The text has ended: its last line need not end with a newline. */
NEY_API NEY_MUST_CHECK ney_status ney_predictor_end(ney_predictor *predictor, ney_error *err);
/** Rows of an array, as ney_predict() takes them. */
NEY_API NEY_MUST_CHECK ney_status ney_predictor_feed_rows(ney_predictor *predictor,
                                                          const ney_array *x, ney_error *err);

/** The number of rows that the last of these calls scored, and their scores and decisions, borrowed
 * until the next one; NULL for either that is not wanted. */
NEY_API int64_t ney_predictor_result(const ney_predictor *predictor, const double **score,
                                     const int8_t **decision);

/**
 * Scores of FEATURES: rows that went through the model's preprocessing already. Raw rows, as they
 * stand in a file, get WRONG scores here without any notice: use ney_predict() for these. The
 * matrix of data that were read or made with the model's preprocessing (ney_data_matrix()) is what
 * belongs here.
 * A row may have fewer columns than the model (they count as zero) or more (they are ignored).
 * A row has one score, bit for bit on one machine and build, whatever its storage (dense, sparse,
 * zeros stored or not), its place, the other rows and the number of threads.
 */
NEY_API NEY_MUST_CHECK ney_status ney_model_score(const ney_model *model, const ney_env *env,
                                                  const ney_matrix *x, double *score,
                                                  ney_error *err);

/** How many models of a cross-validation the model carries, whose mean it is; 0: none. */
NEY_API int64_t ney_model_fold_count(const ney_model *model);

/**
 * Scores of data read with the model's preprocessing. Rows that a model with folds was learned
 * from, told by their keys, are scored by the one of its models that has not seen them; all others
 * as by ney_model_score().
 *
 * @param[out] n_known  Rows that were told by their keys.
 * @retval NEY_EINVAL   the data have not gone through the preprocessing that the model has.
 */
NEY_API NEY_MUST_CHECK ney_status ney_model_score_data(const ney_model *model, const ney_env *env,
                                                       const ney_data *data, double *score,
                                                       int64_t *n_known, ney_error *err);

/**
 * Whether these are the rows that the model was trained on (held-out rows included): all of them,
 * in any order, told by a checksum that ney_train() and ney_tune() keep in the model. False for a
 * part of them, and for models without one: those of the online method, and those with folds.
 */
NEY_API bool ney_model_trained_on(const ney_model *model, const ney_data *data);

/* ---- training rows
 *
 * A model keeps a fingerprint of its training rows, held-out rows included: the 4096 smallest
 * hashes of their features, and how many rows have each. It says of other rows whether they were
 * used in training. Rows that repeat training rows by chance belong to the distribution: they are
 * never dropped, and the answer is about all rows together. */

/* What a comparison with training rows found. */
typedef struct ney_reuse {
    int64_t rows, training; /* that were compared, and trained on */
    int64_t compared;       /* rows whose hash is small enough to be kept if it was trained on */
    int64_t equal;          /* of these, rows that equal a training row */
    double estimate;        /* rows in all that do; exact where compared = rows */
    bool reused; /* more are equal than chance repeats between independent samples explain */
    double log_evidence, log_needed; /* reused: the first is at least the second */
} ney_reuse;

/** Whether a model has a fingerprint: of how many rows, and how many hashes it keeps. */
NEY_API bool ney_model_training_rows(const ney_model *model, int64_t *rows, int64_t *hashes);

/** Add rows to the fingerprint of a model, which gets one if it has none. ney_train(), ney_tune(),
 * ney_update() and ney_train_cache() do so, unless no_fingerprint is set. */
NEY_API NEY_MUST_CHECK ney_status ney_model_add_training_rows(ney_model *model,
                                                              const ney_data *data, ney_error *err);

/**
 * Whether rows were used to train a model. If the rows are independent of the training rows, of
 * whatever distribution, `reused` is true with probability at most 1e-6.
 *
 * @param data       Read with the model's preprocessing.
 * @param[out] seen  For every row 1: used in training, 0: not, -1: cannot be told; 1 for no row
 *                   unless `reused`. May be NULL.
 * @retval NEY_EINVAL  the model has no fingerprint.
 */
NEY_API NEY_MUST_CHECK ney_status ney_model_find_reuse(const ney_model *model, const ney_data *data,
                                                       int8_t *seen, ney_reuse *out,
                                                       ney_error *err);

/** The same for two data sets with the same preprocessing. */
NEY_API NEY_MUST_CHECK ney_status ney_data_find_reuse(const ney_data *training,
                                                      const ney_data *data, ney_reuse *out,
                                                      ney_error *err);

/* ---- conformal p-values */

/**
 * Keep the scores of labelled rows that the model has not learned from, to count p-values among.
 * They travel with its file.
 *
 * @retval NEY_EINVAL  a class has no row, or a score is NaN.
 */
NEY_API NEY_MUST_CHECK ney_status ney_model_calibrate(ney_model *model, const double *score,
                                                      const int8_t *label, int64_t n,
                                                      ney_error *err);
/** The same for rows that come in groups; NULL for `group` as above. The p-values are those of a
 * random row of a new group then: 1 plus the sum over groups of the share of a group's rows at
 * least as unlike the class, over the number of groups plus 1. */
NEY_API NEY_MUST_CHECK ney_status ney_model_calibrate_groups(ney_model *model, const double *score,
                                                             const int8_t *label,
                                                             const uint64_t *group, int64_t n,
                                                             ney_error *err);
/** Whether groups are the unit of the p-values, and how many have rows of either class. */
NEY_API bool ney_model_calibrated_groups(const ney_model *model, int64_t *n_pos, int64_t *n_neg);
/** Whether a model has such scores, and how many of either class. */
NEY_API bool ney_model_calibrated(const ney_model *model, int64_t *n_pos, int64_t *n_neg);

/**
 * For each score two p-values: that of a positive is the share of positives, itself included, that
 * score no higher; that of a negative the share of negatives that score no lower. If the row is
 * drawn like the calibration rows of its class, the p-value of its class is e or less with
 * probability e at most: the classes with p > e hold the true one with probability 1 - e or more,
 * in either class.
 *
 * @retval NEY_EINVAL  the model is not calibrated.
 */
NEY_API NEY_MUST_CHECK ney_status ney_model_p_values(const ney_model *model, const double *score,
                                                     int64_t n, double *p_pos, double *p_neg,
                                                     ney_error *err);

#ifdef __cplusplus
}
#endif

#endif
