/* What a pair of thresholds does to labelled scores. */
#include <neyman/experimental.h>

ney_counts ney_count(const double *score, const int8_t *label, int64_t n, double low, double high)
{
    if (!(score || n <= 0) || !(label || n <= 0)) {
        return (ney_counts){0};
    }
    ney_counts c = {0};
    for (int64_t i = 0; i < n; i++) {
        const bool is_positive = label[i] > 0;
        if (score[i] >= high) {
            c.tp += is_positive;
            c.fp += !is_positive;
        } else if (score[i] < low) {
            c.fn += is_positive;
            c.tn += !is_positive;
        } else { /* NaN scores are counted here: they are not classified */
            c.rejected_pos += is_positive;
            c.rejected_neg += !is_positive;
        }
    }
    return c;
}
