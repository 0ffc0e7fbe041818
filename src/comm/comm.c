#include "comm/comm.h"

#include <stdio.h>
#include <string.h>

/* ---- one process */

static void self_send(void *state, int to, const void *bytes, int64_t n)
{
    (void)state, (void)to, (void)bytes, (void)n;
}

static void self_receive(void *state, int from, void *bytes, int64_t n)
{
    (void)state, (void)from, (void)bytes, (void)n;
}

static int self_waiting(void *state)
{
    (void)state;
    return -1;
}

static void self_maximum(void *state, double *value, int64_t n)
{
    (void)state, (void)value, (void)n;
}

static void self_add_counts(void *state, int64_t *count, int64_t n)
{
    (void)state, (void)count, (void)n;
}

const ney_comm ney_comm_self = {.size = 1,
                                .send = self_send,
                                .receive = self_receive,
                                .waiting = self_waiting,
                                .broadcast = self_receive,
                                .maximum = self_maximum,
                                .add_counts = self_add_counts};

/* ---- all of them */

int ney_comm_rank(const ney_comm *comm)
{
    return comm ? comm->rank : 0;
}

int ney_comm_size(const ney_comm *comm)
{
    return comm ? comm->size : 1;
}

void ney_comm_maximum(const ney_comm *comm, double *value, int64_t n)
{
    if (ney_comm_size(comm) > 1) {
        comm->maximum(comm->state, value, n);
    }
}

void ney_comm_minimum(const ney_comm *comm, double *value, int64_t n)
{
    for (int sign = 0; sign < 2 && ney_comm_size(comm) > 1; sign++) {
        for (int64_t k = 0; k < n; k++) {
            value[k] = -value[k];
        }
        if (sign == 0) {
            comm->maximum(comm->state, value, n);
        }
    }
}

void ney_comm_add_counts(const ney_comm *comm, int64_t *count, int64_t n)
{
    if (ney_comm_size(comm) > 1) {
        comm->add_counts(comm->state, count, n);
    }
}

void ney_comm_add(const ney_comm *comm, double *value, int64_t n, double *scratch)
{
    const int64_t bytes = n * (int64_t)sizeof *value;
    for (int step = 1; step < ney_comm_size(comm); step *= 2) {
        if (comm->rank % (2 * step) == step) {
            comm->send(comm->state, comm->rank - step, value, bytes);
            break;
        }
        if (comm->rank + step < comm->size) {
            comm->receive(comm->state, comm->rank + step, scratch, bytes);
            for (int64_t k = 0; k < n; k++) {
                value[k] += scratch[k];
            }
        }
    }
    ney_comm_broadcast(comm, 0, value, bytes);
}

void ney_comm_broadcast(const ney_comm *comm, int from, void *bytes, int64_t n)
{
    if (ney_comm_size(comm) > 1) {
        comm->broadcast(comm->state, from, bytes, n);
    }
}

void ney_comm_gather(const ney_comm *comm, const void *own, int64_t n, void *all)
{
    char *const to = all;
    memcpy(to + ney_comm_rank(comm) * n, own, (size_t)n);
    for (int rank = 0; rank < ney_comm_size(comm); rank++) {
        ney_comm_broadcast(comm, rank, to + rank * n, n);
    }
}

/* Begin the message with the rank that it comes from. */
static void name_rank(ney_error *err, int rank)
{
    char message[sizeof err->message];
    memcpy(message, err->message, sizeof message);
    snprintf(err->message, sizeof err->message, "rank %d: %.*s", rank,
             (int)(sizeof message - sizeof "rank 2147483647: "), message);
}

ney_status ney_comm_agree(const ney_comm *comm, ney_status st, ney_error *err)
{
    double failed = st == NEY_OK ? -(double)ney_comm_size(comm) : -(double)ney_comm_rank(comm);
    struct {
        ney_status status;
        ney_error error;
    } said = {.status = st};
    if (ney_comm_size(comm) == 1) {
        return st;
    }
    ney_comm_maximum(comm, &failed, 1);
    const int rank = (int)-failed;
    if (rank == comm->size) {
        return NEY_OK;
    }
    if (rank == comm->rank && err) {
        said.error = *err;
        if (strncmp(err->message, "rank ", 5) != 0) {
            name_rank(&said.error, rank);
        }
    }
    ney_comm_broadcast(comm, rank, &said, (int64_t)sizeof said);
    if (err) {
        *err = said.error;
    }
    return said.status;
}
