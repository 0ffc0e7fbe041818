/* Time that only goes forward. */
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

#endif
