/* A sparse svmlight file like RCV1, the same bytes everywhere: bench_generate ROWS COLS ENTRIES
 * SEED.
 *
 * Column popularity falls off as in text (a power law); values are unit-norm weights with six
 * digits; labels come from a hidden linear rule with a tenth of them flipped. */
#include <inttypes.h>
#include <math.h>
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

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The hidden rule's weight of a column: a function of its number alone. */
static double rule(int64_t column)
{
    uint64_t state = (uint64_t)column * 77773u + 5;
    return unit(&state) - 0.5;
}

/* Distinct columns, ascending, in `column`; returns how many. */
static int64_t draw_columns(uint64_t *state, int64_t cols, int64_t wanted, int64_t *column)
{
    int64_t n = 0;
    for (int64_t k = 0; k < wanted; k++) {
        const double u = unit(state);
        column[k] = (int64_t)((double)cols * u * u * u) + 1;
    }
    qsort(column, (size_t)wanted, sizeof *column, by_number);
    for (int64_t k = 0; k < wanted; k++) {
        if (n == 0 || column[k] != column[n - 1]) {
            column[n++] = column[k];
        }
    }
    return n;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: bench_generate ROWS COLS ENTRIES SEED > FILE\n");
        return 2;
    }
    const int64_t rows = atoll(argv[1]), cols = atoll(argv[2]), entries = atoll(argv[3]);
    uint64_t state = (uint64_t)atoll(argv[4]);
    int64_t *column = calloc((size_t)(2 * entries + 1), sizeof *column);
    double *value = calloc((size_t)(2 * entries + 1), sizeof *value);

    if (!column || !value || rows < 1 || cols < 1 || entries < 1) {
        fprintf(stderr, "bench_generate: counts from 1 are expected\n");
        free(column);
        free(value);
        return 2;
    }
    for (int64_t i = 0; i < rows; i++) {
        const int64_t wanted = entries / 2 + (int64_t)(unit(&state) * (double)(entries + 1));
        const int64_t n = draw_columns(&state, cols, wanted, column);
        double norm = 0, score = 0;
        for (int64_t k = 0; k < n; k++) {
            value[k] = 0.2 + unit(&state);
            norm += value[k] * value[k];
        }
        for (int64_t k = 0; k < n; k++) {
            value[k] /= sqrt(norm);
            score += value[k] * rule(column[k]);
        }
        printf((score > 0) != (unit(&state) < 0.1) ? "+1" : "-1");
        for (int64_t k = 0; k < n; k++) {
            printf(" %" PRId64 ":%.6g", column[k], value[k]);
        }
        putchar('\n');
    }
    free(column);
    free(value);
    return fflush(stdout) != 0;
}
