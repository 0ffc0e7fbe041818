/* The state of a run of 'monitor', and its result. */
#ifndef CLI_MONITOR_H
#define CLI_MONITOR_H

#include "session.h"

typedef struct monitor_args {
    const char *output, *state;
    double max_fpr, max_fnr, confidence;
    int64_t window;
    bool stop;
} monitor_args;

/* A run that tests the bounds of a model. */
typedef struct watch {
    session *s;
    const monitor_args *args;
    ney_model *model;
    ney_monitor_opts opts;
    ney_monitor *monitor;
    int64_t n_read; /* rows of this run */
    bool renewed;
    ney_certified certified; /* where renewed */
} watch;

/* Print the result. */
void monitor_report(const watch *w, const ney_monitor_info *i);

#endif
