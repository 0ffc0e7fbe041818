/* What the parts of smooth.h share. */
#ifndef NEY_LEARN_BATCH_SMOOTH_RUN_H
#define NEY_LEARN_BATCH_SMOOTH_RUN_H

#include "learn/batch/smooth.h"

/* Rows that are worked on at once, and parts that a sum of vectors is cut into at most: by the data
 * alone. */
enum { NEY_SMOOTH_BLOCK = 4096, NEY_SMOOTH_PARTS = 16 };

static inline int64_t ney_smooth_blocks(const ney_smooth *s)
{
    return (s->n + NEY_SMOOTH_BLOCK - 1) / NEY_SMOOTH_BLOCK;
}

static inline int64_t ney_smooth_block_end(const ney_smooth *s, int64_t block)
{
    const int64_t end = (block + 1) * NEY_SMOOTH_BLOCK;
    return end < s->n ? end : s->n;
}

/* Of a part: slopes of either class times rows; curvatures of either sign times rows, and their
 * sums. */
static inline int64_t ney_smooth_part_size(const ney_smooth *s)
{
    return 4 * s->r->task->x->cols + 2;
}

/* The loss of a row at margin z, and its slope, in units of C_i / (2 eta). */
typedef struct ney_corner {
    double loss, slope;
    bool is_round, is_concave; /* near eta, near -eta */
} ney_corner;

static inline ney_corner ney_corner_at(const ney_smooth *s, int64_t k, double z)
{
    const double eta = s->r->eta, u = (eta - z + s->width) / (2 * s->width);
    const double rise = u < 0 ? 0 : u > 1 ? 1 : u;
    const bool clipped = s->is_fixed ? s->clipped[k] : z < -eta;
    return (ney_corner){.loss =
                            (u < 1 ? s->width * rise * rise : eta - z) + (clipped ? z + eta : 0),
                        .slope = clipped - rise,
                        .is_round = u > 0 && u < 1,
                        .is_concave = !s->is_fixed && fabs(z + eta) < s->width};
}

/* Sums over rows at a step along the direction. */
typedef struct ney_smooth_probe {
    ney_smooth *s;
    double step, b;
    bool only_bounded;
    ney_smooth_sums sum;
} ney_smooth_probe;

void ney_smooth_probe_all(ney_smooth_probe *at);

/* The intercept at which the bound is met, from a guess. The loss rises with it. */
bool ney_smooth_find_intercept(ney_smooth_probe *at);

/* to = X w of the rows that are used. */
void ney_smooth_score(ney_smooth *s, const double *w, double *to);

#endif
