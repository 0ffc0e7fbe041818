/* Latency and throughput of ney_predict() in a process:
 *
 *     bench_serve MODEL COLUMNS ROWS
 *
 * Random cells in [0, 2). Prints microseconds of one-row calls (median, 99th percentile) and rows
 * per processor second in blocks of 1000, one thread. */
#include <neyman/neyman.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CALLS = 2000, BLOCK = 1000 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    const int64_t cols = argc == 4 ? atoll(argv[2]) : 0, rows = argc == 4 ? atoll(argv[3]) : 0;
    const ney_env env = {.threads = 1};
    double *const cell = malloc((size_t)(cols * BLOCK + 1) * sizeof *cell), took[CALLS],
                  score[BLOCK];
    int8_t decision[BLOCK];
    ney_error err = {0};
    ney_model *model = NULL;

    if (rows < 1 || !cell || ney_model_read(&model, NULL, argv[1], &err) != NEY_OK) {
        fprintf(stderr, "usage: bench_serve MODEL COLUMNS ROWS: %s\n", err.message);
        return 2;
    }
    for (int64_t k = 0; k < cols * BLOCK; k++) {
        cell[k] = 2.0 * rand() / RAND_MAX;
    }
    ney_array x = {.rows = 1, .cols = cols, .value = cell, .value_type = NEY_FLOAT64};
    ney_status st = NEY_OK;
    for (int k = 0; k < CALLS && st == NEY_OK; k++) {
        const double begin = now();
        x.value = cell + cols * (k % BLOCK);
        st = ney_predict(model, &env, &x, score, decision, &err);
        took[k] = 1e6 * (now() - begin);
    }
    qsort(took, CALLS, sizeof *took, compare);
    x = (ney_array){.rows = BLOCK, .cols = cols, .value = cell, .value_type = NEY_FLOAT64};
    const clock_t begin = clock();
    int64_t done = 0;
    for (; done < rows && st == NEY_OK; done += BLOCK) {
        st = ney_predict(model, &env, &x, score, decision, &err);
    }
    printf("%.2f %.2f %.0f\n", took[CALLS / 2], took[CALLS * 99 / 100],
           (double)done * CLOCKS_PER_SEC / (double)(clock() - begin));
    ney_model_free(model);
    free(cell);
    return st == NEY_OK ? 0 : 1;
}
