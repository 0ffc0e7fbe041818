/* A communicator of threads of one process, so that the library's side of distributed work is
 * tested without MPI. */
#ifndef SUPPORT_COMM_THREADS_H
#define SUPPORT_COMM_THREADS_H

#include "comm/comm.h"

/* Run work(context, comm) as `size` processes would, one thread each. */
void comm_threads_run(int size, void (*work)(void *context, const ney_comm *comm), void *context);

#endif
