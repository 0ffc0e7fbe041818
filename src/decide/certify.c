/* The order statistic behind a certified rate (Tong, Feng and Li 2018, "NP umbrella").
 *
 *   Of n calibration rows of one class let T be the (r + 1)-th largest score, and call a row
 * misclassified when its score is above T. Whatever the score function, the error rate
 * exceeds A with probability at most P(Binomial(n, A) <= r) [CERT.1]
 *
 * so r is the largest number for which that is at most delta. Proof: let F be the distribution of
 * the scores and t its upper A-quantile, i.e. the smallest t with P(score > t) <= A. The rate at T
 * exceeds A only if T < t, i.e. if at most r of the n rows score t or more, and each does with
 * probability P(score >= t) >= A. Ties only lower the rate: no assumption on F is needed.
 *
 * Our rule says positive when score >= threshold, so for false positives the threshold is the next
 * number above T. False negatives are the same with all signs changed: there it is T itself.
 */
#include "decide/certify.h"

#include "base/little.h"
#include "decide/binomial.h"

#include <math.h>

/* 1 - confidence is exact, but the confidence is the double nearest to some decimal fraction: the
 * fraction is what the user means. Of 15 decimals none is lost; of more, the difference stands. */
double ney_delta_of_confidence(double confidence)
{
    const double delta = round((1 - confidence) * 1e15) / 1e15;
    return 1 - delta == confidence ? delta : 1 - confidence;
}

double ney_delta_of_each(double delta)
{
    return -expm1(0.5 * log1p(-delta));
}

/* Whether n rows without an error certify the rate: (1 - A)^n <= delta. One statement for all
 * callers, so that they agree where both sides are equal on paper; the 1e-12 is for rates and
 * deltas that have no exact double. */
static bool is_enough(double n, double max_rate, double delta)
{
    return n * log1p(-max_rate) <= log(delta) * (1 - 1e-12);
}

double ney_rows_needed(double max_rate, double delta)
{
    double n = fmax(1, ceil(log(delta) / log1p(-max_rate)));
    if (n > 1 && n < 0x1p53 && is_enough(n - 1, max_rate, delta)) {
        n--;
    }
    return n;
}

double ney_tightest_rate(int64_t n, double delta)
{
    return n > 0 ? -expm1(log(delta) / (double)n) : 1;
}

int64_t ney_mistakes_allowed(int64_t n, double max_rate, double delta)
{
    if (!is_enough((double)n, max_rate, delta)) {
        return -1;
    }
    int64_t low = 0, high = n; /* low is allowed, high is not: P(X <= n) = 1 */
    while (high - low > 1) {
        const int64_t r = low + (high - low) / 2;
        /* P(X <= r) = P(n - X >= n - r), and n - X is Binomial(n, 1 - A) */
        if (ney_binomial_tail((double)(n - r), (double)n, 1 - max_rate) <= delta) {
            low = r;
        } else {
            high = r;
        }
    }
    return low;
}

void ney_certified_join(ney_certified *c)
{
    c->high = c->has_fpr ? c->fpr.threshold : c->fnr.threshold;
    c->low = c->has_fnr ? c->fnr.threshold : c->fpr.threshold;
    if (c->low > c->high) {
        c->low = c->high;
    }
}

ney_status ney_certify_check(double max_rate, double delta, ney_error *err)
{
    if (!(max_rate > 0 && max_rate < 1)) {
        return ney_fail(err, NEY_EINVAL, "a rate of %g, expected one above 0 and below 1",
                        max_rate);
    }
    if (!(delta > 0 && delta <= 0.5)) {
        return ney_fail(err, NEY_EINVAL, "a confidence of %g, expected one from 0.5 to below 1",
                        1 - delta);
    }
    return NEY_OK;
}

ney_status ney_certifier_init(ney_certifier *c, const ney_env *env, ney_error_kind kind, int64_t n,
                              double max_rate, double delta, ney_error *err)
{
    ney_status st;

    *c = (ney_certifier){.env = *env};
    if ((st = ney_certify_check(max_rate, delta, err)) != NEY_OK) {
        return st;
    }
    c->result = (ney_certificate){.kind = kind, .max_rate = max_rate, .delta = delta, .n = n};
    c->allowed = ney_mistakes_allowed(n, max_rate, delta);
    if (c->allowed < 0) {
        return ney_fail(
            err, NEY_EGOAL,
            "%lld %s rows cannot certify a rate of %g with confidence %g: at least %.0f "
            "are needed; the tightest rate that these can certify is %.4g",
            (long long)n, kind == NEY_FALSE_POSITIVES ? "negative" : "positive", max_rate,
            1 - delta, ney_rows_needed(max_rate, delta), ney_tightest_rate(n, delta));
    }
    c->hash = XXH3_createState();
    if (!c->hash || !ney_k_largest_init(&c->top, env, c->allowed + 1)) {
        return ney_no_memory(err, c->allowed + 1, "scores near the threshold");
    }
    XXH3_64bits_reset(c->hash);
    return NEY_OK;
}

void ney_certifier_deinit(ney_certifier *c)
{
    ney_k_largest_deinit(&c->top, &c->env);
    XXH3_freeState(c->hash);
    c->hash = NULL;
}

void ney_certifier_add(ney_certifier *c, const double *score, int64_t n)
{
    const bool negate = c->result.kind == NEY_FALSE_NEGATIVES;
    for (int64_t i = 0; i < n; i++) {
        ney_k_largest_add(&c->top, negate ? -score[i] : score[i]);
    }
    ney_hash_numbers(c->hash, score, n, sizeof *score);
}

ney_status ney_certifier_finish(ney_certifier *c, ney_certificate *out, ney_error *err)
{
    ney_certificate *r = &c->result;
    const double t = ney_k_largest_least(&c->top);
    if (t == (double)INFINITY && r->kind == NEY_FALSE_POSITIVES) { /* -inf misses no positive */
        return ney_fail(
            err, NEY_EGOAL,
            "more than %lld of the %lld negative rows have an infinite score: no threshold "
            "lies beyond them",
            (long long)c->allowed, (long long)r->n);
    }
    r->misclassified = ney_k_largest_above(&c->top, t);
    /* P(X <= r) = delta at rate A: the upper end of the exact one-sided interval. */
    r->bound = 1 - ney_binomial_rate((double)(r->n - c->allowed), (double)r->n, r->delta);
    r->hash = XXH3_64bits_digest(c->hash);
    if (r->kind == NEY_FALSE_POSITIVES) {
        r->rank = r->n - c->allowed;
        r->threshold = nextafter(t, (double)INFINITY);
    } else {
        r->rank = c->allowed + 1;
        r->threshold = -t;
    }
    *out = *r;
    return NEY_OK;
}

ney_status ney_certify(ney_certificate *out, const ney_env *env, ney_error_kind kind,
                       const double *score, int64_t n, double max_rate, double delta,
                       ney_error *err)
{
    NEY_REQUIRE(out && n >= 0 && (score || n == 0), err);
    const ney_env e = ney_env_of(env);
    ney_certifier c;
    ney_status st;

    for (int64_t i = 0; i < n; i++) {
        if (isnan(score[i])) {
            return ney_fail(err, NEY_EINVAL, "score %lld is not a number", (long long)i + 1);
        }
    }
    if ((st = ney_certifier_init(&c, &e, kind, n, max_rate, delta, err)) == NEY_OK) {
        ney_certifier_add(&c, score, n);
        st = ney_certifier_finish(&c, out, err);
#ifdef NEY_TEST_EXTRA /* tests/abi: a later library gives a meaning to reserved members */
        out->reserved[0] = 1;
#endif
    }
    ney_certifier_deinit(&c);
    return st;
}
