/* Candidates are collected in a buffer of 3 k / 2 keys. When it is full, all but the largest are
 * dropped: the k-th largest is found digit by digit of its key, by counting, in a number of
 * passes that does not depend on the values or on their order. */
#include "decide/k_largest.h"

#include "decide/order.h"

enum { DIGIT_BITS = 11, N_DIGITS = 1 << DIGIT_BITS, LEAST_SPARE = 64 };

bool ney_k_largest_init(ney_k_largest *t, const ney_env *env, int64_t k)
{
    const int64_t size = k <= INT64_MAX / 2 ? k + k / 2 + LEAST_SPARE : k;

    *t = (ney_k_largest){.k = k, .size = size, .key = ney_alloc(env, size, sizeof *t->key)};
    return t->key != NULL;
}

void ney_k_largest_deinit(ney_k_largest *t, const ney_env *env)
{
    ney_release(env, t->key);
    t->key = NULL;
}

/* The k-th largest key, k from 1 to n. */
static uint64_t kth_largest(const uint64_t *key, int64_t n, int64_t k)
{
    uint64_t prefix = 0; /* the digits found so far */
    int known = 0;       /* their bits */

    while (known < 64) {
        const int bits = known + DIGIT_BITS <= 64 ? DIGIT_BITS : 64 - known;
        const int shift = 64 - known - bits;
        const uint64_t mask = (UINT64_C(1) << bits) - 1;
        int64_t count[N_DIGITS] = {0};
        for (int64_t i = 0; i < n; i++) {
            if (known == 0 || key[i] >> (64 - known) == prefix) {
                count[(key[i] >> shift) & mask]++;
            }
        }
        uint64_t digit = mask;
        for (; count[digit] < k; digit--) {
            k -= count[digit];
        }
        prefix = prefix << bits | digit;
        known += bits;
    }
    return prefix;
}

/* Drop all but the `k` largest. */
static void drop_small(ney_k_largest *t)
{
    if (t->n < t->k) {
        return;
    }
    const uint64_t least = kth_largest(t->key, t->n, t->k);
    int64_t kept = 0;
    for (int64_t i = 0; i < t->n; i++) {
        if (t->key[i] > least) {
            t->key[kept++] = t->key[i];
        }
    }
    while (kept < t->k) { /* equal ones are interchangeable */
        t->key[kept++] = least;
    }
    t->n = kept;
    t->floor = least;
    t->has_floor = true;
}

void ney_k_largest_add(ney_k_largest *t, double value)
{
    const uint64_t key = ney_score_key(value);

    if (t->has_floor && key <= t->floor) {
        return;
    }
    t->key[t->n++] = key;
    if (t->n == t->size) {
        drop_small(t);
    }
}

double ney_k_largest_least(ney_k_largest *t)
{
    drop_small(t);
    uint64_t least = UINT64_MAX;
    for (int64_t i = 0; i < t->n; i++) {
        least = t->key[i] < least ? t->key[i] : least;
    }
    return ney_score_of_key(least);
}

int64_t ney_k_largest_above(ney_k_largest *t, double value)
{
    const uint64_t key = ney_score_key(value);
    int64_t n = 0;

    drop_small(t);
    for (int64_t i = 0; i < t->n; i++) {
        n += t->key[i] > key;
    }
    return n;
}
