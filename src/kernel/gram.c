#include "kernel/gram.h"

#include "base/clock.h"
#include "base/parallel.h"
#include "kernel/power.h"
#include "linalg/block.h"
#include "linalg/rows.h"

#include <math.h>

enum { TILE_ROWS = 256, TASK_ROWS = 4096 };

static const size_t TILE_BYTES = sizeof(double) * TILE_ROWS * NEY_LANES;

/* The longest row: its |x|^2. */
static double longest_square(const ney_matrix *x)
{
    double longest = 0;
    for (int64_t i = 0; i < x->rows; i++) {
        longest = fmax(longest, ney_row_square(x, i));
    }
    return longest;
}

static bool is_in_float_range(double value)
{
    return value == 0 || (value > 1e-30 && value < 1e30);
}

bool ney_gram_needs_fine(const ney_matrix *x, const ney_kernel *kernel)
{
    const double longest = longest_square(x), argument = kernel->gamma * longest;
    return !is_in_float_range(longest) ||
           (kernel->kind == NEY_KERNEL_RBF && !is_in_float_range(kernel->gamma)) ||
           (kernel->kind == NEY_KERNEL_SIGMOID && 0x1p-24 * argument > 1e-3);
}

/* What no kernel value exceeds, by Cauchy and Schwarz. */
static double largest_value(const ney_kernel *k, double longest)
{
    switch (k->kind) {
    case NEY_KERNEL_POLY:
        return pow(fabs(k->gamma) * longest + fabs(k->coef0), (double)k->degree);
    case NEY_KERNEL_LINEAR:
        return longest;
    case NEY_KERNEL_RBF:
    case NEY_KERNEL_SIGMOID:
        break;
    }
    return 1;
}

static ney_status check_range(const ney_kernel *k, const ney_matrix *x, ney_error *err)
{
    const double longest = longest_square(x), largest = largest_value(k, longest);
    const double argument = fabs(k->gamma) * longest + fabs(k->coef0);
    if (!(largest == 0 || (largest >= 1e-30 && largest <= 1e37))) {
        return ney_fail(err, NEY_EINVAL,
                        "kernel values up to %g, expected 1e-30 to 1e37: scale the columns, or "
                        "choose another gamma, coef0 or degree",
                        largest);
    }
    if (k->kind == NEY_KERNEL_SIGMOID && !(argument <= 1e12)) {
        return ney_fail(err, NEY_EINVAL,
                        "arguments of the sigmoid up to %g, expected at most 1e12: scale the "
                        "columns, or choose another gamma or coef0",
                        argument);
    }
    return NEY_OK;
}

ney_status ney_gram_init(ney_gram *g, const ney_env *env, const ney_matrix *x,
                         const ney_kernel *kernel, bool fine, ney_error *err)
{
    *g = (ney_gram){.env = *env, .kernel = *kernel, .fine = fine};
    const ney_status st = check_range(kernel, x, err);
    if (st != NEY_OK) {
        return st;
    }
    g->x = x;
    g->norm = ney_alloc(env, x->rows, sizeof *g->norm);
    g->float_norm = ney_alloc(env, x->rows, sizeof *g->float_norm);
    g->tile = ney_alloc(env, ney_threads(env), TILE_BYTES);
    if (!g->norm || !g->float_norm || !g->tile) {
        ney_gram_deinit(g);
        return ney_no_memory(err, x->rows, "norms of rows");
    }
    for (int64_t i = 0; i < x->rows; i++) {
        g->norm[i] = kernel->gamma * ney_row_square(x, i);
        g->float_norm[i] = (float)g->norm[i];
    }
    return NEY_OK;
}

void ney_gram_deinit(ney_gram *g)
{
    ney_release_all(&g->env, g->norm, g->float_norm, g->packed, g->tile);
    g->norm = NULL;
    g->tile = NULL;
    g->float_norm = g->packed = NULL;
}

int64_t ney_gram_width(const ney_gram *g)
{
    return g->fine ? 2 * g->x->rows : g->x->rows;
}

double ney_gram_diagonal(const ney_gram *g, int64_t i)
{
    const ney_kernel *k = &g->kernel;
    switch (k->kind) {
    case NEY_KERNEL_RBF:
        return 1;
    case NEY_KERNEL_POLY:
        return ney_power(k->gamma * ney_row_square(g->x, i) + k->coef0, k->degree);
    case NEY_KERNEL_SIGMOID:
        return tanh(k->gamma * ney_row_square(g->x, i) + k->coef0);
    case NEY_KERNEL_LINEAR:
        break;
    }
    return ney_row_square(g->x, i);
}

/* What is asked for: `n_rows` rows, in groups of NEY_LANES. */
typedef struct request {
    ney_gram *gram;
    const int64_t *row;
    int64_t n_rows, tasks_a_group;
    float *const *out;
    double *const *doubles; /* instead of `out` */
} request;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void pack_group(void *context, int64_t group, int thread)
{
    const request *r = context;
    const int64_t first = group * NEY_LANES;
    (void)thread;
    ney_block_pack(r->gram->x, r->row + first, smaller(NEY_LANES, r->n_rows - first),
                   r->gram->packed + first * r->gram->x->cols);
}

/* gamma |x_i - x_j|^2 from the differences, for rows so long that their norms drown it. */
static double exact_distance(const ney_gram *g, int64_t i, int64_t j)
{
    const ney_matrix *x = g->x;
    double sum = 0;
    for (int64_t c = 0; x->dense && c < x->cols; c++) {
        const double d = (double)x->dense[i * x->cols + c] - (double)x->dense[j * x->cols + c];
        sum += d * d;
    }
    if (!x->dense) {
        int64_t a = x->start[i], b = x->start[j];
        while (a < x->start[i + 1] || b < x->start[j + 1]) {
            const int32_t at_a = a < x->start[i + 1] ? x->index[a] : INT32_MAX;
            const int32_t at_b = b < x->start[j + 1] ? x->index[b] : INT32_MAX;
            double d = at_a <= at_b ? (double)x->value[a++] : 0;
            d -= at_b <= at_a ? (double)x->value[b++] : 0;
            sum += d * d;
        }
    }
    return g->kernel.gamma * sum;
}

enum { LONG_ROWS = 16 }; /* sums of two norms from which rounding of the exponent may matter */

/* The exponent below which its rounding, a few 1e-7 of the norms, moves the kernel value no more
 * than that of an exponent at norms of LONG_ROWS does: exp(e) norms < LONG_ROWS. It is below that
 * by what rounding may be, so that an exponent that is all rounding is not taken for a small one.
 */
static float safe_exponent(float norms)
{
    return logf(LONG_ROWS / norms) - 1e-5f * norms;
}

/* Products become kernel values; rows first .. of the matrix against the lanes of a group. In float
 * the exponent is good to 1e-7 of the norms that it is the difference of: where that is not enough
 * it is computed another way. */
static void rbf_tile(const ney_gram *g, const int64_t *lane_row, int64_t lanes, int64_t first,
                     int64_t n, float *tile)
{
    const float twice = (float)(2 * g->kernel.gamma);
    float lane_norm[NEY_LANES] = {0}, longest = 0;
    for (int64_t l = 0; l < lanes; l++) {
        lane_norm[l] = g->float_norm[lane_row[l]];
        longest = lane_norm[l] > longest ? lane_norm[l] : longest;
    }
    ney_block_exponents(tile, n, g->float_norm + first, lane_norm, twice);
    for (int64_t i = 0; i < n; i++) {
        const float own = g->float_norm[first + i];
        float *e = tile + i * NEY_LANES;
        if (!(own + longest > LONG_ROWS)) {
            continue;
        }
        const float lowest = safe_exponent(own + longest); /* of all lanes */
        for (int64_t l = 0; l < lanes; l++) {
            const float norms = own + lane_norm[l];
            if (!(e[l] < lowest) && norms > LONG_ROWS &&
                !(e[l] < safe_exponent(norms))) { /* also when both overflow */
                e[l] = -(float)exact_distance(g, first + i, lane_row[l]);
            }
        }
    }
    ney_block_exp(tile, n * NEY_LANES);
}

static void other_tile(const ney_kernel *k, int64_t n, float *tile)
{
    for (int64_t i = 0; i < n; i++) {
        const double z = k->gamma * (double)tile[i] + k->coef0;
        tile[i] = (float)(k->kind == NEY_KERNEL_SIGMOID ? tanh(z) : ney_power(z, k->degree));
    }
}

/* Where a row of the tile goes. */
static float *place(const request *r, int64_t group, int64_t lane, int64_t first)
{
    return r->out[group * NEY_LANES + lane] + first;
}

static void float_rows(const request *r, int64_t group, int64_t first, int64_t n, float *tile)
{
    const ney_gram *g = r->gram;
    const int64_t lanes = smaller(NEY_LANES, r->n_rows - group * NEY_LANES);
    ney_block_products(g->x, first, n, g->packed + group * NEY_LANES * g->x->cols, tile);
    if (g->kernel.kind == NEY_KERNEL_RBF) {
        rbf_tile(g, r->row + group * NEY_LANES, lanes, first, n, tile);
    } else if (g->kernel.kind != NEY_KERNEL_LINEAR) {
        other_tile(&g->kernel, n * NEY_LANES, tile);
    }
    float *out[NEY_LANES];
    for (int64_t l = 0; l < lanes; l++) {
        out[l] = place(r, group, l, first);
    }
    ney_block_unpack(tile, n, lanes, out);
}

/* ---- in double */

static void fine_rbf_tile(const ney_gram *g, const int64_t *lane_row, int64_t lanes, int64_t first,
                          int64_t n, double *tile)
{
    const double twice = 2 * g->kernel.gamma, long_rows = 64, far = -40;
    for (int64_t i = 0; i < n; i++) {
        double *e = tile + i * NEY_LANES;
        for (int64_t l = 0; l < lanes; l++) {
            const double norms = g->norm[first + i] + g->norm[lane_row[l]];
            const double to = twice * e[l] - norms;
            e[l] = to < 0 ? to : 0;
            if (norms > long_rows && !(e[l] < far - 1e-14 * norms)) {
                e[l] = -exact_distance(g, first + i, lane_row[l]);
            }
        }
    }
    ney_block_exp_fine(tile, n * NEY_LANES);
}

static void fine_other_tile(const ney_kernel *k, int64_t n, double *tile)
{
    for (int64_t i = 0; i < n; i++) {
        const double z = k->gamma * tile[i] + k->coef0;
        tile[i] = k->kind == NEY_KERNEL_SIGMOID ? tanh(z) : ney_power(z, k->degree);
    }
}

static void fine_rows(const request *r, int64_t group, int64_t first, int64_t n, double *tile)
{
    const ney_gram *g = r->gram;
    const int64_t lanes = smaller(NEY_LANES, r->n_rows - group * NEY_LANES);
    ney_block_products_fine(g->x, first, n, g->packed + group * NEY_LANES * g->x->cols, tile);
    if (g->kernel.kind == NEY_KERNEL_RBF) {
        fine_rbf_tile(g, r->row + group * NEY_LANES, lanes, first, n, tile);
    } else if (g->kernel.kind != NEY_KERNEL_LINEAR) {
        fine_other_tile(&g->kernel, n * NEY_LANES, tile);
    }
    for (int64_t l = 0; l < lanes; l++) {
        if (r->doubles) {
            double *const whole = r->doubles[group * NEY_LANES + l] + first;
            for (int64_t i = 0; i < n; i++) {
                whole[i] = tile[i * NEY_LANES + l];
            }
            continue;
        }
        float *to = place(r, group, l, first), *rest = to + g->x->rows;
        for (int64_t i = 0; i < n; i++) {
            const double value = tile[i * NEY_LANES + l];
            to[i] = (float)value;
            rest[i] = isfinite(to[i]) ? (float)(value - (double)to[i]) : 0;
        }
    }
}

/* ---- all of it */

static void compute_task(void *context, int64_t task, int thread)
{
    const request *r = context;
    ney_gram *g = r->gram;
    const int64_t group = task / r->tasks_a_group, part = task % r->tasks_a_group;
    const int64_t last = smaller((part + 1) * TASK_ROWS, g->x->rows);
    void *tile = (char *)g->tile + (size_t)thread * TILE_BYTES;

    for (int64_t first = part * TASK_ROWS; first < last; first += TILE_ROWS) {
        const int64_t n = smaller(TILE_ROWS, last - first);
        if (g->fine) {
            fine_rows(r, group, first, n, tile);
        } else {
            float_rows(r, group, first, n, tile);
        }
    }
}

static bool compute(request *r)
{
    ney_gram *const g = r->gram;
    const int64_t groups = (r->n_rows + NEY_LANES - 1) / NEY_LANES;
    r->tasks_a_group = (g->x->rows + TASK_ROWS - 1) / TASK_ROWS;
    if (!ney_grow(&g->env, &g->packed, &g->packed_cap, groups * NEY_LANES * g->x->cols + 1,
                  sizeof *g->packed)) {
        return false;
    }
    const double begin = ney_now();
    ney_parallel_for(&g->env, groups, pack_group, r);
    ney_parallel_for(&g->env, groups * r->tasks_a_group, compute_task, r);
    g->computed += r->n_rows;
    g->seconds += ney_now() - begin;
    return true;
}

bool ney_gram_rows(ney_gram *g, const int64_t *row, int64_t n_rows, float *const *out)
{
    return compute(&(request){.gram = g, .row = row, .n_rows = n_rows, .out = out});
}

bool ney_gram_doubles(ney_gram *g, const int64_t *row, int64_t n_rows, double *const *out)
{
    return compute(&(request){.gram = g, .row = row, .n_rows = n_rows, .doubles = out});
}
