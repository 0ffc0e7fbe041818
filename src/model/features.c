/* The features family: f(x) = w'phi(x) + b with random Fourier features phi [FOURIER.1]. */
#include "kernel/fourier.h"
#include "linalg/vector.h"
#include "model/model.h"
#include "model/numbers.h"
#include "model/online.h"

#include <math.h>
#include <string.h>

typedef struct features {
    ney_fourier map;
    double gamma, intercept;
    double *weight; /* map.n of them */
} features;

static void features_free(const ney_env *env, void *part)
{
    features *const f = part;
    if (f) {
        ney_fourier_deinit(&f->map, env);
        ney_release(env, f->weight);
        ney_release(env, f);
    }
}

static features *features_new(const ney_env *env, int64_t n, int64_t cols)
{
    features *f = ney_alloc_zeroed(env, 1, sizeof *f);
    if (!f) {
        return NULL;
    }
    f->weight = ney_alloc_zeroed(env, n, sizeof *f->weight);
    if (!f->weight || ney_fourier_init(&f->map, env, n, cols, NULL) != NEY_OK) {
        features_free(env, f);
        return NULL;
    }
    return f;
}

static void features_format(const void *part, ney_text *text)
{
    const features *const f = part;
    const ney_fourier *const w = &f->map;
    ney_text_line_number(text, "gamma", f->gamma);
    ney_text_line_number(text, "intercept", f->intercept);
    ney_text_line_int(text, "features", f->map.n);
    for (int64_t d = 0; d < w->D; d++) { /* weights of cosine and sine, then the direction */
        ney_text_field_number(text, f->weight[d]);
        ney_text_field_number(text, f->weight[w->D + d]);
        for (int64_t c = 0; c < w->cols; c++) {
            ney_text_field_float(text, w->value[d * w->cols + c]);
        }
        ney_text_put(text, "\n");
    }
}

static void read_features(ney_fields *f, features *part)
{
    const int64_t D = part->map.D, cols = part->map.cols;
    for (int64_t d = 0; d < D && f->status == NEY_OK; d++) {
        part->weight[d] = ney_finite(f, "weight");
        part->weight[D + d] = ney_finite(f, "weight");
        for (int64_t c = 0; c < cols && f->status == NEY_OK; c++) {
            part->map.value[d * cols + c] = (float)ney_finite(f, "direction");
        }
        ney_fields_end(f);
    }
    ney_fourier_set(&part->map, part->map.value);
}

static void *features_parse(ney_fields *f, int64_t cols)
{
    const double gamma = ney_finite_line(f, "gamma");
    const double intercept = ney_finite_line(f, "intercept");
    const int64_t n = ney_fields_int_line(f, "features", 2, INT32_MAX);
    if (f->status == NEY_OK && n % 2 != 0) {
        ney_fields_fail(f, "%lld features, expected an even number", (long long)n);
    } else if (f->status == NEY_OK &&
               (double)n / 2 * (double)(cols + 2) > (double)(f->end - f->at) / 2) {
        ney_fields_fail(f, "expected %lld features, the file is shorter", (long long)n);
    }
    if (f->status != NEY_OK) {
        return NULL;
    }
    features *part = features_new(f->env, n, cols);
    if (!part) {
        f->status = ney_no_memory(f->err, n, "random features");
        return NULL;
    }
    part->gamma = gamma;
    part->intercept = intercept;
    read_features(f, part);
    if (f->status != NEY_OK) {
        features_free(f->env, part);
        return NULL;
    }
    return part;
}

/* Features of NEY_FOURIER_ROWS rows, and what the map writes in. */
static int64_t features_scratch(const void *part)
{
    const features *const f = part;
    return (int64_t)sizeof(float) * f->map.n * NEY_FOURIER_ROWS + ney_fourier_workspace(&f->map);
}

static double features_work(const void *part)
{
    const features *const f = part;
    return (double)f->map.D * (double)(f->map.cols + 20);
}

static void features_score_block(const void *part, const ney_matrix *x, int64_t first, int64_t n,
                                 double *out, void *work)
{
    const features *const f = part;
    float *const phi = work;
    for (int64_t i = 0; i < n; i += NEY_FOURIER_ROWS) {
        const int64_t m = n - i < NEY_FOURIER_ROWS ? n - i : NEY_FOURIER_ROWS;
        ney_row_at at[NEY_FOURIER_ROWS];
        for (int64_t k = 0; k < m; k++) {
            at[k] = (ney_row_at){x, first + i + k};
        }
        ney_fourier_map(&f->map, at, m, phi, phi + f->map.n * NEY_FOURIER_ROWS);
        for (int64_t k = 0; k < m; k++) {
            out[i + k] =
                ney_vector_dot_mixed(phi + k * f->map.n, f->weight, f->map.n) + f->intercept;
        }
    }
}

const ney_family ney_family_features = {
    .name = "features",
    .option = "features",
    .format = features_format,
    .parse = features_parse,
    .scratch = features_scratch,
    .work = features_work,
    .score_block = features_score_block,
    .free = features_free,
};

ney_status ney_model_new_features(ney_model **out, const ney_env *env,
                                  const ney_preprocessing *preprocessing, const ney_fourier *map,
                                  double gamma, const double *weight, double intercept,
                                  ney_error *err)
{
    ney_status st;

    *out = NULL;
    if ((st = ney_check_finite(weight, map->n, "weight", err)) != NEY_OK ||
        (st = ney_check_finite(&intercept, 1, "intercept", err)) != NEY_OK ||
        (st = ney_check_finite(&gamma, 1, "gamma", err)) != NEY_OK) {
        return st;
    }
    features *const part = features_new(env, map->n, map->cols);
    if (!part) {
        return ney_no_memory(err, map->n, "random features");
    }
    ney_fourier_set(&part->map, map->value);
    memcpy(part->weight, weight, (size_t)map->n * sizeof *weight);
    part->gamma = gamma;
    part->intercept = intercept;
    return ney_model_with_part(out, env, preprocessing, &ney_family_features, part, err);
}

bool ney_model_features(const ney_model *m, ney_fourier *map, double *gamma, const double **weight,
                        double *intercept)
{
    if (m->family != &ney_family_features) {
        return false;
    }
    const features *const f = m->part;
    *map = f->map;
    *gamma = f->gamma;
    *weight = f->weight;
    *intercept = f->intercept;
    return true;
}
