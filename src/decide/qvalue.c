/* q-values by target-decoy competition: positives are targets, negatives are decoys. */
#include "base/error.h"
#include "base/parallel.h"
#include "decide/order.h"

#include <stddef.h>

#define AT(field) offsetof(ney_qvalue_opts, field)

/* clang-format off */
static const ney_param params[] = {
    {"fdr-convention", 0, NEY_KIND_CHOICE, AT(kind),         0, 0, 1, "KIND", "targets all",
     "how false discoveries are counted: decoys over targets, or decoys over all that is accepted"},
    {"size-correct", 0, NEY_KIND_FLAG,   AT(size_correct), 0, 0, 1, NULL, NULL,
     "multiply by targets over decoys, for lists that differ in length"},
    {"plus-one",     0, NEY_KIND_FLAG,   AT(plus_one),     0, 0, 1, NULL, NULL,
     "count one decoy more: the unbiased competition estimate"},
};
/* clang-format on */

const ney_param *ney_qvalue_params(int64_t *n_params)
{
    *n_params = sizeof params / sizeof *params;
    return params;
}

/* The false-discovery rate when `decoys` and `targets` are accepted. */
static double rate_of(const ney_qvalue_opts *o, int64_t decoys, int64_t targets, double correction)
{
    const double d = (double)decoys + (o->plus_one ? 1 : 0), t = (double)targets;
    const double rate = correction * d / (o->kind == NEY_FDR_DECOYS_PER_ALL ? d + t : t);
    return rate < 1 ? rate : 1; /* also where there is no target at all */
}

/* Rows in the order of their scores are anywhere in memory. What must look them up there (labels,
 * and the result) is done on all threads; what must go in order touches the sorted items alone. */
typedef struct lookup {
    ney_ranked *item;
    const int8_t *label;
    double *q;
    int64_t n;
} lookup;

enum { BLOCK = 1 << 16 };

static int64_t block_end(const lookup *l, int64_t block)
{
    return (block + 1) * BLOCK < l->n ? (block + 1) * BLOCK : l->n;
}

/* The lowest bit of `row` becomes the label. */
static void fetch_labels(void *context, int64_t block, int thread)
{
    const lookup *l = context;
    (void)thread;
    for (int64_t i = block * BLOCK; i < block_end(l, block); i++) {
        l->item[i].row = 2 * l->item[i].row + (l->label[l->item[i].row] > 0);
    }
}

static void deliver(void *context, int64_t block, int thread)
{
    const lookup *l = context;
    (void)thread;
    for (int64_t i = block * BLOCK; i < block_end(l, block); i++) {
        l->q[l->item[i].row / 2] = l->item[i].score;
    }
}

/* Scores become q-values, from the worst up: the running minimum of the rates. */
static void run_up(const lookup *l, const ney_qvalue_opts *o)
{
    int64_t targets = 0;
    for (int64_t i = 0; i < l->n; i++) {
        targets += l->item[i].row & 1;
    }
    int64_t decoys = l->n - targets;
    const bool correct = o->size_correct && decoys > 0 && targets > 0; /* a ratio there is */
    const double correction = correct ? (double)targets / (double)decoys : 1;
    double least = 1;
    for (int64_t i = 0, j; i < l->n; i = j) {
        const double score = l->item[i].score, rate = rate_of(o, decoys, targets, correction);
        least = rate < least ? rate : least;
        for (j = i; j < l->n && l->item[j].score == score; j++) {
            l->item[j].score = least;
            targets -= l->item[j].row & 1;
            decoys -= !(l->item[j].row & 1);
        }
    }
}

ney_status ney_qvalues(const ney_env *env, const double *score, const int8_t *label, int64_t n,
                       const ney_qvalue_opts *opts, double *q, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    const int64_t blocks = (n + BLOCK - 1) / BLOCK;
    lookup l = {.label = label, .q = q, .n = n};
    ney_qvalue_opts o = {0};
    ney_status st;

    if (opts) {
        o = *opts;
    }
    if ((st = ney_params_check(params, sizeof params / sizeof *params, &o, err)) != NEY_OK ||
        (st = ney_order_new(&l.item, &e, score, n, err)) != NEY_OK) {
        return st;
    }
    ney_parallel_for(&e, blocks, fetch_labels, &l);
    run_up(&l, &o);
    ney_parallel_for(&e, blocks, deliver, &l);
    ney_release(&e, l.item);
    return NEY_OK;
}
