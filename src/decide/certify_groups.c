/* Certificates and intervals where rows come in groups (several rows per patient, account or
 * spectrum). Groups are independent of each other, rows of a group are not. The rate is the mean
 * over groups of the error rate within a group: that of a random row of a random new group.
 *
 *   share    of a group: its rows above T over its rows. A number in [0, 1] that does not increase
 *            with T; the rate at T is its mean over all groups there may be.
 *   bet      T is the smallest at which the shares of the G groups reject "the rate exceeds A" at
 *            level delta, by betting [GROUP.2]. Where the rate at T exceeds A, the shares at the
 *            largest threshold with that rate or more, which is not random, reject it too, as the
 *            test is monotone: that happens with probability delta at most [GROUP.1].
 *   draw     One row of each group, drawn at random, is a sample of independent rows of that rate,
 *            and [CERT.1] holds for it. With few groups more than the fewest that can certify
 *            anything this has more power: the bet then allows almost no error in any row.
 *
 * Which of the two is used depends on the number of groups, on A and on delta alone. */
#include "base/grouping.h"
#include "base/little.h"
#include "base/rng.h"
#include "decide/binomial.h"
#include "decide/certify.h"
#include "decide/mean_bound.h"
#include "decide/order.h"

#include <math.h>
#include <xxhash.h>

/* From this multiple of the fewest groups on, bets have more power than one row per group: measured
 * in doc/math/groups.md. */
static const double LEAST_BET = 4.0 / 3;

/* Of the rows drawn. Any number: the draw must not depend on scores. */
static const uint64_t SEED = 0x67726f757073u;

/* Rows in their groups, with scores such that a row is misclassified when its score exceeds T. */
typedef struct sample {
    ney_env env;
    ney_grouping groups;
    ney_ranked *item; /* rows by ascending score */
    double *score;    /* by row; of false negatives with the sign changed */
    double *share;    /* by group */
    int64_t n;        /* rows */
} sample;

static ney_status sample_init(sample *s, const ney_env *env, const double *score, int sign,
                              const uint64_t *group, int64_t n, ney_error *err)
{
    *s = (sample){.env = *env, .n = n};
    ney_status st = ney_grouping_init(&s->groups, env, group, n, err);
    if (st != NEY_OK) {
        return st;
    }
    s->score = ney_alloc(env, n, sizeof *s->score);
    s->share = ney_alloc(env, s->groups.n, sizeof *s->share);
    if (!s->score || !s->share) {
        return ney_no_memory(err, n, "scores of groups");
    }
    for (int64_t i = 0; i < n; i++) {
        s->score[i] = sign * score[i];
    }
    return ney_order_new(&s->item, env, s->score, n, err);
}

static void sample_deinit(sample *s)
{
    ney_release(&s->env, s->score);
    ney_release(&s->env, s->share);
    ney_release(&s->env, s->item);
    ney_grouping_deinit(&s->groups);
}

/* The k-th largest score, from 0. */
static double kth_largest(const sample *s, int64_t k)
{
    return s->item[s->n - 1 - k].score;
}

/* Shares above t; their mean. */
static double find_shares(sample *s, double t)
{
    double sum = 0;
    for (int64_t k = 0; k < s->groups.n; k++) {
        const int64_t size = ney_grouping_size(&s->groups, k);
        const int64_t *const row = s->groups.row + s->groups.begin[k];
        int64_t above = 0;
        for (int64_t i = 0; i < size; i++) {
            above += s->score[row[i]] > t;
        }
        s->share[k] = (double)above / (double)size;
        sum += s->share[k];
    }
    return sum / (double)s->groups.n;
}

/* ---- the two ways; each sets c->bound and gives the place of T among the largest scores */

static ney_status by_draw(sample *s, ney_certificate *c, int64_t *place, ney_error *err)
{
    const int64_t n = s->groups.n, allowed = ney_mistakes_allowed(n, c->max_rate, c->delta);
    bool *drawn = ney_alloc_zeroed(&s->env, s->n, sizeof *drawn);
    ney_rng rng = {SEED};
    if (!drawn) {
        return ney_no_memory(err, s->n, "rows drawn");
    }
    for (int64_t k = 0; k < n; k++) {
        const int64_t at = ney_rng_below(&rng, ney_grouping_size(&s->groups, k));
        drawn[s->groups.row[s->groups.begin[k] + at]] = true;
    }
    for (int64_t left = allowed + 1, k = 0; left > 0; k++) { /* the last of `allowed` + 1 */
        left -= drawn[s->item[s->n - 1 - k].row];
        *place = k;
    }
    c->bound = 1 - ney_binomial_rate((double)(n - allowed), (double)n, c->delta);
    ney_release(&s->env, drawn);
    return NEY_OK;
}

static void by_bets(sample *s, ney_certificate *c, int64_t *place)
{
    const ney_stakes stakes = ney_stakes_for(s->groups.n, c->max_rate, c->delta);
    int64_t low = 0, high = s->n; /* low certifies, as no row scores above the largest */
    while (high - low > 1) {
        const int64_t k = low + (high - low) / 2;
        (void)find_shares(s, kth_largest(s, k));
        if (ney_mean_is_below(s->share, s->groups.n, c->max_rate, c->delta, &stakes)) {
            low = k;
        } else {
            high = k;
        }
    }
    *place = low;
    (void)find_shares(s, kth_largest(s, low));
    c->bound = ney_mean_upper(s->share, s->groups.n, c->delta, &stakes);
}

static ney_status certify_sample(sample *s, ney_certificate *c, ney_error *err)
{
    const bool positive = c->kind == NEY_FALSE_POSITIVES;
    const double needed = ney_rows_needed(c->max_rate, c->delta);
    int64_t place = 0;

    if (s->groups.n == 0 || ney_mistakes_allowed(s->groups.n, c->max_rate, c->delta) < 0) {
        return ney_fail(err, NEY_EGOAL,
                        "%lld groups with %s rows cannot certify a rate of %g with confidence %g: "
                        "at least %.0f groups are needed; the tightest rate that these can certify "
                        "is %.4g",
                        (long long)s->groups.n, positive ? "negative" : "positive", c->max_rate,
                        1 - c->delta, needed, ney_tightest_rate(s->groups.n, c->delta));
    }
    if (s->groups.n == s->n || (double)s->groups.n < LEAST_BET * needed) {
        const ney_status st = by_draw(s, c, &place, err);
        if (st != NEY_OK) {
            return st;
        }
    } else {
        by_bets(s, c, &place);
    }
    const double t = kth_largest(s, place);
    if (t == (double)INFINITY && positive) {
        return ney_fail(err, NEY_EGOAL,
                        "too many of the %lld negative rows have an infinite score: no threshold "
                        "lies beyond them",
                        (long long)s->n);
    }
    c->group_rate = find_shares(s, t);
    for (int64_t k = 0; k <= place && kth_largest(s, k) > t; k++) {
        c->misclassified++;
    }
    c->rank = positive ? s->n - place : place + 1;
    c->threshold = positive ? nextafter(t, (double)INFINITY) : -t;
    return NEY_OK;
}

static ney_status hash_scores(const double *score, int64_t n, uint64_t *hash, ney_error *err)
{
    XXH3_state_t *const h = XXH3_createState();
    if (!h) {
        return ney_no_memory(err, 1, "hash state");
    }
    XXH3_64bits_reset(h);
    ney_hash_numbers(h, score, n, sizeof *score);
    *hash = XXH3_64bits_digest(h);
    XXH3_freeState(h);
    return NEY_OK;
}

ney_status ney_certify_groups(ney_certificate *out, const ney_env *env, ney_error_kind kind,
                              const ney_labelled_scores *rows, double max_rate, double delta,
                              ney_error *err)
{
    NEY_REQUIRE(out && rows && rows->n >= 0 && ((rows->score && rows->group) || rows->n == 0), err);
    NEY_REQUIRE_RESERVED(rows, "ney_labelled_scores", err);
    const ney_env e = ney_env_of(env);
    const double *const score = rows->score;
    const int64_t n = rows->n;
    ney_certificate c = {.kind = kind, .max_rate = max_rate, .delta = delta, .n = n};
    sample s;
    ney_status st = ney_certify_check(max_rate, delta, err);

    *out = c;
    if (st != NEY_OK) {
        return st;
    }
    st = sample_init(&s, &e, score, kind == NEY_FALSE_POSITIVES ? 1 : -1, rows->group, n, err);
    if (st == NEY_OK) {
        c.n_groups = s.groups.n;
        st = hash_scores(score, n, &c.hash, err);
    }
    if (st == NEY_OK) {
        st = certify_sample(&s, &c, err);
    }
    *out = c;
    sample_deinit(&s);
    return st;
}

/* ---- intervals */

/* Means within groups into s->share; their mean. */
static double find_means(sample *s)
{
    double sum = 0;
    for (int64_t k = 0; k < s->groups.n; k++) {
        const int64_t size = ney_grouping_size(&s->groups, k);
        double total = 0;
        for (int64_t i = s->groups.begin[k]; i < s->groups.begin[k + 1]; i++) {
            total += s->score[s->groups.row[i]];
        }
        s->share[k] = fmin(1, total / (double)size);
        sum += s->share[k];
    }
    return sum / (double)s->groups.n;
}

ney_status ney_mean_of_groups(ney_group_mean *out, const ney_env *env, const double *value,
                              const uint64_t *group, int64_t n, double confidence, ney_error *err)
{
    NEY_REQUIRE(n >= 0 && out && (value || n == 0) && (group || n == 0), err);
    const ney_env e = ney_env_of(env);
    sample s;
    ney_status st = NEY_OK;

    *out = (ney_group_mean){.mean = (double)NAN, .low = 0, .high = 1, .n = n};
    for (int64_t i = 0; i < n; i++) {
        if (!(value[i] >= 0 && value[i] <= 1)) {
            return ney_fail(err, NEY_EINVAL, "value %lld is %g, expected a number from 0 to 1",
                            (long long)i + 1, value[i]);
        }
    }
    if (n == 0) {
        return NEY_OK;
    }
    if ((st = sample_init(&s, &e, value, 1, group, n, err)) == NEY_OK) {
        const double delta = (1 - confidence) / 2;
        const ney_stakes stakes = ney_stakes_any(s.groups.n);
        out->n_groups = s.groups.n;
        out->mean = find_means(&s);
        out->high = ney_mean_upper(s.share, s.groups.n, delta, &stakes);
        for (int64_t k = 0; k < s.groups.n; k++) {
            s.share[k] = 1 - s.share[k];
        }
        out->low = 1 - ney_mean_upper(s.share, s.groups.n, delta, &stakes);
    }
    sample_deinit(&s);
    return st;
}
