/* How fast kernel blocks can be: bench_limit COLS THREADS. Prints one JSON object.
 *
 * Products of rows by the sgemm of OpenBLAS where that is installed (found at run time, so that
 * nothing depends on it), else by the library's own loop; then the exponential of each. Every
 * thread works on tiles of its own, none touches a solver, a cache or a file: a kernel matrix
 * cannot be had sooner by these means. */
#include "linalg/block.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TILE = 256, WIDTH = 2048, MOST_THREADS = 64 };

static const double least_seconds = 0.4;

typedef void sgemm_function(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                            const float *a, int lda, const float *b, int ldb, float beta, float *c,
                            int ldc);

typedef struct work {
    sgemm_function *sgemm; /* NULL: the library's own loop */
    int cols;
    double product_rate, exp_rate; /* entries a second */
} work;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *symbol(void *library, const char *name)
{
    return library ? dlsym(library, name) : NULL;
}

/* One thread each: the tiles are what runs side by side. */
static sgemm_function *find_sgemm(void)
{
    void *library = dlopen("libopenblas.so.0", RTLD_NOW);
    void *set_threads = symbol(library, "openblas_set_num_threads");
    void *sgemm = symbol(library, "cblas_sgemm");
    sgemm_function *found = NULL;
    void (*set)(int);

    if (set_threads && sgemm) {
        memcpy(&set, &set_threads, sizeof set);
        memcpy(&found, &sgemm, sizeof found);
        set(1);
    }
    return found;
}

static void products(const work *w, const float *a, const float *b, float *packed, float *tile)
{
    if (w->sgemm) { /* row-major, the second transposed */
        w->sgemm(101, 111, 112, TILE, WIDTH, w->cols, 1, a, w->cols, b, w->cols, 0, tile, WIDTH);
        return;
    }
    const ney_matrix rows = {.rows = TILE, .cols = w->cols, .dense = a};
    const ney_matrix others = {.rows = WIDTH, .cols = w->cols, .dense = b};
    for (int64_t i = 0; i < TILE; i += NEY_LANES) {
        int64_t row[NEY_LANES];
        for (int64_t l = 0; l < NEY_LANES; l++) {
            row[l] = i + l;
        }
        ney_block_pack(&rows, row, NEY_LANES, packed);
        ney_block_products(&others, 0, WIDTH, packed, tile + i * WIDTH);
    }
}

static void *run(void *context)
{
    work *const w = context;
    float *a = calloc((size_t)TILE * (size_t)w->cols, sizeof *a);
    float *b = calloc((size_t)WIDTH * (size_t)w->cols, sizeof *b);
    float *packed = calloc((size_t)NEY_LANES * (size_t)w->cols, sizeof *packed);
    float *tile = calloc((size_t)TILE * WIDTH, sizeof *tile);
    double spent[2] = {0};
    int64_t tiles = 0;

    while (a && b && packed && tile && spent[0] + spent[1] < least_seconds) {
        const double begin = now();
        products(w, a, b, packed, tile);
        const double middle = now();
        ney_block_exp(tile, (int64_t)TILE * WIDTH);
        spent[0] += middle - begin;
        spent[1] += now() - middle;
        tiles++;
    }
    w->product_rate = tiles ? (double)tiles * TILE * WIDTH / spent[0] : 0;
    w->exp_rate = tiles ? (double)tiles * TILE * WIDTH / spent[1] : 0;
    free(a);
    free(b);
    free(packed);
    free(tile);
    return NULL;
}

int main(int argc, char **argv)
{
    const int cols = argc == 3 ? atoi(argv[1]) : 0, threads = argc == 3 ? atoi(argv[2]) : 0;
    static work all[MOST_THREADS];
    pthread_t thread[MOST_THREADS];
    double product_rate = 0, exp_rate = 0;

    if (cols < 1 || threads < 1 || threads > MOST_THREADS) {
        fprintf(stderr, "usage: bench_limit COLS THREADS\n");
        return 2;
    }
    sgemm_function *const sgemm = find_sgemm();
    for (int i = 0; i < threads; i++) {
        all[i] = (work){.sgemm = sgemm, .cols = cols};
        if (pthread_create(&thread[i], NULL, run, &all[i]) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(thread[i], NULL);
        product_rate += all[i].product_rate;
        exp_rate += all[i].exp_rate;
    }
    printf("{\"by\": \"%s\", \"products_per_second\": %.6g, \"exps_per_second\": %.6g}\n",
           sgemm ? "OpenBLAS" : "own block", product_rate, exp_rate);
    return 0;
}
