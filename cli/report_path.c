/* A path in a report: the plane of costs, the three curves on test rows, and the commands that take
 * models out of it. The rest of the page is about one classifier of the path, the cheapest. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "report_path.h"
#include "summary.h"

enum { MOST_POINTS = 120 }; /* of a curve that has a classifier per point */

/* ------------------------------------------------------------------ reading */

/* The cheapest choice; of a path without choices the end of its last line. */
static bool choose(const ney_path *path, const ney_costs *costs, ney_choice *chosen)
{
    int64_t n;
    double share;
    const ney_choice *choice = ney_path_choices(path, &n, &share);
    const int64_t k = n > 0 ? ney_path_cheapest(path, costs->fn, costs->fp) : -1;
    const int64_t lines = ney_path_lines(path);

    if (k >= 0) {
        *chosen = choice[k];
        return true;
    }
    const ney_path_point *point = lines > 0 ? ney_path_points(path, lines - 1, &n) : NULL;
    if (!point || n == 0) {
        return false;
    }
    *chosen = (ney_choice){.c = point[n - 1].c, .fpr = (double)NAN, .tpr = (double)NAN};
    return true;
}

int report_path_read(report_path *out, session *s, const char *file, const char *test,
                     const ney_costs *costs, evidence *in)
{
    *out = (report_path){.file = file};
    *in = (evidence){.path = test};
    ney_status st = ney_path_read(&out->path, &s->env, file, &s->err);
    if (st == NEY_OK && !choose(out->path, costs, &out->chosen)) {
        return session_bad_input(s, file, "the path has no points, expected at least one line");
    }
    if (st == NEY_OK) {
        st = ney_path_model(&in->of_model.model, out->path, out->chosen.c, &s->err);
    }
    if (st == NEY_OK) {
        st = ney_model_set_thresholds(in->of_model.model, out->chosen.threshold,
                                      out->chosen.threshold, &s->err);
    }
    if (st == NEY_OK) {
        st = ney_model_add_training_rows(in->of_model.model, ney_path_data(out->path), &s->err);
    }
    return st == NEY_OK ? evidence_fill(in, s) : session_fail(s, st);
}

void report_path_deinit(report_path *p)
{
    ney_path_free(p->path);
    *p = (report_path){0};
}

/* ------------------------------------------------------------------ rates on the test rows */

/* Scores of the test rows by the classifier at a pair of costs. */
static ney_status score_at(session *s, const report_path *p, const evidence *in, ney_cost_pair c,
                           double *score)
{
    ney_model *model = NULL;
    int64_t unused;
    ney_status st = ney_path_model(&model, p->path, c, &s->err);

    if (st == NEY_OK) {
        st = ney_model_score_data(model, &s->env, in->of_model.data, score, &unused, &s->err);
    }
    ney_model_free(model);
    return st;
}

static void rates_at(const evidence *in, const double *score, double threshold, double *fpr,
                     double *tpr)
{
    const ney_counts c = ney_count(score, in->label, in->n, threshold, threshold);

    *fpr = (double)c.fp / (double)in->n_neg;
    *tpr = (double)c.tp / (double)in->n_pos;
}

static bool same_pair(ney_cost_pair a, ney_cost_pair b)
{
    return a.plus == b.plus && a.minus == b.minus;
}

/* ------------------------------------------------------------------ choices */

/* Costs for which a choice is the cheapest, between those at which its neighbours take over; the
 * command that takes it, and whether it does. */
static void add_command(ney_result *row, const report_path *p, const ney_choice *choice, int64_t k,
                        int64_t n, double share)
{
    char file[SHELL_WORD], line[SHELL_WORD + 160];
    const double odds = share > 0 && share < 1 ? share / (1 - share) : 1;
    const double before =
        k > 0 ? (choice[k].tpr - choice[k - 1].tpr) / (choice[k].fpr - choice[k - 1].fpr)
              : (double)INFINITY;
    const double after =
        k + 1 < n ? (choice[k + 1].tpr - choice[k].tpr) / (choice[k + 1].fpr - choice[k].fpr) : 0;
    const double slope = isinf(before) ? 2 * after + 1e-3
                         : after > 0   ? sqrt(before * after)
                                       : before / 2;

    const double fp = slope * odds;
    const double bound = choice[k].fpr > 0 ? choice[k].fpr : 1e-12;

    shell_word(file, p->file);
    if (isfinite(fp) && ney_path_cheapest(p->path, 1, fp) == k) {
        snprintf(line, sizeof line, "neyman pick %s --cost-fn 1 --cost-fp %.6g -o picked.model",
                 file, fp);
    } else if (ney_path_within(p->path, bound) == k) {
        snprintf(line, sizeof line, "neyman pick %s --max-fpr %.17g -o picked.model", file, bound);
    } else { /* another one is at least as good for all costs and bounds */
        ney_result_add_null(row, "command");
        return;
    }
    ney_result_add_text(row, "command", line);
}

static ney_status add_choices(session *s, ney_result *of, const report_path *p, const evidence *in,
                              double *score)
{
    int64_t n;
    double share;
    const ney_choice *choice = ney_path_choices(p->path, &n, &share);
    ney_result *list = ney_result_add_array(of, "choices");
    ney_status st = NEY_OK;

    for (int64_t k = 0; k < n && st == NEY_OK; k++) {
        double fpr, tpr;
        if (k == 0 || !same_pair(choice[k].c, choice[k - 1].c)) {
            st = score_at(s, p, in, choice[k].c, score);
        }
        if (st != NEY_OK) {
            break;
        }
        rates_at(in, score, choice[k].threshold, &fpr, &tpr);
        ney_result *row = ney_result_add_object(list, NULL);
        ney_result_add_real(row, "c_plus", choice[k].c.plus);
        ney_result_add_real(row, "c_minus", choice[k].c.minus);
        ney_result_add_real(row, "threshold", choice[k].threshold);
        ney_result_add_real(row, "fpr", choice[k].fpr);
        ney_result_add_real(row, "tpr", choice[k].tpr);
        ney_result_add_real(row, "test_fpr", fpr);
        ney_result_add_real(row, "test_tpr", tpr);
        add_command(row, p, choice, k, n, share);
    }
    return st;
}

/* ------------------------------------------------------------------ the line of all asymmetries */

/* The line of constant C+ + C- that goes nearest to the chosen pair; -1: there is none. */
static int64_t asymmetry_line(const report_path *p)
{
    const ney_cost_pair at = p->chosen.c;
    double least = INFINITY;
    int64_t best = -1;

    for (int64_t k = 0; k < ney_path_lines(p->path); k++) {
        int64_t n;
        const ney_path_point *point = ney_path_points(p->path, k, &n);
        const double sum = n > 1 ? point[0].c.plus + point[0].c.minus : 0;
        const double end = n > 1 ? point[n - 1].c.plus + point[n - 1].c.minus : 0;
        const double away = fabs(log(sum / (at.plus + at.minus)));
        if (n > 1 && fabs(sum - end) <= 1e-9 * fmax(sum, end) && away < least) {
            least = away;
            best = k;
        }
    }
    return best;
}

static ney_status add_asymmetry(session *s, ney_result *of, const report_path *p,
                                const evidence *in, double *score)
{
    static const char *const names[] = {"c_plus", "c_minus", "fpr", "tpr"};
    ney_result *curve = ney_result_add_object(of, "asymmetry"), *column[4];
    const int64_t line = asymmetry_line(p);
    int64_t n = 0;
    const ney_path_point *point = line >= 0 ? ney_path_points(p->path, line, &n) : NULL;
    const int64_t shown = n < MOST_POINTS ? n : MOST_POINTS;
    ney_status st = NEY_OK;

    for (int c = 0; c < 4; c++) {
        column[c] = ney_result_add_array(curve, names[c]);
    }
    for (int64_t i = 0; i < shown && st == NEY_OK; i++) {
        const ney_cost_pair at = point[shown > 1 ? i * (n - 1) / (shown - 1) : 0].c;
        double rate[4] = {at.plus, at.minus, 0, 0};
        st = score_at(s, p, in, at, score);
        if (st == NEY_OK) {
            rates_at(in, score, 0, &rate[2], &rate[3]);
        }
        for (int c = 0; c < 4; c++) {
            ney_result_add_real(column[c], NULL, rate[c]);
        }
    }
    return st;
}

static void add_lines(ney_result *of, const report_path *p)
{
    ney_result *list = ney_result_add_array(of, "lines");

    for (int64_t k = 0; k < ney_path_lines(p->path); k++) {
        int64_t n;
        const ney_path_point *point = ney_path_points(p->path, k, &n);
        if (n > 0) {
            ney_result *row = ney_result_add_object(list, NULL);
            ney_result_add_interval(row, "from", point[0].c.plus, point[0].c.minus);
            ney_result_add_interval(row, "to", point[n - 1].c.plus, point[n - 1].c.minus);
            ney_result_add_int(row, "breakpoints", n);
        }
    }
}

ney_status report_add_path(session *s, ney_result *root, const report_path *p, const evidence *in)
{
    ney_result *of = ney_result_add_object(root, "path");
    double *score = malloc(((size_t)in->n + 1) * sizeof *score);
    char file[SHELL_WORD];
    ney_status st = NEY_OK;

    if (!score) {
        return out_of_memory(&s->err, "the scores");
    }
    shell_word(file, p->file);
    ney_result_add_text(of, "file", file);
    ney_result_add_interval(of, "chosen", p->chosen.c.plus, p->chosen.c.minus);
    add_lines(of, p);
    st = add_choices(s, of, p, in, score);
    if (st == NEY_OK) {
        st = add_asymmetry(s, of, p, in, score);
    }
    free(score);
    return st;
}
