#include "kernel/fourier.h"

#include "base/rng.h"

#include <math.h>

ney_status ney_fourier_init(ney_fourier *f, const ney_env *env, int64_t n, int64_t cols,
                            ney_error *err)
{
    const int64_t D = n / 2;
    *f = (ney_fourier){.n = n};
    f->value = ney_alloc_zeroed(env, D * cols, sizeof *f->value);
    if (!f->value) {
        return ney_no_memory(err, n, "random features");
    }
    f->direction = (ney_matrix){.rows = D, .cols = cols, .dense = f->value};
    return NEY_OK;
}

void ney_fourier_deinit(ney_fourier *f, const ney_env *env)
{
    ney_release(env, f->value);
    *f = (ney_fourier){0};
}

void ney_fourier_draw(ney_fourier *f, double gamma, uint64_t seed)
{
    ney_rng rng = {seed};
    const int64_t n = f->direction.rows * f->direction.cols;
    for (int64_t k = 0; k < n; k++) { /* normal deviates (Box and Muller) */
        const double u = 1 - ney_rng_unit(&rng), angle = 6.283185307179586 * ney_rng_unit(&rng);
        f->value[k] = (float)(sqrt(2 * gamma) * sqrt(-2 * log(u)) * cos(angle));
    }
}

int64_t ney_fourier_scratch(const ney_fourier *f)
{
    return f->direction.rows * NEY_LANES;
}

void ney_fourier_map(const ney_fourier *f, const float *packed, int64_t n_rows, float *phi,
                     float *scratch)
{
    const int64_t D = f->direction.rows;
    const float scale = (float)(1 / sqrt((double)D));
    float *to[NEY_LANES];
    ney_block_products(&f->direction, 0, D, packed, scratch);
    for (int64_t lane = 0; lane < n_rows; lane++) {
        to[lane] = phi + lane * f->n;
    }
    ney_block_unpack(scratch, D, n_rows, to); /* angles where their cosines will be */
    for (int64_t lane = 0; lane < n_rows; lane++) {
        ney_block_cossin(to[lane], D, scale, to[lane], to[lane] + D);
    }
}
