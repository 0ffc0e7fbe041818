/* Posterior error probabilities by a monotone fit.
 *
 * Among rows of about one score, D decoys and T targets, the decoys stand for the false targets, so
 * that a target is false with probability about c D / T, c being 1 where one decoy competed with
 * each target, else targets / decoys in all. The share D / (D + T) is fitted by isotonic regression
 * (pool adjacent violators), falling as scores rise, and PEP = min(1, c D / T) of the pool. Half a
 * decoy is added above all scores: no target is certain because no decoy scored as high. */
#include "base/error.h"
#include "decide/qvalue.h"

#include <stddef.h>

typedef struct pool {
    double decoys, targets;
    int64_t end; /* items before this one belong to it */
} pool;

/* Whether a is worse than b: a larger share of decoys. */
static bool is_worse(const pool *a, const pool *b)
{
    return a->decoys * b->targets > b->decoys * a->targets;
}

/* Pools from the worst score up; a pool that is not better than the one below joins it. Returns
 * their number. */
static int64_t pool_scores(const ney_ranked *item, int64_t n, pool *p)
{
    int64_t m = 0;
    for (int64_t i = 0, j; i < n; i = j) {
        p[m] = (pool){0};
        for (j = i; j < n && item[j].score == item[i].score; j++) {
            const int64_t target = item[j].row & 1;
            p[m].decoys += (double)(1 - target);
            p[m].targets += (double)target;
        }
        p[m].decoys += j == n ? 0.5 : 0;
        p[m].end = j;
        while (m > 0 && !is_worse(&p[m - 1], &p[m])) {
            p[m - 1].decoys += p[m].decoys;
            p[m - 1].targets += p[m].targets;
            p[m - 1].end = p[m].end;
            m--;
        }
        m++;
    }
    return m;
}

ney_status ney_peps_in_order(const ney_env *env, const ney_ranked *item, int64_t n,
                             const ney_qvalue_opts *opts, double *pep, ney_error *err)
{
    int64_t targets = 0;
    pool *const p = ney_alloc(env, n, sizeof *p);
    if (!p) {
        return ney_no_memory(err, n, "pools of rows");
    }
    for (int64_t i = 0; i < n; i++) {
        targets += item[i].row & 1;
    }
    const bool sizes_count = !(opts && opts->compete) && targets > 0 && targets < n;
    const double c = sizes_count ? (double)targets / (double)(n - targets) : 1;
    const int64_t m = pool_scores(item, n, p);
    for (int64_t k = 0, i = 0; k < m; k++) {
        const double rate = p[k].targets > 0 ? c * p[k].decoys / p[k].targets : 1;
        for (; i < p[k].end; i++) {
            pep[item[i].row / 2] = rate < 1 ? rate : 1;
        }
    }
    ney_release(env, p);
    return NEY_OK;
}

ney_status ney_peps(const ney_env *env, const double *score, const int8_t *label, int64_t n,
                    const ney_qvalue_opts *opts, double *pep, ney_error *err)
{
    NEY_REQUIRE(n >= 0 && (score || n == 0) && (label || n == 0) && (pep || n == 0), err);
    const ney_env e = ney_env_of(env);
    ney_ranked *item;
    ney_status st = ney_order_new(&item, &e, score, n, err);
    if (st == NEY_OK) {
        ney_attach_labels(&e, item, label, n);
        st = ney_peps_in_order(&e, item, n, opts, pep, err);
        ney_release(&e, item);
    }
    return st;
}
