/* A score file, the same bytes everywhere: bench_scores ROWS SEED.
 *
 * One row in ten is positive. Scores are sums of twelve uniform numbers, nearly normal with
 * variance 1, the positives' two deviations higher; nine digits, so that there are some ties. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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
    if (argc != 3) {
        fprintf(stderr, "usage: bench_scores ROWS SEED > FILE\n");
        return 2;
    }
    const int64_t rows = atoll(argv[1]);
    uint64_t state = (uint64_t)atoll(argv[2]);

    printf("label\tscore\n");
    for (int64_t i = 0; i < rows; i++) {
        const int positive = unit(&state) < 0.1;
        double score = positive ? 2 - 6 : -6;
        for (int k = 0; k < 12; k++) {
            score += unit(&state);
        }
        printf("%d\t%.9g\n", positive, score);
    }
    return fflush(stdout) != 0;
}
