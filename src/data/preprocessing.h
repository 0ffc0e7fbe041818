/* The preprocessing: what turns the cells of a file into features and labels. */
#ifndef NEY_DATA_PREPROCESSING_H
#define NEY_DATA_PREPROCESSING_H

#include "base/env.h"
#include "base/fields.h"
#include "base/text.h"
#include "data/number_form.h"
#include "data/ranks.h"

#include <neyman/experimental/data.h>

/* Integers below this are floats exactly. */
#define NEY_WHOLE_FLOATS 16777216.0

/* A column of a table that is a feature: one number, or one 0/1 feature a category. */
typedef struct ney_input {
    char *name;
    int64_t first;   /* its first feature */
    char **category; /* sorted by bytes; NULL for a number */
    int64_t n_category;
    ney_number_form form; /* of a number's cells */
} ney_input;

/* A feature is computed from the cell's number x in three steps, the first when it is read:
 *
 *     stored  = float(x - shift)                shift 0 for most columns: column_statistics.h
 *     filled  = stored, or fill where missing
 *     ranked  = filled, or its mid-rank where the column has ranks
 *     feature = float((ranked - offset) * factor), then the whole row to length 1 for "unit"
 *
 * so that training and prediction do the same arithmetic. The arrays hold `cols` numbers; NULL
 * stands for shift 0, offset 0, factor 1, and "missing cells are an error" unless they are kept. A
 * missing value is a stored NaN, which is not the zero that sparse rows leave out. Under
 * --missing indicator the columns of numbers that had missing cells in training have a second
 * feature each, which says whether the cell is missing; a missing word has the feature 0 of every
 * category already. */
struct ney_preprocessing {
    ney_env env;
    ney_format format;
    int64_t cols;
    ney_input *input; /* the columns of a table; NULL for numbered features */
    int64_t n_input;
    char *label_column, *weight_column; /* names in a table; NULL when there are none */
    char *note_columns;                 /* kept as text, not as features; joined by tabs */
    char *id_column, *group_column;     /* two of these; NULL when there are none */
    char *kept_columns;                 /* those to be written beside results; joined by tabs */
    char *na_words;                     /* more words for missing cells, joined by commas */
    char *pooled;   /* label values read as the negative class, or NEY_POOL_REST; NULL: one */
    char *label[2]; /* names of the negative and the positive class; may be NULL */
    ney_scaling scaling;
    ney_missing missing; /* what becomes of missing cells: KEEP, or one that has a `fill` */
    bool prepared;       /* the last steps are known */
    double *shift, *fill, *offset, *factor;
    ney_ranks *ranks;   /* NULL: no column is ranked */
    int64_t *indicator; /* the columns, ascending, that have an indicator of missing cells */
    int64_t n_indicator;
};

/* The features that are stored before anything is filled or scaled. The others follow them: feature
 * stored + k is 1 where column indicator[k] is missing and 0 elsewhere. */
static inline int64_t ney_preprocessing_stored(const ney_preprocessing *r)
{
    return r->cols - r->n_indicator;
}

/* Whether cells may be missing: they are filled or kept. */
static inline bool ney_preprocessing_allows_missing(const ney_preprocessing *r)
{
    return r->fill || r->missing == NEY_MISSING_KEEP;
}

/* Let missing cells be filled, which ney_data_prepare() fits, or kept; false without memory. */
bool ney_preprocessing_set_missing(ney_preprocessing *preprocessing, ney_missing missing);

ney_status ney_preprocessing_new(ney_preprocessing **out, const ney_env *env, ney_format format,
                                 ney_error *err);
ney_status ney_preprocessing_copy(ney_preprocessing **out, const ney_env *env,
                                  const ney_preprocessing *from, ney_error *err);
void ney_preprocessing_free(ney_preprocessing *preprocessing);

/* Add an indicator of missing cells for the `n` columns, ascending, whose array becomes the
 * preprocessing's, also after a failure. False without memory, and the preprocessing is as it was.
 */
bool ney_preprocessing_add_indicators(ney_preprocessing *preprocessing, int64_t *column, int64_t n);
void ney_preprocessing_drop_indicators(ney_preprocessing *preprocessing);

/* As lines of text: part of every model and cache file. What is written is read back exactly. */
void ney_preprocessing_format(const ney_preprocessing *preprocessing, ney_text *text);

/* NULL after a failure, which `fields` holds. */
ney_preprocessing *ney_preprocessing_parse(ney_fields *fields);

#endif
