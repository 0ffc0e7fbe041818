/* What a column of a table is, and what to do about it. */
#include "data/identifiers.h"
#include "data/profile.h"

#include <stdio.h>
#include <string.h>

enum { FEWEST_IDS = 20 }; /* with fewer rows, distinct values say little */

/* For messages: where an option names a column, the shell must not cut the name. */
static void note(ney_column_verdict *v, const char *text, const char *option, const char *name)
{
    const bool plain = !name[strcspn(name, NEY_SHELL_CHARS)];
    snprintf(v->note, sizeof v->note, "%.120s%s%s%.60s%s", text, option, plain ? "" : "'", name,
             plain ? "" : "'");
}

static const char *role_of(const ney_table *t, int64_t c)
{
    if (c == t->label || c == t->weight || c == t->id || c == t->group) {
        return c == t->label ? "label" : c == t->weight ? "weight" : c == t->id ? "id" : "group";
    }
    switch (t->column[c].role) {
    case NEY_ROLE_FEATURE:
        return "feature";
    case NEY_ROLE_NOTE:
        return "note";
    default:
        return "ignored";
    }
}

static bool is_whole(const ney_column_survey *s)
{
    return s->n_formed == 0 && !s->numbers.broken;
}

static const char *type_of(const ney_column_profile *c, ney_status mixed, int64_t max_categories)
{
    const ney_column_survey *const s = &c->cells;
    if (c->present == 0) {
        return "empty";
    }
    if (mixed != NEY_OK) {
        return s->n_words > 0 ? "mixed" : "ambiguous";
    }
    if (s->is_category) {
        return c->values.overflow || c->values.n > max_categories ? "text" : "category";
    }
    if (s->form != NEY_NUMBER_PLAIN) {
        return ney_number_form_name(s->form);
    }
    return is_whole(s) ? "integer" : "number";
}

/* Every cell differs from all others, as far as they are compared. */
static bool is_unique(const ney_profile_state *p, const ney_column_profile *c)
{
    const bool distinct =
        c->values.n == c->present || (c->values.overflow && c->values.n == p->distinct_limit);
    return c->present >= FEWEST_IDS && c->missing == 0 && distinct;
}

static bool is_consecutive(const ney_column_profile *c)
{
    const ney_column_survey *const s = &c->cells;
    return is_whole(s) && s->n_words == 0 &&
           s->numbers.high - s->numbers.low == (double)(c->present - 1);
}

static bool is_repeated(const ney_column_profile *c)
{
    return !c->values.overflow && c->values.n >= 10 && 2 * c->present >= 3 * c->values.n;
}

/* What a feature looks like other than a feature; false: nothing else. */
static bool note_other_use(const ney_profile_state *p, int64_t c, ney_column_verdict *v)
{
    const ney_column_profile *const column = &p->column[c];
    const char *const name = p->table.column[c].name;
    const bool id = ney_names_identifier(name);
    const bool words = column->cells.n_words > 0;
    if (is_unique(p, column) && !column->values.overflow &&
        (words || id || is_consecutive(column))) {
        note(v, "looks like an id: ", "--id ", name);
    } else if (is_unique(p, column) && column->values.overflow && (words || id)) {
        note(v, "looks like an id: ", "--id ", name);
    } else if (id && p->table.group < 0 && is_repeated(column)) {
        note(v, "looks like a group: ", "--group ", name);
    } else if (p->table.label < 0 && column->values.n == 2 && column->missing == 0) {
        note(v, "two values, could be the label: ", "--label ", name);
    } else {
        return false;
    }
    return true;
}

static void note_feature(const ney_profile_state *p, int64_t c, const ney_error *mixed,
                         ney_column_verdict *v)
{
    const ney_column_profile *const column = &p->column[c];
    const char *const name = p->table.column[c].name;
    if (column->has_twin) { /* no option can name it */
        snprintf(v->note, sizeof v->note, "another column has this name: rename one%s",
                 p->table.like_data ? ", or state --no-header if line 1 is a row" : "");
    } else if (column->present == 0) {
        note(v, "no values: ", "--ignore ", name);
    } else if (mixed->code != NEY_OK) {
        const char *const hint = strchr(mixed->message, '\'');
        const char *const holds = hint ? strstr(hint, "holds") : NULL;
        snprintf(v->note, sizeof v->note, "line %lld %.230s", (long long)mixed->line,
                 holds ? holds : mixed->message);
    } else if (column->cells.n_words > 0 && ney_looks_like_date(column->cells.word)) {
        note(v, "dates are recognised in the form 2024-03-25, these are words: rewrite them, or ",
             "--ignore ", name);
    } else if (note_other_use(p, c, v)) {
        return;
    } else if (ney_column_survey_has_codes(&column->cells)) {
        note(v, "zeros in front; for categories: ", "--words ", name);
    } else if (strcmp(v->type, "category") == 0 && column->present >= FEWEST_IDS &&
               2 * column->values.n > column->present) {
        char text[100];
        snprintf(text, sizeof text,
                 "%lld words, each of them a feature: ", (long long)column->values.n);
        note(v, text, "--ignore ", name);
    } else if (strcmp(v->type, "text") == 0) {
        note(v, "too many values for categories: ", "--ignore ", name);
    } else if (column->values.n == 1 && column->missing == 0) {
        snprintf(v->note, sizeof v->note, "constant");
    } else if (column->cells.form != NEY_NUMBER_PLAIN) {
        snprintf(v->note, sizeof v->note, "read as %s",
                 ney_number_form_meaning(column->cells.form));
    }
}

ney_decimal_evidence ney_profile_evidence(const ney_profile_state *p)
{
    ney_decimal_evidence e = ney_decimal_evidence_of(&p->table);
    for (int64_t c = 0; c < p->table.n_columns; c++) {
        ney_decimal_evidence_add(&e, &p->table, c, &p->column[c].cells);
    }
    return e;
}

ney_column_verdict ney_profile_verdict(ney_profile_state *p, ney_decimal_evidence e, int64_t c)
{
    ney_column_profile *const column = &p->column[c];
    ney_column_verdict v = {.role = role_of(&p->table, c)};
    ney_error mixed = {0};
    const bool feature = p->table.column[c].role == NEY_ROLE_FEATURE;
    const ney_status st =
        ney_column_survey_choose_one(&column->cells, e, p->table.column[c].name, &mixed);
    mixed.code = st;
    v.type = type_of(column, feature ? st : NEY_OK, p->opts.max_categories);
    if (feature) {
        note_feature(p, c, &mixed, &v);
    } else if (p->table.column[c].unnamed) {
        snprintf(v.note, sizeof v.note, "no name in the header");
    }
    return v;
}
