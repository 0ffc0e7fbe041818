/* Data sets from files, text and arrays; preprocessing; the binary cache. */
#ifndef NEYMAN_DATA_H
#define NEYMAN_DATA_H

#include <neyman/options.h>
#include <neyman/result.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A borrowed, read-only matrix of features in the storage of the library: dense, or compressed
 * sparse rows (CSR). */
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
    NEY_FORMAT_CACHE,
    NEY_FORMAT_NPY, /* a NumPy array */
    NEY_FORMAT_NPZ  /* an archive of NumPy arrays */
} ney_format;

/** The format by the ending of a file name: .svm .svmlight .libsvm .csv .tsv .tab .pin .ney .npy
 * .npz, also followed by .gz or .zst. NEY_FORMAT_AUTO for other endings. */
NEY_API ney_format ney_format_of_name(const char *path);

typedef enum ney_scaling {
    NEY_SCALING_NONE,
    NEY_SCALING_STANDARD, /* (x - mean) / standard deviation */
    NEY_SCALING_MINMAX,   /* onto [0, 1] */
    NEY_SCALING_UNIT,     /* each row to Euclidean length 1 */
    NEY_SCALING_RANK,     /* empirical distribution function, then mean 0 and deviation 1 */
    NEY_SCALING_ASINH,    /* asinh of the distance from the median, then the same */
    NEY_SCALING_AUTO      /* for each column the one of standard, asinh and rank whose values
                             correlate most with the labels of the rows that it is fitted on */
} ney_scaling;

/* The stored preprocessing pipeline, from the cells of a file to features: column names,
 * categories, label names, filling and scaling. A data set has one, and a model has that of its
 * training rows. Any number of threads may read it. */
typedef struct ney_preprocessing ney_preprocessing;

/* Rows with labels, weights and groups. Any number of threads may read it while none changes it;
 * ney_data_prepare(), ney_data_set_...() and ney_fit() change it. */
typedef struct ney_data ney_data;

/**
 * Read a data set. The format is recognised by its content: svmlight/LIBSVM text, CSV, TSV,
 * Percolator PIN, the binary cache, or NumPy arrays (.npy, .npz); all but the cache also compressed
 * by gzip or zstd.
 *
 * @param[out] out      The data; free with ney_data_free().
 * @param      path     A file, or "-" for standard input; or several, one name per line, and
 * patterns (such as "run*.csv") where no file has that name: text of one format and, of tables, one
 * header, which is read as one.
 * @param      options  Options of the group data: label, positive, group, missing, ... Others are
 * not read here, so that one handle serves ney_data_read() and ney_fit(). NULL: the defaults.
 * @param      preprocessing  That of a model, to get the features and labels of the model from a
 * new file. Labels may be absent then; missing cells are filled as in training, or an error; the
 * option missing must be at its default. NULL: columns and labels are found in the file.
 *
 * @retval NEY_EINVAL   an option has no effect on data of this format.
 * @retval NEY_EPARSE   malformed input: err has file, line, what was found and what was expected.
 * @retval NEY_EFORMAT  unknown format, damaged cache, or cache of a newer version.
 * @retval NEY_EIO      the file cannot be opened or read.
 * @retval NEY_ECANCELLED  poll asked for a stop.
 *
 * Without `preprocessing`, the positive label is the option positive, or else the larger of the two
 * (as numbers if both are, else by bytes). A file without labels can be read; ney_data_label() is
 * NULL then. The features are raw: ney_fit() or ney_data_prepare() fills and scales them. Columns
 * of tables that need more digits than single precision has are stored as difference from a
 * constant, which preprocessing accounts for. With `preprocessing` the features can be scored.
 * Memory: the final arrays and a few megabytes per thread.
 */
NEY_API NEY_MUST_CHECK ney_status ney_data_read(ney_data **out, const ney_env *env,
                                                const char *path, const ney_options *options,
                                                const ney_preprocessing *preprocessing,
                                                ney_error *err);

/** As ney_data_read(), from `n_bytes` bytes in memory. @param name  Stands for the file in errors.
 */
NEY_API NEY_MUST_CHECK ney_status ney_data_parse(ney_data **out, const ney_env *env,
                                                 const char *name, const void *bytes,
                                                 size_t n_bytes, const ney_options *options,
                                                 const ney_preprocessing *preprocessing,
                                                 ney_error *err);

/* ---- rows from memory */

typedef enum ney_type { NEY_FLOAT32, NEY_FLOAT64, NEY_INT32, NEY_INT64 } ney_type;

/** Whether a cell of a table that holds this text is missing: "", "?", "NA". */
NEY_API bool ney_text_is_missing(const char *text);

/* The values of a column of categories: different texts, none of them empty. */
typedef struct ney_categories {
    int64_t n;
    const char *const *value; /* NULL: the column holds numbers */
} ney_categories;

/* Raw rows in the caller's memory, borrowed for the call: numbers as in a file, before filling and
 * scaling. A missing value is NaN. Dense with any strides, or compressed sparse rows (CSR) as in
 * SciPy. Initialise the whole struct: members that are not set must be 0. */
typedef struct ney_array {
    int64_t rows, cols;
    const void *value;   /* the cells; of CSR, the stored entries */
    ney_type value_type; /* NEY_FLOAT32 or NEY_FLOAT64 */
    /* Dense: distance from a row to the next and from a column to the next, in values, not bytes;
     * may be negative. Both 0: C order without padding. Fortran order: 1 and `rows`. */
    int64_t row_stride, col_stride;
    const void *start;       /* CSR: rows + 1 offsets into value and index; NULL: dense */
    ney_type start_type;     /* NEY_INT32 or NEY_INT64 */
    const void *index;       /* CSR: columns from 0, ascending within a row */
    ney_type index_type;     /* NEY_INT32 or NEY_INT64 */
    const char *const *name; /* `cols` different column names; NULL: no names */
    /* Dense with names: the categories of each of the `cols` columns. A cell of such a column is
     * the position of its value from 0, NaN where it is missing. NULL: all columns hold numbers. */
    const ney_categories *category;
    const void *reserved[3];
} ney_array;

/**
 * A data set from an array. The numbers are copied once, to single precision, dense or sparse as
 * the array is: fitting fills and scales them in place, so the caller's memory cannot be used. The
 * array may be freed after the call. For scores alone use ney_predict(), which copies a few
 * megabytes at a time.
 *
 * Without `preprocessing`, a dense array is treated as a table (CSV): scaled by default, and
 * columns of doubles that need more digits than single precision has are stored as difference from
 * a constant. CSR rows are treated as svmlight text: not scaled by default, and never shifted.
 * ney_fit() or ney_data_prepare() fills and scales the features; missing values need the option
 * missing = mean.
 *
 * With `preprocessing` (ney_model_preprocessing()), the rows become features of the model, as
 * ney_data_read() makes them from a file. Columns are matched by name where both the model and the
 * array have names, else by position; a dense array without names needs as many columns as the
 * model.
 *
 * A column of categories becomes one feature of 0 and 1 per value that occurs, in the order of the
 * bytes of the values, as a column of words in a table does; a value that the model does not have
 * makes all of them 0. Instead, an array for a model may have a column of 0 and 1 with the name
 * COLUMN=VALUE (ney_preprocessing_feature()) for each of these features.
 *
 * The data have no labels, weights and groups: see ney_data_set_labels(), ney_data_set_weights()
 * and ney_data_set_groups().
 *
 * @param preprocessing  The preprocessing of a model, or NULL.
 * @retval NEY_EINVAL  an invalid shape, type or stride; a value that is infinite, beyond single
 *                     precision, or missing where the model does not fill; a cell that is not a
 * position of its categories; a CSR column that is out of range or not ascending; a column that is
 * absent, named twice, or has categories where the model has numbers, or the reverse. The message
 * names row and column, counted from 0.
 */
NEY_API NEY_MUST_CHECK ney_status ney_data_from_array(ney_data **out, const ney_env *env,
                                                      const ney_array *x,
                                                      const ney_preprocessing *preprocessing,
                                                      ney_error *err);

/**
 * Set the labels of data that were made from an array.
 *
 * @param label     +1 or -1 per row; copied.
 * @param negative, positive  Names of the two classes in results and models; both NULL: "-1" and
 * "1", or those of the model whose preprocessing made the data. Copied.
 * @retval NEY_EINVAL  a label is neither +1 nor -1; the names are equal, or differ from those of
 * the model. The data are unchanged.
 */
NEY_API NEY_MUST_CHECK ney_status ney_data_set_labels(ney_data *data, const int8_t *label,
                                                      const char *negative, const char *positive,
                                                      ney_error *err);
/** Set the weights: a finite number >= 0 per row; copied. NULL: all weights are 1.
 * @retval NEY_EINVAL  another value; the data are unchanged. */
NEY_API NEY_MUST_CHECK ney_status ney_data_set_weights(ney_data *data, const float *weight,
                                                       ney_error *err);

/**
 * A data set from a ney_matrix, whose numbers are copied. Features are numbered, not named, and are
 * not scaled by default, also if the matrix is dense. Missing values are not allowed.
 *
 * @param label   +1 or -1 per row.
 * @param weight  A finite number >= 0 per row; NULL: all weights are 1.
 * @retval NEY_EINVAL  as of the three functions above, or a missing value.
 */
NEY_API NEY_MUST_CHECK ney_status ney_data_new(ney_data **out, const ney_env *env,
                                               const ney_matrix *x, const int8_t *label,
                                               const float *weight, ney_error *err);
/** NULL is allowed. */
NEY_API void ney_data_free(ney_data *data);

/** The features; NULL for NULL. */
NEY_API const ney_matrix *ney_data_matrix(const ney_data *data);
/** +1 or -1 per row; NULL when there are no labels. */
NEY_API const int8_t *ney_data_label(const ney_data *data);
/** NEY_OK when there are labels; else NEY_EPARSE with the reason why ney_data_label() is NULL. */
NEY_API NEY_MUST_CHECK ney_status ney_data_unlabelled(const ney_data *data, ney_error *err);
/** A number >= 0 per row; NULL when all weights are 1. */
NEY_API const float *ney_data_weight(const ney_data *data);
/** The preprocessing of the data, borrowed. */
NEY_API const ney_preprocessing *ney_data_preprocessing(const ney_data *data);
/** The format that the data were read from, never NEY_FORMAT_AUTO; of arrays the one that they are
 * treated as. NEY_FORMAT_AUTO for NULL. */
NEY_API ney_format ney_data_format(const ney_data *data);

/**
 * Compute statistics for filling and scaling from some rows and apply them to all rows, in place.
 * The preprocessing of the data keeps them. Statistics are not weighted. ney_fit() does this
 * itself, on the rows that it trains on: call it only for data that are not fitted by ney_fit().
 *
 * NEY_SCALING_STANDARD and NEY_SCALING_MINMAX divide sparse numbered features (svmlight) but do not
 * shift them, so that zeros stay zeros; they do not change columns of categories, which are 0 or 1.
 * A constant column is only shifted.
 *
 * @param rows    The n_rows rows that statistics are computed from, ascending; NULL: all rows.
 * @retval NEY_EINVAL  unknown scaling, a row out of range, data that are filled and scaled already,
 * or a column without any number to fill with. The data are unchanged.
 */
NEY_API NEY_MUST_CHECK ney_status ney_data_prepare(ney_data *data, ney_scaling scaling,
                                                   const int64_t *rows, int64_t n_rows,
                                                   ney_error *err);

/** A new data set with copies of some rows, in the order given, and a copy of the preprocessing.
 * @retval NEY_EINVAL  a row out of range, or n_rows < 0. */
NEY_API NEY_MUST_CHECK ney_status ney_data_take(ney_data **out, const ney_data *data,
                                                const int64_t *rows, int64_t n_rows,
                                                ney_error *err);

/**
 * Assign rows to parts at random, stratified by class: the size of each part within a class differs
 * from its share by less than one row. Without labels all rows are one class. Where the data have
 * groups, whole groups are assigned, and sizes are counted in groups.
 *
 * @param      share    n_parts finite numbers > 0; only their proportions matter.
 * @param[out] part_of  The part of each row, from 0 to n_parts - 1.
 * @retval NEY_EINVAL   n_parts < 1, or a share that is not > 0.
 */
NEY_API NEY_MUST_CHECK ney_status ney_data_split(const ney_data *data, const double *share,
                                                 int n_parts, uint64_t seed, int *part_of,
                                                 ney_error *err);

/* Columns of a file that are not features: those of the options id and group; of a PIN file also
 * scans, peptides, proteins. Any number of threads may read it. */
typedef struct ney_notes ney_notes;

/** An index of these columns. Free with ney_notes_free(). @param data  Borrowed: it must outlive
 * the index. */
NEY_API NEY_MUST_CHECK ney_status ney_notes_new(ney_notes **out, const ney_data *data,
                                                ney_error *err);
/** NULL is allowed. */
NEY_API void ney_notes_free(ney_notes *notes);
/** The position of a column, by its name in any case; -1 when there is none. */
NEY_API int64_t ney_notes_find(const ney_notes *notes, const char *name);
/** A cell: `length` bytes, borrowed, not followed by a NUL; NULL and length 0 where there is none.
 * The last column may contain tabs. */
NEY_API const char *ney_notes_text(const ney_notes *notes, int64_t row, int64_t column,
                                   int64_t *length);

/**
 * A hash per row, equal for rows that agree in all of some columns.
 *
 * @param      columns  Names of columns, separated by commas; a name followed by "?" may be absent.
 * @param[out] key      One per row; where all columns are absent, a hash of the features.
 * @param[out] used     The number of columns that are present.
 * @retval NEY_EINVAL   a column is absent.
 */
NEY_API NEY_MUST_CHECK ney_status ney_data_keys(const ney_data *data, const char *columns,
                                                uint64_t *key, int64_t *used, ney_error *err);

/** The column of groups (option group); NULL when there is none. With groups, every hold-out, fold,
 * certificate and p-value that is computed from the data treats a group as the unit. */
NEY_API const char *ney_data_group_column(const ney_data *data);
/** For a table that was read without groups: a column that has the name of an identifier (patient,
 * user_id, ...) and repeated values, whose rows may be dependent. NULL when there is none. */
NEY_API const char *ney_data_repeated_column(const ney_data *data);
/** The column that identifies rows (option id); NULL when there is none. */
NEY_API const char *ney_data_id_column(const ney_data *data);

/**
 * A number per row, equal for rows of one group.
 *
 * @param[out] group  One per row; all different where the data have no groups.
 */
NEY_API NEY_MUST_CHECK ney_status ney_data_groups(const ney_data *data, uint64_t *group,
                                                  ney_error *err);

/** The number of groups with rows of a class (`label` +1 or -1); the number of rows where the data
 * have no groups; 0 where they have no labels. */
NEY_API NEY_MUST_CHECK ney_status ney_data_count_groups(const ney_data *data, int label, int64_t *n,
                                                        ney_error *err);
/** Set the groups of data that were made from an array.
 * @param group  One per row, equal for rows of one group; copied. */
NEY_API NEY_MUST_CHECK ney_status ney_data_set_groups(ney_data *data, const uint64_t *group,
                                                      ney_error *err);

/**
 * A key per row, equal for rows of one spectrum (or other unit) whose targets and decoys compete:
 * rows that agree in `columns`; NULL: in file, ScanNr and ExpMass, as in PIN files.
 *
 * @param[out] known  Whether these columns exist; if not, the keys are meaningless.
 * @retval NEY_EINVAL  a column of `columns` is absent.
 */
NEY_API NEY_MUST_CHECK ney_status ney_data_spectra(const ney_data *data, const char *columns,
                                                   uint64_t *key, bool *known, ney_error *err);

/**
 * Write a data set. The file is replaced as a whole or not at all.
 *
 * @param path    "-" is standard output.
 * @param format  NEY_FORMAT_AUTO: by the name, as of ney_format_of_name().
 * @retval NEY_EINVAL  the format cannot be determined. @retval NEY_EIO  the file cannot be written.
 */
NEY_API NEY_MUST_CHECK ney_status ney_data_write(const ney_data *data, const ney_env *env,
                                                 const char *path, ney_format format,
                                                 ney_error *err);

/* Statistics of a column. */
typedef struct ney_column_summary {
    double low, high, mean, deviation;  /* of the finite values, zeros included; NAN if none */
    int64_t nonzero, missing, infinite; /* numbers of cells */
    double reserved[2];
} ney_column_summary;

/* Statistics of a data set. */
typedef struct ney_data_summary {
    int64_t rows, cols, stored; /* stored: entries that are not zero */
    int64_t positives, negatives;
    int64_t constant_columns, duplicate_rows, contradictory_rows;
    int64_t missing, infinite;
    double low, high; /* of all finite values */
    double reserved[4];
} ney_data_summary;

/**
 * Statistics of a data set. A duplicate row has the features of an earlier row, whatever its label.
 * contradictory_rows is the number of distinct rows of features that occur with both labels.
 *
 * @param[out] columns  One per column; NULL: none.
 */
NEY_API NEY_MUST_CHECK ney_status ney_data_describe(const ney_data *data, ney_data_summary *summary,
                                                    ney_column_summary *columns, ney_error *err);

/** The name of a class in the file; `sign` is +1 or -1. "" where there are no labels. Borrowed. */
NEY_API const char *ney_preprocessing_label(const ney_preprocessing *preprocessing, int sign);
/** The name of feature `column` (from 0), copied into the buffer `name` of n_name bytes and
 * truncated to fit; a number such as "c5" beyond the named features, "" for a negative one. */
NEY_API void ney_preprocessing_feature(const ney_preprocessing *preprocessing, int64_t column,
                                       char *name, size_t n_name);
/** The number of features. */
NEY_API int64_t ney_preprocessing_cols(const ney_preprocessing *preprocessing);
/** The number of named input columns that features are made from; 0 where columns have no names. */
NEY_API int64_t ney_preprocessing_inputs(const ney_preprocessing *preprocessing);
/** The name of input column `k`, from 0; NULL when there is none.
 * @param[out] category    Its categories, ascending; NULL for numbers. Borrowed; may be NULL.
 * @param[out] n_category  Their number; may be NULL. */
NEY_API const char *ney_preprocessing_input(const ney_preprocessing *preprocessing, int64_t k,
                                            const char *const **category, int64_t *n_category);
/** The scaling that is applied. */
NEY_API ney_scaling ney_preprocessing_scaling(const ney_preprocessing *preprocessing);
/** The scaling of feature `column` (from 0): a number x of the file becomes (x - *offset) *
 * *factor; with NEY_SCALING_UNIT the row is divided by its Euclidean length after that. 0 and 1
 * where the feature is not scaled. */
NEY_API void ney_preprocessing_scale(const ney_preprocessing *preprocessing, int64_t column,
                                     double *offset, double *factor);

/* ------------------------------------------------------------------ the binary cache */

/* An open cache file, which is read block by block. One thread at a time may use a handle. */
typedef struct ney_cache ney_cache;

/* Consecutive rows of a cache, borrowed from it. */
typedef struct ney_block {
    int64_t first_row;
    ney_matrix x;
    const int8_t *label; /* NULL when there are none */
    const float *weight; /* NULL when all are 1 */
    const void *reserved[4];
} ney_block;

/** Open a cache file. The header is checked, blocks are not read. Close with ney_cache_close().
 * @retval NEY_EFORMAT  not a cache, a damaged one, or one of a newer version. @retval NEY_EIO */
NEY_API NEY_MUST_CHECK ney_status ney_cache_open(ney_cache **out, const ney_env *env,
                                                 const char *path, ney_error *err);
/** NULL is allowed. */
NEY_API void ney_cache_close(ney_cache *cache);
/** The number of rows. */
NEY_API int64_t ney_cache_rows(const ney_cache *cache);
/** The number of columns. */
NEY_API int64_t ney_cache_cols(const ney_cache *cache);
/** The number of blocks. */
NEY_API int64_t ney_cache_blocks(const ney_cache *cache);
/** The preprocessing of the rows, borrowed. */
NEY_API const ney_preprocessing *ney_cache_preprocessing(const ney_cache *cache);
/** Read block `k` (from 0) and verify its checksum. The block is valid until the next call.
 * @retval NEY_EFORMAT  the block is damaged. @retval NEY_EINVAL  there is no such block. */
NEY_API NEY_MUST_CHECK ney_status ney_cache_block(ney_cache *cache, int64_t k, ney_block *block,
                                                  ney_error *err);

/**
 * Write a cache from a file of any format in bounded memory: text is read in blocks of a few
 * megabytes. A table (CSV, TSV, PIN) is read twice, because its columns are known only at its end;
 * a table from standard input is held in memory.
 *
 * @param in, out  Files; `in` may be "-" for standard input. @param options  As of ney_data_read().
 * @retval NEY_EPARSE  as of ney_data_read(). After any failure `out` is unchanged.
 */
NEY_API NEY_MUST_CHECK ney_status ney_cache_build(const ney_env *env, const char *in,
                                                  const char *out, const ney_options *options,
                                                  ney_error *err);

#ifdef __cplusplus
}
#endif

#endif
