/* The columns of a score file. */
#include "data/scores.h"

#include "base/number.h"
#include "data/number_form.h"

#include <string.h>
#include <strings.h>

static int64_t find_named(const ney_table *t, const char *name)
{
    for (int64_t c = 0; c < t->n_columns; c++) {
        if (strcasecmp(t->column[c].name, name) == 0) {
            return c;
        }
    }
    return -1;
}

/* A name that two columns have determines none. */
static ney_status check_names(const ney_score_reader *r, ney_error *err)
{
    static const char *const what[] = {"score", "label", "seen", "group", "by"};
    const int64_t column[] = {r->score_column, r->table.label, r->seen_column, r->group_column,
                              r->by_column};
    ney_status st = NEY_OK;
    for (int k = 0; k < 5 && st == NEY_OK; k++) {
        st = ney_table_check_single(&r->table, column[k], true, what[k], ney_files_title(r->files),
                                    err);
    }
    return st;
}

/* A score, with either decimal mark. */
static bool is_score(const char *text)
{
    double value;
    return ney_number_parse(text, strlen(text), &value) ||
           ney_number_form_parse(NEY_NUMBER_COMMA, text, (int)strlen(text), &value);
}

/* Whether the first line is a row: the column was asked for by its place, and holds a score. */
static bool begins_with_row(const ney_table *t, const char *asked, int64_t column)
{
    double place;
    return asked && ney_number_parse(asked, strlen(asked), &place) &&
           place == (double)(column + 1) && is_score(t->column[column].name);
}

/* Two columns that are called otherwise are no rows. What begins as numbers do is not a name. */
static ney_status check_first_line(const ney_score_reader *r, ney_place place, ney_error *err)
{
    const char *const label = r->table.column[0].name, *const score = r->table.column[1].name;

    return strchr("+-.0123456789", score[0]) || is_score(score) /* also of no text */
               ? NEY_OK
               : ney_fail_at(err, NEY_EPARSE, place,
                             "the columns are called '%.60s' and '%.60s', expected label and "
                             "score: state which is which with --score COLUMN --label COLUMN",
                             label, score);
}

/* Without a header: label and score, or where labels are not read, scores alone. */
static ney_status find_unnamed(ney_score_reader *r, ney_place place, ney_error *err)
{
    ney_table *t = &r->table;
    const bool alone = r->unlabelled && t->n_columns == 1;

    if (t->n_columns != 2 && !alone) {
        return ney_fail_at(
            err, NEY_EPARSE, place,
            "found %lld columns and none named 'score', expected a header with label "
            "and score, or two columns: label, score; name others with --score COLUMN --label "
            "COLUMN",
            (long long)t->n_columns);
    }
    t->header = false;
    t->label = alone ? -1 : 0;
    r->score_column = alone ? 0 : 1;
    return alone ? NEY_OK : check_first_line(r, place, err);
}

ney_status ney_score_reader_find_columns(ney_score_reader *r, const ney_read_opts *opts,
                                         const char *by, ney_error *err)
{
    ney_table *t = &r->table;
    const ney_place place = {.file = ney_files_title(r->files), .line = 1};
    r->score_column = opts->score ? ney_table_meant(t, opts->score) : find_named(t, "score");
    if (opts->score && r->score_column < 0) {
        return ney_table_no_column(t, place.file, opts->score, err);
    }
    r->group_column = opts->group ? ney_table_meant(t, opts->group) : -1;
    if (opts->group && (r->score_column < 0 || r->group_column < 0)) {
        return ney_fail_at(err, NEY_EPARSE, place,
                           "the header names no column '%.60s', expected one with the groups",
                           opts->group);
    }
    r->by_column = by ? ney_table_meant(t, by) : -1;
    if (by && (r->score_column < 0 || r->by_column < 0)) {
        return ney_fail_at(err, NEY_EPARSE, place,
                           "the header names no column '%.60s', expected one with the subgroups; "
                           "'neyman predict --scores --id %.60s' writes it",
                           by, by);
    }
    r->seen_column = -1;
    if (r->score_column >= 0) {
        t->header = !begins_with_row(t, opts->score, r->score_column);
        r->seen_column = find_named(t, "seen");
        t->label = opts->label ? ney_table_meant(t, opts->label) : find_named(t, "label");
        if (t->label < 0 && !r->unlabelled) {
            return ney_fail_at(
                err, NEY_EPARSE, place,
                "the header names no column '%s', expected one with the true labels%s",
                opts->label ? opts->label : "label",
                opts->label ? "" : ": name it with --label COLUMN");
        }
        return check_names(r, err);
    }
    return find_unnamed(r, place, err);
}
