/* A model as members of a JSON object: what info shows and export writes. */
#ifndef CLI_MODEL_JSON_H
#define CLI_MODEL_JSON_H

#include <neyman/experimental.h>

#include "result.h"

/* Family, labels, number of columns, scaling, thresholds. */
void add_model(ney_result *root, const ney_model *model);
/* Kernel, its parameters, number of support vectors and intercept; nothing for other families. */
void add_kernel(ney_result *root, const ney_model *model);
/* The threshold, and the lower one where rows between are rejected. Models of LIBSVM and LIBLINEAR
 * classify a score of 0 as negative: their threshold is the least number above 0 and is reported as
 * 0 with a rule. */
void add_thresholds(ney_result *root, double low, double high);
/* The entries of the summary. */
void add_summary(ney_result *root, const ney_model *model);
/* Summary and certificate as objects, where there are any. */
void add_metadata(ney_result *root, const ney_model *model);

/* A number among a model's metadata; NAN where there is none. */
double model_number(const ney_model *model, ney_metadata_kind list, const char *name);

#endif
