/* What the parts of smooth.h share. */
#ifndef NEY_LEARN_BATCH_SMOOTH_RUN_H
#define NEY_LEARN_BATCH_SMOOTH_RUN_H

#include "learn/batch/smooth.h"

/* Rows that are worked on at once, and parts that a sum of vectors is cut into at most: by the data
 * alone. Where processes share the rows, blocks are theirs, and are the parts too. */
enum { NEY_SMOOTH_BLOCK = 4096, NEY_SMOOTH_PARTS = 16 };

static inline int64_t ney_smooth_blocks(const ney_smooth *s)
{
    return s->blocks ? s->blocks->n : (s->n + NEY_SMOOTH_BLOCK - 1) / NEY_SMOOTH_BLOCK;
}

static inline int64_t ney_smooth_block_begin(const ney_smooth *s, int64_t block)
{
    return s->blocks ? s->blocks->begin[block] : block * NEY_SMOOTH_BLOCK;
}

static inline int64_t ney_smooth_block_end(const ney_smooth *s, int64_t block)
{
    const int64_t end = (block + 1) * NEY_SMOOTH_BLOCK;
    return s->blocks ? s->blocks->begin[block + 1] : end < s->n ? end : s->n;
}

/* Where row a of a lower triangle begins, whose rows follow each other. */
static inline int64_t ney_smooth_triangle(int64_t a)
{
    return a * (a + 1) / 2;
}

/* The loss of a row at margin z, and its slope, in units of C_i / (2 eta). */
typedef struct ney_corner {
    double loss, slope;
    bool is_round, is_concave; /* near eta, near -eta */
} ney_corner;

static inline ney_corner ney_corner_at(const ney_smooth *s, int64_t k, double z)
{
    const double eta = s->r->eta, inside = eta - z + s->width;
    const bool is_round = inside > 0 && inside < 2 * s->width;
    const double rise = is_round ? inside / (2 * s->width) : inside > 0;
    const bool clipped = s->is_fixed ? s->fixed[k] != 0 : z < -eta;
    return (ney_corner){.loss = (inside < 2 * s->width ? s->width * rise * rise : eta - z) +
                                (clipped ? z + eta : 0),
                        .slope = clipped - rise,
                        .is_round = is_round,
                        .is_concave = !s->is_fixed && fabs(z + eta) < s->width};
}

/* What is bounded, from losses of the classes or their slopes. */
static inline double ney_smooth_bounded(const ney_smooth *s, const double of[2])
{
    return s->share[0] * of[0] + s->share[1] * of[1];
}

/* lambda [NP.8], [FDR.6], from slopes in the intercept. */
static inline double ney_smooth_lambda(const ney_smooth *s, const double slope[2])
{
    return -slope[1] / ney_smooth_bounded(s, slope);
}

/* What a row of a class counts, in units of s->unit. */
static inline double ney_smooth_class_weight(const ney_smooth *s, bool is_free)
{
    return s->lambda * s->share[is_free] + is_free;
}

/* ---- sums, smooth_sum.c */

/* Memory for sums; false without. */
bool ney_smooth_sum_init(ney_smooth *s);
void ney_smooth_sum_deinit(ney_smooth *s);

/* What all processes have, from what this one has. */
bool ney_smooth_all(const ney_smooth *s, bool own);

/* Add to `sum` what rows begin .. end - 1 contribute. */
typedef void ney_smooth_add(ney_smooth *s, int64_t begin, int64_t end, double *sum);

/* s->sum = k sums over all rows. */
void ney_smooth_sum(ney_smooth *s, ney_smooth_add *add, int64_t k);

/* Sums over rows at a step along the direction. */
typedef struct ney_smooth_probe {
    ney_smooth *s;
    double step, b;
    ney_ramp_sums sum;
} ney_smooth_probe;

/* The sums over all rows. */
void ney_smooth_probe_all(ney_smooth_probe *at);

/* The intercept at which the bound is met, from a guess, where what is bounded rises, and the sums
 * there. */
bool ney_smooth_find_intercept(ney_smooth_probe *at);

/* to = X w of the rows that are used. */
void ney_smooth_score(ney_smooth *s, const double *w, double *to);

#endif
