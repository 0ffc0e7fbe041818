#include "decide/reuse.h"

#include "base/error.h"

#include <math.h>

static const double log_two_pi = 1.83787706640934548356;

/* The grid of A and of C. */
static const double stake[] = {0.002, 0.004, 0.008, 0.016, 0.03, 0.06, 0.12,
                               0.25,  0.5,   0.75,  0.9,   0.97, 0.999};

enum { N_STAKES = sizeof stake / sizeof *stake };

void ney_reuse_add(ney_reuse_table *t, int64_t a, int64_t b)
{
    if (a <= NEY_REUSE_MOST && b <= NEY_REUSE_MOST && a + b >= 2 && a + b <= NEY_REUSE_MOST) {
        t->values[a + b][b < 2 ? b : 2]++;
    }
}

/* log(e^x + e^y) */
static double log_add(double x, double y)
{
    return fmax(x, y) + log1p(exp(-fabs(x - y)));
}

/* The log of the sum over the grid of the products of one m. */
static double log_sum(const int64_t n[3])
{
    double sum = -(double)INFINITY;
    for (int i = 0; i < N_STAKES; i++) {
        for (int k = 0; k < N_STAKES; k++) {
            const double product = (double)n[0] * log1p(-stake[i]) +
                                   (double)n[1] * log1p(sqrt(stake[i] * stake[k])) +
                                   (double)n[2] * log1p(-stake[k]);
            sum = isinf(sum) ? product : log_add(sum, product);
        }
    }
    return sum;
}

double ney_reuse_log_evidence(const ney_reuse_table *t)
{
    double sum = log_sum(t->values[2]);
    for (int m = 3; m <= NEY_REUSE_MOST; m++) {
        sum = log_add(sum, log_sum(t->values[m]));
    }
    return sum - log((double)N_STAKES * N_STAKES * (NEY_REUSE_MOST - 1));
}

/* An upper bound of -log P(N = n) where N is Poisson of mean n >= 1. */
static double log_fixed(int64_t n)
{
    return 0.5 * (log_two_pi + log((double)n)) + 1 / (12 * (double)n);
}

double ney_reuse_log_needed(int64_t training, int64_t rows)
{
    return -log(NEY_REUSE_LEVEL) + log_fixed(training > 1 ? training : 1) +
           log_fixed(rows > 1 ? rows : 1);
}

void ney_warn_reuse(ney_result *root, const ney_reuse *reuse, const char *what, const char *use)
{
    if (reuse->reused) {
        ney_result_warn(root,
                        "%s%lld of %lld %s were used in %s, more than chance repeats explain: "
                        "their rates are optimistic, and intervals do not cover those of new data; "
                        "use rows that were held out",
                        reuse->compared < reuse->rows ? "about " : "", llround(reuse->estimate),
                        (long long)reuse->rows, what, use);
    }
}
