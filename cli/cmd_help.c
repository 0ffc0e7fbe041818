/* neyman help: the pages made from the tables. */
#include <string.h>

#include "commands.h"
#include "help.h"

typedef struct help_args {
    bool all, man, commands;
    int completion;
} help_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(help_args, field)
    /* name        flag kind             offset          default low high arg  choices help */
    {"all",         0,  NEY_KIND_FLAG,   AT(all),        0, 0, 0,  NULL,    NULL, "print all options and details of COMMAND, not only the everyday ones"},
    {"man",         0,  NEY_KIND_FLAG,   AT(man),        0, 0, 0,  NULL,    NULL, "print the manual page (roff) of COMMAND, or of neyman"},
    {"commands",    0,  NEY_KIND_FLAG,   AT(commands),   0, 0, 0,  NULL,    NULL, "print the names of the commands, one per line"},
    {"completion",  0,  NEY_KIND_CHOICE, AT(completion), -1, 0, 0, "SHELL", "bash zsh fish", "print the completion script for a shell"},
#undef AT
};
/* clang-format on */

static const option_set own_options = {
    .title = "Pages", .rows = own_rows, .n_rows = COUNT(own_rows), .bytes = sizeof(help_args)};

static void (*const completions[])(FILE *out) = {help_bash, help_zsh, help_fish};

static int run(session *s)
{
    const help_args *args = options_of(s->call, &own_options);
    const char *name = s->call->n_operands > 0 ? s->call->operands[0] : NULL;
    const command *c = name ? command_find(name) : NULL;

    if (name && !c && strcmp(name, "neyman") != 0) {
        return session_misused(s, "%s", command_unknown(name).message);
    }
    if (s->common->json && (args->man || args->commands || option_given(s->call, "completion"))) {
        return session_misused(s, "--json describes the options; manual pages, names and "
                                  "completion scripts are not JSON");
    }
    if (option_given(s->call, "completion")) {
        completions[args->completion](stdout);
    } else if (args->commands) {
        help_names(stdout);
    } else if (args->man) {
        help_man(stdout, c);
    } else if (s->common->json) {
        help_json(stdout, c);
    } else if (c) {
        help_command(stdout, c, args->all);
    } else {
        help_program(stdout);
    }
    return EXIT_OK;
}

static bool is_alone(const invocation *call)
{
    const help_args *args = options_of(call, &own_options);

    return args->man + args->commands + (args->completion >= 0) == 1;
}

static bool has_page(const invocation *call)
{
    const help_args *args = options_of(call, &own_options);

    return !args->man && call->n_operands > 0;
}

static bool has_no_command(const invocation *call)
{
    return is_alone(call) && call->n_operands == 0;
}

static const option_rule rules[] = {
    {"all", has_page, "the page of a COMMAND; --man and --json are complete"},
    {"man", is_alone, "manual pages, not to --commands or --completion"},
    {"commands completion", has_no_command,
     "all commands: expected no other option and no COMMAND"},
    {NULL, NULL, NULL}};

const command command_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .group = "Help",
    .summary = "explain a command; print manual pages and completion scripts",
    .description =
        "Prints the list of commands, or the page of one: its everyday options, with --all "
        "everything. The same tables give manual pages, completion scripts and, with --json, a "
        "description of every option for other programs.",
    .examples = {{"One command:", "neyman help train"},
                 {"All of its options:", "neyman help train --all"},
                 {"Its manual page:", "neyman help --man train | man -l -"},
                 {"Completion in this bash:", "eval \"$(neyman help --completion bash)\""}},
    .exits = {EXIT_FAILED, EXIT_USAGE},
    .sets = {&own_options},
    .rules = rules,
    .distributed = true,
    .run = run,
};
