/* Internals of a monitor: one test martingale per bounded rate, of all rows and of each subgroup,
 * and the scores after an alarm. */
#ifndef NEY_DECIDE_MONITOR_H
#define NEY_DECIDE_MONITOR_H

#include "base/state_file.h"
#include "decide/martingale.h"

/* One bounded rate. */
typedef struct ney_watched {
    ney_error_kind kind;
    bool watched;
    double delta; /* its share */
    ney_martingale martingale;
    int64_t alarm_row;           /* of all rows, the one that raised the alarm, from 1; 0: none */
    int64_t window, n_collected; /* rows of its class for new thresholds: needed, collected */
    double *score;               /* n_collected of them, in their order */
    int64_t cap;
} ney_watched;

/* The rows of one value of the column `by`. */
typedef struct ney_subgroup {
    char *name;
    uint64_t key; /* hash of the name */
    ney_watched rate[2];
    int64_t n_class[2];
} ney_subgroup;

enum { NEY_MOST_SUBGROUPS = 1000 };

struct ney_monitor {
    ney_env env;
    ney_monitor_opts opts;
    ney_watched rate[2]; /* false positives, false negatives */
    int64_t n_class[2];  /* negatives, positives */
    char *by;            /* the column of the subgroups; NULL: none */
    ney_subgroup *subgroup;
    int64_t n_subgroups, subgroup_cap;
    int64_t subgroup_alarms; /* among their rates */
    ney_state_file state;
};

/* The subgroup of a name, begun where it is new (monitor_by.c). NEY_EINVAL where there would be
 * more than NEY_MOST_SUBGROUPS. */
ney_status ney_monitor_subgroup_of(ney_monitor *m, const char *name, ney_subgroup **out,
                                   ney_error *err);
void ney_monitor_forget_subgroups(ney_monitor *m);

/* One rate without rows, tested with `share` of delta. */
ney_status ney_watched_init(ney_watched *w, const ney_monitor_opts *o, int k, double share,
                            ney_error *err);
/* A row of the class that a rate is about; `row` is its number in the stream. */
void ney_watched_add(ney_watched *w, const ney_monitor_opts *o, double score, int64_t row);
ney_monitor_rate ney_watched_info(const ney_watched *w);

static inline int64_t ney_monitor_rows(const ney_monitor *m)
{
    return m->n_class[0] + m->n_class[1];
}

/* Continue from the text of a state file, which a NUL follows. On failure the monitor is as new.
 * @retval NEY_EFORMAT  damaged, of a later version, or of another model or other options. */
ney_status ney_monitor_parse(ney_monitor *m, const char *name, const char *text, int64_t n_text,
                             ney_error *err);

/* The row of the first alarm; 0: none. */
int64_t ney_monitor_alarm_row(const ney_monitor *m);

#endif
