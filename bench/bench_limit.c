/* How fast kernel blocks can be: bench_limit COLS THREADS. Prints one JSON object.
 *
 * Products of rows by the sgemm of OpenBLAS where that is installed (found at run time, so that
 * nothing depends on it), else by a blocked loop; then the exponential of each. Every thread
 * works on tiles of its own that stay in the caches; none touches a solver or a file. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { TILE = 64, WIDTH = 1024, LANES = 16, MOST_THREADS = 64 };

static const double least_seconds = 0.4;

typedef void sgemm_function(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                            const float *a, int lda, const float *b, int ldb, float beta, float *c,
                            int ldc);

typedef struct work {
    sgemm_function *sgemm; /* NULL: the loops below */
    int cols;
    double product_rate, exp_rate; /* entries a second */
} work;

/* Of this thread alone: a neighbour on a busy machine does not lower the limit. */
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
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

/* out[j][lane] = sum_c b[j][c] packed[c][lane] */
static void plain_products(const float *b, int cols, const float *packed, float *out)
{
    for (int j = 0; j < WIDTH; j++) {
        float sum[LANES] = {0};
        for (int c = 0; c < cols; c++) {
            for (int l = 0; l < LANES; l++) {
                sum[l] += b[(size_t)j * (size_t)cols + (size_t)c] * packed[c * LANES + l];
            }
        }
        memcpy(out + (size_t)j * LANES, sum, sizeof sum);
    }
}

#if defined(__x86_64__)

#define FAST __attribute__((target_clones("arch=haswell", "default")))

/* The same, four rows at a time so that the sums fill the registers. */
__attribute__((target("avx2,fma"))) static void wide_products(const float *b, int cols,
                                                              const float *packed, float *out)
{
    for (int j = 0; j < WIDTH; j += 4) {
        __m256 sum[4][2];
        const float *const row = b + (size_t)j * (size_t)cols;
        for (int r = 0; r < 4; r++) {
            sum[r][0] = sum[r][1] = _mm256_setzero_ps();
        }
        for (int c = 0; c < cols; c++) {
            const __m256 left = _mm256_loadu_ps(packed + (size_t)c * LANES);
            const __m256 right = _mm256_loadu_ps(packed + (size_t)c * LANES + LANES / 2);
            for (int r = 0; r < 4; r++) {
                const __m256 one = _mm256_broadcast_ss(row + (size_t)r * (size_t)cols + c);
                sum[r][0] = _mm256_fmadd_ps(one, left, sum[r][0]);
                sum[r][1] = _mm256_fmadd_ps(one, right, sum[r][1]);
            }
        }
        for (int r = 0; r < 4; r++) {
            _mm256_storeu_ps(out + (size_t)(j + r) * LANES, sum[r][0]);
            _mm256_storeu_ps(out + (size_t)(j + r) * LANES + LANES / 2, sum[r][1]);
        }
    }
}

static void own_products(const float *b, int cols, const float *packed, float *out)
{
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        wide_products(b, cols, packed, out);
    } else {
        plain_products(b, cols, packed, out);
    }
}

#else

#define FAST
#define own_products plain_products

#endif

/* exp(x) = 2^n exp(r), |r| <= ln 2 / 2, by a polynomial of degree five; for -87 <= x <= 0. */
FAST static void exponentials(float *value, int n)
{
    for (int i = 0; i < n; i++) {
        const float x = value[i];
        const int whole = (int)(x * 1.44269504F - 0.5F);
        const float r = x - (float)whole * 0.693147181F;
        const float p =
            1 +
            r * (1 + r * (0.5F + r * (0.166666672F + r * (0.0416666679F + r * 0.00833333377F))));
        const int bits = (whole + 127) << 23;
        float power;
        memcpy(&power, &bits, sizeof power);
        value[i] = p * power;
    }
}

static void products(const work *w, const float *a, const float *b, float *packed, float *tile)
{
    if (w->sgemm) { /* row-major, the second transposed */
        w->sgemm(101, 111, 112, TILE, WIDTH, w->cols, 1, a, w->cols, b, w->cols, 0, tile, WIDTH);
        return;
    }
    for (int i = 0; i < TILE; i += LANES) {
        for (int c = 0; c < w->cols; c++) {
            for (int l = 0; l < LANES; l++) {
                packed[c * LANES + l] = a[(i + l) * w->cols + c];
            }
        }
        own_products(b, w->cols, packed, tile + (size_t)i * WIDTH);
    }
}

static void *run(void *context)
{
    work *const w = context;
    float *a = calloc((size_t)TILE * (size_t)w->cols, sizeof *a);
    float *b = calloc((size_t)WIDTH * (size_t)w->cols, sizeof *b);
    float *packed = calloc((size_t)LANES * (size_t)w->cols, sizeof *packed);
    float *tile = calloc((size_t)TILE * WIDTH, sizeof *tile);
    double spent[2] = {0};
    int64_t tiles = 0;

    while (a && b && packed && tile && spent[0] + spent[1] < least_seconds) {
        const double begin = now();
        products(w, a, b, packed, tile);
        const double middle = now();
        exponentials(tile, TILE * WIDTH);
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
           sgemm ? "OpenBLAS" : "a blocked loop", product_rate, exp_rate);
    return 0;
}
