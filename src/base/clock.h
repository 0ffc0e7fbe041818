/* Monotonic wall-clock time and CPU time. */
#ifndef NEY_BASE_CLOCK_H
#define NEY_BASE_CLOCK_H

#include <time.h>

/* Seconds since some moment. */
static inline double ney_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* CPU seconds of this thread. */
static inline double ney_busy(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
