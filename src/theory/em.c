/* Expectation-maximisation for a mixture of k Gaussians with full covariances.
 *
 *     r_ij = pi_j N(x_i; mu_j, S_j) / sum_l pi_l N(x_i; mu_l, S_l)                        [ASY.12]
 *     N_j = sum_i c_i r_ij,  pi_j = N_j / N,  mu_j = sum_i c_i r_ij x_i / N_j,
 *     S_j = sum_i c_i r_ij (x_i - mu_j)(x_i - mu_j)' / N_j + diag(floor)                  [ASY.13]
 *
 * The floor keeps the likelihood bounded where rows repeat or columns hardly vary. */
#include "theory/em.h"

#include "base/rng.h"
#include "linalg/cholesky.h"
#include "linalg/vector.h"

#include <math.h>
#include <string.h>

/* What a run needs besides its result. */
typedef struct em_work {
    const ney_em_rows *rows;
    ney_em_fit *fit;
    double *share;  /* r_ij, n x k */
    double *factor; /* of the covariances, k x d x d */
    double *base;   /* log pi_j - log det / 2 - d log(2 pi) / 2, k */
    double *row;    /* d */
} em_work;

/* ------------------------------------------------------------------ the start */

static double distance_to(const ney_em_rows *rows, int64_t i, const double *centre)
{
    double sum = 0;

    for (int64_t j = 0; j < rows->d; j++) {
        const double gap = rows->x[i * rows->d + j] - centre[j];
        sum += gap * gap / rows->floor[j]; /* in units of the columns */
    }
    return sum;
}

/* A row drawn in proportion to `chance`, n numbers. */
static int64_t draw_row(ney_rng *rng, const double *chance, int64_t n)
{
    double total = 0;

    for (int64_t i = 0; i < n; i++) {
        total += chance[i];
    }
    double left = ney_rng_unit(rng) * total;
    for (int64_t i = 0; i < n; i++) {
        left -= chance[i];
        if (left < 0) {
            return i;
        }
    }
    return n - 1;
}

/* Centres far from each other (k-means++) for an even seed, any rows for an odd one, which outliers
 * mislead less; every row is given to the nearest. `share` holds the distances before that. */
static void start_components(const em_work *w, uint64_t seed)
{
    const ney_em_rows *rows = w->rows;
    const int64_t n = rows->n, d = rows->d, k = w->fit->k;
    double *far = w->share, *mean = w->fit->mean;
    ney_rng rng = {seed};

    memcpy(far, rows->count, (size_t)n * sizeof *far);
    for (int64_t j = 0; j < k; j++) {
        const int64_t chosen = draw_row(&rng, far, n);
        memcpy(mean + j * d, rows->x + chosen * d, (size_t)d * sizeof *mean);
        for (int64_t i = 0; i < n; i++) {
            const double here = rows->count[i] * distance_to(rows, i, mean + j * d);
            far[i] = seed % 2 ? rows->count[i] : j == 0 ? here : fmin(far[i], here);
        }
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        int64_t nearest = 0;
        double least = (double)INFINITY;
        for (int64_t j = 0; j < k; j++) {
            const double here = distance_to(rows, i, mean + j * d);
            nearest = here < least ? j : nearest;
            least = fmin(least, here);
        }
        for (int64_t j = 0; j < k; j++) {
            w->share[i * k + j] = j == nearest ? 1 : 0;
        }
    }
}

/* ------------------------------------------------------------------ the two steps */

/* [ASY.13]. False when a component has no row left. */
static bool maximise_component(const em_work *w, int64_t j)
{
    const ney_em_rows *rows = w->rows;
    const int64_t d = rows->d, k = w->fit->k;
    double *mean = w->fit->mean + j * d, *cov = w->fit->cov + j * d * d, held = 0;

    memset(mean, 0, (size_t)d * sizeof *mean);
    memset(cov, 0, (size_t)(d * d) * sizeof *cov);
    for (int64_t i = 0; i < rows->n; i++) {
        const double part = rows->count[i] * w->share[i * k + j];
        held += part;
        for (int64_t c = 0; c < d; c++) {
            mean[c] += part * rows->x[i * d + c];
        }
    }
    if (!(held > 1e-9 * rows->total)) {
        return false;
    }
    for (int64_t c = 0; c < d; c++) {
        mean[c] /= held;
    }
    for (int64_t i = 0; i < rows->n; i++) {
        const double part = rows->count[i] * w->share[i * k + j] / held;
        if (part > 0) {
            for (int64_t c = 0; c < d; c++) {
                w->row[c] = rows->x[i * d + c] - mean[c];
                const double scaled = part * w->row[c];
                for (int64_t e = 0; e <= c; e++) {
                    cov[c * d + e] += scaled * w->row[e];
                }
            }
        }
    }
    for (int64_t c = 0; c < d; c++) {
        cov[c * d + c] += rows->floor[c];
        for (int64_t e = 0; e < c; e++) {
            cov[e * d + c] = cov[c * d + e];
        }
    }
    w->fit->weight[j] = held / rows->total;
    return true;
}

static bool factor_component(const em_work *w, int64_t j)
{
    const double log_two_pi = 1.83787706640934548356;
    const int64_t d = w->rows->d;
    double *factor = w->factor + j * d * d;

    memcpy(factor, w->fit->cov + j * d * d, (size_t)(d * d) * sizeof *factor);
    if (!ney_cholesky_factor(factor, d)) {
        return false;
    }
    w->base[j] = log(w->fit->weight[j]) - 0.5 * (double)d * log_two_pi;
    for (int64_t c = 0; c < d; c++) {
        w->base[j] -= log(factor[c * d + c]);
    }
    return true;
}

/* [ASY.12]; returns the log likelihood. */
static double expect_memberships(const em_work *w)
{
    const ney_em_rows *rows = w->rows;
    const int64_t d = rows->d, k = w->fit->k;
    double total = 0;

    for (int64_t i = 0; i < rows->n; i++) {
        double *share = w->share + i * k, most = -(double)INFINITY, sum = 0;
        for (int64_t j = 0; j < k; j++) {
            for (int64_t c = 0; c < d; c++) {
                w->row[c] = rows->x[i * d + c] - w->fit->mean[j * d + c];
            }
            ney_cholesky_forward(w->factor + j * d * d, d, w->row);
            share[j] = w->base[j] - 0.5 * ney_dot(w->row, w->row, d);
            most = fmax(most, share[j]);
        }
        for (int64_t j = 0; j < k; j++) {
            share[j] = exp(share[j] - most);
            sum += share[j];
        }
        for (int64_t j = 0; j < k; j++) {
            share[j] /= sum;
        }
        total += rows->count[i] * (most + log(fmax(sum, 1))); /* the largest term is 1 */
    }
    return total;
}

/* ------------------------------------------------------------------ the run */

static ney_status iterate_em(const em_work *w, ney_error *err)
{
    enum { MOST_ITERATIONS = 300 };
    const double enough = 1e-6; /* of a row's log likelihood */
    const int64_t k = w->fit->k, d = w->rows->d;
    double before = -(double)INFINITY;

    for (w->fit->iterations = 1; w->fit->iterations <= MOST_ITERATIONS; w->fit->iterations++) {
        bool valid = true;
        for (int64_t j = 0; j < k && valid; j++) {
            valid = maximise_component(w, j) && factor_component(w, j);
        }
        if (!valid) {
            return NEY_OK; /* and fit->valid stays false */
        }
        const double now = expect_memberships(w);
        w->fit->log_likelihood = now;
        if (!ney_poll(&w->fit->env, "fitting", (double)w->fit->iterations, 0)) {
            return ney_fail(err, NEY_ECANCELLED, "cancelled");
        }
        if (now - before <= enough * w->rows->total || k == 1) {
            break;
        }
        before = now;
    }
    const double numbers = (double)(k - 1 + k * d) + 0.5 * (double)(k * d * (d + 1));
    w->fit->bic = -2 * w->fit->log_likelihood + numbers * log(w->rows->total);
    w->fit->valid = true;
    for (int64_t j = 0; j < k; j++) {
        w->fit->valid &= k == 1 || w->fit->weight[j] * w->rows->total >= (double)d + 1;
    }
    return NEY_OK;
}

ney_status ney_em_init(ney_em_fit *out, const ney_env *env, const ney_em_rows *rows, int64_t k,
                       uint64_t seed, ney_error *err)
{
    const int64_t n = rows->n, d = rows->d;
    double *share = ney_alloc(env, n, (size_t)k * sizeof *share);
    double *rest = ney_alloc(env, k * d * d + k + d, sizeof *rest);
    ney_status st;

    *out = (ney_em_fit){.env = *env, .k = k, .d = d, .bic = (double)INFINITY};
    out->weight = ney_alloc(env, k * (1 + d + d * d), sizeof *out->weight);
    if (!share || !rest || !out->weight) {
        st = ney_no_memory(err, n * k, "shares of rows in components");
    } else {
        const em_work w = {.rows = rows,
                           .fit = out,
                           .share = share,
                           .factor = rest,
                           .base = rest + k * d * d,
                           .row = rest + k * d * d + k};
        out->mean = out->weight + k;
        out->cov = out->mean + k * d;
        start_components(&w, seed);
        st = iterate_em(&w, err);
    }
    ney_release(env, share);
    ney_release(env, rest);
    return st;
}

void ney_em_deinit(ney_em_fit *fit)
{
    if (fit->weight) {
        ney_release(&fit->env, fit->weight);
    }
    fit->weight = NULL;
}
