/* The part of a result that says what is certified, and what an uncertified bound is worth. */
#include "learn/summary.h"

#include "model/model.h"

#include <stdio.h>

static void add_certificate_metadata(ney_result *to, const ney_certificate *c)
{
    char hash[32];

    ney_result_add_real(to, "delta", c->delta);
    ney_result_add_real(to, "bound", c->bound);
    ney_result_add_int(to, "held_out", c->n);
    if (c->n_groups > 0) {
        ney_result_add_int(to, "n_groups", c->n_groups);
        ney_result_add_real(to, "group_rate", c->group_rate);
    }
    ney_result_add_int(to, "rank", c->rank);
    ney_result_add_int(to, "misclassified", c->misclassified);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)c->hash);
    ney_result_add_text(to, "calibration_hash", hash);
}

ney_guarantee ney_run_guarantee(const ney_run *r)
{
    const ney_preprocessing *preprocessing = ney_model_preprocessing(r->model);
    const ney_certificate *fnr =
        ney_request_bounds_both(&r->request) ? &r->info->certificate_fnr : &r->info->certificate;

    return (ney_guarantee){
        .fpr = ney_request_bounds(&r->request, NEY_FALSE_POSITIVES) ? &r->info->certificate : NULL,
        .fnr = ney_request_bounds(&r->request, NEY_FALSE_NEGATIVES) ? fnr : NULL,
        .confidence = r->request.confidence,
        .negative = ney_preprocessing_label(preprocessing, -1),
        .positive = ney_preprocessing_label(preprocessing, 1),
        .evidence = "held-out"};
}

/* What a bound that is not certified is worth. */
static void warn_uncertified(ney_result *root, const ney_run *r)
{
    const bool fpr = ney_request_bounds(&r->request, NEY_FALSE_POSITIVES);

    if (r->request.max_rate[fpr ? NEY_FALSE_POSITIVES : NEY_FALSE_NEGATIVES] >= 1) {
        ney_result_warn(root, "a bound of 1 allows every error: there is nothing to certify");
    } else {
        ney_result_warn(
            root,
            "the bound holds on the %s only: the %s of new data is expected to exceed it "
            "(--confidence P certifies it)",
            r->recount ? "rows that set the threshold and chose the model" : "training rows",
            fpr ? "FPR" : "FNR");
    }
}

void ney_run_certificate(ney_result *root, const ney_run *r)
{
    char text[NEY_GUARANTEE_TEXT];

    ney_result_add_bool(root, "certified", r->info->certified);
    if (!r->info->certified) {
        warn_uncertified(root, r);
        return;
    }
    const ney_guarantee g = ney_run_guarantee(r);
    ney_guarantee_text(text, &g);
    ney_result_add_text(root, "guarantee", text);
    ney_result_add_real(root, "confidence", r->request.confidence);
    if (r->info->certificate.n_groups > 0) {
        ney_result_define_groups(root, -1);
    }
    if (!ney_request_bounds_both(&r->request)) {
        add_certificate_metadata(root, &r->info->certificate);
        return;
    }
    ney_result_add_int(root, "held_out", r->info->held_out);
    ney_result *list = ney_result_add_array(root, "certificates");
    for (int k = 0; k < 2; k++) {
        ney_result *one = ney_result_add_object(list, NULL);
        ney_result_add_text(one, "rate", k == 0 ? "fpr" : "fnr");
        add_certificate_metadata(one, k == 0 ? &r->info->certificate : &r->info->certificate_fnr);
    }
}
