/* What became of the columns of a table, as one message. */
#include "data/number_form.h"
#include "data/reader.h"

#include <stdio.h>

enum { MOST_NAMED = 8 };

/* A list of names, of which the first few are written. */
typedef struct name_list {
    ney_text *text;
    const char *title;
    int64_t n;
} name_list;

static void add_name(name_list *l, const char *name, const char *why)
{
    char item[160];
    l->n++;
    if (l->n > MOST_NAMED) {
        return;
    }
    snprintf(item, sizeof item, "%s%s%.80s%s%s%s", l->n == 1 ? l->title : ", ",
             l->n == 1 ? ": " : "", name, why[0] ? " (" : "", why, why[0] ? ")" : "");
    ney_text_put(l->text, item);
}

static void end_list(const name_list *l)
{
    char more[40] = "";
    if (l->n > MOST_NAMED) {
        snprintf(more, sizeof more, " and %lld more", (long long)(l->n - MOST_NAMED));
    }
    ney_text_put(l->text, more);
}

/* The columns that became categories. */
static void list_categories(const ney_preprocessing *r, ney_text *text)
{
    name_list list = {text, "; categories", 0};
    for (int64_t i = 0; i < r->n_input; i++) {
        char values[40];
        if (r->input[i].category) {
            snprintf(values, sizeof values, "%lld value%s", (long long)r->input[i].n_category,
                     r->input[i].n_category == 1 ? "" : "s");
            add_name(&list, r->input[i].name, values);
        }
    }
    end_list(&list);
}

/* The columns that are not features, and why. */
static void list_others(const ney_table *t, ney_text *text)
{
    name_list list = {text, "; not features", 0};
    for (int64_t c = 0; c < t->n_columns; c++) {
        const ney_table_column *const column = &t->column[c];
        char option[40] = "";
        if (column->role == NEY_ROLE_FEATURE || column->role == NEY_ROLE_LABEL) {
            continue;
        }
        if (column->named) {
            snprintf(option, sizeof option, "--%s", column->named);
        }
        add_name(&list, column->name,
                 column->named     ? option
                 : column->unnamed ? "no name"
                 : column->kept    ? "identifies the row"
                                   : "defined by the format");
    }
    end_list(&list);
}

void ney_reader_log_columns(const ney_reader *r)
{
    const ney_table *const t = &r->table;
    ney_text text;
    ney_text_init(&text, &r->env);
    ney_text_put(&text, t->label >= 0 ? "label: " : "no label");
    ney_text_put(&text, t->label >= 0 ? t->column[t->label].name : "");
    const int64_t length = text.length;
    list_categories(r->preprocessing, &text);
    list_others(t, &text);
    /* a label that the caller names, or the lack of one, is no news */
    if (!text.failed && (text.length > length || (t->label >= 0 && !r->opts.label))) {
        ney_log(&r->env, NEY_LOG_INFO, "%s: %s", ney_files_title(r->files), text.bytes);
    }
    ney_text_deinit(&text);
}

/* Categories ascend: dates among other words are not both first and last. */
static bool are_dates(const ney_input *in)
{
    enum { FEWEST_DATES = 3 };
    return in->n_category >= FEWEST_DATES && ney_looks_like_date(in->category[0]) &&
           ney_looks_like_date(in->category[in->n_category - 1]);
}

static bool is_utf8(const char *words)
{
    for (int n; *words; words += n) {
        if ((n = ney_utf8_length(words)) == 0) {
            return false;
        }
    }
    return true;
}

/* The first of names, categories and labels that is not UTF-8; NULL: none. */
static const char *find_foreign(const ney_reader *r)
{
    const ney_preprocessing *const of = r->preprocessing;
    for (int64_t i = 0; i < of->n_input; i++) {
        if (!is_utf8(of->input[i].name)) {
            return of->input[i].name;
        }
        for (int64_t k = 0; of->input[i].category && k < of->input[i].n_category; k++) {
            if (!is_utf8(of->input[i].category[k])) {
                return of->input[i].category[k];
            }
        }
    }
    for (int k = 0; k < r->labels.n; k++) {
        if (!is_utf8(r->labels.name[k])) {
            return r->labels.name[k];
        }
    }
    return NULL;
}

void ney_reader_warn_of_encoding(const ney_reader *r)
{
    const char *const foreign = find_foreign(r);
    if (foreign) {
        ney_log(&r->env, NEY_LOG_WARNING,
                "%s: holds words that are not UTF-8 (such as '%.40s'), which match words of other "
                "files byte by byte: convert it, such as with iconv -f WINDOWS-1252 -t UTF-8",
                ney_files_title(r->files), foreign);
    }
}

void ney_reader_warn_of_words(const ney_reader *r)
{
    enum { FEWEST_ROWS = 20 }; /* of fewer, any column has many words */
    const ney_preprocessing *const of = r->preprocessing;
    for (int64_t i = 0; i < of->n_input && r->n_rows >= FEWEST_ROWS; i++) {
        const ney_input *const in = &of->input[i];
        if (in->category && are_dates(in)) {
            ney_log(&r->env, NEY_LOG_WARNING,
                    "%s: column '%.60s' has %lld dates in another form than 2024-03-25, which are "
                    "words, each of them a feature: rewrite them (such as '%.40s'), or leave the "
                    "column out with --ignore",
                    ney_files_title(r->files), in->name, (long long)in->n_category,
                    in->category[0]);
        } else if (in->category && 2 * in->n_category > r->n_rows) {
            ney_log(&r->env, NEY_LOG_WARNING,
                    "%s: column '%.60s' has %lld different words in %lld rows, each of which is a "
                    "feature: leave it out with --ignore, or with --id to have it beside results",
                    ney_files_title(r->files), in->name, (long long)in->n_category,
                    (long long)r->n_rows);
        }
    }
}
