/* Finds the command, parses its command line, runs it. */
#include "program.h"

#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "files.h"
#include "help.h"
#include "interrupt.h"
#include "progress.h"

/* Read before the command line is parsed: errors in it are reported as JSON too. */
static bool wants_json(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            return true;
        }
    }
    return false;
}

static int unknown_command(const char *typed, bool json)
{
    ney_error err = command_unknown(typed);

    if (typed[0] == '-') {
        snprintf(err.message, sizeof err.message,
                 "'%.64s' is an option, expected a command first; options follow the command",
                 typed);
    }
    return report_error(&err, EXIT_USAGE, json, "neyman --help");
}

/* Of several processes, for a command that knows of one only. */
static int refuse_alone(const command *c, bool json)
{
    ney_error err = {.code = NEY_EINVAL};
    char hint[64];

    snprintf(err.message, sizeof err.message,
             "%s is not a command of neyman-mpi: run it with neyman, as one process", c->name);
    snprintf(hint, sizeof hint, "neyman help %s", c->name);
    return report_error(&err, EXIT_USAGE, json, hint);
}

static int run_command(const command *c, int argc, char **argv, bool json)
{
    invocation call;
    ney_error err = {0};
    char hint[64];
    int code;
    ney_status st = invocation_parse(&call, c, argc, argv, &err);
    const bool help =
        st == NEY_OK && ((const common_opts *)options_of(&call, &common_options))->help;

    if (st == NEY_OK && !help) {
        st = files_check(&call, &err);
    }
    if (st != NEY_OK) {
        snprintf(hint, sizeof hint, "neyman help %s", c->name);
        code = report_error(&err, exit_code_of(st), json, hint);
    } else if (help) {
        if (json) {
            help_json(stdout, c);
        } else {
            help_command(stdout, c, false);
        }
        code = EXIT_OK;
    } else {
        session s;
        session_init(&s, &call);
        code = c->run(&s);
        progress_clear();
    }
    invocation_deinit(&call);
    return code;
}

static int dispatch(int argc, char **argv)
{
    const bool json = wants_json(argc, argv);

    if (argc < 2) {
        help_program(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        if (json) {
            help_json(stdout, NULL);
        } else {
            help_program(stdout);
        }
        return EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf(json ? "{\"version\": \"%s\"}\n" : "neyman %s\n", ney_version());
        return EXIT_OK;
    }
    const command *c = command_find(argv[1]);
    if (!c) {
        return unknown_command(argv[1], json);
    }
    return session_processes() && !c->distributed ? refuse_alone(c, json)
                                                  : run_command(c, argc - 2, argv + 2, json);
}

int program_run(int argc, char **argv, const struct ney_comm *comm)
{
    session_share(comm);
    interrupt_watch();
    return close_stdout(dispatch(argc, argv));
}
