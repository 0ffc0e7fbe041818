/* A model as members of a JSON object: what info shows and export writes. */
#ifndef CLI_MODEL_JSON_H
#define CLI_MODEL_JSON_H

#include <neyman/experimental.h>

#include "result.h"

/* Family, labels, number of columns, scaling, thresholds. */
void add_model(ney_result *root, const ney_model *model);
/* Kernel, its parameters, number of support vectors and intercept; nothing for other families. */
void add_kernel(ney_result *root, const ney_model *model);
/* Summary and certificate, where there are any. */
void add_metadata(ney_result *root, const ney_model *model);

/* A number among a model's metadata; NAN where there is none. */
double model_number(const ney_model *model, ney_metadata_kind list, const char *name);

#endif
