#include "decide/roc_walk.h"

#include "decide/binomial.h"

#include <math.h>

int64_t ney_walk_point(const ney_roc_walk *w, int64_t k)
{
    return w->bounds_fnr ? w->roc->n_points - 1 - k : k;
}

double ney_walk_bounded_rate(const ney_roc_walk *w, int64_t k)
{
    const ney_roc *c = w->roc;
    return w->bounds_fnr ? ney_share(c->n_pos - c->tp[ney_walk_point(w, k)], c->n_pos)
                         : ney_share(c->fp[ney_walk_point(w, k)], c->n_neg);
}

double ney_walk_other_rate(const ney_roc_walk *w, int64_t k)
{
    const ney_roc *c = w->roc;
    return w->bounds_fnr ? ney_share(c->fp[ney_walk_point(w, k)], c->n_neg)
                         : ney_share(c->n_pos - c->tp[ney_walk_point(w, k)], c->n_pos);
}

/* How many of m rows of the bounded class the threshold lets be misclassified, plus 1: the rate at
 * that threshold on new data is Beta(k, m + 1 - k). With a certificate k is the certificate's;
 * without one the mean k / (m + 1) is the bound, as nearly as m allows. */
static int64_t rank_of_threshold(int64_t m, double rate, double delta)
{
    const int64_t allowed = isnan(delta) ? (int64_t)floor(rate * (double)(m + 1)) - 1
                                         : ney_mistakes_allowed(m, rate, delta);
    return allowed < 0 ? 1 : allowed < m ? allowed + 1 : m;
}

/* Q where P is x, straight between the points of the curve; *k is the last point with P <= x of an
 * earlier, smaller x. */
static double other_rate_at(const ney_roc_walk *w, double x, int64_t *k)
{
    const int64_t n = w->roc->n_points;
    while (*k + 1 < n && ney_walk_bounded_rate(w, *k + 1) <= x) {
        ++*k;
    }
    if (*k + 1 == n) {
        return ney_walk_other_rate(w, *k);
    }
    const double P0 = ney_walk_bounded_rate(w, *k), P1 = ney_walk_bounded_rate(w, *k + 1);
    const double Q0 = ney_walk_other_rate(w, *k), Q1 = ney_walk_other_rate(w, *k + 1);
    return Q0 + (Q1 - Q0) * (x - P0) / (P1 - P0);
}

/* Cells of equal width cover eight deviations to either side of the mean. */
double ney_expected_other_rate(const ney_roc_walk *w, int64_t m, double rate, double delta)
{
    enum { CELLS = 128 };
    const int64_t n = m > 0 ? m : 1;
    const double k = (double)rank_of_threshold(n, rate, delta), mean = k / ((double)n + 1);
    const double reach = 8 * sqrt(mean * (1 - mean) / ((double)n + 2));
    const double low = fmax(0, mean - reach), high = fmin(1, mean + reach);
    double below = ney_binomial_tail(k, (double)n, low), sum = 0, weights = 0;
    int64_t at = 0;
    for (int j = 0; j < CELLS; j++) {
        const double end = low + (high - low) * (j + 1) / CELLS;
        const double here = ney_binomial_tail(k, (double)n, end);
        sum += (here - below) * other_rate_at(w, end - (high - low) / CELLS / 2, &at);
        weights += here - below;
        below = here;
    }
    return sum / weights;
}
