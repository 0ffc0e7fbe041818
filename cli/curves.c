#include "curves.h"

#include <math.h>
#include <stdlib.h>

#include "tsv.h"

/* ney_roc_at() knows all of a point, but two quantiles of the normal distribution for each of ten
 * million points are noticed: they are left to the curve that shows them. */
static void roc_line(const curve *c, int64_t k, double *cell)
{
    cell[0] = c->roc->threshold[k];
    cell[1] = (double)c->roc->fp[k] / (double)c->roc->n_neg;
    cell[2] = (double)c->roc->tp[k] / (double)c->roc->n_pos;
    cell[3] = (double)c->roc->fp[k];
    cell[4] = (double)c->roc->tp[k];
}

static void pr_line(const curve *c, int64_t k, double *cell)
{
    const double fp = (double)c->roc->fp[k], tp = (double)c->roc->tp[k];

    cell[0] = c->roc->threshold[k];
    cell[1] = tp / (double)c->roc->n_pos;
    cell[2] = k == 0 ? 1 : tp / (tp + fp);
}

static void det_line(const curve *c, int64_t k, double *cell)
{
    const ney_operating_point p = ney_roc_at(c->roc, k);

    cell[0] = p.threshold;
    cell[1] = p.fpr;
    cell[2] = (double)(c->roc->n_pos - c->roc->tp[k]) / (double)c->roc->n_pos;
    cell[3] = p.probit_fpr;
    cell[4] = p.probit_fnr;
}

static void hull_line(const curve *c, int64_t k, double *cell)
{
    roc_line(c, c->hull[k], cell);
}

static void cost_line(const curve *c, int64_t k, double *cell)
{
    const ney_operating_point p = ney_roc_at(c->roc, c->cost[k].point);

    cell[0] = c->cost[k].share;
    cell[1] = c->cost[k].cost;
    cell[2] = p.threshold;
    cell[3] = p.fpr;
    cell[4] = p.tpr;
}

static void risk_line(const curve *c, int64_t k, double *cell)
{
    const ney_risk_point *p = &c->risk[k];

    cell[0] = p->distance;
    cell[1] = (double)p->covered / (double)c->n_rows;
    cell[2] = (double)p->errors / (double)p->covered;
    cell[3] = (double)p->covered;
    cell[4] = (double)p->errors;
}

/* From no rejection on: point 0 covers every row. `ratio` is the slope at the point, `mean_ratio`
 * that of the line to it from no rejection; both with their signs changed: shares of errors. */
static void error_reject_line(const curve *c, int64_t k, double *cell)
{
    const ney_risk_point *p = &c->risk[c->n - 1 - k], *all = &c->risk[c->n - 1];
    const double rejected = (double)(c->n_rows - p->covered), n = (double)c->n_rows;

    cell[0] = p->distance;
    cell[1] = rejected / n;
    cell[2] = (double)p->errors / n;
    cell[3] = c->ratio[c->n - 1 - k];
    cell[4] = rejected > 0 ? (double)(all->errors - p->errors) / rejected : NAN;
    cell[5] = rejected;
}

/* In the order of curve_kind. Counts are whole numbers in a double: 17 digits print them exactly.
 */
static const struct {
    const char *columns;
    void (*line)(const curve *c, int64_t k, double *cell);
} tables[] = {
    {"threshold fpr tpr fp tp", roc_line},
    {"threshold recall precision", pr_line},
    {"threshold fpr fnr probit_fpr probit_fnr", det_line},
    {"threshold fpr tpr fp tp", hull_line},
    {"share cost threshold fpr tpr", cost_line},
    {"distance coverage risk covered errors", risk_line},
    {"distance reject_rate error_rate ratio mean_ratio rejected", error_reject_line},
};

static ney_status no_memory(session *s)
{
    return out_of_memory(&s->err, "the points of the curve");
}

static ney_status init_hull(curve *c, session *s)
{
    const size_t size = (size_t)c->roc->n_points + 1;

    c->hull = malloc(size * sizeof *c->hull);
    c->cost = c->kind == CURVE_COST ? malloc(size * sizeof *c->cost) : NULL;
    if (!c->hull || (c->kind == CURVE_COST && !c->cost)) {
        return no_memory(s);
    }
    c->n = c->kind == CURVE_COST ? ney_roc_cost_curve(c->roc, c->cost, c->hull)
                                 : ney_roc_hull(c->roc, c->hull);
    return NEY_OK;
}

static ney_status init_risk(curve *c, session *s, const evidence *e, const band *b)
{
    const size_t size = (size_t)e->n + 1;

    c->risk = malloc(size * sizeof *c->risk);
    c->ratio = malloc(size * sizeof *c->ratio);
    if (!c->risk || !c->ratio) {
        return no_memory(s);
    }
    const ney_labelled_scores rows = {.score = e->score, .label = e->label, .n = e->n};
    const ney_status st =
        ney_band_coverage(&s->env, &rows, b->low, b->center, b->high, c->risk, &c->n, &s->err);
    if (st == NEY_OK) {
        ney_error_reject_ratio(c->risk, c->n, c->ratio);
    }
    return st;
}

ney_status curve_init(curve *c, curve_kind kind, session *s, const evidence *e, const ney_roc *roc,
                      const band *b)
{
    *c = (curve){.kind = kind, .roc = roc, .n = roc->n_points, .n_rows = e->n};
    if (kind == CURVE_HULL || kind == CURVE_COST) {
        return init_hull(c, s);
    }
    return kind == CURVE_RISK_COVERAGE || kind == CURVE_ERROR_REJECT ? init_risk(c, s, e, b)
                                                                     : NEY_OK;
}

void curve_deinit(curve *c)
{
    free(c->hull);
    free(c->cost);
    free(c->risk);
    free(c->ratio);
    *c = (curve){0};
}

int curve_columns(const curve *c)
{
    char name[64];
    int n = 0;

    while (word_at(tables[c->kind].columns, n, name, sizeof name)) {
        n++;
    }
    return n;
}

void curve_line(const curve *c, int64_t k, double *cell)
{
    tables[c->kind].line(c, k, cell);
}

void curve_column_label(const curve *c, int column, char *text, size_t n_text)
{
    word_at(tables[c->kind].columns, column, text, n_text);
    for (char *at = text; *at; at++) {
        *at = *at == '_' ? ' ' : *at;
    }
}

ney_status curve_write(const curve *c, const char *path, ney_error *err)
{
    const int columns = curve_columns(c);
    double cell[CURVE_COLUMNS];
    tsv t;
    const ney_status st = tsv_open(&t, path, tables[c->kind].columns, err);

    if (st != NEY_OK) {
        return st;
    }
    for (int64_t k = 0; k < c->n; k++) {
        curve_line(c, k, cell);
        for (int j = 0; j < columns; j++) {
            tsv_real(&t, cell[j]);
        }
        if (!tsv_end(&t)) {
            break;
        }
    }
    return tsv_close(&t, err);
}

void curve_add(const curve *c, ney_result *root)
{
    ney_result *object = ney_result_add_object(root, "curve"), *column[CURVE_COLUMNS];
    const int columns = curve_columns(c);
    double cell[CURVE_COLUMNS];
    char name[64];

    for (int j = 0; j < columns; j++) {
        word_at(tables[c->kind].columns, j, name, sizeof name);
        column[j] = ney_result_add_array(object, name);
    }
    for (int64_t k = 0; k < c->n; k++) {
        curve_line(c, k, cell);
        for (int j = 0; j < columns; j++) {
            ney_result_add_real(column[j], NULL, cell[j]);
        }
    }
}
