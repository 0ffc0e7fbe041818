/* The calibration rows in a model that its probabilities are fitted to. */
#include "decide/probability.h"
#include "base/fields.h"
#include "base/text.h"
#include "model/model.h"

#include <math.h>

static const char *const kind_name[] = {
    [NEY_CALIBRATION_HELD_OUT] = "held-out",
    [NEY_CALIBRATION_GROUPS] = "groups",
    [NEY_CALIBRATION_OUT_OF_FOLD] = "out-of-fold",
};

enum { N_KINDS = sizeof kind_name / sizeof *kind_name };

void ney_model_forget_probabilities(ney_model *m)
{
    ney_calibrator_free(m->probability);
    m->probability = NULL;
}

ney_status ney_model_set_probabilities(ney_model *model, const double *score, const int8_t *label,
                                       int64_t n, ney_calibration_kind kind, ney_error *err)
{
    NEY_REQUIRE(model && (int)kind >= 0 && (int)kind < N_KINDS, err);
    ney_calibrator *fresh = NULL;
    const ney_status st = ney_calibrator_new(&fresh, &model->env, score, label, n, err);
    if (st == NEY_OK) {
        ney_model_forget_probabilities(model);
        model->probability = fresh;
        model->probability_kind = kind;
    }
    return st;
}

const ney_calibrator *ney_model_calibrator(const ney_model *model)
{
    return model ? model->probability : NULL;
}

bool ney_model_probability_rows(const ney_model *model, int64_t *n_pos, int64_t *n_neg,
                                ney_calibration_kind *kind)
{
    const ney_calibrator *const c = ney_model_calibrator(model);
    if (c) {
        *n_pos = c->positives[c->n_knots];
        *n_neg = c->rows[c->n_knots] - *n_pos;
        *kind = model->probability_kind;
    }
    return c != NULL;
}

const char *ney_calibration_statement(ney_calibration_kind kind)
{
    switch (kind) {
    case NEY_CALIBRATION_HELD_OUT:
        return "for new rows from the same distribution, one of p_low and p_high, that of the true "
               "class, is perfectly calibrated; the interval between them has no coverage property";
    case NEY_CALIBRATION_GROUPS:
        return "estimates: the rows of a group are dependent, so that no statement of validity is "
               "made";
    default:
        return "estimates: out-of-fold scores are not those of the model, so that no statement of "
               "validity is made";
    }
}

/* ---------------------------------------------------------------- the model file */

void ney_model_probability_format(const ney_model *m, ney_text *t)
{
    const ney_calibrator *const c = m->probability;
    if (!c) {
        return;
    }
    ney_text_put(t, "probability ");
    ney_text_put(t, kind_name[m->probability_kind]);
    ney_text_field_int(t, c->n_knots);
    ney_text_put(t, "\n");
    for (int64_t k = 0; k < c->n_knots; k++) {
        ney_text_field_number(t, c->knot[k].score);
        ney_text_field_int(t, c->knot[k].neg);
        ney_text_field_int(t, c->knot[k].pos);
        ney_text_put(t, "\n");
    }
}

/* One line; `rows` counts all rows so far. */
static void parse_knot(ney_fields *f, ney_knot *k, const ney_knot *before, int64_t *rows)
{
    k->score = ney_fields_number(f);
    k->neg = ney_fields_int(f, 0, NEY_MOST_CALIBRATION_ROWS);
    k->pos = ney_fields_int(f, 0, NEY_MOST_CALIBRATION_ROWS);
    ney_fields_end(f);
    *rows += k->neg + k->pos;
    if (f->status == NEY_OK && (!isfinite(k->score) || (before && !(k->score > before->score)))) {
        ney_fields_fail(f, "score %g, expected a finite number above the one before it", k->score);
    }
    if (f->status == NEY_OK && (k->neg + k->pos == 0 || *rows > NEY_MOST_CALIBRATION_ROWS)) {
        ney_fields_fail(f, "%lld rows, expected from 1 to %lld in all",
                        (long long)(k->neg + k->pos), (long long)NEY_MOST_CALIBRATION_ROWS);
    }
}

void ney_model_probability_parse(ney_fields *f, ney_model *m)
{
    int64_t rows = 0;
    if (f->status != NEY_OK || !ney_fields_is(f, "probability")) {
        return;
    }
    ney_fields_key(f, "probability");
    m->probability_kind = (ney_calibration_kind)ney_fields_choice(f, kind_name, N_KINDS);
    const int64_t n =
        ney_fields_int(f, 1, (f->end - f->at) / 6); /* a line has six bytes at least */
    ney_fields_end(f);
    ney_knot *knot = f->status == NEY_OK ? ney_alloc(&m->env, n, sizeof *knot) : NULL;
    if (!knot && f->status == NEY_OK) {
        f->status = ney_no_memory(f->err, n, "calibration scores");
    }
    for (int64_t k = 0; f->status == NEY_OK && k < n; k++) {
        parse_knot(f, &knot[k], k > 0 ? &knot[k - 1] : NULL, &rows);
    }
    if (f->status == NEY_OK) {
        f->status = ney_calibrator_of_knots(&m->probability, &m->env, knot, n, f->err);
    } else {
        ney_release(&m->env, knot);
    }
}
