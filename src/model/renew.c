/* Thresholds certified again after an alarm. */
#include "decide/monitor.h"
#include "model/model.h"

#include <xxhash.h>

ney_status ney_model_fingerprint(const ney_model *model, uint64_t *fingerprint, ney_error *err)
{
    NEY_REQUIRE(model && fingerprint, err);
    char *text = NULL;
    size_t n;
    const ney_status st = ney_model_format(model, &text, &n, err);

    if (st == NEY_OK) {
        *fingerprint = XXH3_64bits(text, n);
        ney_model_text_free(model, text);
    }
    return st;
}

ney_status ney_model_renew(ney_model *model, const ney_monitor *monitor, ney_certified *certified,
                           ney_error *err)
{
    NEY_REQUIRE(monitor && certified, err);
    ney_status st;

    if ((st = ney_monitor_certify(monitor, certified, err)) != NEY_OK ||
        (st = ney_model_certify(model, certified, err)) != NEY_OK ||
        (st = ney_model_set_text(model, NEY_METADATA_CERTIFICATE, "origin",
                                 "renewed after an alarm, on the rows that followed it", err)) !=
            NEY_OK ||
        (st = ney_model_set_number(model, NEY_METADATA_CERTIFICATE, "alarm_row",
                                   (double)ney_monitor_alarm_row(monitor), err)) != NEY_OK) {
        return st;
    }
    ney_model_forget_calibration(model);
    ney_model_forget_probabilities(model);
    return NEY_OK;
}
