/* 'evaluate --by': error rates for each value of a column, and flags for those whose rate exceeds
 * the model's bound. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "band.h"
#include "evaluate.h"
#include "groups.h"
#include "result.h"

enum { MOST_VALUES = 1000 };

/* The rows of one value of the column. */
typedef struct subgroup {
    char name[128];
    ney_counts count;
} subgroup;

/* The column: of the rows of a model, or of a score file. */
typedef struct by_column {
    ney_notes *notes; /* owned; NULL: `scores` */
    int64_t column;
    const ney_scores *scores;
} by_column;

typedef struct subgroups {
    subgroup *item;
    int64_t n;
    int64_t *row, *begin; /* rows by subgroup, and where those of each begin */
} subgroups;

/* The subgroup of a row; NULL where there are too many. */
static subgroup *find_subgroup(subgroups *all, const by_column *by, int64_t row)
{
    int64_t length;
    const char *const text = by->notes ? ney_notes_text(by->notes, row, by->column, &length)
                                       : ney_scores_by(by->scores, row, &length);
    char name[sizeof all->item->name];
    const size_t n = length < (int64_t)sizeof name ? (size_t)length : sizeof name - 1;

    memcpy(name, text ? text : "", n);
    name[n] = '\0';
    for (int64_t k = 0; k < all->n; k++) {
        if (strcmp(all->item[k].name, name) == 0) {
            return &all->item[k];
        }
    }
    if (all->n == MOST_VALUES) {
        return NULL;
    }
    subgroup *const g = &all->item[all->n++];
    *g = (subgroup){0};
    memcpy(g->name, name, n + 1);
    return g;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const subgroup *)a)->name, ((const subgroup *)b)->name);
}

static ney_status refuse_column(session *s, const char *by, const char *reason)
{
    s->err = (ney_error){.code = NEY_EINVAL};
    snprintf(s->err.message, sizeof s->err.message, "--by %.100s: %s", by, reason);
    return NEY_EINVAL;
}

/* List the rows of each value, in the order of the subgroups. */
static ney_status list_rows(subgroups *all, session *s, int64_t n, const by_column *by)
{
    int64_t *const of = malloc((size_t)(n + 1) * sizeof *of);

    all->row = malloc((size_t)(n + 1) * sizeof *all->row);
    all->begin = calloc((size_t)all->n + 2, sizeof *all->begin);
    if (!of || !all->row || !all->begin) {
        free(of);
        return out_of_memory(&s->err, "the subgroups");
    }
    for (int64_t i = 0; i < n; i++) {
        of[i] = find_subgroup(all, by, i) - all->item;
        all->begin[of[i] + 2]++;
    }
    for (int64_t k = 2; k <= all->n + 1; k++) {
        all->begin[k] += all->begin[k - 1];
    }
    for (int64_t i = 0; i < n; i++) { /* begin[k + 1] moves from the beginning of k to its end */
        all->row[all->begin[of[i] + 1]++] = i;
    }
    free(of);
    return NEY_OK;
}

static ney_status open_column(by_column *by, session *s, const evidence *in, const char *name)
{
    *by = (by_column){.scores = in->of_file};
    if (in->of_file) { /* it was read with the column */
        return NEY_OK;
    }
    const ney_status st = ney_notes_new(&by->notes, in->of_model.data, &s->err);
    by->column = ney_notes_find(by->notes, name);
    return st == NEY_OK && by->column < 0
               ? refuse_column(s, name,
                               "the data have no such column; expected one of their header")
               : st;
}

/* Count the rows of each value. */
static ney_status count_subgroups(subgroups *all, session *s, const evidence *in,
                                  const by_column *by, const char *name, const band *b)
{
    for (int64_t i = 0; i < in->n; i++) {
        subgroup *const g = find_subgroup(all, by, i);
        if (!g) {
            return refuse_column(s, name, "more than 1000 values; expected a column of categories");
        }
        const ney_counts c = ney_count(&in->score[i], &in->label[i], 1, b->low, b->high);
        counts_add(&g->count, &c);
    }
    qsort(all->item, (size_t)all->n, sizeof *all->item, compare_names);
    return in->group ? list_rows(all, s, in->n, by) : NEY_OK;
}

/* Flags of one rate; false without memory. */
static bool flag_rate(const subgroups *all, bool fpr, double bound, double level, uint8_t *flag)
{
    int64_t *hits = malloc(((size_t)all->n + 1) * 2 * sizeof *hits),
            *n = hits ? hits + all->n : NULL;
    double *p = malloc(((size_t)all->n + 1) * sizeof *p);
    const bool fine = hits && p;

    for (int64_t k = 0; fine && k < all->n; k++) {
        const ney_counts *const c = &all->item[k].count;
        hits[k] = fpr ? c->fp : c->fn;
        n[k] = fpr ? c->fp + c->tn + c->rejected_neg : c->fn + c->tp + c->rejected_pos;
    }
    if (fine) {
        ney_flag_subgroups(hits, n, all->n, bound, level, p, flag);
    }
    free(hits);
    free(p);
    return fine;
}

/* The rates of a subgroup whose rows are in groups: means over groups. */
static ney_status add_group_rates(session *s, ney_result *row, const evidence *in,
                                  const subgroups *all, int64_t k, const band *b)
{
    const int64_t n = all->begin[k + 1] - all->begin[k], *const rows = all->row + all->begin[k];
    double *const error = malloc((size_t)(n + 1) * sizeof *error);
    uint64_t *const group = malloc((size_t)(n + 1) * sizeof *group);
    ney_status st = error && group ? NEY_OK : out_of_memory(&s->err, "the subgroups");

    for (int sign = -1; sign <= 1 && st == NEY_OK; sign += 2) {
        for (int64_t i = 0; i < n; i++) {
            const double x = in->score[rows[i]];
            const bool wrong = sign > 0 ? x < b->low : x >= b->high;
            error[i] = in->label[rows[i]] == sign ? wrong : (double)NAN;
            group[i] = in->group[rows[i]];
        }
        st = groups_mean(s, row, sign > 0 ? "fnr" : "fpr", error, group, n, 1);
    }
    free(error);
    free(group);
    return st;
}

static ney_status add_rows(session *s, ney_result *root, const evidence *in, const subgroups *all,
                           const uint8_t *flag[2], const band *b)
{
    ney_result *list = ney_result_add_array(root, "by");
    ney_status st = NEY_OK;

    for (int64_t k = 0; k < all->n && st == NEY_OK; k++) {
        const ney_counts *const c = &all->item[k].count;
        const int64_t n_pos = c->tp + c->fn + c->rejected_pos,
                      n_neg = c->tn + c->fp + c->rejected_neg;
        ney_result *row = ney_result_add_object(list, NULL);
        result_name(row, "value", all->item[k].name);
        ney_result_add_int(row, "n_pos", n_pos);
        ney_result_add_int(row, "n_neg", n_neg);
        if (in->group) {
            st = add_group_rates(s, row, in, all, k, b);
        } else {
            result_rate(row, "fpr", c->fp, n_neg);
            result_rate(row, "fnr", c->fn, n_pos);
        }
        if (flag[0]) {
            ney_result_add_bool(row, "fpr_exceeds", flag[0][k] != 0);
        }
        if (flag[1]) {
            ney_result_add_bool(row, "fnr_exceeds", flag[1][k] != 0);
        }
    }
    return st;
}

/* Flags, where the model has bounds and the rows are new to it. */
static ney_status report_subgroups(session *s, ney_result *root, const evidence *in,
                                   const subgroups *all, const band *b)
{
    const double bound[2] = {summary_number(in->of_model.model, "max_fpr"),
                             summary_number(in->of_model.model, "max_fnr")};
    const int n_bounds = !isnan(bound[0]) + !isnan(bound[1]);
    uint8_t *const block = calloc((size_t)all->n + 1, 2);
    const uint8_t *flag[2] = {NULL, NULL};
    bool fine = block != NULL;

    for (int k = 0; k < 2 && fine; k++) {
        if (!isnan(bound[k]) && is_new_evidence(in) && !in->group) { /* the tests need rows */
            fine = flag_rate(all, k == 0, bound[k], 0.05 / n_bounds, block + k * all->n);
            flag[k] = block + k * all->n;
        }
    }
    ney_status st =
        fine ? add_rows(s, root, in, all, flag, b) : out_of_memory(&s->err, "the subgroups");
    if (st == NEY_OK && (flag[0] || flag[1])) {
        ney_result_add_text(root, "by_test",
                            "binomial tests against the model's bound, Holm's correction: the "
                            "probability of any false flag is at most 0.05");
    }
    free(block);
    return st;
}

ney_status add_subgroups(session *s, ney_result *root, const evidence *in, const char *by,
                         const band *b)
{
    subgroups all = {.item = malloc(MOST_VALUES * sizeof *all.item)};
    by_column column;

    if (!all.item) {
        return out_of_memory(&s->err, "the subgroups");
    }
    ney_status st = open_column(&column, s, in, by);
    if (st == NEY_OK && (st = count_subgroups(&all, s, in, &column, by, b)) == NEY_OK) {
        st = report_subgroups(s, root, in, &all, b);
    }
    ney_notes_free(column.notes);
    free(all.item);
    free(all.row);
    free(all.begin);
    return st;
}
