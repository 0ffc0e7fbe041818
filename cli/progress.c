#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* The terminal is one, so its state is one too. */
static struct {
    bool enabled, drawn;
    double last;
} line;

double clock_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_enable(bool wanted)
{
    line.enabled = wanted && isatty(STDERR_FILENO);
    line.last = clock_seconds(); /* nothing is drawn for what takes less than a tenth of a second */
}

void progress_draw(const ney_progress *progress)
{
    if (!line.enabled || clock_seconds() - line.last < 0.1) {
        return;
    }
    line.last = clock_seconds();
    line.drawn = true;
    fprintf(stderr, "\r\033[K%s", progress->stage ? progress->stage : "working");
    if (progress->total > 0) {
        fprintf(stderr, "  %3.0f %%", 100 * fmin(progress->done / progress->total, 1));
    } else if (progress->done > 0) {
        fprintf(stderr, "  %.0f", progress->done);
    }
    if (isfinite(progress->value)) {
        fprintf(stderr, "  (%.3g)", progress->value);
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
