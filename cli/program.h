/* The program, as one process or as one of several. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

struct ney_comm;

/* Run a command line and close standard output; the exit code. `comm`: the processes that run the
 * same command line on shares of the rows (neyman/experimental/comm.h); NULL: this one alone. */
int program_run(int argc, char **argv, const struct ney_comm *comm);

#endif
