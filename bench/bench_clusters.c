/* A dense svmlight file with few positives, the same bytes everywhere: bench_clusters ROWS COLS
 * SEED.
 *
 * One row in a hundred is positive. Features are nearly normal with variance 1; a positive lies in
 * one of three clusters, each moved far along columns of its own, so that a handful of rows decide
 * the boundary. One positive in fifty is an ordinary row. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { CLUSTERS = 3, MOVED = 5 };

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double unit(uint64_t *state)
{
    return (double)(next(state) >> 11) * 0x1p-53;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: bench_clusters ROWS COLS SEED > FILE\n");
        return 2;
    }
    const int64_t rows = atoll(argv[1]), cols = atoll(argv[2]);
    uint64_t state = (uint64_t)atoll(argv[3]);

    for (int64_t i = 0; i < rows; i++) {
        const int positive = unit(&state) < 0.01;
        const int64_t cluster = (int64_t)(unit(&state) * CLUSTERS);
        const int moved = positive && unit(&state) < 0.98;
        printf(positive ? "+1" : "-1");
        for (int64_t c = 0; c < cols; c++) {
            double value = moved && c / MOVED == cluster ? 3 - 6 : -6;
            for (int k = 0; k < 12; k++) {
                value += unit(&state);
            }
            printf(" %" PRId64 ":%.6g", c + 1, value);
        }
        putchar('\n');
    }
    return fflush(stdout) != 0;
}
