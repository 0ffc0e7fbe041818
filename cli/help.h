/* Pages made from the command and option tables. All print on `out`. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "commands.h"

/* What the program is, in a line and in a few paragraphs. */
extern const char program_summary[], program_description[];

void help_program(FILE *out);
/* The page of a command: the everyday options, or all of it. */
void help_command(FILE *out, const command *c, bool all);
/* The names of the commands, one per line. */
void help_names(FILE *out);
/* Manual pages in roff; NULL for the program's own. */
void help_man(FILE *out, const command *c);
/* Completion scripts. */
void help_bash(FILE *out);
void help_zsh(FILE *out);
void help_fish(FILE *out);
/* The tables themselves as JSON; NULL for all commands. */
void help_json(FILE *out, const command *c);

/* Shared wording: "neyman train [options] DATA -o MODEL"; default and bounds of a row, "" when
 * there is nothing to say; the distinct groups of the table are walked in order of appearance. */
enum { PHRASE = 256 };
void usage_text(const command *c, char text[PHRASE]);
void limits_text(const ney_param *row, char text[PHRASE]);
/* What an option does, its limits and what it applies to. */
enum { SENTENCES = 1024 };
void option_text(const command *c, const option_set *set, const ney_param *row,
                 char text[SENTENCES]);
/* An option of a command with the heading under which help lists it. */
typedef struct help_option {
    const option_set *set;
    const ney_param *row;
    const char *title;
} help_option;
enum { MOST_OPTIONS = 256 };
/* The options of a command in the order of its help page; returns their number. */
int help_options(const command *c, help_option list[MOST_OPTIONS]);
/* Whether the short page of the command has the option. */
bool is_everyday(const command *c, const ney_param *row);
/* Whether commands[i] is the first of its group. */
bool opens_group(int i);

#endif
