#include "session.h"

#include <neyman/experimental/comm.h>

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clean.h"
#include "commands.h"
#include "file_memory.h"
#include "interrupt.h"
#include "operands.h"
#include "progress.h"
#include "result.h"

/* ------------------------------------------------------------------ exit codes */

int exit_code_of(ney_status status)
{
    switch (status) {
    case NEY_OK:
        return EXIT_OK;
    case NEY_EINVAL:
        return EXIT_USAGE;
    case NEY_EPARSE:
    case NEY_EFORMAT:
        return EXIT_INPUT;
    case NEY_EGOAL:
        return EXIT_GOAL;
    case NEY_ECANCELLED:
        return EXIT_INTERRUPTED;
    case NEY_ENOMEM:
    case NEY_EIO:
    case NEY_ENUMERIC:
        break;
    }
    return EXIT_FAILED;
}

const char *exit_meaning(int code)
{
    switch (code) {
    case EXIT_OK:
        return "done";
    case EXIT_FAILED:
        return "failure of input, output or memory";
    case EXIT_USAGE:
        return "usage error on the command line";
    case EXIT_INPUT:
        return "bad input; the message states the place, what was found and what was expected";
    case EXIT_GOAL:
        return "the goal cannot be met or certified; no model is written";
    case EXIT_UNFINISHED:
        return "stopped before convergence; the best model so far is written and marked";
    case EXIT_ALARM:
        return "alarm: with the stated confidence an error rate has exceeded its bound";
    case EXIT_INTERRUPTED:
        return "interrupted; training writes the best model so far and marks it";
    default:
        return NULL;
    }
}

/* ------------------------------------------------------------------ processes */

/* The processes are those of the program, for all of its sessions. */
static const ney_comm *processes;

void session_share(const ney_comm *comm)
{
    processes = comm;
}

const ney_comm *session_processes(void)
{
    return processes;
}

bool session_writes(void)
{
    return !processes || processes->rank == 0;
}

/* ------------------------------------------------------------------ errors */

static void print_error_json(const ney_error *err, int code, ney_result *facts)
{
    ney_result *root = result_new(), *error = ney_result_add_object(root, "error");

    ney_result_add_int(error, "code", code);
    ney_result_add_text(error, "status", ney_status_text(err->code));
    if (err->file[0]) {
        ney_result_add_text(error, "file", err->file);
    }
    if (err->line > 0) {
        ney_result_add_int(error, "line", err->line);
    }
    if (err->column > 0) {
        ney_result_add_int(error, "column", err->column);
    }
    ney_result_add_text(error, "message", err->message);
    for (const ney_result *each = ney_result_first(facts); each; each = ney_result_next(each)) {
        ney_result_add_copy(error, ney_result_key(each), each);
    }
    result_print_json(root, stdout);
    ney_result_free(root);
}

/* The place and the message may quote a file. */
static void print_error(const ney_error *err, const char *hint)
{
    struct {
        char file[4 * sizeof err->file], message[4 * sizeof err->message];
    } said;

    escape_text(err->file, said.file, sizeof said.file);
    escape_text(err->message, said.message, sizeof said.message);
    fputs("neyman: ", stderr);
    if (err->file[0]) {
        fprintf(stderr, "%s:", said.file);
        if (err->line > 0) {
            fprintf(stderr, "%lld:", (long long)err->line);
        }
        if (err->line > 0 && err->column > 0) {
            fprintf(stderr, "%lld:", (long long)err->column);
        }
        fputc(' ', stderr);
    }
    fprintf(stderr, "%s\n", err->message[0] ? said.message : ney_status_text(err->code));
    if (hint) {
        fprintf(stderr, "Try '%s'.\n", hint);
    }
}

int report_error(const ney_error *err, int code, bool json, const char *hint)
{
    return report_error_with(err, code, json, hint, NULL);
}

int report_error_with(const ney_error *err, int code, bool json, const char *hint,
                      ney_result *facts)
{
    progress_clear();
    print_error(err, hint);
    if (json) {
        print_error_json(err, code, facts);
    }
    ney_result_free(facts);
    return code;
}

/* A failure after an interrupt, such as an incomplete read, is reported as interrupted; another
 * cause, such as a full disk, is reported too. */
static void say_interrupted(ney_error *err)
{
    char why[sizeof err->message];

    if (err->code == NEY_ECANCELLED || strstr(err->message, strerror(EINTR))) {
        *err = (ney_error){.code = NEY_ECANCELLED, .message = "interrupted"};
        return;
    }
    snprintf(why, sizeof why, "%s", err->message);
    err->code = NEY_ECANCELLED;
    snprintf(err->message, sizeof err->message, "interrupted; %.480s", why);
}

/* A closed pipe on standard output is not a failure. */
static bool only_unread(const ney_error *err, ney_status status)
{
    return status == NEY_EIO &&
           (strcmp(err->file, "-") == 0 || strcmp(err->file, "standard output") == 0) &&
           stdout_unread();
}

ney_status out_of_memory(ney_error *err, const char *what)
{
    *err = (ney_error){.code = NEY_ENOMEM};
    snprintf(err->message, sizeof err->message, "out of memory for %.100s", what);
    return NEY_ENOMEM;
}

/* What --memory lacked. */
static void add_file_memory(ney_error *err)
{
    const char *const why = file_memory_failure();
    const size_t used = strlen(err->message);

    if (*why) {
        snprintf(err->message + used, sizeof err->message - used, ": %s", why);
    }
}

int session_fail(session *s, ney_status status)
{
    if (only_unread(&s->err, status)) {
        return EXIT_OK;
    }
    s->err.code = status;
    if (status == NEY_ENOMEM) {
        add_file_memory(&s->err);
    }
    if (status == NEY_ECANCELLED || interrupted()) {
        status = NEY_ECANCELLED;
        say_interrupted(&s->err);
    }
    return report_error(&s->err, exit_code_of(status), s->common->json, NULL);
}

ney_status session_write_model(session *s, const ney_model *model, const char *path)
{
    const ney_status st = session_writes() ? ney_model_write(model, path, &s->err) : NEY_OK;

    return session_follow(s, only_unread(&s->err, st) ? NEY_OK : st);
}

int session_agree(session *s, int code)
{
    const ney_comm *const comm = processes;
    struct {
        int code;
        ney_error error;
    } said = {code, s->err};

    if (!comm || comm->size == 1) {
        return code;
    }
    double lowest = code == EXIT_OK ? -(double)comm->size : -(double)comm->rank;
    comm->maximum(comm->state, &lowest, 1);
    const int rank = (int)-lowest;
    if (rank == comm->size) {
        return EXIT_OK;
    }
    comm->broadcast(comm->state, rank, &said, (int64_t)sizeof said);
    if (comm->rank == 0 && rank > 0) {
        s->err = said.error;
        snprintf(s->err.message, sizeof s->err.message, "rank %d: %.400s", rank,
                 said.error.message);
        report_error(&s->err, said.code, s->common->json, NULL);
    }
    return said.code;
}

ney_status session_follow(session *s, ney_status st)
{
    struct {
        ney_status status;
        ney_error error;
    } first = {st, s->err};

    if (processes && processes->size > 1) {
        processes->broadcast(processes->state, 0, &first, (int64_t)sizeof first);
        s->err = first.error;
    }
    return first.status;
}

int session_misused(session *s, const char *format, ...)
{
    char hint[64];
    va_list args;

    s->err = (ney_error){.code = NEY_EINVAL};
    va_start(args, format);
    vsnprintf(s->err.message, sizeof s->err.message, format, args);
    va_end(args);
    snprintf(hint, sizeof hint, "neyman help %s", s->call->command->name);
    return report_error(&s->err, EXIT_USAGE, s->common->json, hint);
}

int session_bad_input(session *s, const char *file, const char *format, ...)
{
    va_list args;
    char title[PATH_TITLE];

    s->err = (ney_error){.code = NEY_EPARSE};
    snprintf(s->err.file, sizeof s->err.file, "%s", path_title(file, title));
    va_start(args, format);
    vsnprintf(s->err.message, sizeof s->err.message, format, args);
    va_end(args);
    return report_error(&s->err, EXIT_INPUT, s->common->json, NULL);
}

bool stdout_unread(void)
{
    struct pollfd pipe = {.fd = STDOUT_FILENO, .events = POLLOUT};

    return poll(&pipe, 1, 0) == 1 && (pipe.revents & POLLERR) != 0;
}

int close_stdout(int code)
{
    const bool failed = ferror(stdout) != 0, unread = stdout_unread();

    errno = 0;
    if ((fclose(stdout) != 0 || failed) && errno != EPIPE && !unread) {
        fprintf(stderr, "neyman: writing the output failed: %s\n",
                errno ? strerror(errno) : "an earlier write failed");
        return code == EXIT_OK ? EXIT_FAILED : code;
    }
    return code;
}

/* ------------------------------------------------------------------ messages and progress */

static void on_log(void *user, ney_log_level level, const char *message)
{
    const session *s = user;

    if (s->common->quiet || (level == NEY_LOG_DETAIL && !s->common->verbose)) {
        return;
    }
    char said[4096];
    escape_text(message, said, sizeof said);
    progress_clear();
    fputs("neyman: ", stderr);
    if (s->common->log_time) {
        fprintf(stderr, "[%.3f s] ", session_seconds(s));
    }
    fprintf(stderr, "%s%s\n", level == NEY_LOG_WARNING ? "warning: " : "", said);
}

void session_say(session *s, ney_log_level level, const char *format, ...)
{
    char message[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    on_log(s, level, message);
}

static bool on_poll(void *user, const ney_progress *progress)
{
    (void)user;
    progress_draw(progress);
    return !interrupted();
}

void session_init(session *s, const invocation *call)
{
    *s = (session){.call = call, .env = ney_env_default(), .started = clock_seconds()};
    s->common = options_of(call, &common_options);
    s->env.user = s;
    s->env.poll = on_poll;
    s->env.log = on_log;
    s->env.threads = (int)s->common->threads;
    s->env.comm = processes;
    progress_enable(!s->common->quiet, s->common->log_every);
}

double session_seconds(const session *s)
{
    return clock_seconds() - s->started;
}
