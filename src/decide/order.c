/* Radix sort on the bits of the scores, the least significant eleven first: stable, n times a
 * constant, whatever the order it meets. */
#include "decide/order.h"

#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 6, BUCKETS = 1 << DIGIT_BITS, FEW = 256 };

/* A whole number that is ordered as the score is; -0 and 0 are one. */
static uint64_t key_of(double score)
{
    uint64_t bits;
    const double s = score + 0.0; /* turns -0 into 0 */
    memcpy(&bits, &s, sizeof bits);
    return bits ^ (bits >> 63 ? ~UINT64_C(0) : UINT64_C(1) << 63);
}

static unsigned digit_of(double score, int d)
{
    return (unsigned)(key_of(score) >> (d * DIGIT_BITS)) & (BUCKETS - 1);
}

/* Where counting would cost more than it saves. */
static void sort_few(ney_ranked *item, int64_t n)
{
    for (int64_t k = 1; k < n; k++) {
        const ney_ranked one = item[k];
        int64_t at = k;
        for (; at > 0 && item[at - 1].score > one.score; at--) {
            item[at] = item[at - 1];
        }
        item[at] = one;
    }
}

/* Deal the items into their buckets by digit d; false when they are all in one. */
static bool deal(const ney_ranked *from, ney_ranked *to, int64_t n, int d)
{
    int64_t next[BUCKETS] = {0}, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        next[digit_of(from[i].score, d)]++;
    }
    if (next[digit_of(from[0].score, d)] == n) {
        return false;
    }
    for (int b = 0; b < BUCKETS; b++) {
        const int64_t count = next[b];
        next[b] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < n; i++) {
        to[next[digit_of(from[i].score, d)]++] = from[i];
    }
    return true;
}

void ney_order(ney_ranked *item, ney_ranked *spare, int64_t n)
{
    ney_ranked *from = item, *to = spare;
    if (n < FEW) {
        sort_few(item, n);
        return;
    }
    for (int d = 0; d < DIGITS; d++) {
        if (deal(from, to, n, d)) {
            ney_ranked *const swap = from;
            from = to;
            to = swap;
        }
    }
    if (from != item) {
        memcpy(item, from, (size_t)n * sizeof *item);
    }
}

ney_status ney_order_new(ney_ranked **out, const ney_env *env, const double *score, int64_t n,
                         ney_error *err)
{
    *out = NULL;
    for (int64_t i = 0; i < n; i++) {
        if (score[i] != score[i]) {
            return ney_fail(err, NEY_EINVAL, "score %lld is not a number", (long long)i + 1);
        }
    }
    ney_ranked *item = ney_alloc(env, n, sizeof *item), *spare = ney_alloc(env, n, sizeof *spare);
    if (!item || !spare) {
        ney_release(env, item);
        ney_release(env, spare);
        return ney_no_memory(err, n, "scores in order");
    }
    for (int64_t i = 0; i < n; i++) {
        item[i] = (ney_ranked){.score = score[i], .row = i};
    }
    ney_order(item, spare, n);
    ney_release(env, spare);
    *out = item;
    return NEY_OK;
}
