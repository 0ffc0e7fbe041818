#include "interrupt.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "session.h"

static volatile sig_atomic_t asked;

static void on_signal(int signal)
{
    if (asked && signal == SIGINT) {
        _exit(EXIT_INTERRUPTED);
    }
    asked = 1;
}

void interrupt_watch(void)
{
    struct sigaction action;

    /* No SA_RESTART: a read that waits for a pipe must come back to see the flag. */
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = on_signal;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);

    /* A closed pipe shows up as a failed write instead: a run whose messages nobody reads any more
     * still writes its model. */
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
}

bool interrupted(void)
{
    return asked != 0;
}
