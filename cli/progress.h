/* A progress line on the terminal. Drawn only where stderr is a
 * terminal, at most ten times a second. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <neyman/experimental.h>

void progress_enable(bool wanted);
void progress_draw(const ney_progress *progress);
/* Take the line away, so that something else can be printed. */
void progress_clear(void);

/* Seconds on a clock that only goes forward. */
double clock_seconds(void);

#endif
