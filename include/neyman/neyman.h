/* neyman: binary classification when the two errors do not cost the same.
 *
 * Everything public is declared here. The conventions that hold throughout:
 *
 *   - What can fail returns ney_status and says why in the caller's ney_error (which may be NULL).
 *     The library never prints, exits, aborts or keeps global state.
 *   - An `out` parameter is NULL until the object is complete; on failure nothing is left behind.
 *   - `env` carries allocator, cancellation, log and thread count; NULL stands for the defaults.
 *   - Sizes and offsets are 64-bit. Features are float, whatever is accumulated is double.
 *   - Same data, options and seed give the same bits, whatever the number of threads.
 *   - Verbs are contracts: new/free handle a heap object, read/write a file, parse/format memory;
 *     a pointer got from an object is borrowed and lives as long as the object.
 */
#ifndef NEYMAN_NEYMAN_H
#define NEYMAN_NEYMAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define NEY_API __attribute__((visibility("default")))
#define NEY_MUST_CHECK __attribute__((warn_unused_result))
#else
#define NEY_API
#define NEY_MUST_CHECK
#endif

#define NEY_VERSION_MAJOR 0
#define NEY_VERSION_MINOR 1
#define NEY_VERSION_PATCH 0

/** The version of the library that is linked, as "major.minor.patch". */
NEY_API const char *ney_version(void);

/* ------------------------------------------------------------------ status and error */

/* name, value (never reused), what it says to a person */
#define NEY_STATUS_LIST(X)                                                                         \
    X(NEY_OK, 0, "ok")                                                                             \
    X(NEY_ENOMEM, 1, "out of memory")                                                              \
    X(NEY_EINVAL, 2, "invalid argument")                                                           \
    X(NEY_EIO, 3, "input or output failed")                                                        \
    X(NEY_EPARSE, 4, "malformed input")                                                            \
    X(NEY_EFORMAT, 5, "unknown file format or version")                                            \
    X(NEY_ENUMERIC, 6, "numerical breakdown")                                                      \
    X(NEY_ECANCELLED, 7, "cancelled by the caller")                                                \
    X(NEY_EGOAL, 8, "the goal cannot be met")

typedef enum ney_status {
#define NEY_AS_ENUM(name, value, text) name = (value),
    NEY_STATUS_LIST(NEY_AS_ENUM)
#undef NEY_AS_ENUM
} ney_status;

/** What a status means, in a few words; "unknown status" for a number that is none. */
NEY_API const char *ney_status_text(ney_status status);

/* What went wrong, in the caller's own storage: nothing to free. */
typedef struct ney_error {
    ney_status code;
    int64_t line;      /* 1-based line of the input, 0 when the error is not about a line */
    int64_t column;    /* 1-based byte in that line, 0 when it would not help */
    char file[256];    /* "" when the error is not about a file; a long path keeps its end */
    char message[512]; /* what was found, and what was expected */
} ney_error;

/* ------------------------------------------------------------------ environment */

/* How far a long piece of work has come. */
typedef struct ney_progress {
    const char *stage;  /* what is being done: "reading", "training", ... */
    double done, total; /* in any unit; total is 0 where it is not known */
    double value;       /* the stage's own figure of merit, NAN where there is none */
} ney_progress;

typedef enum ney_log_level {
    NEY_LOG_WARNING = 0,
    NEY_LOG_INFO = 1,
    NEY_LOG_DETAIL = 2
} ney_log_level;

/* What a learner found in one outer step, on the rows it learns from. */
typedef struct ney_step {
    int64_t index;               /* from 1 */
    double lambda;               /* the price of the bounded error rate, in units of the other */
    double ramp_fpr, ramp_fnr;   /* rates under the ramp loss */
    double fpr, fnr;             /* rates of the decision at score 0 */
    double objective;            /* the Lagrangian */
    double gap;                  /* of the convex problem of this step */
    int64_t iterations, changed; /* of the solver; examples given up or taken back after the step */
    double seconds;              /* since the run began */
} ney_step;

typedef struct ney_env {
    void *user; /* handed to the functions below */
    /* As realloc: block NULL allocates; bytes 0 frees and returns NULL. Called from any thread. */
    void *(*resize)(void *user, void *block, size_t bytes);
    /* Called now and then, from the calling thread; return false to ask for a stop. May be NULL. */
    bool (*poll)(void *user, const ney_progress *progress);
    /* What the user may want to know, one sentence a call, from the calling thread. May be NULL. */
    void (*log)(void *user, ney_log_level level, const char *message);
    int threads; /* 0: one for each core */
    /* Every outer step of a learner that has some, from the calling thread. May be NULL. */
    void (*step)(void *user, const ney_step *step);
    struct ney_team *team; /* the library's own; leave it NULL */
} ney_env;

/** malloc and friends, no poll, no log, one thread for each core. */
NEY_API ney_env ney_env_default(void);

/* ------------------------------------------------------------------ files that appear whole */

/* A file being written, which appears at its place whole or not at all: until it is committed it
 * lies beside it under another name. Standard output ("-", or a name of the same file, such as
 * /dev/stdout), pipes and devices cannot be replaced and are written directly. */
typedef struct ney_output ney_output;

/** @retval NEY_EIO  the file cannot be created there. */
NEY_API NEY_MUST_CHECK ney_status ney_output_open(ney_output **out, const ney_env *env,
                                                  const char *path, ney_error *err);
/** Unbuffered: large pieces are cheap, small ones are not. */
NEY_API NEY_MUST_CHECK ney_status ney_output_write(ney_output *output, const void *bytes,
                                                   int64_t n_bytes, ney_error *err);
/** Sync to disk, put the file at its place and free the handle. On failure nothing appears; the
 * handle is freed all the same. */
NEY_API NEY_MUST_CHECK ney_status ney_output_commit(ney_output *output, ney_error *err);
/** Remove what was written and free the handle; NULL is fine. */
NEY_API void ney_output_give_up(ney_output *output);

/** Whether what is written to `path` lands on standard output. /dev/null never counts: there is no
 * stream to share. */
NEY_API bool ney_output_is_stdout(const char *path);

/* ------------------------------------------------------------------ options as tables */

typedef enum ney_kind {
    NEY_KIND_FLAG,   /* bool */
    NEY_KIND_INT,    /* int64_t */
    NEY_KIND_REAL,   /* double */
    NEY_KIND_CHOICE, /* int: position in `choices` */
    NEY_KIND_TEXT    /* const char *, borrowed; NULL when not given */
} ney_kind;

/* One option of one options struct. Initialisation, validation, the command line, its help,
 * completion and manual are all read from such rows. */
typedef struct ney_param {
    const char *name; /* as after "--" */
    char flag;        /* one-letter form, or 0 */
    ney_kind kind;
    size_t offset;       /* of the field in the options struct */
    double initial;      /* default of a number, flag or choice; NAN: none, and NAN says so */
    double low, high;    /* bounds of a number, both allowed */
    const char *arg;     /* what help calls the value: "FILE", "RATE"; NULL for flags */
    const char *choices; /* "none standard minmax unit". Of a number: words it may be given by, its
                            values 0, 1, ... in that order, but NAN for "none". Else NULL */
    const char *help;
} ney_param;

/** Fill an options struct with its defaults. */
NEY_API void ney_params_init(const ney_param *params, int64_t n_params, void *opts);

/**
 * Set one field from text. A flag takes NULL (which means true), "true" or "false".
 *
 * @retval NEY_EINVAL  no such name, not a number, out of bounds or not a choice: the message says
 *                     which and what was expected.
 */
NEY_API NEY_MUST_CHECK ney_status ney_params_set(const ney_param *params, int64_t n_params,
                                                 void *opts, const char *name, const char *text,
                                                 ney_error *err);

/** Whether every number of an options struct is within its bounds; NEY_EINVAL names the first
 * that is not. */
NEY_API NEY_MUST_CHECK ney_status ney_params_check(const ney_param *params, int64_t n_params,
                                                   const void *opts, ney_error *err);

/** Whether a field has its default. A number that is NAN, for "none", counts as one. */
NEY_API bool ney_param_is_default(const ney_param *param, const void *opts);

/* ------------------------------------------------------------------ data */

/* A borrowed, read-only table of features: dense, or compressed sparse rows (CSR). */
typedef struct ney_matrix {
    int64_t rows, cols;
    const float *dense;   /* rows x cols, row after row; NULL when sparse */
    const int64_t *start; /* rows + 1 offsets into index and value; NULL when dense */
    const int32_t *index; /* columns from 0, ascending within a row */
    const float *value;
} ney_matrix;

typedef enum ney_format {
    NEY_FORMAT_AUTO,
    NEY_FORMAT_SVMLIGHT,
    NEY_FORMAT_CSV,
    NEY_FORMAT_TSV,
    NEY_FORMAT_PIN,
    NEY_FORMAT_CACHE
} ney_format;

/** The format a file name stands for by its ending (.svm .svmlight .libsvm .csv .tsv .tab .pin
 * .ney, one of them before .gz or .zst), NEY_FORMAT_AUTO when it tells nothing. */
NEY_API ney_format ney_format_of_name(const char *path);

typedef enum ney_missing {
    NEY_MISSING_ERROR, /* a missing or non-finite cell is an error that names its place */
    NEY_MISSING_MEAN,  /* missing cells are kept as NaN until ney_data_prepare() fills them */
    NEY_MISSING_KEEP   /* missing and infinite cells are kept as they are: for looking, not learning
                        */
} ney_missing;

typedef struct ney_read_opts {
    int format; /* ney_format */
    const char *label, *positive, *weight, *ignore, *words;
    const char *id, *group; /* columns that are not features and are kept as notes */
    int missing;            /* ney_missing */
    bool no_header, zero_based;
    int64_t max_categories;
    int64_t max_columns; /* 0: 2,000,000, or 10 for every stored entry if that is more */
    int64_t max_line;    /* longest line of text, in megabytes */
} ney_read_opts;

/** The rows behind ney_read_opts. @param[out] n_params  their number. */
NEY_API const ney_param *ney_read_params(int64_t *n_params);

/**
 * Whether these options say something about data of a format: one that is not its default and is
 * not read there is refused, as ney_data_read() does.
 *
 * @param format      Not NEY_FORMAT_AUTO.
 * @param with_model  The data are read with a model's recipe, which settles what cells may hold.
 * @retval NEY_EINVAL  the message names the option and what it applies to.
 */
NEY_API NEY_MUST_CHECK ney_status ney_read_check(const ney_read_opts *opts, ney_format format,
                                                 bool with_model, ney_error *err);
/** What an option of reading applies to, as a phrase; NULL where that is everything. */
NEY_API const char *ney_read_where(const char *name);

typedef enum ney_scaling {
    NEY_SCALING_NONE,
    NEY_SCALING_STANDARD, /* (x - mean) / standard deviation */
    NEY_SCALING_MINMAX,   /* onto [0, 1] */
    NEY_SCALING_UNIT      /* each row to Euclidean length 1 */
} ney_scaling;

/* What turns the cells of a file into features: column names, categories, label names, filling
 * and scaling. A data set has one, a model keeps a copy of its training set's. */
typedef struct ney_recipe ney_recipe;

typedef struct ney_data ney_data;

/**
 * Read a data set. The format is told from the content: svmlight/LIBSVM text, CSV, TSV, Percolator
 * PIN or the binary cache, each of the text formats also compressed by gzip or zstd.
 *
 * @param[out] out     The data; free with ney_data_free().
 * @param      path    A file, or "-" for standard input.
 * @param      opts    NULL for the defaults.
 * @param      recipe  Of a model, so that a new file gives the same features and labels; the labels
 *                     may then be absent, gaps are an error unless it was trained with
 *                     NEY_MISSING_MEAN, and opts->missing must be left at its default. NULL to find
 *                     columns and labels in the file itself.
 *
 * @retval NEY_EINVAL   an option that data of this format do not read: see ney_read_check().
 * @retval NEY_EPARSE   err tells file, line, what was found and what was expected.
 * @retval NEY_EFORMAT  none of the formats, a damaged cache, or a newer version's.
 * @retval NEY_EIO      the file cannot be opened or read.
 *
 * Without a recipe, the positive label is opts->positive or else the larger of the two (as numbers
 * if both are, else as bytes); a file without any label is read too, and ney_data_label() is NULL.
 * The features wait for ney_data_prepare(): they are not scaled, and table columns that need more
 * digits than single precision has are held less a constant, which prepare() accounts for. With a
 * recipe they are ready to be scored.
 * Memory: the final arrays and a few megabytes a thread.
 */
NEY_API NEY_MUST_CHECK ney_status ney_data_read(ney_data **out, const ney_env *env,
                                                const char *path, const ney_read_opts *opts,
                                                const ney_recipe *recipe, ney_error *err);

/** As ney_data_read(), from memory. @param name  what errors call it. */
NEY_API NEY_MUST_CHECK ney_status ney_data_parse(ney_data **out, const ney_env *env,
                                                 const char *name, const void *bytes,
                                                 size_t n_bytes, const ney_read_opts *opts,
                                                 const ney_recipe *recipe, ney_error *err);

/**
 * A data set from the caller's arrays, which are copied.
 *
 * @param label   +1 or -1 a row.
 * @param weight  A number >= 0 a row, or NULL for all 1.
 * @retval NEY_EINVAL  a label is neither +1 nor -1, a value is not finite, a column index is out of
 *                     range or not ascending.
 */
NEY_API NEY_MUST_CHECK ney_status ney_data_new(ney_data **out, const ney_env *env,
                                               const ney_matrix *x, const int8_t *label,
                                               const float *weight, ney_error *err);
NEY_API void ney_data_free(ney_data *data);

NEY_API const ney_matrix *ney_data_matrix(const ney_data *data);
/** +1 or -1 a row; NULL when the file has no labels. */
NEY_API const int8_t *ney_data_label(const ney_data *data);
/** Why ney_data_label() is NULL: NEY_EPARSE, with file and line where that helps. NEY_OK when there
 * are labels. */
NEY_API NEY_MUST_CHECK ney_status ney_data_unlabelled(const ney_data *data, ney_error *err);
/** A number >= 0 a row; NULL when all are 1. */
NEY_API const float *ney_data_weight(const ney_data *data);
NEY_API const ney_recipe *ney_data_recipe(const ney_data *data);
/** The format the data came from, never NEY_FORMAT_AUTO. */
NEY_API ney_format ney_data_format(const ney_data *data);

/**
 * Fit filling and scaling on some rows and apply them to all, in place; the data's recipe keeps
 * them. Statistics are weighted by nothing, accumulated in double.
 *
 * Numbered features (svmlight) that are stored sparse are divided by standard and minmax but not
 * shifted, so that zeros stay zeros. Columns made from categories are 0 or 1 and are left alone by
 * both. A constant column is only shifted.
 *
 * @param rows    The rows to fit on, ascending; NULL for all.
 * @retval NEY_EINVAL  the data have been scaled already, or a column holds no number to fill with.
 */
NEY_API NEY_MUST_CHECK ney_status ney_data_prepare(ney_data *data, ney_scaling scaling,
                                                   const int64_t *rows, int64_t n_rows,
                                                   ney_error *err);

/** A new data set of some rows of another, in the order given; the recipe is copied. */
NEY_API NEY_MUST_CHECK ney_status ney_data_take(ney_data **out, const ney_data *data,
                                                const int64_t *rows, int64_t n_rows,
                                                ney_error *err);

/**
 * Share rows out at random, class by class: each part gets its share of either class to within one
 * row, whatever the seed. Without labels all rows are one class. Where the data have groups, whole
 * groups are shared out, each part getting its share of them to within one group.
 *
 * @param      share    n_parts numbers > 0; only their proportions matter.
 * @param[out] part_of  The part of each row, 0 .. n_parts - 1.
 */
NEY_API NEY_MUST_CHECK ney_status ney_data_split(const ney_data *data, const double *share,
                                                 int n_parts, uint64_t seed, int *part_of,
                                                 ney_error *err);

/* What a file says of its rows beside the features: the columns named as id and group; of a PIN
 * file also scans, peptides, proteins. */
typedef struct ney_notes ney_notes;

/** An index of the notes of `data`, which must outlive it; without notes it has no columns. */
NEY_API NEY_MUST_CHECK ney_status ney_notes_new(ney_notes **out, const ney_data *data,
                                                ney_error *err);
NEY_API void ney_notes_free(ney_notes *notes);
/** The column of a name, whatever its case; -1 when there is none. */
NEY_API int64_t ney_notes_find(const ney_notes *notes, const char *name);
/** A cell: `length` bytes, borrowed, no NUL after them. The last column may hold tabs. */
NEY_API const char *ney_notes_text(const ney_notes *notes, int64_t row, int64_t column,
                                   int64_t *length);

/**
 * A number for every row, the same for rows that agree in all of some columns.
 *
 * @param      columns  Names of notes or features, separated by commas; one that ends in "?" may be
 *                      missing.
 * @param[out] key      One a row; where no column is there, rows of equal features share one.
 * @param[out] used     How many of the columns are there.
 * @retval NEY_EINVAL   a column is missing.
 */
NEY_API NEY_MUST_CHECK ney_status ney_data_keys(const ney_data *data, const char *columns,
                                                uint64_t *key, int64_t *used, ney_error *err);

/** The column whose rows belong together (ney_read_opts.group); NULL when there is none. Then every
 * hold-out, fold, certificate and p-value that is made from the data treats a group as the unit. */
NEY_API const char *ney_data_group_column(const ney_data *data);
/** A column of a table read without groups that is named like an identifier (patient, user_id, ...)
 * and repeats its values: rows that share one may not be independent. NULL when there is none. */
NEY_API const char *ney_data_repeated_column(const ney_data *data);
/** The column that identifies rows (ney_read_opts.id); NULL when there is none. */
NEY_API const char *ney_data_id_column(const ney_data *data);

/**
 * A number for every row, the same for rows of one group.
 *
 * @param[out] group  One per row; all different where the data have no groups.
 */
NEY_API NEY_MUST_CHECK ney_status ney_data_groups(const ney_data *data, uint64_t *group,
                                                  ney_error *err);

/** Name the groups of data that were made from arrays. Their other notes are dropped.
 * @param group  One per row; equal for rows of one group. */
NEY_API NEY_MUST_CHECK ney_status ney_data_set_groups(ney_data *data, const uint64_t *group,
                                                      ney_error *err);

/**
 * Keys of the spectra, or other units, whose targets and decoys compete: rows that agree in
 * `columns`; NULL: in file, ScanNr and ExpMass, as in PIN files.
 *
 * @param[out] known  Whether there are such columns; else the keys say nothing.
 * @retval NEY_EINVAL  a column that `columns` names is missing.
 */
NEY_API NEY_MUST_CHECK ney_status ney_data_spectra(const ney_data *data, const char *columns,
                                                   uint64_t *key, bool *known, ney_error *err);

/**
 * Write a data set. The file appears whole or not at all.
 *
 * @param path    "-" is standard output.
 * @param format  NEY_FORMAT_AUTO goes by the name, as ney_format_of_name() does.
 */
NEY_API NEY_MUST_CHECK ney_status ney_data_write(const ney_data *data, const ney_env *env,
                                                 const char *path, ney_format format,
                                                 ney_error *err);

/* What ney_data_describe() finds. */
typedef struct ney_column_summary {
    double low, high, mean, deviation; /* of the finite values, zeros included; NAN if none */
    int64_t nonzero, missing, infinite;
} ney_column_summary;

typedef struct ney_data_summary {
    int64_t rows, cols, stored; /* stored: entries that are not zero */
    int64_t positives, negatives;
    int64_t constant_columns, duplicate_rows, contradictory_rows;
    int64_t missing, infinite;
    double low, high; /* over all finite values */
} ney_data_summary;

/**
 * Look a data set over. Duplicate rows repeat an earlier row's features, whatever their labels;
 * contradictory rows are counted once for all that are alike: different rows of features that occur
 * with both labels.
 *
 * @param[out] columns  One entry a column, or NULL.
 */
NEY_API NEY_MUST_CHECK ney_status ney_data_describe(const ney_data *data, ney_data_summary *summary,
                                                    ney_column_summary *columns, ney_error *err);

/** The label's name as in the file; `sign` is +1 or -1. "" where the file has none. */
NEY_API const char *ney_recipe_label(const ney_recipe *recipe, int sign);
/** The name of feature `column` (from 0), copied into the caller's buffer and cut to fit. */
NEY_API void ney_recipe_feature(const ney_recipe *recipe, int64_t column, char *name,
                                size_t n_name);
NEY_API int64_t ney_recipe_cols(const ney_recipe *recipe);
NEY_API ney_scaling ney_recipe_scaling(const ney_recipe *recipe);
/** How feature `column` (from 0) is made from the number x of a file: (x - *offset) * *factor; the
 * row is brought to length 1 after that when the scaling is "unit". 0 and 1 where nothing is done.
 */
NEY_API void ney_recipe_scale(const ney_recipe *recipe, int64_t column, double *offset,
                              double *factor);

/* ------------------------------------------------------------------ the binary cache, block by
 * block */

typedef struct ney_cache ney_cache;

/* A block of consecutive rows of a cache; borrowed from it. */
typedef struct ney_block {
    int64_t first_row;
    ney_matrix x;
    const int8_t *label; /* NULL when there are none */
    const float *weight; /* NULL when all are 1 */
} ney_block;

/** Open a cache file: its header is checked, its blocks are not touched. Takes milliseconds
 * whatever the size. */
NEY_API NEY_MUST_CHECK ney_status ney_cache_open(ney_cache **out, const ney_env *env,
                                                 const char *path, ney_error *err);
NEY_API void ney_cache_close(ney_cache *cache);
NEY_API int64_t ney_cache_rows(const ney_cache *cache);
NEY_API int64_t ney_cache_cols(const ney_cache *cache);
NEY_API int64_t ney_cache_blocks(const ney_cache *cache);
NEY_API const ney_recipe *ney_cache_recipe(const ney_cache *cache);
/** Block `k` (from 0), read from the file and verified against its checksum; borrowed until
 * the next call. Not for concurrent use of one handle.
 * @retval NEY_EFORMAT  the block is damaged. */
NEY_API NEY_MUST_CHECK ney_status ney_cache_block(ney_cache *cache, int64_t k, ney_block *block,
                                                  ney_error *err);

/**
 * Write a cache from a file of any format in bounded memory: text is read in blocks of a few
 * megabytes. A table (CSV, TSV, PIN) is read twice, its columns being known only at its end;
 * one that comes from standard input is held in memory for that.
 *
 * @retval NEY_EPARSE  as ney_data_read(); nothing is written then.
 */
NEY_API NEY_MUST_CHECK ney_status ney_cache_build(const ney_env *env, const char *in,
                                                  const char *out, const ney_read_opts *opts,
                                                  ney_error *err);

/* ------------------------------------------------------------------ models */

/* The trained thing: a score function, the recipe for its features, and what it decides. */
typedef struct ney_model ney_model;

/** A linear model f(x) = w'x + b; `recipe` is copied and tells the number of weights. */
NEY_API NEY_MUST_CHECK ney_status ney_model_new_linear(ney_model **out, const ney_env *env,
                                                       const ney_recipe *recipe,
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
 * @param support  Rows of the recipe's features, already scaled.
 */
NEY_API NEY_MUST_CHECK ney_status ney_model_new_kernel(
    ney_model **out, const ney_env *env, const ney_recipe *recipe, const ney_kernel *kernel,
    const ney_matrix *support, const double *coefficient, double intercept, ney_error *err);
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
NEY_API const ney_recipe *ney_model_recipe(const ney_model *model);
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

/* A model carries two lists of facts that travel with its file: the training summary and the
 * certificate. Keys are lower-case words joined by "_"; a fact is a number or a text. */
typedef enum ney_list { NEY_LIST_SUMMARY, NEY_LIST_CERTIFICATE } ney_list;

NEY_API NEY_MUST_CHECK ney_status ney_model_set_number(ney_model *model, ney_list list,
                                                       const char *key, double value,
                                                       ney_error *err);
NEY_API NEY_MUST_CHECK ney_status ney_model_set_text(ney_model *model, ney_list list,
                                                     const char *key, const char *text,
                                                     ney_error *err);
/** Fact `k` of a list, in the order set. *text is NULL for a number. False when there is none. */
NEY_API bool ney_model_fact(const ney_model *model, ney_list list, int64_t k, const char **key,
                            double *value, const char **text);

/**
 * Scores of rows that went through the model's recipe (ney_data_read() with it does that).
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
 * Scores of data read with the model's recipe. Rows that a model with folds was learned from, told
 * by their keys, are scored by the one of its models that has not seen them; all others as by
 * ney_model_score().
 *
 * @param[out] n_known  Rows that were told by their keys.
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
 * @param data       Read with the model's recipe.
 * @param[out] seen  For every row 1: used in training, 0: not, -1: cannot be told; 1 for no row
 *                   unless `reused`. May be NULL.
 * @retval NEY_EINVAL  the model has no fingerprint.
 */
NEY_API NEY_MUST_CHECK ney_status ney_model_find_reuse(const ney_model *model, const ney_data *data,
                                                       int8_t *seen, ney_reuse *out,
                                                       ney_error *err);

/** The same for two data sets of one recipe. */
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

/* ------------------------------------------------------------------ decisions from scores */

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

/** Area under the ROC curve, ties counted by halves; NAN unless both classes are there. */
NEY_API NEY_MUST_CHECK ney_status ney_auc(const ney_env *env, const double *score,
                                          const int8_t *label, int64_t n, double *auc,
                                          ney_error *err);

/* ---- score files */

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
                                                  const char *path, const ney_read_opts *opts,
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

/* Rows of a score file as they come: what a pipe holds is given without waiting for more. */
typedef struct ney_score_stream ney_score_stream;

/**
 * Open a score file whose labels are those of a model.
 *
 * @param path    "-" is standard input.
 * @param recipe  Names the two labels; borrowed until the stream is closed.
 */
NEY_API NEY_MUST_CHECK ney_status ney_score_stream_open(ney_score_stream **out, const ney_env *env,
                                                        const char *path, const ney_recipe *recipe,
                                                        ney_error *err);
/**
 * The next rows, borrowed until the next call; *n is 0 at the end only. Waits for one line.
 *
 * @retval NEY_EPARSE      file, line, what was found and what was expected: also a label that the
 *                         recipe does not know, a NUL byte and a line of more than 1 MB.
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
    int64_t n;    /* calibration rows of the class that may be mistaken */
    int64_t rank; /* the order statistic: threshold is the rank-th smallest score of them, or for
                     false positives the next number above it */
    int64_t
        mistaken; /* calibration rows that the threshold mistakes, at most n - rank or rank - 1 */
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
                                                   const char *path, const ney_read_opts *opts,
                                                   double max_fpr, double max_fnr, double delta,
                                                   ney_error *err);

/** Write a certificate into a model: its thresholds and its list of facts. */
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
 * be looked at after every row. */
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

NEY_API const ney_param *ney_qvalue_params(int64_t *n_params);

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

/* ------------------------------------------------------------------ training */

typedef enum ney_stop {
    NEY_STOP_CONVERGED,
    NEY_STOP_ITERATIONS, /* max_iter reached */
    NEY_STOP_TIME,       /* max_time reached */
    NEY_STOP_CANCELLED,  /* poll asked for it */
    NEY_STOP_PRECISION,  /* the tolerance is beyond what the numbers can tell */
    NEY_STOP_EPOCHS,     /* the epochs asked for, or the most by default, are done */
    NEY_STOP_MULTIPLIER, /* online: the multiplier is at the end of its range, where the rate no
                            longer responds to it */
    NEY_STOP_CHECKS      /* online: checks no longer improve; nothing is said about the optimum */
} ney_stop;

/** "converged", "iterations", "time", "cancelled", "precision", "epochs", "multiplier" or
 * "checks". */
NEY_API const char *ney_stop_text(ney_stop stop);

/** Whether a run that stopped so did all that it was to do: it converged, its epochs are done, or
 * checks no longer improve. The other reasons are limits and interruptions. */
NEY_API bool ney_stop_is_complete(ney_stop stop);

typedef enum ney_method {
    NEY_METHOD_AUTO,       /* whatever suits the goal: annealed for a bounded rate */
    NEY_METHOD_ANNEALED,   /* examples given up and the multiplier change after every convex step */
    NEY_METHOD_UZAWA,      /* a full nonconvex problem for every multiplier */
    NEY_METHOD_CONVEX,     /* an SVM at the costs given, its threshold moved to keep the rate */
    NEY_METHOD_GENERATIVE, /* classes known by mean and covariance, scores taken as normal */
    NEY_METHOD_CHEBYSHEV,  /* the same by Chebyshev's bound */
    NEY_METHOD_PERF,       /* precision at k by cutting planes; linear */
    NEY_METHOD_ACTIVESET, /* costs and rejection: exactly, by sets of rows that share a condition */
    NEY_METHOD_ONLINE     /* one row at a time, in time that grows with the rows alone */
} ney_method;

/* Which scores are rejected, given the costs. */
typedef enum ney_reject_rule {
    NEY_RULE_GRANDVALET,       /* log-odds at which rejecting begins and ends to pay */
    NEY_RULE_BARTLETT_WEGKAMP, /* a share delta0 of the margin; symmetric costs alone */
} ney_reject_rule;

typedef enum ney_loss {
    NEY_LOSS_RAMP,   /* min(1, max(0, (eta - z) / (2 eta))) */
    NEY_LOSS_SIGMOID /* 1 / (1 + exp(z / eta)) */
} ney_loss;

/* A goal is told by what is set: a bounded rate (Neyman-Pearson), a bounded share of false
 * discoveries, costs of rejection, else costs. */
typedef struct ney_train_opts {
    double C, cost_fn, cost_fp; /* C_i = C * cost_fn for positives, C * cost_fp for negatives */
    double max_fpr, max_fnr;    /* NAN: not bounded; both: rows between are rejected */
    const char *max_fdr;        /* NULL: not bounded; else a share, or several: "0.01,0.05" */
    ney_qvalue_opts qvalue;     /* how false discoveries are estimated */
    bool conformal;             /* calibrate p-values on rows held out: see conformal_folds */
    bool resume;                /* go on from the checkpoint, if it is there */
    bool no_fingerprint;        /* keep nothing in the model that tells its training rows */
    const char *spectrum; /* columns whose rows stay together; NULL: file and scan, else the row */
    double confidence;    /* that a bounded rate holds on new data, 0.95 by default; NAN: the bound
                             holds on the training rows only, and nothing is held out for it */
    double holdout;       /* share of the bounded class that is held out; NAN: as needed */
    double reject_cost;   /* of rejecting a row; NAN: no row is rejected */
    double reject_cost_fn, reject_cost_fp; /* of a positive, of a negative; NAN: reject_cost */
    double delta0;           /* of Bartlett and Wegkamp's rule, from r to 1 - r; NAN: 1/2 */
    int rule, loss;          /* ney_reject_rule; ney_loss, of the online method */
    int64_t conformal_folds; /* all rows are held out, in so many turns; 0: a share of them once */
    double eta;              /* half the width of the ramp loss */
    int kernel, method;      /* ney_kernel_kind, ney_method */
    int64_t at_k;            /* k of the perf method; 0: as many as there are positives */
    double gamma;            /* 0: 1 / (columns * variance of all entries) */
    double coef0, cache;     /* cache: megabytes for kernel rows, 0: a quarter of the memory */
    int64_t degree;
    double tol, max_time;
    int64_t max_iter, seed;
    int64_t start; /* of a bounded rate: 0, or the seed of examples given up at random at first */
    /* these of the online method alone */
    int64_t epochs;          /* passes over the data; 0: until checks no longer improve */
    int64_t network;         /* units of a hidden layer; 0: none */
    int64_t batch;           /* rows that a network takes at once; 0: 32 */
    int64_t features;        /* random features of the rbf kernel; 0: none */
    double validation;       /* share of rows kept out for checks; NAN: what suits their number */
    double memory;           /* megabytes that rows may take; 0: half of what the machine has */
    const char *checkpoint;  /* a file to go on from; NULL: none */
    double checkpoint_every; /* seconds between two of them */
} ney_train_opts;

NEY_API const ney_param *ney_train_params(int64_t *n_params);

/**
 * Whether ney_train() takes these options: an option that has a value other than its default and is
 * not read for the goal, method and family that the others ask for is refused, never ignored.
 *
 * @retval NEY_EINVAL  the message names the option and what it applies to.
 */
NEY_API NEY_MUST_CHECK ney_status ney_train_check(const ney_train_opts *opts, ney_error *err);

/** What an option applies to, as a phrase; NULL where that is everything, or for an unknown name.
 */
NEY_API const char *ney_train_where(const char *name);

/** Set every option that is not read for the goal, method and family at hand to its default: for
 * callers that try several methods with one set of options. */
NEY_API void ney_train_trim(ney_train_opts *opts);

/* How the search for a multiplier ended. */
typedef enum ney_end {
    NEY_END_NONE,   /* there was no such search, or it was stopped */
    NEY_END_ACTIVE, /* the rate is the one allowed */
    NEY_END_SLACK,  /* the rate is below the one allowed at multiplier 0 */
    NEY_END_JUMP,   /* the rate jumps over the one allowed: the side that keeps it was taken */
    NEY_END_TOP     /* bounded FDR: nothing was found that is better than accepting no row */
} ney_end;

/** "none", "active", "slack", "jump" or "top". */
NEY_API const char *ney_end_text(ney_end end);

/* How a training run ended. convex_objective - dual_objective = gap >= 0 bounds the distance from
 * the optimum of the last convex problem, which is the whole one for a cost goal. For a bounded rate
 * `objective` is the nonconvex Lagrangian at the score function returned (see doc/np.md). */
typedef struct ney_train_info {
    ney_stop stop;
    /* NAN, or -1 for a count: the method has no such figure. */
    int64_t iterations, support_vectors;
    double objective, convex_objective, dual_objective, gap;
    /* these of a bounded rate alone */
    ney_end end;
    int64_t steps;             /* convex problems solved */
    int64_t starts;            /* of the nonconvex search; the best solution of all is returned */
    double lambda;             /* the multiplier, in units of the other rate */
    double ramp_fpr, ramp_fnr; /* on the rows learned from */
    ney_counts counts;         /* of the rows learned from, at the model's threshold; with a bounded
                                  FDR, of the winners of a competition */
    int64_t held_out;          /* rows kept out of training */
    ney_counts held_counts;    /* of the rows that certify, at the model's thresholds */
    double held_mean;       /* mean score of the rows that certify (with both rates: positives), */
    double held_deviation;  /* and its standard deviation */
    int64_t detected;       /* one certified rate: learned rows of the other class that are
                               classified right, their scores moved by what the optimism of
                               training is seen to be for the bounded class (doc/claims.md): an
                               estimate; -1: none */
    int64_t discoveries[3]; /* of a bounded FDR: out-of-fold, by the best feature, the SVM and what
                               is learned online; -1: not tried */
    ney_competition competition; /* of a bounded FDR: of the scores that `counts` are of */
    int64_t folds;               /* of a bounded FDR: models that the final one is the mean of */
    int64_t n_pos, n_neg;        /* all rows, those held out included; of the online method alone */
    bool certified;
    ney_certificate certificate; /* where certified; with both rates bounded, of false positives */
    ney_certificate certificate_fnr; /* and of false negatives */
} ney_train_info;

/**
 * The rows that ney_train() will learn from, ascending: all but those that it holds out to certify
 * a bounded rate (by default, with a bounded rate) or to calibrate p-values. A guarantee needs a
 * score function that has not seen the rows held out: fit scaling (ney_data_prepare()) on these;
 * ney_train() and ney_tune() refuse (NEY_EINVAL) to hold out rows that it was fitted on.
 *
 * @param[out] rows    Room for as many as the data have.
 * @retval NEY_EGOAL   too few rows to certify the rate: the message says how many are needed.
 */
NEY_API NEY_MUST_CHECK ney_status ney_train_rows(const ney_data *data, const ney_train_opts *opts,
                                                 int64_t *rows, int64_t *n_rows, ney_error *err);

/**
 * Train a support vector machine, linear or with a kernel, with an unregularised intercept. Without
 * a bounded rate, at asymmetric costs:
 *
 *     min  1/2 |w|^2 + sum_i C_i max(0, 1 - y_i (w'phi(x_i) + b))
 *
 * C_i as above, times the example's weight. With max_fpr = A (or max_fnr, the same with the classes
 * exchanged), Neyman-Pearson under the ramp loss r(z) = min(1, max(0, (eta - z) / (2 eta))):
 *
 *     min  1/2 |w|^2 + C sum_{y_i = 1} r(z_i)   s.t.  mean_{y_i = -1} r(z_i) <= A
 *
 * a local optimum of it, with a threshold that is certified on held-out rows of the bounded class:
 * the rate on new data is at most A with the confidence of the options. With confidence NAN the
 * threshold lets at most a share A of the training rows of that class be misclassified instead; the
 * rate on new data is then expected to exceed A.
 * With both rates bounded there are two thresholds, each certified on rows of its class; rows
 * between them are rejected.
 *
 * With costs of rejection the loss is the double hinge (doc/math/reject.md), and the model has two
 * thresholds; where rejecting never pays, that is told by the log and the costs alone are learned
 * from. The model's summary tells how it was made.
 *
 * @retval NEY_OK      *out is a model, converged or not: read info->stop.
 * @retval NEY_EGOAL   the rate cannot be certified: the message says what would be needed.
 * @retval NEY_EINVAL  an option is out of bounds, options contradict each other, or a class has no
 *                     row.
 */
NEY_API NEY_MUST_CHECK ney_status ney_train(ney_model **out, const ney_env *env,
                                            const ney_data *data, const ney_train_opts *opts,
                                            ney_train_info *info, ney_error *err);

/** The confidence that an update keeps: that of the model's certificate, NAN where its bounded rate
 * was not certified, and the default where it bounds no rate. */
NEY_API double ney_update_confidence(const ney_model *from);

/**
 * Learn on: the online method on new data, from a model's weights, multiplier and rate on. The
 * model is linear, a network or of random features, whichever method made it. What the options
 * leave open of the bounded rate, C, eta and the loss is the model's. The confidence is that of the
 * options; without options it is ney_update_confidence(from).
 *
 * @param data  Read with the model's recipe.
 * @retval NEY_EGOAL   the rate cannot be certified, because there are too few rows or because they
 *                     were used to train the model: see ney_model_find_reuse().
 * @retval NEY_EINVAL  a kernel model, or one without a bounded rate where the options have none.
 */
NEY_API NEY_MUST_CHECK ney_status ney_update(ney_model **out, const ney_env *env,
                                             const ney_model *from, const ney_data *data,
                                             const ney_train_opts *opts, ney_train_info *info,
                                             ney_error *err);

/**
 * The online method on the rows of a cache, a part of them in memory at a time: what ney_train()
 * gives for the same rows, to the last bit. Which class is positive, and how many rows each has, is
 * told by env.log.
 *
 * @param path     A cache file.
 * @param read     Of these, positive and missing count. NULL for the defaults.
 * @param scaling  A ney_scaling, fitted on the rows that are learned from; -1: standard for what
 * was a table, none for what was not.
 */
NEY_API NEY_MUST_CHECK ney_status ney_train_cache(ney_model **out, const ney_env *env,
                                                  const char *path, const ney_read_opts *read,
                                                  int scaling, const ney_train_opts *opts,
                                                  ney_train_info *info, ney_error *err);

/* ------------------------------------------------------------------ tuning */

/* What makes one model better than another on rows that neither has seen; less is better. */
typedef enum ney_criterion {
    NEY_CRITERION_AUTO,        /* by goal: rate where a rate is bounded, else cost */
    NEY_CRITERION_RATE,        /* max(0, P - A) / A + Q, P the bounded rate and Q the other, at the
                                  threshold that makes it least */
    NEY_CRITERION_COST,        /* (cost_fn FN + cost_fp FP) / n at the model's threshold */
    NEY_CRITERION_AUC,         /* 1 - the area under the ROC curve */
    NEY_CRITERION_PAUC,        /* 1 - the area up to a false-positive rate, over that rate */
    NEY_CRITERION_DISCOVERIES, /* share of the positives that have a q-value above a rate */
    NEY_CRITERION_REJECTS /* share of rows between the thresholds that keep both bounded rates */
} ney_criterion;

/** "rate", "cost", "auc", "pauc", "discoveries" or "rejects". */
NEY_API const char *ney_criterion_text(ney_criterion criterion);

typedef struct ney_tune_opts {
    const char *grid; /* "C=0.1:1000:9 gamma=0.01,0.1"; NULL: by goal and kernel. See doc/tune.md */
    int64_t folds;    /* where there are no validation rows */
    int criterion;    /* ney_criterion */
    double at;        /* the rate of pauc and discoveries; NAN: the goal's, or 0.1 and 0.01 */
    bool no_extend;   /* the grid stays as it is even if the best point is at its edge */
    int64_t refine;   /* rounds of half steps around the best point */
    int64_t average; /* with a bounded rate: how many of the best points the model is the mean of */
    const char *table; /* file that all results are kept in, and taken from; NULL: none */
    bool fresh;        /* what the table holds is not used */
} ney_tune_opts;

NEY_API const ney_param *ney_tune_params(int64_t *n_params);
/** As ney_train_where(), of an option of tuning. */
NEY_API const char *ney_tune_where(const char *name);

typedef struct ney_tune_info {
    ney_stop stop;        /* of the search: CONVERGED, TIME or CANCELLED */
    int criterion;        /* ney_criterion, never AUTO */
    ney_train_opts best;  /* the options with the values found */
    int64_t averaged;     /* how many points the model is the mean of, the best among them */
    double loss;          /* the criterion of these, mean over the folds */
    double error;         /* its standard error over the folds; NAN with one */
    int64_t points;       /* of the grid, extensions included */
    int64_t fits;         /* models fitted on the way */
    int64_t reused;       /* results taken from the table */
    int64_t extensions;   /* how often the grid grew */
    bool at_edge;         /* the best point is at the edge all the same */
    bool calibrated;      /* the threshold was set on rows that were not trained on */
    ney_counts held_out;  /* these rows at that threshold; where not calibrated, zeros */
    ney_train_info train; /* of the last fit, on all rows */
} ney_tune_info;

/**
 * Whether ney_tune() takes these options and this grid, for every method that it would try. Nothing
 * is trained.
 *
 * @retval NEY_EINVAL  the message names the option or the axis.
 */
NEY_API NEY_MUST_CHECK ney_status ney_tune_check(const ney_data *data, bool has_valid,
                                                 const ney_train_opts *opts,
                                                 const ney_tune_opts *tune, ney_error *err);

/**
 * Choose C, gamma and whatever else spans the grid by cross-validation or on validation rows, then
 * train with the best on all training rows; with a bounded rate, with several of the best under one
 * kernel, and take the mean of their score functions. With a bounded rate and NEY_METHOD_AUTO the
 * method is chosen too: annealed, or convex at the costs that do best. Points that share a kernel
 * share its rows; folds and kernels are worked on side by side.
 *
 * With a confidence, the rows that certify take no part in the choice. Without, the threshold of a
 * bounded rate is the one that keeps the rate on the rows held out in turn (or on the validation
 * rows): training rows would flatter it.
 *
 * Results are appended to the table one by one, so that a run that was cancelled or killed goes on
 * where it stopped when it is called again with the same data and options; the grid may differ.
 *
 * @param valid  Rows to choose by, brought to the features of `data`; NULL: folds.
 * @retval NEY_ECANCELLED  poll asked for a stop before the choice was made. The table keeps what is
 *                         done.
 */
NEY_API NEY_MUST_CHECK ney_status ney_tune(ney_model **out, const ney_env *env,
                                           const ney_data *data, const ney_data *valid,
                                           const ney_train_opts *opts, const ney_tune_opts *tune,
                                           ney_tune_info *info, ney_error *err);
/* ------------------------------------------------------------------ costs to train with */

/* One Gaussian of a mixture. */
typedef struct ney_gaussian {
    double weight;      /* its share of the class */
    const double *mean; /* dims */
    const double *cov;  /* dims x dims, row after row */
} ney_gaussian;

/* The densities of both classes, each a mixture of Gaussians, and the share of the positives. */
typedef struct ney_mixture ney_mixture;

/**
 * Both classes from the caller's numbers, which are copied. The weights of a class are divided by
 * their sum.
 *
 * @retval NEY_EINVAL  a weight is not above 0, p_pos not between 0 and 1, a covariance not
 * symmetric and positive definite: the message says which, and why.
 */
NEY_API NEY_MUST_CHECK ney_status ney_mixture_new(ney_mixture **out, const ney_env *env,
                                                  int64_t dims, double p_pos,
                                                  const ney_gaussian *positive, int64_t n_positive,
                                                  const ney_gaussian *negative, int64_t n_negative,
                                                  ney_error *err);

typedef struct ney_fit_opts {
    int64_t components, max_components; /* components 0: up to max_components, by the BIC */
    double ridge;                       /* share of a column's variance added to every variance */
    int64_t max_rows, seed;             /* of a class with more rows, so many drawn at random */
} ney_fit_opts;

NEY_API const ney_param *ney_fit_params(int64_t *n_params);

/**
 * Both classes from data, by expectation-maximisation, in the units the features have now.
 *
 * @param opts  NULL for the defaults.
 * @retval NEY_EINVAL  a class has no row or too few for so many components, or there are more than
 *                     1024 columns.
 */
NEY_API NEY_MUST_CHECK ney_status ney_mixture_fit(ney_mixture **out, const ney_env *env,
                                                  const ney_data *data, const ney_fit_opts *opts,
                                                  ney_error *err);
NEY_API void ney_mixture_free(ney_mixture *mixture);
NEY_API int64_t ney_mixture_dims(const ney_mixture *mixture);
NEY_API double ney_mixture_p_pos(const ney_mixture *mixture);
/** The components of the positive (sign > 0) or the negative class. */
NEY_API const ney_gaussian *ney_mixture_class_of(const ney_mixture *mixture, int sign,
                                                 int64_t *n_components);

typedef enum ney_theory_loss {
    NEY_LOSS_SQUARE, /* (z - 1)^2 / 2 */
    NEY_LOSS_ERF,    /* z Psi(z) - z + Psi'(z), Psi the normal distribution function */
    NEY_LOSS_HINGE   /* max(0, 1 - z) */
} ney_theory_loss;

/* How the classifier trained with gamma = C+ / (C+ + C-) relates to the costs it is best for, as
 * gamma tends to 0 or to 1. */
typedef enum ney_regime {
    NEY_REGIME_UNDECIDED,         /* the leading terms cancel */
    NEY_REGIME_INCONSISTENT,      /* classifiers trained near this end are of no use at any costs */
    NEY_REGIME_TRAIN_LESS_EXTREME /* for extreme testing costs, train with much milder ones */
} ney_regime;

/** "undecided", "inconsistent" or "train-less-extreme". */
NEY_API const char *ney_regime_text(ney_regime regime);

/* The population optimum for one training asymmetry. */
typedef struct ney_asymmetry_point {
    double gamma, b;
    double fpr, tpr, fnr;
    double log_fpr, log_tpr; /* still numbers where the rates are 0 as doubles */
    double log_slope;        /* log of (d tpr / d gamma) / (d fpr / d gamma); NAN where they differ
                                in sign */
    double beta;     /* the testing asymmetry that this slope is optimal for; NAN likewise */
    bool consistent; /* on the upper convex envelope of the curve */
} ney_asymmetry_point;

/* The leading terms at one end. */
typedef struct ney_asymmetry_limit {
    ney_regime regime;
    double discriminant;     /* the sign of it tells the regime */
    const double *direction; /* of w, dims numbers */
    const double *weight;    /* of the components in the tail: proposition 2 */
    int64_t n_weights;
    int64_t component_neg, component_pos; /* with the slowest tails, from 0 */
} ney_asymmetry_limit;

/* The best that training with this loss can do for one pair of testing costs. */
typedef struct ney_asymmetry_answer {
    double beta;          /* cost_fn / (cost_fn + cost_fp) */
    double gamma;         /* to train with; 0 or 1 where no training beats one decision for all */
    double fpr, tpr;      /* of the classifier trained so */
    double cost;          /* beta p+ fnr + (1 - beta) p- fpr of it, */
    double cost_same;     /* of the one trained with gamma = beta, */
    double cost_constant; /* and of the better of the two constant decisions */
} ney_asymmetry_answer;

/* Training against testing asymmetry for one mixture and one loss. Calls with one study are not
 * concurrent: it holds their memory. */
typedef struct ney_asymmetry ney_asymmetry;

/**
 * Compute the curve on a grid of 301 values of gamma, and the limits at its ends.
 *
 * @param mixture  Borrowed for the life of the study.
 */
NEY_API NEY_MUST_CHECK ney_status ney_asymmetry_new(ney_asymmetry **out, const ney_env *env,
                                                    const ney_mixture *mixture,
                                                    ney_theory_loss loss, ney_error *err);
NEY_API void ney_asymmetry_free(ney_asymmetry *study);

/** Whether the class means coincide: then w = 0 for every gamma. */
NEY_API bool ney_asymmetry_is_constant(const ney_asymmetry *study);

/**
 * The optimum at one gamma: 0, 1 or between 1e-15 and 1 - 1e-15, for the erf loss and the hinge
 * from 1e-300 on.
 *
 * @param[out] w  dims numbers.
 * @retval NEY_EINVAL  gamma is none of these.
 */
NEY_API NEY_MUST_CHECK ney_status ney_asymmetry_at(ney_asymmetry *study, double gamma,
                                                   ney_asymmetry_point *point, double *w,
                                                   ney_error *err);

/** The limit at gamma = 0 (end 0) or 1 (end 1). Valid as long as the study. */
NEY_API const ney_asymmetry_limit *ney_asymmetry_limit_at(const ney_asymmetry *study, int end);

/** w, b and log_slope by the leading terms at that end; the rest of *point is not set. */
NEY_API void ney_asymmetry_expand(const ney_asymmetry *study, int end, double gamma,
                                  ney_asymmetry_point *point, double *w);

/** The gammas of consistent classifiers as pairs low, high; 0 and 1 stand for the ends. Returns the
 * number of pairs, at most 16 of which are written. */
NEY_API NEY_MUST_CHECK ney_status ney_asymmetry_ranges(ney_asymmetry *study, double pairs[32],
                                                       int64_t *n_pairs, ney_error *err);

/** The gamma to train with for one testing asymmetry, in (0, 1). */
NEY_API NEY_MUST_CHECK ney_status ney_asymmetry_for(ney_asymmetry *study, double beta,
                                                    ney_asymmetry_answer *answer, ney_error *err);

/**
 * The same from data, with support vector machines: for each of n_splits random halves, learn from
 * one half with C+ = 2 C gamma, C- = 2 C (1 - gamma) for every gamma, by a path through them all
 * where there are at most 5000 rows, and count errors on the other at threshold 0. Gamma 0 and 1
 * stand for deciding negative and positive always.
 *
 * @param      data   Not prepared: filling and scaling are fitted on each half learned from.
 * @param      scaling  Ignored where the data are prepared: then the features are taken as they
 * are.
 * @param      opts   As for ney_train(); its costs are ignored, its seed begins the splits.
 * @param[out] fpr    n_splits x n_gammas rates, split after split; likewise tpr.
 * @retval NEY_EINVAL  fewer than two rows of a class, or a gamma outside [0, 1].
 */
NEY_API NEY_MUST_CHECK ney_status ney_asymmetry_sample(const ney_env *env, const ney_data *data,
                                                       const ney_train_opts *opts,
                                                       ney_scaling scaling, const double *gamma,
                                                       int64_t n_gammas, int64_t n_splits,
                                                       double *fpr, double *tpr, ney_error *err);

/* ------------------------------------------------------------------ paths */

/* The solution of the cost SVM is piecewise affine along every straight line in the plane of the
 * costs (C+, C-): a path is a set of lines, each known at all of its points by its breakpoints. No
 * model is trained twice, and none is approximate. Mathematics: doc/math/path.md. */
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
 * A path without lines. The data are copied, with their recipe.
 *
 * @param opts  Of these the kernel, its parameters and the cache count. NULL for the defaults.
 * @retval NEY_EINVAL  the kernel is not positive semidefinite (sigmoid), or a class has no row.
 *
 * Memory: the kernel matrix in double where it fits into the cache, else a row at a time; a number
 * for each row and row on the margin.
 */
NEY_API NEY_MUST_CHECK ney_status ney_path_new(ney_path **out, const ney_env *env,
                                               const ney_data *data, const ney_train_opts *opts,
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

typedef struct ney_explore_opts {
    double most;     /* largest C+ + C- that is looked at */
    int64_t splits;  /* random halves to look at where there are no validation rows */
    int64_t seed;    /* of the halves */
    int64_t regular; /* further totals C+ + C-, each ten times the last, on either side */
    int scaling;     /* ney_scaling, of data that are not prepared: fitted on rows learned from */
} ney_explore_opts;

NEY_API const ney_param *ney_explore_params(int64_t *n_params);

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
                                              const ney_data *test, const ney_train_opts *opts,
                                              const ney_explore_opts *explore, ney_error *err);
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
