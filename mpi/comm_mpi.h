/* The processes of an MPI run as a ney_comm (neyman/experimental/comm.h). */
#ifndef MPI_COMM_MPI_H
#define MPI_COMM_MPI_H

#include <mpi.h>
#include <neyman/experimental/comm.h>

typedef struct mpi_processes {
    MPI_Comm comm;
    int rank, size;
    ney_comm_traffic traffic;
} mpi_processes;

/* All processes of the run, under a communicator of their own. Errors of MPI end the run. */
void mpi_processes_init(mpi_processes *p);

/* The interface that the library takes; `p` must outlive it. */
ney_comm mpi_processes_comm(mpi_processes *p);

#endif
