#include "support/random_qp.h"

#include "support/cmocka_all.h"

#include <math.h>
#include <string.h>

/* Small whole numbers make duplicates, contradictions, rows of zeros and constant columns common.
 */
static void make_rows(random_qp *q, ney_rng *r)
{
    const bool coarse = ney_rng_below(r, 2) == 0, wide = ney_rng_below(r, 4) == 0;
    const double scale = pow(10, (double)(ney_rng_below(r, 3) - 1));
    const double zeros = ney_rng_below(r, 2) == 0 ? 0.6 : 0;
    q->rows = 2 + ney_rng_below(r, QP_ROWS - 1);
    q->cols = wide ? QP_COLS : ney_rng_below(r, 6);
    for (int64_t i = 0; i < q->rows; i++) {
        for (int64_t c = 0; c < q->cols; c++) {
            const double x = coarse ? (double)(ney_rng_below(r, 3) - 1) : 2 * ney_rng_unit(r) - 1;
            q->dense[i * q->cols + c] = ney_rng_unit(r) < zeros ? 0 : (float)(scale * x);
        }
    }
    int64_t k = 0;
    for (int64_t i = 0; i < q->rows * q->cols; i++) {
        if (q->dense[i] != 0) {
            q->index[k] = (int32_t)(i % q->cols);
            q->value[k++] = q->dense[i];
        }
        if ((i + 1) % q->cols == 0) {
            q->start[(i + 1) / q->cols] = k;
        }
    }
}

static void make_hinge(random_qp *q, ney_rng *r)
{
    const bool weighted = ney_rng_below(r, 3) == 0, lonely = ney_rng_below(r, 6) == 0;
    const double dear = 1 + 9 * ney_rng_unit(r);
    for (int64_t i = 0; i < q->rows; i++) {
        const double y = i == 0 ? 1 : i == 1 || lonely || ney_rng_below(r, 2) == 0 ? -1 : 1;
        const double box =
            q->size * (y > 0 ? dear : 1) * (weighted ? (double)ney_rng_below(r, 4) : 1);
        q->low[i] = y > 0 ? 0 : -box;
        q->high[i] = q->middle[i] = y > 0 ? box : 0;
        q->slope_low[i] = q->slope_high[i] = y;
    }
}

/* Boxes around a feasible point. */
static void make_general(random_qp *q, ney_rng *r)
{
    double centre[QP_ROWS], mean = 0;
    for (int64_t i = 0; i < q->rows; i++) {
        centre[i] = 3 * (2 * ney_rng_unit(r) - 1);
        mean += centre[i] / (double)q->rows;
    }
    for (int64_t i = 0; i < q->rows; i++) {
        const double left = ney_rng_unit(r), right = ney_rng_unit(r);
        q->low[i] = q->size * (centre[i] - mean - left);
        q->high[i] = q->size * (centre[i] - mean + right);
        const double part = ney_rng_below(r, 4) == 0 ? 1 : ney_rng_unit(r);
        q->middle[i] = part == 1 ? q->high[i] : q->low[i] + part * (q->high[i] - q->low[i]);
        q->slope_high[i] = 3 * (2 * ney_rng_unit(r) - 1);
        q->slope_low[i] = q->slope_high[i] + (ney_rng_below(r, 4) == 0 ? 0 : 2 * ney_rng_unit(r));
    }
}

void random_qp_make(random_qp *q, ney_rng *r, int least, int most)
{
    memset(q, 0, sizeof *q);
    make_rows(q, r);
    q->size = pow(10, least + (most - least) * ney_rng_unit(r));
    if (ney_rng_below(r, 2) == 0) {
        make_hinge(q, r);
    } else {
        make_general(q, r);
    }
    const bool cold = ney_rng_below(r, 2) == 0;
    for (int64_t i = 0; i < q->rows; i++) {
        q->first[i] = cold ? 0 : q->size * 4 * (2 * ney_rng_unit(r) - 1);
    }
}

ney_matrix random_qp_matrix(const random_qp *q, bool sparse)
{
    if (sparse) {
        return (ney_matrix){.rows = q->rows,
                            .cols = q->cols,
                            .start = q->start,
                            .index = q->index,
                            .value = q->value};
    }
    return (ney_matrix){.rows = q->rows, .cols = q->cols, .dense = q->dense};
}

ney_qp random_qp_problem(const random_qp *q)
{
    return (ney_qp){.n = q->rows,
                    .low = q->low,
                    .middle = q->middle,
                    .high = q->high,
                    .slope_low = q->slope_low,
                    .slope_high = q->slope_high};
}

ref_qp random_qp_judged(random_qp *q, const ney_kernel *kernel)
{
    const ney_matrix x = random_qp_matrix(q, false);
    ref_kernel_matrix(&x, kernel, q->k);
    return (ref_qp){.n = q->rows,
                    .k = q->k,
                    .low = q->low,
                    .middle = q->middle,
                    .high = q->high,
                    .slope_low = q->slope_low,
                    .slope_high = q->slope_high};
}

void assert_feasible(const ney_qp *p, const double *v, const char *what, int64_t seed)
{
    long double sum = 0, size = 0;
    for (int64_t i = 0; i < p->n; i++) {
        sum += v[i];
        size += fmaxl(fabsl((long double)p->low[i]), fabsl((long double)p->high[i]));
        if (!(v[i] >= p->low[i] && v[i] <= p->high[i])) {
            fail_msg("%s, seed %lld: v[%lld] = %.17g is not in [%.17g, %.17g]", what,
                     (long long)seed, (long long)i, v[i], p->low[i], p->high[i]);
        }
    }
    if (fabsl(sum) > 1e-13L * size) {
        fail_msg("%s, seed %lld: sum v = %Lg", what, (long long)seed, sum);
    }
}

ney_matrix random_qp_wide(const random_qp *q)
{
    ney_matrix m = random_qp_matrix(q, true);
    m.cols = QP_WIDE;
    return m;
}
