/* What rows that had no part in a model say about a bound of its error rate. */
#include <neyman/neyman.h>

ney_verdict ney_check_bound(int64_t hits, int64_t n, double max_rate, double confidence)
{
    double low, high;
    ney_interval(hits, n, confidence, &low, &high);
    return high <= max_rate  ? NEY_VERDICT_CONFIRMED
           : low <= max_rate ? NEY_VERDICT_OPEN
                             : NEY_VERDICT_REFUTED;
}
