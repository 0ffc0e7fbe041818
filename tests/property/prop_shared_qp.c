/* The linear QP over rows that several processes share, against the reference implementation of
 * support/ref_qp.c: the same bits for any number of processes and any division of the blocks, the
 * optimum, and no claim of convergence without it. Processes without rows, with rows of one class,
 * and more processes than rows are common among these programs. */
#include "qp/linear.h"
#include "support/cmocka_all.h"
#include "support/comm_threads.h"
#include "support/random_qp.h"
#include "support/share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 4, BLOCK = 3 };

typedef struct shared_run {
    const ney_matrix *x;
    const ney_qp *p;
    const ney_qp_opts *opts;
    const double *first;
    int64_t cut[MOST_RANKS + 1]; /* where the rows of each process begin */
    bool stops;                  /* the first process is asked to stop */
    double v[QP_ROWS], w[MOST_RANKS][QP_WIDE];
    ney_qp_info info[MOST_RANKS];
    ney_status status[MOST_RANKS];
} shared_run;

static bool never(void *user, const ney_progress *progress)
{
    (void)user, (void)progress;
    return false;
}

static void solve_share(void *context, const ney_comm *comm)
{
    shared_run *const s = context;
    const int rank = comm->rank;
    const int64_t begin = s->cut[rank], n = s->cut[rank + 1] - begin;
    ney_env env = ney_env_default();
    ney_matrix x = *s->x;
    ney_qp p = {n,
                s->p->low + begin,
                s->p->middle + begin,
                s->p->high + begin,
                s->p->slope_low + begin,
                s->p->slope_high + begin};
    ney_row_blocks *blocks;
    int64_t size[QP_ROWS], n_blocks = 0;
    double f[QP_ROWS];
    env.threads = 1;
    env.poll = s->stops && rank == 0 ? never : NULL;
    for (int64_t at = 0; at < n; at += BLOCK) {
        size[n_blocks++] = n - at < BLOCK ? n - at : BLOCK;
    }
    if (ney_row_blocks_new(&blocks, &env, comm, size, n_blocks, NULL) != NEY_OK) {
        abort();
    }
    x.rows = n;
    x.dense = x.dense ? x.dense + begin * x.cols : NULL;
    x.start = x.start ? x.start + begin : NULL;
    memset(s->w[rank], 0, sizeof s->w[rank]);
    ney_linear_qp q = {.env = env,
                       .x = &x,
                       .p = &p,
                       .o = s->opts,
                       .v = s->v + begin,
                       .f = f,
                       .w = s->w[rank],
                       .blocks = blocks};
    memcpy(q.v, s->first + begin, (size_t)n * sizeof *q.v);
    s->status[rank] = ney_linear_solve(&q, &s->info[rank], NULL);
    ney_row_blocks_free(blocks);
}

/* Blocks go to processes at random. */
static void cut_rows(shared_run *s, int size, ney_rng *r)
{
    const int64_t blocks = (s->p->n + BLOCK - 1) / BLOCK;
    for (int rank = 1; rank < size; rank++) {
        const int64_t before = (s->cut[rank - 1] + BLOCK - 1) / BLOCK;
        const int64_t at = (before + ney_rng_below(r, blocks - before + 1)) * BLOCK;
        s->cut[rank] = at < s->p->n ? at : s->p->n;
    }
    s->cut[size] = s->p->n;
}

/* The wide matrix, with all its zeros. */
static ney_matrix dense_wide(const random_qp *q, float *cells)
{
    memset(cells, 0, (size_t)(q->rows * QP_WIDE) * sizeof *cells);
    for (int64_t i = 0; i < q->rows; i++) {
        memcpy(cells + i * QP_WIDE, q->dense + i * q->cols, (size_t)q->cols * sizeof *cells);
    }
    return (ney_matrix){.rows = q->rows, .cols = QP_WIDE, .dense = cells};
}

/* Whether the search converged: to the optimum then. */
static bool check_optimum(const shared_run *s, random_qp *q, int64_t seed)
{
    static const ney_kernel linear = {.kind = NEY_KERNEL_LINEAR};
    const ref_qp judged = random_qp_judged(q, &linear);
    const ney_qp_info *const info = &s->info[0];
    const bool converged = info->stop == NEY_STOP_CONVERGED;
    ref_qp_answer best;
    long double v[QP_ROWS], unit, boxes = 0;
    ref_qp_solve(&judged, &best);
    unit = fabsl(best.upper);
    for (int64_t i = 0; i < q->rows; i++) {
        v[i] = s->v[i];
        boxes += q->high[i] - q->low[i];
        unit += fabsl(v[i] * fmax(fabs(q->slope_low[i]), fabs(q->slope_high[i])));
    }
    const long double dual = ref_qp_dual(&judged, v);
    const long double primal = ref_qp_primal(&judged, v, info->intercept);
    assert_feasible(s->p, s->v, "shared", seed);
    if ((converged &&
         (info->violation > s->opts->tol || primal - dual > s->opts->tol * boxes + 1e-11L * unit ||
          fabsl(best.upper - dual) > s->opts->tol * boxes + 1e-8L * unit)) ||
        (!converged && info->stop != NEY_STOP_PRECISION) ||
        primal - dual > s->opts->tol * boxes + 1e-11L * unit ||
        fabsl(dual - info->dual) > 1e-11L * unit || fabsl(primal - info->primal) > 1e-11L * unit ||
        fabsl(best.upper - dual) > s->opts->tol * boxes + 1e-8L * unit) {
        fail_msg("seed %lld: stop %d, violation %g; dual %.12g (judged %.12Lg), primal %.12g "
                 "(judged %.12Lg), optimum %.12Lg",
                 (long long)seed, (int)info->stop, info->violation, info->dual, dual, info->primal,
                 primal, best.upper);
    }
    return converged;
}

static void prop_the_optimum_whatever_the_processes(void **state)
{
    static random_qp q;
    static float cells[QP_ROWS * QP_WIDE];
    const int64_t runs = test_share(200);
    int64_t ended = 0;
    (void)state;
    for (int64_t t = 1; t <= runs; t++) {
        const ney_qp_opts opts = {.tol = t % 2 ? 1e-7 : 1e-3};
        ney_rng r = {(uint64_t)t};
        random_qp_make(&q, &r, -3, 1);
        const ney_matrix x = t % 4 == 0   ? random_qp_matrix(&q, false)
                             : t % 4 == 1 ? dense_wide(&q, cells)
                                          : random_qp_wide(&q);
        const ney_qp p = random_qp_problem(&q);
        shared_run one = {0};
        for (int size = 1; size <= MOST_RANKS; size++) {
            shared_run s = {.x = &x, .p = &p, .opts = &opts, .first = q.first};
            cut_rows(&s, size, &r);
            comm_threads_run(size, solve_share, &s);
            for (int rank = 0; rank < size; rank++) {
                assert_int_equal(s.status[rank], NEY_OK);
                assert_memory_equal(&s.info[rank], &s.info[0], sizeof *s.info);
                assert_memory_equal(s.w[rank], s.w[0], sizeof *s.w);
            }
            if (size == 1) {
                ended += check_optimum(&s, &q, t);
                one = s;
            }
            assert_memory_equal(s.v, one.v, (size_t)p.n * sizeof *s.v);
            assert_memory_equal(s.w[0], one.w[0], sizeof *s.w);
            assert_memory_equal(&s.info[0], &one.info[0], sizeof *s.info);
        }
    }
    assert_true(ended >= runs - runs / 20);
}

/* Limits hold, and end all processes at the same feasible point. */
static void prop_limits_end_all_processes(void **state)
{
    static random_qp q;
    const int64_t runs = test_share(40);
    (void)state;
    for (int64_t t = 1; t <= runs; t++) {
        const ney_qp_opts opts = {.tol = 1e-9, .max_iter = t % 3 == 0 ? 0 : 1 + t % 20};
        ney_rng r = {(uint64_t)t};
        random_qp_make(&q, &r, -1, 2);
        const ney_matrix x = random_qp_wide(&q);
        const ney_qp p = random_qp_problem(&q);
        shared_run s = {
            .x = &x, .p = &p, .opts = &opts, .first = q.first, .stops = opts.max_iter == 0};
        cut_rows(&s, 3, &r);
        comm_threads_run(3, solve_share, &s);
        for (int rank = 0; rank < 3; rank++) {
            const ney_qp_info *const info = &s.info[rank];
            assert_int_equal(s.status[rank], NEY_OK);
            assert_memory_equal(info, &s.info[0], sizeof *info);
            assert_true(s.stops || info->iterations <= opts.max_iter);
            if (info->stop != NEY_STOP_CONVERGED) {
                assert_int_equal(info->stop, s.stops ? NEY_STOP_CANCELLED : NEY_STOP_ITERATIONS);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_the_optimum_whatever_the_processes),
        cmocka_unit_test(prop_limits_end_all_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
