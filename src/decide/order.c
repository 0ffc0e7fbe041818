/* Radix sort on the bits of the scores, the least significant eleven first: stable, linear time for
 * every input order. */
#include "decide/order.h"

#include "base/error.h"
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
    ney_order(s->item + begin, s->spare + begin, end - begin);
}

/* Of two sorted neighbours, how many of the first are among the k least of both. Of equals, those
 * of the first come first. */
static int64_t split_at(const ney_ranked *a, int64_t n_a, const ney_ranked *b, int64_t n_b,
                        int64_t k)
{
    int64_t low = k > n_b ? k - n_b : 0, high = k < n_a ? k : n_a;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (b[k - middle - 1].score < a[middle].score) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* The items from `begin` to before `end` of two sorted neighbours merged, into their places. */
static void merge(const ney_ranked *a, int64_t n_a, const ney_ranked *b, int64_t n_b, int64_t begin,
                  int64_t end, ney_ranked *to)
{
    int64_t i = split_at(a, n_a, b, n_b, begin), j = begin - i;
    for (int64_t k = begin; k < end; k++) {
        const bool first = j >= n_b || (i < n_a && !(b[j].score < a[i].score));
        to[k] = first ? a[i++] : b[j++];
    }
}

/* Each half of the items: its two parts. */
static void merge_pair(void *context, int64_t pair, int thread)
{
    const sorting *s = context;
    const int64_t begin = part_begin(s, 2 * pair), middle = part_begin(s, 2 * pair + 1),
                  end = part_begin(s, 2 * pair + 2);
    (void)thread;
    merge(s->item + begin, middle - begin, s->item + middle, end - middle, 0, end - begin,
          s->spare + begin);
}

/* A quarter of the result, out of both halves. */
static void merge_part(void *context, int64_t part, int thread)
{
    const sorting *s = context;
    const int64_t half = part_begin(s, PARTS / 2);
    (void)thread;
    merge(s->spare, half, s->spare + half, s->n - half, part_begin(s, part),
          part_begin(s, part + 1), s->item);
}

static void sort_all(const ney_env *env, sorting *s)
{
    if (s->n < MANY) {
        ney_order(s->item, s->spare, s->n);
        return;
    }
    ney_parallel_for(env, PARTS, sort_part, s);
    ney_parallel_for(env, PARTS / 2, merge_pair, s);
    ney_parallel_for(env, PARTS, merge_part, s);
}

static ney_status sort_with_spare(const ney_env *env, ney_ranked *item, int64_t n, ney_error *err)
{
    ney_ranked *const spare = ney_alloc(env, n, sizeof *spare);
    if (!spare) {
        return ney_no_memory(err, n, "scores in order");
    }
    sort_all(env, &(sorting){.item = item, .spare = spare, .n = n});
    ney_release(env, spare);
    return NEY_OK;
}

ney_status ney_order_new(ney_ranked **out, const ney_env *env, const double *score, int64_t n,
                         ney_error *err)
{
    *out = NULL;
    ney_ranked *const item = ney_alloc(env, n, sizeof *item);
    if (!item) {
        return ney_no_memory(err, n, "scores in order");
    }
    for (int64_t i = 0; i < n; i++) {
        if (score[i] != score[i]) {
            ney_release(env, item);
            return ney_fail(err, NEY_EINVAL, "score %lld is not a number", (long long)i + 1);
        }
        item[i] = (ney_ranked){.score = score[i], .row = i};
    }
    const ney_status st = sort_with_spare(env, item, n, err);
    if (st != NEY_OK) {
        ney_release(env, item);
        return st;
    }
    *out = item;
    return NEY_OK;
}

ney_status ney_rank(const ney_env *env, ney_ranked *item, int64_t n, ney_error *err)
{
    NEY_REQUIRE(n >= 0 && (item || n == 0), err);
    const ney_env e = ney_env_of(env);
    for (int64_t i = 0; i < n; i++) {
        if (item[i].score != item[i].score) {
            return ney_fail(err, NEY_EINVAL, "score %lld is not a number", (long long)i + 1);
        }
    }
    for (int64_t i = 0; i < n; i++) { /* the greatest first, equal ones as they stand */
        item[i].score = -item[i].score;
    }
    const ney_status st = sort_with_spare(&e, item, n, err);
    for (int64_t i = 0; i < n; i++) {
        item[i].score = -item[i].score;
    }
    return st;
}
