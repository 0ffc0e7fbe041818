/* Own numerics against libraries: bench_numerics [tails]. Prints one JSON object.
 *
 *   factor, reduce, product   cholesky.h, tridiagonal.h and layer.h against dpotrf, dsytrd and
 * dgemm of OpenBLAS, one thread (found at run time; NEY_OPENBLAS names the library): CPU seconds
 * and their ratio, above 1 where ours is slower read, write               number.h against strtod
 * and printf("%.17g"): seconds and ratio, and whether every number is read back with the same bits
 *   tails                     binomial and normal tails for bench/special_functions.py */
#include "base/number.h"
#include "base/rng.h"
#include "decide/binomial.h"
#include "decide/normal.h"
#include "linalg/cholesky.h"
#include "linalg/layer.h"
#include "linalg/tridiagonal.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double least_seconds = 0.2;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef void potrf_function(const char *uplo, const int *n, double *a, const int *lda, int *info);
typedef void sytrd_function(const char *uplo, const int *n, double *a, const int *lda, double *d,
                            double *e, double *tau, double *work, const int *lwork, int *info);
typedef void gemm_function(int order, int trans_a, int trans_b, int m, int n, int k, double alpha,
                           const double *a, int lda, const double *b, int ldb, double beta,
                           double *c, int ldc);

typedef struct blas {
    potrf_function *potrf;
    sytrd_function *sytrd;
    gemm_function *gemm;
} blas;

static void load(void *library, const char *name, void *function)
{
    void *const found = library ? dlsym(library, name) : NULL;
    memcpy(function, &found, sizeof found);
}

static blas load_blas(void)
{
    const char *const path = getenv("NEY_OPENBLAS");
    void *const library = dlopen(path ? path : "libopenblas.so.0", RTLD_NOW);
    void (*set_threads)(int);
    blas b;
    load(library, "dpotrf_", (void *)&b.potrf);
    load(library, "dsytrd_", (void *)&b.sytrd);
    load(library, "cblas_dgemm", (void *)&b.gemm);
    load(library, "openblas_set_num_threads", (void *)&set_threads);
    if (set_threads) {
        set_threads(1);
    }
    return b;
}

/* ---------------------------------------------------------------- linear algebra */

typedef struct work {
    blas blas;
    int n, m, k;
    double *given, *a, *b, *c, *spare; /* n x n numbers each, and 80 n */
} work;

typedef void operation(work *w);

static void copy(work *w)
{
    memcpy(w->a, w->given, (size_t)w->n * (size_t)w->n * sizeof *w->a);
}

static void factor_own(work *w)
{
    copy(w);
    (void)ney_cholesky_factor(w->a, w->n);
}

static void factor_blas(work *w)
{
    int info;
    copy(w);
    w->blas.potrf("U", &w->n, w->a, &w->n, &info); /* upper by columns is lower by rows */
}

static void reduce_own(work *w)
{
    copy(w);
    ney_tridiagonal_reduce(w->a, w->n, w->spare, w->spare + w->n, w->spare + 2 * w->n);
}

static void reduce_blas(work *w)
{
    const int room = 64 * w->n;
    int info;
    copy(w);
    w->blas.sytrd("L", &w->n, w->a, &w->n, w->spare, w->spare + w->n, w->spare + 2 * w->n,
                  w->spare + 3 * w->n, &room, &info);
}

static void product_own(work *w)
{
    const ney_submatrix a = {w->a, w->k, 1}, b = {w->b, w->n, 1};
    ney_layer_product(a, b, w->m, w->k, w->n, w->c, w->n);
}

static void product_blas(work *w)
{
    w->blas.gemm(101, 111, 111, w->m, w->n, w->k, 1, w->a, w->k, w->b, w->n, 1, w->c, w->n);
}

/* Seconds of one call. */
static double seconds(operation *f, work *w)
{
    double best = INFINITY;
    for (int round = 0; round < 3; round++) {
        const double begin = now();
        int64_t calls = 0;
        do {
            f(w);
            calls++;
        } while (now() - begin < least_seconds / 3);
        best = fmin(best, (now() - begin) / (double)calls);
    }
    return best;
}

static void compare(const char *name, work *w, operation *own, operation *other, bool has_other)
{
    const double mine = seconds(own, w), its = has_other ? seconds(other, w) : (double)NAN;
    printf("  {\"name\": \"%s\", \"m\": %d, \"k\": %d, \"n\": %d, \"own\": %.4g, ", name, w->m,
           w->k, w->n, mine);
    if (has_other) {
        printf("\"openblas\": %.4g, \"ratio\": %.3g},\n", its, mine / its);
    } else {
        printf("\"openblas\": null, \"ratio\": null},\n");
    }
}

/* A positive definite matrix. */
static void fill(work *w, ney_rng *rng)
{
    const int64_t n = w->n;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++) {
            w->given[i * n + j] = w->given[j * n + i] = ney_rng_unit(rng) - 0.5;
        }
        w->given[i * n + i] += (double)n;
    }
}

static void compare_linalg(void)
{
    enum { MOST = 1024 };
    static const int size[] = {8, 32, 64, 128, 256, 512};
    static const int product[][3] = {{32, 30, 8}, {32, 100, 32}, {256, 784, 64}, {512, 100, 128}};
    ney_rng rng = {1};
    work w = {.blas = load_blas()};
    double *const block = calloc((size_t)4 * MOST * MOST + (size_t)80 * MOST, sizeof *block);
    if (!block) {
        exit(1);
    }
    w.given = block;
    w.a = w.given + (size_t)MOST * MOST;
    w.b = w.a + (size_t)MOST * MOST;
    w.c = w.b + (size_t)MOST * MOST;
    w.spare = w.c + (size_t)MOST * MOST;
    for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
        w.n = w.m = w.k = size[k];
        fill(&w, &rng);
        compare("factor", &w, factor_own, factor_blas, w.blas.potrf);
        compare("reduce", &w, reduce_own, reduce_blas, w.blas.sytrd);
    }
    for (size_t i = 0; i < (size_t)MOST * MOST; i++) {
        w.a[i] = ney_rng_unit(&rng) - 0.5;
        w.b[i] = ney_rng_unit(&rng) - 0.5;
    }
    for (size_t k = 0; k < sizeof product / sizeof *product; k++) {
        w.m = product[k][0];
        w.k = product[k][1];
        w.n = product[k][2];
        compare("product", &w, product_own, product_blas, w.blas.gemm);
    }
    free(block);
}

/* ---------------------------------------------------------------- numbers as text */

enum { NUMBERS = 200000, WIDTH = 40 };

static double number_at(ney_rng *rng, int kind)
{
    const double unit = ney_rng_unit(rng);
    if (kind == 0) {
        return floor(unit * 1e6) / 1000; /* short, as in files */
    }
    if (kind == 1) {
        return unit; /* 17 digits */
    }
    for (;;) {
        const uint64_t bits = ney_rng_next(rng);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (isfinite(x)) {
            return x; /* any exponent */
        }
    }
}

static void compare_text(int kind)
{
    static const char *const name[] = {"short", "unit", "any"};
    double *const value = malloc(NUMBERS * sizeof *value);
    char *const text = calloc(NUMBERS + 1, WIDTH);
    ney_rng rng = {2};
    int64_t own_wrong = 0, c_wrong = 0, own_bytes = 0, c_bytes = 0;
    double time[4], x;
    if (!value || !text) {
        exit(1);
    }
    for (int i = 0; i < NUMBERS; i++) {
        value[i] = number_at(&rng, kind);
    }
    double begin = now();
    for (int i = 0; i < NUMBERS; i++) {
        c_bytes += snprintf(text + (size_t)i * WIDTH, WIDTH, "%.17g", value[i]);
    }
    time[0] = now() - begin;
    begin = now();
    for (int i = 0; i < NUMBERS; i++) {
        own_bytes += ney_number_format(value[i], text + (size_t)i * WIDTH);
    }
    time[1] = now() - begin;
    begin = now();
    for (int i = 0; i < NUMBERS; i++) {
        x = strtod(text + (size_t)i * WIDTH, NULL);
        c_wrong += memcmp(&x, &value[i], sizeof x) != 0;
    }
    time[2] = now() - begin;
    begin = now();
    for (int i = 0; i < NUMBERS; i++) {
        (void)ney_number_scan(text + (size_t)i * WIDTH, &x);
        own_wrong += memcmp(&x, &value[i], sizeof x) != 0;
    }
    time[3] = now() - begin;
    printf("  {\"name\": \"text\", \"kind\": \"%s\", \"write_printf_ns\": %.1f, \"write_own_ns\": "
           "%.1f, "
           "\"read_strtod_ns\": %.1f, \"read_own_ns\": %.1f, \"bytes_printf\": %.1f, "
           "\"bytes_own\": %.1f, "
           "\"wrong_by_strtod\": %lld, \"wrong_by_own\": %lld},\n",
           name[kind], 1e9 * time[0] / NUMBERS, 1e9 * time[1] / NUMBERS, 1e9 * time[2] / NUMBERS,
           1e9 * time[3] / NUMBERS, (double)c_bytes / NUMBERS, (double)own_bytes / NUMBERS,
           (long long)c_wrong, (long long)own_wrong);
    free(value);
    free(text);
}

/* ---------------------------------------------------------------- tails */

static void print_tails(void)
{
    static const double n[] = {10, 100, 1000, 10000, 100000};
    static const double p[] = {0x1p-10, 0x1p-7, 0.0625, 0.25, 0.5};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        for (size_t j = 0; j < sizeof p / sizeof *p; j++) {
            const double mean = n[i] * p[j], deviation = sqrt(mean * (1 - p[j]));
            for (int z = -6; z <= 6; z += 2) {
                const double k = floor(mean + z * deviation);
                if (k >= 1 && k <= n[i]) {
                    printf("binomial %.0f %.0f %a %a\n", k, n[i], p[j],
                           ney_binomial_tail(k, n[i], p[j]));
                }
            }
        }
    }
    for (double delta = 0x1p-20; delta < 0.6; delta *= 4) {
        for (double k = 1; k <= 100; k *= 10) {
            printf("rate %.0f 1000 %a %a\n", k, delta, ney_binomial_rate(k, 1000, delta));
        }
    }
    for (double x = -37; x <= 8; x += 0.25) {
        printf("cdf 0 0 %a %a\n", x, ney_normal_cdf(x));
        printf("logcdf 0 0 %a %a\n", x, ney_normal_log_cdf(x));
        const double p_x = ney_normal_cdf(x);
        if (p_x > 0 && p_x < 1 && x <= 0) {
            printf("quantile 0 0 %a %a\n", p_x, ney_normal_quantile(p_x));
        }
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "tails") == 0) {
        print_tails();
        return 0;
    }
    printf("{\"runs\": [\n");
    compare_linalg();
    for (int kind = 0; kind < 3; kind++) {
        compare_text(kind);
    }
    printf("  null]}\n");
    return 0;
}
