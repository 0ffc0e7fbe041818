/* The features family: f(x) = w'phi(x) + b with random Fourier features phi [FOURIER.1]. */
#include "kernel/fourier.h"
#include "linalg/block.h"
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

static void free_part(const ney_env *env, void *part)
{
    features *const f = part;
    if (f) {
        ney_fourier_deinit(&f->map, env);
        ney_release(env, f->weight);
        ney_release(env, f);
    }
}

static features *new_part(const ney_env *env, int64_t n, int64_t cols)
{
    features *f = ney_alloc_zeroed(env, 1, sizeof *f);
    if (!f) {
        return NULL;
    }
    f->weight = ney_alloc_zeroed(env, n, sizeof *f->weight);
    if (!f->weight || ney_fourier_init(&f->map, env, n, cols, NULL) != NEY_OK) {
        free_part(env, f);
        return NULL;
    }
    return f;
}

static void format(const void *part, ney_text *text)
{
    const features *const f = part;
    const ney_fourier *const w = &f->map;
    ney_text_put(text, "gamma ");
    ney_text_number(text, f->gamma);
    ney_text_put(text, "\nintercept ");
    ney_text_number(text, f->intercept);
    ney_text_put(text, "\nfeatures ");
    ney_text_int(text, f->map.n);
    ney_text_put(text, "\n");
    for (int64_t d = 0; d < w->D; d++) { /* weights of cosine and sine, then the direction */
        ney_text_put(text, " ");
        ney_text_number(text, f->weight[d]);
        ney_text_put(text, " ");
        ney_text_number(text, f->weight[w->D + d]);
        for (int64_t c = 0; c < w->cols; c++) {
            ney_text_put(text, " ");
            ney_text_float(text, w->value[d * w->cols + c]);
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

static void *parse(ney_fields *f, int64_t cols)
{
    ney_fields_key(f, "gamma");
    const double gamma = ney_finite(f, "gamma");
    ney_fields_end(f);
    ney_fields_key(f, "intercept");
    const double intercept = ney_finite(f, "intercept");
    ney_fields_end(f);
    ney_fields_key(f, "features");
    const int64_t n = ney_fields_int(f, 2, INT32_MAX);
    ney_fields_end(f);
    if (f->status == NEY_OK && n % 2 != 0) {
        ney_fields_fail(f, "%lld features, expected an even number", (long long)n);
    } else if (f->status == NEY_OK &&
               (double)n / 2 * (double)(cols + 2) > (double)(f->end - f->at) / 2) {
        ney_fields_fail(f, "expected %lld features, the file is shorter", (long long)n);
    }
    if (f->status != NEY_OK) {
        return NULL;
    }
    features *part = new_part(f->env, n, cols);
    if (!part) {
        f->status = ney_no_memory(f->err, n, "random features");
        return NULL;
    }
    part->gamma = gamma;
    part->intercept = intercept;
    read_features(f, part);
    if (f->status != NEY_OK) {
        free_part(f->env, part);
        return NULL;
    }
    return part;
}

/* Features of NEY_FOURIER_ROWS rows, and what the map writes in. */
static int64_t scratch(const void *part)
{
    const features *const f = part;
    return (int64_t)sizeof(float) * f->map.n * NEY_FOURIER_ROWS + ney_fourier_room(&f->map);
}

static double work(const void *part)
{
    const features *const f = part;
    return (double)f->map.D * (double)(f->map.cols + 20);
}

static void score_block(const void *part, const ney_matrix *x, int64_t first, int64_t n,
                        double *out, void *room)
{
    const features *const f = part;
    float *const phi = room;
    for (int64_t i = 0; i < n; i += NEY_FOURIER_ROWS) {
        const int64_t m = n - i < NEY_FOURIER_ROWS ? n - i : NEY_FOURIER_ROWS;
        ney_row_at at[NEY_FOURIER_ROWS];
        for (int64_t k = 0; k < m; k++) {
            at[k] = (ney_row_at){x, first + i + k};
        }
        ney_fourier_map(&f->map, at, m, phi, phi + f->map.n * NEY_FOURIER_ROWS);
        for (int64_t k = 0; k < m; k++) {
            out[i + k] = ney_block_dot(phi + k * f->map.n, f->weight, f->map.n) + f->intercept;
        }
    }
}

const ney_family ney_family_features = {
    .name = "features",
    .format = format,
    .parse = parse,
    .scratch = scratch,
    .work = work,
    .score_block = score_block,
    .free = free_part,
};

ney_status ney_model_new_features(ney_model **out, const ney_env *env, const ney_recipe *recipe,
                                  const ney_fourier *map, double gamma, const double *weight,
                                  double intercept, ney_error *err)
{
    ney_recipe *copy = NULL;
    ney_model *m = NULL;
    ney_status st;

    *out = NULL;
    if ((st = ney_check_finite(weight, map->n, "weight", err)) != NEY_OK ||
        (st = ney_check_finite(&intercept, 1, "intercept", err)) != NEY_OK ||
        (st = ney_check_finite(&gamma, 1, "gamma", err)) != NEY_OK ||
        (st = ney_recipe_copy(&copy, env, recipe, err)) != NEY_OK ||
        (st = ney_model_new(&m, env, copy, &ney_family_features, err)) != NEY_OK) {
        return st;
    }
    features *const part = new_part(env, map->n, map->cols);
    if (!part) {
        ney_model_free(m);
        return ney_no_memory(err, map->n, "random features");
    }
    ney_fourier_set(&part->map, map->value);
    memcpy(part->weight, weight, (size_t)map->n * sizeof *weight);
    part->gamma = gamma;
    part->intercept = intercept;
    m->part = part;
    *out = m;
    return NEY_OK;
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
