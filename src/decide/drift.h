/* The inside of a test of drift: intervals of scores, counts, and a test martingale that follows
 * from the counts alone. */
#ifndef NEY_DECIDE_DRIFT_H
#define NEY_DECIDE_DRIFT_H

#include "base/state_file.h"
#include "decide/martingale.h"

/* Bins at most; reference rows at least; tilted bets per start. */
enum { NEY_DRIFT_BINS = 16, NEY_DRIFT_REFERENCE = 20, NEY_DRIFT_TILTS = 12 };

/* A score and a random number that orders equal scores. */
typedef struct ney_untied {
    double score, tie;
} ney_untied;

struct ney_drift {
    ney_env env;
    ney_drift_opts opts;
    int64_t n_reference;
    uint64_t reference; /* hash of the reference scores in order */
    int n_bins;
    ney_untied cut[NEY_DRIFT_BINS]; /* the reference row at the upper end of each bin */
    int64_t gaps[NEY_DRIFT_BINS];   /* between reference rows; n_reference + 1 in all */
    double tilt[NEY_DRIFT_TILTS][NEY_DRIFT_BINS]; /* weights of the bins, and their logarithms */
    double log_tilt[NEY_DRIFT_TILTS][NEY_DRIFT_BINS];
    int64_t n, count[NEY_DRIFT_BINS]; /* rows added */
    int n_starts;                     /* start k, after ney_martingale_start(k) rows */
    int64_t before[NEY_MARTINGALE_STARTS][NEY_DRIFT_BINS]; /* counts at each start */
    double log_evidence;                                   /* when it was last evaluated */
    int64_t alarm_row;
    ney_state_file state;
};

/* The logarithm of the test martingale [MONITOR.5]. */
double ney_drift_log(const ney_drift *d);

/* Whether the martingale is evaluated after n rows: each of the first 256, then 128 times while
 * their number doubles. */
bool ney_drift_is_due(int64_t n);

/* log(x (x + 1) ... (x + c - 1)), for x > 0. */
double ney_log_rising(double x, int64_t c);

/* Go on from the text of a state file, which a NUL follows. On failure the test is as new. */
ney_status ney_drift_parse(ney_drift *d, const char *name, const char *text, int64_t n_text,
                           ney_error *err);

#endif
