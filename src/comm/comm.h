/* What processes that work on one problem (neyman/experimental/comm.h) tell each other. Every
 * function here is called by all of them, in the same order; NULL stands for one process. The
 * implementation for one process is here; that of MPI is in mpi/, and is linked into neyman-mpi
 * only. */
#ifndef NEY_COMM_COMM_H
#define NEY_COMM_COMM_H

#include "base/env.h"

#include <neyman/experimental/comm.h>

/* One process, without communication. */
extern const ney_comm ney_comm_self;

/* The rank and the number of processes; 0 and 1 for NULL. */
int ney_comm_rank(const ney_comm *comm);
int ney_comm_size(const ney_comm *comm);

/* The largest, the smallest and the sum over all processes, in place. */
void ney_comm_maximum(const ney_comm *comm, double *value, int64_t n);
void ney_comm_minimum(const ney_comm *comm, double *value, int64_t n);
void ney_comm_add_counts(const ney_comm *comm, int64_t *count, int64_t n);

/* Sums along a binary tree of ranks, in place: the same bits wherever the number of processes is
 * the same. scratch holds n numbers. */
void ney_comm_add(const ney_comm *comm, double *value, int64_t n, double *scratch);

void ney_comm_broadcast(const ney_comm *comm, int from, void *bytes, int64_t n);

/* n bytes of every process, in the order of ranks, to all of them. */
void ney_comm_gather(const ney_comm *comm, const void *own, int64_t n, void *all);

/* One status for all: NEY_OK where all have it, else that of the lowest rank that failed, whose
 * message begins with its rank. */
ney_status ney_comm_agree(const ney_comm *comm, ney_status st, ney_error *err);

#endif
