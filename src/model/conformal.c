/* The scores that a model's p-values are counted among: of rows that it has not seen, by class. */
#include "decide/conformal.h"
#include "decide/order.h"
#include "model/model.h"

#include <string.h>

void ney_model_forget_calibration(ney_model *m)
{
    for (int c = 0; c < 2; c++) {
        ney_release(&m->env, m->calibration[c].score);
        m->calibration[c] = (ney_calibration){0};
    }
}

ney_status ney_model_calibrate(ney_model *model, const double *score, const int8_t *label,
                               int64_t n, ney_error *err)
{
    ney_calibration fresh[2] = {{0}, {0}};
    ney_ranked *item = NULL;
    ney_status st = ney_order_new(&item, &model->env, score, n, err);
    if (st != NEY_OK) {
        return st;
    }
    for (int c = 0; c < 2; c++) {
        fresh[c].score = ney_alloc(&model->env, n, sizeof *score);
    }
    if (!fresh[0].score || !fresh[1].score) {
        st = ney_no_memory(err, n, "scores");
        goto done;
    }
    for (int64_t k = 0; k < n; k++) {
        ney_calibration *const to = &fresh[label[item[k].row] > 0];
        to->score[to->n++] = item[k].score;
    }
    if (fresh[0].n == 0 || fresh[1].n == 0) {
        st = ney_fail(err, NEY_EINVAL, "no %s row to calibrate on, expected both classes",
                      fresh[0].n == 0 ? "negative" : "positive");
        goto done;
    }
    ney_model_forget_calibration(model);
    memcpy(model->calibration, fresh, sizeof fresh);
    memset(fresh, 0, sizeof fresh);

done:
    ney_release(&model->env, fresh[0].score);
    ney_release(&model->env, fresh[1].score);
    ney_release(&model->env, item);
    return st;
}

bool ney_model_calibrated(const ney_model *model, int64_t *n_pos, int64_t *n_neg)
{
    *n_pos = model->calibration[1].n;
    *n_neg = model->calibration[0].n;
    return model->calibration[0].n > 0;
}

ney_status ney_model_p_values(const ney_model *model, const double *score, int64_t n, double *p_pos,
                              double *p_neg, ney_error *err)
{
    const ney_calibration *const c = model->calibration;
    if (c[0].n == 0) {
        return ney_fail(err, NEY_EINVAL,
                        "the model has no rows to count p-values among: train it with conformal");
    }
    for (int64_t i = 0; i < n; i++) {
        p_pos[i] = ney_conformal_p(c[1].score, c[1].n, 1, score[i]);
        p_neg[i] = ney_conformal_p(c[0].score, c[0].n, -1, score[i]);
    }
    return NEY_OK;
}
