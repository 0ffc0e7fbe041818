/* The description of a data file as a result. */
#include "data/column_values.h"
#include "data/profile.h"

#include <math.h>
#include <stdio.h>

enum { MOST_CLASSES = 20 };

/* One row of `columns`. */
typedef struct column_row {
    const char *name, *role, *type, *note;
    double low, high, mean, deviation;
    int64_t missing, infinite, nonzero, distinct; /* distinct -1: beyond the limit */
} column_row;

static void add_row(ney_result *list, const column_row *c, bool detailed)
{
    ney_result *const row = ney_result_add_object(list, NULL);
    ney_result_add_text(row, "name", c->name);
    ney_result_add_text(row, "role", c->role);
    ney_result_add_text(row, "type", c->type);
    ney_result_add_real(row, "low", c->low);
    ney_result_add_real(row, "high", c->high);
    if (detailed) {
        ney_result_add_real(row, "mean", c->mean);
        ney_result_add_real(row, "deviation", c->deviation);
        ney_result_add_int(row, "nonzero", c->nonzero);
        ney_result_add_int(row, "infinite", c->infinite);
    }
    ney_result_add_int(row, "missing", c->missing);
    if (c->distinct >= 0) {
        ney_result_add_int(row, "distinct", c->distinct);
    } else {
        ney_result_add_null(row, "distinct");
    }
    ney_result_add_text(row, "note", c->note && c->note[0] ? c->note : NULL);
}

/* ---- tables */

/* From the cells as they were surveyed: not known for words, and for numbers in forms of which the
 * survey reads the first. */
static void fill_surveyed(column_row *row, const ney_column_profile *c)
{
    const ney_column_statistics *const s = &c->cells.numbers;
    const bool known = c->cells.n_words == 0 && c->cells.n_formed == 0 && s->n > 0 &&
                       c->cells.form == NEY_NUMBER_PLAIN;
    row->low = known ? s->low : (double)NAN;
    row->high = known ? s->high : (double)NAN;
    row->mean = known ? s->mean : (double)NAN;
    row->deviation = known ? sqrt(s->m2 / s->n) : (double)NAN;
    row->nonzero = c->present - c->zeros;
}

static void fill_from_data(column_row *row, const ney_column_summary *s)
{
    row->low = s->low;
    row->high = s->high;
    row->mean = s->mean;
    row->deviation = s->deviation;
    row->infinite = s->infinite;
    row->nonzero = s->nonzero - s->missing;
}

/* `summary`, one per feature of in->data, is NULL without data. */
static void add_table_columns(ney_result *list, ney_profile_state *p, const ney_profile_input *in,
                              const ney_column_summary *summary)
{
    const ney_decimal_evidence e = ney_profile_evidence(p);
    const bool all = in->detailed || p->table.n_columns <= in->most_columns;
    int64_t k = 0, listed = 0;
    for (int64_t c = 0; c < p->table.n_columns; c++) {
        const ney_column_profile *const column = &p->column[c];
        const ney_column_verdict v = ney_profile_verdict(p, e, c);
        column_row row = {.name = p->table.column[c].name,
                          .role = v.role,
                          .type = v.type,
                          .note = v.note,
                          .missing = column->missing,
                          .infinite = column->infinite,
                          .distinct = column->values.overflow ? -1 : column->values.n};
        fill_surveyed(&row, column);
        if (summary && p->table.column[c].role == NEY_ROLE_FEATURE) {
            const ney_input *const input = &in->data->preprocessing->input[k++];
            if (!input->category) {
                fill_from_data(&row, &summary[input->first]);
            }
        }
        if (all || (v.note[0] && listed < in->most_columns)) {
            add_row(list, &row, in->detailed);
            listed++;
        }
    }
}

static void add_faults(ney_result *root, const ney_profile_state *p)
{
    ney_result_add_int(root, "faulty_rows", p->faulty);
    ney_result *const list = ney_result_add_array(root, "faults");
    for (int64_t k = 0; k < p->faulty && k < NEY_FAULTS_SHOWN; k++) {
        ney_result *const row = ney_result_add_object(list, NULL);
        ney_result_add_int(row, "line", p->fault[k].line);
        ney_result_add_text(row, "reason", p->fault[k].reason);
    }
}

static void add_classes(ney_result *root, ney_profile_state *p)
{
    ney_value_counts_sort(&p->labels);
    ney_result *const list = ney_result_add_array(root, "classes");
    for (int64_t k = 0; k < p->labels.n && k < MOST_CLASSES; k++) {
        ney_result *const row = ney_result_add_object(list, NULL);
        ney_result_add_text(row, "label", p->labels.counts[k].text);
        ney_result_add_int(row, "n", p->labels.counts[k].n);
    }
}

/* What data say where there are some. */
static ney_status add_shape(ney_result *root, ney_profile_state *p, ney_error *err)
{
    static const char *const names[] = {"auto", "svmlight", "csv", "tsv", "pin", "cache"};
    int64_t duplicates = 0, contradictory = 0;
    ney_result_add_text(root, "format", names[p->format]);
    ney_result_add_int(root, "n", p->n);
    ney_result_add_int(root, "cols", p->cols);
    ney_result_add_int(root, "missing", p->missing);
    if (p->column) {
        const ney_status st = ney_profile_repeats(p, &duplicates, &contradictory, err);
        if (st != NEY_OK) {
            return st;
        }
        ney_result_add_int(root, "duplicate_rows", duplicates);
        ney_result_add_int(root, "contradictory_rows", contradictory);
    }
    add_faults(root, p);
    add_classes(root, p);
    return NEY_OK;
}

/* ---- columns of numbers */

typedef struct number_columns {
    ney_result *list;
    const ney_profile_input *in;
    const ney_column_summary *summary;
    bool sampled;
} number_columns;

static ney_status add_number_column(void *context, int64_t c, const ney_value_run *run,
                                    int64_t n_runs, ney_error *err)
{
    const number_columns *const n = context;
    const ney_data *const d = n->in->data;
    const ney_column_summary *const s = &n->summary[c];
    char name[128];
    bool whole = true;
    (void)err;
    for (int64_t i = 0; i < n_runs; i++) {
        const double x = ney_data_number(d, c, run[i].value);
        whole = whole && (isinf(x) || x == rint(x));
    }
    ney_preprocessing_feature(d->preprocessing, c, name, sizeof name);
    column_row row = {.name = name,
                      .role = "feature",
                      .type = n_runs == 0            ? "empty"
                              : whole && !n->sampled ? "integer"
                                                     : "number",
                      .note = n_runs == 0                                     ? "no values"
                              : n_runs == 1 && !n->sampled && s->missing == 0 ? "constant"
                                                                              : NULL,
                      .missing = s->missing,
                      .distinct = n->sampled ? -1 : n_runs};
    fill_from_data(&row, s);
    add_row(n->list, &row, n->in->detailed);
    return NEY_OK;
}

static ney_status add_number_columns(ney_result *list, const ney_profile_input *in,
                                     const ney_column_summary *summary, ney_error *err)
{
    const ney_matrix *const x = &in->data->x;
    number_columns n = {list, in, summary, ney_quantile_step(x->rows) > 1};
    if (!in->detailed && x->cols > in->most_columns) {
        return NEY_OK;
    }
    return ney_column_values(in->data, NULL, x->rows, add_number_column, &n, err);
}

/* ---- the file */

static ney_status add_all(ney_result *root, ney_profile_state *p, const ney_profile_input *in,
                          ney_error *err)
{
    const ney_data *const d = in->data;
    const bool table = p->column && (!d || d->preprocessing->input);
    ney_column_summary *summary = NULL;
    ney_data_summary whole;
    ney_status st = d ? NEY_OK : add_shape(root, p, err);
    if (st == NEY_OK && d) {
        summary = ney_alloc(&p->env, d->x.cols, sizeof *summary);
        st = summary ? ney_data_describe(d, &whole, summary, err)
                     : ney_no_memory(err, d->x.cols, "columns");
    }
    if (st == NEY_OK && (table || d)) {
        ney_result_add_int(root, "distinct_limit", p->distinct_limit);
        ney_result *const list = ney_result_add_array(root, "columns");
        if (table) {
            add_table_columns(list, p, in, summary);
        } else {
            st = add_number_columns(list, in, summary, err);
        }
    }
    ney_release(&p->env, summary);
    return st == NEY_OK ? ney_result_status(root, err) : st;
}

ney_status ney_profile(ney_result *root, const ney_env *env, const ney_profile_input *in,
                       ney_error *err)
{
    NEY_REQUIRE(root && in && in->path, err);
    const ney_env e = ney_env_of(env);
    ney_profile_state p;
    ney_status st = ney_profile_read(&p, &e, in, err);
    if (st == NEY_OK && p.format >= NEY_FORMAT_CACHE && !in->data) {
        st = ney_fail(err, NEY_EFORMAT, "cannot be read");
    }
    if (st == NEY_OK) {
        st = add_all(root, &p, in, err);
    }
    ney_profile_deinit(&p);
    return st;
}
