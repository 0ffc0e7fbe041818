#define XXH_STATIC_LINKING_ONLY
#include "learn/shared.h"

#include "base/little.h"
#include "decide/binomial.h"
#include "decide/certify.h"
#include "decide/counts.h"

#include <math.h>

ney_status ney_shared_agree(const ney_row_blocks *b, ney_status st, ney_error *err)
{
    return ney_comm_agree(ney_blocks_comm(b), st, err);
}

void ney_shared_classes(const ney_row_blocks *b, const int8_t *label, int64_t n, int64_t *n_pos,
                        int64_t *n_neg)
{
    int64_t count[2] = {0, 0};
    for (int64_t i = 0; i < n; i++) {
        count[label[i] > 0]++;
    }
    ney_comm_add_counts(ney_blocks_comm(b), count, 2);
    *n_neg = count[0];
    *n_pos = count[1];
}

void ney_shared_counts(const ney_row_blocks *b, ney_counts *c)
{
    ney_shared_add_counts(ney_blocks_comm(b), c);
}

void ney_shared_add_counts(const ney_comm *comm, ney_counts *c)
{
    int64_t n[6] = {c->tp, c->fp, c->tn, c->fn, c->rejected_pos, c->rejected_neg};
    ney_comm_add_counts(comm, n, 6);
    *c = (ney_counts){
        .tp = n[0], .fp = n[1], .tn = n[2], .fn = n[3], .rejected_pos = n[4], .rejected_neg = n[5]};
}

/* ---- order statistics */

enum { PROBES = 15 }; /* keys that are counted at once: 4 bits of the answer */

double ney_shared_kth_largest(const ney_row_blocks *b, const double *score, const int8_t *label,
                              int64_t n, int of_class, int sign, int64_t k)
{
    uint64_t low = 0; /* at least k scores have this key or a larger one */
    for (int bits = 60; bits >= 0; bits -= 4) {
        int64_t count[PROBES] = {0};
        for (int64_t i = 0; i < n; i++) {
            const uint64_t key = ney_score_key(sign * score[i]);
            if (label[i] == of_class && key >= low) {
                const uint64_t step = (key - low) >> bits;
                for (uint64_t p = 1; p <= PROBES && p <= step; p++) {
                    count[p - 1]++;
                }
            }
        }
        ney_comm_add_counts(ney_blocks_comm(b), count, PROBES);
        uint64_t p = 0;
        while (p < PROBES && count[p] >= k) {
            p++;
        }
        low += p << bits;
    }
    /* the smallest score of that key or a larger one */
    double least = (double)INFINITY;
    for (int64_t i = 0; i < n; i++) {
        if (label[i] == of_class && ney_score_key(sign * score[i]) >= low) {
            least = fmin(least, sign * score[i]);
        }
    }
    ney_comm_minimum(ney_blocks_comm(b), &least, 1);
    return least;
}

/* ---- scores up to a weight */

enum { CUTS = 4 }; /* scores that weights up to them are summed for at once */

typedef struct weighing {
    const ney_ranked *item;
    int64_t n, next;
    ney_row_weight *weight;
    const void *context;
    double low, cut[CUTS];
} weighing;

/* Of the items between two cuts their weight, and how many they are. */
static void add_items(void *context, int64_t begin, int64_t end, double *sum)
{
    weighing *const w = context;
    (void)begin;
    for (; w->next < w->n && w->item[w->next].row < end; w->next++) {
        const ney_ranked *const at = &w->item[w->next];
        int k = 0;
        if (at->score > w->low && at->score <= w->cut[CUTS - 1]) {
            while (at->score > w->cut[k]) {
                k++;
            }
            sum[k] += w->weight(w->context, at->row);
            sum[CUTS + k] += 1;
        }
    }
}

double ney_shared_limit(const ney_row_blocks *b, const ney_ranked *item, int64_t n,
                        ney_row_weight *weight, const void *context, double high, double allowed)
{
    enum { ROUNDS = 20 };
    weighing w = {.item = item, .n = n, .weight = weight, .context = context, .low = high};
    double up_to_low = 0, sum[2 * CUTS];
    bool divides = true;
    for (int64_t k = 0; k < n; k++) {
        w.low = fmin(w.low, item[k].score);
    }
    ney_comm_minimum(ney_blocks_comm(b), &w.low, 1);
    w.low = nextafter(w.low, -(double)INFINITY);
    for (int round = 0; round < ROUNDS && divides; round++) {
        const double low = w.low;
        int k = 0;
        for (int c = 0; c < CUTS; c++) {
            w.cut[c] = c < CUTS - 1 ? low + (high - low) * (c + 1) / CUTS : high;
        }
        w.next = 0;
        ney_sum_rows(b, b ? b->begin[b->n] : INT64_MAX, add_items, &w, sum, 2 * CUTS);
        while (k < CUTS && up_to_low + sum[k] <= allowed) {
            up_to_low += sum[k];
            w.low = w.cut[k++];
        }
        high = k < CUTS ? w.cut[k] : high;
        divides = k < CUTS && sum[CUTS + k] > 1; /* of one item nothing is left to find */
    }
    return w.low;
}

/* ---- moments */

typedef struct class_scores {
    const double *score;
    const int8_t *label;
    int of_class;
    double mean;
} class_scores;

static void add_scores(void *context, int64_t begin, int64_t end, double *sum)
{
    const class_scores *const c = context;
    for (int64_t i = begin; i < end; i++) {
        if (c->label[i] == c->of_class) {
            const double apart = c->score[i] - c->mean;
            sum[0] += apart;
            sum[1] += apart * apart;
            sum[2] += 1;
        }
    }
}

ney_score_moments ney_shared_moments(const ney_row_blocks *b, const double *score,
                                     const int8_t *label, int64_t n, int of_class)
{
    class_scores c = {.score = score, .label = label, .of_class = of_class};
    double sum[3];
    ney_sum_rows(b, n, add_scores, &c, sum, 3);
    if (!(sum[2] > 0)) {
        return (ney_score_moments){0};
    }
    c.mean = sum[0] / sum[2];
    ney_sum_rows(b, n, add_scores, &c, sum, 3);
    return (ney_score_moments){
        .n = (int64_t)sum[2], .mean = c.mean, .squares = sum[1] - sum[0] * sum[0] / sum[2]};
}

/* Chan's sum of squares of two groups. */
static ney_score_moments join_moments(ney_score_moments a, ney_score_moments b)
{
    const double n = (double)(a.n + b.n), apart = b.mean - a.mean;
    if (a.n == 0 || b.n == 0) {
        return a.n == 0 ? b : a;
    }
    return (ney_score_moments){.n = a.n + b.n,
                               .mean = a.mean + apart * (double)b.n / n,
                               .squares = a.squares + b.squares +
                                          apart * apart * (double)a.n * (double)b.n / n};
}

void ney_score_moments_join(const ney_comm *comm, ney_score_moments *m)
{
    ney_score_moments all = {0};
    for (int rank = 0; rank < ney_comm_size(comm); rank++) {
        ney_score_moments one = *m;
        ney_comm_broadcast(comm, rank, &one, (int64_t)sizeof one);
        all = join_moments(all, one);
    }
    *m = all;
}

/* ---- certificates */

/* The hash of all scores in the order of rows: its state goes from rank to rank. */
static ney_status hash_scores(const ney_comm *comm, const double *score, int64_t n, uint64_t *hash,
                              ney_error *err)
{
    const int rank = ney_comm_rank(comm), size = ney_comm_size(comm);
    XXH3_state_t *const state = XXH3_createState();
    const ney_status st = ney_comm_agree(comm, state ? NEY_OK : ney_no_memory(err, 1, "hash"), err);
    if (st == NEY_OK) {
        XXH3_64bits_reset(state);
        const unsigned char *const secret = state->extSecret; /* an address of this process */
        if (rank > 0) {
            comm->receive(comm->state, rank - 1, state, (int64_t)sizeof *state);
            state->extSecret = secret;
        }
        ney_hash_numbers(state, score, n, sizeof *score);
        if (rank + 1 < size) {
            comm->send(comm->state, rank + 1, state, (int64_t)sizeof *state);
        }
        *hash = XXH3_64bits_digest(state);
        ney_comm_broadcast(comm, size - 1, hash, (int64_t)sizeof *hash);
    }
    XXH3_freeState(state);
    return st;
}

static ney_status too_few(const ney_certificate *c, ney_error *err)
{
    return ney_fail(err, NEY_EGOAL,
                    "%lld %s rows cannot certify a rate of %g with confidence %g: at least %.0f "
                    "are needed; the tightest rate that these can certify is %.4g",
                    (long long)c->n, c->kind == NEY_FALSE_POSITIVES ? "negative" : "positive",
                    c->max_rate, 1 - c->delta, ney_rows_needed(c->max_rate, c->delta),
                    ney_tightest_rate(c->n, c->delta));
}

/* Where the scores of one class lie apart, so that they can be hashed. */
static ney_status hash_class(const ney_row_blocks *b, const double *score, const int8_t *label,
                             int64_t n, int of_class, uint64_t *hash, ney_error *err)
{
    double *const own = ney_alloc(&b->env, n, sizeof *own);
    int64_t m = 0;
    for (int64_t i = 0; own && i < n; i++) {
        if (label[i] == of_class) {
            own[m++] = score[i];
        }
    }
    ney_status st = ney_comm_agree(b->comm, own ? NEY_OK : ney_no_memory(err, n, "scores"), err);
    if (st == NEY_OK) {
        st = hash_scores(b->comm, own, m, hash, err);
    }
    ney_release(&b->env, own);
    return st;
}

ney_status ney_shared_certify(ney_certificate *out, const ney_row_blocks *b, ney_error_kind kind,
                              const double *score, const int8_t *label, int64_t n, double max_rate,
                              double delta, ney_error *err)
{
    const int of_class = ney_class_of_error(kind), sign = kind == NEY_FALSE_POSITIVES ? 1 : -1;
    int64_t n_class[2], above = 0;
    ney_shared_classes(b, label, n, &n_class[1], &n_class[0]);
    *out = (ney_certificate){
        .kind = kind, .max_rate = max_rate, .delta = delta, .n = n_class[of_class > 0]};
    const ney_status st = ney_certify_check(max_rate, delta, err);
    const int64_t allowed = st == NEY_OK ? ney_mistakes_allowed(out->n, max_rate, delta) : -1;
    if (st != NEY_OK || allowed < 0) {
        return st != NEY_OK ? st : too_few(out, err);
    }
    const double t = ney_shared_kth_largest(b, score, label, n, of_class, sign, allowed + 1);
    if (t == (double)INFINITY && kind == NEY_FALSE_POSITIVES) {
        return ney_fail(err, NEY_EGOAL,
                        "more than %lld of the %lld negative rows have an infinite score: no "
                        "threshold lies beyond them",
                        (long long)allowed, (long long)out->n);
    }
    for (int64_t i = 0; i < n; i++) {
        above += label[i] == of_class && sign * score[i] > t;
    }
    ney_comm_add_counts(b->comm, &above, 1);
    out->misclassified = above;
    out->bound = 1 - ney_binomial_rate((double)(out->n - allowed), (double)out->n, delta);
    out->rank = sign > 0 ? out->n - allowed : allowed + 1;
    out->threshold = sign > 0 ? nextafter(t, (double)INFINITY) : -t;
    return hash_class(b, score, label, n, of_class, &out->hash, err);
}
