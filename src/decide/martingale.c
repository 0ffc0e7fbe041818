/* Against each rate q > A one bet: an error multiplies its stake by q / A, a correct row by
 * (1 - q) / (1 - A). While the rate is at most A no bet gains on average, so a mixture of many,
 * over rates and over the times at which they start, reaches 1 / delta with probability at most
 * delta, ever (Ville 1939). [MONITOR.1] */
#include "decide/martingale.h"

#include <math.h>

enum { FIRST = 64 }; /* rows before the second start; each of the next comes half as late again */

int64_t ney_martingale_start(int k)
{
    int64_t start = FIRST;
    for (int i = 1; i < k; i++) {
        start += start / 2;
    }
    return k > 0 ? start : 0;
}

int ney_martingale_starts(int64_t n)
{
    int k = 1;
    for (int64_t start = FIRST; k < NEY_MARTINGALE_STARTS && start < n; start += start / 2) {
        k++;
    }
    return k;
}

/* log q and log(1 - q) of the rate q with these log odds, finite however far out they are. */
static double log_rate(double odds)
{
    return odds < 0 ? odds - log1p(exp(odds)) : -log1p(exp(-odds));
}

ney_status ney_martingale_init(ney_martingale *m, double max_rate, ney_error *err)
{
    *m = (ney_martingale){.max_rate = max_rate, .n_starts = 1};
    if (!(max_rate > 0 && max_rate < 1)) {
        return ney_fail(err, NEY_EINVAL, "a bound of %g, expected one above 0 and below 1",
                        max_rate);
    }
    /* From a tenth above A up, closer to 1 by equal steps of the log odds. */
    const double low = log(max_rate) - log1p(-max_rate) + 0.1;
    const double high = fmax(low, 0) + 2;
    for (int j = 0; j < NEY_MARTINGALE_RATES; j++) {
        const double odds = low + (high - low) * (double)j / (NEY_MARTINGALE_RATES - 1);
        m->gain[1][j] = log_rate(odds) - log(max_rate);
        m->gain[0][j] = log_rate(-odds) - log1p(-max_rate);
    }
    return NEY_OK;
}

void ney_martingale_add(ney_martingale *m, bool error)
{
    if (m->n_starts < NEY_MARTINGALE_STARTS && m->n == ney_martingale_start(m->n_starts)) {
        m->errors_before[m->n_starts++] = m->errors;
    }
    m->n++;
    m->errors += error;
}

/* The weights w_k = 1 / ((k + 1) (k + 2)) of all starts add up to 1. */
double ney_martingale_log(const ney_martingale *m)
{
    /* A start that is still to come counts as it is: 1, with all the weight from n_starts on. */
    double most = -log(m->n_starts + 1.0), sum = 0;

    for (int pass = 0; pass < 2; pass++) {
        sum = pass ? exp(-log(m->n_starts + 1.0) - most) : 0;
        for (int k = 0; k < m->n_starts; k++) {
            const double errors = (double)(m->errors - m->errors_before[k]);
            const double correct = (double)(m->n - ney_martingale_start(k)) - errors;
            const double weight = -log((k + 1.0) * (k + 2.0) * NEY_MARTINGALE_RATES);
            for (int j = 0; j < NEY_MARTINGALE_RATES; j++) {
                const double one = weight + errors * m->gain[1][j] + correct * m->gain[0][j];
                most = pass ? most : fmax(most, one);
                sum += pass ? exp(one - most) : 0;
            }
        }
    }
    return most + log(sum);
}
