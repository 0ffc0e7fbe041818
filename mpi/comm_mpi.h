/* The processes of an MPI run as a ney_comm (neyman/experimental/comm.h). */
#ifndef MPI_COMM_MPI_H
#define MPI_COMM_MPI_H

#include <mpi.h>
#include <neyman/experimental/comm.h>

/* Bytes and messages that this process has sent, for the figures of NEY_MPI_TRAFFIC. */
typedef struct mpi_traffic {
    int64_t bytes, messages, calls;
} mpi_traffic;

typedef struct mpi_processes {
    MPI_Comm comm;
    int rank, size;
    mpi_traffic sent;
} mpi_processes;

/* All processes of the run, under a communicator of their own. Errors of MPI end the run. */
void mpi_processes_init(mpi_processes *p);

/* The interface that the library takes; `p` must outlive it. */
ney_comm mpi_processes_comm(mpi_processes *p);

#endif
