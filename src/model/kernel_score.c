/* Scores of the kernel family.
 *
 * The rbf kernel is computed in single precision, sixteen rows at a time. The error of one kernel
 * value is a few roundings of numbers as large as gamma (|x|^2 + |z|^2), measured from the centre
 * of the support vectors; the errors of the sum's terms are independent, so that of a score is
 * below
 *
 *     2^-24 (4 + 4 gamma (|x|^2 + max |z|^2)) |coefficient|_2
 *
 * (measured: a tenth of that). Where it matters, double is used instead: for rows and support
 * vectors beyond the reach of single precision, and for rows whose score is that near to zero. So
 * the sign of every score is that of the sum in double. All other kernels are computed in double;
 * the linear one has become a vector of weights. */
#include "kernel/power.h"
#include "linalg/block.h"
#include "linalg/rows.h"
#include "linalg/vector.h"
#include "model/family.h"
#include "model/kernel_part.h"

#include <math.h>
#include <string.h>

enum {
    TILE_ROWS = 192, /* support vectors at a time: kernel values that stay in the nearest cache; a
                        multiple of what ney_vector_add_rows() takes at once, so that scores do not
                        depend on it */
    WIDE = 4         /* rows at a time in double */
};

/* ---------------------------------------------------------------- rows to be scored */

/* Entries of a row that the model knows. */
typedef struct entries {
    const float *value;
    const int32_t *index; /* NULL: columns 0, 1, ... */
    int64_t n;
} entries;

static entries entries_of(const ney_kernel_part *p, const ney_matrix *x, int64_t row)
{
    const int64_t cols = p->support.x.cols;
    if (x->dense) {
        return (entries){x->dense + row * x->cols, NULL, x->cols < cols ? x->cols : cols};
    }
    const int64_t begin = x->start[row];
    int64_t n = x->start[row + 1] - begin;
    while (n > 0 && x->index[begin + n - 1] >= cols) {
        n--;
    }
    return (entries){x->value + begin, x->index + begin, n};
}

static double square_of(entries e)
{
    double sum = 0;
    for (int64_t k = 0; k < e.n; k++) {
        sum += (double)e.value[k] * (double)e.value[k];
    }
    return sum;
}

/* Call for each entry in a used column: `to` is its place. */
/* NOLINTBEGIN(bugprone-macro-parentheses): k and to are names that the loop declares */
#define FOR_USED(p, e, k, to)                                                                      \
    for (int64_t k = 0, to; k < (e).n; k++)                                                        \
        if ((to = !(e).index && !(p)->used                                                         \
                      ? k                                                                          \
                      : ney_kernel_place(p, (e).index ? (e).index[k] : (int32_t)k)) >= 0)
/* NOLINTEND(bugprone-macro-parentheses) */

/* ---------------------------------------------------------------- in double */

/* The scratch of one thread, laid out in one block. */
typedef struct scratch {
    double *wide;           /* n_used x WIDE */
    double *limit;          /* one per row of the block: the largest error of its score */
    int64_t *again;         /* rows to compute in double */
    const float **tile_row; /* the rows of tile */
    float *packed;          /* (n_used + 2) x NEY_LANES */
    float *tile;            /* TILE_ROWS x NEY_LANES */
} scratch;

int64_t ney_kernel_scratch(const void *part)
{
    const ney_kernel_part *const p = part;
    const int64_t doubles = p->n_used * WIDE + NEY_SCORE_ROWS;
    const int64_t floats = (p->n_used + 2 + TILE_ROWS) * NEY_LANES;
    return doubles * (int64_t)sizeof(double) + NEY_SCORE_ROWS * (int64_t)sizeof(int64_t) +
           TILE_ROWS * (int64_t)sizeof(float *) + floats * (int64_t)sizeof(float);
}

static scratch lay_out(const ney_kernel_part *p, void *bytes)
{
    scratch s = {.wide = bytes};
    s.limit = s.wide + p->n_used * WIDE;
    s.again = (int64_t *)(void *)(s.limit + NEY_SCORE_ROWS);
    s.tile_row = (const float **)(void *)(s.again + NEY_SCORE_ROWS);
    s.tile = (float *)(void *)(s.tile_row + TILE_ROWS);
    s.packed = s.tile + (int64_t)TILE_ROWS * NEY_LANES;
    return s;
}

static double kernel_value(const ney_kernel *k, double product, double norms)
{
    switch (k->kind) {
    case NEY_KERNEL_RBF: {
        const double square = norms - 2 * product;
        return square > 0 ? exp(-k->gamma * square) : 1; /* below zero it is rounding */
    }
    case NEY_KERNEL_POLY:
        return ney_power(k->gamma * product + k->coef0, k->degree);
    case NEY_KERNEL_SIGMOID:
        return tanh(k->gamma * product + k->coef0);
    case NEY_KERNEL_LINEAR:
        break;
    }
    return product;
}

/* The products of support vector i with WIDE rows side by side. */
static inline void wide_products(const ney_kernel_part *p, int64_t i, const double *wide,
                                 double product[WIDE])
{
    const ney_matrix *const x = &p->support.x;
    double sum[WIDE] = {0};
    if (x->dense) {
        const float *const z = x->dense + i * x->cols;
        for (int64_t c = 0; c < x->cols; c++) {
            for (int l = 0; l < WIDE; l++) {
                sum[l] += (double)z[c] * wide[c * WIDE + l];
            }
        }
    } else {
        for (int64_t k = x->start[i]; k < x->start[i + 1]; k++) {
            const double *const at = wide + (int64_t)p->place[k] * WIDE;
            for (int l = 0; l < WIDE; l++) {
                sum[l] += (double)x->value[k] * at[l];
            }
        }
    }
    memcpy(product, sum, sizeof sum);
}

/* sum[l] = sum_i coefficient_i k(z_i, x_row[l]) over the support vectors in `list`, or all. */
static void sum_wide(const ney_kernel_part *p, const ney_matrix *x, const int64_t *row, int n_rows,
                     const int64_t *list, int64_t n_list, double *wide, double sum[WIDE])
{
    double norm[WIDE] = {0}, product[WIDE];
    memset(wide, 0, (size_t)(p->n_used * WIDE) * sizeof *wide);
    for (int l = 0; l < n_rows; l++) {
        const entries e = entries_of(p, x, row[l]);
        norm[l] = square_of(e);
        FOR_USED(p, e, k, to)
        {
            wide[to * WIDE + l] = (double)e.value[k];
        }
    }
    memset(sum, 0, WIDE * sizeof *sum);
    for (int64_t j = 0; j < n_list; j++) {
        const int64_t i = list ? list[j] : j;
        wide_products(p, i, wide, product);
        for (int l = 0; l < n_rows; l++) {
            sum[l] +=
                p->coefficient[i] * kernel_value(&p->kernel, product[l], norm[l] + p->norm[i]);
        }
    }
}

/* ---------------------------------------------------------------- in single precision */

/* Put a row into a lane; returns gamma |x - centre|^2. */
static double pack_lane(const ney_kernel_part *p, entries e, float *lane)
{
    const float twice = (float)(2 * p->kernel.gamma);
    double sum = 0;
    if (!p->centre) {
        FOR_USED(p, e, k, to)
        {
            lane[to * NEY_LANES] = twice * e.value[k];
        }
        sum = square_of(e);
    } else {
        FOR_USED(p, e, k, to)
        {
            lane[to * NEY_LANES] = e.value[k];
        }
        for (int64_t c = 0; c < p->n_used; c++) {
            const float apart = lane[c * NEY_LANES] - p->centre[c];
            lane[c * NEY_LANES] = twice * apart;
            sum += (double)apart * (double)apart;
        }
    }
    const double reach = p->kernel.gamma * sum;
    lane[p->n_used * NEY_LANES] = 1;
    lane[(p->n_used + 1) * NEY_LANES] = (float)-reach;
    return reach;
}

/* Sums over the near support vectors for up to NEY_LANES rows, and what may be wrong with them. */
static void sum_lanes(const ney_kernel_part *p, const ney_matrix *x, int64_t first, int64_t n,
                      const scratch *s, double *out, double *limit)
{
    const ney_matrix *const near = &p->near.x;
    double sum[NEY_LANES] = {0};
    memset(s->packed, 0, (size_t)((p->n_used + 2) * NEY_LANES) * sizeof *s->packed);
    for (int64_t l = 0; l < n; l++) {
        const double reach = pack_lane(p, entries_of(p, x, first + l), s->packed + l);
        const bool fits = reach <= NEY_KERNEL_REACH; /* NaN does not */
        limit[l] = fits ? p->noise * (4 + 4 * (reach + p->reach)) : (double)INFINITY;
    }
    for (int64_t i = 0; i < near->rows; i += TILE_ROWS) {
        const int64_t rows = near->rows - i < TILE_ROWS ? near->rows - i : TILE_ROWS;
        ney_block_products(near, i, rows, s->packed, s->tile);
        ney_block_exp(s->tile, rows * NEY_LANES);
        ney_vector_add_rows(s->tile_row, p->near_coefficient + i, rows, 0, NEY_LANES, sum);
    }
    memcpy(out, sum, (size_t)n * sizeof *sum);
}

static void score_rbf(const ney_kernel_part *p, const ney_matrix *x, int64_t first, int64_t n,
                      double *out, const scratch *s)
{
    double sum[WIDE];
    int64_t row[WIDE];
    for (int64_t i = 0; i < TILE_ROWS; i++) {
        s->tile_row[i] = s->tile + i * NEY_LANES;
    }
    for (int64_t i = 0; i < n; i += NEY_LANES) {
        sum_lanes(p, x, first + i, n - i < NEY_LANES ? n - i : NEY_LANES, s, out + i, s->limit + i);
    }
    for (int64_t i = 0; p->n_far > 0 && i < n; i += WIDE) {
        const int lanes = n - i < WIDE ? (int)(n - i) : WIDE;
        for (int l = 0; l < lanes; l++) {
            row[l] = first + i + l;
        }
        sum_wide(p, x, row, lanes, p->far, p->n_far, s->wide, sum);
        for (int l = 0; l < lanes; l++) {
            out[i + l] += sum[l];
        }
    }
}

/* ---------------------------------------------------------------- together */

static void score_linear(const ney_kernel_part *p, const ney_matrix *x, int64_t first, int64_t n,
                         double *out)
{
    for (int64_t i = 0; i < n; i++) {
        const entries e = entries_of(p, x, first + i);
        double sum = 0;
        FOR_USED(p, e, k, to)
        {
            sum += (double)e.value[k] * p->weight[to];
        }
        out[i] = sum + p->intercept;
    }
}

void ney_kernel_score(const void *part, const ney_matrix *x, int64_t first, int64_t n, double *out,
                      void *bytes)
{
    const ney_kernel_part *const p = part;
    const scratch s = lay_out(p, bytes);
    const bool rbf = p->kernel.kind == NEY_KERNEL_RBF;
    int64_t n_again = 0;

    if (p->kernel.kind == NEY_KERNEL_LINEAR) {
        score_linear(p, x, first, n, out);
        return;
    }
    if (rbf && p->near.x.rows > 0) {
        score_rbf(p, x, first, n, out, &s);
    }
    for (int64_t i = 0; i < n; i++) {
        const bool known = rbf && p->near.x.rows > 0 && fabs(out[i] + p->intercept) > s.limit[i];
        if (known) {
            out[i] += p->intercept;
        } else {
            s.again[n_again++] = first + i;
        }
    }
    for (int64_t k = 0; k < n_again; k += WIDE) {
        const int lanes = n_again - k < WIDE ? (int)(n_again - k) : WIDE;
        double sum[WIDE];
        sum_wide(p, x, s.again + k, lanes, NULL, p->support.x.rows, s.wide, sum);
        for (int l = 0; l < lanes; l++) {
            out[s.again[k + l] - first] = sum[l] + p->intercept;
        }
    }
}

double ney_kernel_work(const void *part)
{
    const ney_kernel_part *const p = part;
    const ney_matrix *const x = &p->support.x;
    return p->kernel.kind == NEY_KERNEL_LINEAR
               ? 100
               : 100 + (double)ney_matrix_stored(x) + 10 * (double)x->rows;
}
