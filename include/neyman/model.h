/* Models: reading, writing, exporting, scoring; conformal p-values. */
#ifndef NEYMAN_MODEL_H
#define NEYMAN_MODEL_H

#include <neyman/data.h>
#include <neyman/options.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A trained model: preprocessing, score function and thresholds. Any number of threads may read it,
 * predict with it included, while none changes it (ney_model_set_...(), ney_model_calibrate(),
 * ney_model_certify(), ney_model_renew()). */
typedef struct ney_model ney_model;

/** A linear model f(x) = w'x + b with threshold 0. @param preprocessing  Copied; its number of
 * features is that of the weights. @retval NEY_EINVAL  a number that is not finite. */
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

/* A kernel and its parameters; those that the kernel does not have are ignored. */
typedef struct ney_kernel {
    ney_kernel_kind kind;
    double gamma, coef0;
    int64_t degree;
} ney_kernel;

/**
 * A kernel model f(x) = sum_i coefficient_i k(support_i, x) + b with threshold 0. Arguments are
 * copied.
 *
 * @param support  Rows of features, after preprocessing. @param coefficient  One per row of them.
 * @retval NEY_EINVAL  unknown kernel, a number that is not finite, or more columns than features.
 */
NEY_API NEY_MUST_CHECK ney_status ney_model_new_kernel(ney_model **out, const ney_env *env,
                                                       const ney_preprocessing *preprocessing,
                                                       const ney_kernel *kernel,
                                                       const ney_matrix *support,
                                                       const double *coefficient, double intercept,
                                                       ney_error *err);
/** NULL is allowed. */
NEY_API void ney_model_free(ney_model *model);

/** Read a model file, also one of LIBSVM or LIBLINEAR with two classes. @retval NEY_EIO
 * @retval NEY_EPARSE, NEY_EFORMAT  err has file, line and what was expected. */
NEY_API NEY_MUST_CHECK ney_status ney_model_read(ney_model **out, const ney_env *env,
                                                 const char *path, ney_error *err);
/** As ney_model_read(), from memory. @param name  Stands for the file in errors. */
NEY_API NEY_MUST_CHECK ney_status ney_model_parse(ney_model **out, const ney_env *env,
                                                  const char *name, const char *text, size_t n_text,
                                                  ney_error *err);
/** Write a model file; "-" is standard output. The file is replaced as a whole or not at all.
 * @retval NEY_EIO */
NEY_API NEY_MUST_CHECK ney_status ney_model_write(const ney_model *model, const char *path,
                                                  ney_error *err);
/** The bytes of the model's file in memory, allocated with the environment of the model; free with
 * ney_model_text_free(). */
NEY_API NEY_MUST_CHECK ney_status ney_model_format(const ney_model *model, char **text,
                                                   size_t *n_text, ney_error *err);
/** NULL is allowed for `text`. */
NEY_API void ney_model_text_free(const ney_model *model, char *text);

/** "linear", "kernel", "features" or "network"; a static string. */
NEY_API const char *ney_model_family(const ney_model *model);
/** The preprocessing of the model, borrowed. */
NEY_API const ney_preprocessing *ney_model_preprocessing(const ney_model *model);
/** The weights of a linear model, borrowed, and its intercept; NULL for other families.
 * @param[out] intercept  May be NULL. */
NEY_API const double *ney_model_weights(const ney_model *model, double *intercept);

/** The parts of a kernel model, borrowed; false for other families. */
NEY_API bool ney_model_kernel(const ney_model *model, ney_kernel *kernel, ney_matrix *support,
                              const double **coefficient, double *intercept);

typedef enum ney_exchange { NEY_EXCHANGE_LIBSVM, NEY_EXCHANGE_LIBLINEAR } ney_exchange;

/**
 * Write a model for svm-predict or liblinear-predict. They predict the labels that the model does
 * for raw rows, except where a score is within rounding of the threshold: the intercept includes
 * the threshold, and the weights the scaling where that is possible. ney_model_read() reads both
 * formats. The file is replaced as a whole or not at all; "-" is standard output.
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
 * Write the header of the file that ney_model_export_c() writes under the same `name`: its
 * functions, the values of NAME_predict(), the number of columns NAME_INPUTS. For C99 and C++.
 *
 * @retval NEY_EINVAL  as ney_model_export_c()
 */
NEY_API NEY_MUST_CHECK ney_status ney_model_export_c_header(const ney_model *model,
                                                            const char *path, const char *name,
                                                            ney_error *err);

/**
 * Write everything that a model holds as one JSON object, described in doc/reference/formats.md:
 * labels, preprocessing, thresholds, the score function of any family, fold models, conformal
 * calibration, summary and certificate. The file appears whole or not at all; "-" is standard
 * output.
 *
 * @retval NEY_EINVAL  a name is not UTF-8.
 */
NEY_API NEY_MUST_CHECK ney_status ney_model_export_json(const ney_model *model, const char *path,
                                                        ney_error *err);

/**
 * Write a model as one ONNX file (opset 18): the preprocessing, the score function and the
 * decision. Input `x` is a double matrix of the cells of rows, unscaled, one column per column of
 * the model; a column of words takes the position of the word in the model's list, -1 for any
 * other. Outputs are `score` (double), `decision` (1, -1, 0 for rejected) and `label` (text).
 * Scores are sums in double precision and differ from ney_model_score() by rounding. The file
 * appears whole or not at all; "-" is standard output.
 *
 * @retval NEY_EINVAL  the family has no form in ONNX; the model has no features, fold models or
 *                     conformal calibration; a name is not UTF-8; the file would exceed 2 GB.
 */
NEY_API NEY_MUST_CHECK ney_status ney_model_export_onnx(const ney_model *model, const char *path,
                                                        ney_error *err);

/** Positive when score >= high, negative when score < low, rejected between; low <= high. */
NEY_API void ney_model_thresholds(const ney_model *model, double *low, double *high);
/** Set both. @retval NEY_EINVAL  NaN, or low > high; the model is unchanged. */
NEY_API NEY_MUST_CHECK ney_status ney_model_set_thresholds(ney_model *model, double low,
                                                           double high, ney_error *err);

/* Metadata of a model, stored in its file. Keys are lower-case words joined by "_"; an item is a
 * number or a text. */
typedef enum ney_metadata_kind {
    NEY_METADATA_SUMMARY,    /* the training summary */
    NEY_METADATA_CERTIFICATE /* the certificate */
} ney_metadata_kind;

/** Add or replace a number. @retval NEY_EINVAL  not a valid key, or not a finite number. */
NEY_API NEY_MUST_CHECK ney_status ney_model_set_number(ney_model *model, ney_metadata_kind list,
                                                       const char *key, double value,
                                                       ney_error *err);
/** Add or replace a text of one line, which is copied. @retval NEY_EINVAL  not a valid key or text.
 */
NEY_API NEY_MUST_CHECK ney_status ney_model_set_text(ney_model *model, ney_metadata_kind list,
                                                     const char *key, const char *text,
                                                     ney_error *err);
/** Item `k` (from 0), in the order set: its key, and its number or its text, borrowed; *text is
 * NULL for a number. False when there is no such item. */
NEY_API bool ney_model_metadata(const ney_model *model, ney_metadata_kind list, int64_t k,
                                const char **key, double *value, const char **text);

/* ---- prediction */

/**
 * Scores and decisions of raw rows, which go through the preprocessing of the model. The scores are
 * those of `neyman predict --scores` for a file with the same rows, bit for bit. Columns are
 * matched as by ney_data_from_array(). The array is read in place, in blocks: float and double, any
 * strides, CSR. Memory: a few megabytes, whatever the number of rows.
 *
 * @param[out] score     One per row; NULL: no scores.
 * @param[out] decision  One per row: +1, -1, or 0 for a rejected row; NULL: no decisions.
 * @retval NEY_EINVAL      as of ney_data_from_array(); the message names row and column.
 * @retval NEY_ENUMERIC    a score is not finite.
 * @retval NEY_ECANCELLED  poll asked for a stop. After any failure `score` and `decision` may be
 *                         partly written.
 *
 * Any number of threads may predict with one model at once.
 */
NEY_API NEY_MUST_CHECK ney_status ney_predict(const ney_model *model, const ney_env *env,
                                              const ney_array *x, double *score, int8_t *decision,
                                              ney_error *err);

/* Prediction of a stream of rows, as text or as arrays, in memory that does not grow with the
 * number of rows. One thread at a time may use a handle; several handles, in several threads, may
 * share a model. */
typedef struct ney_predictor ney_predictor;

/**
 * A predictor without rows. Free with ney_predictor_free().
 *
 * @param model    Borrowed: it must outlive the handle.
 * @param options  Options of the group data; all others must be at their defaults. NULL: the
 * defaults.
 * @retval NEY_EINVAL  an option that is not read here.
 */
NEY_API NEY_MUST_CHECK ney_status ney_predictor_new(ney_predictor **out, const ney_env *env,
                                                    const ney_model *model,
                                                    const ney_options *options, ney_error *err);
/** NULL is allowed. */
NEY_API void ney_predictor_free(ney_predictor *predictor);

/* Each of these functions scores the rows that it completes, and replaces the results of the
 * previous call. After a failure the handle accepts no more rows. */

/** Bytes of text in a format that ney_data_read() reads, not compressed. Blocks may end anywhere,
 * also within a line. A row is scored when its line is complete; the first row needs two lines.
 * @retval NEY_EPARSE  as of ney_data_read(), with the line. */
NEY_API NEY_MUST_CHECK ney_status ney_predictor_feed(ney_predictor *predictor, const void *bytes,
                                                     size_t n_bytes, ney_error *err);
/** The end of the text; the last line need not end with a newline. */
NEY_API NEY_MUST_CHECK ney_status ney_predictor_end(ney_predictor *predictor, ney_error *err);
/** Rows of an array, as of ney_predict(). Not while a text has not ended. */
NEY_API NEY_MUST_CHECK ney_status ney_predictor_feed_rows(ney_predictor *predictor,
                                                          const ney_array *x, ney_error *err);

/** The number of rows that the last call scored, and their scores and decisions, borrowed until the
 * next call. `score` and `decision` may be NULL. */
NEY_API int64_t ney_predictor_result(const ney_predictor *predictor, const double **score,
                                     const int8_t **decision);

/**
 * Scores of FEATURES: rows after the preprocessing of the model, such as ney_data_matrix() of data
 * that were read or made with it. Raw rows get WRONG scores here, and the function cannot detect
 * that: use ney_predict() for raw rows.
 *
 * Columns that a row lacks count as zero; columns beyond those of the model are ignored. A row has
 * one score, bit for bit on one machine and build, whatever its storage (dense, sparse, zeros
 * stored or not), its position, the other rows and the number of threads.
 *
 * @param[out] score   One per row.
 * @retval NEY_ENUMERIC  a score is not finite. @retval NEY_ECANCELLED  poll asked for a stop.
 */
NEY_API NEY_MUST_CHECK ney_status ney_model_score(const ney_model *model, const ney_env *env,
                                                  const ney_matrix *x, double *score,
                                                  ney_error *err);

/** The number of cross-validation models that the model contains and is the mean of; 0: none. */
NEY_API int64_t ney_model_fold_count(const ney_model *model);

/**
 * Scores of data that were read or made with the preprocessing of the model. In a model with
 * cross-validation models, a training row, recognised by its key, is scored by the model that was
 * not trained on it; all other rows as by ney_model_score().
 *
 * @param[out] n_known  The number of rows recognised by their keys; may be NULL.
 * @retval NEY_EINVAL   the data have other preprocessing than the model.
 */
NEY_API NEY_MUST_CHECK ney_status ney_model_score_data(const ney_model *model, const ney_env *env,
                                                       const ney_data *data, double *score,
                                                       int64_t *n_known, ney_error *err);

/**
 * Whether these are the rows that the model was trained on, held-out rows included: all of them, in
 * any order, by a checksum in the model. False for a part of the rows, and for models without a
 * checksum: those of the online method, and those with cross-validation models.
 */
NEY_API bool ney_model_trained_on(const ney_model *model, const ney_data *data);

/* ---- training rows
 *
 * A model contains a fingerprint of its training rows, held-out rows included: the 4096 smallest
 * hashes of their features, with the number of rows of each. It shows whether other rows were used
 * in training. Rows that equal training rows by chance are part of the distribution: the answer is
 * about all rows together. */

/* Comparison of rows with training rows. */
typedef struct ney_reuse {
    int64_t rows, training; /* numbers of rows compared, and of training rows */
    int64_t compared; /* rows whose hash would be in the fingerprint if they were trained on */
    int64_t equal;    /* of these, rows that equal a training row */
    double estimate;  /* estimated number of all rows that do; exact where compared = rows */
    bool reused;      /* more rows are equal than chance explains for independent samples */
    double log_evidence, log_needed; /* reused: log_evidence >= log_needed */
    double reserved[2];
} ney_reuse;

/** Whether a model has a fingerprint; the number of rows it is of, and of hashes in it. The
 * pointers may be NULL. */
NEY_API bool ney_model_training_rows(const ney_model *model, int64_t *rows, int64_t *hashes);

/** Add rows to the fingerprint of a model. ney_fit() and the like do so, unless the option
 * no-fingerprint is set. */
NEY_API NEY_MUST_CHECK ney_status ney_model_add_training_rows(ney_model *model,
                                                              const ney_data *data, ney_error *err);

/**
 * Whether rows were used to train a model. If the rows are independent of the training rows,
 * `reused` is true with probability at most 1e-6, whatever their distribution.
 *
 * @param data       Read or made with the preprocessing of the model.
 * @param[out] seen  Per row 1: used in training, 0: not used, -1: unknown; 1 only if `reused`. May
 * be NULL.
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
 * Store the scores of labelled calibration rows in a model, for conformal p-values. The model must
 * not have been trained on these rows. ney_fit() with the option conformal does so.
 *
 * @retval NEY_EINVAL  a class has no rows, a label is neither +1 nor -1, or a score is NaN.
 */
NEY_API NEY_MUST_CHECK ney_status ney_model_calibrate(ney_model *model, const double *score,
                                                      const int8_t *label, int64_t n,
                                                      ney_error *err);
/** The same for rows in groups. The p-values are those of a random row of a new group: 1 plus the
 * sum over groups of the share of rows of a group that conform at most as much to the class,
 * divided by the number of groups plus 1. @param group  One per row, equal for rows of one group;
 * NULL: no groups. */
NEY_API NEY_MUST_CHECK ney_status ney_model_calibrate_groups(ney_model *model, const double *score,
                                                             const int8_t *label,
                                                             const uint64_t *group, int64_t n,
                                                             ney_error *err);
/** Whether groups are the unit of the p-values, and the numbers of groups with rows of each class.
 * The pointers may be NULL. */
NEY_API bool ney_model_calibrated_groups(const ney_model *model, int64_t *n_pos, int64_t *n_neg);
/** Whether a model has calibration scores, and their number in each class. The pointers may be
 * NULL. */
NEY_API bool ney_model_calibrated(const ney_model *model, int64_t *n_pos, int64_t *n_neg);

/**
 * Two p-values per score. p_pos is the share of positives, the row included, with a score at most
 * as high; p_neg is the share of negatives, the row included, with a score at least as high. If the
 * row is exchangeable with the calibration rows of its class, the p-value of its class is at most e
 * with probability at most e: the set of classes with p > e contains the true class with
 * probability at least 1 - e, within each class.
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
