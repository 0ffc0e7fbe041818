/* Options of reading, preprocessing and q-values as structs. EXPERIMENTAL: anything here may change
 * in any release (VERSIONING.md). */
#ifndef NEYMAN_EXPERIMENTAL_DATA_H
#define NEYMAN_EXPERIMENTAL_DATA_H

#include <neyman/decide.h>
#include <neyman/experimental/params.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ney_missing {
    NEY_MISSING_ERROR,    /* a missing or non-finite cell is an error that names its place */
    NEY_MISSING_MEAN,     /* missing cells are kept as NaN until ney_data_prepare() fills them */
    NEY_MISSING_KEEP,     /* missing and infinite cells are kept: for inspection, and for training
                             families that score missing values */
    NEY_MISSING_MEDIAN,   /* as the mean */
    NEY_MISSING_INDICATOR /* as the median, and every column of numbers with missing cells in the
                             rows fitted on gets a second feature: 1 where the cell is missing */
} ney_missing;

typedef struct ney_read_opts {
    ney_format format;
    const char *label, *positive, *weight, *ignore, *words;
    const char *id, *group; /* columns that are not features; kept as notes */
    const char *keep;       /* more of them, separated by commas, to be written beside results; last
                               those that CSV and TSV may have, each after a line break */
    const char *score;      /* the column of a score file with the scores; NULL: "score" */
    const char
        *delimiter;      /* of the fields of CSV: one character, or "tab", "space"; NULL: sniffed */
    const char *decimal; /* "." or ",": the decimal mark of tables; NULL: recognised */
    const char *na;      /* more words for missing cells, separated by commas */
    const char *negative; /* label values of the negative class, separated by commas */
    const char *decoys; /* files as of a path, whose rows are negatives; other rows are positives */
    bool rest;          /* every label value but `positive` is of the negative class */
    ney_missing missing;
    bool no_header, zero_based;
    int64_t max_categories;
    int64_t max_columns; /* 0: 2,000,000, or 10 for every stored entry if that is more */
    int64_t max_line;    /* longest line of text, in megabytes */
} ney_read_opts;

/** The table of ney_read_opts, static. @param[out] n_params  Its number of rows. */
NEY_EXPERIMENTAL const ney_param *ney_read_params(int64_t *n_params);

/**
 * Check options as ney_data_read() does: an option that is not at its default and has no effect on
 * data of a format is refused.
 *
 * @param format      Not NEY_FORMAT_AUTO.
 * @param with_model  The data are read with a model's preprocessing, which determines what
 *                    cells may hold.
 * @retval NEY_EINVAL  the message names the option and what it applies to.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_read_check(const ney_read_opts *opts,
                                                          ney_format format, bool with_model,
                                                          ney_error *err);
/** What an option of reading applies to, as a phrase; NULL for options that always apply. */
NEY_EXPERIMENTAL const char *ney_read_where(const char *name);

/* The files that the path of a function such as ney_data_read() names: a file; several, one name
 * per line; patterns (* ? [...]) where no file is called so. */
typedef struct ney_file_list ney_file_list;

/** Free with ney_file_list_free().
 * @retval NEY_EIO  no file matches a pattern. @retval NEY_EINVAL  a file is named twice. */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_file_list_new(ney_file_list **out,
                                                             const ney_env *env, const char *path,
                                                             ney_error *err);
/** NULL is allowed. */
NEY_EXPERIMENTAL void ney_file_list_free(ney_file_list *list);
/** The number of files. */
NEY_EXPERIMENTAL int64_t ney_file_list_count(const ney_file_list *list);
/** The name of file `k`, from 0; NULL when there is none. Borrowed. */
NEY_EXPERIMENTAL const char *ney_file_list_name(const ney_file_list *list, int64_t k);

/** Keep missing cells of raw data as NaN, as missing = keep does, for families that score them. */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_data_keep_missing(ney_data *data, ney_error *err);

/** The name of column `k` (from 0) of those of the option keep; NULL when there is none.
 * @param[out] length  Its bytes: a tab or a NUL follows. */
NEY_EXPERIMENTAL const char *ney_data_kept_column(const ney_data *data, int64_t k, int64_t *length);

/** The position of that column among the notes; -1 when there is none. */
NEY_EXPERIMENTAL int64_t ney_notes_kept(const ney_notes *notes, int64_t k);

/* Options of preprocessing. */
typedef struct ney_preprocess_opts {
    int scale; /* 0: standard for tables, else none; otherwise a ney_scaling plus 1 */
} ney_preprocess_opts;

/** The table of ney_preprocess_opts, static. @param[out] n_params  Its number of rows. */
NEY_EXPERIMENTAL const ney_param *ney_preprocess_params(int64_t *n_params);

/** The table of ney_qvalue_opts, static. @param[out] n_params  Its number of rows. */
NEY_EXPERIMENTAL const ney_param *ney_qvalue_params(int64_t *n_params);

/* The functions of <neyman/data.h> and <neyman/decide.h> that read files, with the options of
 * reading as a struct. */

NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status
ney_data_read_with(ney_data **out, const ney_env *env, const char *path, const ney_read_opts *opts,
                   const ney_preprocessing *preprocessing, ney_error *err);
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_data_parse_with(
    ney_data **out, const ney_env *env, const char *name, const void *bytes, size_t n_bytes,
    const ney_read_opts *opts, const ney_preprocessing *preprocessing, ney_error *err);
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_cache_build_with(const ney_env *env, const char *in,
                                                                const char *out,
                                                                const ney_read_opts *opts,
                                                                ney_error *err);
/** The rows of a cache as n caches, whose names are `pattern` with the numbers 0 to n - 1
 * (ney_numbered_name()). Shards hold consecutive rows, or, where the cache has a column of groups,
 * whole groups. All are written, or none. Memory does not grow with the number of rows. */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_cache_split(const ney_env *env, const char *in,
                                                           const char *pattern, int64_t n,
                                                           ney_error *err);
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_scores_read_with(ney_scores **out,
                                                                const ney_env *env,
                                                                const char *path,
                                                                const ney_read_opts *opts,
                                                                ney_error *err);
/** As ney_scores_read_with(), and keep the text of column `by`, a name or a number; NULL: of none.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_scores_read_by(ney_scores **out, const ney_env *env,
                                                              const char *path,
                                                              const ney_read_opts *opts,
                                                              const char *by, ney_error *err);
/** The text of that column in a row, borrowed, *length bytes that no NUL ends. NULL without one. */
NEY_EXPERIMENTAL const char *ney_scores_by(const ney_scores *scores, int64_t row, int64_t *length);
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_certify_file_with(
    ney_certified *out, const ney_env *env, const char *path, const ney_read_opts *opts,
    double max_fpr, double max_fnr, double delta, ney_error *err);

#ifdef __cplusplus
}
#endif

#endif
