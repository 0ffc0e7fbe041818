/* Processes that work on one problem, each with rows of its own. EXPERIMENTAL: anything here may
 * change in any release (VERSIONING.md).
 *
 * All processes run the same program in step: each function is called by all of them, in the same
 * order. An environment whose `comm` is set reads its share of the rows, and training, scoring and
 * counting are over the rows of all. A failure of the network ends the process: no function returns
 * one. Errors are those of all processes, except that one which alone has no memory may return
 * while others wait for it: end them, as neyman-mpi does. */
#ifndef NEYMAN_EXPERIMENTAL_COMM_H
#define NEYMAN_EXPERIMENTAL_COMM_H

#include <neyman/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a process has received so far. A broadcast is one message to all processes but its source. A
 * maximum or a sum is ceil(log2(size)) messages: those of recursive doubling. */
typedef struct ney_comm_traffic {
    int64_t bytes, messages;
    int64_t calls; /* of the functions below, whether they receive or not */
} ney_comm_traffic;

typedef struct ney_comm {
    int rank, size; /* this process, from 0, and the number of processes */
    void *state;    /* first argument of the functions */
    /* To and from one other process; both know the number of bytes. */
    void (*send)(void *state, int to, const void *bytes, int64_t n);
    void (*receive)(void *state, int from, void *bytes, int64_t n);
    /* A process whose message has not been received yet; -1: every message has been received. */
    int (*waiting)(void *state);
    /* The bytes of process `from` to all others. */
    void (*broadcast)(void *state, int from, void *bytes, int64_t n);
    /* Of each of n numbers the largest of all processes; their sum. Neither depends on an order. */
    void (*maximum)(void *state, double *value, int64_t n);
    void (*add_counts)(void *state, int64_t *count, int64_t n);
    const ney_comm_traffic *traffic; /* counted by these functions; NULL: not counted */
} ney_comm;

/** A file name in which the number k takes the place of %d, %4d or %04d, to be freed with
 * ney_free(); NULL where `pattern` has no such place, or without memory. */
NEY_EXPERIMENTAL char *ney_numbered_name(const ney_env *env, const char *pattern, int64_t k);

#ifdef __cplusplus
}
#endif

#endif
