#include "comm_mpi.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_BYTES = 1 << 30, MOST_NUMBERS = 1 << 27 }; /* of one call, whose count is an int */

static int part_of(int64_t left, int most)
{
    return left < most ? (int)left : most;
}

static void count(mpi_processes *p, int64_t messages, int64_t bytes_of_each)
{
    p->traffic.messages += messages;
    p->traffic.bytes += messages * bytes_of_each;
    p->traffic.calls++;
}

/* The messages that a process receives in a maximum or a sum. */
static int64_t rounds(const mpi_processes *p)
{
    int64_t n = 0;
    for (int reached = 1; reached < p->size; reached *= 2) {
        n++;
    }
    return n;
}

static void send_bytes(void *state, int to, const void *bytes, int64_t n)
{
    mpi_processes *const p = state;
    for (int64_t done = 0; done < n; done += MOST_BYTES) {
        MPI_Send((const char *)bytes + done, part_of(n - done, MOST_BYTES), MPI_BYTE, to, 0,
                 p->comm);
    }
    count(p, 0, 0);
}

static void receive_bytes(void *state, int from, void *bytes, int64_t n)
{
    mpi_processes *const p = state;
    for (int64_t done = 0; done < n; done += MOST_BYTES) {
        MPI_Recv((char *)bytes + done, part_of(n - done, MOST_BYTES), MPI_BYTE, from, 0, p->comm,
                 MPI_STATUS_IGNORE);
    }
    count(p, 1, n);
}

static int waiting(void *state)
{
    const mpi_processes *const p = state;
    MPI_Status from;
    int there = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, p->comm, &there, &from);
    return there ? from.MPI_SOURCE : -1;
}

static void broadcast_bytes(void *state, int from, void *bytes, int64_t n)
{
    mpi_processes *const p = state;
    for (int64_t done = 0; done < n; done += MOST_BYTES) {
        MPI_Bcast((char *)bytes + done, part_of(n - done, MOST_BYTES), MPI_BYTE, from, p->comm);
    }
    count(p, p->rank != from, n);
}

static void largest(void *state, double *value, int64_t n)
{
    mpi_processes *const p = state;
    for (int64_t done = 0; done < n; done += MOST_NUMBERS) {
        MPI_Allreduce(MPI_IN_PLACE, value + done, part_of(n - done, MOST_NUMBERS), MPI_DOUBLE,
                      MPI_MAX, p->comm);
    }
    count(p, rounds(p), n * (int64_t)sizeof *value);
}

static void add_counts(void *state, int64_t *value, int64_t n)
{
    mpi_processes *const p = state;
    for (int64_t done = 0; done < n; done += MOST_NUMBERS) {
        MPI_Allreduce(MPI_IN_PLACE, value + done, part_of(n - done, MOST_NUMBERS), MPI_INT64_T,
                      MPI_SUM, p->comm);
    }
    count(p, rounds(p), n * (int64_t)sizeof *value);
}

/* A failure of the network cannot be repaired: say what it is, and end all processes. */
static void on_error(MPI_Comm *comm, int *code, ...)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int rank = -1, length = 0;
    MPI_Comm_rank(*comm, &rank);
    MPI_Error_string(*code, text, &length);
    fprintf(stderr, "neyman-mpi: rank %d: communication failed: %.*s\n", rank, length, text);
    fflush(stderr);
    MPI_Abort(*comm, EXIT_FAILURE);
}

void mpi_processes_init(mpi_processes *p)
{
    MPI_Errhandler handler;
    *p = (mpi_processes){.comm = MPI_COMM_NULL};
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_dup(MPI_COMM_WORLD, &p->comm);
    MPI_Comm_set_errhandler(p->comm, handler);
    MPI_Comm_rank(p->comm, &p->rank);
    MPI_Comm_size(p->comm, &p->size);
}

ney_comm mpi_processes_comm(mpi_processes *p)
{
    return (ney_comm){.rank = p->rank,
                      .size = p->size,
                      .state = p,
                      .send = send_bytes,
                      .receive = receive_bytes,
                      .waiting = waiting,
                      .broadcast = broadcast_bytes,
                      .maximum = largest,
                      .add_counts = add_counts,
                      .traffic = &p->traffic};
}
