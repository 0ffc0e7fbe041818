#include "comm_mpi.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_BYTES = 1 << 30, MOST_NUMBERS = 1 << 27 }; /* of one call, whose count is an int */

static int part_of(int64_t left, int most)
{
    return left < most ? (int)left : most;
}

static void count(mpi_processes *p, int64_t bytes, int64_t messages)
{
    p->sent.bytes += bytes;
    p->sent.messages += messages;
    p->sent.calls++;
}

/* The depth of a binary tree of all processes: messages on the way of a collective call. */
static int64_t depth(const mpi_processes *p)
{
    int64_t steps = 0;
    for (int n = 1; n < p->size; n *= 2) {
        steps++;
    }
    return steps;
}

static void send_bytes(void *state, int to, const void *bytes, int64_t n)
{
    mpi_processes *const p = state;
    for (int64_t done = 0; done < n; done += MOST_BYTES) {
        MPI_Send((const char *)bytes + done, part_of(n - done, MOST_BYTES), MPI_BYTE, to, 0,
                 p->comm);
    }
    count(p, n, 1);
}

static void receive_bytes(void *state, int from, void *bytes, int64_t n)
{
    const mpi_processes *const p = state;
    for (int64_t done = 0; done < n; done += MOST_BYTES) {
        MPI_Recv((char *)bytes + done, part_of(n - done, MOST_BYTES), MPI_BYTE, from, 0, p->comm,
                 MPI_STATUS_IGNORE);
    }
}

static void broadcast_bytes(void *state, int from, void *bytes, int64_t n)
{
    mpi_processes *const p = state;
    for (int64_t done = 0; done < n; done += MOST_BYTES) {
        MPI_Bcast((char *)bytes + done, part_of(n - done, MOST_BYTES), MPI_BYTE, from, p->comm);
    }
    count(p, n, depth(p));
}

static void largest(void *state, double *value, int64_t n)
{
    mpi_processes *const p = state;
    for (int64_t done = 0; done < n; done += MOST_NUMBERS) {
        MPI_Allreduce(MPI_IN_PLACE, value + done, part_of(n - done, MOST_NUMBERS), MPI_DOUBLE,
                      MPI_MAX, p->comm);
    }
    count(p, 2 * n * (int64_t)sizeof *value, 2 * depth(p));
}

static void add_counts(void *state, int64_t *value, int64_t n)
{
    mpi_processes *const p = state;
    for (int64_t done = 0; done < n; done += MOST_NUMBERS) {
        MPI_Allreduce(MPI_IN_PLACE, value + done, part_of(n - done, MOST_NUMBERS), MPI_INT64_T,
                      MPI_SUM, p->comm);
    }
    count(p, 2 * n * (int64_t)sizeof *value, 2 * depth(p));
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
                      .broadcast = broadcast_bytes,
                      .maximum = largest,
                      .add_counts = add_counts};
}
