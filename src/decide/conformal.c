#include "decide/conformal.h"

/* How many of the scores lie below, or below and at it. */
static int64_t count_below(const double *sorted, int64_t n, double score, int ties)
{
    int64_t low = 0, high = n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (sorted[middle] < score || (ties && sorted[middle] == score)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

double ney_conformal_p(const double *sorted, int64_t n, int sign, double score)
{
    const int64_t as_odd =
        sign > 0 ? count_below(sorted, n, score, 1) : n - count_below(sorted, n, score, 0);
    return (double)(as_odd + 1) / (double)(n + 1);
}

double ney_conformal_p_groups(const double *sorted, const double *below, int64_t n, int64_t groups,
                              int sign, double score)
{
    const double as_odd = sign > 0 ? below[count_below(sorted, n, score, 1)]
                                   : below[n] - below[count_below(sorted, n, score, 0)];
    const double p = (as_odd + 1) / (double)(groups + 1);
    return p < 1 ? p : 1;
}
