/* neyman-mpi: commands of neyman over the rows of several processes.
 *
 * Every process runs the same command line in step. The first one prints and writes the files; the
 * others keep what they would print, and a process that fails alone prints that, with its rank,
 * before it ends the run. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "comm_mpi.h"
#include "program.h"

static void print_help(void)
{
    puts("Usage: mpirun -n N neyman-mpi COMMAND [OPTIONS] DATA ...\n"
         "\n"
         "Commands of neyman whose rows are shared out among N processes. DATA is one cache of\n"
         "'neyman convert', of which each process reads its rows; or several files of one format:\n"
         "a pattern such as 'part-*.svm.gz', or 'part-%04d.cache', where numbers from 0 on take\n"
         "the place of %04d. Options are those of neyman; 'neyman help COMMAND' explains them.\n"
         "\n"
         "  train   linear models: costs, rejection, one bounded rate or both, certified;\n"
         "          with --method online also networks and random features\n"
         "  tune    points and folds are shared out; every process reads all rows\n"
         "  predict, evaluate   each process scores its rows\n"
         "  help    this page, or that of a COMMAND\n"
         "\n"
         "Results do not depend on the number of processes. Those of --method online do: they are\n"
         "the same for the same number, and about as good for any. A checkpoint may be continued\n"
         "by another number of processes.");
}

static bool wants_help(int argc, char **argv)
{
    return argc < 2 ||
           (argc == 2 && (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
                          strcmp(argv[1], "-h") == 0));
}

/* ---- who prints */

typedef struct messages {
    int kept, own; /* where messages go meanwhile, and standard error; -1: nothing is kept */
} messages;

/* From now on only the first process prints. */
static messages hold_messages(int rank)
{
    messages m = {-1, -1};
    if (rank == 0) {
        return m;
    }
    const int nowhere = open("/dev/null", O_WRONLY);
    m.kept = memfd_create("messages", 0);
    m.own = dup(STDERR_FILENO);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        close(nowhere);
    }
    if (m.kept >= 0 && m.own >= 0) {
        dup2(m.kept, STDERR_FILENO);
    }
    return m;
}

/* What was kept, on standard error. */
static void print_messages(const messages *m, int rank)
{
    char text[4096];
    fflush(stderr);
    if (m->own >= 0) {
        dup2(m->own, STDERR_FILENO);
    }
    fprintf(stderr, "neyman-mpi: rank %d failed, and ends the run%s\n", rank,
            m->kept >= 0 ? ":" : "");
    for (off_t at = 0; m->kept >= 0;) {
        const ssize_t n = pread(m->kept, text, sizeof text, at);
        if (n <= 0) {
            break;
        }
        fwrite(text, 1, (size_t)n, stderr);
        at += n;
    }
    fflush(stderr);
}

/* ---- the end */

/* Whether all processes have come to the end. One that failed waits some seconds only: the others
 * may be waiting for it. */
static bool all_ended(const mpi_processes *p, int code)
{
    enum { PATIENCE = 500 }; /* hundredths of a second */
    const struct timespec pause = {0, 10000000};
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(p->comm, &request);
    if (code == 0) {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return true;
    }
    for (int k = 0; k < PATIENCE && !done; k++) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!done) {
            nanosleep(&pause, NULL);
        }
    }
    return done != 0;
}

int main(int argc, char **argv)
{
    mpi_processes processes, end;
    int code = EXIT_SUCCESS, provided = 0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    mpi_processes_init(&processes);
    mpi_processes_init(&end);
    const ney_comm comm = mpi_processes_comm(&processes);
    const messages held = hold_messages(processes.rank);
    if (wants_help(argc, argv)) {
        print_help();
        fflush(stdout);
        code = argc < 2 ? 2 : EXIT_SUCCESS;
    } else {
        code = program_run(argc, argv, &comm);
    }
    if (!all_ended(&end, code)) {
        print_messages(&held, processes.rank);
        MPI_Abort(end.comm, code);
    }
    MPI_Allreduce(MPI_IN_PLACE, &code, 1, MPI_INT, MPI_MAX, end.comm);
    MPI_Finalize();
    return code;
}
