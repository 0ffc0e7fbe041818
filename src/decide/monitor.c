/* An alarm that may be looked at after every row. Mathematics: doc/math/monitor.md.
 *
 * Against each rate q > A one bet: a mistake multiplies its stake by q / A, a row that is right by
 * (1 - q) / (1 - A). While the rate is at most A no bet gains on average, so a mixture of many,
 * over rates and over the time at which they begin, reaches 1 / delta with probability at most
 * delta, ever (Ville 1939).                                                        [MONITOR.1] */
#include "base/error.h"

#include <assert.h>
#include <math.h>

enum {
    RATES = 24, /* bets of one beginning */
    FIRST = 64  /* rows before the second beginning; each of the next comes half as late again */
};

/* The rate of bet j: from a tenth above A up, closer to 1 by equal steps of the log odds. */
static double rate_of(double max_rate, int j)
{
    const double low = log(max_rate / (1 - max_rate)) + 0.1;
    const double high = fmax(low, 0) + 2;
    const double odds = low + (high - low) * (double)j / (RATES - 1);
    return 1 / (1 + exp(-odds));
}

static void begin(ney_monitor *m)
{
    for (int j = 0; j < RATES; j++) {
        m->log_stake[m->beginnings][j] = 0;
    }
    m->beginnings++;
}

ney_status ney_monitor_init(ney_monitor *m, double max_rate, double delta, ney_error *err)
{
    static_assert(sizeof m->log_stake[0] / sizeof m->log_stake[0][0] == RATES, "bets");
    *m = (ney_monitor){.max_rate = max_rate, .delta = delta};
    if (!(max_rate > 0 && max_rate < 1)) {
        return ney_fail(err, NEY_EINVAL, "a rate of %g, expected one between 0 and 1", max_rate);
    }
    if (!(delta > 0 && delta < 1)) {
        return ney_fail(err, NEY_EINVAL, "an error of %g, expected one between 0 and 1", delta);
    }
    begin(m);
    m->next_begin = FIRST;
    return NEY_OK;
}

/* log of the sum of weights w_k = 1 / ((k + 1) (k + 2)), which add up to less than 1, times the
 * mean of the stakes. */
static double log_wealth(const ney_monitor *m)
{
    double most = -(double)INFINITY, sum = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < m->beginnings; k++) {
            const double weight = -log((k + 1.0) * (k + 2.0)) - log((double)RATES);
            for (int j = 0; j < RATES; j++) {
                const double one = weight + m->log_stake[k][j];
                most = pass == 0 ? fmax(most, one) : most;
                sum += pass == 1 ? exp(one - most) : 0;
            }
        }
    }
    /* What has not begun yet lies idle and counts as it is: w_k from `beginnings` on. */
    const double idle = 1 / (m->beginnings + 1.0);
    return most + log(sum + idle * exp(-most));
}

bool ney_monitor_see(ney_monitor *m, bool mistaken)
{
    if (m->n == m->next_begin && m->beginnings < NEY_MONITOR_BEGINNINGS) {
        begin(m);
        m->next_begin += m->next_begin / 2;
    }
    m->n++;
    m->mistaken += mistaken;
    for (int j = 0; j < RATES; j++) {
        const double q = rate_of(m->max_rate, j);
        const double gain = mistaken ? log(q / m->max_rate) : log1p(-q) - log1p(-m->max_rate);
        for (int k = 0; k < m->beginnings; k++) {
            m->log_stake[k][j] += gain;
        }
    }
    m->evidence = log_wealth(m);
    if (!m->alarm && m->evidence >= -log(m->delta)) {
        m->alarm = true;
        m->alarm_at = m->n;
    }
    return m->alarm;
}
