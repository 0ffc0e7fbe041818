/* Model files of LIBSVM and LIBLINEAR, read as models. Writing them is ney_model_export(). */
#ifndef NEY_MODEL_EXCHANGE_H
#define NEY_MODEL_EXCHANGE_H

#include "base/env.h"

/* Whether a text begins as one of the two kinds does: "svm_type" or "solver_type". */
bool ney_exchange_is(const char *text, size_t n_text);

/* As ney_model_parse(). The text need not be followed by a NUL. */
ney_status ney_exchange_parse(ney_model **out, const ney_env *env, const char *name,
                              const char *text, size_t n_text, ney_error *err);

/* Refuse a model that is more than one score function with its thresholds: fold models, which score
 * the training rows, or conformal calibration. What cannot hold them, `format`, would give other
 * answers than the model. */
ney_status ney_export_check(const ney_model *m, const char *format, ney_error *err);

#endif
