#include "data/rows.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void ney_rows_init(ney_rows *r, const ney_env *env)
{
    *r = (ney_rows){.env = *env};
    ney_text_init(&r->notes, env);
}

void ney_rows_deinit(ney_rows *r)
{
    ney_release_all(&r->env, r->end, r->code, r->weight, r->index, r->value);
    ney_text_deinit(&r->notes);
}

void ney_rows_clear(ney_rows *r)
{
    r->n = r->n_entries = r->n_lines = r->cols = 0;
    r->n_labels = r->known ? 2 : 0;
    for (int i = 0; i < r->n_labels; i++) {
        r->label[i] = r->known[i];
        r->label[i].line = 0;
    }
    r->unlabelled = r->unknown = 0;
    r->weighted = r->noted = false;
    r->notes.length = 0;
    r->status = NEY_OK;
}

/* Arrays that share one capacity grow together, or the capacity stays what it was. */
static bool grow_rows(ney_rows *r)
{
    int64_t a = r->row_cap, b = r->row_cap, c = r->row_cap;
    const int64_t need = r->n + 1 > 256 ? r->n + 1 : 256;
    if (!ney_grow(&r->env, &r->end, &a, need, sizeof *r->end) ||
        !ney_grow(&r->env, &r->code, &b, need, sizeof *r->code) ||
        !ney_grow(&r->env, &r->weight, &c, need, sizeof *r->weight)) {
        return false;
    }
    r->row_cap = a;
    return true;
}

static bool grow_entries(ney_rows *r, int64_t more)
{
    int64_t a = r->entry_cap, b = r->entry_cap;
    if (!ney_grow(&r->env, &r->index, &a, r->n_entries + more, sizeof *r->index) ||
        !ney_grow(&r->env, &r->value, &b, r->n_entries + more, sizeof *r->value)) {
        return false;
    }
    r->entry_cap = a;
    return true;
}

bool ney_rows_reserve(ney_rows *r, int64_t entries)
{
    if ((r->n < r->row_cap || grow_rows(r)) &&
        (r->n_entries + entries <= r->entry_cap || grow_entries(r, entries))) {
        return true;
    }
    r->status = ney_no_memory(&r->error, r->n_entries + entries, "entries");
    return false;
}

bool ney_rows_fail(ney_rows *r, int64_t column, const char *format, ...)
{
    char message[sizeof r->error.message];
    va_list args;
    if (r->status == NEY_OK) {
        va_start(args, format);
        vsnprintf(message, sizeof message, format, args);
        va_end(args);
        r->status =
            ney_fail_at(&r->error, NEY_EPARSE,
                        (ney_place){.line = r->n_lines + 1, .column = column}, "%s", message);
    }
    return false;
}

ney_label ney_label_of(const char *text, int length, int64_t line)
{
    ney_label label = {.text = text, .length = length, .line = line};
    label.is_number = ney_number_parse(text, (size_t)length, &label.number) && !isnan(label.number);
    return label;
}

bool ney_label_equal(const ney_label *a, const ney_label *b)
{
    if (a->is_number && b->is_number) {
        return a->number == b->number;
    }
    return a->is_number == b->is_number && a->length == b->length &&
           memcmp(a->text, b->text, (size_t)a->length) == 0;
}

bool ney_same_label(const char *a, const char *b)
{
    const ney_label x = ney_label_of(a, (int)strlen(a), 0), y = ney_label_of(b, (int)strlen(b), 0);
    return ney_label_equal(&x, &y);
}

/* Whether a label is one of those that commas separate. */
static bool is_listed(const char *list, const ney_label *label)
{
    while (*list) {
        const int length = (int)strcspn(list, ",");
        const ney_label one = ney_label_of(list, length, 0);
        if (ney_label_equal(&one, label)) {
            return true;
        }
        list += length + (list[length] == ',');
    }
    return false;
}

/* The class of a label: the positive one, the pooled one, or the label itself. */
static void pool_label(const ney_pooling *p, const char **text, int *length)
{
    const ney_label label = ney_label_of(*text, *length, 0);
    if (ney_label_equal(&label, &p->positive)) {
        *text = p->positive.text;
        *length = p->positive.length;
    } else if (strcmp(p->negatives, NEY_POOL_REST) == 0 || is_listed(p->negatives, &label)) {
        *text = ney_pooling_name(p->negatives);
        *length = (int)strlen(*text);
    }
}

int8_t ney_rows_code(ney_rows *r, const char *text, int length)
{
    if (r->pooling) {
        pool_label(r->pooling, &text, &length);
    }
    for (int i = 0; i < r->n_labels; i++) { /* nearly always the same bytes as before */
        if (r->label[i].length == length && r->label[i].line > 0 &&
            memcmp(r->label[i].text, text, (size_t)length) == 0) {
            return (int8_t)i;
        }
    }
    const ney_label label = ney_label_of(text, length, r->n_lines + 1);
    for (int i = 0; i < r->n_labels; i++) {
        if (ney_label_equal(&r->label[i], &label)) {
            if (r->label[i].line == 0) {
                r->label[i] = label;
            }
            return (int8_t)i;
        }
    }
    if (r->n_labels == NEY_MOST_LABELS) {
        return NEY_MOST_LABELS - 1; /* one too many is known already */
    }
    r->label[r->n_labels] = label;
    return (int8_t)r->n_labels++;
}

void ney_rows_finish(ney_rows *r, int64_t entries_end, int8_t code, float weight)
{
    if (code == NEY_NO_LABEL && r->unlabelled == 0) {
        r->unlabelled = r->n_lines + 1;
    }
    r->n_entries = entries_end;
    r->end[r->n] = entries_end;
    r->code[r->n] = code;
    r->weight[r->n] = weight;
    r->n++;
}
