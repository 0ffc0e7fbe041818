/* Single rows of a report, and rates over groups of rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "report_parts.h"

enum { N_ROWS = 20, MOST_ID = 4096 };

/* ------------------------------------------------------------------ rows to look at */

typedef struct listed_row {
    int64_t row;
    double distance;
} listed_row;

/* The rows of smallest or largest distance so far, in order; of equal ones the first come first. */
typedef struct row_list {
    listed_row item[N_ROWS];
    int n;
    bool largest;
} row_list;

static void offer(row_list *l, int64_t row, double distance)
{
    int at = l->n;

    while (at > 0 && (l->largest ? l->item[at - 1].distance < distance
                                 : l->item[at - 1].distance > distance)) {
        at--;
    }
    if (at == N_ROWS) {
        return;
    }
    l->n += l->n < N_ROWS;
    memmove(&l->item[at + 1], &l->item[at], (size_t)(l->n - 1 - at) * sizeof *l->item);
    l->item[at] = (listed_row){.row = row, .distance = distance};
}

static void find_rows(const evidence *in, const report_rule *rule, row_list *near, row_list *worst)
{
    for (int64_t i = 0; i < in->n; i++) {
        const double score = in->score[i];
        const double from_low = fabs(score - rule->low), from_high = fabs(score - rule->high);
        offer(near, i, fmin(from_low, from_high));
        if (in->label[i] < 0 && score >= rule->high) {
            offer(worst, i, from_high);
        } else if (in->label[i] > 0 && score < rule->low) {
            offer(worst, i, from_low);
        }
    }
}

/* The ids of rows, where the data have some. */
typedef struct row_ids {
    ney_notes *notes;
    int64_t column;
} row_ids;

static ney_status row_ids_init(row_ids *ids, const evidence *in, ney_error *err)
{
    const ney_data *data = in->of_model.data;
    const char *name = data ? ney_data_id_column(data) : NULL;

    *ids = (row_ids){.column = -1};
    if (data && !name && ney_data_format(data) == NEY_FORMAT_PIN) {
        name = "SpecId";
    }
    if (!name) {
        return NEY_OK;
    }
    const ney_status st = ney_notes_new(&ids->notes, data, err);
    if (st == NEY_OK) {
        ids->column = ney_notes_find(ids->notes, name);
    }
    return st;
}

static void add_id(ney_result *row, const row_ids *ids, int64_t i)
{
    char text[MOST_ID + 1];
    int64_t length;

    if (ids->column < 0) {
        ney_result_add_null(row, "id");
        return;
    }
    const char *cell = ney_notes_text(ids->notes, i, ids->column, &length);
    length = length < MOST_ID ? length : MOST_ID;
    memcpy(text, cell, (size_t)length);
    text[length] = '\0';
    ney_result_add_text(row, "id", text);
}

static void add_list(ney_result *root, const char *key, const row_list *l, const evidence *in,
                     const report_rule *rule, const row_ids *ids)
{
    ney_result *list = ney_result_add_array(root, key);
    const char *const pos = in->positive[0] ? in->positive : "positive";
    const char *const neg = in->negative[0] ? in->negative : "negative";

    for (int k = 0; k < l->n; k++) {
        const int64_t i = l->item[k].row;
        const double score = in->score[i];
        ney_result *row = ney_result_add_object(list, NULL);
        ney_result_add_int(row, "row", i + 1);
        add_id(row, ids, i);
        ney_result_add_text(row, "label", in->label[i] > 0 ? pos : neg);
        ney_result_add_real(row, "score", score);
        ney_result_add_text(row, "decision",
                            score >= rule->high ? pos
                            : score < rule->low ? neg
                                                : "rejected");
    }
}

ney_status report_add_rows(session *s, ney_result *root, const evidence *in,
                           const report_rule *rule)
{
    row_list near = {.largest = false}, worst = {.largest = true};
    row_ids ids;
    const ney_status st = row_ids_init(&ids, in, &s->err);

    if (st == NEY_OK) {
        find_rows(in, rule, &near, &worst);
        add_list(root, "near", &near, in, rule, &ids);
        add_list(root, "worst", &worst, in, rule, &ids);
    }
    ney_notes_free(ids.notes);
    return st;
}

/* ------------------------------------------------------------------ groups */

/* Rows with a value, in a buffer for all of them. */
typedef struct group_values {
    double *value;
    uint64_t *group;
    int64_t n;
} group_values;

static ney_status group_values_init(group_values *v, const evidence *in, ney_error *err)
{
    v->value = malloc(((size_t)in->n + 1) * sizeof *v->value);
    v->group = malloc(((size_t)in->n + 1) * sizeof *v->group);
    v->n = 0;
    if (!v->value || !v->group) {
        return out_of_memory(err, "the groups");
    }
    return NEY_OK;
}

static void group_values_deinit(group_values *v)
{
    free(v->value);
    free(v->group);
}

typedef enum group_rate {
    GROUP_FPR,
    GROUP_FNR,
    GROUP_TPR,
    GROUP_REJECTED,
    N_GROUP_RATES
} group_rate;

static const char *const group_rate_names[] = {"fpr", "fnr", "tpr", "reject_rate"};

static void fill_values(group_values *v, const evidence *in, const report_rule *rule,
                        group_rate rate)
{
    v->n = 0;
    for (int64_t i = 0; i < in->n; i++) {
        const bool positive = in->label[i] > 0;
        const bool high = in->score[i] >= rule->high, low = in->score[i] < rule->low;
        if ((rate == GROUP_FPR && positive) ||
            ((rate == GROUP_FNR || rate == GROUP_TPR) && !positive)) {
            continue;
        }
        v->value[v->n] = rate == GROUP_FNR ? low : rate == GROUP_REJECTED ? !high && !low : high;
        v->group[v->n++] = in->group[i];
    }
}

ney_status report_count_groups(session *s, const evidence *in, int64_t *n_groups)
{
    group_values v = {0};
    ney_group_mean mean = {0};
    ney_status st = group_values_init(&v, in, &s->err);

    for (int64_t i = 0; st == NEY_OK && i < in->n; i++) {
        v.value[i] = 0;
    }
    if (st == NEY_OK) {
        st = ney_mean_of_groups(&mean, &s->env, v.value, in->group, in->n, 0.95, &s->err);
    }
    *n_groups = mean.n_groups;
    group_values_deinit(&v);
    return st;
}

ney_status report_add_group_rates(session *s, ney_result *root, const evidence *in,
                                  const report_rule *rule)
{
    ney_result *rates = ney_result_add_object(root, "group_rates");
    group_values v = {0};
    ney_status st = group_values_init(&v, in, &s->err);

    for (int k = 0; st == NEY_OK && k < N_GROUP_RATES; k++) {
        ney_group_mean mean;
        if (k == GROUP_REJECTED && !(rule->low < rule->high)) {
            continue;
        }
        fill_values(&v, in, rule, (group_rate)k);
        st = ney_mean_of_groups(&mean, &s->env, v.value, v.group, v.n, 0.95, &s->err);
        if (st == NEY_OK) {
            ney_result *rate = ney_result_add_object(rates, group_rate_names[k]);
            const bool known = mean.n_groups > 0;
            ney_result_add_real(rate, "value", mean.mean);
            ney_result_add_real(rate, "low", known ? mean.low : (double)NAN);
            ney_result_add_real(rate, "high", known ? mean.high : (double)NAN);
        }
    }
    group_values_deinit(&v);
    return st;
}
