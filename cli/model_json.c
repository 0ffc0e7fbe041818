#include "model_json.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const char *const scaling_names[] = {"none", "standard", "minmax", "unit",
                                            "rank", "asinh",    "auto"};
static const char *const kernel_names[] = {"linear", "rbf", "poly", "sigmoid"};

void add_model(ney_result *root, const ney_model *model)
{
    const ney_preprocessing *preprocessing = ney_model_preprocessing(model);
    double low, high;

    ney_model_thresholds(model, &low, &high);
    ney_result_add_text(root, "family", ney_model_family(model));
    ney_result_add_text(root, "positive", ney_preprocessing_label(preprocessing, 1));
    ney_result_add_text(root, "negative", ney_preprocessing_label(preprocessing, -1));
    ney_result_add_int(root, "cols", ney_preprocessing_cols(preprocessing));
    ney_result_add_text(root, "scaling", scaling_names[ney_preprocessing_scaling(preprocessing)]);
    add_thresholds(root, low, high);
}

void add_kernel(ney_result *root, const ney_model *model)
{
    ney_kernel kernel;
    ney_matrix support;
    const double *coefficient;
    double intercept;

    if (!ney_model_kernel(model, &kernel, &support, &coefficient, &intercept)) {
        return;
    }
    ney_result_add_text(root, "kernel", kernel_names[kernel.kind]);
    if (kernel.kind != NEY_KERNEL_LINEAR) {
        ney_result_add_real(root, "gamma", kernel.gamma);
    }
    if (kernel.kind == NEY_KERNEL_POLY || kernel.kind == NEY_KERNEL_SIGMOID) {
        ney_result_add_real(root, "coef0", kernel.coef0);
    }
    if (kernel.kind == NEY_KERNEL_POLY) {
        ney_result_add_int(root, "degree", kernel.degree);
    }
    ney_result_add_int(root, "support_vectors", support.rows);
    ney_result_add_real(root, "intercept", intercept);
}

/* Into `root`, or into an object of the name `title` that is added to it where there is an entry.
 */
static void add_list(ney_result *root, const char *title, const ney_model *model,
                     ney_metadata_kind list)
{
    ney_result *object = title ? NULL : root;
    const char *key, *text;
    double value;

    for (int64_t k = 0; ney_model_metadata(model, list, k, &key, &value, &text); k++) {
        object = object ? object : ney_result_add_object(root, title);
        if (text) {
            ney_result_add_text(object, key, text);
        } else if (strcmp(key, "converged") == 0) {
            ney_result_add_bool(object, key, value != 0);
        } else {
            ney_result_add_real(object, key, value);
        }
    }
}

void add_metadata(ney_result *root, const ney_model *model)
{
    add_list(root, "summary", model, NEY_METADATA_SUMMARY);
    add_list(root, "certificate", model, NEY_METADATA_CERTIFICATE);
}

void add_summary(ney_result *root, const ney_model *model)
{
    add_list(root, NULL, model, NEY_METADATA_SUMMARY);
}

void add_thresholds(ney_result *root, double low, double high)
{
    const bool is_excluded = high > 0 && high < DBL_MIN;

    ney_result_add_real(root, "threshold", is_excluded ? 0 : high);
    if (is_excluded) {
        ney_result_add_text(root, "threshold_rule", "positive above the threshold, not at it");
    }
    if (low < high) {
        ney_result_add_real(root, "threshold_low", low);
    }
}

double model_number(const ney_model *model, ney_metadata_kind list, const char *name)
{
    const char *key, *text;
    double value;

    for (int64_t k = 0; ney_model_metadata(model, list, k, &key, &value, &text); k++) {
        if (!text && strcmp(key, name) == 0) {
            return value;
        }
    }
    return NAN;
}
