/* One run of one command: its command line, the environment of the library, messages and errors.
 * Results are printed on stdout, everything else on stderr. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include "options.h"

enum exit_code {
    EXIT_OK = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_INPUT = 3,
    EXIT_GOAL = 4,
    EXIT_UNFINISHED = 5,
    EXIT_ALARM = 6, /* of monitor */
    EXIT_INTERRUPTED = 130
};

/* What processes have received (communication.h). */
typedef struct communication {
    int ranks;               /* 0: not counted */
    int64_t bytes, messages; /* of all processes */
    int64_t calls;           /* of the process with most */
    double peak_memory;      /* bytes, of the process with most */
} communication;

typedef struct session {
    const invocation *call;
    const common_opts *common;
    ney_env env;
    ney_error err; /* of the call that failed last */
    double started;
    bool grouped; /* the training rows have groups */
    communication traffic;
} session;

/* The processes that all sessions of the program are shared by; NULL: this one alone. */
void session_share(const struct ney_comm *comm);
const struct ney_comm *session_processes(void);

/* Whether this process writes the files of the run: of several the first. */
bool session_writes(void);

/* Of several processes, which all call it: `code` where none has failed. Else the exit code of the
 * lowest that has, whose message the first process prints too. */
int session_agree(session *s, int code);

/* Of several processes: the status and the error of the first, which alone has written. */
ney_status session_follow(session *s, ney_status st);

void session_init(session *s, const invocation *call);

/* Seconds since the session began. */
double session_seconds(const session *s);

/* The exit code of a library status. */
int exit_code_of(ney_status status);
/* What an exit code means; NULL for other numbers. */
const char *exit_meaning(int code);

/* Say what there was no memory for; NEY_ENOMEM. */
ney_status out_of_memory(ney_error *err, const char *what);

/* Report s->err, return the exit code of `status`. */
int session_fail(session *s, ney_status status);

/* ney_model_write(); a closed pipe on standard output is not a failure. */
ney_status session_write_model(session *s, const ney_model *model, const char *path);
/* Report a usage error, return EXIT_USAGE. */
int session_misused(session *s, const char *format, ...) PRINTF_LIKE(2, 3);
/* Report what is wrong with the input `file`, return EXIT_INPUT. */
int session_bad_input(session *s, const char *file, const char *format, ...) PRINTF_LIKE(3, 4);
/* Print a message, subject to --quiet and --verbose. */
void session_say(session *s, ney_log_level level, const char *format, ...) PRINTF_LIKE(3, 4);

/* The same before there is a session. `hint` is a command line that helps, or NULL. */
int report_error(const ney_error *err, int code, bool json, const char *hint);
/* Figures that belong to the error: members of an object, which is freed, for the one of --json. */
int report_error_with(const ney_error *err, int code, bool json, const char *hint,
                      ney_result *facts);

/* Whether stdout is a pipe that was closed by its reader, as by `| head`. */
bool stdout_unread(void);
/* Flush and close stdout: a full disk shows up only here. Returns `code`, or EXIT_FAILED. */
int close_stdout(int code);

#endif
