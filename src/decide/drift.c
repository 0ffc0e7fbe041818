/* Drift of scores without labels: a conformal test martingale on counts.
 *
 *   m          reference rows; their order statistics cut the scores into bins, bin j with g_j
 *              gaps between reference rows, sum g_j = m + 1
 *   n_j        rows added that fell into bin j, sum n_j = n
 *
 * If reference and new rows are exchangeable, the rank of the next row among the m + n before it is
 * uniform on m + n + 1 gaps and independent of their order, and bin j has g_j + n_j gaps:
 *
 *   P(bin j | bins of the rows before) = (g_j + n_j) / (m + 1 + n)
 *
 * a Polya urn, whatever the distribution of scores. Against it bets a mixture of predictions, so
 * that the ratio of the two products is a martingale that starts at 1. Both products follow from
 * counts: they are all that is kept. [MONITOR.5] */
#include "decide/drift.h"

#include "base/rng.h"
#include "decide/normal.h"
#include "decide/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* ---------------------------------------------------------------- the martingale */

/* Against start k: the proportions since then are those of the urn, changed. A Dirichlet prior
 * around them of this many rows in all; or moved and spread along the normal scores z, in
 * proportion to exp(a z + b z^2). */
static const double prior_rows[] = {8, 64, 512};
static const struct {
    double location, spread;
} tilts[NEY_DRIFT_TILTS] = {{0.1, 0},  {0.25, 0}, {0.6, 0}, {1.5, 0}, {-0.1, 0},  {-0.25, 0},
                            {-0.6, 0}, {-1.5, 0}, {0, 0.1}, {0, 0.3}, {0, -0.15}, {0, -0.5}};

enum { N_PRIORS = sizeof prior_rows / sizeof *prior_rows, N_BETS = N_PRIORS + NEY_DRIFT_TILTS };

double ney_log_rising(double x, int64_t c)
{
    double product = 1;
    while (c > 0 && x < 16) {
        product *= x;
        x++;
        c--;
    }
    if (c == 0) {
        return log(product);
    }
    /* Stirling's series of both ends, the large terms taken together */
    const double y = x + (double)c, xx = x * x, yy = y * y;
    const double tail = (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / yy) / yy) / y -
                        (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / xx) / xx) / x;
    return log(product) + (x - 0.5) * log1p((double)c / x) + (double)c * (log(y) - 1) + tail;
}

/* A Polya urn that begins with `share[j] * size` in bin j: the log probability of the counts. */
static double log_urn(const double *share, double size, const int64_t *count, int n_bins)
{
    double sum = 0;
    int64_t n = 0;
    for (int j = 0; j < n_bins; j++) {
        sum += ney_log_rising(share[j] * size, count[j]);
        n += count[j];
    }
    return sum - ney_log_rising(size, n);
}

/* Fixed proportions, those of the urn tilted: their log probability without that of the shares. */
static double log_tilted(const ney_drift *d, const double *share, int tilt, const int64_t *count)
{
    double total = 0, sum = 0, n = 0;
    for (int j = 0; j < d->n_bins; j++) {
        total += share[j] * d->tilt[tilt][j];
        sum += (double)count[j] * d->log_tilt[tilt][j];
        n += (double)count[j];
    }
    return sum - n * log(total);
}

/* The log factors of all bets since start k. */
static void log_bets(const ney_drift *d, int k, double bet[N_BETS])
{
    const double size = (double)(d->n_reference + 1 + ney_martingale_start(k));
    double share[NEY_DRIFT_BINS], same = 0;
    int64_t count[NEY_DRIFT_BINS];

    for (int j = 0; j < d->n_bins; j++) {
        share[j] = (double)(d->gaps[j] + d->before[k][j]) / size;
        count[j] = d->count[j] - d->before[k][j];
        same += (double)count[j] * log(share[j]);
    }
    const double urn = log_urn(share, size, count, d->n_bins);
    for (int b = 0; b < N_PRIORS; b++) {
        bet[b] = log_urn(share, prior_rows[b], count, d->n_bins) - urn;
    }
    for (int b = 0; b < NEY_DRIFT_TILTS; b++) {
        bet[N_PRIORS + b] = same + log_tilted(d, share, b, count) - urn;
    }
}

/* The weights 1 / ((k + 1) (k + 2)) of all starts add up to 1; those still to come count as 1. */
double ney_drift_log(const ney_drift *d)
{
    double most = -log(d->n_starts + 1.0), sum = 1; /* sum of exp(term - most) */

    for (int k = 0; k < d->n_starts; k++) {
        const double weight = -log((k + 1.0) * (k + 2.0) * N_BETS);
        double bet[N_BETS];
        log_bets(d, k, bet);
        for (int b = 0; b < N_BETS; b++) {
            const double term = weight + bet[b], higher = fmax(term, most);
            sum = sum * exp(most - higher) + exp(term - higher);
            most = higher;
        }
    }
    return most + log(sum);
}

bool ney_drift_is_due(int64_t n)
{
    int64_t step = 1;
    while (n >= 256 * step) {
        step *= 2;
    }
    return n % step == 0;
}

/* ---------------------------------------------------------------- bins */

static int compare_untied(const void *a, const void *b)
{
    const ney_untied *const x = a, *const y = b;
    if (x->score != y->score) {
        return x->score < y->score ? -1 : 1;
    }
    return (x->tie > y->tie) - (x->tie < y->tie);
}

/* The random number that orders row t of the stream among equal scores. */
static double tie_of_row(const ney_drift *d, int64_t t)
{
    ney_rng r = {d->opts.seed + (uint64_t)t * UINT64_C(0xd1342543de82ef95)};
    return ney_rng_unit(&r);
}

/* Cuts at reference rows whose ranks are these shares of m + 1; ranks that coincide give one. */
static void set_bins(ney_drift *d, const ney_untied *reference)
{
    static const double shares[] = {0.01, 0.02, 0.05, 0.1, 0.2,  0.3,  0.4, 0.5,
                                    0.6,  0.7,  0.8,  0.9, 0.95, 0.98, 0.99};
    const int64_t m = d->n_reference;
    int64_t rank = 0;

    for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
        const int64_t next = (int64_t)floor(shares[k] * (double)(m + 1) + 0.5);
        if (next > rank && next <= m) {
            d->gaps[d->n_bins] = next - rank;
            d->cut[d->n_bins++] = reference[next - 1];
            rank = next;
        }
    }
    d->gaps[d->n_bins] = m + 1 - rank;
    d->cut[d->n_bins++] = (ney_untied){.score = (double)INFINITY, .tie = 1};
}

/* Bins have the normal scores of their middles. */
static void set_tilts(ney_drift *d)
{
    int64_t below = 0;

    for (int j = 0; j < d->n_bins; j++) {
        const double z = ney_normal_quantile(((double)below + (double)d->gaps[j] / 2) /
                                             (double)(d->n_reference + 1));
        for (int b = 0; b < NEY_DRIFT_TILTS; b++) {
            d->log_tilt[b][j] = tilts[b].location * z + tilts[b].spread * z * z;
            d->tilt[b][j] = exp(d->log_tilt[b][j]);
        }
        below += d->gaps[j];
    }
}

/* The first bin whose upper end is above the row. */
static int bin_of(const ney_drift *d, double score, double tie)
{
    const ney_untied row = {score, tie};
    int j = 0;
    while (j < d->n_bins - 1 && compare_untied(&row, &d->cut[j]) > 0) {
        j++;
    }
    return j;
}

/* ---------------------------------------------------------------- life */

static ney_status check(const double *reference, int64_t n, const ney_drift_opts *o, ney_error *err)
{
    if (!(o->delta > 0 && o->delta <= 0.5)) {
        return ney_fail(err, NEY_EINVAL, "a confidence of %g, expected one from 0.5 to below 1",
                        1 - o->delta);
    }
    if (n < NEY_DRIFT_REFERENCE) {
        return ney_fail(err, NEY_EGOAL,
                        "%lld reference scores cannot show a change, expected at least %d",
                        (long long)n, NEY_DRIFT_REFERENCE);
    }
    for (int64_t i = 0; i < n; i++) {
        if (isnan(reference[i])) {
            return ney_fail(err, NEY_EINVAL, "reference score %lld is not a number",
                            (long long)i + 1);
        }
    }
    return NEY_OK;
}

/* Order the reference: ties get their random numbers in the order of scores, so that the order in
 * which the reference is given does not matter. */
static ney_status order_reference(ney_drift *d, const double *reference, ney_error *err)
{
    const int64_t n = d->n_reference;
    ney_ranked *item = NULL;
    ney_untied *row = ney_alloc(&d->env, n, sizeof *row);
    ney_rng r = {~d->opts.seed};
    ney_status st = row ? ney_order_new(&item, &d->env, reference, n, err)
                        : ney_no_memory(err, n, "reference scores");

    if (st == NEY_OK) {
        for (int64_t i = 0; i < n; i++) {
            row[i] = (ney_untied){.score = item[i].score + 0.0, .tie = ney_rng_unit(&r)};
            d->reference = XXH3_64bits_withSeed(&row[i].score, sizeof row[i].score, d->reference);
        }
        qsort(row, (size_t)n, sizeof *row, compare_untied);
        set_bins(d, row);
        set_tilts(d);
    }
    ney_release(&d->env, item);
    ney_release(&d->env, row);
    return st;
}

ney_status ney_drift_new(ney_drift **out, const ney_env *env, const double *reference, int64_t n,
                         const ney_drift_opts *opts, ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out && opts && reference && n >= 0, err);
    const ney_env e = ney_env_of(env);
    ney_status st = check(reference, n, opts, err);
    ney_drift *d;

    if (st != NEY_OK) {
        return st;
    }
    if (!(d = ney_alloc_zeroed(&e, 1, sizeof *d))) {
        return ney_no_memory(err, 1, "test of drift");
    }
    d->env = e;
    d->opts = *opts;
    d->n_reference = n;
    d->n_starts = 1;
    if ((st = order_reference(d, reference, err)) != NEY_OK) {
        ney_drift_free(d);
        return st;
    }
    *out = d;
    return NEY_OK;
}

void ney_drift_free(ney_drift *d)
{
    if (d) {
        const ney_env env = d->env;
        ney_state_file_close(&d->state, &env);
        ney_release(&env, d);
    }
}

/* ---------------------------------------------------------------- rows */

static void add_score(ney_drift *d, double score)
{
    if (d->n_starts < NEY_MARTINGALE_STARTS && d->n == ney_martingale_start(d->n_starts)) {
        memcpy(d->before[d->n_starts++], d->count, sizeof d->count);
    }
    d->n++;
    d->count[bin_of(d, score, tie_of_row(d, d->n))]++;
    if (ney_drift_is_due(d->n)) {
        d->log_evidence = ney_drift_log(d);
        if (d->alarm_row == 0 && d->log_evidence >= -log(d->opts.delta)) {
            d->alarm_row = d->n;
        }
    }
}

ney_status ney_drift_add(ney_drift *d, const double *score, int64_t n, int64_t *taken,
                         ney_error *err)
{
    NEY_REQUIRE(d && n >= 0 && (score || n == 0) && taken, err);
    const bool alarm = d->alarm_row > 0;

    for (*taken = 0; *taken < n && (d->alarm_row > 0) == alarm; ++*taken) {
        if (isnan(score[*taken])) {
            return ney_fail(err, NEY_EINVAL, "score %lld is not a number", (long long)*taken + 1);
        }
        add_score(d, score[*taken]);
    }
    return NEY_OK;
}

ney_drift_info ney_drift_look(const ney_drift *d)
{
    if (!d) {
        return (ney_drift_info){0};
    }
    return (ney_drift_info){.n_reference = d->n_reference,
                            .n = d->n,
                            .n_bins = d->n_bins,
                            .delta = d->opts.delta,
                            .log_evidence = d->log_evidence,
                            .alarm_row = d->alarm_row};
}

bool ney_drift_bin(const ney_drift *d, int64_t k, double *high, double *expected, double *observed)
{
    if (!d || k < 0 || k >= d->n_bins || !high || !expected || !observed) {
        return false;
    }
    *high = d->cut[k].score;
    *expected = (double)d->gaps[k] / (double)(d->n_reference + 1);
    *observed = d->n > 0 ? (double)d->count[k] / (double)d->n : (double)NAN;
    return true;
}
