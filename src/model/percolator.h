/* Weights files of Percolator, read as models: the mean of the folds. Writing them is
 * ney_model_export_percolator(). */
#ifndef NEY_MODEL_PERCOLATOR_H
#define NEY_MODEL_PERCOLATOR_H

#include "base/env.h"

/* Whether the first line that is no comment names features and ends in m0. */
bool ney_percolator_is(const char *text, size_t n_text);

/* As ney_model_parse(). The text need not be followed by a NUL. */
ney_status ney_percolator_parse(ney_model **out, const ney_env *env, const char *name,
                                const char *text, size_t n_text, ney_error *err);

#endif
