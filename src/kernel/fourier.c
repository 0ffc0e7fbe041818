#include "kernel/fourier.h"

#include "base/rng.h"

#include <math.h>
#include <string.h>

enum { LINE = 16 }; /* numbers of a cache line: a load across two of them takes twice as long */

ney_status ney_fourier_init(ney_fourier *f, const ney_env *env, int64_t n, int64_t cols,
                            ney_error *err)
{
    const int64_t D = n / 2;
    *f = (ney_fourier){.n = n, .D = D, .cols = cols};
    f->value = ney_alloc_zeroed(env, D * cols, sizeof *f->value);
    f->block = ney_alloc_zeroed(env, ney_fourier_table_size(D, cols) + LINE, sizeof *f->block);
    if (!f->value || !f->block) {
        return ney_no_memory(err, n, "random features");
    }
    const size_t beyond = (uintptr_t)f->block / sizeof *f->block % LINE;
    f->table = f->block + (LINE - beyond) % LINE;
    return NEY_OK;
}

void ney_fourier_deinit(ney_fourier *f, const ney_env *env)
{
    ney_release(env, f->value);
    ney_release(env, f->block);
    *f = (ney_fourier){0};
}

void ney_fourier_draw(ney_fourier *f, double gamma, uint64_t seed)
{
    ney_rng rng = {seed};
    for (int64_t k = 0; k < f->D * f->cols; k++) { /* normal deviates (Box and Muller) */
        const double u = 1 - ney_rng_unit(&rng), angle = 6.283185307179586 * ney_rng_unit(&rng);
        f->value[k] = (float)(sqrt(2 * gamma) * sqrt(-2 * log(u)) * cos(angle));
    }
    ney_fourier_set(f, f->value);
}

void ney_fourier_set(ney_fourier *f, const float *value)
{
    memmove(f->value, value, (size_t)(f->D * f->cols) * sizeof *value);
    ney_fourier_table_fill(f->value, f->D, f->cols, f->table);
}

int64_t ney_fourier_workspace(const ney_fourier *f)
{
    return NEY_FOURIER_ROWS * f->cols * (int64_t)(sizeof(int32_t) + sizeof(float));
}

void ney_fourier_map(const ney_fourier *f, const ney_row_at *at, int64_t n_rows, float *phi,
                     void *work)
{
    const ney_fourier_table frequencies = {f->table, f->D, f->cols,
                                           (float)(1 / sqrt((double)f->D))};
    ney_entries row[NEY_FOURIER_ROWS];
    int32_t *const index = work;
    float *const value = (float *)(void *)(index + NEY_FOURIER_ROWS * f->cols);
    for (int64_t i = 0; i < n_rows; i++) {
        row[i] =
            ney_entries_of(at[i].x, at[i].row, f->cols, index + i * f->cols, value + i * f->cols);
    }
    ney_fourier_features_map(&frequencies, row, n_rows, phi);
}
