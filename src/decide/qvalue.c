/* q-values by target-decoy competition: positives are targets, negatives are decoys. */
#include "base/error.h"
#include "decide/order.h"

#include <stddef.h>

#define AT(field) offsetof(ney_qvalue_opts, field)

/* clang-format off */
static const ney_param params[] = {
    {"fdr",          0, NEY_KIND_CHOICE, AT(kind),         0, 0, 1, "KIND", "targets all",
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

ney_status ney_qvalues(const ney_env *env, const double *score, const int8_t *label, int64_t n,
                       const ney_qvalue_opts *opts, double *q, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    ney_qvalue_opts o = {0};
    ney_ranked *item;
    int64_t targets = 0;
    ney_status st;

    if (opts) {
        o = *opts;
    }
    if ((st = ney_params_check(params, sizeof params / sizeof *params, &o, err)) != NEY_OK ||
        (st = ney_order_new(&item, &e, score, n, err)) != NEY_OK) {
        return st;
    }
    for (int64_t i = 0; i < n; i++) {
        targets += label[i] > 0;
    }
    int64_t decoys = n - targets;
    const bool correct = o.size_correct && decoys > 0 && targets > 0; /* a ratio there is */
    const double correction = correct ? (double)targets / (double)decoys : 1;
    double least = 1;
    for (int64_t i = 0, j; i < n; i = j) { /* from the worst score up: the running minimum */
        const double rate = rate_of(&o, decoys, targets, correction);
        least = rate < least ? rate : least;
        for (j = i; j < n && item[j].score == item[i].score; j++) {
            q[item[j].row] = least;
            targets -= label[item[j].row] > 0;
            decoys -= label[item[j].row] <= 0;
        }
    }
    ney_release(&e, item);
    return NEY_OK;
}
