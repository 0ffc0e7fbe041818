/* What a message between two processes takes: mpicc -O2 bench/mpi_link.c -o link && mpirun -n 2
 * link
 *
 * The least time of many trials: other work on the machine only adds to it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZES = 6 };

int main(int argc, char **argv)
{
    static const int size[SIZES] = {8, 1 << 10, 1 << 14, 1 << 18, 1 << 20, 1 << 23};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *const bytes = calloc((size_t)size[SIZES - 1], 1);
    for (int k = 0; bytes && k < SIZES; k++) {
        const int trials = size[k] < 1 << 18 ? 5000 : 200;
        double least = 1e9;
        for (int t = 0; t < trials; t++) {
            const double begin = MPI_Wtime();
            if (rank == 0) {
                MPI_Send(bytes, size[k], MPI_BYTE, 1, 0, MPI_COMM_WORLD);
                MPI_Recv(bytes, size[k], MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            } else {
                MPI_Recv(bytes, size[k], MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                MPI_Send(bytes, size[k], MPI_BYTE, 0, 0, MPI_COMM_WORLD);
            }
            const double seconds = (MPI_Wtime() - begin) / 2;
            least = seconds < least ? seconds : least;
        }
        if (rank == 0) {
            printf("%8d bytes  %.2f us  %.0f MB/s\n", size[k], 1e6 * least, size[k] / least / 1e6);
        }
    }
    free(bytes);
    MPI_Finalize();
    return bytes ? 0 : 1;
}
