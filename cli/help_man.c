/* Manual pages in roff, for man(1). */
#include "help.h"

#include <ctype.h>
#include <string.h>

/* Text as roff takes it: a dash that can be copied, no escape by accident, no request at the start
 * of a line; an empty line starts a paragraph. */
static void put_words(FILE *out, const char *text)
{
    bool at_start = true;

    for (; *text; text++) {
        if (strncmp(text, "\n\n", 2) == 0) {
            fputs("\n.PP\n", out);
            text++;
            at_start = true;
            continue;
        }
        if (at_start && *text == '.') {
            fputs("\\&", out);
        }
        if (*text == '-') {
            fputs("\\-", out);
        } else if (*text == '\\') {
            fputs("\\e", out);
        } else if (*text == '\'') {
            fputs("\\(aq", out);
        } else {
            fputc(*text, out);
        }
        at_start = false;
    }
}

static void put_text(FILE *out, const char *text)
{
    put_words(out, text);
    fputc('\n', out);
}

static void put_section(FILE *out, const char *title, const char *text)
{
    fprintf(out, ".SH \"%s\"\n", title);
    if (text) {
        put_text(out, text);
    }
}

static void put_title(FILE *out, const char *name, const char *summary)
{
    char upper[64];
    size_t n = 0;

    for (; name[n] && n + 1 < sizeof upper; n++) {
        upper[n] = (char)toupper((unsigned char)name[n]);
    }
    upper[n] = '\0';
    fprintf(out, ".TH \"%s\" 1 \"\" \"neyman %s\" \"neyman manual\"\n", upper, ney_version());
    put_section(out, "NAME", NULL);
    fprintf(out, "%s \\- ", name);
    put_text(out, summary);
}

static void put_option(FILE *out, const command *c, const option_set *set, const ney_param *row)
{
    char names[PHRASE], text[SENTENCES + 2];

    snprintf(names, sizeof names, "%s%s--%s", row->flag ? (const char[]){'-', row->flag, '\0'} : "",
             row->flag ? ", " : "", row->name);
    option_text(c, set, row, text);
    fputs(".TP\n\\fB", out);
    put_words(out, names);
    fputs("\\fR", out);
    if (row->arg) {
        fprintf(out, " \\fI%s\\fR", row->arg);
    }
    fputc('\n', out);
    put_text(out, strcat(text, "."));
}

static void put_exit(FILE *out, int code)
{
    fprintf(out, ".TP\n.B %d\n", code);
    put_text(out, exit_meaning(code));
}

static void put_options(FILE *out, const command *c)
{
    help_option list[MOST_OPTIONS];
    const int n = help_options(c, list);

    put_section(out, "OPTIONS", NULL);
    for (int i = 0; i < n; i++) {
        if (i == 0 || strcmp(list[i].title, list[i - 1].title) != 0) {
            fprintf(out, ".SS \"%s\"\n", list[i].title);
        }
        put_option(out, c, list[i].set, list[i].row);
    }
}

static void put_command_page(FILE *out, const command *c)
{
    char text[PHRASE];

    snprintf(text, sizeof text, "neyman-%s", c->name);
    put_title(out, text, c->summary);
    usage_text(c, text);
    put_section(out, "SYNOPSIS", text);
    put_section(out, "DESCRIPTION", c->description);
    if (c->details) {
        fputs(".PP\n", out);
        put_text(out, c->details);
    }
    put_options(out, c);
    put_section(out, "EXAMPLES", NULL);
    for (int i = 0; i < (int)COUNT(c->examples) && c->examples[i].line; i++) {
        fputs(".PP\n", out);
        put_text(out, c->examples[i].what);
        fputs(".PP\n.nf\n.RS 4\n", out);
        put_text(out, c->examples[i].line);
        fputs(".RE\n.fi\n", out);
    }
    put_section(out, "EXIT STATUS", NULL);
    put_exit(out, EXIT_OK);
    for (int i = 0; i < (int)COUNT(c->exits) && c->exits[i]; i++) {
        put_exit(out, c->exits[i]);
    }
    put_section(out, "SEE ALSO", NULL);
    fputs(".BR neyman (1)\n", out);
}

static void put_program_page(FILE *out)
{
    put_title(out, "neyman", program_summary);
    put_section(out, "SYNOPSIS", "neyman COMMAND [options] ...");
    put_section(out, "DESCRIPTION", program_description);
    put_section(out, "COMMANDS", NULL);
    for (int i = 0; commands[i]; i++) {
        fprintf(out, ".TP\n.BR neyman\\-%s (1)\n", commands[i]->name);
        put_text(out, commands[i]->summary);
    }
    put_section(out, "EXIT STATUS", NULL);
    for (int code = 0; code < 256; code++) {
        if (exit_meaning(code)) {
            put_exit(out, code);
        }
    }
}

void help_man(FILE *out, const command *c)
{
    if (c) {
        put_command_page(out, c);
    } else {
        put_program_page(out);
    }
}
