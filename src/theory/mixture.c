#include "theory/mixture.h"

#include "linalg/cholesky.h"

#include <math.h>
#include <string.h>

static const char *const side_names[2] = {"negative", "positive"};

/* ------------------------------------------------------------------ memory */

/* The next `count` items of `bytes` each; every size is a multiple of a double's. */
static void *carve(unsigned char **at, int64_t count, size_t bytes)
{
    void *piece = *at;
    *at += (size_t)count * bytes;
    return piece;
}

ney_status ney_mixture_allocate(ney_mixture **out, const ney_env *env, int64_t dims,
                                const int64_t n_components[2], ney_error *err)
{
    const ney_env e = ney_env_of(env);
    const int64_t most_dims = 4096, most = 1 << 20, n = n_components[0] + n_components[1];

    *out = NULL;
    if (dims < 1 || dims > most_dims) {
        return ney_fail(err, NEY_EINVAL, "%lld dimensions, expected 1 to %lld", (long long)dims,
                        (long long)most_dims);
    }
    for (int s = 0; s < 2; s++) {
        if (n_components[s] < 1 || n_components[s] > most) {
            return ney_fail(err, NEY_EINVAL, "%lld %s components, expected 1 to %lld",
                            (long long)n_components[s], side_names[s], (long long)most);
        }
    }
    ney_mixture *m = ney_alloc_zeroed(&e, 1, sizeof *m);
    /* per component weight, mean, covariance and public view; per class a mean and a covariance */
    const size_t each = sizeof(double) * (size_t)(1 + dims + dims * dims) + sizeof(ney_gaussian);
    const size_t all = sizeof(ney_twofold) * (size_t)(dims + dims * dims);
    void *block = ney_alloc_zeroed(&e, 1, each * (size_t)n + 2 * all);
    if (!m || !block) {
        ney_release(&e, m);
        ney_release(&e, block);
        return ney_no_memory(err, n, "components of a mixture");
    }
    *m = (ney_mixture){.env = e, .dims = dims, .block = block};
    unsigned char *at = block;
    for (int s = 0; s < 2; s++) {
        ney_mixture_class *c = &m->side[s];
        c->n = n_components[s];
        c->gaussian = carve(&at, c->n, sizeof *c->gaussian);
        c->all_mean = carve(&at, dims, sizeof *c->all_mean);
        c->all_cov = carve(&at, dims * dims, sizeof *c->all_cov);
        c->weight = carve(&at, c->n, sizeof *c->weight);
        c->mean = carve(&at, c->n * dims, sizeof *c->mean);
        c->cov = carve(&at, c->n * dims * dims, sizeof *c->cov);
    }
    *out = m;
    return NEY_OK;
}

void ney_mixture_free(ney_mixture *mixture)
{
    if (mixture) {
        const ney_env env = mixture->env;
        ney_release(&env, mixture->block);
        ney_release(&env, mixture);
    }
}

/* ------------------------------------------------------------------ checks */

static const double LARGEST = 1e100; /* whose products and sums are finite */

static bool all_within_limit(const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (!(fabs(x[i]) <= LARGEST)) {
            return false;
        }
    }
    return true;
}

/* Report the first pair of entries that differs by more than rounding to text. */
static ney_status check_symmetric(const double *cov, int64_t d, const char *side, int64_t k,
                                  ney_error *err)
{
    for (int64_t i = 0; i < d; i++) {
        for (int64_t j = 0; j < i; j++) {
            const double a = cov[i * d + j], b = cov[j * d + i];
            if (fabs(a - b) > 1e-9 * sqrt(fabs(cov[i * d + i] * cov[j * d + j]))) {
                return ney_fail(err, NEY_EINVAL,
                                "the covariance of %s component %lld is not symmetric: entry "
                                "(%lld, %lld) is %g and (%lld, %lld) is %g",
                                side, (long long)k + 1, (long long)i + 1, (long long)j + 1, a,
                                (long long)j + 1, (long long)i + 1, b);
            }
        }
    }
    return NEY_OK;
}

/* Scaled to a unit diagonal first, so that the units of the columns do not matter: what is left of
 * a diagonal entry after the columns before it is 1 minus how well they predict the column. */
static ney_status check_positive(const double *cov, int64_t d, double *work, const char *side,
                                 int64_t k, ney_error *err)
{
    const double least = 1e-13;

    for (int64_t i = 0; i < d; i++) {
        const double variance = cov[i * d + i];
        if (!(variance > 0)) {
            return ney_fail(err, NEY_EINVAL,
                            "the covariance of %s component %lld is not positive definite: the "
                            "variance of column %lld is %g, expected a number above 0",
                            side, (long long)k + 1, (long long)i + 1, variance);
        }
        double *row = work + i * d, rest = 1;
        for (int64_t j = 0; j < i; j++) {
            double sum = cov[i * d + j] / sqrt(variance) / sqrt(cov[j * d + j]);
            for (int64_t l = 0; l < j; l++) {
                sum -= row[l] * work[j * d + l];
            }
            row[j] = sum / work[j * d + j];
            rest -= row[j] * row[j];
        }
        if (!(rest > least)) {
            return ney_fail(err, NEY_EINVAL,
                            "the covariance of %s component %lld is %s: given the columns before "
                            "it, column %lld has %.3g of its variance left, expected more than %g",
                            side, (long long)k + 1,
                            rest < -1e-9 ? "not positive definite" : "singular", (long long)i + 1,
                            rest, least);
        }
        row[i] = sqrt(rest);
    }
    return NEY_OK;
}

static ney_status check_component(const ney_mixture *m, int s, int64_t k, double *work,
                                  ney_error *err)
{
    const ney_mixture_class *c = &m->side[s];
    const int64_t d = m->dims;
    const double *cov = c->cov + k * d * d;
    ney_status st;

    if (!(c->weight[k] >= 1 / LARGEST && c->weight[k] <= LARGEST)) {
        return ney_fail(err, NEY_EINVAL,
                        "the weight of %s component %lld is %g, expected a number above 0, from %g "
                        "to %g",
                        side_names[s], (long long)k + 1, c->weight[k], 1 / LARGEST, LARGEST);
    }
    if (!all_within_limit(c->mean + k * d, d) || !all_within_limit(cov, d * d)) {
        return ney_fail(err, NEY_EINVAL,
                        "a number in the mean or covariance of %s component %lld is not finite, or "
                        "beyond %g",
                        side_names[s], (long long)k + 1, LARGEST);
    }
    if ((st = check_symmetric(cov, d, side_names[s], k, err)) != NEY_OK) {
        return st;
    }
    return check_positive(cov, d, work, side_names[s], k, err);
}

/* ------------------------------------------------------------------ moments */

static void finish_class(ney_mixture_class *c, int64_t d)
{
    double total = 0;

    for (int64_t k = 0; k < c->n; k++) {
        total += c->weight[k];
    }
    for (int64_t k = 0; k < c->n; k++) {
        c->weight[k] /= total;
        double *cov = c->cov + k * d * d;
        for (int64_t i = 0; i < d; i++) { /* make it symmetric */
            for (int64_t j = 0; j < i; j++) {
                cov[i * d + j] = cov[j * d + i] = 0.5 * (cov[i * d + j] + cov[j * d + i]);
            }
            /* from the first mean: weights that sum to nearly 1 must not multiply an offset */
            const ney_twofold from = ney_two_sum(c->mean[k * d + i], -c->mean[i]);
            c->all_mean[i] = ney_two_add(c->all_mean[i], ney_two_scale(from, c->weight[k]));
        }
        c->gaussian[k] = (ney_gaussian){c->weight[k], c->mean + k * d, cov};
    }
    for (int64_t i = 0; i < d; i++) {
        c->all_mean[i] = ney_two_add(c->all_mean[i], ney_two(c->mean[i]));
    }
    for (int64_t k = 0; k < c->n; k++) {
        for (int64_t i = 0; i < d; i++) {
            const ney_twofold from_i =
                ney_two_subtract(ney_two(c->mean[k * d + i]), c->all_mean[i]);
            for (int64_t j = 0; j < d; j++) {
                const ney_twofold from_j =
                    ney_two_subtract(ney_two(c->mean[k * d + j]), c->all_mean[j]);
                const ney_twofold spread = ney_two_add(ney_two(c->cov[(k * d + i) * d + j]),
                                                       ney_two_multiply(from_i, from_j));
                ney_twofold *entry = &c->all_cov[i * d + j];
                *entry = ney_two_add(*entry, ney_two_scale(spread, c->weight[k]));
            }
        }
    }
}

ney_status ney_mixture_finish(ney_mixture *m, ney_error *err)
{
    const int64_t d = m->dims;
    ney_status st = NEY_OK;

    if (!(m->p[NEY_POSITIVE] > 0 && m->p[NEY_POSITIVE] < 1)) {
        return ney_fail(err, NEY_EINVAL,
                        "the share of the positive class is %g, expected a number between 0 and 1",
                        m->p[NEY_POSITIVE]);
    }
    m->p[NEY_NEGATIVE] = 1 - m->p[NEY_POSITIVE];
    double *work = ney_alloc(&m->env, d * d, sizeof *work);
    if (!work) {
        return ney_no_memory(err, d * d, "entries of a covariance");
    }
    for (int s = 1; s >= 0 && st == NEY_OK; s--) {
        for (int64_t k = 0; k < m->side[s].n && st == NEY_OK; k++) {
            st = check_component(m, s, k, work, err);
        }
    }
    ney_release(&m->env, work);
    if (st == NEY_OK) {
        finish_class(&m->side[0], d);
        finish_class(&m->side[1], d);
    }
    return st;
}

/* ------------------------------------------------------------------ public */

static bool components_are_given(const ney_gaussian *g, int64_t n)
{
    for (int64_t k = 0; g && k < n; k++) {
        if (!g[k].mean || !g[k].cov) {
            return false;
        }
    }
    return g != NULL;
}

ney_status ney_mixture_new(ney_mixture **out, const ney_env *env, const ney_mixture_parts *parts,
                           ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out && parts && components_are_given(parts->positive, parts->n_positive) &&
                    components_are_given(parts->negative, parts->n_negative),
                err);
    NEY_REQUIRE_RESERVED(parts, "ney_mixture_parts", err);
    const ney_gaussian *const from[2] = {parts->negative, parts->positive};
    const int64_t n[2] = {parts->n_negative, parts->n_positive}, dims = parts->dims;
    ney_mixture *m;
    ney_status st = ney_mixture_allocate(&m, env, dims, n, err);

    *out = NULL;
    if (st != NEY_OK) {
        return st;
    }
    m->p[NEY_POSITIVE] = parts->p_pos;
    for (int s = 0; s < 2; s++) {
        ney_mixture_class *c = &m->side[s];
        for (int64_t k = 0; k < n[s]; k++) {
            c->weight[k] = from[s][k].weight;
            memcpy(c->mean + k * dims, from[s][k].mean, (size_t)dims * sizeof(double));
            memcpy(c->cov + k * dims * dims, from[s][k].cov,
                   (size_t)(dims * dims) * sizeof(double));
        }
    }
    if ((st = ney_mixture_finish(m, err)) != NEY_OK) {
        ney_mixture_free(m);
        return st;
    }
    *out = m;
    return NEY_OK;
}

int64_t ney_mixture_dims(const ney_mixture *mixture)
{
    if (!mixture) {
        return 0;
    }
    return mixture->dims;
}

double ney_mixture_p_pos(const ney_mixture *mixture)
{
    if (!mixture) {
        return (double)NAN;
    }
    return mixture->p[NEY_POSITIVE];
}

const ney_gaussian *ney_mixture_class_of(const ney_mixture *mixture, int sign,
                                         int64_t *n_components)
{
    if (!mixture || !n_components) {
        return NULL;
    }
    const ney_mixture_class *c = &mixture->side[sign > 0 ? NEY_POSITIVE : NEY_NEGATIVE];

    *n_components = c->n;
    return c->gaussian;
}
