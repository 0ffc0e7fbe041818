/* Data sets: reading, making, preprocessing, writing; the binary cache. */
#ifndef NEYMAN_DATA_H
#define NEYMAN_DATA_H

#include <neyman/options.h>
#include <neyman/result.h>

#ifdef __cplusplus
extern "C" {
#endif

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

typedef enum ney_scaling {
    NEY_SCALING_NONE,
    NEY_SCALING_STANDARD, /* (x - mean) / standard deviation */
    NEY_SCALING_MINMAX,   /* onto [0, 1] */
    NEY_SCALING_UNIT      /* each row to Euclidean length 1 */
} ney_scaling;

/* What turns the cells of a file into features: column names, categories, label names, filling
 * and scaling. A data set has one, a model keeps a copy of its training set's. It never changes;
 * any number of threads may read it. */
typedef struct ney_preprocessing ney_preprocessing;

/* Rows with labels, weights and groups. Any number of threads may read it while none changes it. */
typedef struct ney_data ney_data;

/**
 * Read a data set. The format is told from the content: svmlight/LIBSVM text, CSV, TSV, Percolator
 * PIN or the binary cache, each of the text formats also compressed by gzip or zstd.
 *
 * @param[out] out     The data; free with ney_data_free().
 * @param      path    A file, or "-" for standard input.
 * @param      opts    NULL for the defaults.
 * @param      preprocessing  Of a model, so that a new file gives the same features and labels; the
 *                     labels may then be absent, missing cells are an error unless it was trained
 *                     with NEY_MISSING_MEAN, and opts->missing must be left at its default. NULL to
 *                     find columns and labels in the file itself.
 *
 * @retval NEY_EINVAL   an option that data of this format do not read: see ney_read_check().
 * @retval NEY_EPARSE   err tells file, line, what was found and what was expected.
 * @retval NEY_EFORMAT  none of the formats, a damaged cache, or a newer version's.
 * @retval NEY_EIO      the file cannot be opened or read.
 *
 * Without preprocessing, the positive label is opts->positive or else the larger of the two (as
 * numbers if both are, else as bytes); a file without any label is read too, and ney_data_label()
 * is NULL. The features wait for ney_data_prepare(): they are not scaled, and table columns that
 * need more digits than single precision has are held less a constant, which prepare() accounts
 * for. With preprocessing they are ready to be scored.
 * Memory: the final arrays and a few megabytes per thread.
 */
NEY_API NEY_MUST_CHECK ney_status ney_data_read(ney_data **out, const ney_env *env,
                                                const char *path, const ney_options *options,
                                                const ney_preprocessing *preprocessing,
                                                ney_error *err);

/** As ney_data_read(), from memory. @param name  what errors call it. */
NEY_API NEY_MUST_CHECK ney_status ney_data_parse(ney_data **out, const ney_env *env,
                                                 const char *name, const void *bytes,
                                                 size_t n_bytes, const ney_options *options,
                                                 const ney_preprocessing *preprocessing,
                                                 ney_error *err);

/* ---- rows from memory */

typedef enum ney_type { NEY_FLOAT32, NEY_FLOAT64, NEY_INT32, NEY_INT64 } ney_type;

/* The values of a column of categories: different texts, none of them empty. */
typedef struct ney_categories {
    int64_t n;
    const char *const *value; /* NULL: the column holds numbers */
} ney_categories;

/* Raw rows in the caller's memory, borrowed: numbers as they would stand in a file, before any
 * filling and scaling. A missing value is NaN. Dense cells in any order, or compressed sparse rows
 * (CSR) as of SciPy. Members that are left 0 have the meaning said here; set them by name. */
typedef struct ney_array {
    int64_t rows, cols;
    const void *value;   /* of the cells; of CSR, of the entries that are stored */
    ney_type value_type; /* NEY_FLOAT32 or NEY_FLOAT64 */
    /* dense: from a row to the next and from a column to the next, counted in values; may be
     * negative; both 0: row after row without gaps (C order). Fortran order: 1 and `rows`. */
    int64_t row_stride, col_stride;
    const void *start;   /* CSR: rows + 1 offsets into value and index; NULL: the array is dense */
    ney_type start_type; /* NEY_INT32 or NEY_INT64 */
    const void *index;   /* CSR: columns from 0, ascending within a row */
    ney_type index_type;
    const char *const *name; /* of the columns, `cols` of them, all different; NULL: none */
    /* dense, with names: for each of the `cols` columns its categories. A cell of such a column is
     * the position of its value from 0, NaN where it is missing. NULL: all columns are numbers. */
    const ney_categories *category;
    const void *reserved[3]; /* NULL */
} ney_array;

/**
 * A data set from an array, which is copied once, into the library's own storage: single precision,
 * dense or sparse as the array is.
 *
 * Without preprocessing of a model, a dense array is taken as a table (CSV): it is scaled by
 * default, and columns of doubles that need more digits than single precision has are held less a
 * constant. CSR rows are taken as svmlight text: not scaled by default, and never shifted. The rows
 * then wait for ney_fit() or ney_data_prepare(); missing values need the option missing = mean
 * there. With it (ney_model_preprocessing()), the rows become the model's features, as
 * ney_data_read() makes them of a file. Columns are matched by name where the model and the array
 * have names, else by position; of a dense array as many are needed as the model has.
 *
 * A column of categories becomes one feature of 0 and 1 for each value that occurs, in the order of
 * the values' bytes, as a column of words in a table does; with the preprocessing of a model, a
 * value that the model does not know makes all of them 0. Such an array may also have a column of 0
 * and 1 with the name COLUMN=VALUE (ney_preprocessing_feature()) for each of these features. For
 * scores alone ney_predict() is enough.
 *
 * The data have no labels, weights and groups yet: see ney_data_set_labels() and the like.
 *
 * @param preprocessing  The preprocessing of a model, or NULL.
 * @retval NEY_EINVAL  the message names row and column (counted from 0) of a value that is infinite
 *                     or beyond single precision, of one that is missing where the model takes
 *                     none, of a category that is not a position, and of a column of CSR that is
 *                     out of range or not ascending; or the column that is lacking, named twice, or
 *                     of categories where the model has numbers, or the reverse.
 */
NEY_API NEY_MUST_CHECK ney_status ney_data_from_array(ney_data **out, const ney_env *env,
                                                      const ney_array *x,
                                                      const ney_preprocessing *preprocessing,
                                                      ney_error *err);

/**
 * Labels of data made from an array, copied.
 *
 * @param label     +1 or -1 per row.
 * @param negative, positive  Names of the two classes, as results and models call them; both NULL:
 *                  "-1" and "1", or those of the model whose preprocessing made the data.
 * @retval NEY_EINVAL  a label is neither +1 nor -1, or the names are equal or not the model's. The
 *                     data are as they were.
 */
NEY_API NEY_MUST_CHECK ney_status ney_data_set_labels(ney_data *data, const int8_t *label,
                                                      const char *negative, const char *positive,
                                                      ney_error *err);
/** Weights, copied: a finite number >= 0 per row. NULL: all are 1. */
NEY_API NEY_MUST_CHECK ney_status ney_data_set_weights(ney_data *data, const float *weight,
                                                       ney_error *err);

/**
 * A data set from arrays of the library's own kind, copied, as ney_data_from_array() makes it of
 * CSR: a dense matrix too is taken as numbered features.
 *
 * @param label   +1 or -1 per row.
 * @param weight  A number >= 0 per row, or NULL for all 1.
 * @retval NEY_EINVAL  as of the three functions above; a value that is missing is one too many.
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
NEY_API const ney_preprocessing *ney_data_preprocessing(const ney_data *data);
/** The format the data came from, never NEY_FORMAT_AUTO. */
NEY_API ney_format ney_data_format(const ney_data *data);

/**
 * Fit filling and scaling on some rows and apply them to all, in place; the data's preprocessing
 * keeps them. Statistics are weighted by nothing, accumulated in double.
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

/** A new data set of some rows of another, in the order given; the preprocessing is copied. */
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
 * file also scans, peptides, proteins. Any number of threads may read it. */
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

/** How many groups have rows of a class (+1 or -1); rows where the data have no groups; 0 where
 * they have no labels. */
NEY_API NEY_MUST_CHECK ney_status ney_data_count_groups(const ney_data *data, int label, int64_t *n,
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
NEY_API const char *ney_preprocessing_label(const ney_preprocessing *preprocessing, int sign);
/** The name of feature `column` (from 0), copied into the caller's buffer and cut to fit. */
NEY_API void ney_preprocessing_feature(const ney_preprocessing *preprocessing, int64_t column,
                                       char *name, size_t n_name);
NEY_API int64_t ney_preprocessing_cols(const ney_preprocessing *preprocessing);
/** The columns that features are made from, where they have names; else 0. */
NEY_API int64_t ney_preprocessing_inputs(const ney_preprocessing *preprocessing);
/** The name of such a column, from 0; NULL when there is none.
 * @param[out] category  Its categories, ascending; NULL for numbers. All borrowed.
 * @param[out] n_category  Their number. Both may be NULL. */
NEY_API const char *ney_preprocessing_input(const ney_preprocessing *preprocessing, int64_t k,
                                            const char *const **category, int64_t *n_category);
NEY_API ney_scaling ney_preprocessing_scaling(const ney_preprocessing *preprocessing);
/** How feature `column` (from 0) is made from the number x of a file: (x - *offset) * *factor; the
 * row is brought to length 1 after that when the scaling is "unit". 0 and 1 where nothing is done.
 */
NEY_API void ney_preprocessing_scale(const ney_preprocessing *preprocessing, int64_t column,
                                     double *offset, double *factor);

/* ------------------------------------------------------------------ the binary cache, block by
 * block */

/* One thread at a time may use a handle. */
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
NEY_API const ney_preprocessing *ney_cache_preprocessing(const ney_cache *cache);
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
                                                  const char *out, const ney_options *options,
                                                  ney_error *err);

#ifdef __cplusplus
}
#endif

#endif
