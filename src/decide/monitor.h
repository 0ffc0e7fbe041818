/* The inside of a monitor: one test martingale per bounded rate, and the scores that came after an
 * alarm. */
#ifndef NEY_DECIDE_MONITOR_H
#define NEY_DECIDE_MONITOR_H

#include "base/lock.h"
#include "decide/martingale.h"

/* One bounded rate. */
typedef struct ney_watched {
    ney_error_kind kind;
    bool watched;
    double delta; /* its share */
    ney_martingale martingale;
    int64_t alarm_row;           /* of all rows, the one that raised the alarm, from 1; 0: none */
    int64_t window, n_collected; /* rows of its class to renew on; those that have come */
    double *score;               /* n_collected of them, in the order they came */
    int64_t cap;
} ney_watched;

struct ney_monitor {
    ney_env env;
    ney_monitor_opts opts;
    ney_watched rate[2]; /* false positives, false negatives */
    int64_t n_class[2];  /* negatives, positives */
    char *state;         /* path of the state file; NULL: none */
    ney_lock lock;
};

static inline int64_t ney_monitor_rows(const ney_monitor *m)
{
    return m->n_class[0] + m->n_class[1];
}

/* Go on from the text of a state file, which a NUL follows. On failure the monitor is as new.
 * @retval NEY_EFORMAT  damaged, of a later version, or of another model or other options. */
ney_status ney_monitor_parse(ney_monitor *m, const char *name, const char *text, int64_t n_text,
                             ney_error *err);

/* The row of the first alarm; 0: none. */
int64_t ney_monitor_alarm_row(const ney_monitor *m);

#endif
