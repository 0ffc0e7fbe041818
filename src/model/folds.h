/* Models of a cross-validation inside the model that is their mean: a training row is scored by the
 * one that was not trained on it. */
#ifndef NEY_MODEL_FOLDS_H
#define NEY_MODEL_FOLDS_H

#include "model/model.h"

enum { NEY_MOST_FOLDS = 100 };

struct ney_model_folds {
    char *columns; /* that keys are made of, as for ney_data_keys() */
    int n;
    ney_model *model[NEY_MOST_FOLDS]; /* of the same family; owned */
    int64_t n_keys;
    uint64_t *key; /* ascending */
    uint8_t *fold; /* that was held out with it */
};

/* Copies columns and keys (in any order; those that repeat have one fold) and takes the models
 * over, on failure too. */
ney_status ney_model_set_folds(ney_model *m, const char *columns, ney_model **fold, int n,
                               const uint64_t *key, const uint8_t *fold_of, int64_t n_keys,
                               ney_error *err);
void ney_model_folds_free(const ney_env *env, ney_model_folds *folds);

/* The lines of a model file. */
void ney_model_folds_format(const ney_model *m, ney_text *t);
void ney_model_folds_parse(ney_fields *f, ney_model *m);

/* sum_k (scale[k] f_k + shift[k]) as one model of the family that all n have, with the
 * preprocessing of the first.
 * @retval NEY_EINVAL  the families differ, or the parameters of their kernels. */
ney_status ney_model_sum(ney_model **out, const ney_env *env, ney_model *const *model,
                         const double *scale, const double *shift, int n, ney_error *err);

#endif
