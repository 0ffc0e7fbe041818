/* Help on the terminal. */
#include "help.h"

#include <float.h>
#include <math.h>
#include <string.h>

const char program_summary[] = "binary classification when the two errors do not cost the same";

const char program_description[] =
    "neyman learns from labelled rows which of two classes a new row belongs to, when calling a "
    "negative positive (a false alarm) and calling a positive negative (a miss) do not cost the "
    "same.\n\n"
    "Results go to standard output, messages to standard error; --json turns the result into one "
    "JSON object. Files are written beside their place and renamed, so that a killed run leaves no "
    "broken file. The same data, options and seed give the same bits whatever the number of "
    "threads.";

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

/* A bound that says nothing is left out: 0x1p53 is where whole numbers end, DBL_MIN is "not 0". */
static void bounds_text(const ney_param *row, char text[PHRASE])
{
    char low[32], high[32];
    const bool above_zero = row->low > 0 && row->low < 1e-300;
    const bool has_low = row->low > -1e300, has_high = row->high < 0x1p53;

    snprintf(low, sizeof low, "%g", row->low);
    snprintf(high, sizeof high, "%g", row->high);
    if (has_low && has_high) {
        snprintf(text, PHRASE, "%s %s to %s", above_zero ? "above" : "from", above_zero ? "0" : low,
                 high);
    } else if (has_low) {
        snprintf(text, PHRASE, "%s %s", above_zero ? "above" : "at least", above_zero ? "0" : low);
    } else if (has_high) {
        snprintf(text, PHRASE, "at most %s", high);
    } else {
        text[0] = '\0';
    }
}

void limits_text(const ney_param *row, char text[PHRASE])
{
    char bounds[PHRASE], value[64] = "";

    text[0] = '\0';
    if (row->kind == NEY_KIND_INT || row->kind == NEY_KIND_REAL) {
        bounds_text(row, bounds);
        snprintf(value, sizeof value, "%g", row->initial);
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
             limits[0] ? ")" : "", where ? "; applies to " : "", where ? where : "",
             option_separator(row) ? "; may be given several times" : "");
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

void help_command(FILE *out, const command *c)
{
    const option_set *set;
    char usage[PHRASE];

    usage_text(c, usage);
    fprintf(out, "neyman %s: %s\n\nUsage: %s\n\n", c->name, c->summary, usage);
    print_folded(out, c->description, 0, 0);
    for (int k = 0; (set = command_set(c, k)); k++) {
        int64_t n;
        const ney_param *rows = set_rows(set, &n);
        fprintf(out, "\n%s:\n", set->title);
        for (int64_t r = 0; r < n; r++) {
            if (command_takes(c, set, &rows[r])) {
                print_option(out, c, set, &rows[r]);
            }
        }
    }
    fputs("\nExamples:\n", out);
    for (int i = 0; i < (int)COUNT(c->examples) && c->examples[i].line; i++) {
        fprintf(out, "  %s\n    %s\n", c->examples[i].what, c->examples[i].line);
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
    fputs("\n'neyman help COMMAND' explains one command, 'neyman --version' tells the version.\n",
          out);
}

void help_names(FILE *out)
{
    for (int i = 0; commands[i]; i++) {
        fprintf(out, "%s\n", commands[i]->name);
    }
}
