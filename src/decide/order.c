/* Radix sort on the bits of the scores, the least significant eleven first: stable, linear time for
 * every input order. */
#include "decide/order.h"

#include "base/parallel.h"

#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 6, BUCKETS = 1 << DIGIT_BITS, FEW = 256 };

/* -0 and 0 are one. */
uint64_t ney_score_key(double score)
{
    uint64_t bits;
    const double s = score + 0.0; /* turns -0 into 0 */
    memcpy(&bits, &s, sizeof bits);
    return bits ^ (bits >> 63 ? ~UINT64_C(0) : UINT64_C(1) << 63);
}

double ney_score_of_key(uint64_t key)
{
    double score;
    const uint64_t bits = key ^ (key >> 63 ? UINT64_C(1) << 63 : ~UINT64_C(0));
    memcpy(&score, &bits, sizeof score);
    return score;
}

static unsigned digit_of(uint64_t key, int d)
{
    return (unsigned)(key >> (d * DIGIT_BITS)) & (BUCKETS - 1);
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

/* Counts of one digit become the places where its buckets begin; false when all are in one. */
static bool begin_buckets(int64_t *count, int64_t n)
{
    int64_t sum = 0;
    for (int b = 0; b < BUCKETS; b++) {
        const int64_t here = count[b];
        if (here == n) {
            return false;
        }
        count[b] = sum;
        sum += here;
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
    int64_t next[DIGITS][BUCKETS] = {{0}}; /* all of them counted in one walk */
    for (int64_t i = 0; i < n; i++) {
        const uint64_t key = ney_score_key(item[i].score);
        for (int d = 0; d < DIGITS; d++) {
            next[d][digit_of(key, d)]++;
        }
    }
    for (int d = 0; d < DIGITS; d++) {
        if (begin_buckets(next[d], n)) {
            for (int64_t i = 0; i < n; i++) {
                to[next[d][digit_of(ney_score_key(from[i].score), d)]++] = from[i];
            }
            ney_ranked *const swap = from;
            from = to;
            to = swap;
        }
    }
    if (from != item) {
        memcpy(item, from, (size_t)n * sizeof *item);
    }
}

static void sort_few_keys(uint64_t *key, int64_t n)
{
    for (int64_t k = 1; k < n; k++) {
        const uint64_t one = key[k];
        int64_t at = k;
        for (; at > 0 && key[at - 1] > one; at--) {
            key[at] = key[at - 1];
        }
        key[at] = one;
    }
}

void ney_order_keys(uint64_t *key, uint64_t *spare, int64_t n)
{
    uint64_t *from = key, *to = spare;
    if (n < FEW) {
        sort_few_keys(key, n);
        return;
    }
    int64_t next[DIGITS][BUCKETS] = {{0}};
    for (int64_t i = 0; i < n; i++) {
        for (int d = 0; d < DIGITS; d++) {
            next[d][digit_of(key[i], d)]++;
        }
    }
    for (int d = 0; d < DIGITS; d++) {
        if (begin_buckets(next[d], n)) {
            for (int64_t i = 0; i < n; i++) {
                to[next[d][digit_of(from[i], d)]++] = from[i];
            }
            uint64_t *const swap = from;
            from = to;
            to = swap;
        }
    }
    if (from != key) {
        memcpy(key, from, (size_t)n * sizeof *key);
    }
}

/* ---- many scores, on all threads: parts that do not depend on their number, then merged */

enum { PARTS = 4, MANY = 1 << 17 };

typedef struct sorting {
    const double *score;
    ney_ranked *item, *spare;
    int64_t n;
} sorting;

static int64_t part_begin(const sorting *s, int64_t part)
{
    return s->n * part / PARTS;
}

static void sort_part(void *context, int64_t part, int thread)
{
    const sorting *s = context;
    const int64_t begin = part_begin(s, part), end = part_begin(s, part + 1);
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        s->item[i] = (ney_ranked){.score = s->score[i], .row = i};
    }
    ney_order(s->item + begin, s->spare + begin, end - begin);
}

/* Merge two sorted neighbours; of equals, those of the first come first. */
static void merge(const ney_ranked *from, ney_ranked *to, int64_t begin, int64_t middle,
                  int64_t end)
{
    int64_t a = begin, b = middle;
    for (int64_t k = begin; k < end; k++) {
        const bool first = b >= end || (a < middle && !(from[b].score < from[a].score));
        to[k] = first ? from[a++] : from[b++];
    }
}

static void merge_pair(void *context, int64_t pair, int thread)
{
    const sorting *s = context;
    (void)thread;
    merge(s->item, s->spare, part_begin(s, 2 * pair), part_begin(s, 2 * pair + 1),
          part_begin(s, 2 * pair + 2));
}

static void sort_all(const ney_env *env, sorting *s)
{
    if (s->n < MANY) {
        for (int64_t i = 0; i < s->n; i++) {
            s->item[i] = (ney_ranked){.score = s->score[i], .row = i};
        }
        ney_order(s->item, s->spare, s->n);
        return;
    }
    ney_parallel_for(env, PARTS, sort_part, s);
    ney_parallel_for(env, PARTS / 2, merge_pair, s);
    merge(s->spare, s->item, 0, part_begin(s, PARTS / 2), s->n);
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
    sorting s = {.score = score, .item = item, .spare = spare, .n = n};
    sort_all(env, &s);
    ney_release(env, spare);
    *out = item;
    return NEY_OK;
}
