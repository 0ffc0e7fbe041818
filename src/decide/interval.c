/* The exact interval of Clopper and Pearson (1934) for a rate seen as k hits of n.
 *
 *   low(k, n)  = the x with P(Binomial(n, x) >= k) = (1 - confidence) / 2,  0 when k = 0
 *   high(k, n) = 1 - low(n - k, n)
 */
#include "decide/binomial.h"

#include <neyman/experimental.h>

#include <math.h>

void ney_interval(int64_t hits, int64_t n, double confidence, double *low, double *high)
{
    if (!low || !high) {
        return;
    }
    *low = 0;
    *high = 1;
    if (n <= 0 || !(confidence < 1)) { /* no rows, confidence 1, or not a number */
        return;
    }
    const double tail = (1 - fmax(confidence, 0)) / 2;
    const int64_t k = hits < 0 ? 0 : hits > n ? n : hits;
    if (k > 0) {
        *low = ney_binomial_rate((double)k, (double)n, tail);
    }
    if (k < n) {
        *high = 1 - ney_binomial_rate((double)(n - k), (double)n, tail);
    }
}
