#include "learn/baseline/moments.h"

#include "base/rng.h"
#include "kernel/gram.h"
#include "linalg/rows.h"

#include <string.h>

enum { MOST_COLUMNS = 2000, MOST_LANDMARKS = 300 };

static ney_status choose_landmarks(ney_moments *m, const ney_task *t, ney_error *err)
{
    const int64_t n = t->x->rows;
    ney_rng rng = {(uint64_t)t->o.seed};
    if (!(m->landmark = ney_alloc(&m->env, n, sizeof *m->landmark))) {
        return ney_no_memory(err, n, "rows");
    }
    for (int64_t i = 0; i < n; i++) {
        m->landmark[i] = i;
    }
    ney_rng_shuffle(&rng, m->landmark, n);
    m->p = n < MOST_LANDMARKS ? n : MOST_LANDMARKS;
    return NEY_OK;
}

static ney_status allocate_moments(ney_moments *m, ney_error *err)
{
    const int64_t p = m->p;
    m->block = ney_alloc_zeroed(&m->env, 3 * p * p + 2 * p, sizeof *m->block);
    if (!m->block) {
        return ney_no_memory(err, 3 * p * p, "covariances");
    }
    m->covariance[0] = m->block;
    m->covariance[1] = m->block + p * p;
    m->ridge = m->block + 2 * p * p;
    m->mean[0] = m->block + 3 * p * p;
    m->mean[1] = m->mean[0] + p;
    return NEY_OK;
}

/* Rows of features on demand. */
typedef struct features {
    const ney_task *t;
    float **of_landmark; /* k(l_j, x_i) at [j][i]; NULL where the columns are the features */
} features;

static void row_of(const features *f, int64_t i, int64_t p, double *z)
{
    if (!f->of_landmark) {
        memset(z, 0, (size_t)p * sizeof *z);
        ney_row_add(f->t->x, i, 1, z);
        return;
    }
    for (int64_t j = 0; j < p; j++) {
        z[j] = (double)f->of_landmark[j][i];
    }
}

/* Two passes, so that small variances keep their digits beside large means. */
static ney_status accumulate_moments(ney_moments *m, const features *f, double *z, ney_error *err)
{
    const ney_task *const t = f->t;
    const int64_t p = m->p;
    double weight[2] = {0, 0};
    for (int64_t i = 0; i < t->x->rows; i++) {
        const int c = t->label[i] > 0;
        const double w = ney_task_weight(t, i);
        row_of(f, i, p, z);
        weight[c] += w;
        for (int64_t j = 0; j < p; j++) {
            m->mean[c][j] += w * z[j];
        }
    }
    if (!(weight[0] > 0) || !(weight[1] > 0)) {
        return ney_fail(err, NEY_EINVAL,
                        "all %s rows have weight 0: the rate of that class is undefined",
                        weight[0] > 0 ? "positive" : "negative");
    }
    for (int64_t j = 0; j < 2 * p; j++) {
        m->mean[0][j] /= weight[j >= p];
    }
    for (int64_t i = 0; i < t->x->rows; i++) {
        const int c = t->label[i] > 0;
        const double w = ney_task_weight(t, i) / weight[c];
        if (i % 256 == 0 && !ney_poll(&t->env, "training", (double)i, (double)t->x->rows)) {
            return ney_fail(err, NEY_ECANCELLED, "cancelled while taking moments");
        }
        row_of(f, i, p, z);
        for (int64_t j = 0; j < p; j++) {
            z[j] -= m->mean[c][j];
        }
        for (int64_t j = 0; j < p; j++) {
            double *const row = &m->covariance[c][j * p];
            const double factor = w * z[j];
            for (int64_t k = 0; k < p; k++) {
                row[k] += factor * z[k];
            }
        }
    }
    return NEY_OK;
}

/* The kernel rows of the landmarks, and the ridge: their kernel with each other. */
static ney_status kernel_rows(ney_moments *m, const ney_task *t, float *block, float **row,
                              ney_error *err)
{
    const int64_t n = t->x->rows;
    ney_gram gram;
    ney_status st = ney_gram_init(&gram, &t->env, t->x, &t->kernel, false, err);
    if (st != NEY_OK) {
        return st;
    }
    for (int64_t j = 0; j < m->p; j++) {
        row[j] = block + j * n;
    }
    if (!ney_gram_rows(&gram, m->landmark, m->p, row)) {
        st = ney_no_memory(err, m->p, "kernel rows");
    }
    for (int64_t j = 0; j < m->p && st == NEY_OK; j++) {
        for (int64_t k = 0; k < m->p; k++) { /* symmetric to the last bit */
            m->ridge[j * m->p + k] =
                j < k ? (double)row[j][m->landmark[k]] : (double)row[k][m->landmark[j]];
        }
    }
    ney_gram_deinit(&gram);
    return st;
}

static ney_status by_kernel(ney_moments *m, ney_task *t, double *z, ney_error *err)
{
    features f = {.t = t, .of_landmark = ney_alloc(&m->env, m->p, sizeof *f.of_landmark)};
    float *block = ney_alloc(&m->env, m->p * t->x->rows, sizeof *block);
    ney_status st = f.of_landmark && block ? kernel_rows(m, t, block, f.of_landmark, err)
                                           : ney_no_memory(err, m->p, "kernel rows");
    if (st == NEY_OK) {
        st = accumulate_moments(m, &f, z, err);
    }
    ney_release(&m->env, block);
    ney_release(&m->env, f.of_landmark);
    return st;
}

ney_status ney_moments_init(ney_moments *m, ney_task *t, ney_error *err)
{
    const bool linear = t->kernel.kind == NEY_KERNEL_LINEAR;
    ney_status st = NEY_OK;
    *m = (ney_moments){.env = t->env, .p = t->x->cols};
    if (linear && m->p > MOST_COLUMNS) {
        return ney_fail(err, NEY_EINVAL,
                        "%lld columns: the covariances of the generative method take at most %d",
                        (long long)m->p, MOST_COLUMNS);
    }
    if ((!linear && (st = choose_landmarks(m, t, err)) != NEY_OK) ||
        (st = allocate_moments(m, err)) != NEY_OK) {
        return st;
    }
    double *z = ney_alloc(&m->env, m->p, sizeof *z);
    if (!z) {
        return ney_no_memory(err, m->p, "features");
    }
    if (linear) {
        for (int64_t j = 0; j < m->p; j++) {
            m->ridge[j * m->p + j] = 1;
        }
        st = accumulate_moments(m, &(features){.t = t}, z, err);
    } else {
        st = by_kernel(m, t, z, err);
    }
    ney_release(&m->env, z);
    return st;
}

void ney_moments_deinit(ney_moments *m)
{
    if (m->env.resize) {
        ney_release(&m->env, m->landmark);
        ney_release(&m->env, m->block);
    }
}
