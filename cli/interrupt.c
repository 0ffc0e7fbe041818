#include "interrupt.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "session.h"

static volatile sig_atomic_t is_interrupted;

static void on_signal(int signal)
{
    if (is_interrupted && signal == SIGINT) {
        _exit(EXIT_INTERRUPTED);
    }
    is_interrupted = 1;
}

/* What the caller has switched off (nohup, a job in the background) stays off. */
static void watch_unless_ignored(int signal, const struct sigaction *action)
{
    struct sigaction old;

    if (sigaction(signal, NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
        sigaction(signal, action, NULL);
    }
}

void interrupt_watch(void)
{
    struct sigaction action;

    /* No SA_RESTART: a read that waits for a pipe must come back to see the flag. */
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = on_signal;
    watch_unless_ignored(SIGINT, &action);
    watch_unless_ignored(SIGTERM, &action);
    watch_unless_ignored(SIGHUP, &action);

    /* A closed pipe and a file beyond the size limit show up as failed writes instead: a run whose
     * messages are no longer read still writes its model. */
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
    sigaction(SIGXFSZ, &action, NULL);
}

bool interrupted(void)
{
    return is_interrupted != 0;
}
