/* The scores in a model that new scores are compared with: those of calibration rows, which the
 * model has not seen and which were drawn regardless of their class. */
#include "decide/probability.h"
#include "model/model.h"

ney_status ney_model_reference(const ney_model *model, double **scores, int64_t *n, ney_error *err)
{
    NEY_CLEAR(scores);
    NEY_REQUIRE(model && scores && n, err);
    const ney_calibrator *const c = model->probability;

    *n = 0;
    if (!c || model->probability_kind != NEY_CALIBRATION_HELD_OUT) {
        return NEY_OK; /* rows of groups are dependent; scores out of folds are of other models */
    }
    const int64_t rows = c->rows[c->n_knots];
    if (!(*scores = ney_alloc(&model->env, rows, sizeof **scores))) {
        return ney_no_memory(err, rows, "reference scores");
    }
    for (int64_t k = 0; k < c->n_knots; k++) {
        for (int64_t i = c->rows[k]; i < c->rows[k + 1]; i++) {
            (*scores)[(*n)++] = c->knot[k].score;
        }
    }
    return NEY_OK;
}

void ney_reference_free(const ney_model *model, double *scores)
{
    if (model) {
        ney_release(&model->env, scores);
    }
}
