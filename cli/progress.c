#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The terminal is one, so its state is one too. */
static struct {
    bool enabled, drawn, plain; /* plain: no terminal, or one without escape codes */
    double every;               /* seconds between plain lines */
    double started, last;
    double limit;       /* when the work ends at the latest; 0: not known */
    char stage[64];     /* of the last call, */
    double stage_done;  /* how far it was, */
    double stage_began; /* and when it began */
} line;

double clock_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* https://no-color.org: any value that is not empty. */
static bool wants_escapes(void)
{
    const char *const no_color = getenv("NO_COLOR"), *const term = getenv("TERM");

    return !(no_color && no_color[0]) && !(term && strcmp(term, "dumb") == 0);
}

void progress_enable(bool wanted, double every)
{
    line.plain = !isatty(STDERR_FILENO) || !wants_escapes();
    line.enabled = wanted && (!line.plain || every > 0);
    line.every = line.plain ? every : 0.1;
    line.started = line.last = clock_seconds(); /* nothing is drawn for what takes less */
}

void progress_limit(double seconds)
{
    line.limit = seconds > 0 ? clock_seconds() + seconds : 0;
}

/* Seconds to the end of the stage if it goes on as before; NAN where that is not known. */
static double estimate_left(const ney_progress *p, double now)
{
    const double share = p->total > 0 ? p->done / p->total : 0;

    return share > 0.01 && share <= 1 ? (now - line.stage_began) * (1 - share) / share
                                      : (double)NAN;
}

/* What is done, and the estimated time that is left. */
static void print_state(const ney_progress *p, double now)
{
    const double left = estimate_left(p, now);

    fputs(p->stage ? p->stage : "working", stderr);
    if (p->total > 0) {
        fprintf(stderr, "  %3.0f %%", 100 * fmin(p->done / p->total, 1));
    } else if (p->done > 0) {
        fprintf(stderr, "  %.0f", p->done);
    }
    if (isfinite(p->value)) {
        fprintf(stderr, "  (%.3g)", p->value);
    }
    if (line.plain) {
        fprintf(stderr, "  %.0f s elapsed", now - line.started);
    }
    if (isfinite(left) && !(line.limit > 0 && now + left > line.limit)) {
        fprintf(stderr, "  about %.0f s left in this step", left);
    } else if (line.limit > 0) {
        fprintf(stderr, "  at most %.0f s left", fmax(line.limit - now, 0));
    }
}

void progress_draw(const ney_progress *progress)
{
    const char *const stage = progress->stage ? progress->stage : "";
    const double now = line.enabled ? clock_seconds() : 0;

    if (!line.enabled) {
        return;
    }
    if (strncmp(line.stage, stage, sizeof line.stage - 1) != 0 ||
        progress->done < line.stage_done) { /* the same again, for another fit */
        snprintf(line.stage, sizeof line.stage, "%s", stage);
        line.stage_began = now;
    }
    line.stage_done = progress->done;
    if (now - line.last < line.every) {
        return;
    }
    line.last = now;
    line.drawn = !line.plain;
    fputs(line.plain ? "neyman: " : "\r\033[K", stderr);
    print_state(progress, now);
    if (line.plain) {
        fputc('\n', stderr);
    }
    fflush(stderr);
}

void progress_clear(void)
{
    if (line.drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
        line.drawn = false;
    }
}
