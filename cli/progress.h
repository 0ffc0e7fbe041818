/* Progress of long work on stderr. On a terminal a line that is redrawn at most ten times a second;
 * otherwise, with NO_COLOR or on a dumb terminal, a line of its own every few seconds. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <neyman/experimental.h>

/* @param every  Seconds between two lines off a terminal; 0: none. */
void progress_enable(bool wanted, double every);
/* The work ends in `seconds` at the latest; 0: whenever it is done. */
void progress_limit(double seconds);
void progress_draw(const ney_progress *progress);
/* Take the line away, so that something else can be printed. */
void progress_clear(void);

/* Seconds on a clock that only goes forward. */
double clock_seconds(void);

#endif
