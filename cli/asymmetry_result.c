/* What 'asymmetry' prints and writes. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "asymmetry.h"
#include "mixture_json.h"
#include "summary.h"
#include "tsv.h"

static void add_curve(ney_result *root, const session *s, const findings *f)
{
    ney_result *curve = ney_result_add_array(root, "curve");

    for (int64_t k = 0; k < f->n_points; k++) {
        const curve_point *p = &f->point[k];
        ney_result *row = ney_result_add_object(curve, NULL);
        ney_result_add_real(row, "gamma", p->gamma);
        if (!f->from_data && s->common->json) {
            ney_result *w = ney_result_add_array(row, "w");
            for (int64_t i = 0; i < f->dims; i++) {
                ney_result_add_real(w, NULL, f->w[k * f->dims + i]);
            }
        }
        if (!f->from_data) {
            ney_result_add_real(row, "b", p->b);
        }
        ney_result_add_real(row, "fpr", p->fpr);
        ney_result_add_real(row, "tpr", p->tpr);
        if (f->from_data) {
            ney_result_add_real(row, "fpr_error", p->fpr_error);
            ney_result_add_real(row, "tpr_error", p->tpr_error);
        }
        ney_result_add_real(row, "log_slope", p->log_slope);
        ney_result_add_real(row, "beta", p->beta);
        ney_result_add_bool(row, "consistent", p->consistent);
    }
}

static void add_advice(ney_result *root, const findings *f)
{
    ney_result *list = ney_result_add_array(root, "answers");

    for (int k = 0; k < f->n_advice; k++) {
        const training_advice *a = &f->advice[k];
        ney_result *row = ney_result_add_object(list, NULL);
        ney_result_add_real(row, "cost_fn", a->cost_fn);
        ney_result_add_real(row, "cost_fp", a->cost_fp);
        ney_result_add_real(row, "beta", a->answer.beta);
        ney_result_add_real(row, "gamma", a->answer.gamma);
        ney_result_add_real(row, "fpr", a->answer.fpr);
        ney_result_add_real(row, "tpr", a->answer.tpr);
        ney_result_add_real(row, "cost", a->answer.cost);
        ney_result_add_real(row, "cost_same", a->answer.cost_same);
        ney_result_add_real(row, "cost_constant", a->answer.cost_constant);
        if (f->from_data) {
            ney_result_add_real(row, "cost_error", a->cost_error);
            ney_result_add_real(row, "gain_error", a->gain_error);
        }
    }
}

static void add_limit(ney_result *root, const findings *f, int end)
{
    const ney_asymmetry_limit *limit = ney_asymmetry_limit_at(f->study, end);
    ney_result *object = ney_result_add_object(root, end ? "limit_at_1" : "limit_at_0");

    ney_result_add_real(object, "discriminant", limit->discriminant);
    ney_result *direction = ney_result_add_array(object, "direction"),
               *weight = ney_result_add_array(object, "weights");
    for (int64_t i = 0; i < f->dims; i++) {
        ney_result_add_real(direction, NULL, limit->direction[i]);
    }
    for (int64_t k = 0; k < limit->n_weights; k++) {
        ney_result_add_real(weight, NULL, limit->weight[k]);
    }
    ney_result_add_int(object, "component_pos", limit->component_pos);
    ney_result_add_int(object, "component_neg", limit->component_neg);
}

/* w, b and log_slope by the expansion at the nearer end, for each gamma of the curve. */
static void add_expansions(ney_result *root, const findings *f)
{
    ney_result *list = ney_result_add_array(root, "expansions");
    double *w = malloc((size_t)f->dims * sizeof *w);

    for (int64_t k = 0; w && k < f->n_points; k++) {
        const double gamma = f->point[k].gamma;
        const int end = gamma > 0.5;
        ney_asymmetry_point p;
        if (gamma > 0 && gamma < 1) {
            ney_asymmetry_expand(f->study, end, gamma, &p, w);
            ney_result *row = ney_result_add_object(list, NULL);
            ney_result_add_real(row, "gamma", gamma);
            ney_result_add_int(row, "end", end);
            ney_result *array = ney_result_add_array(row, "w");
            for (int64_t i = 0; i < f->dims; i++) {
                ney_result_add_real(array, NULL, w[i]);
            }
            ney_result_add_real(row, "b", p.b);
            ney_result_add_real(row, "log_slope", p.log_slope);
        }
    }
    free(w);
}

static void add_densities(ney_result *root, const findings *f)
{
    int64_t n_pos, n_neg;

    ney_mixture_class_of(f->mixture, 1, &n_pos);
    ney_mixture_class_of(f->mixture, -1, &n_neg);
    ney_result_add_int(root, "components_pos", n_pos);
    ney_result_add_int(root, "components_neg", n_neg);
    ney_result_add_text(root, "regime_at_0",
                        ney_regime_text(ney_asymmetry_limit_at(f->study, 0)->regime));
    ney_result_add_text(root, "regime_at_1",
                        ney_regime_text(ney_asymmetry_limit_at(f->study, 1)->regime));
}

/* One sentence per statement of the verdict. */
static void add_headline(session *s, ney_result *root, const findings *f, const char *verdict)
{
    const training_advice *const a = &f->advice[0];
    const bool is_interior = a->answer.gamma > 0 && a->answer.gamma < 1;
    char data[SHELL_WORD];

    ney_result_headline(root, "%c%s.", toupper((unsigned char)verdict[0]), verdict + 1);
    if (f->n_advice == 1 && is_interior && f->from_data) { /* an SVM, as 'train' trains it */
        shell_word(data, s->call->operands[0]);
        summary_next(s, root, "neyman train %s --cost-fn %.3g --cost-fp %.3g -C %.6g -o MODEL",
                     data, 2 * a->answer.gamma, 2 * (1 - a->answer.gamma), f->C);
    }
}

void findings_report(session *s, const findings *f, bool has_gammas, const class_counts *n)
{
    char verdict[VERDICT_TEXT];
    ney_result *root = result_new();

    ney_result_add_text(root, "loss", f->loss);
    ney_result_add_text(root, "evaluated_on", f->from_data ? "held-out rows" : "densities");
    if (n->pos + n->neg > 0) {
        ney_result_add_int(root, "n", n->pos + n->neg);
        ney_result_add_int(root, "n_pos", n->pos);
        ney_result_add_int(root, "n_neg", n->neg);
    }
    ney_result_add_real(root, "p_pos", f->p_pos);
    ney_result_add_int(root, "dims", f->dims);
    if (!f->from_data) {
        add_densities(root, f);
    }
    ney_result *ranges = ney_result_add_array(root, "consistent");
    for (int64_t k = 0; k < f->n_ranges; k++) {
        ney_result *range = ney_result_add_object(ranges, NULL);
        ney_result_add_real(range, "from_gamma", f->range[2 * k]);
        ney_result_add_real(range, "to_gamma", f->range[2 * k + 1]);
    }
    add_advice(root, f);
    if (!f->from_data && s->common->json) {
        add_limit(root, f, 0);
        add_limit(root, f, 1);
        add_expansions(root, f);
    }
    if (s->common->json || has_gammas) {
        add_curve(root, s, f);
    }
    verdict_text(f, verdict);
    add_headline(s, root, f, verdict);
    if (s->common->json) {
        ney_result_add_text(root, "verdict", verdict);
    }
    result_print(s, root);
}

ney_status findings_write_curve(const findings *f, const char *path, ney_error *err)
{
    tsv t;
    const ney_status st = tsv_open(&t, path, "gamma fpr tpr log_slope beta consistent", err);

    if (st != NEY_OK) {
        return st;
    }
    for (int64_t k = 0; k < f->n_points; k++) {
        const curve_point *p = &f->point[k];
        tsv_real(&t, p->gamma);
        tsv_real(&t, p->fpr);
        tsv_real(&t, p->tpr);
        tsv_real(&t, p->log_slope);
        tsv_real(&t, p->beta);
        tsv_int(&t, p->consistent);
        if (!tsv_end(&t)) {
            break;
        }
    }
    return tsv_close(&t, err);
}

ney_status findings_save_mixture(const ney_mixture *mixture, const char *path, ney_error *err)
{
    output out;
    ney_status st = output_open(&out, path, err);

    if (st != NEY_OK) {
        return st;
    }
    ney_result *root = result_new();
    mixture_add(root, mixture);
    char *text;
    size_t n_text;
    if ((st = ney_result_format(root, &text, &n_text, err)) == NEY_OK) {
        output_put(&out, text, n_text);
        output_put(&out, "\n", 1);
        st = output_commit(&out, err);
    } else {
        output_give_up(&out);
    }
    ney_free(NULL, text);
    ney_result_free(root);
    return st;
}
