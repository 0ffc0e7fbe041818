/* The area under the ROC curve is the probability that a positive scores above a negative, ties
 * counted by halves (Mann-Whitney). Counted in whole numbers, so that it is exact. */
#include "decide/order.h"

#include <math.h>

/* Twice the number of (negative, positive) pairs in the right order; a tie counts 1. Positives and
 * negatives are counted for the caller. 64 bits are enough for 6e9 rows. */
static uint64_t twice_pairs(const ney_ranked *item, const int8_t *label, int64_t n, uint64_t *n_pos,
                            uint64_t *n_neg)
{
    uint64_t twice = 0;
    *n_pos = *n_neg = 0;
    for (int64_t i = 0; i < n;) {
        uint64_t tied_pos = 0, tied_neg = 0;
        const double score = item[i].score;
        for (; i < n && item[i].score == score; i++) {
            const bool is_positive = label[item[i].row] > 0;
            tied_pos += is_positive;
            tied_neg += !is_positive;
        }
        twice += tied_pos * (2 * *n_neg + tied_neg);
        *n_pos += tied_pos;
        *n_neg += tied_neg;
    }
    return twice;
}

ney_status ney_auc(const ney_env *env, const double *score, const int8_t *label, int64_t n,
                   double *auc, ney_error *err)
{
    NEY_REQUIRE(n >= 0 && (score || n == 0) && (label || n == 0) && auc, err);
    const ney_env e = ney_env_of(env);
    ney_ranked *item;
    uint64_t n_pos, n_neg;
    const ney_status st = ney_order_new(&item, &e, score, n, err);

    *auc = (double)NAN;
    if (st != NEY_OK) {
        return st;
    }
    const uint64_t twice = twice_pairs(item, label, n, &n_pos, &n_neg);
    if (n_pos > 0 && n_neg > 0) {
        *auc = (double)twice / 2 / ((double)n_pos * (double)n_neg);
    }
    ney_release(&e, item);
    return NEY_OK;
}
