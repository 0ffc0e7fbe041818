/* Time of reading a data file into memory: bench_read FILE [THREADS]. Prints one JSON object. */
#include <neyman/experimental.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What the arrays of a data set take. */
static double array_bytes(const ney_data *data)
{
    const ney_matrix *x = ney_data_matrix(data);
    const double rows = (double)x->rows;
    const double features =
        x->dense ? 4 * rows * (double)x->cols : 8 * (double)x->start[x->rows] + 8 * (rows + 1);
    return features + (ney_data_label(data) ? rows : 0) + (ney_data_weight(data) ? 4 * rows : 0);
}

/* The most memory this process has held. Not getrusage(), which remembers the parent's. */
static double peak_bytes(void)
{
    char line[256];
    double kilobytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status)) {
        if (sscanf(line, "VmHWM: %lf kB", &kilobytes) == 1) {
            break;
        }
    }
    if (status) {
        fclose(status);
    }
    return 1024 * kilobytes;
}

int main(int argc, char **argv)
{
    ney_env env = ney_env_default();
    ney_error err = {.code = NEY_OK};
    ney_cache *cache = NULL;
    ney_data *data;

    if (argc < 2) {
        fprintf(stderr, "usage: bench_read FILE [THREADS]\n");
        return 2;
    }
    env.threads = argc > 2 ? atoi(argv[2]) : 0;
    double begin = now();
    const bool is_cache = ney_cache_open(&cache, &env, argv[1], &err) == NEY_OK;
    const double open_seconds = now() - begin;
    ney_cache_close(cache);
    begin = now();
    if (ney_data_read_with(&data, &env, argv[1], NULL, NULL, &err) != NEY_OK) {
        fprintf(stderr, "bench_read: %s:%lld: %s\n", err.file, (long long)err.line, err.message);
        return 1;
    }
    const double read_seconds = now() - begin;
    printf("{\"rows\": %lld, \"cols\": %lld, \"seconds\": %.6f, \"array_bytes\": %.0f, "
           "\"peak_bytes\": %.0f",
           (long long)ney_data_matrix(data)->rows, (long long)ney_data_matrix(data)->cols,
           read_seconds, array_bytes(data), peak_bytes());
    if (is_cache) {
        printf(", \"open_seconds\": %.6f", open_seconds);
    }
    printf("}\n");
    ney_data_free(data);
    return 0;
}
