/* Intervals of a rate that hold at every threshold at once, so that the threshold may be chosen
 * after seeing the rows. Mathematics: doc/math/curves.md, [CURVE.7].
 *
 * Of n rows of a class let X_1 >= X_2 >= ... be the scores and G(t) = P(score >= t). Half of
 * 1 - confidence goes to the inequality of Dvoretzky, Kiefer and Wolfowitz with Massart's constant,
 * which is narrow in the middle. The other half goes to exact limits of order statistics, which are
 * narrow where the rate is near 0 or 1: for j in a grid,
 *
 *   P(score > X_j) <= u_j,   P(score >= X_j) >= l_j,   each except with probability `tail`,
 *
 * with the Clopper-Pearson limits u_j of j - 1 hits and l_j of j hits. A threshold with k rows at
 * or above it lies above X_{k + 1} and not above X_k: u_j bounds its rate for every j > k, and l_j
 * for every j <= k. Between points of the grid the next one farther out is taken. The grid is
 * 1, 2, 3, ... with gaps of the square root of j, about one standard deviation of the count, up to
 * n / 5, and the same from the other end. Ties only increase the coverage: no assumption on the
 * scores is needed. */
#include "decide/binomial.h"

#include <neyman/neyman.h>

#include <math.h>

static int64_t next_in_grid(int64_t j)
{
    const int64_t gap = (int64_t)sqrt((double)j);
    return j + (gap > 1 ? gap : 1);
}

/* Points of the grid in one half, of which the last is `*last`; 0: none. */
static int64_t count_grid(int64_t n, int64_t *last)
{
    int64_t count = 0;
    *last = 0;
    for (int64_t j = 1; j <= n / 5; j = next_in_grid(j)) {
        *last = j;
        count++;
    }
    return count;
}

/* The largest point of the grid that is at most k, 0: none; k is at least 0. */
static int64_t grid_below(int64_t k, int64_t n, int64_t last)
{
    int64_t best = 0;
    const int64_t mirrored = n + 1 - k; /* the upper half: n + 1 - j <= k for j >= n + 1 - k */
    if (last > 0 && mirrored <= last) {
        int64_t j = 1;
        while (j < mirrored) {
            j = next_in_grid(j);
        }
        return n + 1 - j;
    }
    for (int64_t j = 1; j <= k && j <= last; j = next_in_grid(j)) {
        best = j;
    }
    return best;
}

/* The lower limit at k hits; the upper one is that of n - k misses, as the grid is symmetric. */
static double lower_limit(int64_t k, int64_t n, double delta)
{
    int64_t last;
    const int64_t in_half = count_grid(n, &last);
    double low = fmax(0, (double)k / (double)n - sqrt(log(4 / delta) / (2 * (double)n)));
    const int64_t j = grid_below(k, n, last);
    if (j > 0) {
        const double tail = delta / 2 / (4 * (double)in_half); /* two halves, two limits */
        low = fmax(low, ney_binomial_rate((double)j, (double)n, tail));
    }
    return low;
}

void ney_interval_simultaneous(int64_t hits, int64_t n, double confidence, double *low,
                               double *high)
{
    if (!low || !high) {
        return;
    }
    *low = 0;
    *high = 1;
    if (n <= 0 || !(confidence < 1)) {
        return;
    }
    const double delta = 1 - fmax(confidence, 0);
    const int64_t k = hits < 0 ? 0 : hits > n ? n : hits;
    *low = lower_limit(k, n, delta);
    *high = 1 - lower_limit(n - k, n, delta);
}
