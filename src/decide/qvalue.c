/* q-values by target-decoy competition: positives are targets, negatives are decoys. */
#include "decide/qvalue.h"
#include "base/error.h"
#include "base/parallel.h"
#include "decide/order.h"

#include <math.h>
#include <stddef.h>

#define AT(field) offsetof(ney_qvalue_opts, field)

/* clang-format off */
static const ney_param params[] = {
    {"fdr-convention", 0, NEY_KIND_CHOICE, AT(kind),       0, 0, 1, "KIND", "targets all",
     "denominator of the false-discovery rate: accepted targets, or all accepted rows"},
    {"compete",        0, NEY_KIND_FLAG, AT(compete),      0, 0, 1, NULL, NULL,
     "target-decoy competition with one decoy per target, so that decoys and false targets win equally often; the best match of each spectrum is kept where spectra are known. Default: decided from the data"},
    {"no-compete",     0, NEY_KIND_FLAG, AT(no_compete),   0, 0, 1, NULL, NULL,
     "no target-decoy competition: every row counts"},
    {"size-correct",   0, NEY_KIND_FLAG, AT(size_correct), 0, 0, 1, NULL, NULL,
     "multiply the estimate by targets / (decoys + 1); the default without competition, refused with it"},
    {"plus-one",       0, NEY_KIND_FLAG, AT(plus_one),     0, 0, 1, NULL, NULL,
     "count one decoy more than observed; the default"},
    {"no-plus-one",    0, NEY_KIND_FLAG, AT(no_plus_one),  0, 0, 1, NULL, NULL,
     "do not count one decoy more than observed: no theorem bounds this estimate, and it is too low on small or weak data"},
};
/* clang-format on */

const ney_param *ney_qvalue_params(int64_t *n_params)
{
    *n_params = sizeof params / sizeof *params;
    return params;
}

ney_status ney_qvalue_check(const ney_qvalue_opts *o, ney_error *err)
{
    const ney_status st = ney_params_check(params, sizeof params / sizeof *params, o, err);
    if (st != NEY_OK) {
        return st;
    }
    if (o->plus_one && o->no_plus_one) {
        return ney_fail(err, NEY_EINVAL, "plus-one and no-plus-one exclude each other");
    }
    if (o->compete && o->no_compete) {
        return ney_fail(err, NEY_EINVAL, "compete and no-compete exclude each other");
    }
    if (o->compete && o->size_correct) {
        return ney_fail(err, NEY_EINVAL,
                        "size-correct and compete exclude each other: after a competition decoys "
                        "and false targets are equally many, whatever the sizes of the lists");
    }
    return NEY_OK;
}

const char *ney_qvalue_formula(const ney_qvalue_opts *o)
{
    if (!o) {
        return NULL;
    }
    static const char *const text[2][2][2] = {
        /* per all, f = 1, plus one */
        {{"n+ D / (n- T)", "n+ (D + 1) / ((n- + 1) T)"}, {"D / T", "(D + 1) / T"}},
        {{"n+ D / (n+ D + n- T)", "n+ (D + 1) / (n+ (D + 1) + (n- + 1) T)"},
         {"D / (D + T)", "(D + 1) / (D + 1 + T)"}}};
    return text[o->kind == NEY_FDR_DECOYS_PER_ALL][o->compete][!o->no_plus_one];
}

double ney_qvalue_factor(const ney_qvalue_opts *o, int64_t n_pos, int64_t n_neg)
{
    if (!o) {
        return (double)NAN;
    }
    const double decoys = (double)n_neg + (o->no_plus_one ? 0 : 1);
    return o->compete ? 1 : decoys > 0 ? (double)n_pos / decoys : (double)INFINITY;
}

/* The false-discovery rate when `decoys` and `targets` are accepted. Where there is no decoy at all
 * and none is added, nothing is known of false targets. */
static double rate_of(const ney_qvalue_opts *o, int64_t decoys, int64_t targets, double factor)
{
    if (targets == 0 || isinf(factor)) {
        return 1;
    }
    const double d = (double)decoys + (o->no_plus_one ? 0 : 1);
    const double x = factor * d / (double)targets;
    return o->kind == NEY_FDR_DECOYS_PER_ALL ? x / (1 + x) : x < 1 ? x : 1;
}

/* Random access (labels and results) runs on all threads; the sequential pass touches the sorted
 * items only. */
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

static void fetch_labels(void *context, int64_t block, int thread)
{
    const lookup *l = context;
    (void)thread;
    for (int64_t i = block * BLOCK; i < block_end(l, block); i++) {
        l->item[i].row = 2 * l->item[i].row + (l->label[l->item[i].row] > 0);
    }
}

static void write_block(void *context, int64_t block, int thread)
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
    const double factor = ney_qvalue_factor(o, targets, decoys);
    double least = 1;
    for (int64_t i = 0, j; i < l->n; i = j) {
        const double score = l->item[i].score, rate = rate_of(o, decoys, targets, factor);
        least = rate < least ? rate : least;
        for (j = i; j < l->n && l->item[j].score == score; j++) {
            l->item[j].score = least;
            targets -= l->item[j].row & 1;
            decoys -= !(l->item[j].row & 1);
        }
    }
}

void ney_attach_labels(const ney_env *env, ney_ranked *item, const int8_t *label, int64_t n)
{
    ney_parallel_for(env, (n + BLOCK - 1) / BLOCK, fetch_labels,
                     &(lookup){.item = item, .label = label, .n = n});
}

void ney_qvalues_in_order(const ney_env *env, ney_ranked *item, int64_t n,
                          const ney_qvalue_opts *opts, double *q)
{
    lookup l = {.item = item, .q = q, .n = n};

    run_up(&l, opts);
    ney_parallel_for(env, (n + BLOCK - 1) / BLOCK, write_block, &l);
}

ney_status ney_qvalues(const ney_env *env, const double *score, const int8_t *label, int64_t n,
                       const ney_qvalue_opts *opts, double *q, ney_error *err)
{
    NEY_REQUIRE(n >= 0 && (score || n == 0) && (label || n == 0) && (q || n == 0), err);
    const ney_env e = ney_env_of(env);
    const ney_qvalue_opts o = opts ? *opts : (ney_qvalue_opts){0};
    ney_ranked *item;
    ney_status st;

    if ((st = ney_qvalue_check(&o, err)) != NEY_OK ||
        (st = ney_order_new(&item, &e, score, n, err)) != NEY_OK) {
        return st;
    }
    ney_attach_labels(&e, item, label, n);
    ney_qvalues_in_order(&e, item, n, &o, q);
    ney_release(&e, item);
    return NEY_OK;
}
