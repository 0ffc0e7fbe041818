/* A test martingale against "each row is misclassified with probability at most max_rate, given the
 * rows before it": its value, which may be read after every row, ever reaches 1 / delta with
 * probability at most delta while that is true. Mathematics: doc/math/monitor.md. */
#ifndef NEY_DECIDE_MARTINGALE_H
#define NEY_DECIDE_MARTINGALE_H

#include "base/error.h"

enum { NEY_MARTINGALE_STARTS = 48, NEY_MARTINGALE_RATES = 24 };

/* Every bet's stake follows from two counts: the rows since it started and the errors among them.
 * So counts are all that has to be kept, and are exact. */
typedef struct ney_martingale {
    double max_rate;
    int64_t n, errors; /* rows, and those misclassified */
    int n_starts;
    int64_t errors_before[NEY_MARTINGALE_STARTS]; /* start k, after ney_martingale_start(k) rows */
    double gain[2][NEY_MARTINGALE_RATES];         /* log factor of a correct row and of an error */
} ney_martingale;

/** @retval NEY_EINVAL  a rate outside (0, 1). */
ney_status ney_martingale_init(ney_martingale *m, double max_rate, ney_error *err);

void ney_martingale_add(ney_martingale *m, bool error);

/* The logarithm of its value: finite, and it rises at errors only. */
double ney_martingale_log(const ney_martingale *m);

/* How many rows come before start k, and how many starts there are after n rows. */
int64_t ney_martingale_start(int k);
int ney_martingale_starts(int64_t n);

#endif
