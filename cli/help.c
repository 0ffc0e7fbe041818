/* Help on the terminal. */
#include "help.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

const char program_summary[] = "binary classification with bounded or costly errors";

const char program_description[] =
    "neyman trains and evaluates classifiers for two classes when the two errors, false positives "
    "and false negatives, have different costs or limits.\n\n"
    "Results are written to standard output, messages to standard error; with --json the result "
    "is one JSON object. Output files are written under a temporary name and then renamed: a "
    "killed run leaves no incomplete file. The same data, options and seed give the same result, "
    "bit for bit, whatever the number of threads.";

enum { PAGE = 79, NAMES = 26 };

/* ------------------------------------------------------------------ shared wording */

void usage_text(const command *c, char text[PHRASE])
{
    const option_set *set;
    int used = snprintf(text, PHRASE, "neyman %s [options]%s%s", c->name, *c->operands ? " " : "",
                        c->operands);

    for (int k = 0; c->required && (set = command_set(c, k)); k++) {
        int64_t n;
        const ney_param *rows = set_rows(set, &n);
        for (int64_t r = 0; r < n; r++) {
            if (strcmp(rows[r].name, c->required) == 0) {
                used += snprintf(
                    text + used, (size_t)(PHRASE - used), " %s%s %s", rows[r].flag ? "-" : "--",
                    rows[r].flag ? (const char[]){rows[r].flag, '\0'} : rows[r].name, rows[r].arg);
            }
        }
    }
}

/* Bounds that exist for numerical reasons alone are left out. */
static void bounds_text(const ney_param *row, char text[PHRASE])
{
    const bool is_tiny = row->low > 0 && row->low <= 1e-9, has_high = row->high < 1e6;
    double low = row->low;
    char word[64];

    /* the lowest whole numbers stand for words */
    for (int k = 0;
         row->kind == NEY_KIND_INT && row->choices && word_at(row->choices, k, word, sizeof word);
         k++) {
        low++;
    }
    text[0] = '\0';
    if (has_high && is_tiny) {
        snprintf(text, PHRASE, "above 0, at most %g", row->high);
    } else if (has_high) {
        snprintf(text, PHRASE, "%g to %g", low, row->high);
    } else if (is_tiny) {
        snprintf(text, PHRASE, "above 0");
    } else if (row->low > 0) {
        snprintf(text, PHRASE, "at least %g", row->low);
    }
}

void limits_text(const ney_param *row, char text[PHRASE])
{
    char bounds[PHRASE], value[64] = "";

    text[0] = '\0';
    if (row->kind == NEY_KIND_INT || row->kind == NEY_KIND_REAL || row->kind == NEY_KIND_SIZES) {
        bounds_text(row, bounds);
        snprintf(value, sizeof value, "%g", row->initial);
        if (row->choices && row->initial == row->low) { /* which the word stands for */
            word_at(row->choices, 0, value, sizeof value);
        }
        const bool has_default = !isnan(row->initial);
        snprintf(text, PHRASE, "%s%.60s%s%.150s", has_default ? "default " : "",
                 isinf(row->initial) ? "no limit"
                 : has_default       ? value
                                     : "",
                 has_default && bounds[0] ? ", " : "", bounds);
    } else if (row->kind == NEY_KIND_CHOICE && row->initial >= 0) {
        word_at(row->choices, (int)row->initial, value, sizeof value);
        snprintf(text, PHRASE, "one of %.150s; default %s", row->choices, value);
    } else if (row->kind == NEY_KIND_CHOICE) {
        snprintf(text, PHRASE, "one of %.200s", row->choices);
    }
}

void option_text(const command *c, const option_set *set, const ney_param *row,
                 char text[SENTENCES])
{
    const char *where = command_where(c, set, row);
    char limits[PHRASE];

    limits_text(row, limits);
    snprintf(text, SENTENCES, "%s%s%s%s%s%s%s", row->help, limits[0] ? " (" : "", limits,
             limits[0] ? ")" : "", where ? ". Applies to " : "", where ? where : "",
             option_separator(row) ? ". May be given several times" : "");
}

bool opens_group(int i)
{
    for (int j = 0; j < i; j++) {
        if (strcmp(commands[j]->group, commands[i]->group) == 0) {
            return false;
        }
    }
    return true;
}

bool is_everyday(const command *c, const ney_param *row)
{
    return !c->everyday || word_in(c->everyday, row->name, strlen(row->name));
}

/* ------------------------------------------------------------------ order of options */

typedef struct option_order {
    const command *command;
    help_option *list;
    int n;
} option_order;

static const ney_param *find_row(const command *c, const option_set *set, const char *name)
{
    int64_t n;
    const ney_param *rows = set_rows(set, &n);

    for (int64_t r = 0; r < n; r++) {
        if (strcmp(rows[r].name, name) == 0 && command_takes(c, set, &rows[r])) {
            return &rows[r];
        }
    }
    return NULL;
}

static void add_option(option_order *o, const option_set *set, const ney_param *row,
                       const char *title)
{
    assert(o->n < MOST_OPTIONS);
    o->list[o->n++] = (help_option){set, row, title};
}

/* The rows of a set that belong under a title, in the order in which its topic names them. */
static void add_topic_options(option_order *o, const option_set *set, const char *title)
{
    char name[64];

    for (const option_topic *topic = set->topics; topic && topic->title; topic++) {
        for (int k = 0;
             strcmp(topic->title, title) == 0 && word_at(topic->names, k, name, sizeof name); k++) {
            const ney_param *row = find_row(o->command, set, name);
            if (row) {
                add_option(o, set, row, title);
            }
        }
    }
}

static bool has_topic(const option_set *set, const ney_param *row)
{
    for (const option_topic *topic = set->topics; topic && topic->title; topic++) {
        if (word_in(topic->names, row->name, strlen(row->name))) {
            return true;
        }
    }
    return false;
}

static void add_other_options(option_order *o, const option_set *set)
{
    int64_t n;
    const ney_param *rows = set_rows(set, &n);

    for (int64_t r = 0; r < n; r++) {
        if (command_takes(o->command, set, &rows[r]) && !has_topic(set, &rows[r])) {
            add_option(o, set, &rows[r], set->title);
        }
    }
}

/* All options under one title, of whatever set, unless they are in the list already. */
static void add_title(option_order *o, const char *title)
{
    const option_set *set;

    for (int i = 0; i < o->n; i++) {
        if (strcmp(o->list[i].title, title) == 0) {
            return;
        }
    }
    for (int k = 0; (set = command_set(o->command, k)); k++) {
        add_topic_options(o, set, title);
        if (strcmp(set->title, title) == 0) {
            add_other_options(o, set);
        }
    }
}

int help_options(const command *c, help_option list[MOST_OPTIONS])
{
    option_order o = {.command = c, .list = list};
    const option_set *set;

    for (int k = 0; (set = command_set(c, k)); k++) {
        for (const option_topic *topic = set->topics; topic && topic->title; topic++) {
            add_title(&o, topic->title);
        }
        add_title(&o, set->title);
    }
    return o.n;
}

/* ------------------------------------------------------------------ laying out */

/* Print words from column `at` on, folding lines to `indent`; an empty line starts a paragraph. */
static void print_folded(FILE *out, const char *text, int indent, int at)
{
    bool first = true;

    while (*text) {
        if (strncmp(text, "\n\n", 2) == 0) {
            fprintf(out, "\n\n%*s", indent, "");
            at = indent;
            first = true;
            text += 2;
            continue;
        }
        const int length = (int)strcspn(text, " \n");
        if (!first && at + 1 + length > PAGE) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
        } else if (!first) {
            fputc(' ', out);
            at++;
        }
        fprintf(out, "%.*s", length, text);
        at += length;
        text += length;
        text += *text == ' ' || (*text == '\n' && text[1] != '\n');
        first = false;
    }
    fputc('\n', out);
}

static void print_option(FILE *out, const command *c, const option_set *set, const ney_param *row)
{
    char names[PHRASE], text[SENTENCES];
    const int width =
        snprintf(names, sizeof names, "  %s%s--%s%s%s",
                 row->flag ? (const char[]){'-', row->flag, '\0'} : "  ", row->flag ? ", " : "  ",
                 row->name, row->arg ? " " : "", row->arg ? row->arg : "");

    option_text(c, set, row, text);
    if (width + 2 > NAMES) {
        fprintf(out, "%s\n%*s", names, NAMES, "");
    } else {
        fprintf(out, "%-*s", NAMES, names);
    }
    print_folded(out, text, NAMES, NAMES);
}

static void print_exit(FILE *out, int code)
{
    fprintf(out, "  %3d  ", code);
    print_folded(out, exit_meaning(code), 7, 7);
}

static void print_options(FILE *out, const command *c, bool all)
{
    help_option list[MOST_OPTIONS];
    const int n = help_options(c, list);
    const char *title = "";

    for (int i = 0; i < n; i++) {
        if (!all && !is_everyday(c, list[i].row)) {
            continue;
        }
        if (strcmp(title, list[i].title) != 0) {
            title = list[i].title;
            fprintf(out, "\n%s:\n", title);
        }
        print_option(out, c, list[i].set, list[i].row);
    }
}

static void print_examples(FILE *out, const command *c, int most)
{
    fputs("\nExamples:\n", out);
    for (int i = 0; i < most && c->examples[i].line; i++) {
        fprintf(out, "  %s\n    %s\n", c->examples[i].what, c->examples[i].line);
    }
}

void help_command(FILE *out, const command *c, bool all)
{
    enum { EVERYDAY_EXAMPLES = 3 };
    char usage[PHRASE];

    usage_text(c, usage);
    fprintf(out, "neyman %s: %s\n\nUsage: %s\n\n", c->name, c->summary, usage);
    print_folded(out, c->description, 0, 0);
    if (all && c->details) {
        fputc('\n', out);
        print_folded(out, c->details, 0, 0);
    }
    print_options(out, c, all);
    print_examples(out, c, all ? (int)COUNT(c->examples) : EVERYDAY_EXAMPLES);
    if (!all) {
        fprintf(out, "\nAll options, details and exit codes: neyman help %s --all\n", c->name);
        return;
    }
    fputs("\nExit codes:\n", out);
    print_exit(out, EXIT_OK);
    for (int i = 0; i < (int)COUNT(c->exits) && c->exits[i]; i++) {
        print_exit(out, c->exits[i]);
    }
}

void help_program(FILE *out)
{
    fprintf(out, "neyman: %s\n\nUsage: neyman COMMAND [options] ...\n", program_summary);
    for (int i = 0; commands[i]; i++) {
        if (!opens_group(i)) {
            continue;
        }
        fprintf(out, "\n%s:\n", commands[i]->group);
        for (int j = i; commands[j]; j++) {
            if (strcmp(commands[j]->group, commands[i]->group) == 0) {
                fprintf(out, "  %-10s  %s\n", commands[j]->name, commands[j]->summary);
            }
        }
    }
    fputs("\n'neyman help COMMAND' explains one command, 'neyman help COMMAND --all' in full.\n"
          "'neyman --version' prints the version.\n\n"
          "A first model, certified for new data, from a table with a column of labels:\n"
          "  neyman train --max-fpr 0.05 --trees auto --label COLUMN TABLE.csv -o MODEL\n",
          out);
}

void help_names(FILE *out)
{
    for (int i = 0; commands[i]; i++) {
        fprintf(out, "%s\n", commands[i]->name);
    }
}
