/* The state of a run of 'monitor', and its result. */
#ifndef CLI_MONITOR_H
#define CLI_MONITOR_H

#include "evidence_trace.h"
#include "session.h"

typedef struct monitor_args {
    const char *output, *state, *by, *reference;
    const char *score, *label, *delimiter, *decimal;
    double max_fpr, max_fnr, confidence;
    int64_t window;
    bool stop, drift;
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
    evidence_trace trace;
} watch;

/* The confidence that --confidence or the model's certificate states, else 0.95. */
double monitor_confidence(const ney_model *model, const monitor_args *args);

/* How score files are read. */
ney_score_stream_opts monitor_stream_opts(const monitor_args *args);

/* The file of the rows, or "-"; and what messages call it. */
const char *monitor_path(const session *s);
const char *monitor_title(const session *s);

/* Read and test the rows (monitor_rows.c). */
ney_status monitor_read_rows(watch *w);
/* Whether this run needs no more rows. */
bool monitor_is_over(const watch *w);
/* A run without a row of a bounded class tested nothing; returns the exit code. */
int monitor_check_rows(watch *w, const ney_monitor_info *before);

/* Whether any rate, of all rows or of a subgroup, has an alarm. */
bool monitor_has_alarm(const watch *w);

/* Rates on training rows say nothing about new rows; NEY_EGOAL. */
ney_status monitor_refuse_seen(ney_error *err);

/* --drift: test the scores alone; returns the exit code (monitor_drift.c). */
int monitor_drift(session *s, const ney_model *model, const monitor_args *args);

/* Print the result. */
void monitor_report(const watch *w, const ney_monitor_info *i);

#endif
