#include "qp/part.h"

#include <string.h>

/* The rows of a dense matrix, or the entries of the rows of a sparse one, one after another. */
static bool copy_rows(ney_part *part, const ney_matrix *x, int64_t n)
{
    const ney_env *env = &part->env;
    part->x = (ney_matrix){.rows = n, .cols = x->cols};
    if (x->dense) {
        float *dense = ney_alloc(env, n * x->cols, sizeof *dense);
        for (int64_t k = 0; dense && k < n; k++) {
            memcpy(dense + k * x->cols, x->dense + part->row[k] * x->cols,
                   (size_t)x->cols * sizeof *dense);
        }
        part->x.dense = dense;
        return dense;
    }
    int64_t *start = ney_alloc_zeroed(env, n + 1, sizeof *start);
    for (int64_t k = 0; start && k < n; k++) {
        start[k + 1] = start[k] + x->start[part->row[k] + 1] - x->start[part->row[k]];
    }
    int32_t *index = start ? ney_alloc(env, start[n], sizeof *index) : NULL;
    float *value = start ? ney_alloc(env, start[n], sizeof *value) : NULL;
    for (int64_t k = 0; index && value && k < n; k++) {
        const int64_t from = x->start[part->row[k]];
        const size_t entries = (size_t)(start[k + 1] - start[k]);
        memcpy(index + start[k], x->index + from, entries * sizeof *index);
        memcpy(value + start[k], x->value + from, entries * sizeof *value);
    }
    part->x.start = start;
    part->x.index = index;
    part->x.value = value;
    return start && index && value;
}

static double *gather(const ney_part *part, const double *from, int64_t n)
{
    double *to = ney_alloc(&part->env, n, sizeof *to);
    for (int64_t k = 0; to && k < n; k++) {
        to[k] = from[part->row[k]];
    }
    return to;
}

ney_status ney_part_init(ney_part *part, const ney_env *env, const ney_matrix *x, const ney_qp *p,
                         const bool *in, ney_error *err)
{
    int64_t n = 0;
    *part = (ney_part){.env = *env};
    for (int64_t i = 0; i < p->n; i++) {
        n += in[i];
    }
    part->row = ney_alloc(env, n, sizeof *part->row);
    for (int64_t i = 0, k = 0; part->row && i < p->n; i++) {
        if (in[i]) {
            part->row[k++] = i;
        }
    }
    if (part->row && copy_rows(part, x, n)) {
        part->p = (ney_qp){.n = n,
                           .low = gather(part, p->low, n),
                           .middle = gather(part, p->middle, n),
                           .high = gather(part, p->high, n),
                           .slope_low = gather(part, p->slope_low, n),
                           .slope_high = gather(part, p->slope_high, n)};
        part->v = ney_alloc(env, n, sizeof *part->v);
        part->f = ney_alloc(env, n, sizeof *part->f);
    }
    if (!part->p.low || !part->p.middle || !part->p.high || !part->p.slope_low ||
        !part->p.slope_high || !part->v || !part->f) {
        ney_part_deinit(part);
        return ney_no_memory(err, n, "rows of a part");
    }
    return NEY_OK;
}

void ney_part_deinit(ney_part *part)
{
    const ney_env *env = &part->env;
    ney_release(env, part->row);
    ney_release(env, (void *)part->x.dense); /* made by copy_rows() */
    ney_release(env, (void *)part->x.start);
    ney_release(env, (void *)part->x.index);
    ney_release(env, (void *)part->x.value);
    ney_release(env, (void *)part->p.low); /* made by gather() */
    ney_release_all(env, (void *)part->p.middle, (void *)part->p.high, (void *)part->p.slope_low,
                    (void *)part->p.slope_high, part->v, part->f);
}

void ney_part_load(ney_part *part, const double *v, const double *f)
{
    for (int64_t k = 0; k < part->p.n; k++) {
        part->v[k] = v[part->row[k]];
        part->f[k] = f[part->row[k]];
    }
}
