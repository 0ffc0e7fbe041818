/* A problem that is solved with rows left out for a while where memory is short: many rounds, and
 * less than half of the rows active in the last ones. Smaller ones are solved before that is worth
 * it. */
#ifndef TEST_PART_PROBLEM_H
#define TEST_PART_PROBLEM_H

#include "qp/solver.h"
#include "support/cmocka_all.h"
#include "support/random_qp.h"

#include <math.h>

enum { PART_ROWS = 5000, PART_COLS = 4 };

typedef struct part_problem {
    float x[PART_ROWS * PART_COLS];
    double low[PART_ROWS], high[PART_ROWS], slope[PART_ROWS];
    ney_matrix matrix;
    ney_kernel kernel;
    ney_qp qp;
} part_problem;

typedef struct part_solution {
    double v[PART_ROWS], f[PART_ROWS];
    ney_qp_info info;
} part_solution;

static inline void part_problem_make(part_problem *p)
{
    const double C = 30;
    for (int i = 0; i < PART_ROWS; i++) {
        double sum = 0;
        for (int c = 0; c < PART_COLS; c++) {
            p->x[i * PART_COLS + c] = (float)(1.5 * sin(1 + i * (c + 1.7) + 0.3 * c));
            sum += (double)p->x[i * PART_COLS + c];
        }
        p->slope[i] = sum + 1.2 * sin(i * 12.9898) > 0.4 ? 1 : -1;
        p->low[i] = p->slope[i] > 0 ? 0 : -C;
        p->high[i] = p->slope[i] > 0 ? C : 0;
    }
    p->matrix = (ney_matrix){.rows = PART_ROWS, .cols = PART_COLS, .dense = p->x};
    p->kernel = (ney_kernel){.kind = NEY_KERNEL_RBF, .gamma = 2};
    p->qp = (ney_qp){.n = PART_ROWS,
                     .low = p->low,
                     .middle = p->high,
                     .high = p->high,
                     .slope_low = p->slope,
                     .slope_high = p->slope};
}

/* f of every `step`-th row is what the kernel and v give. */
static inline void part_problem_check(const part_problem *p, const part_solution *s, int64_t step)
{
    for (int64_t i = 0; i < PART_ROWS; i += step) {
        long double f = 0, size = 0;
        for (int64_t j = 0; j < PART_ROWS; j++) {
            f += s->v[j] != 0 ? (long double)s->v[j] * ref_kernel(&p->matrix, i, j, &p->kernel) : 0;
            size += fabsl((long double)s->v[j]);
        }
        assert_true(fabsl(f - (long double)s->f[i]) < 1e-7L * size);
    }
}

#endif
