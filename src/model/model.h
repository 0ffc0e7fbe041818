/* Internals of a model: what every family has, and the family's own part. */
#ifndef NEY_MODEL_MODEL_H
#define NEY_MODEL_MODEL_H

#include "data/preprocessing.h"
#include "model/family.h"

typedef struct ney_metadata_item {
    char *key;
    double value;
    char *text; /* NULL for a number */
} ney_metadata_item;

typedef struct ney_metadata {
    ney_metadata_item *item;
    int64_t n, cap;
} ney_metadata;

enum {
    NEY_N_LISTS = NEY_METADATA_CERTIFICATE + 1,
    NEY_MOST_METADATA = 1000 /* in a list; keeps a hostile file from making the search slow */
};

/* Scores of rows that the model was not trained on, ascending. */
typedef struct ney_calibration {
    double *score;
    double *weight; /* one over the rows of its group; NULL: the row is the unit */
    double *below;  /* n + 1 sums of the weights before each */
    int64_t n, groups;
} ney_calibration;

typedef struct ney_model_folds ney_model_folds;
typedef struct ney_row_sketch ney_row_sketch;
struct ney_calibrator;

struct ney_model {
    ney_env env;
    ney_preprocessing *preprocessing;
    const ney_family *family;
    void *part; /* the family's; NULL until it is known */
    double low, high;
    ney_metadata list[NEY_N_LISTS];
    ney_calibration calibration[2];     /* of the negatives and the positives; none: no p-values */
    struct ney_calibrator *probability; /* NULL: no probabilities */
    ney_calibration_kind probability_kind;
    ney_model_folds *folds;        /* NULL: none */
    ney_row_sketch *training_rows; /* of all rows that made the model; NULL: not kept */
    struct {
        double *score; /* NULL: not known */
        int64_t n;
        double error; /* the largest */
    } trained;        /* scores of the rows that the solver had, in their order. Not in files */
};

void ney_model_forget_calibration(ney_model *m);

/* Keep what the solver knows of the scores of its n rows; `score` is taken over. */
void ney_model_take_scores(ney_model *m, double *score, int64_t n, double error);

/* Lines of a model file: "probability KIND N" and N lines "SCORE NEGATIVES POSITIVES", ascending.
 */
void ney_model_probability_format(const ney_model *m, ney_text *t);
void ney_model_probability_parse(ney_fields *f, ney_model *m);
void ney_model_forget_probabilities(ney_model *m);

/* The sums from the weights; false without memory. */
bool ney_calibration_sum(ney_calibration *c, const ney_env *env);

/* A model without its part: thresholds 0, no metadata. Takes the preprocessing over, on failure
 * too. */
ney_status ney_model_new(ney_model **out, const ney_env *env, ney_preprocessing *preprocessing,
                         const ney_family *family, ney_error *err);

/* A model of `family` with a copy of the preprocessing and the family's part, which is
 * taken over, on failure too. */
ney_status ney_model_with_part(ney_model **out, const ney_env *env,
                               const ney_preprocessing *preprocessing, const ney_family *family,
                               void *part, ney_error *err);

/* Whether `key` may name an item of metadata: lower-case letters, digits and "_", a letter first.
 */
bool ney_metadata_key_is_valid(const char *key);

/* The position of a key in a list, -1 when it is not there. */
int64_t ney_metadata_find(const ney_metadata *list, const char *key);

/* Of the linear family. */
typedef struct ney_linear {
    double intercept;
    double *weight; /* `cols` of them */
    int64_t cols;
} ney_linear;

/* "linear", "rbf", "poly" or "sigmoid". */
const char *ney_kernel_text(ney_kernel_kind kind);

#endif
