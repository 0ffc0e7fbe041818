#include "support/ref_decide.h"

#include <math.h>

int64_t ref_at_least(const ref_scores *s, int sign, double t)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->n; i++) {
        n += s->label[i] == sign && s->score[i] >= t;
    }
    return n;
}

/* 1 when a positive's score is above a negative's, 1/2 when they tie. */
static long double win(double positive, double negative)
{
    return positive > negative ? 1 : positive == negative ? 0.5L : 0;
}

/* The mean of win() between row i and the other class. */
static long double placement(const ref_scores *s, int64_t i)
{
    long double sum = 0, others = 0;
    for (int64_t j = 0; j < s->n; j++) {
        if (s->label[j] != s->label[i]) {
            others++;
            sum += s->label[i] > 0 ? win(s->score[i], s->score[j]) : win(s->score[j], s->score[i]);
        }
    }
    return sum / others;
}

double ref_auc(const ref_scores *s)
{
    long double sum = 0, positives = 0, negatives = 0;
    for (int64_t i = 0; i < s->n; i++) {
        positives += s->label[i] > 0;
        negatives += s->label[i] < 0;
    }
    if (positives == 0 || negatives == 0) {
        return (double)NAN;
    }
    for (int64_t i = 0; i < s->n; i++) {
        sum += s->label[i] > 0 ? placement(s, i) : 0;
    }
    return (double)(sum / positives);
}

/* var(placements of the positives) / n+ + the same of the negatives. */
double ref_delong(const ref_scores *s)
{
    long double sum[2] = {0}, squares[2] = {0}, n[2] = {0}, variance = 0;
    for (int64_t i = 0; i < s->n; i++) {
        const long double v = placement(s, i);
        const int c = s->label[i] > 0;
        n[c]++;
        sum[c] += v;
        squares[c] += v * v;
    }
    for (int c = 0; c < 2; c++) {
        const long double mean = sum[c] / n[c];
        variance += fmaxl(0, squares[c] - n[c] * mean * mean) / (n[c] - 1) / n[c];
    }
    return (double)sqrtl(variance);
}

/* The height of the curve at x = (negatives accepted, not whole) when x is inside a step. */
static long double height(const ref_scores *s, long double x)
{
    for (int64_t i = 0; i < s->n; i++) { /* find the negative that is being accepted */
        const double t = s->score[i];
        const long double above =
            (long double)(ref_at_least(s, -1, nextafter(t, (double)INFINITY)));
        const long double upto = (long double)ref_at_least(s, -1, t);
        if (s->label[i] < 0 && (t < (double)INFINITY ? above : 0) <= x && x <= upto) {
            const long double from = t < (double)INFINITY ? above : 0;
            const long double tp = (long double)ref_at_least(s, 1, t);
            const long double tp_above =
                t < (double)INFINITY
                    ? (long double)ref_at_least(s, 1, nextafter(t, (double)INFINITY))
                    : 0;
            return tp_above + (tp - tp_above) * (x - from) / (upto - from);
        }
    }
    return (long double)NAN;
}

/* The curve is straight while one negative is accepted, so the middle of the step gives its area.
 */
double ref_partial_auc(const ref_scores *s, double max_fpr)
{
    const int64_t n_pos = ref_at_least(s, 1, -(double)INFINITY);
    const int64_t n_neg = ref_at_least(s, -1, -(double)INFINITY);
    long double area = 0;
    for (int64_t k = 0; k < n_neg; k++) {
        const long double from = (long double)k;
        const long double upto = fminl(from + 1, (long double)max_fpr * (long double)n_neg);
        if (upto > from) {
            area += (upto - from) * height(s, (from + upto) / 2);
        }
    }
    return (double)(area / (long double)n_pos / (long double)n_neg);
}

double ref_qvalue(const ref_scores *s, int64_t row, bool per_all, bool competed, bool plus_one)
{
    const long double n_pos = (long double)ref_at_least(s, 1, -(double)INFINITY);
    const long double extra = plus_one ? 1 : 0, n_neg = (long double)s->n - n_pos + extra;
    long double least = 1;
    for (int64_t i = 0; i < s->n; i++) {
        const long double targets = (long double)ref_at_least(s, 1, s->score[i]);
        if (s->score[i] > s->score[row] || targets == 0) {
            continue; /* this threshold does not accept the row, or accepts no target */
        }
        /* expected false targets among those accepted */
        const long double decoys = (long double)ref_at_least(s, -1, s->score[i]) + extra;
        const long double expected = competed ? decoys : n_pos * decoys / n_neg;
        if (competed || n_neg > 0) {
            least = fminl(least, expected / (per_all ? expected + targets : targets));
        }
    }
    return (double)least;
}

long double ref_binomial(int64_t k, int64_t n, long double p)
{
    if (p <= 0 || p >= 1) {
        return k == (p <= 0 ? 0 : n);
    }
    /* C(n, k) p^k (1-p)^(n-k), one factor of each kind at a time, so that nothing overflows */
    long double log_sum = 0;
    for (int64_t j = 1; j <= k; j++) {
        log_sum += logl((long double)(n - k + j) / (long double)j);
    }
    return expl(log_sum + (long double)k * logl(p) + (long double)(n - k) * log1pl(-p));
}

int64_t ref_umbrella_rank(int64_t n, long double a, long double delta, long double *slack)
{
    long double sum = 0, term = expl((long double)n * log1pl(-a)); /* j = n */
    int64_t k = n + 1;
    *slack = 1;
    for (int64_t j = n; j >= 0; j--) {
        sum += term;
        *slack = fminl(*slack, fabsl(sum - delta) / delta);
        if (sum > delta) {
            break;
        }
        k = j;
        term *= a / (1 - a) * (long double)j / (long double)(n - j + 1);
    }
    return k;
}

void random_scores(rnd *r, double *score, int8_t *label, int64_t n)
{
    const int64_t distinct = 1 + rnd_below(r, rnd_chance(r, 0.5) ? 8 : 500);
    const double share = 0.1 + 0.8 * rnd_unit(r), shift = rnd_unit(r);
    const bool odd = rnd_chance(r, 0.3);
    for (int64_t i = 0; i < n; i++) {
        label[i] = rnd_chance(r, share) ? 1 : -1;
        label[i] = i == 0 ? 1 : i == 1 ? -1 : label[i];
        const double u = rnd_unit(r) + (label[i] > 0 ? shift : 0);
        score[i] = floor(u * (double)distinct) / 4 - 3;
        if (odd && rnd_chance(r, 0.3)) {
            static const double odds[] = {INFINITY, -INFINITY, 0.0, -0.0, 5e-324, -1e300};
            score[i] = odds[rnd_below(r, 6)];
        }
    }
}
