/* bench_trees MODEL DATA [RUNS]: rows per second of a model of trees, on one thread, by the library
 * and by libxgboost, which reads the model from the file that ney_model_export_xgboost() writes.
 * The rows are in memory, and a matrix of libxgboost is made anew for every run, outside the time:
 * it keeps the predictions of a matrix that it has seen. The model must be unscaled. */
#include <neyman/experimental.h>

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct xgboost {
    int (*create)(void **matrices, uint64_t n, void **out);
    int (*load)(void *booster, const char *path);
    int (*set)(void *booster, const char *name, const char *value);
    int (*matrix)(const float *cells, uint64_t rows, uint64_t cols, float missing, void **out);
    int (*free_matrix)(void *matrix);
    int (*predict)(void *booster, void *matrix, const char *config, uint64_t const **shape,
                   uint64_t *dim, const float **out);
} xgboost;

static void *find(void *library, const char *name)
{
    void *const found = library ? dlsym(library, name) : NULL;
    if (!found) {
        fprintf(stderr, "bench_trees: libxgboost has no %s\n", name);
        exit(1);
    }
    return found;
}

static void load_library(xgboost *x)
{
    void *const library = dlopen("libxgboost.so.0", RTLD_NOW);
    *(void **)&x->create = find(library, "XGBoosterCreate");
    *(void **)&x->load = find(library, "XGBoosterLoadModel");
    *(void **)&x->set = find(library, "XGBoosterSetParam");
    *(void **)&x->matrix = find(library, "XGDMatrixCreateFromMat");
    *(void **)&x->free_matrix = find(library, "XGDMatrixFree");
    *(void **)&x->predict = find(library, "XGBoosterPredictFromDMatrix");
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(ney_status st, const ney_error *err)
{
    if (st != NEY_OK) {
        fprintf(stderr, "bench_trees: %s\n", err->message);
        exit(1);
    }
}

static float *dense_of(const ney_matrix *x)
{
    float *const to = calloc((size_t)(x->rows * x->cols) + 1, sizeof *to);
    for (int64_t i = 0; to && i < x->rows; i++) {
        if (x->dense) {
            memcpy(to + i * x->cols, x->dense + i * x->cols, (size_t)x->cols * sizeof *to);
            continue;
        }
        for (int64_t k = x->start[i]; k < x->start[i + 1]; k++) {
            to[i * x->cols + x->index[k]] = x->value[k];
        }
    }
    return to;
}

int main(int argc, char **argv)
{
    static const char config[] = "{\"type\":1,\"training\":false,\"iteration_begin\":0,"
                                 "\"iteration_end\":0,\"strict_shape\":false}";
    const int runs = argc > 3 ? atoi(argv[3]) : 5;
    ney_env env = ney_env_default();
    ney_model *model;
    ney_data *data;
    ney_error err = {0};
    xgboost x;
    void *booster, *matrix;
    uint64_t dim;
    const uint64_t *shape;
    const float *margin = NULL;
    double best[2] = {INFINITY, INFINITY}, gap = 0;
    char path[] = "/tmp/bench_trees.XXXXXX";
    if (argc < 3 || mkstemp(path) < 0) {
        fprintf(stderr, "usage: bench_trees MODEL DATA [RUNS]\n");
        return 2;
    }
    env.threads = 1;
    load_library(&x);
    check(ney_model_read(&model, &env, argv[1], &err), &err);
    check(ney_data_read_with(&data, &env, argv[2], NULL, ney_model_preprocessing(model), &err),
          &err);
    check(ney_model_export_xgboost(model, path, &err), &err);
    const ney_matrix given = *ney_data_matrix(data);
    const ney_matrix rows = {.rows = given.rows, .cols = given.cols, .dense = dense_of(&given)};
    double *const score = calloc((size_t)rows.rows + 1, sizeof *score);
    if (!rows.dense || !score || x.create(NULL, 0, &booster) || x.load(booster, path) ||
        x.set(booster, "nthread", "1")) {
        return 1;
    }
    for (int run = 0; run < runs; run++) {
        double begin = seconds();
        check(ney_model_score(model, &env, &rows, score, &err), &err);
        best[0] = fmin(best[0], seconds() - begin);
        if (x.matrix(rows.dense, (uint64_t)rows.rows, (uint64_t)rows.cols, NAN, &matrix)) {
            return 1;
        }
        begin = seconds();
        if (x.predict(booster, matrix, config, &shape, &dim, &margin)) {
            return 1;
        }
        best[1] = fmin(best[1], seconds() - begin);
        for (int64_t i = 0; i < rows.rows; i++) {
            gap = fmax(gap, fabs(score[i] - (double)margin[i]));
        }
        x.free_matrix(matrix);
    }
    printf("%lld rows: neyman %.0f rows/s, libxgboost %.0f rows/s, ratio %.2f, largest difference "
           "%.2g\n",
           (long long)rows.rows, (double)rows.rows / best[0], (double)rows.rows / best[1],
           best[1] / best[0], gap);
    remove(path);
    return 0;
}
