/* A communicator of threads of one process, so that the library's side of distributed work is
 * tested without MPI. */
#ifndef SUPPORT_COMM_THREADS_H
#define SUPPORT_COMM_THREADS_H

#include "comm/comm.h"

/* Run work(context, comm) as `size` processes would, one thread each. */
void comm_threads_run(int size, void (*work)(void *context, const ney_comm *comm), void *context);

/* The requests for memory that one process is granted, the first member of what its environment's
 * `user` points to. */
typedef struct comm_allowance {
    int64_t left; /* -1: all requests */
} comm_allowance;

/* The allocator of an environment with an allowance: a request beyond it is refused. */
void *comm_allowance_resize(void *user, void *block, size_t bytes);

#endif
